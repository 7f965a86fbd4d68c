"""Sentences about findings: right numbers, right forms, columns counted from 1."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_reports import AGREES, DIFFERENCES, ORDER, ROWS, differing

from pytest_lockin.model.agreement import Category, NotComparable, Relaxation, RowsDiffer
from pytest_lockin.model.report import VerdictKind
from pytest_lockin.reports.words import count, count_verdicts, describe_difference, summarise_agreement


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [
        (0, "row", "0 rows"),
        (1, "row", "1 row"),
        (2, "row", "2 rows"),
        (1, "pass", "1 pass"),
        (3, "pass", "3 passes"),
    ],
)
def test_a_number_agrees_with_its_noun(number, noun, words):
    assert count(number, noun) == words


def test_verdicts_are_counted_in_words():
    assert [count_verdicts(verdict, 1) for verdict in VerdictKind] == [
        "1 true pass", "1 false pass", "1 true fail", "1 false alarm", "1 unverified",
    ]  # fmt: skip
    assert [count_verdicts(verdict, 2) for verdict in VerdictKind] == [
        "2 true passes", "2 false passes", "2 true fails", "2 false alarms", "2 unverified",
    ]  # fmt: skip


@pytest.mark.parametrize("difference", [*DIFFERENCES.values(), ORDER], ids=lambda each: type(each).__name__)
def test_every_kind_of_difference_is_one_line_of_words(difference):
    text = describe_difference(difference)
    assert text
    assert "\n" not in text


@pytest.mark.parametrize(
    "category", [Category.STRUCTURE, Category.ALIAS, Category.PRECISION, Category.ROW_COUNT]
)
def test_expected_and_found_are_both_told(category):
    difference = DIFFERENCES[category]
    text = describe_difference(difference)
    assert f"{difference.expected}" in text
    assert f"{difference.found}" in text


def test_columns_and_rows_are_counted_from_one():
    assert "column 2:" in describe_difference(DIFFERENCES[Category.ALIAS])
    assert "column 1 (avg)" in describe_difference(DIFFERENCES[Category.PRECISION])
    assert "row 5 " in describe_difference(ORDER)
    assert "column 2" in summarise_agreement(differing(Category.VALUES))


def test_zero_counts_are_left_out():
    assert describe_difference(ROWS) == "rows: 7 changed (column revenue)"
    lost = RowsDiffer(missing=2, extra=1, changed=0)
    assert describe_difference(lost) == "rows: 2 missing, 1 extra"


def test_more_columns_than_can_be_named_are_counted():
    wide = replace(ROWS, columns=tuple((index, f"c{index}", 1) for index in range(6)))
    assert describe_difference(wide).endswith("(columns c0, c1, c2, c3 and 2 more)")
    agreement = replace(differing(Category.VALUES), differences=(wide,))
    assert "columns 1, 2, 3, 4 and 2 more" in summarise_agreement(agreement)


def test_agreement_is_said_in_two_words():
    assert summarise_agreement(AGREES) == "reference agrees"


def test_values_tell_how_many_rows_of_how_many():
    assert "7 of 100 rows" in summarise_agreement(differing(Category.VALUES))
    single = replace(differing(Category.VALUES), rows_expected=1, differences=(replace(ROWS, changed=1),))
    assert "1 of 1 row," in summarise_agreement(single)


def test_a_row_swapped_for_another_is_one_wrong_row():
    swapped = RowsDiffer(missing=3, extra=3, changed=1)
    agreement = replace(differing(Category.VALUES), differences=(swapped,))
    assert "4 of 100 rows" in summarise_agreement(agreement)


def test_row_counts_tell_both():
    assert "97 instead of 100" in summarise_agreement(differing(Category.ROW_COUNT))


def test_an_exception_is_told_with_its_message():
    assert "AnalysisException: no such column" in summarise_agreement(differing(Category.RUNTIME))


def test_structure_says_which_structure():
    assert "2 instead of 3" in summarise_agreement(differing(Category.STRUCTURE))
    parts = NotComparable(reason="expected parts a; found parts b")
    assert parts.reason in summarise_agreement(replace(differing(Category.STRUCTURE), differences=(parts,)))
    kind = replace(differing(Category.STRUCTURE), differences=(DIFFERENCES[Category.PRECISION],))
    assert "another kind" in summarise_agreement(kind)


def test_what_would_recover_agreement_is_named_in_order():
    agreement = differing(Category.COLUMN_ORDER, recovered_by=(Relaxation.COLUMN_ORDER, Relaxation.NAMES))
    assert summarise_agreement(agreement).endswith("would agree up to column order and column names")


@pytest.mark.parametrize("category", Category)
def test_every_category_has_a_summary_of_its_own(category):
    others = {summarise_agreement(differing(other)) for other in Category if other is not category}
    assert summarise_agreement(differing(category)) not in others

"""Messages: expected, found, hint; short, with real counts."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa

from pytest_lockin.frames import Frame, compare, render_differences
from pytest_lockin.frames.rendering import MAX_LINES, guess_rounding
from pytest_lockin.model.agreement import CellSample, NotComparable, RowsDiffer


def lines(left, right, **options):
    return render_differences(compare(Frame.of(pa.table(left)), Frame.of(pa.table(right))), **options)


def cell(expected, found):
    return CellSample(row="", column="c", expected=expected, found=found)


def test_no_difference_is_no_line():
    assert render_differences(()) == ()


def test_counts_are_those_of_all_rows_and_few_rows_are_shown():
    text = lines({"a": list(range(1000))}, {"a": list(range(200, 900))})
    assert text[0] == "expected 1000 rows, found 700"
    assert text[1] == "rows: 300 missing"
    assert len(text) == 5


def test_everything_wrong_at_once_stays_short_and_narrow():
    left = {f"column number {i}": [f"{i} {j} " * 20 for j in range(50)] for i in range(30)}
    right = {f"other {i}": [float(j) for j in range(60)] for i in range(30)}
    for width in (60, 100):
        text = lines(left, right, width=width)
        assert len(text) <= MAX_LINES
        assert max(map(len, text)) <= width


def test_many_changed_columns_stay_short():
    left = {f"c{i}": [1.0, 2.0, 3.0] for i in range(40)}
    right = {f"c{i}": [1.0, 2.0, 3.0 if i > 15 else 4.0] for i in range(40)}
    text = lines(left, right)
    assert len(text) <= MAX_LINES
    assert text[0] == "rows: 1 changed"
    assert text[1].endswith("and 12 more")


def test_only_differing_columns_are_shown_and_the_row_is_named():
    text = lines({"id": [1, 2], "k": ["a", "b"], "x": [5, 6]}, {"id": [2, 1], "k": ["b", "a"], "x": [7, 5]})
    assert text == (
        "rows: 1 changed",
        "  differing cells by column: 'x' (1)",
        "  at id=2, k='b': 'x' expected 6, found 7",
    )


def test_trailing_blanks_show():
    text = "\n".join(lines({"id": [1, 2], "t": ["ab  ", "c"]}, {"id": [1, 2], "t": ["ab", "c"]}))
    assert "'ab  '" in text
    assert "hint: 't' differs in trailing blanks only" in text


def test_control_characters_do_not_break_the_lines():
    text = lines({"t": ["a\nb"]}, {"t": ["a\tb"]})
    assert all("\n" not in line and "\t" not in line for line in text)


def test_a_rounded_column_is_recognised():
    left = {"id": [1, 2], "avg": [1.33, 2.67]}
    text = "\n".join(lines(left, {"id": [1, 2], "avg": [1.3333333, 2.6666667]}))
    assert "hint: 'avg': expected looks like found rounded to 2 places" in text
    money = {"id": [1], "k": [1], "avg": pa.array([Decimal("1.3333")], pa.decimal128(9, 4))}
    coarse = {**money, "avg": pa.array([Decimal("1.3300")], pa.decimal128(9, 4))}
    assert "rounded to 2 places" in "\n".join(lines(coarse, money))


def test_rounding_is_only_claimed_when_it_explains_every_cell():
    assert guess_rounding([cell("1.33", "1.3333"), cell("2.5", "2.4999")]) == 2
    assert guess_rounding([cell("1.33", "1.3333"), cell("2.5", "2.8")]) is None
    assert guess_rounding([cell("1.5", "1.5001"), cell("NULL", "1.2")]) is None
    assert guess_rounding([cell("2", "1.5")]) == 0
    assert guess_rounding([cell("1.25", "1.3")]) is None
    assert guess_rounding([]) is None


def test_a_reason_is_printed():
    assert render_differences((NotComparable(reason="it raised"),)) == ("not comparable: it raised",)


def test_values_without_a_python_form_are_shown():
    far = pa.array([253402300800000000], pa.int64()).cast(pa.timestamp("us"))
    left = {"id": [1, 2], "t": pa.StructArray.from_arrays([pa.concat_arrays([far, far])], ["at"])}
    right = {
        "id": [1, 2],
        "t": pa.StructArray.from_arrays([pa.concat_arrays([far, pa.nulls(1, far.type)])], ["at"]),
    }
    assert "10000-01-01" in "\n".join(lines(left, right))


def test_columns_and_rows_are_counted_from_one():
    text = lines({"a": [1], "b": [2]}, {"a": [1], "c": ["x"]})
    assert text == (
        "column 2: expected name 'b', found 'c'",
        "column 2 'b': expected type bigint, found string",
    )


def test_both_values_come_whole_where_the_label_of_the_row_can_be_cut():
    cell = CellSample(
        row="a=1, b='a long text that names the row'" * 3, column="total", expected="12.50", found="13.75"
    )
    lines = render_differences((RowsDiffer(missing=0, extra=0, changed=1, cells=(cell,)),), width=60)
    assert any(line.endswith("'total' expected 12.50, found 13.75") for line in lines)
    assert max(map(len, lines)) <= 60

"""Strict agreement, the ladder and the category; the controls a comparer must pass (PAPERS A1.31)."""

from __future__ import annotations

import dataclasses
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from pytest_lockin.errors import FrameError, SettingsError
from pytest_lockin.frames import CaseOfNames, Frame, Rules, SortKey, Tolerance, agree, compare
from pytest_lockin.model.agreement import (
    Category,
    NotComparable,
    Relaxation,
    RowCountDiffers,
    RowsDiffer,
    TypeDiffers,
)

MONEY = pa.decimal128(17, 2)
ORDER, NAMES, TYPES, CAST = Relaxation


def report(rows=40):
    """A small report as a TPC-DS statement gives it: label, number, money, share, with NULLs."""
    rng = np.random.default_rng(3)
    money = [Decimal(int(v)) / 100 for v in rng.integers(1, 10**6, rows)]
    return pa.table(
        {
            "channel": pa.array([None if i % 9 == 0 else f"channel {i % 4}" for i in range(rows)]),
            "cnt": pa.array(rng.integers(0, 50, rows)),
            "sales": pa.array(money, MONEY),
            "share": pa.array(rng.random(rows)),
        }
    )


def frame(table):
    return Frame.of(table)


def change_cell(table, name, row, value):
    values = table[name].to_pylist()
    values[row] = value
    place = table.column_names.index(name)
    return table.set_column(place, name, pa.array(values, table.schema.types[place]))


def shuffled(table):
    return table.take(pa.array(np.random.default_rng(1).permutation(table.num_rows)))


TABLE = report()
REJECTED = {
    "column alias": (
        TABLE.rename_columns(["channel", "cnt", "total_sales", "share"]),
        Category.ALIAS,
        (NAMES,),
    ),
    "column order": (TABLE.select(["cnt", "channel", "sales", "share"]), Category.COLUMN_ORDER, (ORDER,)),
    "row deletion": (TABLE.slice(1), Category.ROW_COUNT, ()),
    "row duplication": (pa.concat_tables([TABLE, TABLE.slice(3, 1)]), Category.ROW_COUNT, ()),
    "decimal precision": (
        TABLE.set_column(2, "sales", TABLE["sales"].cast(pa.decimal128(27, 2))),
        Category.PRECISION,
        (TYPES,),
    ),
    "numeric value": (change_cell(TABLE, "cnt", 5, 1000), Category.VALUES, ()),
    "null insertion": (change_cell(TABLE, "sales", 5, None), Category.VALUES, ()),
}


def test_an_unchanged_load_is_accepted():
    answer = agree(frame(TABLE), frame(report()))
    assert (answer.agrees, answer.category, answer.differences) == (True, None, ())
    assert (answer.rows_expected, answer.rows_found) == (40, 40)


def test_a_row_permutation_is_accepted():
    assert agree(frame(TABLE), frame(shuffled(TABLE))).agrees


@pytest.mark.parametrize("control", REJECTED)
def test_each_perturbation_is_rejected_with_its_category(control):
    table, category, recovered_by = REJECTED[control]
    for found in (table, shuffled(table)):
        answer = agree(frame(TABLE), frame(found))
        assert not answer.agrees
        assert (answer.category, answer.recovered_by) == (category, recovered_by)


def test_values_and_nulls_are_seen_with_schema_and_row_count_unchanged():
    for control in ("numeric value", "null insertion"):
        table, *_ = REJECTED[control]
        assert table.schema == TABLE.schema
        (difference,) = compare(frame(TABLE), frame(table))
        assert isinstance(difference, RowsDiffer)
        assert (difference.missing, difference.extra, difference.changed) == (0, 0, 1)


def test_several_rungs_add_up_in_the_order_of_the_ladder():
    wide = TABLE.set_column(2, "total", TABLE["sales"].cast(pa.decimal128(27, 4)))
    answer = agree(frame(TABLE), frame(wide))
    assert (answer.category, answer.recovered_by) == (Category.ALIAS, (NAMES, TYPES))
    turned = wide.select(["share", "total", "cnt", "channel"]).rename_columns(["a", "b", "c", "d"])
    answer = agree(frame(TABLE), frame(turned))
    assert (answer.category, answer.recovered_by) == (Category.COLUMN_ORDER, (ORDER, NAMES, TYPES))


def test_labels_swapped_over_values_in_place_are_recovered_by_names_alone():
    swapped = TABLE.rename_columns(["channel", "sales", "cnt", "share"])
    answer = agree(frame(TABLE), frame(swapped))
    assert (answer.category, answer.recovered_by) == (Category.ALIAS, (NAMES,))


def test_a_float_in_place_of_a_decimal_is_recovered_by_a_cast():
    cast = TABLE.set_column(2, "sales", TABLE["sales"].cast(pa.float64()))
    answer = agree(frame(TABLE), frame(cast))
    assert (answer.category, answer.recovered_by) == (Category.PRECISION, (CAST,))


def test_a_decimal_rounded_earlier_is_recovered_at_the_coarser_scale():
    fine = pa.table({"avg": pa.array([Decimal("1.333333"), Decimal("2.005000")], pa.decimal128(17, 6))})
    coarse = pa.table({"avg": pa.array([Decimal("1.33"), Decimal("2.01")], MONEY)})
    answer = agree(frame(fine), frame(coarse))
    assert (answer.category, answer.recovered_by) == (Category.PRECISION, (TYPES,))
    wrong = pa.table({"avg": pa.array([Decimal("1.33"), Decimal("2.02")], MONEY)})
    assert agree(frame(fine), frame(wrong)).recovered_by == ()


def test_a_float_of_half_the_width_is_recovered_at_its_own_precision():
    wide = pa.table({"x": [0.1, 2.5]})
    narrow = pa.table({"x": pa.array([2.5, 0.1], pa.float32())})
    answer = agree(frame(wide), frame(narrow))
    assert (answer.category, answer.recovered_by) == (Category.PRECISION, (TYPES,))


def test_digits_beyond_a_double_are_recovered_by_a_cast_and_a_cent_in_billions_is_not():
    fine = pa.decimal128(38, 18)
    left = pa.table({"x": pa.array([Decimal("0.333333333333333333")], fine)})
    right = pa.table({"x": pa.array([Decimal("0.333333333333333334")], fine)})
    answer = agree(frame(left), frame(right))
    assert (answer.agrees, answer.category, answer.recovered_by) == (False, Category.PRECISION, (CAST,))
    left = pa.table({"x": pa.array([Decimal("98765432109.01")], MONEY)})
    right = pa.table({"x": pa.array([Decimal("98765432109.02")], MONEY)})
    assert agree(frame(left), frame(right)).recovered_by == ()
    assert agree(frame(pa.table({"n": [10**15]})), frame(pa.table({"n": [10**15 + 1]}))).recovered_by == ()


def test_another_name_does_not_excuse_other_values():
    table = change_cell(TABLE, "cnt", 5, 1000).rename_columns(["channel", "cnt", "total", "share"])
    answer = agree(frame(TABLE), frame(table))
    assert (answer.category, answer.recovered_by) == (Category.VALUES, ())


def test_another_kind_of_column_is_structure():
    text = TABLE.set_column(1, "cnt", pc.cast(TABLE["cnt"], pa.string()))
    assert agree(frame(TABLE), frame(text)).category is Category.STRUCTURE
    assert agree(frame(TABLE), frame(TABLE.drop_columns(["share"]))).category is Category.STRUCTURE


def test_an_array_in_place_of_a_value_is_structure():
    nested = pa.table({"a": pa.array([[1]])})
    answer = agree(frame(pa.table({"a": [1]})), frame(nested))
    assert answer.category is Category.STRUCTURE
    assert answer.differences == (
        TypeDiffers(position=0, column="a", expected="bigint", found="array<bigint>"),
    )


def test_renamed_columns_with_other_values_are_not_recovered_by_a_wrong_guess():
    left = pa.table({"a": [1, 2, 3], "b": [1, 3, 2]})
    right = pa.table({"x": [1, 2, 3], "y": [3, 2, 1]})
    assert agree(frame(left), frame(right)).recovered_by == ()


def test_an_all_null_column_without_a_type_is_a_type_finding_only():
    left = pa.table({"a": [1, 2], "b": pa.array([None, None], pa.string())})
    right = pa.table({"a": [2, 1], "b": pa.nulls(2)})
    answer = agree(frame(left), frame(right))
    assert (answer.agrees, answer.category, answer.recovered_by) == (False, Category.PRECISION, (TYPES,))


def test_an_agreement_says_its_tolerance():
    answer = agree(frame(TABLE), frame(TABLE), Rules(floats=Tolerance(relative=1e-6, absolute=0.5)))
    assert answer.notes == ("floats compared within 1e-06 relative + 0.5 absolute",)
    assert agree(frame(TABLE.select(["cnt"])), frame(TABLE.select(["cnt"]))).notes == ()


def test_a_tolerance_that_makes_everything_equal_is_refused():
    for bad in (
        {"relative": 1.0},
        {"absolute": -1.0},
        {"absolute": float("inf")},
        {"relative": float("nan")},
    ):
        with pytest.raises(SettingsError, match="tolerance"):
            Tolerance(**bad)


class TestLimitThroughTie:
    """ORDER BY n DESC LIMIT 3 of a(9) b(5) c(5) d(5) e(1)."""

    POOL = pa.table({"k": ["a", "b", "c", "d", "e"], "n": [9, 5, 5, 5, 1]})
    RULES = Rules(order=(SortKey(position=1, descending=True),))

    def judge(self, *places, pool=None, rules=RULES):
        expected = frame(self.POOL.take([0, 1, 2]))
        return agree(expected, frame(self.POOL.take(list(places))), rules, pool or frame(self.POOL))

    def test_another_choice_among_the_tied_rows_agrees_and_is_noted(self):
        for places in ((0, 1, 3), (0, 3, 2), (3, 0, 2)):
            answer = self.judge(*places)
            assert answer.agrees
            assert "legal choice" in answer.notes[0]
            assert not [d for d in answer.differences if isinstance(d, RowsDiffer)]

    def test_the_expected_choice_agrees_without_a_note(self):
        assert self.judge(2, 1, 0).notes == ()

    def test_a_row_from_outside_the_tie_is_no_legal_choice(self):
        answer = self.judge(0, 1, 4)
        assert (answer.agrees, answer.category) == (False, Category.VALUES)

    def test_a_row_before_the_cut_must_be_there(self):
        assert not self.judge(1, 2, 3).agrees

    def test_a_tied_row_taken_twice_is_no_legal_choice(self):
        assert not self.judge(0, 1, 1).agrees

    def test_the_count_must_be_right(self):
        assert self.judge(0, 1).category is Category.ROW_COUNT

    def test_the_tied_rows_alone_are_pool_enough(self):
        block = frame(self.POOL.slice(1, 3))
        assert self.judge(0, 1, 3, pool=block).agrees
        assert not self.judge(0, 1, 4, pool=block).agrees

    def test_with_no_sort_keys_every_subset_of_the_pool_is_legal(self):
        assert self.judge(4, 3, 2, rules=Rules()).agrees
        assert not self.judge(4, 3, 3, rules=Rules()).agrees

    def test_other_names_with_a_legal_choice_are_an_alias(self):
        expected = frame(self.POOL.take([0, 1, 2]))
        found = frame(self.POOL.take([0, 1, 3]).rename_columns(["k", "m"]))
        answer = agree(expected, found, self.RULES, frame(self.POOL))
        assert (answer.category, answer.recovered_by) == (Category.ALIAS, (NAMES,))

    def test_a_pool_of_another_shape_is_refused(self):
        with pytest.raises(FrameError, match="pool"):
            self.judge(0, 1, 3, pool=frame(self.POOL.select(["k"])))

    def test_tied_floats_are_tied_within_the_tolerance(self):
        pool = pa.table({"k": ["a", "b", "c"], "x": [2.0, 1.0, 1.0 + 1e-12]})
        rules = Rules(order=(SortKey(position=1, descending=True),))
        answer = agree(frame(pool.take([0, 2])), frame(pool.take([0, 1])), rules, frame(pool))
        assert answer.agrees


def test_columns_that_arrive_in_forms_without_common_ground_are_told():
    schema = '{"type":"struct","fields":[{"name":"t","type":"timestamp","nullable":true,"metadata":{}}]}'
    left = Frame(table=pa.table({"t": pa.array([0], pa.timestamp("us", "UTC"))}), rows=1, schema_json=schema)
    right = Frame(table=pa.table({"t": ["1970-01-01"]}), rows=1, schema_json=schema)
    (difference,) = compare(left, right)
    assert isinstance(difference, NotComparable)
    assert "'t' arrives as timestamp" in difference.reason
    assert not agree(left, right).agrees


def test_values_arrow_cannot_group_are_told_and_never_raise():
    union = pa.UnionArray.from_dense(
        pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["a"])]
    )
    left, right = Frame.of(pa.table({"u": union})), Frame.of(pa.table({"u": union.take([1, 0])}))
    (difference,) = compare(left, right)
    assert isinstance(difference, NotComparable)
    assert not agree(left, right).agrees


def test_case_of_names_counts_only_when_asked():
    upper = TABLE.rename_columns([n.upper() for n in TABLE.column_names])
    assert agree(frame(TABLE), frame(upper)).agrees
    answer = agree(frame(TABLE), frame(upper), Rules(names=CaseOfNames.DIFFERENT))
    assert (answer.agrees, answer.category) == (False, Category.ALIAS)


def test_an_agreement_is_a_frozen_value():
    answer = agree(frame(TABLE), frame(TABLE.slice(1)))
    assert RowCountDiffers(expected=40, found=39) in answer.differences
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.agrees = True

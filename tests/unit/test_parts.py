"""Agreement of programs that return several DataFrames, and of columns by name."""

from __future__ import annotations

import pyarrow as pa
import pytest

from pytest_lockin.frames.frame import Frame
from pytest_lockin.model.agreement import Category, NotComparable
from pytest_lockin.model.rules import Rules
from pytest_lockin.references.compare import agree_parts, arrange_by_name, raised

ONE = Frame.of(pa.table({"a": [1, 2], "b": ["x", "y"]}))
TWO = Frame.of(pa.table({"a": [3]}))
OTHER = Frame.of(pa.table({"a": [4]}))


def test_one_dataframe_is_one_part():
    assert agree_parts((("", ONE),), (("", ONE),), Rules()).agrees


def test_rows_of_all_parts_are_counted():
    agreement = agree_parts((("0", ONE), ("1", TWO)), (("0", ONE), ("1", TWO)), Rules())
    assert agreement.agrees
    assert (agreement.rows_expected, agreement.rows_found) == (3, 3)


def test_the_part_that_differs_decides():
    agreement = agree_parts((("0", ONE), ("1", TWO)), (("0", ONE), ("1", OTHER)), Rules())
    assert not agreement.agrees
    assert agreement.category is Category.VALUES
    assert agreement.differences


def test_a_mapping_has_no_order():
    assert agree_parts((("x", ONE), ("y", TWO)), (("y", TWO), ("x", ONE)), Rules()).agrees


@pytest.mark.parametrize(
    "found",
    [(("", ONE),), (("0", ONE),), (("0", ONE), ("2", TWO)), (("0", ONE), ("1", TWO), ("2", TWO))],
)
def test_other_parts_are_a_difference_of_structure(found):
    agreement = agree_parts((("0", ONE), ("1", TWO)), found, Rules())
    assert agreement.category is Category.STRUCTURE
    assert isinstance(agreement.differences[0], NotComparable)
    assert "expected parts 0, 1" in agreement.differences[0].reason


def test_columns_by_name_stand_in_any_order_and_case():
    swapped = Frame.of(pa.table({"B": ["x", "y"], "A": [1, 2]}))
    assert not agree_parts((("", ONE),), (("", swapped),), Rules()).agrees
    assert agree_parts((("", ONE),), (("", swapped),), Rules(), by_name=True).agrees


@pytest.mark.parametrize(
    "found",
    [
        pa.table({"b": ["x", "y"], "c": [1, 2]}),
        pa.table({"b": ["x", "y"]}),
        pa.Table.from_arrays([pa.array([1]), pa.array([1])], names=["a", "A"]),
    ],
)
def test_columns_that_cannot_be_told_apart_by_name_stay_where_they_are(found):
    frame = Frame.of(found)
    assert arrange_by_name(ONE, frame) is frame


def test_spark_types_move_with_their_columns():
    schema = (
        '{"type":"struct","fields":[{"name":"b","type":"string","nullable":true,"metadata":{}},'
        '{"name":"a","type":"long","nullable":true,"metadata":{}}]}'
    )
    table = pa.table({"b": ["x", "y"], "a": [1, 2]})
    arranged = arrange_by_name(ONE, Frame(table=table, rows=2, schema_json=schema))
    assert arranged.names == ONE.names
    assert [field["name"] for field in arranged.fields] == ["a", "b"]


def test_a_program_that_raises_agrees_with_nothing():
    agreement = raised("ValueError", "no such key", 7)
    assert (agreement.agrees, agreement.category, agreement.rows_expected) == (False, Category.RUNTIME, 7)
    assert agreement.differences[0].reason == "ValueError: no such key"
    assert raised("ValueError", "", 7).differences[0].reason == "ValueError"

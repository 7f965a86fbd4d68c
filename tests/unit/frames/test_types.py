"""Spark's short type names, and how two types relate."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from pytest_lockin.frames import Frame, compare
from pytest_lockin.frames.types import Relation, from_arrow, relate, short_name
from pytest_lockin.model.agreement import TypeDiffers

STRUCT = pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))])


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (pa.int8(), "tinyint"),
        (pa.int16(), "smallint"),
        (pa.int32(), "int"),
        (pa.int64(), "bigint"),
        (pa.float32(), "float"),
        (pa.decimal128(7, 2), "decimal(7,2)"),
        (pa.timestamp("us", "UTC"), "timestamp"),
        (pa.timestamp("us"), "timestamp_ntz"),
        (pa.large_string(), "string"),
        (pa.string_view(), "string"),
        (pa.dictionary(pa.int32(), pa.string()), "string"),
        (pa.binary(4), "binary"),
        (pa.null(), "void"),
        (pa.duration("us"), "interval day to second"),
        (STRUCT, "struct<a:int,b:array<string>>"),
        (pa.map_(pa.string(), STRUCT), "map<string,struct<a:int,b:array<string>>>"),
        (pa.uint32(), "uint32"),
    ],
)
def test_arrow_types_are_named_as_spark_names_them(kind, name):
    assert short_name(from_arrow(kind)) == name


@pytest.mark.parametrize(
    ("left", "right", "relation"),
    [
        (pa.int32(), pa.int64(), Relation.PRECISION),
        (pa.int32(), pa.decimal128(9, 0), Relation.PRECISION),
        (pa.float32(), pa.float64(), Relation.PRECISION),
        (pa.decimal128(9, 2), pa.float64(), Relation.CAST),
        (pa.int32(), pa.string(), Relation.STRUCTURE),
        (pa.date32(), pa.timestamp("us"), Relation.STRUCTURE),
        (pa.timestamp("us"), pa.timestamp("us", "UTC"), Relation.PRECISION),
        (pa.null(), pa.string(), Relation.PRECISION),
        (pa.null(), STRUCT, Relation.PRECISION),
        (pa.list_(pa.int32()), pa.list_(pa.int64()), Relation.PRECISION),
        (pa.list_(pa.int32()), pa.list_(pa.float64()), Relation.CAST),
        (pa.list_(pa.int32()), pa.map_(pa.int32(), pa.int32()), Relation.STRUCTURE),
        (STRUCT, pa.struct([("A", pa.int32()), ("b", pa.list_(pa.string()))]), Relation.PRECISION),
        (STRUCT, pa.struct([("a", pa.int32())]), Relation.STRUCTURE),
        (STRUCT, pa.struct([("b", pa.list_(pa.string())), ("a", pa.int32())]), Relation.STRUCTURE),
    ],
)
def test_types_relate_the_same_in_both_directions(left, right, relation):
    assert relate(from_arrow(left), from_arrow(right)) is relation
    assert relate(from_arrow(right), from_arrow(left)) is relation


def schema(kind):
    return json.dumps(
        {"type": "struct", "fields": [{"name": "t", "type": kind, "nullable": True, "metadata": {}}]}
    )


def test_the_spark_schemas_speak_where_both_sides_have_one():
    table = pa.table({"t": pa.array([0], pa.timestamp("us", "UTC"))})
    local, instant = Frame.of(table, schema("timestamp_ntz")), Frame.of(table, schema("timestamp"))
    assert compare(local, instant) == (
        TypeDiffers(position=0, column="t", expected="timestamp_ntz", found="timestamp"),
    )
    assert compare(local, Frame.of(table)) == ()


def test_values_of_two_widths_are_compared_by_value():
    left, right = (
        Frame.of(pa.table({"t": pa.array([1, 300], pa.int16())})),
        Frame.of(pa.table({"t": [300, 1]})),
    )
    assert [type(d) for d in compare(left, right)] == [TypeDiffers]

"""Build a Frame from plain Python rows and a Spark schema, refusing what Spark would silently change."""

from __future__ import annotations

import decimal
import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pytest_lockin.engines.exchange import carry
from pytest_lockin.errors import FrameError
from pytest_lockin.frames.frame import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ARROW = {
    "void": pa.null(),
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}


def build_frame(rows: Sequence[Sequence[Any]], schema_json: str) -> Frame:
    """Build a Frame of these rows; the values of each row stand in the schema's order.

    Raises:
        FrameError: a row of the wrong length, NULL where the schema forbids it, a decimal that is no number
            (Spark makes NULL of it), or a value that does not fit its type.
    """
    fields = json.loads(schema_json)["fields"]
    for number, row in enumerate(rows):
        _check_row(number, row, fields)
    columns = [_build_column(position, field, rows) for position, field in enumerate(fields)]
    names = [field["name"] for field in fields]
    return Frame(
        table=pa.table(columns, names=names) if names else pa.table({}),
        rows=len(rows),
        schema_json=schema_json,
    )


def arrow_type(kind: Any) -> pa.DataType:
    """Return the Arrow type in which a Spark type (JSON value) travels."""
    return _arrow_type(carry(kind))


def _arrow_type(kind: Any) -> pa.DataType:
    if isinstance(kind, str):
        return _atomic_type(kind)
    if kind["type"] == "array":
        return pa.list_(pa.field("element", _arrow_type(kind["elementType"]), kind["containsNull"]))
    if kind["type"] == "map":
        value = pa.field("value", _arrow_type(kind["valueType"]), kind["valueContainsNull"])
        return pa.map_(pa.field("key", _arrow_type(kind["keyType"]), nullable=False), value)
    if kind["type"] == "udt":
        return _arrow_type(kind["sqlType"])
    return pa.struct(
        [pa.field(field["name"], _arrow_type(field["type"]), field["nullable"]) for field in kind["fields"]]
    )


def _atomic_type(kind: str) -> pa.DataType:
    if kind.startswith("decimal"):
        precision, scale = map(int, re.findall(r"\d+", kind) or (10, 0))
        return pa.decimal128(precision, scale)
    if kind.startswith("interval"):
        return pa.duration("us")
    if kind.startswith("time("):
        return pa.time64("ns")
    return _ARROW.get(kind, pa.string())


def _check_row(number: int, row: Sequence[Any], fields: Sequence[Any]) -> None:
    if len(row) != len(fields):
        raise FrameError(
            expected=f"{len(fields)} values in row {number}",
            found=f"{len(row)}",
            hint="give one value for each column of the schema",
        )
    for value, field in zip(row, fields, strict=True):
        if value is None and not field["nullable"]:
            raise FrameError(
                expected=f"no NULL in column {field['name']!r}",
                found=f"one in row {number}",
                hint="the schema says nullable: false",
            )
        if any(isinstance(part, decimal.Decimal) and not part.is_finite() for part in _walk(value)):
            raise FrameError(
                expected=f"a number in column {field['name']!r}",
                found=f"{value!r} in row {number}",
                hint="Spark has no such decimal and would store NULL; write None if you mean that",
            )


def _walk(value: Any) -> Iterator[Any]:
    """Go through a value and everything inside it."""
    yield value
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple):
        for part in value:
            yield from _walk(part)


def _build_column(position: int, field: Any, rows: Sequence[Sequence[Any]]) -> pa.Array[Any]:
    kind = arrow_type(field["type"])
    values = [row[position] for row in rows]
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise FrameError(
            expected=f"values of type {field['type']} in column {field['name']!r}",
            found=str(error),
            hint="check the rows against the schema",
        ) from error

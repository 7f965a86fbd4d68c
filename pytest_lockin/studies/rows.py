"""A frame's rows as Python values, read without any of the comparator's code: the oracle of the controls."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.frames.frame import Frame

Row = tuple[Any, ...]

_NAN = ("NaN",)


def read_rows(frame: Frame) -> Iterator[Row]:
    """Give the rows as tuples of hashable values, in order; a frame without columns gives empty rows.

    NaN becomes a value that equals itself; entries of a map are sorted; -0.0 and 0.0 are equal as in
    Python. Instants and durations are counted in their unit, since Python's own end at the year 9999.
    """
    if not frame.names:
        return iter([()] * frame.rows)
    return zip(*(read_column(column) for column in frame.table.columns), strict=True)


def read_column(column: pa.ChunkedArray[Any]) -> list[Any]:
    """Give one column's values as hashable Python values."""
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        column = column.cast(pa.int64())
    return [_freeze(value, kind) for value in column.to_pylist()]


def _freeze(value: Any, kind: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return _NAN
    if isinstance(value, dict):
        return tuple(_freeze(value[field.name], field.type) for field in kind.fields)
    if not isinstance(value, list):
        return value
    if pa.types.is_map(kind):
        entries = [(_freeze(key, kind.key_type), _freeze(one, kind.item_type)) for key, one in value]
        return tuple(sorted(entries, key=repr))
    return tuple(_freeze(one, kind.value_type) for one in value)


def count_rows(frame: Frame) -> Counter[Row]:
    """Give the rows as a multiset."""
    return Counter(read_rows(frame))


def name_types(frame: Frame) -> tuple[str, ...]:
    """Give one text per column's type, nullability left out; from the Spark schema where there is one."""
    if frame.schema_json:
        return tuple(_name_type(field["type"]) for field in frame.fields)
    return tuple(_name_arrow(kind) for kind in frame.table.schema.types)


def _name_arrow(kind: Any) -> str:
    """Name an Arrow type; the inner names of lists and maps ("item", "element") are a writer's habit."""
    if pa.types.is_map(kind):
        return f"map<{_name_arrow(kind.key_type)}, {_name_arrow(kind.item_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'{field.name}: {_name_arrow(field.type)}' for field in kind.fields)}>"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"list<{_name_arrow(kind.value_type)}>"
    return str(kind)


def _name_type(kind: Any) -> str:
    if not isinstance(kind, dict):
        return str(kind)
    flags = {"nullable", "containsNull", "valueContainsNull", "metadata"}
    parts = [f"{key}={_name_part(value)}" for key, value in sorted(kind.items()) if key not in flags]
    return f"({' '.join(parts)})"


def _name_part(value: Any) -> str:
    return ", ".join(_name_type(one) for one in value) if isinstance(value, list) else _name_type(value)

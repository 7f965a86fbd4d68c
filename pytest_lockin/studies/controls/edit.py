"""Small edits of a frame that keep Arrow data and Spark schema together. Inputs are left as they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pytest_lockin.frames.frame import Frame

if TYPE_CHECKING:
    from collections.abc import Sequence

SparkType = str | dict[str, Any]


def build_frame(
    columns: Sequence[pa.ChunkedArray[Any] | pa.Array[Any]],
    names: Sequence[str],
    fields: Sequence[dict[str, Any]],
    rows: int,
) -> Frame:
    """Build a frame from columns and Spark fields; no fields where it has no Spark schema."""
    table = pa.Table.from_arrays(list(columns), names=list(names))
    schema = json.dumps({"type": "struct", "fields": list(fields)}) if fields else ""
    return Frame(table=table, rows=rows, schema_json=schema)


def take_rows(frame: Frame, rows: Sequence[int]) -> Frame:
    """Give these rows, in this order, repeats included."""
    table = frame.table.take(pa.array(rows, pa.int64()))
    return Frame(table=table, rows=len(rows), schema_json=frame.schema_json)


def take_columns(frame: Frame, positions: Sequence[int]) -> Frame:
    """Give these columns, in this order."""
    fields = frame.fields
    return build_frame(
        [frame.table.column(i) for i in positions],
        [frame.names[i] for i in positions],
        [fields[i] for i in positions] if fields else [],
        frame.rows,
    )


def rename_column(frame: Frame, position: int, name: str) -> Frame:
    """Give the column another name."""
    names = [*frame.names]
    names[position] = name
    fields = [dict(field) for field in frame.fields]
    if fields:
        fields[position]["name"] = name
    return build_frame(frame.table.columns, names, fields, frame.rows)


def replace_column(
    frame: Frame, position: int, column: pa.ChunkedArray[Any] | pa.Array[Any], spark_type: SparkType = ""
) -> Frame:
    """Put another column in this place; `spark_type` where its type changes."""
    columns: list[pa.ChunkedArray[Any] | pa.Array[Any]] = [*frame.table.columns]
    columns[position] = column
    fields = [dict(field) for field in frame.fields]
    if fields and spark_type:
        fields[position]["type"] = spark_type
    return build_frame(columns, frame.names, fields, frame.rows)


def append_column(frame: Frame, name: str, column: pa.Array[Any], spark_type: SparkType) -> Frame:
    """Put a column behind the last."""
    fields = [*frame.fields]
    if fields:
        fields.append({"name": name, "type": spark_type, "nullable": True, "metadata": {}})
    return build_frame([*frame.table.columns, column], [*frame.names, name], fields, frame.rows)


def append_rows(frame: Frame, other: Frame) -> Frame:
    """Put the rows of a frame with the same schema behind the last."""
    columns = [
        pa.chunked_array([*mine.chunks, *yours.chunks], type=mine.type)
        for mine, yours in zip(frame.table.columns, other.table.columns, strict=True)
    ]
    return build_frame(columns, frame.names, frame.fields, frame.rows + other.rows)


def set_value(frame: Frame, row: int, position: int, value: Any) -> Frame:
    """Put another value in one cell. Every other cell keeps its very bits."""
    column = frame.table.column(position)
    one = pa.array([value], type=column.type)
    parts = [*column.slice(0, row).chunks, one, *column.slice(row + 1).chunks]
    return replace_column(frame, position, pa.chunked_array(parts, type=column.type))


def set_fields(frame: Frame, fields: Sequence[dict[str, Any]], schema: pa.Schema) -> Frame:
    """Give the same columns under another Arrow schema and other Spark fields."""
    table = pa.Table.from_arrays(frame.table.columns, schema=schema)
    text = json.dumps({"type": "struct", "fields": list(fields)}) if fields else ""
    return Frame(table=table, rows=frame.rows, schema_json=text)

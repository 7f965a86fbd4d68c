"""The reference's result laid out as the candidate's: its columns, names and types."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_lockin.frames.frame import Frame
from pytest_lockin.model.finding import ShapeKind

if TYPE_CHECKING:
    import pyarrow as pa

    from pytest_lockin.obligations.shape import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How the reference's result has to be laid out to look like the candidate's.

    Attributes:
        columns: for each column the place in the reference's result, the name, the type in Spark's JSON.
    """

    columns: tuple[tuple[int, str, str], ...]

    def show(self, frame: Frame) -> Frame:
        """Lay a result out; a column the reference does not have cannot be shown and is left out."""
        import pyarrow as pa

        arrays, fields = [], []
        for place, name, kind in self.columns:
            if place >= len(frame.names):
                continue
            field = frame.fields[place] if frame.schema_json else {"nullable": True, "metadata": {}}
            arrays.append(_cast(frame.table.column(place), json.loads(kind)))
            fields.append({**field, "name": name, "type": json.loads(kind)})
        table = pa.table(arrays, names=[each["name"] for each in fields])
        schema = json.dumps({"type": "struct", "fields": fields}) if frame.schema_json else ""
        return Frame(table=table, rows=frame.rows, schema_json=schema)


def view_of(shape: Shape, expected: Frame, found: Frame, put_right: frozenset[int] = frozenset()) -> View:
    """Say how the reference's result looks as the candidate's; `put_right` lists findings that are not made.

    The numbers are those of `shape.findings`. Columns only the candidate has cannot be shown.
    """
    right = {(shape.findings[n].kind, name) for n in put_right for name in shape.findings[n].columns}
    kinds = {kind for kind, _ in right}
    pairs = sorted(zip(shape.found, shape.expected, strict=True))
    columns = [_show(expected, found, mine, theirs, right) for theirs, mine in pairs]
    if ShapeKind.MISSING in kinds:
        columns += [
            _show(expected, expected, place, place, right)
            for place, name in enumerate(expected.names)
            if (ShapeKind.MISSING, name) in right
        ]
    if kinds & {ShapeKind.MISSING, ShapeKind.ORDER}:
        columns.sort()
    return View(columns=tuple(columns))


def _show(
    expected: Frame, found: Frame, mine: int, theirs: int, right: set[tuple[ShapeKind, str]]
) -> tuple[int, str, str]:
    own = expected.names[mine]
    name = own if (ShapeKind.NAMES, own) in right else found.names[theirs]
    source = expected if (ShapeKind.TYPES, own) in right or not found.fields else found
    place = mine if source is expected else theirs
    kind = source.fields[place]["type"] if source.fields else "string"
    return mine, name, json.dumps(kind)


def _cast(column: pa.ChunkedArray, kind: Any) -> pa.ChunkedArray:
    """Give a column the Arrow type of a simple Spark type; one that cannot be cast stays as it is."""
    import pyarrow as pa

    target = _arrow_type(kind)
    if target is None or target == column.type:
        return column
    try:
        return column.cast(target, safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return column


def _arrow_type(kind: Any) -> pa.DataType | None:
    import pyarrow as pa

    simple = {
        "byte": pa.int8(),
        "short": pa.int16(),
        "integer": pa.int32(),
        "long": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
    }
    if isinstance(kind, str) and kind.startswith("decimal("):
        width, places = kind.removeprefix("decimal(").rstrip(")").split(",")
        return pa.decimal128(int(width), int(places))
    return simple.get(kind) if isinstance(kind, str) else None

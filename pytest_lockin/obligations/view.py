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

_NUMBERS = frozenset(("byte", "short", "integer", "long", "float", "double"))


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How the reference's result has to be laid out to look like the candidate's.

    Attributes:
        columns: for each column the place in the reference's result, a name and a type in Spark's JSON; ""
            where the result's own will do.
    """

    columns: tuple[tuple[int, str, str], ...]

    def show(self, frame: Frame) -> Frame:
        """Lay a result out; a column the reference does not have cannot be shown and is left out."""
        import pyarrow as pa

        arrays, fields = [], []
        for place, name, kind in self.columns:
            if place >= len(frame.names):
                continue
            own = (
                frame.fields[place]
                if frame.schema_json
                else {"type": "string", "nullable": True, "metadata": {}}
            )
            wanted = json.loads(kind) if kind else own["type"]
            column = frame.table.column(place)
            arrays.append(_cast(column, wanted) if kind else column)
            fields.append({**own, "name": name or frame.names[place], "type": wanted})
        table = pa.table(arrays, names=[each["name"] for each in fields])
        schema = json.dumps({"type": "struct", "fields": fields}) if frame.schema_json else ""
        return Frame(table=table, rows=frame.rows, schema_json=schema)


def view_of(shape: Shape, expected: Frame, found: Frame, put_right: frozenset[int] = frozenset()) -> View:
    """Say how the reference's result looks as the candidate's; `put_right` lists findings that are not made.

    The numbers are those of `shape.findings`. Columns only the candidate has cannot be shown.
    """
    made = {
        (finding.kind, name)
        for number, finding in enumerate(shape.findings)
        if number not in put_right
        for name in finding.columns
    }
    right = {shape.findings[number].kind for number in put_right}
    pairs = sorted(zip(shape.found, shape.expected, strict=True))
    columns = [_show(expected, found, mine, theirs, made) for theirs, mine in pairs]
    if ShapeKind.MISSING in right:
        back = [name for number in put_right for name in shape.findings[number].columns]
        columns += [(place, "", "") for place, name in enumerate(expected.names) if name in back]
    if right & {ShapeKind.MISSING, ShapeKind.ORDER}:
        columns.sort()
    return View(columns=tuple(columns))


def _show(
    expected: Frame, found: Frame, mine: int, theirs: int, made: set[tuple[ShapeKind, str]]
) -> tuple[int, str, str]:
    own, other = expected.names[mine], found.names[theirs]
    # The same name in other letters is no finding, and a case may well ask for the letters.
    name = other if (ShapeKind.NAMES, own) in made or own.lower() == other.lower() else ""
    kind = json.dumps(found.fields[theirs]["type"]) if (ShapeKind.TYPES, own) in made and found.fields else ""
    return mine, name, kind


def _cast(column: pa.ChunkedArray, kind: Any) -> pa.ChunkedArray:
    """Give a column the Arrow type of a number of Spark's; one that cannot be cast stays as it is."""
    import pyarrow as pa

    from pytest_lockin.engines.rows import arrow_type

    if not _is_number(kind) or (target := arrow_type(kind)) == column.type:
        return column
    try:
        return column.cast(target, safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return column


def _is_number(kind: Any) -> bool:
    return isinstance(kind, str) and (kind in _NUMBERS or kind.startswith("decimal("))

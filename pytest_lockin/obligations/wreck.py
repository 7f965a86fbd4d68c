"""Tables spoilt on purpose: to see whether a case looks, and whether its rows nearly show a mistake."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_lockin.frames.frame import Frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

_FAR = dt.timedelta(days=400)
_DAY = dt.timedelta(days=1)


def wreck_columns(frame: Frame, names: Iterable[str], how: str) -> Frame:
    """Spoil some columns: `null` empties them, `shift` changes every value, `rename` their names."""
    wanted = {name.lower() for name in names}
    if how == "rename":
        return _rename(frame, wanted)
    table = frame.table
    for place, name in enumerate(frame.names):
        if name.lower() in wanted:
            table = _put(table, place, _spoil(table.column(place), how))
    return replace(frame, table=table)


def _put(table: pa.Table, place: int, cells: pa.Array) -> pa.Table:
    field = table.schema.field(place).with_nullable(True)  # noqa: FBT003 - pyarrow's own signature
    return table.set_column(place, field, cells)


def _rename(frame: Frame, wanted: set[str]) -> Frame:
    names = [f"{name}_wrecked" if name.lower() in wanted else name for name in frame.names]
    schema = frame.schema_json
    if schema:
        fields = [{**field, "name": name} for field, name in zip(frame.fields, names, strict=True)]
        schema = json.dumps({"type": "struct", "fields": fields})
    return Frame(table=frame.table.rename_columns(names), rows=frame.rows, schema_json=schema)


def wreck_rows(frame: Frame, how: str) -> Frame:
    """Take the last row away (`less`) or give the first one twice (`more`)."""
    import pyarrow as pa

    if not frame.rows:
        return frame
    if how == "less":
        return replace(frame, table=frame.table.slice(0, frame.rows - 1), rows=frame.rows - 1)
    return replace(frame, table=pa.concat_tables([frame.table, frame.table.slice(0, 1)]), rows=frame.rows + 1)


def _spoil(column: pa.ChunkedArray, how: str) -> pa.Array:
    import pyarrow as pa

    cells = [None if how == "null" else _other(cell) for cell in column.to_pylist()]
    try:
        return pa.array(cells, type=column.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None] * len(cells), type=column.type)


def _other(cell: Any) -> Any:
    """Give a value that is surely another one, and far from it; None where no such is known."""
    if isinstance(cell, bool):
        return not cell
    if isinstance(cell, (int, float, Decimal)):
        return -cell - 7
    if isinstance(cell, str):
        return f"{cell[::-1]}~"
    return cell + _FAR if isinstance(cell, dt.date) else None


def edit_cells(frame: Frame, columns: Sequence[str], most: int) -> Iterator[tuple[str, Frame]]:
    """Change one cell after the other of some columns, each time to another value and to NULL.

    Gives what was done in words and the table with that one cell changed, the first rows first.
    """
    wanted = [(place, name) for place, name in enumerate(frame.names) if name.lower() in columns]
    made = 0
    for row in range(frame.rows):
        for place, name in wanted:
            cells = frame.table.column(place).to_pylist()
            for value in _near(cells[row], cells):
                if made >= most:
                    return
                made += 1
                yield (
                    f"{name} of row {row + 1}: {cells[row]} -> {value}",
                    _with_cell(frame, place, row, value),
                )


def _near(cell: Any, cells: list[Any]) -> Iterator[Any]:
    """Give other values for a cell: one a little off, another one of its column, NULL."""
    if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool):
        yield cell + 1
    elif isinstance(cell, str):
        yield f"{cell}x"
    elif isinstance(cell, dt.date):
        yield cell + _DAY
    others = [each for each in dict.fromkeys(cells) if each is not None and each != cell]
    yield from others[:1]
    if cell is not None:
        yield None


def _with_cell(frame: Frame, place: int, row: int, value: Any) -> Frame:
    import pyarrow as pa

    column = frame.table.column(place)
    cells = column.to_pylist()
    cells[row] = value
    try:
        array = pa.array(cells, type=column.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return frame
    return replace(frame, table=_put(frame.table, place, array))

"""Values and rows as short, unambiguous text for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pytest_lockin.frames.columns import take
from pytest_lockin.frames.encoding import decoded, map_side
from pytest_lockin.frames.types import is_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.frames.encoding import Ints

_CELL_WIDTH = 80
_ROW_WIDTH = 240


def show_values(side: pa.ChunkedArray, rows: Ints) -> list[str]:
    """Render the cells of these rows. Strings are quoted so that blanks show; instants are in UTC."""
    array = take(side, rows).combine_chunks()
    return [clip(show_cell(array, i), _CELL_WIDTH) for i in range(len(array))]


def show_cell(array: pa.Array, place: int) -> str:
    """Render one value; without Python's datetime, which lacks the years before 1 and after 9999."""
    array = decoded(array.slice(place, 1))
    kind = array.type
    if not array.is_valid()[0].as_py():
        return "NULL"
    if pa.types.is_struct(kind):
        fields = zip(kind.names, array.flatten(), strict=True)
        return "{" + ", ".join(f"{name}: {show_cell(part, 0)}" for name, part in fields) + "}"
    if pa.types.is_map(kind):
        keys, items = map_side(array, "keys"), map_side(array, "items")
        return "{" + ", ".join(f"{show_cell(keys, i)}: {show_cell(items, i)}" for i in _some(keys)) + "}"
    if is_list(kind):
        items = array.flatten()
        return "[" + ", ".join(show_cell(items, i) for i in _some(items)) + "]"
    return _show_time(array) if pa.types.is_timestamp(kind) else _show_flat(array[0].as_py())


def _some(items: pa.Array) -> range:
    """Give the first places: the text is clipped anyway."""
    return range(min(len(items), _CELL_WIDTH))


def _show_time(array: pa.Array) -> str:
    text = str(array.view(pa.int64()).view(pa.timestamp(array.type.unit)).cast(pa.string())[0].as_py())
    short = text.rstrip("0").rstrip(".") if "." in text else text
    return short + ("Z" if array.type.tz else "")


def _show_flat(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case bytes():
            return f"X'{value.hex().upper()}'"
        case str():
            return repr(value)
        case float():
            return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(value), repr(value))
        case _:
            return str(value)


def show_rows(names: Sequence[str], sides: Sequence[pa.ChunkedArray], rows: Ints) -> list[str]:
    """Render whole rows as `a=1, b='x'`, clipped where they are wide."""
    cells = [show_values(side, rows) for side in sides[:20]]
    lines = [
        ", ".join(f"{n}={c}" for n, c in zip(names, row, strict=False)) for row in zip(*cells, strict=True)
    ]
    return [clip(line, _ROW_WIDTH) for line in lines]


def clip(text: str, width: int) -> str:
    """Shorten text to the width, with the sign that it was."""
    return text if len(text) <= width else text[: width - 3] + "..."

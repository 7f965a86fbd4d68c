"""Values and rows as short, unambiguous text for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pytest_lockin.frames.columns import take
from pytest_lockin.frames.encoding import plain_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.frames.encoding import Ints

_CELL_WIDTH = 80
_ROW_WIDTH = 240


def show_values(side: pa.ChunkedArray, rows: Ints) -> list[str]:
    """Render the cells of these rows. Strings are quoted so that blanks show; instants are in UTC."""
    array = take(side, rows).combine_chunks()
    kind = plain_type(array.type)
    if pa.types.is_timestamp(kind):
        return _show_timestamps(array, kind)
    try:
        values = array.to_pylist()
    except (ValueError, OverflowError, pa.ArrowException):
        # A nested instant beyond the year 9999 has no Python value.
        values = [_Verbatim(str(array[i])) for i in range(len(array))]
    return [clip(show_value(v), _CELL_WIDTH) for v in values]


class _Verbatim(str):
    __slots__ = ()


def _show_timestamps(array: pa.Array, kind: pa.DataType) -> list[str]:
    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    # Through the count, so that years Python lacks can be shown.
    text = array.view(pa.int64()).view(pa.timestamp(kind.unit)).cast(pa.string()).to_pylist()
    return ["NULL" if t is None else _short_time(t) + ("Z" if kind.tz else "") for t in text]


def _short_time(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def show_value(value: Any) -> str:
    """Render one Python value as it came from Arrow."""
    match value:
        case None:
            text = "NULL"
        case _Verbatim():
            text = str(value)
        case bool():
            text = "true" if value else "false"
        case bytes():
            text = f"X'{value.hex().upper()}'"
        case str():
            text = repr(value)
        case float():
            text = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(value), repr(value))
        case dict():
            text = "{" + ", ".join(f"{k}: {show_value(v)}" for k, v in value.items()) + "}"
        case list() | tuple():
            text = "[" + ", ".join(show_value(v) for v in value) + "]"
        case _:
            text = str(value)
    return text


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

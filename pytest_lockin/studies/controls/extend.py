"""What a perturbation needs of a reference, and how one that lacks it is extended from its own data.

A reference without a double cannot show NaN for NULL. Instead of skipping the control, the reference is
extended by a column cast from one of its measures (or by its row numbers, where it has none), or by rows of
plain values, and the record says so. Both sides of the control carry the extension.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pytest_lockin.studies.controls.edit import append_column, append_rows, build_frame
from pytest_lockin.studies.rows import count_rows, read_column, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.studies.controls.edit import SparkType

_EPOCH = dt.datetime(2001, 1, 1, tzinfo=dt.UTC)
_SPAN = 100_000_000
_PLAIN = 8
_WIDE = Context(prec=80)
MAX_DIGITS = 38


@dataclass(frozen=True, slots=True, kw_only=True)
class Extended:
    """A reference with what was added to it, in words; nothing where it had all that was needed."""

    frame: Frame
    added: tuple[str, ...] = ()

    def extend(self, frame: Frame, added: str) -> Extended:
        """Note one more extension."""
        return Extended(frame=frame, added=(*self.added, added))


def find_columns(frame: Frame, fits: Callable[[pa.ChunkedArray[Any]], bool]) -> tuple[int, ...]:
    """Return the positions of the columns that fit."""
    return tuple(i for i, column in enumerate(frame.table.columns) if fits(column))


# -- rows and columns


def need_rows(count: int) -> Callable[[Extended], Extended]:
    """Need this many different rows; a reference with fewer gets rows of plain values appended."""

    def extend(state: Extended) -> Extended:
        frame, added = state.frame, 0
        while len(count_rows(frame)) < count and added < _PLAIN:
            frame = append_rows(frame, _make_row(state.frame, added))
            added += 1
        done = state.extend(frame, f"{added} rows of plain values") if added else state
        # Booleans alone, or types without plain values, give too few different rows.
        return done if len(count_rows(frame)) >= count else _number_rows(done)

    return extend


def _make_row(frame: Frame, number: int) -> Frame:
    columns = [pa.array([make_plain(kind, number)], type=kind) for kind in frame.table.schema.types]
    return build_frame(columns, frame.names, frame.fields, 1)


def _number_rows(state: Extended) -> Extended:
    numbers = pa.array(range(state.frame.rows), pa.int64())
    name = f"row_number_{len(state.frame.names)}"
    return state.extend(append_column(state.frame, name, numbers, "long"), "row numbers")


def make_plain(kind: Any, number: int) -> Any:
    """Give a plain value of a type, another for each small number; NULL for types without one."""
    step = number % _PLAIN + 1
    day = _EPOCH + dt.timedelta(days=number)
    makers: tuple[tuple[Callable[[Any], bool], Callable[[], Any]], ...] = (
        (pa.types.is_decimal, lambda: Decimal(step).scaleb(-kind.scale)),
        (pa.types.is_boolean, lambda: number % 2 == 0),
        (pa.types.is_integer, lambda: step),
        (pa.types.is_floating, lambda: float(step)),
        (is_text, lambda: f"plain {number + 1}"),
        (pa.types.is_date, day.date),
        (pa.types.is_timestamp, lambda: day if kind.tz else day.replace(tzinfo=None)),
    )
    return next((make() for fits, make in makers if fits(kind)), None)


def need_columns(count: int) -> Callable[[Extended], Extended]:
    """Need this many columns; missing ones are row numbers."""

    def extend(state: Extended) -> Extended:
        while len(state.frame.names) < count:
            state = _number_rows(state)
        return state

    return extend


def need_duplicate(state: Extended) -> Extended:
    """Need a row that occurs twice; else the first row is repeated."""
    if any(count > 1 for count in count_rows(state.frame).values()):
        return state
    first = state.frame.table.slice(0, 1)
    copy = build_frame(first.columns, state.frame.names, state.frame.fields, 1)
    return state.extend(append_rows(state.frame, copy), "a copy of the first row")


# -- typed columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Whole numbers taken from a reference's data, and where from."""

    numbers: tuple[int, ...]
    source: str


def read_measure(frame: Frame) -> Measure:
    """Take the first numeric column as whole numbers (a decimal's digits), NULL as 0; else row numbers."""
    for position in find_columns(frame, is_exact_number):
        values = read_column(frame.table.column(position))
        return Measure(
            numbers=tuple(_digits(value) for value in values), source=f"column {frame.names[position]}"
        )
    return Measure(numbers=tuple(range(frame.rows)), source="row numbers")


def _digits(value: int | Decimal | None) -> int:
    """Keep at most fifteen digits, so that every type derived from them can hold them."""
    if value is None:
        return 0
    whole = int(value.scaleb(-int(value.as_tuple().exponent), _WIDE)) if isinstance(value, Decimal) else value
    return whole % 10**15


def need_column(
    fits: Callable[[pa.ChunkedArray[Any]], bool],
    derive: Callable[[tuple[int, ...]], pa.Array[Any]],
    spark_type: SparkType,
    words: str,
) -> Callable[[Extended], Extended]:
    """Need a column that fits; else derive one from the reference's measure."""

    def extend(state: Extended) -> Extended:
        if find_columns(state.frame, fits):
            return state
        measure = read_measure(state.frame)
        name = "derived_" + words.partition(" ")[0]
        frame = append_column(state.frame, name, derive(measure.numbers), spark_type)
        return state.extend(frame, f"{words} from {measure.source}")

    return extend


def is_text(kind: Any) -> bool:
    """Tell a string type."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_exact_number(column: pa.ChunkedArray[Any]) -> bool:
    """Tell a column of integers or decimals."""
    return bool(pa.types.is_integer(column.type) or pa.types.is_decimal(column.type))


def has_value(column: pa.ChunkedArray[Any]) -> bool:
    """Tell a column that is not all NULL."""
    return bool(column.null_count < len(column))


def has_decimal(column: pa.ChunkedArray[Any]) -> bool:
    """Tell a decimal column with a value, and room for one more digit behind the point."""
    kind = column.type
    return bool(pa.types.is_decimal128(kind)) and kind.precision < MAX_DIGITS and has_value(column)


def has_number(column: pa.ChunkedArray[Any]) -> bool:
    """Tell an integer, decimal or floating column with a finite value."""
    number = is_exact_number(column) or pa.types.is_floating(column.type)
    return bool(number) and any(is_finite(value) for value in read_column(column))


def is_finite(value: Any) -> bool:
    """Tell a number that is neither NULL nor NaN nor an infinity."""
    return isinstance(value, int | Decimal) or (isinstance(value, float) and math.isfinite(value))


def has_double_null(column: pa.ChunkedArray[Any]) -> bool:
    """Tell a floating column with a NULL."""
    return bool(pa.types.is_floating(column.type)) and column.null_count > 0


def has_double_zero(column: pa.ChunkedArray[Any]) -> bool:
    """Tell a floating column with a zero."""
    return bool(pa.types.is_floating(column.type)) and 0.0 in read_column(column)


def has_timestamp(column: pa.ChunkedArray[Any]) -> bool:
    """Tell a timestamp column with a value."""
    return bool(pa.types.is_timestamp(column.type)) and has_value(column)


def has_text(column: pa.ChunkedArray[Any]) -> bool:
    """Tell a string column with a value."""
    return is_text(column.type) and has_value(column)


def has_letters(column: pa.ChunkedArray[Any]) -> bool:
    """Tell a string column with a letter that has another case."""
    return is_text(column.type) and any(value and swap_case(value) != value for value in read_column(column))


def swap_case(text: str) -> str:
    """Change the case of the first letter that has another."""
    for place, letter in enumerate(text):
        if letter.swapcase() != letter:
            return text[:place] + letter.swapcase() + text[place + 1 :]
    return text


def has_long_map(column: pa.ChunkedArray[Any]) -> bool:
    """Tell a map column in which some map has two entries or more."""
    return bool(pa.types.is_map(column.type)) and any(
        value and len(value) > 1 for value in read_column(column)
    )


def can_widen(column: pa.ChunkedArray[Any]) -> bool:
    """Tell a column whose type has a wider one: int, float, a decimal of less than 38 digits."""
    kind = column.type
    return bool(
        pa.types.is_int32(kind)
        or pa.types.is_float32(kind)
        or (pa.types.is_decimal128(kind) and kind.precision < MAX_DIGITS)
    )


def derive_double(numbers: tuple[int, ...]) -> pa.Array[Any]:
    """Cast to double."""
    return pa.array([float(number) for number in numbers], pa.float64())


def derive_double_with_null(numbers: tuple[int, ...]) -> pa.Array[Any]:
    """Cast to double, the first value NULL."""
    return pa.array([None, *(float(number) for number in numbers[1:])], pa.float64())


def derive_double_with_zero(numbers: tuple[int, ...]) -> pa.Array[Any]:
    """Cast to double, the first value zero."""
    return pa.array([0.0, *(float(number) for number in numbers[1:])], pa.float64())


def derive_decimal(numbers: tuple[int, ...]) -> pa.Array[Any]:
    """Cast to decimal(17,2)."""
    return pa.array([Decimal(number).scaleb(-2) for number in numbers], pa.decimal128(17, 2))


def derive_timestamp(numbers: tuple[int, ...]) -> pa.Array[Any]:
    """Take as seconds after 2001-01-01."""
    values = [_EPOCH + dt.timedelta(seconds=number % _SPAN) for number in numbers]
    return pa.array(values, pa.timestamp("us", tz="UTC"))


def derive_text(numbers: tuple[int, ...]) -> pa.Array[Any]:
    """Write as text."""
    return pa.array([f"value {number}" for number in numbers], pa.string())


def derive_integer(numbers: tuple[int, ...]) -> pa.Array[Any]:
    """Take as int."""
    return pa.array([number % 10**6 for number in numbers], pa.int32())


def derive_map(numbers: tuple[int, ...]) -> pa.Array[Any]:
    """Map two names to a value and the row's number."""
    entries = [[("measure", number), ("row", row)] for row, number in enumerate(numbers)]
    return pa.array(entries, pa.map_(pa.string(), pa.int64()))


MAP_TYPE: SparkType = {"type": "map", "keyType": "string", "valueType": "long", "valueContainsNull": True}


def need_ties(state: Extended) -> Extended:
    """Need a sort key under which two different rows tie; else a bucket column with such a tie is added."""
    if find_tie_keys(state.frame):
        return state
    place = {row: number for number, row in enumerate(count_rows(state.frame))}
    buckets = pa.array([min(place[row] // 2, 1) for row in read_rows(state.frame)], pa.int64())
    return state.extend(append_column(state.frame, "bucket", buckets, "long"), "a bucket column as sort key")


def find_tie_keys(frame: Frame) -> tuple[int, ...]:
    """Return the columns by which two different rows tie."""
    rows = list(count_rows(frame))
    return tuple(
        position
        for position in find_columns(frame, is_sortable)
        if len({row[position] for row in rows}) < len(rows)
    )


def is_sortable(column: pa.ChunkedArray[Any]) -> bool:
    """Tell a type whose order is beyond doubt: no floats (tolerance), nothing nested."""
    return is_exact_number(column) or is_text(column.type) or bool(pa.types.is_date(column.type))

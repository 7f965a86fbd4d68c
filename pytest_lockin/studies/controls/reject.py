"""Perturbations a comparator must reject: schema, rows, and single values down to the last digit."""

from __future__ import annotations

import datetime as dt
from decimal import Context, Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pytest_lockin.studies.controls.accept import cut_ties, is_legal_cut
from pytest_lockin.studies.controls.edit import (
    rename_column,
    replace_column,
    set_value,
    take_columns,
    take_rows,
)
from pytest_lockin.studies.controls.extend import (
    MAX_DIGITS,
    Extended,
    can_widen,
    derive_decimal,
    derive_double_with_null,
    derive_integer,
    derive_text,
    derive_timestamp,
    find_columns,
    has_decimal,
    has_double_null,
    has_letters,
    has_number,
    has_text,
    has_timestamp,
    has_value,
    is_exact_number,
    is_finite,
    is_text,
    make_plain,
    need_column,
    need_columns,
    need_duplicate,
    need_rows,
    need_ties,
    swap_case,
)
from pytest_lockin.studies.controls.kinds import (
    COUNT_AND_ROWS,
    ROWS,
    SCHEMA,
    SCHEMA_AND_COUNT,
    Answer,
    Aspect,
    Kind,
    Pair,
)
from pytest_lockin.studies.rows import count_rows, read_column, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.studies.controls.edit import SparkType
    from pytest_lockin.studies.rows import Row

_EXACT = Context(prec=80)

# -- schema


def rename_one(frame: Frame, random: Random) -> Pair:
    """Give one column another alias."""
    position = random.randrange(len(frame.names))
    return Pair(expected=frame, found=rename_column(frame, position, frame.names[position] + "_renamed"))


def reorder_columns(frame: Frame, random: Random) -> Pair:
    """Swap two columns of different names, values and all."""
    one, other = _pick_two_names(frame, random)
    positions = list(range(len(frame.names)))
    positions[one], positions[other] = positions[other], positions[one]
    return Pair(expected=frame, found=take_columns(frame, positions))


def duplicate_name(frame: Frame, random: Random) -> Pair:
    """Give one column the name of another."""
    one, other = _pick_two_names(frame, random)
    return Pair(expected=frame, found=rename_column(frame, one, frame.names[other]))


def _pick_two_names(frame: Frame, random: Random) -> tuple[int, int]:
    lowered = [name.lower() for name in frame.names]
    one = random.randrange(len(lowered))
    return one, random.choice([i for i, name in enumerate(lowered) if name != lowered[one]])


def _repeats_name(pair: Pair) -> bool:
    return len(set(pair.found.names)) < len(pair.found.names)


def change_precision(frame: Frame, random: Random) -> Pair:
    """Give a decimal column one more digit behind the point; its values stay equal."""
    position = random.choice(find_columns(frame, has_decimal))
    column = frame.table.column(position)
    precision, scale = column.type.precision + 1, column.type.scale + 1
    cast = column.cast(pa.decimal128(precision, scale))
    found = replace_column(frame, position, cast, f"decimal({precision},{scale})")
    return Pair(expected=frame, found=found)


def widen_type(frame: Frame, random: Random) -> Pair:
    """Give a column the next wider type; its values stay equal."""
    position = random.choice(find_columns(frame, can_widen))
    column = frame.table.column(position)
    kind, name = _find_wider(column.type)
    return Pair(expected=frame, found=replace_column(frame, position, column.cast(kind), name))


def _find_wider(kind: Any) -> tuple[pa.DataType, SparkType]:
    if pa.types.is_int32(kind):
        return pa.int64(), "long"
    if pa.types.is_float32(kind):
        return pa.float64(), "double"
    precision = min(kind.precision + 10, MAX_DIGITS)
    return pa.decimal128(precision, kind.scale), f"decimal({precision},{kind.scale})"


# -- rows


def delete_row(frame: Frame, random: Random) -> Pair:
    """Leave one row out."""
    gone = random.randrange(frame.rows)
    return Pair(expected=frame, found=take_rows(frame, [i for i in range(frame.rows) if i != gone]))


def duplicate_row(frame: Frame, random: Random) -> Pair:
    """Repeat one row."""
    row = random.randrange(frame.rows)
    return Pair(expected=frame, found=take_rows(frame, [*range(frame.rows), row]))


def swap_duplicate(frame: Frame, random: Random) -> Pair:
    """Replace one copy of a row that occurs twice by one more copy of another row: a, a, b to a, b, b."""
    counts = count_rows(frame)
    rows = list(read_rows(frame))
    copy = next(place for place, row in enumerate(rows) if counts[row] > 1)
    other = random.choice([place for place, row in enumerate(rows) if row != rows[copy]])
    return Pair(
        expected=frame, found=take_rows(frame, [other if i == copy else i for i in range(frame.rows)])
    )


def _keeps_distinct_rows(pair: Pair) -> bool:
    return set(count_rows(pair.expected)) == set(count_rows(pair.found))


def remove_rows(frame: Frame, _random: Random) -> Pair:
    """Keep the schema and no row."""
    return Pair(expected=frame, found=take_rows(frame, []))


def cut_ties_illegally(frame: Frame, random: Random) -> Pair:
    """Cut by LIMIT inside a block of ties, and put a row in the block that does not tie there."""
    pair = cut_ties(frame, random)
    last = pair.found.rows - 1
    key = pair.rules.order[0].position
    position = next(i for i in find_columns(frame, _can_alter) if i != key)
    pool = set(count_rows(pair.pool or frame))
    found = pair.found
    kind = found.table.schema.types[position]
    value = found.table.column(position)[last].as_py()
    steps = 1
    # Altering one value may give another row of the block: go on until it does not.
    while _last_row(found) in pool:
        found = set_value(pair.found, last, position, alter_value(value, kind, steps))
        steps += 1
    return Pair(expected=pair.expected, found=found, rules=pair.rules, pool=pair.pool)


def _last_row(frame: Frame) -> Row:
    return list(read_rows(frame))[-1]


def _is_illegal_cut(pair: Pair) -> bool:
    return not is_legal_cut(pair)


# -- values


def _change_value(
    fits: Callable[[pa.ChunkedArray[Any]], bool],
    is_target: Callable[[Any], bool],
    change: Callable[[Any, Any], Any],
) -> Callable[[Frame, Random], Pair]:
    """Make a perturbation that changes one value: in a column that fits, in a row whose value is a target."""

    def perturb(frame: Frame, random: Random) -> Pair:
        position = random.choice(find_columns(frame, fits))
        column = frame.table.column(position)
        values = column.to_pylist()
        row = random.choice([place for place, value in enumerate(values) if is_target(value)])
        return Pair(expected=frame, found=set_value(frame, row, position, change(values[row], column.type)))

    return perturb


def change_number(value: Any, kind: Any) -> Any:
    """Give a clearly other number that fits the type: one less of a positive one, one more of another."""
    if pa.types.is_floating(kind):
        return value * 2 + 1 if value != -1 else 1.0
    if pa.types.is_decimal(kind):
        return _step(value, Decimal(1) if kind.precision > kind.scale else Decimal(1).scaleb(-kind.scale))
    return value - 1 if value > 0 else value + 1


def step_decimal(value: Decimal, kind: Any) -> Decimal:
    """Move a decimal by one unit in its last place."""
    return _step(value, Decimal(1).scaleb(-kind.scale))


def _step(value: Decimal, step: Decimal) -> Decimal:
    """Subtract from a positive number and add to another, so that it always fits; all digits are kept."""
    return _EXACT.subtract(value, step) if value > 0 else _EXACT.add(value, step)


def to_null(_value: Any, _kind: Any) -> None:
    """Give NULL."""


def to_nan(_value: Any, _kind: Any) -> float:
    """Give NaN."""
    return float("nan")


def append_blank(value: str, _kind: Any) -> str:
    """Hang one blank on a text."""
    return value + " "


def change_case(value: str, _kind: Any) -> str:
    """Change the case of one letter."""
    return swap_case(value)


def step_timestamp(frame: Frame, random: Random) -> Pair:
    """Move one instant by one microsecond."""
    position = random.choice(find_columns(frame, has_timestamp))
    column = frame.table.column(position)
    # As whole microseconds: Python's own instants end at the year 9999.
    numbers: list[Any] = column.cast(pa.timestamp("us", tz=column.type.tz)).cast(pa.int64()).to_pylist()
    row = random.choice([place for place, number in enumerate(numbers) if number is not None])
    numbers[row] += 1
    moved = pa.array(numbers, pa.int64()).cast(pa.timestamp("us", tz=column.type.tz))
    return Pair(expected=frame, found=replace_column(frame, position, moved))


def swap_cells(frame: Frame, random: Random) -> Pair:
    """Swap one column's cells between two rows that differ there and elsewhere: columns keep their values."""
    positions = list(range(len(frame.names)))
    random.shuffle(positions)
    return Pair(expected=frame, found=_find_swap(frame, positions) or frame)


def _find_swap(frame: Frame, positions: list[int]) -> Frame | None:
    rows = list(read_rows(frame))
    for position in positions:
        for one, other in _pair_rows(rows, position):
            places = list(range(frame.rows))
            places[one], places[other] = places[other], places[one]
            column = frame.table.column(position).take(pa.array(places, pa.int64()))
            found = replace_column(frame, position, column)
            if count_rows(found) != count_rows(frame):
                return found
    return None


def need_swap(state: Extended) -> Extended:
    """Need two rows that differ in two columns; numbered rows do, if they differ at all."""
    if _find_swap(state.frame, list(range(len(state.frame.names)))) is not None:
        return state
    return need_columns(len(state.frame.names) + 1)(state)


def _pair_rows(rows: list[Row], position: int) -> list[tuple[int, int]]:
    """Return each row with the next, where they differ in this column and in another."""
    return [
        (place, place + 1)
        for place, (one, other) in enumerate(pairwise(rows))
        if one[position] != other[position] and sum(a != b for a, b in zip(one, other, strict=True)) > 1
    ]


def _keeps_columns(pair: Pair) -> bool:
    """Tell whether each column by itself holds the same values as before."""
    sides = zip(pair.expected.table.columns, pair.found.table.columns, strict=True)
    return all(
        sorted(map(repr, read_column(one))) == sorted(map(repr, read_column(other))) for one, other in sides
    )


def alter_value(value: Any, kind: Any, steps: int) -> Any:
    """Give another value of a simple type (see `_can_alter`), another for each number of steps."""
    if value is None:
        return make_plain(kind, steps)
    if is_text(kind):
        return value + "x" * steps
    if pa.types.is_date(kind):
        return value + dt.timedelta(days=steps)
    if pa.types.is_decimal(kind):
        return _step(value, Decimal(steps).scaleb(-kind.scale))
    return value - steps if value > 0 else value + steps


def _can_alter(column: pa.ChunkedArray[Any]) -> bool:
    kind = column.type
    return bool(is_exact_number(column) or pa.types.is_date32(kind) or is_text(kind))


def _need_two_exact(state: Extended) -> Extended:
    """Need an exact column beside the sort key."""
    return (
        state
        if len(find_columns(state.frame, _can_alter)) > 1
        else need_columns(len(state.frame.names) + 1)(state)
    )


def _need_typed(
    fits: Callable[[pa.ChunkedArray[Any]], bool],
    derive: Callable[[tuple[int, ...]], pa.Array[Any]],
    spark_type: str,
    words: str,
) -> tuple[Callable[[Extended], Extended], ...]:
    return need_rows(1), need_column(fits, derive, spark_type, words)


def _is_null(value: Any) -> bool:
    return value is None


def _is_known(value: Any) -> bool:
    return value is not None


def _has_case(value: Any) -> bool:
    return value is not None and swap_case(value) != value


_NEED_DECIMAL = _need_typed(has_decimal, derive_decimal, "decimal(17,2)", "decimal column")
_NEED_TEXT = _need_typed(has_text, derive_text, "string", "text column")

REJECT_KINDS = (
    Kind(
        name="column_alias",
        title="Column alias change",
        answer=Answer.REJECT,
        perturb=rename_one,
        needs=(need_columns(1),),
        changes=frozenset({Aspect.NAMES}),
        keeps=frozenset(Aspect) - {Aspect.NAMES},
    ),
    Kind(
        name="column_order",
        title="Column-order change",
        answer=Answer.REJECT,
        perturb=reorder_columns,
        needs=(need_columns(2),),
        changes=frozenset({Aspect.NAMES}),
        keeps=frozenset({Aspect.COUNT}),
    ),
    Kind(
        name="row_deletion",
        title="Row deletion",
        answer=Answer.REJECT,
        perturb=delete_row,
        needs=(need_rows(1),),
        changes=COUNT_AND_ROWS,
        keeps=SCHEMA,
    ),
    Kind(
        name="row_duplication",
        title="Row duplication",
        answer=Answer.REJECT,
        perturb=duplicate_row,
        needs=(need_rows(1),),
        changes=COUNT_AND_ROWS,
        keeps=SCHEMA,
    ),
    Kind(
        name="decimal_precision",
        title="Decimal-precision change",
        answer=Answer.REJECT,
        perturb=change_precision,
        needs=_NEED_DECIMAL,
        changes=frozenset({Aspect.TYPES}),
        keeps=frozenset(Aspect) - {Aspect.TYPES},
    ),
    Kind(
        name="numeric_value",
        title="Numeric-value change",
        answer=Answer.REJECT,
        perturb=_change_value(has_number, is_finite, change_number),
        needs=_need_typed(has_number, derive_integer, "integer", "integer column"),
        changes=ROWS,
        keeps=SCHEMA_AND_COUNT,
    ),
    Kind(
        name="null_insertion",
        title="Null insertion",
        answer=Answer.REJECT,
        perturb=_change_value(has_value, _is_known, to_null),
        needs=_need_typed(has_value, derive_integer, "integer", "integer column"),
        changes=ROWS,
        keeps=SCHEMA_AND_COUNT,
    ),
    Kind(
        name="nan_for_null",
        title="NaN for NULL",
        answer=Answer.REJECT,
        perturb=_change_value(has_double_null, _is_null, to_nan),
        needs=_need_typed(has_double_null, derive_double_with_null, "double", "double with a NULL"),
        changes=ROWS,
        keeps=SCHEMA_AND_COUNT,
    ),
    Kind(
        name="duplicate_swap",
        title="Duplicate swapped for another",
        answer=Answer.REJECT,
        perturb=swap_duplicate,
        needs=(need_rows(2), need_duplicate),
        changes=ROWS,
        keeps=SCHEMA_AND_COUNT,
        proof=_keeps_distinct_rows,
    ),
    Kind(
        name="microsecond",
        title="One microsecond",
        answer=Answer.REJECT,
        perturb=step_timestamp,
        needs=_need_typed(has_timestamp, derive_timestamp, "timestamp", "timestamp column"),
        changes=ROWS,
        keeps=SCHEMA_AND_COUNT,
    ),
    Kind(
        name="last_decimal_unit",
        title="One unit in the last decimal place",
        answer=Answer.REJECT,
        perturb=_change_value(has_decimal, _is_known, step_decimal),
        needs=_NEED_DECIMAL,
        changes=ROWS,
        keeps=SCHEMA_AND_COUNT,
    ),
    Kind(
        name="trailing_blank",
        title="Trailing blank",
        answer=Answer.REJECT,
        perturb=_change_value(has_text, _is_known, append_blank),
        needs=_NEED_TEXT,
        changes=ROWS,
        keeps=SCHEMA_AND_COUNT,
    ),
    Kind(
        name="letter_case",
        title="Case of one letter",
        answer=Answer.REJECT,
        perturb=_change_value(has_letters, _has_case, change_case),
        needs=_need_typed(has_letters, derive_text, "string", "text column"),
        changes=ROWS,
        keeps=SCHEMA_AND_COUNT,
    ),
    Kind(
        name="cells_swapped",
        title="Cells swapped between two rows",
        answer=Answer.REJECT,
        perturb=swap_cells,
        needs=(need_rows(2), need_columns(2), need_swap),
        changes=ROWS,
        keeps=SCHEMA_AND_COUNT,
        proof=_keeps_columns,
    ),
    Kind(
        name="type_widened",
        title="Column type widened",
        answer=Answer.REJECT,
        perturb=widen_type,
        needs=_need_typed(can_widen, derive_integer, "integer", "integer column"),
        changes=frozenset({Aspect.TYPES}),
        keeps=frozenset(Aspect) - {Aspect.TYPES},
    ),
    Kind(
        name="duplicate_names",
        title="Duplicate column names",
        answer=Answer.REJECT,
        perturb=duplicate_name,
        needs=(need_columns(2),),
        changes=frozenset({Aspect.NAMES}),
        keeps=frozenset(Aspect) - {Aspect.NAMES},
        proof=_repeats_name,
    ),
    Kind(
        name="empty_result",
        title="Empty result",
        answer=Answer.REJECT,
        perturb=remove_rows,
        needs=(need_rows(1),),
        changes=COUNT_AND_ROWS,
        keeps=SCHEMA,
    ),
    Kind(
        name="limit_illegal",
        title="LIMIT cut at a tie, row that is not tied",
        answer=Answer.REJECT,
        perturb=cut_ties_illegally,
        needs=(need_rows(3), need_ties, _need_two_exact),
        changes=ROWS,
        keeps=SCHEMA_AND_COUNT,
        proof=_is_illegal_cut,
    ),
)

"""Perturbations a comparator must accept: another copy, order, chunking, flag, tie, sign of zero."""

from __future__ import annotations

import io
import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from pytest_lockin.frames.frame import Frame
from pytest_lockin.model.rules import Rules, SortKey
from pytest_lockin.studies.controls.edit import replace_column, set_fields, set_value, take_rows
from pytest_lockin.studies.controls.extend import (
    MAP_TYPE,
    derive_double_with_zero,
    derive_map,
    find_columns,
    find_tie_keys,
    has_double_zero,
    has_long_map,
    need_column,
    need_columns,
    need_rows,
    need_ties,
)
from pytest_lockin.studies.controls.kinds import (
    ALL_ASPECTS,
    ROWS,
    SCHEMA_AND_COUNT,
    Answer,
    Kind,
    Pair,
    is_legally_ordered,
)
from pytest_lockin.studies.rows import Row, count_rows, read_column, read_rows

if TYPE_CHECKING:
    from random import Random


def reload_frame(frame: Frame, _random: Random) -> Pair:
    """Write to Parquet and read back: nothing about the rows may change."""
    buffer = io.BytesIO()
    pq.write_table(frame.table, buffer)
    buffer.seek(0)
    table = pq.ParquetFile(buffer).read()
    return Pair(expected=frame, found=Frame(table=table, rows=frame.rows, schema_json=frame.schema_json))


def _is_reloaded(pair: Pair) -> bool:
    """Another table object that holds the very values, read from bytes."""
    return pair.found.table is not pair.expected.table and pair.found.rows == pair.expected.rows


def permute_rows(frame: Frame, random: Random) -> Pair:
    """Put the rows in another order."""
    return Pair(expected=frame, found=take_rows(frame, _shuffle_rows(frame, random)))


def _shuffle_rows(frame: Frame, random: Random) -> list[int]:
    """Shuffle until the order of the values is another; rotate where chance will not have it."""
    rows = list(read_rows(frame))
    places = list(range(frame.rows))
    for _ in range(20):
        random.shuffle(places)
        if [rows[place] for place in places] != rows:
            return places
    places = list(range(frame.rows))
    turns = (places[turn:] + places[:turn] for turn in places)
    return next((turn for turn in turns if [rows[place] for place in turn] != rows), places)


def _is_reordered(pair: Pair) -> bool:
    return list(read_rows(pair.expected)) != list(read_rows(pair.found))


def rechunk_rows(frame: Frame, random: Random) -> Pair:
    """Cut the rows into other chunks, as another number of partitions does, and deal the chunks out anew."""
    table = frame.table.combine_chunks()
    cuts = sorted({0, frame.rows, *(random.randrange(frame.rows) for _ in range(3)), frame.rows // 2})
    pieces = [table.slice(start, end - start) for start, end in pairwise(cuts)]
    random.shuffle(pieces)
    found = pa.concat_tables([*pieces, table.slice(0, 0)])
    return Pair(expected=frame, found=Frame(table=found, rows=frame.rows, schema_json=frame.schema_json))


def _is_rechunked(pair: Pair) -> bool:
    return _measure_chunks(pair.expected) != _measure_chunks(pair.found)


def _measure_chunks(frame: Frame) -> list[list[int]]:
    return [[len(chunk) for chunk in column.chunks] for column in frame.table.columns]


def flip_nullability(frame: Frame, _random: Random) -> Pair:
    """Turn every nullability flag round that the values allow."""
    fields = [field | {"nullable": not field.get("nullable", True)} for field in frame.fields]
    schema = pa.schema(
        [_flip(field, column) for field, column in zip(frame.table.schema, frame.table.columns, strict=True)]
    )
    return Pair(expected=frame, found=set_fields(frame, fields, schema))


def _flip(field: pa.Field[Any], column: pa.ChunkedArray[Any]) -> pa.Field[Any]:
    return field.with_nullable(not field.nullable or column.null_count > 0)


def _is_flag_flipped(pair: Pair) -> bool:
    flags = [
        [field.nullable for field in pair_side.table.schema] for pair_side in (pair.expected, pair.found)
    ]
    spark = [[field["nullable"] for field in pair_side.fields] for pair_side in (pair.expected, pair.found)]
    return flags[0] != flags[1] or spark[0] != spark[1]


def add_metadata(frame: Frame, _random: Random) -> Pair:
    """Give every column a comment."""
    comment: dict[str | bytes, str | bytes] = {"comment": "set by a control"}
    fields = [field | {"metadata": comment} for field in frame.fields]
    schema = pa.schema([field.with_metadata(comment) for field in frame.table.schema])
    return Pair(expected=frame, found=set_fields(frame, fields, schema))


def _has_new_metadata(pair: Pair) -> bool:
    return not pair.expected.table.schema.equals(pair.found.table.schema, check_metadata=True)


def swap_ties(frame: Frame, random: Random) -> Pair:
    """Order by a key under which rows tie, and put tied rows in another order: both are legal."""
    expected, key = _sort_by_tie_key(frame, random)
    start, end = _find_blocks(expected, key)[0]
    block = list(range(start, end))
    rows = list(read_rows(expected))
    other = next(place for place in block if rows[place] != rows[start])
    places = list(range(expected.rows))
    places[start], places[other] = places[other], places[start]
    rules = Rules(order=(SortKey(position=key),))
    return Pair(expected=expected, found=take_rows(expected, places), rules=rules)


def cut_ties(frame: Frame, random: Random) -> Pair:
    """Cut by LIMIT inside a block of ties, and keep another row of the block: a legal choice."""
    expected, key = _sort_by_tie_key(frame, random)
    start, end = _find_blocks(expected, key)[-1]
    rows = list(read_rows(expected))
    other = next(place for place in range(start, end) if rows[place] != rows[start])
    return Pair(
        expected=take_rows(expected, range(start + 1)),
        found=take_rows(expected, [*range(start), other]),
        rules=Rules(order=(SortKey(position=key),)),
        pool=take_rows(expected, range(start, end)),
    )


def is_legal_cut(pair: Pair) -> bool:
    """Tell whether both sides are LIMIT's choices from the pool behind the same rows."""
    if pair.pool is None:
        return False
    (key,) = pair.rules.order
    pool = count_rows(pair.pool)
    tied = next(iter(pool))[key.position]
    sides = [count_rows(side) for side in (pair.expected, pair.found)]
    before = [_drop_tied(side, key.position, tied) for side in sides]
    chosen = [side - rest for side, rest in zip(sides, before, strict=True)]
    same_size = chosen[0].total() == chosen[1].total()
    return before[0] == before[1] and same_size and all(choice <= pool for choice in chosen)


def _drop_tied(rows: Counter[Row], position: int, tied: Any) -> Counter[Row]:
    return Counter({row: count for row, count in rows.items() if row[position] != tied})


def _sort_by_tie_key(frame: Frame, random: Random) -> tuple[Frame, int]:
    key = random.choice(find_tie_keys(frame))
    values = read_column(frame.table.column(key))
    # By code point, as Spark orders text; NULL first, as its ascending order has it.
    order = sorted(range(frame.rows), key=lambda row: (values[row] is not None, values[row]))
    return take_rows(frame, order), key


def _find_blocks(frame: Frame, key: int) -> list[tuple[int, int]]:
    """Return the blocks of equal keys that hold two different rows, in order."""
    values = read_column(frame.table.column(key))
    rows = list(read_rows(frame))
    starts = [i for i in range(len(values)) if i == 0 or values[i] != values[i - 1]]
    blocks = zip(starts, [*starts[1:], len(values)], strict=True)
    return [(start, end) for start, end in blocks if len(set(rows[start:end])) > 1]


def reverse_map_entries(frame: Frame, random: Random) -> Pair:
    """Write the entries of every map in the opposite order."""
    position = random.choice(find_columns(frame, has_long_map))
    column = frame.table.column(position)
    entries = [None if one is None else list(reversed(one)) for one in column.to_pylist()]
    return Pair(expected=frame, found=replace_column(frame, position, pa.array(entries, type=column.type)))


def _is_map_order_new(pair: Pair) -> bool:
    sides = zip(pair.expected.table.columns, pair.found.table.columns, strict=True)
    return any(one.to_pylist() != other.to_pylist() for one, other in sides if pa.types.is_map(one.type))


def negate_zero(frame: Frame, random: Random) -> Pair:
    """Give one zero the other sign."""
    position = random.choice(find_columns(frame, has_double_zero))
    values: list[Any] = frame.table.column(position).to_pylist()
    row = next(place for place, value in enumerate(values) if value == 0)
    return Pair(expected=frame, found=set_value(frame, row, position, -values[row]))


def _is_zero_negated(pair: Pair) -> bool:
    return _read_signs(pair.expected) != _read_signs(pair.found)


def _read_signs(frame: Frame) -> list[list[float]]:
    floating = [column for column in frame.table.columns if pa.types.is_floating(column.type)]
    return [
        [math.copysign(1, value) for value in column.to_pylist() if value is not None] for column in floating
    ]


ACCEPT_KINDS = (
    Kind(
        name="reload",
        title="Unchanged reference",
        answer=Answer.ACCEPT,
        perturb=reload_frame,
        keeps=ALL_ASPECTS,
        proof=_is_reloaded,
    ),
    Kind(
        name="row_permutation",
        title="Row permutation",
        answer=Answer.ACCEPT,
        perturb=permute_rows,
        needs=(need_rows(2),),
        keeps=ALL_ASPECTS,
        proof=_is_reordered,
    ),
    Kind(
        name="rechunk",
        title="Repartition",
        answer=Answer.ACCEPT,
        perturb=rechunk_rows,
        needs=(need_rows(2),),
        keeps=ALL_ASPECTS,
        proof=_is_rechunked,
    ),
    Kind(
        name="nullability",
        title="Nullability flag",
        answer=Answer.ACCEPT,
        perturb=flip_nullability,
        needs=(need_columns(1),),
        keeps=ALL_ASPECTS,
        proof=_is_flag_flipped,
    ),
    Kind(
        name="metadata",
        title="Column metadata",
        answer=Answer.ACCEPT,
        perturb=add_metadata,
        needs=(need_columns(1),),
        keeps=ALL_ASPECTS,
        proof=_has_new_metadata,
    ),
    Kind(
        name="tie_order",
        title="Legal order of ties",
        answer=Answer.ACCEPT,
        perturb=swap_ties,
        needs=(need_rows(3), need_ties),
        keeps=ALL_ASPECTS,
        proof=_is_reordered,
        is_right=is_legally_ordered,
    ),
    Kind(
        name="limit_tie",
        title="LIMIT cut at a tie, legal choice",
        answer=Answer.ACCEPT,
        perturb=cut_ties,
        needs=(need_rows(3), need_ties),
        changes=ROWS,
        keeps=SCHEMA_AND_COUNT,
        proof=is_legal_cut,
        is_right=is_legally_ordered,
    ),
    Kind(
        name="map_order",
        title="Map entry order",
        answer=Answer.ACCEPT,
        perturb=reverse_map_entries,
        needs=(need_rows(1), need_column(has_long_map, derive_map, MAP_TYPE, "map of two entries")),
        keeps=ALL_ASPECTS,
        proof=_is_map_order_new,
    ),
    Kind(
        name="negative_zero",
        title="-0.0 for 0.0",
        answer=Answer.ACCEPT,
        perturb=negate_zero,
        needs=(
            need_rows(1),
            need_column(has_double_zero, derive_double_with_zero, "double", "double with a zero"),
        ),
        keeps=ALL_ASPECTS,
        proof=_is_zero_negated,
    ),
)

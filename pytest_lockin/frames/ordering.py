"""Row order by sort keys, in blocks of equal keys; and LIMITs that cut such a block."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pytest_lockin.errors import FrameError
from pytest_lockin.frames.columns import Column, digest, exact_keys, join_columns, take_rows
from pytest_lockin.frames.encoding import float_values, identify
from pytest_lockin.frames.rows import subtract_rows
from pytest_lockin.frames.showing import show_rows
from pytest_lockin.frames.types import is_nested
from pytest_lockin.model.agreement import OrderDiffers
from pytest_lockin.model.rules import DEFAULT_RULES, Rules, SortKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_lockin.frames.encoding import Ints
    from pytest_lockin.frames.frame import Frame


def check_order(
    expected: Frame,
    found: Frame,
    keys: Sequence[SortKey],
    rules: Rules = DEFAULT_RULES,
) -> OrderDiffers | None:
    """Tell whether the found rows keep the expected order by these keys; rows of equal keys may swap.

    Where both tables have the same keys, the found sequence of keys must be the expected one: no
    collation and no place of NULLs is assumed. Where they do not (the rows themselves differ), the found
    rows must be sorted among themselves.
    """
    _check_positions(expected, keys)
    pairs = tuple((k.position, k.position) for k in keys)
    columns, _ = join_columns(expected, found, pairs, rules)
    return find_disorder(columns, keys)


def _check_positions(frame: Frame, keys: Sequence[SortKey]) -> None:
    wrong = [k.position for k in keys if not 0 <= k.position < len(frame.names)]
    if wrong:
        raise FrameError(
            expected=f"sort keys that are columns 0 to {len(frame.names) - 1}",
            found=f"position {wrong[0]}",
            hint="count output columns from 0; a key that is not in the output cannot be checked",
        )


def find_disorder(columns: Sequence[Column], keys: Sequence[SortKey]) -> OrderDiffers | None:
    """Do the same on joined columns; a key whose column is not among them ends the check there."""
    by_place = {c.position: c for c in columns}
    usable = []
    for key in keys:
        if key.position not in by_place:
            break
        usable.append((key, by_place[key.position]))
    if not usable:
        return None
    sorting = tuple(column for _, column in usable)
    rows = len(sorting[0].left), len(sorting[0].right)
    place = _first_difference(sorting) if rows[0] == rows[1] else None
    if place is None and rows[0] == rows[1]:
        return None
    if rows[0] != rows[1] or subtract_rows(sorting, *rows):
        place = _first_descent([key for key, _ in usable], sorting)
        if place is None:
            return None
    return _describe(sorting, place or 0)


def _first_difference(sorting: tuple[Column, ...]) -> int | None:
    length = len(sorting[0].left)
    rows = np.arange(length)
    same = np.ones(length, bool)
    for column in sorting:
        same &= digest(column).agree(rows, rows + length)
    return None if same.all() else int(np.argmin(same))


def _first_descent(keys: Sequence[SortKey], sorting: tuple[Column, ...]) -> int | None:
    """Give the first found row that belongs before its predecessor."""
    length = len(sorting[0].right)
    open_pairs = np.ones(max(length - 1, 0), bool)
    wrong = np.zeros(max(length - 1, 0), bool)
    for key, column in zip(keys, sorting, strict=True):
        ranks = rank_values(column, key)[len(column.left) :]
        rows = np.arange(length - 1) + len(column.left)
        step = np.where(digest(column).agree(rows, rows + 1), 0, np.diff(ranks)) if length else np.diff(ranks)
        wrong |= open_pairs & (step < 0)
        open_pairs &= step == 0
    return int(np.argmax(wrong)) + 1 if wrong.any() else None


def rank_values(column: Column, key: SortKey) -> Ints:
    """Give each row (expected ones first) the place of its value in the order of the key.

    Strings go by bytes, NaN is the largest number, as in Spark. Nested values have no order here: all tie.
    """
    total = len(column.left) + len(column.right)
    if is_nested(column.common) or pa.types.is_null(column.common):
        return np.zeros(total, np.int64)
    one, other = exact_keys(column)
    array = pa.chunked_array([*one.chunks, *other.chunks]).combine_chunks()
    ranks = _float_ranks(array) if pa.types.is_floating(column.common) else _flat_ranks(array)
    ranks = -ranks if key.descending else ranks
    if array.null_count:
        missing = array.is_null().to_numpy(zero_copy_only=False)
        ranks[missing] = ranks.min(initial=0) - 1 if key.nulls_first else ranks.max(initial=0) + 1
    return ranks


def _flat_ranks(array: pa.Array) -> Ints:
    values = array.unique()
    order = pc.sort_indices(values)
    places = np.empty(len(values), np.int64)
    places[order.to_numpy()] = np.arange(len(values))
    return places[identify(array)]


def _float_ranks(bits: pa.Array) -> Ints:
    values = float_values(bits)
    # NULLs read as NaN and get their place later; NaN sorts last here as in Spark.
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)


def _describe(sorting: tuple[Column, ...], place: int) -> OrderDiffers:
    names = tuple(c.name for c in sorting)
    row = np.array([place])
    expected = (
        show_rows(names, [c.left for c in sorting], row)[0] if place < len(sorting[0].left) else "no such row"
    )
    return OrderDiffers(
        at_row=place,
        keys=names,
        expected=expected,
        found=show_rows(names, [c.right for c in sorting], row)[0],
    )


def limit_cuts_tie(unlimited: Frame, keys: Sequence[SortKey], limit: int) -> bool:
    """Tell whether a LIMIT cuts rows of equal sort keys apart, given the result without it.

    With no keys every choice of rows is as good as another: any real cut cuts a tie.
    """
    _check_positions(unlimited, keys)
    if not 0 < limit < unlimited.rows:
        return False
    if not keys:
        return True
    columns, _ = join_columns(unlimited, unlimited, tuple((k.position, k.position) for k in keys), Rules())
    ranks = [rank_values(c, k)[: unlimited.rows] for c, k in zip(columns, keys, strict=True)]
    order = np.lexsort(ranks[::-1])
    before, after = order[limit - 1], order[limit]
    rows = np.array([before]), np.array([after])
    return all(bool(digest(c).agree(*rows)[0]) for c in columns)


def is_legal_choice(
    expected: Frame, found: Frame, pool: Frame, columns: Sequence[Column], rules: Rules
) -> bool:
    """Tell whether the found rows are another legal answer to the same ORDER BY and LIMIT.

    The cut block are the rows with the sort keys of the last expected row. Rows before it must match
    exactly; rows in it must come from the pool (the result without LIMIT, or the rows of that block).
    `columns` join expected and found; the pool must have the expected table's columns in its order.
    """
    if len(pool.names) != len(expected.names):
        raise FrameError(
            expected=f"a pool with the {len(expected.names)} columns of the expected table",
            found=f"{len(pool.names)} columns",
            hint="take the pool from the same statement without its LIMIT",
        )
    if expected.rows != found.rows or not expected.rows:
        return False
    block_left, block_right = _cut_block(columns, rules.order)
    outside = take_rows(columns, np.flatnonzero(~block_left), np.flatnonzero(~block_right))
    if subtract_rows(outside, int((~block_left).sum()), int((~block_right).sum())):
        return False
    pooled = _pool_columns(pool, columns)
    inside = take_rows(
        pooled, np.flatnonzero(_pool_block(pooled, columns, rules.order)), np.flatnonzero(block_right)
    )
    residue = subtract_rows(inside, len(inside[0].left), len(inside[0].right))
    return not len(residue.right)


def _pool_columns(pool: Frame, columns: Sequence[Column]) -> tuple[Column, ...]:
    return tuple(replace(c, left=pool.table.column(c.position)) for c in columns)


def _cut_block(
    columns: Sequence[Column], keys: Sequence[SortKey]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Mark the rows of both sides that have the last expected row's sort keys."""
    rows_left, rows_right = len(columns[0].left), len(columns[0].right)
    total = rows_left + rows_right
    block = np.ones(total, bool)
    last = _last_row(columns, keys)
    for column in _key_columns(columns, keys):
        block &= digest(column).agree(np.full(total, last), np.arange(total))
    return block[:rows_left], block[rows_left:]


def _key_columns(columns: Sequence[Column], keys: Sequence[SortKey]) -> list[Column]:
    by_place = {c.position: c for c in columns}
    return [by_place[k.position] for k in keys if k.position in by_place]


def _last_row(columns: Sequence[Column], keys: Sequence[SortKey]) -> int:
    sorting = _key_columns(columns, keys)
    rows = len(columns[0].left)
    if not sorting:
        return rows - 1
    ranks = [rank_values(c, k)[:rows] for c, k in zip(sorting, keys, strict=False)]
    return int(np.lexsort(ranks[::-1])[-1])


def _pool_block(
    pooled: Sequence[Column], columns: Sequence[Column], keys: Sequence[SortKey]
) -> NDArray[np.bool_]:
    rows = len(pooled[0].left)
    block = np.ones(rows, bool)
    last = np.array([_last_row(columns, keys)])
    for with_pool, original in zip(_key_columns(pooled, keys), _key_columns(columns, keys), strict=True):
        edge = replace(with_pool, right=original.left.take(pa.array(last)))
        block &= digest(edge).agree(np.arange(rows), np.full(rows, rows))
    return block

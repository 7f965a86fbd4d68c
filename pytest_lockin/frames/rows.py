"""The multiset difference of two tables' rows.

Three passes, each on what the one before left: rows equal at the same place cancel (cheap where both
sides are in the same order), then equal rows anywhere (one hash grouping over both sides with signed
counts), then rows whose floats agree within the tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pytest_lockin.frames import columns as cols
from pytest_lockin.frames.columns import Column, digest, equal_rows, exact_keys, is_identical, take_rows
from pytest_lockin.frames.encoding import mark
from pytest_lockin.frames.matching import group_by_closeness, match_within_tolerance
from pytest_lockin.frames.words import pair_by_hash, spell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.frames.encoding import Ints
    from pytest_lockin.frames.words import Word

    Keys = list[tuple[pa.ChunkedArray, pa.ChunkedArray]]

_SAME_ORDER_SHARE = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Residue:
    """Rows only one side has, as row numbers; a row stands here once for each surplus copy.

    Of equal rows any one number may stand for all. `complete` is False when floats were too entangled
    for the search's bound, so that a larger matching may exist.
    """

    left: Ints
    right: Ints
    complete: bool = True

    def __bool__(self) -> bool:
        """Tell whether any row is left over."""
        return bool(len(self.left) or len(self.right))


def subtract_rows(columns: Sequence[Column], rows_left: int, rows_right: int) -> Residue:
    """Give the rows that have no partner on the other side, by a largest one-to-one matching."""
    if not columns:
        extra = max(rows_right - rows_left, 0)
        short = max(rows_left - rows_right, 0)
        return Residue(left=np.arange(short), right=np.arange(extra))
    if rows_left == rows_right and all(is_identical(c) for c in columns):
        return Residue(left=np.arange(0), right=np.arange(0))
    keys = [exact_keys(c) for c in columns]
    exact = _subtract_exact(keys, rows_left, rows_right)
    if not any(c.tolerance for c in columns) or not (len(exact.left) and len(exact.right)):
        return exact
    return _subtract_close(columns, keys, exact)


def _subtract_exact(keys: Keys, rows_left: int, rows_right: int) -> Residue:
    kept = _differing_places(keys, rows_left, rows_right)
    if kept is None:
        return _subtract_words(spell(keys), rows_left, rows_right)
    left, right = kept
    if not len(left) and not len(right):
        return Residue(left=left, right=right)
    some = [(cols.take(one, left), cols.take(other, right)) for one, other in keys]
    residue = _subtract_words(spell(some), len(left), len(right))
    return Residue(left=left[residue.left], right=right[residue.right])


def _differing_places(keys: Keys, rows_left: int, rows_right: int) -> tuple[Ints, Ints] | None:
    """Give the rows that differ from the row at the same place; None where the order is plainly another."""
    length = min(rows_left, rows_right)
    same = np.ones(length, bool)
    for one, other in keys:
        same &= equal_rows(one[:length], other[:length])
        if np.count_nonzero(same) < _SAME_ORDER_SHARE * length:
            return None
    places = np.flatnonzero(~same)
    return (
        np.concatenate([places, np.arange(length, rows_left)]),
        np.concatenate([places, np.arange(length, rows_right)]),
    )


def _subtract_words(words: list[Word], rows_left: int, rows_right: int) -> Residue:
    """Take equal rows out, wherever they stand."""
    mine, yours = pair_by_hash(words, rows_left, rows_right)
    left, right = np.ones(rows_left, bool), np.ones(rows_right, bool)
    left[mine] = False
    right[yours] = False
    rest_left, rest_right = np.flatnonzero(left), np.flatnonzero(right)
    if not (len(rest_left) and len(rest_right)):
        return Residue(left=rest_left, right=rest_right)
    some = [(one[rest_left], other[rest_right]) for one, other in words]
    residue = _subtract_grouped(some, len(rest_left), len(rest_right))
    return Residue(left=rest_left[residue.left], right=rest_right[residue.right])


def _subtract_grouped(words: list[Word], rows_left: int, rows_right: int) -> Residue:
    """Group the rows of both sides by all words and sum +1 for left, -1 for right."""
    stacked = {str(i): pa.array(np.concatenate(word)) for i, word in enumerate(words)}
    total = rows_left + rows_right
    sign = np.ones(total, np.int8)
    sign[rows_left:] = -1
    table = pa.table({**stacked, "sign": pa.array(sign), "row": pa.array(np.arange(total))})
    # Threads cost more than they give here: each would build the same large hash table.
    grouped = table.group_by(list(stacked), use_threads=False).aggregate(
        [("sign", "sum"), ("row", "min"), ("row", "max")]
    )
    grouped = grouped.select(["sign_sum", "row_min", "row_max"])
    grouped = grouped.filter(pc.not_equal(grouped["sign_sum"], 0))
    surplus = grouped["sign_sum"].to_numpy()
    first, last = grouped["row_min"].to_numpy(), grouped["row_max"].to_numpy()
    more, less = surplus > 0, surplus < 0
    return Residue(
        left=np.sort(np.repeat(first[more], surplus[more])),
        right=np.sort(np.repeat(last[less] - rows_left, -surplus[less])),
    )


def _subtract_close(columns: Sequence[Column], keys: Keys, exact: Residue) -> Residue:
    """Match what is left within the tolerance; where that is not enough, match whole groups anew.

    Taking equal rows out first is right only if the rest matches: of 1, 1 + t and 1 - t, 1 with a reach
    of t the two ones must not be spent on each other.
    """
    cut = len(exact.left)
    some = take_rows(columns, exact.left, exact.right)
    matching = match_within_tolerance([digest(c) for c in some], cut)
    rest = _unmatched(exact.left, exact.right, matching.partner, complete=matching.complete)
    if not (len(rest.left) and len(rest.right)):
        return rest
    return _rematch(columns, keys, rest)


def _unmatched(left: Ints, right: Ints, partner: Ints, *, complete: bool) -> Residue:
    used = np.zeros(len(right), bool)
    used[partner[partner >= 0]] = True
    return Residue(left=left[partner < 0], right=right[~used], complete=complete)


def _rematch(columns: Sequence[Column], keys: Keys, rest: Residue) -> Residue:
    """Match again all rows of those groups in which rows of both sides are left over."""
    left, right = _rows_like(columns, keys, rest)
    some = take_rows(columns, left, right)
    digests = [digest(c) for c in some]
    groups = group_by_closeness(digests, np.arange(len(left) + len(right)) >= len(left))
    size = int(groups.max(initial=-1)) + 1
    place_left, place_right = _places(left, len(keys[0][0])), _places(right, len(keys[0][1]))
    mine = groups[place_left[rest.left]]
    yours = groups[len(left) + place_right[rest.right]]
    is_open = mark(mine, size) & mark(yours, size)
    if not is_open.any():
        return rest
    chosen = np.flatnonzero(is_open[groups])
    cut = int(np.searchsorted(chosen, len(left)))
    matching = match_within_tolerance([d.pick(chosen) for d in digests], cut)
    chosen_left, chosen_right = left[chosen[:cut]], right[chosen[cut:] - len(left)]
    solved = _unmatched(chosen_left, chosen_right, matching.partner, complete=matching.complete)
    return Residue(
        left=np.sort(np.concatenate([rest.left[~is_open[mine]], solved.left])),
        right=np.sort(np.concatenate([rest.right[~is_open[yours]], solved.right])),
        complete=solved.complete,
    )


def _places(rows: Ints, length: int) -> Ints:
    """Tell for each row of the table its place among the chosen rows."""
    places = np.full(length, -1, np.int64)
    places[rows] = np.arange(len(rows))
    return places


def _rows_like(columns: Sequence[Column], keys: Keys, rest: Residue) -> tuple[Ints, Ints]:
    """Give, sorted, all rows that equal some of the leftover rows in every exact column, those included."""
    left = right = None
    exact = [key for column, key in zip(columns, keys, strict=True) if column.tolerance is None]
    # Numbers first: they are quicker to look up, and leave fewer strings to look at.
    for one, other in sorted(exact, key=lambda key: pa.types.is_large_string(key[0].type)):
        if pa.types.is_null(one.type):
            continue
        values = pa.concat_arrays(
            [cols.take(one, rest.left).combine_chunks(), cols.take(other, rest.right).combine_chunks()]
        ).unique()
        left, right = _keep(one, left, values), _keep(other, right, values)
    left = np.arange(len(keys[0][0])) if left is None else left
    right = np.arange(len(keys[0][1])) if right is None else right
    return left, right


def _keep(key: pa.ChunkedArray, rows: Ints | None, values: pa.Array) -> Ints:
    """Give those of the rows (None: of all) whose key is among the values."""
    if rows is None:
        return np.flatnonzero(pc.is_in(key, value_set=values).to_numpy())
    kept: Ints = rows[pc.is_in(cols.take(key, rows), value_set=values).to_numpy()]
    return kept

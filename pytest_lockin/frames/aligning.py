"""Rows that only one side has, put side by side: which of them are the same row with changed cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_lockin.frames.encoding import mark
from pytest_lockin.frames.matching import pair_equal_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pytest_lockin.frames.encoding import Ints

_MATRIX_CELLS = 20_000_000
_MATRIX_PAIRS = 250_000
_HASH_CELLS = 60_000_000


def pair_rows(left: Ints, right: Ints) -> Ints:
    """Give pairs (left row, right row) that agree in at least half of their columns, each row once.

    Takes one code per row and column, equal for equal values. Few rows are all held against each other,
    the best pairs first. Many rows are paired by hashes of subsets of their columns, so the work stays
    proportional to their number; a pair may then be missed, and is counted as missing and extra.
    """
    pairs = [np.zeros((0, 2), np.int64)]
    mine, yours = np.arange(len(left)), np.arange(len(right))
    if not _is_small(len(left), len(right), left.shape[1]):
        for key_left, key_right in _subset_keys(left, right):
            one, other = pair_equal_keys(key_left[mine], key_right[yours])
            one, other = mine[one], yours[other]
            good = _share_half(left[one], right[other])
            pairs.append(np.column_stack([one[good], other[good]]))
            mine = mine[~mark(one[good], len(left))[mine]]
            yours = yours[~mark(other[good], len(right))[yours]]
            if _is_small(len(mine), len(yours), left.shape[1]):
                break
    if _is_small(len(mine), len(yours), left.shape[1]):
        best = _best_pairs(left[mine], right[yours])
        pairs.append(np.column_stack([mine[best[:, 0]], yours[best[:, 1]]]))
    out = np.concatenate(pairs)
    return out[np.argsort(out[:, 0], kind="stable")]


def _is_small(left: int, right: int, width: int) -> bool:
    return left * right <= _MATRIX_PAIRS and left * right * width <= _MATRIX_CELLS


def _share_half(left: Ints, right: Ints) -> NDArray[np.bool_]:
    return np.asarray((left == right).sum(axis=1) * 2 >= left.shape[1])


def _best_pairs(left: Ints, right: Ints) -> Ints:
    """Take the pair that agrees in most columns, then the next; of equals the one that stands nearer."""
    agreed = np.zeros((len(left), len(right)), np.int32)
    for column in range(left.shape[1]):
        agreed += left[:, column][:, None] == right[:, column][None, :]
    one, other = np.nonzero(agreed * 2 >= left.shape[1])
    order = np.lexsort((other, one, np.abs(one - other), -agreed[one, other]))
    free_left, free_right = np.ones(len(left), bool), np.ones(len(right), bool)
    taken = []
    for i, j in zip(one[order].tolist(), other[order].tolist(), strict=True):
        if free_left[i] and free_right[j]:
            free_left[i] = free_right[j] = False
            taken.append((i, j))
    return np.array(taken, np.int64).reshape(-1, 2)


def _subset_keys(left: Ints, right: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield keys over fewer and fewer columns: all but one, the most alike ones, single ones."""
    cut, width = len(left), left.shape[1]
    codes = np.concatenate([left, right])
    alike = _by_likeness(left, right)
    passes = max(2, _HASH_CELLS // max(1, len(codes) * 4))
    salted = np.stack([_mix(codes[:, c].astype(np.uint64) + np.uint64(c << 40)) for c in range(width)])
    # The least alike column is the likeliest to be the changed one.
    subsets = [[c for c in alike if c != one] for one in alike[::-1][:passes]]
    subsets += [alike[: width * 3 // 4], alike[: (width + 1) // 2]]
    subsets += [[c] for c in alike[:passes]]
    for subset in subsets:
        if not subset or len(subset) == width:
            continue
        key = salted[subset].sum(axis=0, dtype=np.uint64).view(np.int64)
        yield key[:cut], key[cut:]


def _by_likeness(left: Ints, right: Ints) -> list[int]:
    """Order columns by how many of the values both sides share, among equals the more distinct first."""
    scores = []
    for column in range(left.shape[1]):
        one, other = left[:, column], right[:, column]
        width = int(max(one.max(initial=0), other.max(initial=0))) + 1
        counts = np.bincount(one, minlength=width), np.bincount(other, minlength=width)
        shared = int(np.minimum(*counts).sum())
        distinct = int(np.count_nonzero(counts[0]))
        scores.append((-shared, -distinct, column))
    return [column for _, _, column in sorted(scores)]


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread integers over 64 bits (the finaliser of splitmix64); one to one."""
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)))

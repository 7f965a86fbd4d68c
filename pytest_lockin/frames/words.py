"""Keys as plain machine integers, and the rows of both sides paired by a hash of them.

The hash only proposes: every pair is then compared word by word, so a collision costs time and never an
answer.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pytest_lockin.frames.encoding import Ints

    Word = tuple[NDArray[Any], NDArray[Any]]
    Hashes = NDArray[np.uint64]

_BLOCK = 1 << 14
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def spell(keys: Iterable[tuple[pa.ChunkedArray, pa.ChunkedArray]]) -> list[Word]:
    """Give each key as one or more pairs of integer arrays: equal in all words, equal in the key.

    Strings and other values without a fixed width become codes shared by both sides; NULL is a word of
    its own beside a zero.
    """
    out: list[Word] = []
    for one, other in keys:
        kind = one.type
        if pa.types.is_null(kind):
            continue
        if not _is_fixed(kind):
            stacked = pa.chunked_array([*one.chunks, *other.chunks], kind)
            codes = _join(stacked.dictionary_encode(null_encoding="encode"))
            out.append((codes[: len(one)], codes[len(one) :]))
            continue
        if one.null_count or other.null_count:
            out.append((_nulls(one), _nulls(other)))
            one, other = _fill(one), _fill(other)  # noqa: PLW2901
        out += _decimal_words(one, other) if pa.types.is_decimal(kind) else [(_numbers(one), _numbers(other))]
    return out


def _is_fixed(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_integer(kind) or types.is_boolean(kind) or types.is_date32(kind) or types.is_decimal128(kind)
    )


def _join(codes: pa.ChunkedArray) -> NDArray[Any]:
    parts = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in codes.chunks]
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


def _nulls(side: pa.ChunkedArray) -> NDArray[Any]:
    return np.asarray(side.is_null().to_numpy()).view(np.uint8)


def _fill(side: pa.ChunkedArray) -> pa.ChunkedArray:
    zero = False if pa.types.is_boolean(side.type) else Decimal(0) if pa.types.is_decimal(side.type) else 0
    if pa.types.is_date(side.type):
        side = pa.chunked_array([chunk.view(pa.int32()) for chunk in side.chunks], pa.int32())
    return pc.fill_null(side, pa.scalar(zero, side.type))


def _numbers(side: pa.ChunkedArray) -> NDArray[Any]:
    if pa.types.is_date(side.type):
        side = pa.chunked_array([chunk.view(pa.int32()) for chunk in side.chunks], pa.int32())
    values = np.asarray(side.to_numpy())
    return values.view(np.uint8) if values.dtype == np.bool_ else values


def _decimal_words(one: pa.ChunkedArray, other: pa.ChunkedArray) -> list[Word]:
    left, right = _halves(one), _halves(other)
    low = left[:, 0], right[:, 0]
    high = left[:, 1], right[:, 1]
    # Nearly all decimals fit into the lower half, whose sign then says all of the upper one.
    if all(bool((h == (part >> 63)).all()) for h, part in zip(high, low, strict=True)):
        return [low]
    return [low, high]


def _halves(side: pa.ChunkedArray) -> NDArray[Any]:
    parts = [
        np.frombuffer(chunk.buffers()[1], np.int64, 2 * len(chunk), 16 * chunk.offset).reshape(-1, 2)
        for chunk in side.chunks
        if len(chunk)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, 2), np.int64)


def pair_by_hash(words: list[Word], rows_left: int, rows_right: int) -> tuple[Ints, Ints]:
    """Give pairs of rows that are equal in all words, each row in one pair at most.

    Nearly all pairs there are; what a collision hides is left for an exact pass.
    """
    left = hash_rows([one for one, _ in words], rows_left)
    right = hash_rows([other for _, other in words], rows_right)
    mine, yours = np.argsort(left), np.argsort(right)
    one, other = _pair_sorted(left[mine], right[yours])
    # In the order of the left rows only the right side has to be gathered.
    partner, same = np.zeros(rows_left, np.int64), np.zeros(rows_left, bool)
    partner[mine[one]] = yours[other]
    same[mine[one]] = True
    if not same.any():
        return np.arange(0), np.arange(0)
    for word_left, word_right in words:
        same &= word_left == word_right[partner]
    rows = np.flatnonzero(same)
    return rows, partner[rows]


def _pair_sorted(left: Hashes, right: Hashes) -> tuple[Any, Any]:
    """Pair equal values of two sorted arrays, the k-th of a value with the k-th."""
    if len(left) == len(right) and np.array_equal(left, right):
        return slice(None), slice(None)
    starts = np.searchsorted(left, right, "left")
    fresh = np.ones(len(right), bool)
    fresh[1:] = right[1:] != right[:-1]
    firsts = np.flatnonzero(fresh)
    ranks = np.arange(len(right)) - np.repeat(firsts, np.diff(np.append(firsts, len(right))))
    places = starts + ranks
    inside = np.flatnonzero(places < len(left))
    hit = inside[left[places[inside]] == right[inside]]
    return places[hit], hit


def hash_rows(words: list[NDArray[Any]], rows: int) -> Hashes:
    """Give one 64-bit hash per row; in blocks that stay in the processor's cache."""
    out = np.zeros(rows, np.uint64)
    shift = np.uint64(32)
    with np.errstate(over="ignore"):
        salts = [_ODD * np.uint64(2 * i + 1) for i in range(len(words))]
        for start in range(0, rows, _BLOCK):
            total = out[start : start + _BLOCK]
            for word, salt in zip(words, salts, strict=True):
                part = word[start : start + _BLOCK].astype(np.uint64)
                part += salt
                part *= _MIX
                part ^= part >> shift
                part *= salt
                total += part
            total ^= total >> shift
    return out

"""Columns that are compared with each other, each with the rule that holds for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pytest_lockin.frames import encoding
from pytest_lockin.frames.encoding import Canon, Encoded, common_type, has_floats
from pytest_lockin.frames.types import char_columns, is_nested, json_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_lockin.frames.encoding import Floats, Ints
    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.model.rules import Rules, Tolerance

_MAX_LEAF_CELLS = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One expected column and the found column it is compared with.

    `position` counts in the expected table. `tolerance` is None where only equal values are equal.
    """

    position: int
    name: str
    left: pa.ChunkedArray
    right: pa.ChunkedArray
    common: pa.DataType
    canon: Canon
    tolerance: Tolerance | None


def join_columns(
    left: Frame, right: Frame, pairs: Sequence[tuple[int, int]], rules: Rules
) -> tuple[tuple[Column, ...], tuple[int, ...]]:
    """Give the comparable pairs as columns, and the expected positions of those that are not comparable."""
    joined = {mine: _join_column(left, right, mine, yours, rules) for mine, yours in pairs}
    padded = (frozenset(), frozenset()) if rules.char_padding else (char_columns(left), char_columns(right))
    texts = json_columns(left), json_columns(right)
    columns = []
    for mine, yours in pairs:
        column = joined[mine]
        if column is not None:
            trim = mine in padded[0] or yours in padded[1]
            text = mine in texts[0] and yours in texts[1]
            canon = replace(column.canon, trim=trim, json=text) if trim or text else column.canon
            columns.append(replace(column, canon=canon))
    return tuple(columns), tuple(mine for mine, column in joined.items() if column is None)


def _join_column(left: Frame, right: Frame, mine: int, yours: int, rules: Rules) -> Column | None:
    one, other = left.table.column(mine), right.table.column(yours)
    common = common_type(one.type, other.type, field_order=rules.field_order)
    if common is None:
        return None
    name = left.names[mine]
    named = _named_tolerance(rules, name, mine)
    canon = Canon(
        strict_zero=rules.strict_zero,
        field_order=rules.field_order,
        bag=name.lower() in rules.bag_columns,
        as_double=named is not None and _has_numbers(common),
    )
    if canon.as_double and not is_nested(common):
        common = pa.float64()
    tolerance = (named or rules.floats) if canon.as_double or has_floats(common) else None
    if tolerance is not None and tolerance.relative == 0 and tolerance.absolute == 0:
        tolerance = None
    return Column(
        position=mine, name=name, left=one, right=other, common=common, canon=canon, tolerance=tolerance
    )


def _named_tolerance(rules: Rules, name: str, position: int) -> Tolerance | None:
    named = dict(rules.per_column)
    return named.get(name.lower(), named.get(str(position)))


def _has_numbers(kind: pa.DataType) -> bool:
    if pa.types.is_map(kind):
        return _has_numbers(kind.key_type) or _has_numbers(kind.item_type)
    if pa.types.is_struct(kind):
        return any(_has_numbers(f.type) for f in kind.fields)
    if is_nested(kind):
        return _has_numbers(kind.value_type)
    return bool(pa.types.is_decimal(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind))


def is_identical(column: Column) -> bool:
    """Tell, cheaply, whether both sides are the same in the same order; False may mean "perhaps"."""
    if column.canon.strict_zero and has_floats(column.common):
        # Arrow's own equality does not see the sign of a zero.
        return False
    return bool(column.left.type == column.right.type and column.left.equals(column.right))


def exact_keys(column: Column) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Give both sides as flat canonical arrays of one type: equal keys, equal values."""
    if is_nested(column.common):
        codes = encode_column(column, apart=False).codes
        cut = len(column.left)
        return pa.chunked_array([pa.array(codes[:cut])]), pa.chunked_array([pa.array(codes[cut:])])
    return _flat_keys(column.left, column), _flat_keys(column.right, column)


def _flat_keys(side: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    chunks = [encoding.canonical_flat(chunk, column.common, column.canon) for chunk in side.chunks]
    if not chunks:
        chunks = [encoding.canonical_flat(pa.nulls(0, column.common), column.common, column.canon)]
    return pa.chunked_array(chunks)


def encode_column(column: Column, *, apart: bool) -> Encoded:
    """Encode all rows of both sides, the expected ones first."""
    parts = (*column.left.chunks, *column.right.chunks)
    if not parts:
        return Encoded(codes=np.zeros(0, np.int64))
    return encoding.encode(parts, column.common, replace(column.canon, apart=apart))


def take_rows(columns: Sequence[Column], left: Ints, right: Ints) -> tuple[Column, ...]:
    """Give the same columns for these rows only."""
    return tuple(replace(c, left=take(c.left, left), right=take(c.right, right)) for c in columns)


def take(side: pa.ChunkedArray, rows: Ints) -> pa.ChunkedArray:
    """Take rows of any column, layouts without a take kernel included."""
    if pa.types.is_string_view(side.type):
        side = side.cast(pa.large_string())
    elif pa.types.is_binary_view(side.type):
        side = side.cast(pa.large_binary())
    return side.take(pa.array(rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A column of a few rows as numbers: an exact code, and the floats a tolerance applies to."""

    codes: Ints
    leaves: Floats
    tolerance: Tolerance | None

    def pick(self, rows: Ints) -> Digest:
        """Give the same for these rows."""
        return Digest(codes=self.codes[rows], leaves=self.leaves[rows], tolerance=self.tolerance)

    def agree(self, left: Ints, right: Ints) -> NDArray[np.bool_]:
        """Tell for each pair of rows whether their values are equal under the tolerance."""
        same = self.codes[left] == self.codes[right]
        if self.tolerance is None or not self.leaves.shape[1]:
            return np.asarray(same)
        close = are_close(self.leaves[left], self.leaves[right], self.tolerance).all(axis=1)
        return np.asarray(same & close)


def digest(column: Column) -> Digest:
    """Encode both sides, with floats apart where a tolerance holds for them.

    Beyond a bound on the number of floats (huge arrays) the tolerance is dropped: floats are then exact.
    """
    if column.tolerance is not None:
        encoded = encode_column(column, apart=True)
        leaves = encoded.leaves
        width = int(leaves.lengths.max(initial=0)) if leaves is not None else 0
        if leaves is not None and width * len(encoded.codes) <= _MAX_LEAF_CELLS:
            return Digest(codes=encoded.codes, leaves=leaves.matrix(width), tolerance=column.tolerance)
    codes = encode_column(column, apart=False).codes
    return Digest(codes=codes, leaves=np.zeros((len(codes), 0)), tolerance=None)


def are_close(one: Floats, other: Floats, tolerance: Tolerance) -> NDArray[np.bool_]:
    """Tell |x - y| <= absolute + relative * max(|x|, |y|), forgiving the rounding of that very sum.

    Without the last part 1.00 and 1.01 are not within 0.01 of each other.
    """
    size = np.maximum(np.abs(one), np.abs(other))
    slack = tolerance.relative + 2 * np.finfo(np.float64).eps
    with np.errstate(over="ignore"):
        return np.asarray(np.abs(one - other) <= tolerance.absolute + slack * size)


def equal_rows(left: pa.ChunkedArray, right: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Tell row by row whether two key columns are equal; NULL equals NULL."""
    if pa.types.is_null(left.type):
        return np.ones(len(left), bool)
    same = pc.equal(left, right)
    if left.null_count or right.null_count:
        same = pc.fill_null(same, fill_value=False)
        same = pc.or_(same, pc.and_(left.is_null(), right.is_null()))
    return np.asarray(same.to_numpy())

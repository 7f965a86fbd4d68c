"""Canonical form of a column pair, as integer codes: equal codes, equal values.

Flat values get their canonical Arrow array. Nested values get one code a row: a list is the byte string
of its elements' codes, a map the same with its entries sorted by key, a struct the tuple of its fields'
codes. Codes are made over both sides together, so they mean the same on both; their order means nothing.

Asked to set floats apart, finite floats leave the code and stand beside it as *leaves*, in order, so that
a tolerance can be applied to them; their kind (NULL, NaN, an infinity) stays in the code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pytest_lockin.frames.types import is_bytes, is_list, is_nested, is_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

_DECIMAL_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}
_MAX_DIGITS_128 = 38
_MAX_DIGITS_256 = 76
_SORT_LEAVES = 8
_MINUS_ZERO = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Canon:
    """How values are brought to canonical form.

    Attributes:
        strict_zero: keep -0.0 apart from 0.0.
        field_order: False lets struct fields stand in any order.
        bag: the outermost array is a multiset.
        apart: set finite floats apart as leaves.
        as_double: read decimals and integers as doubles too (a tolerance was named for them).
        trim: drop trailing blanks of strings (CHAR(n) padding).
        json: strings are JSON text of a type Arrow cannot carry (a variant); the order of keys is nothing.
    """

    strict_zero: bool = False
    field_order: bool = True
    bag: bool = False
    apart: bool = False
    as_double: bool = False
    trim: bool = False
    json: bool = False

    def inner(self) -> Canon:
        """The same for what lies inside: only the outermost array is a bag."""
        return Canon(
            strict_zero=self.strict_zero,
            field_order=self.field_order,
            apart=self.apart,
            as_double=self.as_double,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ragged:
    """A variable number of floats per row: row i owns `values[offsets[i]:offsets[i + 1]]`."""

    offsets: Ints
    values: Floats

    @property
    def lengths(self) -> Ints:
        """Number of floats per row."""
        return np.diff(self.offsets)

    def pick(self, rows: Ints) -> Ragged:
        """Give the same for these rows, in this order."""
        lengths = self.lengths[rows]
        return Ragged(offsets=_offsets(lengths), values=self.values[_spans(self.offsets[:-1][rows], lengths)])

    def matrix(self, width: int) -> Floats:
        """Give the first `width` floats of each row, zeros behind the last."""
        out = np.zeros((len(self.offsets) - 1, width))
        lengths = np.minimum(self.lengths, width)
        rows = np.repeat(np.arange(len(lengths)), lengths)
        places = _spans(np.zeros(len(lengths), np.int64), lengths)
        out[rows, places] = self.values[_spans(self.offsets[:-1], lengths)]
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """One code per row, and the finite floats beside it where they were set apart."""

    codes: Ints
    leaves: Ragged | None = field(default=None)


def _offsets(lengths: Ints) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def _spans(starts: Ints, lengths: Ints) -> Ints:
    """Give start, start + 1, ... for each (start, length), one after the other."""
    total = int(lengths.sum())
    shift = np.repeat(starts - _offsets(lengths)[:-1], lengths)
    return np.arange(total, dtype=np.int64) + shift


def mark(rows: Ints, length: int) -> NDArray[np.bool_]:
    """Give a mask that is True at these rows. NumPy's own set functions hash, and take minutes."""
    out = np.zeros(length, bool)
    out[rows] = True
    return out


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Give the type behind dictionaries, run ends, extensions and views."""
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return plain_type(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return plain_type(kind.storage_type)
    if is_text(kind) or is_bytes(kind):
        return pa.large_string() if is_text(kind) else pa.large_binary()
    if pa.types.is_float16(kind):
        return pa.float32()
    if pa.types.is_decimal(kind) and kind.bit_width < 128:  # noqa: PLR2004
        return pa.decimal128(kind.precision, kind.scale)
    return pa.date32() if pa.types.is_date64(kind) else kind


def common_type(left: pa.DataType, right: pa.DataType, *, field_order: bool = True) -> pa.DataType | None:
    """Give the type in which values of both types can be compared; None where there is none.

    Numbers meet in the narrowest type that holds both exactly, or in double where one is floating.
    Timestamps with and without a zone meet as microseconds; what they mean is the types' finding.
    """
    left, right = plain_type(left), plain_type(right)
    if pa.types.is_null(left) or pa.types.is_null(right):
        known = right if pa.types.is_null(left) else left
        return known if pa.types.is_null(known) else common_type(known, known, field_order=field_order)
    if is_nested(left) or is_nested(right):
        return _common_nested(left, right, field_order=field_order)
    if pa.types.is_floating(left) or pa.types.is_floating(right):
        return pa.float64() if _is_number(left) and _is_number(right) else None
    if left == right:
        return left
    if _is_number(left) and _is_number(right):
        return _common_exact(left, right)
    return _common_time(left, right)


def _common_time(left: pa.DataType, right: pa.DataType) -> pa.DataType | None:
    if pa.types.is_timestamp(left) and pa.types.is_timestamp(right):
        return pa.timestamp("ns" if "ns" in (left.unit, right.unit) else "us", left.tz)
    if pa.types.is_duration(left) and pa.types.is_duration(right):
        return pa.duration("ns" if "ns" in (left.unit, right.unit) else "us")
    if pa.types.is_time(left) and pa.types.is_time(right):
        return pa.time64("ns" if "ns" in (left.unit, right.unit) else "us")
    return None


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_floating(kind))


def _common_exact(left: pa.DataType, right: pa.DataType) -> pa.DataType | None:
    if pa.types.is_signed_integer(left) and pa.types.is_signed_integer(right):
        return pa.int64()
    scales = [kind.scale if pa.types.is_decimal(kind) else 0 for kind in (left, right)]
    digits = [_digits(kind) - scale for kind, scale in zip((left, right), scales, strict=True)]
    precision = max(digits) + max(scales)
    if precision <= _MAX_DIGITS_128:
        return pa.decimal128(precision, max(scales))
    return pa.decimal256(precision, max(scales)) if precision <= _MAX_DIGITS_256 else pa.large_string()


def _digits(kind: pa.DataType) -> int:
    return int(kind.precision) if pa.types.is_decimal(kind) else _DECIMAL_DIGITS[kind.bit_width]


def _common_nested(left: pa.DataType, right: pa.DataType, *, field_order: bool) -> pa.DataType | None:
    if pa.types.is_map(left) and pa.types.is_map(right):
        key = common_type(left.key_type, right.key_type, field_order=field_order)
        item = common_type(left.item_type, right.item_type, field_order=field_order)
        return None if key is None or item is None else pa.map_(key, item)
    if pa.types.is_struct(left) and pa.types.is_struct(right):
        return _common_struct(left, right, field_order=field_order)
    if is_list(left) and is_list(right):
        item = common_type(left.value_type, right.value_type, field_order=field_order)
        return None if item is None else pa.large_list(item)
    return None


def _common_struct(left: pa.StructType, right: pa.StructType, *, field_order: bool) -> pa.DataType | None:
    if left.num_fields != right.num_fields:
        return None
    fields = []
    pairs = zip(
        _field_places(left, field_order=field_order),
        _field_places(right, field_order=field_order),
        strict=True,
    )
    for mine, yours in pairs:
        item = common_type(left.field(mine).type, right.field(yours).type, field_order=field_order)
        if item is None:
            return None
        fields.append(pa.field(left.field(mine).name, item))
    return pa.struct(fields)


def _field_places(kind: pa.StructType, *, field_order: bool) -> list[int]:
    places = list(range(kind.num_fields))
    return places if field_order else sorted(places, key=lambda i: (kind.field(i).name.lower(), i))


def has_floats(kind: pa.DataType) -> bool:
    """Tell whether a value of this (common) type holds a floating point number at any depth."""
    if pa.types.is_map(kind):
        return has_floats(kind.key_type) or has_floats(kind.item_type)
    if pa.types.is_struct(kind):
        return any(has_floats(f.type) for f in kind.fields)
    return has_floats(kind.value_type) if is_list(kind) else bool(pa.types.is_floating(kind))


def canonical_flat(array: pa.Array, common: pa.DataType, canon: Canon) -> pa.Array:
    """Give a flat array in canonical form, of a type that Arrow can group, compare and encode.

    Floats come as the bits of a double, instants and durations as counts, other values as themselves.
    """
    array = decoded(array)
    if pa.types.is_null(array.type):
        array = pa.nulls(len(array), common)
    if pa.types.is_floating(common):
        return _float_bits(array.cast(pa.float64(), safe=False), strict_zero=canon.strict_zero)
    if pa.types.is_temporal(common) and not pa.types.is_date(common):
        return _counts(array, common)
    array = array if array.type == common else array.cast(common)
    return _canonical_text(array, canon) if pa.types.is_large_string(common) else array


def _canonical_text(array: pa.Array, canon: Canon) -> pa.Array:
    if canon.trim:
        return pc.utf8_rtrim(array, characters=" ")
    if not canon.json:
        return array
    texts = array.dictionary_encode()
    plain = pa.array([_canonical_json(text) for text in texts.dictionary.to_pylist()], pa.large_string())
    return pa.DictionaryArray.from_arrays(texts.indices, plain).dictionary_decode()


def _canonical_json(text: str) -> str:
    try:
        # Numbers stay text: a float would lose digits of a decimal.
        value = json.loads(text, parse_float=_Number, parse_int=_Number, parse_constant=_Number)
    except ValueError:
        return text
    return json.dumps(_with_marked_numbers(value), sort_keys=True)


class _Number(str):
    __slots__ = ()


def _with_marked_numbers(value: Any) -> Any:
    """Keep the number 1 apart from the string "1"."""
    if isinstance(value, _Number):
        return {"number": str(value)}
    if isinstance(value, list):
        return [_with_marked_numbers(v) for v in value]
    if isinstance(value, dict):
        return {"object": {k: _with_marked_numbers(v) for k, v in value.items()}}
    return value


def decoded(array: pa.Array) -> pa.Array:
    """Give the values behind an extension, a dictionary or run ends."""
    if isinstance(array, pa.ExtensionArray):
        return decoded(array.storage)
    if isinstance(array, pa.DictionaryArray):
        return decoded(array.dictionary_decode())
    return decoded(pc.run_end_decode(array)) if pa.types.is_run_end_encoded(array.type) else array


def _float_bits(array: pa.Array, *, strict_zero: bool) -> pa.Array:
    # -0.0 + 0.0 is 0.0, and nothing else changes.
    array = array if strict_zero else pc.add(array, pa.scalar(0.0))
    nan = pc.is_nan(array)
    if pc.any(nan).as_py():
        array = pc.if_else(nan, pa.scalar(float("nan")), array)
    return array.view(pa.int64())


def _counts(array: pa.Array, common: pa.DataType) -> pa.Array:
    if pa.types.is_interval(common):
        return pa.array([None if v is None else repr(tuple(v)) for v in array.to_pylist()], pa.large_string())
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
    here, there = array.type.unit, common.unit
    ints = array.view(pa.int32()).cast(pa.int64()) if array.type.bit_width == 32 else array.view(pa.int64())  # noqa: PLR2004
    if there != "ns":
        factor = per[there] // per[here]
        return ints if factor == 1 else pc.multiply(ints, factor)
    # Nanoseconds of the year 10000 do not fit into 64 bits.
    factor = pa.scalar(Decimal(per["ns"] // per[here]), pa.decimal128(10, 0))
    return pc.multiply(ints.cast(pa.decimal128(19, 0)), factor)


def float_values(bits: pa.Array | pa.ChunkedArray) -> Floats:
    """Read canonical bits back as doubles; NULLs become NaN (their kind is known from the bits)."""
    chunk = bits.combine_chunks() if isinstance(bits, pa.ChunkedArray) else bits
    return np.asarray(chunk.view(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def identify(array: pa.Array) -> Ints:
    """Give each value of a flat array a small integer, NULL one of its own."""
    if pa.types.is_null(array.type):
        return np.zeros(len(array), np.int64)
    encoded = array.dictionary_encode(null_encoding="encode")
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def combine(codes: Sequence[Ints], length: int) -> Ints:
    """Give each distinct tuple of codes a small integer."""
    out = np.zeros(length, np.int64)
    size = 1
    for code in codes:
        width = int(code.max(initial=0)) + 1
        if size * width > 2**62:
            out = identify(pa.array(out))
            size = int(out.max(initial=0)) + 1
        out = out * width + code
        size *= width
    return identify(pa.array(out))


def encode(parts: tuple[pa.Array, ...], common: pa.DataType, canon: Canon) -> Encoded:
    """Give codes (and leaves) for the rows of all parts, one part after the other.

    Every part has a type of which `common` is the common type.
    """
    parts = tuple(decoded(part) for part in parts)
    parts = tuple(pa.nulls(len(p), common) if pa.types.is_null(p.type) else p for p in parts)
    if not is_nested(common):
        return _encode_flat(parts, common, canon)
    if pa.types.is_struct(common):
        return _encode_struct(parts, common, canon)
    return _encode_list(parts, common, canon)


def _encode_flat(parts: tuple[pa.Array, ...], common: pa.DataType, canon: Canon) -> Encoded:
    double = pa.types.is_floating(common) or (canon.as_double and _is_number(common))
    array = pa.concat_arrays([canonical_flat(p, pa.float64() if double else common, canon) for p in parts])
    if not (double and canon.apart):
        return Encoded(codes=identify(array))
    values = float_values(array)
    codes = float_kinds(array, values)
    finite = codes == 0
    if canon.strict_zero:
        codes[finite & (values == 0) & np.signbit(values)] = _MINUS_ZERO
    leaves = Ragged(offsets=_offsets(finite.astype(np.int64)), values=values[finite])
    return Encoded(codes=codes, leaves=leaves)


def float_kinds(bits: pa.Array, values: Floats) -> Ints:
    """Tell finite (0), NaN (1), the infinities (2, 3) and NULL (4) apart."""
    kinds = np.zeros(len(values), np.int64)
    kinds[np.isnan(values)] = 1
    kinds[np.isposinf(values)] = 2
    kinds[np.isneginf(values)] = 3
    if bits.null_count:
        kinds[bits.is_null().to_numpy(zero_copy_only=False)] = 4
    return kinds


def _encode_struct(parts: tuple[pa.Array, ...], common: pa.StructType, canon: Canon) -> Encoded:
    length = sum(len(p) for p in parts)
    places = [_field_places(p.type, field_order=canon.field_order) for p in parts]
    flat = [p.flatten() for p in parts]
    fields = [
        encode(
            tuple(f[at[i]] for f, at in zip(flat, places, strict=True)), common.field(i).type, canon.inner()
        )
        for i in range(common.num_fields)
    ]
    codes = combine([_validity(parts), *(f.codes for f in fields)], length)
    return Encoded(codes=codes, leaves=_beside([f.leaves for f in fields if f.leaves is not None]))


def _validity(parts: tuple[pa.Array, ...]) -> Ints:
    return np.concatenate([p.is_valid().to_numpy(zero_copy_only=False).astype(np.int64) for p in parts])


def _beside(parts: list[Ragged]) -> Ragged | None:
    """Join leaves field by field: each row gets the leaves of the first part, then of the second, ..."""
    if len(parts) < 2:  # noqa: PLR2004
        return parts[0] if parts else None
    rows = np.concatenate([np.repeat(np.arange(len(p.lengths)), p.lengths) for p in parts])
    order = np.argsort(rows, kind="stable")
    lengths = np.sum([p.lengths for p in parts], axis=0)
    return Ragged(offsets=_offsets(lengths), values=np.concatenate([p.values for p in parts])[order])


def _encode_list(parts: tuple[pa.Array, ...], common: pa.DataType, canon: Canon) -> Encoded:
    valid = _validity(parts).astype(bool)
    present = tuple(p.drop_null() for p in parts)
    lengths = np.zeros(len(valid), np.int64)
    lengths[valid] = np.concatenate([_list_lengths(p) for p in present])
    owners = np.repeat(np.arange(len(valid)), lengths)
    order: Ints | None
    if pa.types.is_map(common):
        items, order = _map_entries(present, common, canon, owners)
    else:
        items = encode(tuple(p.flatten() for p in present), common.value_type, canon.inner())
        order = _element_order(owners, [items.codes], items.leaves) if canon.bag else None
    if order is not None:
        leaves = items.leaves.pick(order) if items.leaves is not None else None
        items = Encoded(codes=items.codes[order], leaves=leaves)
    return Encoded(
        codes=_sequence_codes(items.codes, lengths, valid), leaves=_gathered(items.leaves, lengths)
    )


def _list_lengths(part: pa.Array) -> Ints:
    if pa.types.is_map(part.type):
        offsets = np.asarray(part.offsets.to_numpy(), dtype=np.int64)
        return offsets[1:] - offsets[:-1]
    return np.asarray(pc.list_value_length(part).to_numpy(zero_copy_only=False), dtype=np.int64)


def _map_entries(
    parts: tuple[pa.Array, ...], common: pa.MapType, canon: Canon, owners: Ints
) -> tuple[Encoded, Ints]:
    keys = encode(tuple(map_side(p, "keys") for p in parts), common.key_type, canon.inner())
    items = encode(tuple(map_side(p, "items") for p in parts), common.item_type, canon.inner())
    codes = combine([keys.codes, items.codes], len(owners))
    leaves = _beside([e.leaves for e in (keys, items) if e.leaves is not None])
    return Encoded(codes=codes, leaves=leaves), _element_order(owners, [keys.codes, items.codes], leaves)


def map_side(part: pa.MapArray, side: str) -> pa.Array:
    """Give the keys or items that the (perhaps sliced) map array really uses."""
    start = part.offsets[0].as_py() if len(part.offsets) else 0
    stop = part.offsets[-1].as_py() if len(part.offsets) else 0
    values = getattr(part, side)
    # pyarrow gives the used part of a sliced array, older ones give all of it.
    return values if len(values) == stop - start else values.slice(start, stop - start)


def _element_order(owners: Ints, codes: list[Ints], leaves: Ragged | None) -> Ints:
    """Give the order that sorts elements inside their rows, by code, then by their floats."""
    keys: list[Any] = [owners, *codes]
    if leaves is not None:
        width = min(int(leaves.lengths.max(initial=0)), _SORT_LEAVES)
        keys += list(leaves.matrix(width).T)
    return np.lexsort(keys[::-1])


def _sequence_codes(items: Ints, lengths: Ints, valid: NDArray[np.bool_]) -> Ints:
    """Give one code per row for the sequence of its items' codes: equal byte strings, equal sequences."""
    offsets = pa.py_buffer(_offsets(lengths * 8))
    mask = pa.array(valid).buffers()[1]
    strings = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(lengths), [mask, offsets, pa.py_buffer(np.ascontiguousarray(items))]
    )
    return identify(strings)


def _gathered(leaves: Ragged | None, lengths: Ints) -> Ragged | None:
    """Give each list the leaves of all its elements."""
    return None if leaves is None else Ragged(offsets=leaves.offsets[_offsets(lengths)], values=leaves.values)

"""Arrow files from processes that are not trusted: read whole into memory, looked at, only then believed.

What is kept is written without compression, so that a table in memory is as large as its file. A file that
says otherwise (compressed bodies, a column of a billion NULLs, a dictionary with one long text for a million
rows) is small on disk and fills the memory of whoever reads it; one with wrong offsets has its reader read
elsewhere.
"""

from __future__ import annotations

import os
import stat
import struct
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_GIB = 1 << 30
_MAGIC = b"ARROW1"
_TAIL = struct.Struct("<i6s")
_BLOCK = struct.Struct("<qi4xq")
_CONTINUED = 0xFFFFFFFF
# Places in Arrow's own tables (File.fbs, Message.fbs).
_DICTIONARIES, _BATCHES, _KIND, _HEADER, _DATA, _COMPRESSION = 2, 3, 1, 2, 1, 3
_IS_DICTIONARY = 2
_NUMBER = 8


class InflatingError(ValueError):
    """A file that would take far more memory than it has bytes, or that is not what it says."""


def most_bytes() -> int:
    """What one table may take in memory: a quarter of the machine's, at most 4 GiB."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(4 * _GIB, total // 4)


def read_arrow(path: Path, limit: int | None = None) -> pa.Table:
    """Read an Arrow file that takes at most `limit` bytes in memory (default `most_bytes`), values decoded.

    Raises:
        InflatingError: it would take more, is compressed, is no ordinary file, or contradicts itself.
        OSError: it cannot be read.
        ValueError, pa.ArrowException: it is no Arrow file.
    """
    limit = most_bytes() if limit is None else limit
    data = _read_all(path, limit)
    _refuse_compressed(data)
    reader = pa.ipc.open_file(pa.BufferReader(data))
    for field in reader.schema:
        _refuse_views(field.type)
    table = reader.read_all()
    table.validate(full=True)
    size = sum(_decoded_size(chunk) for column in table.columns for chunk in column.chunks)
    if size > limit:
        message = f"a table of {size >> 20} MiB, more than {limit >> 20}"
        raise InflatingError(message)
    return table


def _read_all(path: Path, limit: int) -> pa.Buffer:
    """The bytes of an ordinary file, once: whoever wrote it may still change it."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb", buffering=0) as source:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            message = "no ordinary file"
            raise InflatingError(message)
        if found.st_size > limit:
            message = f"a file of {found.st_size >> 20} MiB, more than {limit >> 20}"
            raise InflatingError(message)
        data = pa.allocate_buffer(found.st_size)
        view, done = memoryview(data), 0
        while done < len(view) and (count := source.readinto(view[done:])):
            done += count
    return data.slice(0, done)


def _refuse_compressed(data: pa.Buffer) -> None:
    view = memoryview(data)
    try:
        compressed = any(_is_compressed(view, offset) for offset in _blocks(view))
    except (struct.error, IndexError) as error:
        message = "no Arrow file, or a part of one"
        raise ValueError(message) from error
    if compressed:
        message = "compressed, which a stored frame never is"
        raise InflatingError(message)


def _blocks(view: memoryview) -> Iterator[int]:
    """Where each batch begins, dictionaries' first, as the footer says: Arrow's reader goes by that, too."""
    length, magic = _TAIL.unpack_from(view, len(view) - _TAIL.size)
    start = len(view) - _TAIL.size - length
    if magic != _MAGIC or length <= 0 or start < 0:
        raise struct.error
    footer = view[start : len(view) - _TAIL.size]
    root = _Table(footer, _number(footer, 0, "<I"))
    for field in (_DICTIONARIES, _BATCHES):
        place = root.follow(field)
        if place:
            for index in range(_number(footer, place, "<I")):
                yield _BLOCK.unpack_from(footer, place + 4 + index * _BLOCK.size)[0]


def _is_compressed(view: memoryview, offset: int) -> bool:
    if offset < 0:
        raise struct.error
    # Files of old versions have no mark before the length.
    begin = offset + 8 if _number(view, offset, "<I") == _CONTINUED else offset + 4
    body = view[begin:]
    message = _Table(body, _number(body, 0, "<I"))
    batch = message.table(_HEADER)
    if message.byte(_KIND) == _IS_DICTIONARY:
        batch = batch.table(_DATA)
    return bool(batch.follow(_COMPRESSION))


class _Table:
    """A table of the FlatBuffers format: fields by number, each there or not."""

    def __init__(self, view: memoryview, place: int) -> None:
        self._view = view
        self._place = place
        self._fields = place - _number(view, place, "<i")
        self._size = _number(view, self._fields, "<H")

    def _find(self, field: int) -> int:
        at = 4 + 2 * field
        offset = _number(self._view, self._fields + at, "<H") if at < self._size else 0
        return self._place + offset if offset else 0

    def byte(self, field: int) -> int:
        place = self._find(field)
        return _number(self._view, place, "<B") if place else 0

    def follow(self, field: int) -> int:
        """Where what the field points at begins; 0 where there is none."""
        place = self._find(field)
        return place + _number(self._view, place, "<I") if place else 0

    def table(self, field: int) -> _Table:
        place = self.follow(field)
        if not place:
            raise struct.error
        return _Table(self._view, place)


def _number(view: memoryview, place: int, kind: str) -> int:
    if place < 0:
        raise struct.error
    return int(struct.unpack_from(kind, view, place)[0])


def _refuse_views(kind: pa.DataType) -> None:
    """Views overlap as they like: a million of them may show one long text, and each has to be looked at."""
    views = (
        pa.types.is_string_view, pa.types.is_binary_view, pa.types.is_list_view, pa.types.is_large_list_view,
    )  # fmt: skip
    if any(is_view(kind) for is_view in views):
        message = f"a column of {kind}, which a stored frame never has"
        raise InflatingError(message)
    inner = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
    parts = [inner.value_type] if pa.types.is_dictionary(inner) or pa.types.is_run_end_encoded(inner) else []
    for part in [*parts, *(inner.field(index).type for index in range(inner.num_fields))]:
        _refuse_views(part)


def _decoded_size(array: pa.Array) -> int:
    """Bytes the values take once each stands for itself; at least a number for each, as comparing takes."""
    array = array.storage if isinstance(array, pa.ExtensionArray) else array
    kind = array.type
    if isinstance(array, pa.DictionaryArray):
        return _NUMBER * len(array) + _repeated(array.dictionary, array.indices)
    if pa.types.is_run_end_encoded(kind):
        return len(array) * (_NUMBER + int(array.values.nbytes))
    if pa.types.is_struct(kind):
        return _NUMBER * len(array) + sum(_decoded_size(part) for part in array.flatten())
    if pa.types.is_map(kind):
        return _NUMBER * len(array) + _decoded_size(array.keys) + _decoded_size(array.items)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _NUMBER * len(array) + _decoded_size(array.values)
    return max(_NUMBER * len(array), int(array.nbytes))


def _repeated(values: pa.Array, indices: pa.Array) -> int:
    if pa.types.is_binary(values.type) or pa.types.is_string(values.type):
        return _total(pc.binary_length(values).take(indices))
    return len(indices) * (_decoded_size(values) if values.type.num_fields else 32)


def _total(lengths: pa.Array) -> int:
    return int(pc.sum(lengths.cast(pa.int64())).as_py() or 0)


__all__ = ["InflatingError", "most_bytes", "read_arrow"]

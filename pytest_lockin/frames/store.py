"""Frames on disk, and the digest that names their content.

Format 1: an Arrow IPC file; the Spark schema, the row count and the format stand in the schema's metadata.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pytest_lockin.errors import FrameError
from pytest_lockin.frames.encoding import decoded, plain_type
from pytest_lockin.frames.frame import Frame
from pytest_lockin.frames.ipcfile import InflatingError, read_arrow
from pytest_lockin.frames.types import is_list
from pytest_lockin.frames.whole import open_whole

if TYPE_CHECKING:
    from hashlib import _Hash

FORMAT = 1
_FORMAT, _SCHEMA, _ROWS = b"lockin.format", b"lockin.schema_json", b"lockin.rows"


def write_frame(frame: Frame, path: Path) -> None:
    """Write the frame, all of it or nothing: readers never see half a file."""
    path = Path(path)
    own = {
        _FORMAT: str(FORMAT).encode(),
        _SCHEMA: frame.schema_json.encode(),
        _ROWS: str(frame.rows).encode(),
    }
    table = frame.table.replace_schema_metadata({**(frame.table.schema.metadata or {}), **own})
    with open_whole(path) as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def read_frame(path: Path) -> Frame:
    """Read a frame that `write_frame` wrote.

    Raises:
        FrameError: the file is missing, torn, of another format, or takes more memory than a table may.
    """
    path = Path(path)
    try:
        return _with_own_metadata(read_arrow(path))
    except FileNotFoundError:
        raise _unreadable(path, "no such file") from None
    except InflatingError as error:
        raise FrameError(
            expected=f"a stored frame in {path}",
            found=str(error),
            hint="whoever wrote it is not to be trusted",
        ) from error
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise _unreadable(path, str(error).splitlines()[0] if str(error) else type(error).__name__) from error


def _with_own_metadata(table: pa.Table) -> Frame:
    metadata = dict(table.schema.metadata or {})
    if _FORMAT not in metadata:
        message = "an Arrow file that is not a stored frame"
        raise ValueError(message)
    if int(metadata.pop(_FORMAT)) != FORMAT:
        message = "a stored frame of another format"
        raise ValueError(message)
    schema_json, rows = metadata.pop(_SCHEMA).decode(), int(metadata.pop(_ROWS))
    if table.num_columns and table.num_rows != rows:
        message = f"{table.num_rows} rows where {rows} were written"
        raise ValueError(message)
    return Frame(table=table.replace_schema_metadata(metadata or None), rows=rows, schema_json=schema_json)


def _unreadable(path: Path, why: str) -> FrameError:
    return FrameError(
        expected=f"a stored frame in {path}",
        found=why,
        hint="delete the file and run again; it is rebuilt",
    )


def digest_frame(frame: Frame) -> str:
    """Give the SHA-256 of the content: names, types, Spark schema, row count and every value in order.

    The same for any chunking and for the Arrow layouts of one type (dictionary, view, large); row order
    counts; -0.0 and 0.0 differ, as do NaNs of other bits. Not a comparison: two frames that agree may
    have different digests, equal digests mean identical frames.
    """
    state = hashlib.sha256()
    _feed(state, f"{FORMAT}|{frame.rows}|{frame.schema_json}")
    for name, column in zip(frame.table.column_names, frame.table.columns, strict=True):
        _feed(state, name)
        chunks = [chunk for chunk in column.chunks if len(chunk)]
        array = pa.concat_arrays(chunks) if chunks else pa.nulls(0, column.type)
        _feed_array(state, array)
    return state.hexdigest()


def _feed(state: _Hash, text: str) -> None:
    data = text.encode()
    state.update(len(data).to_bytes(8, "little") + data)


def _feed_array(state: _Hash, array: pa.Array) -> None:
    """Feed type, validity and the values that are there: what lies under a NULL is arbitrary."""
    array = _decode(array)
    kind = array.type
    _feed(state, f"{_type_text(kind)}|{len(array)}|{array.null_count}")
    if array.null_count and not pa.types.is_null(kind):
        state.update(np.packbits(array.is_valid().to_numpy(zero_copy_only=False)).tobytes())
    if pa.types.is_null(kind):
        return
    array = array.drop_null() if array.null_count else array
    if pa.types.is_struct(kind):
        for part in array.flatten():
            _feed_array(state, part)
    elif pa.types.is_map(kind):
        _feed_lengths(state, np.diff(array.offsets.to_numpy()))
        # A copy holds just the entries in use.
        array = pa.concat_arrays([array, array.slice(0, 0)])
        _feed_array(state, array.keys)
        _feed_array(state, array.items)
    elif is_list(kind):
        _feed_lengths(state, pc.list_value_length(array).to_numpy(zero_copy_only=False))
        _feed_array(state, array.flatten())
    else:
        _feed_flat(state, array)


def _decode(array: pa.Array) -> pa.Array:
    array = decoded(array)
    plain = plain_type(array.type)
    return array if is_list(plain) or plain == array.type else array.cast(plain)


def _type_text(kind: pa.DataType) -> str:
    if pa.types.is_struct(kind):
        return "struct:" + ",".join(f.name for f in kind.fields)
    if pa.types.is_map(kind):
        return "map"
    if pa.types.is_timestamp(kind):
        return f"timestamp:{kind.unit}:{'instant' if kind.tz else 'local'}"
    return "list" if is_list(kind) else str(kind)


def _feed_lengths(state: _Hash, lengths: np.ndarray) -> None:
    state.update(np.ascontiguousarray(lengths, dtype="<i8").tobytes())


def _feed_flat(state: _Hash, array: pa.Array) -> None:
    if pa.types.is_boolean(array.type):
        state.update(np.packbits(array.to_numpy(zero_copy_only=False)).tobytes())
        return
    if pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type):
        _feed_lengths(state, pc.binary_length(array).to_numpy(zero_copy_only=False))
        _, offsets, data = array.buffers()
        if len(array) and data is not None:
            ends = np.frombuffer(offsets, dtype=np.int64)[[array.offset, array.offset + len(array)]]
            state.update(memoryview(data)[ends[0] : ends[1]])
        return
    width = array.type.bit_width // 8
    data = array.buffers()[1]
    if len(array) and data is not None:
        state.update(memoryview(data)[array.offset * width : (array.offset + len(array)) * width])

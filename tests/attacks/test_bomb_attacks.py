"""Small on disk, endless in memory: frames of a worker, stored outputs, and what a program makes of a tiny file."""

import os
import resource
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pytest_lockin.errors import FrameError, UnfitReferenceError
from pytest_lockin.frames.frame import Frame
from pytest_lockin.frames.ipcfile import InflatingError, read_arrow
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.frames.parquetfile import read_parquet
from pytest_lockin.frames.store import read_frame, write_frame
from pytest_lockin.model.suite import StoredFrame
from pytest_lockin.references.vet import read_stored

ZEROS = np.zeros(20_000_000, dtype="i8")
LONG = "x" * 1_000_000
MIB = 1 << 20


def many_views():
    """A million views of one long text."""
    view = np.array([len(LONG), 0x78787878, 0, 0], dtype="<i4").tobytes()
    buffers = [None, pa.py_buffer(view * 1_000_000), pa.py_buffer(LONG.encode())]
    return pa.Array.from_buffers(pa.string_view(), 1_000_000, buffers)


def long_dictionary():
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, dtype="i4")), pa.array([LONG]))


def one_run():
    return pa.RunEndEncodedArray.from_arrays(pa.array([2**31 - 1], pa.int32()), pa.array([1]))


def nothing_but_nulls():
    return pa.Array.from_buffers(pa.null(), 2**31 - 1, [None])


def wrong_offsets():
    offsets = np.array([0, 1 << 40, 4], dtype="i8")
    return pa.LargeStringArray.from_buffers(2, pa.py_buffer(offsets), pa.py_buffer(b"aabb"))


BOMBS = {
    "zstd": (lambda: pa.array(ZEROS), "zstd", "compressed"),
    "lz4": (lambda: pa.array(ZEROS), "lz4", "compressed"),
    "dictionary": (long_dictionary, None, "more than"),
    "compressed_dictionary": (long_dictionary, "zstd", "compressed"),
    "run": (one_run, None, "more than"),
    "nulls": (nothing_but_nulls, None, "more than"),
    "views": (many_views, None, "string_view"),
    "offsets": (wrong_offsets, None, "Offset"),
}


def write_arrow(path, array, compression=None):
    table = pa.table({"a": array})
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return path


def peak():
    """Most memory this process ever held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


@pytest.mark.parametrize("name", BOMBS)
def test_a_frame_that_inflates_is_refused_before_it_does(tmp_path, name):
    make, compression, why = BOMBS[name]
    path = write_arrow(tmp_path / f"{'0' * 64}.arrow", make(), compression)
    before = peak()
    with pytest.raises((InflatingError, pa.ArrowException), match=why):
        read_arrow(path)
    with pytest.raises(FrameError):
        FrameStore(tmp_path, 0).load(
            StoredFrame(digest="0" * 64, rows=1, columns=1, size=8, kept=True),
        )
    assert peak() - before < 300


def test_what_is_no_ordinary_file_is_not_waited_for(tmp_path):
    path = tmp_path / "a.arrow"
    os.mkfifo(path)
    with pytest.raises(FrameError, match="no ordinary file"):
        read_frame(path)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(FrameError):
        read_frame(path)


def test_a_file_larger_than_a_table_may_be_is_not_read(tmp_path):
    path = tmp_path / "a.arrow"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(FrameError, match="more than"):
        read_frame(path)


def test_honest_frames_of_every_shape_are_read_back(tmp_path):
    table = pa.table(
        {
            "n": [1, None],
            "text": ["x" * 100, ""],
            "list": [[1, 2], None],
            "struct": [{"a": "b"}, None],
            "map": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
            "none": pa.nulls(2),
            "dictionary": pa.array(["q", "r"]).dictionary_encode(),
        }
    )
    write_frame(Frame(table=table, rows=2, schema_json="{}"), tmp_path / "a.arrow")
    assert read_frame(tmp_path / "a.arrow").table.equals(table)


def test_no_edit_of_a_stored_frame_does_more_than_make_it_unreadable(tmp_path):
    table = pa.table({"n": [1, None, 3], "list": [["a"], None, ["b", "c"]]})
    write_frame(Frame(table=table, rows=3, schema_json="{}"), tmp_path / "a.arrow")
    whole = (tmp_path / "a.arrow").read_bytes()
    random = np.random.default_rng(7)
    for _ in range(300):
        data = bytearray(whole[: random.integers(len(whole) // 2, len(whole) + 1)])
        for place in random.integers(len(data), size=3):
            data[place] = random.integers(256)
        (tmp_path / "b.arrow").write_bytes(data)
        try:
            read_frame(tmp_path / "b.arrow")
        except FrameError:
            continue


def parquet_bombs(folder):
    """Parquet files that are small and hold gigabytes: by runs, and by one long text."""
    runs = pa.table({"a": pa.array(ZEROS)})
    pq.write_table(runs, folder / "runs.parquet", compression="zstd")
    texts = pa.table({"a": long_dictionary()})
    pq.write_table(texts, folder / "texts.parquet", compression="zstd")
    return [folder / "runs.parquet", folder / "texts.parquet"]


def test_a_stored_output_that_inflates_is_refused_in_a_process_of_its_own(tmp_path, monkeypatch):
    bombs = parquet_bombs(tmp_path)
    assert all(path.stat().st_size < MIB for path in bombs)
    before = peak()
    for path in bombs:
        with pytest.raises(InflatingError, match="more than 100 MiB"):
            read_parquet(path, 100 * MIB)
    monkeypatch.setattr("pytest_lockin.frames.parquetfile.most_bytes", lambda: 100 * MIB)
    with pytest.raises(
        UnfitReferenceError, match=r"texts.parquet cannot be read: it takes more than 100 MiB"
    ):
        read_stored(bombs[1])
    assert peak() - before < 100


def test_a_stored_output_that_could_inflate_and_does_not_is_read(tmp_path):
    """A thousand texts, each of its own length: its footer cannot tell it from a bomb."""
    table = pa.table({"a": ["y" * (number % 100) for number in range(1000)]})
    pq.write_table(table, tmp_path / "a.parquet")
    assert read_parquet(tmp_path / "a.parquet", 300_000 + 100 * MIB).equals(table)
    # Too little for the footer's worst case, enough for the file: tried apart, and read.
    tried = []
    original = subprocess.run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess, "run", lambda *a, **k: tried.append(a) or original(*a, **k))
        wide = pa.table({"a": ["y" * 1000 + str(number) for number in range(100_000)]})
        pq.write_table(wide, tmp_path / "b.parquet", use_dictionary=False)
        assert read_parquet(tmp_path / "b.parquet", 2000 * MIB).equals(wide)
    assert len(tried) == 1


def test_the_reader_apart_takes_nothing_of_the_working_folder(tmp_path, monkeypatch):
    """A module of a suite's folder does not become part of the controller's reading."""
    (tmp_path / "pyarrow.py").write_text("raise SystemExit(0)\n")
    monkeypatch.chdir(tmp_path)
    bombs = parquet_bombs(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    with pytest.raises(InflatingError):
        read_parquet(bombs[1], 100 * MIB)

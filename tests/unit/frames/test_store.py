"""Frames on disk, and the digest of their content."""

from __future__ import annotations

import pyarrow as pa
import pytest

from pytest_lockin.errors import FrameError
from pytest_lockin.frames import Frame
from pytest_lockin.frames.store import digest_frame, read_frame, write_frame

SCHEMA = '{"type":"struct","fields":[]}'
NESTED = pa.table(
    {
        "m": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int32())),
        "s": pa.array([{"x": 1.5}, None, {"x": None}]),
        "d": pa.array(["a", None, "b"]).dictionary_encode(),
    }
)


@pytest.mark.parametrize(
    "frame", [Frame.of(NESTED, SCHEMA), Frame(table=pa.table({}), rows=3), Frame.of(NESTED.slice(3))]
)
def test_a_frame_comes_back_as_it_was(tmp_path, frame):
    path = tmp_path / "deep" / "f.arrow"
    write_frame(frame, path)
    back = read_frame(path)
    assert back.table.equals(frame.table, check_metadata=True)
    assert (back.rows, back.schema_json) == (frame.rows, frame.schema_json)
    assert digest_frame(back) == digest_frame(frame)
    assert [p.name for p in path.parent.iterdir()] == ["f.arrow"]


def test_the_tables_own_metadata_survives(tmp_path):
    table = pa.table({"a": [1]}).replace_schema_metadata({"mine": "kept"})
    write_frame(Frame.of(table), tmp_path / "f")
    assert read_frame(tmp_path / "f").table.schema.metadata == {b"mine": b"kept"}


def test_a_torn_file_is_a_frame_error(tmp_path):
    path = tmp_path / "f.arrow"
    write_frame(Frame.of(NESTED), path)
    whole = path.read_bytes()
    for torn in (b"", whole[: len(whole) // 2], b"no arrow at all", whole[:-20]):
        path.write_bytes(torn)
        with pytest.raises(FrameError, match="delete the file"):
            read_frame(path)


def test_a_missing_file_is_a_frame_error(tmp_path):
    with pytest.raises(FrameError, match="no such file"):
        read_frame(tmp_path / "gone.arrow")


def test_an_arrow_file_of_someone_else_is_a_frame_error(tmp_path):
    with pa.OSFile(str(tmp_path / "f"), "wb") as sink, pa.ipc.new_file(sink, NESTED.schema) as writer:
        writer.write_table(NESTED)
    with pytest.raises(FrameError, match="not a stored frame"):
        read_frame(tmp_path / "f")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "f"
    write_frame(Frame.of(NESTED), path)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(pa.ipc, "new_file", fail)
    with pytest.raises(OSError, match="disk full"):
        write_frame(Frame.of(NESTED.slice(1)), path)
    assert read_frame(path).rows == 3
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def digest(values, kind=None, **more):
    return digest_frame(Frame.of(pa.table({"c": pa.array(values, kind)}), **more))


def test_the_digest_sees_values_order_names_types_and_schema():
    base = digest([1, 2])
    assert base == digest([1, 2])
    assert base not in {digest([2, 1]), digest([1, 2, 3]), digest([1, None]), digest([1, 2], pa.int32())}
    assert base != digest([1, 2], schema_json=SCHEMA)
    assert base != digest_frame(Frame.of(pa.table({"d": [1, 2]})))
    assert digest_frame(Frame(table=pa.table({}), rows=1)) != digest_frame(Frame(table=pa.table({}), rows=2))


def test_the_digest_tells_neighbouring_strings_and_lists_apart():
    assert digest(["ab", "c"]) != digest(["a", "bc"])
    assert digest([[1], [2, 3]]) != digest([[1, 2], [3]])
    assert digest([None, ""]) != digest(["", None])
    assert digest([[]]) != digest([None], pa.list_(pa.null()))


def test_the_digest_is_blind_to_layout():
    texts = ["a", None, "b"]
    layouts = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
    assert len({digest(texts, kind) for kind in layouts}) == 1
    lists = [[1, 2], None, []]
    assert digest(lists, pa.list_(pa.int32())) == digest(lists, pa.large_list(pa.int32()))


def test_the_digest_is_blind_to_what_lies_under_a_null():
    hidden = pa.Array.from_buffers(pa.int64(), 2, [pa.py_buffer(b"\x01"), pa.array([1, 99]).buffers()[1]])
    assert hidden.to_pylist() == [1, None]
    assert digest_frame(Frame.of(pa.table({"c": hidden}))) == digest([1, None], pa.int64())

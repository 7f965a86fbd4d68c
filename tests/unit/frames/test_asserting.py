"""The function users call in their own tests."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

import pytest_lockin
from pytest_lockin.errors import FrameError
from pytest_lockin.frames import Frame, SortKey, Tolerance, assert_frames_equal

TABLE = pa.table({"id": [1, 2, 3], "x": [1.0, None, 2.5], "t": ["a", "b", None]})


class Exporting:
    """A table of another library: it only exports itself."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class FakeSpark:
    """What `assert_frames_equal` asks of a Spark DataFrame."""

    class _Schema:
        def json(self):
            names = {"id": "long", "x": "double", "t": "string"}
            fields = [
                f'{{"name":"{n}","type":"{t}","nullable":true,"metadata":{{}}}}' for n, t in names.items()
            ]
            return f'{{"type":"struct","fields":[{",".join(fields)}]}}'

    schema = _Schema()

    def toArrow(self):  # noqa: N802 - Spark's name
        return TABLE


def test_it_is_exported_from_the_package():
    assert pytest_lockin.assert_frames_equal is assert_frames_equal


@pytest.mark.parametrize("make", [lambda t: t, Frame.of, lambda t: FakeSpark(), Exporting])
def test_tables_of_many_kinds_are_taken(make):
    assert_frames_equal(TABLE, make(TABLE))
    with pytest.raises(AssertionError):
        assert_frames_equal(TABLE.slice(1), make(TABLE))


def test_pandas_frames_are_taken():
    assert_frames_equal(
        pa.table({"id": [1, 2], "t": ["a", None]}), pd.DataFrame({"id": [2, 1], "t": [None, "a"]})
    )


def test_the_message_has_expected_and_found():
    with pytest.raises(AssertionError) as raised:
        assert_frames_equal(TABLE, TABLE.slice(1))
    assert str(raised.value).splitlines() == [
        "frames differ",
        "expected 3 rows, found 2",
        "rows: 1 missing",
        "  missing: id=1, x=1.0, t='a'",
        "hint: floats compared within 1e-09 relative",
    ]


def test_rules_are_keywords():
    near = TABLE.set_column(1, "x", pa.array([1.001, None, 2.5]))
    assert_frames_equal(TABLE, near, floats=Tolerance(relative=0.01))
    with pytest.raises(AssertionError):
        assert_frames_equal(TABLE, near)
    with pytest.raises(AssertionError, match="out of order"):
        assert_frames_equal(TABLE, TABLE.take([1, 0, 2]), order=(SortKey(position=0),))


def test_an_unknown_rule_is_named():
    with pytest.raises(FrameError, match="tolerance"):
        assert_frames_equal(TABLE, TABLE, tolerance=1)


def test_something_that_is_no_table_is_refused_in_words():
    with pytest.raises(FrameError, match=r"builtins\.list"):
        assert_frames_equal(TABLE, [1, 2])

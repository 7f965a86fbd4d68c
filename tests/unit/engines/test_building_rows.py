"""Frames built from plain rows: nothing changes without a word."""

import datetime as dt
import json
from decimal import Decimal

import pytest

from pytest_lockin.engines.rows import build_frame
from pytest_lockin.errors import FrameError


def schema(**types):
    """Write a schema of nullable fields; a type that starts with `!` is not nullable."""
    fields = [
        {
            "name": name,
            "type": kind.removeprefix("!") if isinstance(kind, str) else kind,
            "nullable": not (isinstance(kind, str) and kind.startswith("!")),
            "metadata": {},
        }
        for name, kind in types.items()
    ]
    return json.dumps({"type": "struct", "fields": fields})


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity")])
def test_a_decimal_that_is_no_number_is_refused_not_made_null(value):
    with pytest.raises(FrameError, match="column 'a'"):
        build_frame([(Decimal(1),), (value,)], schema(a="!decimal(5,2)"))


def test_one_hidden_in_a_list_is_refused_too():
    kind = {"type": "array", "elementType": "decimal(5,2)", "containsNull": True}
    with pytest.raises(FrameError, match="no such decimal"):
        build_frame([([Decimal(1), Decimal("NaN")],)], schema(a=kind))


def test_null_where_the_schema_forbids_it_is_refused():
    with pytest.raises(FrameError, match="row 1"):
        build_frame([(1,), (None,)], schema(a="!integer"))


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(FrameError, match="2 values in row 0"):
        build_frame([(1,)], schema(a="integer", b="integer"))


@pytest.mark.parametrize(
    ("kind", "value"),
    [("byte", 300), ("integer", "x"), ("decimal(3,2)", Decimal("12.345")), ("date", "2020-01-01")],
)
def test_a_value_that_does_not_fit_is_refused_by_column(kind, value):
    with pytest.raises(FrameError, match="column 'a'"):
        build_frame([(value,)], schema(a=kind))


def test_rows_reach_the_engine_as_they_are(engine):
    array = {"type": "array", "elementType": "long", "containsNull": True}
    mapping = {"type": "map", "keyType": "string", "valueType": "integer", "valueContainsNull": True}
    struct = json.loads(schema(x="integer", y="string"))
    text = schema(
        a="!integer",
        b="decimal(5,2)",
        c="timestamp_ntz",
        d=array,
        e=mapping,
        f=struct,
        g="interval year to month",
        h="interval day",
        i="boolean",
    )
    row = (
        1,
        Decimal("1.50"),
        dt.datetime(2020, 1, 1, 12),  # noqa: DTZ001 - a local time
        [1, None],
        {"k": None},
        {"x": 1, "y": None},
        "INTERVAL '1-2' YEAR TO MONTH",
        dt.timedelta(days=3),
        False,
    )
    frame = build_frame([row, (2, *[None] * 8)], text)

    def body(engine, frame):
        return engine.to_frame(engine.from_frame(frame))

    back = engine(body, frame)
    assert back.table.to_pylist() == frame.table.to_pylist()
    assert [field["type"] for field in back.fields] == [field["type"] for field in json.loads(text)["fields"]]


def test_no_columns_keep_the_count():
    assert build_frame([(), ()], schema()).rows == 2

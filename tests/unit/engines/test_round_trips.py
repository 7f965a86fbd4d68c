"""What leaves an engine as a Frame comes back as the same DataFrame, on both engines."""

import json

import pyarrow as pa
import pytest

from pytest_lockin.engines.exchange import plan_passage
from pytest_lockin.frames.frame import Frame


def there_and_back(engine, query):
    first = engine.to_frame(engine.sql(query))
    second = engine.to_frame(engine.from_frame(first))
    return first, second


def types_of(frame):
    """The schema without nullability, which a rebuilt column may relax."""

    def strip(value):
        if isinstance(value, dict):
            loose = {"nullable", "containsNull", "valueContainsNull"}
            return {key: strip(part) for key, part in value.items() if key not in loose}
        return [strip(part) for part in value] if isinstance(value, list) else value

    return strip(json.loads(frame.schema_json))


EXACT = {
    "integers": "select cast(1 as tinyint) a, cast(2 as smallint) b, 3 c, 4L d, cast(null as int) e",
    "floats": "select cast(1.5 as float) a, 2.5D b, double('nan') c, double('-infinity') d, float('nan') e",
    "booleans and text": "select true a, '' b, repeat('x', 100000) c, 'é漢😀' d, X'00ff' e",
    "decimals": "select cast('1.10' as decimal(5,2)) a, cast(repeat('9', 38) as decimal(38,0)) b",
    "dates": "select date'0001-01-01' a, date'9999-12-31' b, cast(null as date) c",
    "instants and local times": "select timestamp'2020-10-25 00:30:00.123456Z' a,"
    " timestamp_ntz'2020-10-25 02:30:00.123456' b",
    "times outside Python's years": "select timestamp_micros(253402300800000000) a,"
    " timestamp_micros(-62135596800000001) b, timestamp_micros(9223372036854775807) c",
    "arrays": "select array(1, null) a, array('a') b, cast(array() as array<int>) c, array(array(1), null) d,"
    " cast(null as array<int>) e",
    "maps": "select map('a', 1, 'b', null) a, map(1, array('x')) b, cast(null as map<string,int>) c",
    "structs": "select named_struct('a', 1, 'b', named_struct('c', array(1, 2))) a,"
    " cast(null as struct<x:int>) b, named_struct('v', null) c",
    "void": "select null a, 1 b",
    "one name twice": "select 1 as c, 2 as c, 'x' as C",
    "odd names": "select 1 as `a.b`, 2 as `x y`, 3 as `q``t`, 4 as ``",
    "no rows": "select 1 a, 'x' b, array(1) c, timestamp_ntz'2020-01-01 00:00:00' d where 1 = 0",
}

REBUILT = {
    "year-month intervals": "select interval '1-2' year to month a, interval '-3' year b,"
    " interval '5' month c, cast(null as interval year to month) d",
    "day-time intervals": "select interval '1 02:03:04.567' day to second a, interval '3' day b,"
    " interval '-5' hour c",
    "calendar intervals": "select make_interval(1, 2, 3, 4) a",
    "nested intervals": "select named_struct('i', interval '1-2' year to month, 't',"
    " timestamp'2020-01-01 00:00:00.123456', 'd', double('nan')) a, array(interval '1' year, null) b,"
    " cast(null as struct<i: interval month>) c",
    "variants": """select parse_json('{"a":[1,2.5,"x",null]}') a, parse_json(null) b""",
    "nested variants": """select array(parse_json('[1]')) a""",
    "one field name twice": "select named_struct('a', 1, 'a', 'x') a, array(named_struct('b', 1, 'b', 2)) b",
    "arrays of nothing": "select array() a",
    "no rows": "select interval '1' year a, parse_json('1') b where 1 = 0",
    "an interval beside one name twice": "select interval '1' year c, 2 as c",
}


@pytest.mark.parametrize("query", EXACT.values(), ids=EXACT)
def test_what_arrow_carries_comes_back_with_the_same_rows_and_schema(engine, query):
    first, second = engine(there_and_back, query)
    assert first.rows == second.rows == first.table.num_rows
    # NaN differs from NaN in Table.equals.
    assert first.table.equals(second.table) or str(first.table) == str(second.table)
    assert first.schema_json == second.schema_json


@pytest.mark.parametrize("query", REBUILT.values(), ids=REBUILT)
def test_what_arrow_cannot_carry_is_rendered_and_made_again(engine, query):
    first, second = engine(there_and_back, query)
    assert str(first.table.to_pydict()) == str(second.table.to_pydict())
    assert types_of(first) == types_of(second)


def test_the_rendered_text_is_the_value_itself(engine):
    def body(engine):
        query = """select interval '1-2' year to month a, parse_json('{"k": 1}') b"""
        return engine.to_frame(engine.sql(query)).table.to_pylist()

    assert engine(body) == [{"a": "INTERVAL '1-2' YEAR TO MONTH", "b": '{"k":1}'}]


def test_both_values_of_a_repeated_name_survive(engine):
    def body(engine):
        struct = "select named_struct('a', 1, 'a', 'x') s"
        again = engine.from_frame(engine.to_frame(engine.sql(struct)))
        flat = engine.from_frame(engine.to_frame(engine.sql("select 1 as c, 2 as c")))
        return engine.to_frame(again).table.column("s").to_pylist(), flat.collect()[0]

    struct, flat = engine(body)
    assert list(struct[0].values()) == [1, "x"]
    assert tuple(flat) == (1, 2)


@pytest.mark.parametrize("rows", [0, 3])
def test_a_frame_without_columns_keeps_its_row_count(engine, rows):
    def body(engine, rows):
        nothing = engine.session().range(rows).select()
        frame = engine.to_frame(nothing)
        again = engine.from_frame(frame)
        return frame.rows, frame.table.num_columns, again.count(), again.columns

    assert engine(body, rows) == (rows, 0, rows, [])


def test_zero_rows_keep_their_schema_when_built_by_hand(engine):
    schema = '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":false,"metadata":{"k":1}}]}'
    empty = Frame.of(pa.table({"a": pa.array([], pa.int32())}), schema)

    def body(engine, frame):
        dataframe = engine.from_frame(frame)
        return dataframe.count(), json.loads(dataframe.schema.json())

    rows, found = engine(body, empty)
    assert (rows, found) == (0, json.loads(schema))


def test_nulls_against_the_schema_make_the_field_nullable_and_are_kept(engine):
    field = {"name": "a", "type": "integer", "nullable": False, "metadata": {}}
    listed = {"type": "array", "elementType": "long", "containsNull": False}
    other = {"name": "b", "type": listed, "nullable": False, "metadata": {}}
    frame = Frame.of(
        pa.table({"a": pa.array([1, None], pa.int32()), "b": pa.array([[1], [None]], pa.list_(pa.int64()))}),
        json.dumps({"type": "struct", "fields": [field, other]}),
    )

    def body(engine, frame):
        dataframe = engine.from_frame(frame)
        rows = sorted(map(tuple, dataframe.collect()), key=str)
        return (
            rows,
            [field.nullable for field in dataframe.schema],
            dataframe.schema["b"].dataType.containsNull,
        )

    assert engine(body, frame) == ([(1, [1]), (None, [None])], [True, False], True)


def test_char_and_varchar_lengths_stay_in_the_schema(engine):
    schema = {
        "type": "struct",
        "fields": [
            {
                "name": "a",
                "type": "string",
                "nullable": True,
                "metadata": {"__CHAR_VARCHAR_TYPE_STRING": "varchar(5)"},
            }
        ],
    }
    frame = Frame.of(pa.table({"a": ["x"]}), json.dumps(schema))

    def body(engine, frame):
        return json.loads(engine.to_frame(engine.from_frame(frame)).schema_json)

    assert engine(body, frame) == schema


def test_timestamps_without_a_zone_do_not_become_instants(engine):
    def body(engine):
        frame = engine.to_frame(engine.sql("select timestamp_ntz'2020-01-01 00:00:00' a"))
        return frame.table.schema.field("a").type.tz, engine.from_frame(frame).schema["a"].dataType.typeName()

    assert engine(body) == (None, "timestamp_ntz")


def test_a_value_that_cannot_be_made_again_is_refused_by_name(engine):
    def body(engine):
        from pytest_lockin.errors import FrameError

        frame = engine.to_frame(engine.sql("select map() m"))
        with pytest.raises(FrameError) as caught:
            engine.from_frame(frame)
        return caught.value.found

    assert "column 'm'" in engine(body)


@pytest.mark.spark
def test_a_schema_is_exact_after_the_program_asked_for_large_types(spark):
    def body(engine):
        engine.session().conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
        return str(engine.to_frame(engine.sql("select 'a' x")).table.schema.field("x").type)

    assert spark(body) == "string"


def test_planning_leaves_plain_columns_alone():
    schema = {"type": "struct", "fields": [{"name": "a", "type": "long", "nullable": False, "metadata": {}}]}
    (passage,) = plan_passage(json.dumps(schema))
    assert passage.leaves_as_is
    assert passage.comes_as_is

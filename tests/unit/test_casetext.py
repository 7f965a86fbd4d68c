"""A pytest case as text: valid Python of any cell, called as the program wants it."""

import ast
import datetime as dt
import math
from decimal import Decimal

import pyarrow as pa
import pytest

from pytest_lockin.errors import LockinError
from pytest_lockin.fixtures.casetext import CaseText, Style, read_style, render_case
from pytest_lockin.fixtures.trycase import _program
from pytest_lockin.model.fixture import ColumnProfile, Dataset, Profile, Rows, TableProfile
from pytest_lockin.model.task import Kind, Obligation, Source

COLUMNS = {
    "id": "bigint",
    "day": "date",
    "at": "timestamp",
    "name": "string",
    "net": "decimal(7,2)",
    "x": "double",
}
PROFILE = Profile(
    tables=(TableProfile(name="t", columns=tuple(ColumnProfile(name=n, type=k) for n, k in COLUMNS.items())),)
)
CELLS = (
    1,
    dt.date(2020, 2, 29),
    dt.datetime.fromisoformat("2020-02-29T01:02:00"),
    "a\"b'\\\n",
    Decimal("-0.10"),
    math.nan,
)


def case(rows, expected, kind=Kind.FILTER, text='Keep "it" \\ whole.'):
    return CaseText(
        obligation=Obligation(id="O1", kind=kind, source=Source.PROMPT, text=text),
        fails_where="it is left out",
        dataset=Dataset(id="d", purpose="", tables=(Rows(table="t", columns=tuple(COLUMNS), rows=rows),)),
        profile=PROFILE,
        expected=expected,
        ordered=kind is Kind.ORDER,
    )


def run(text, result):
    """Run the case in a world where the program gives `result`; give the tables it was called with."""

    class Frame(list):
        columns = list(result[0]) if result else []

        def collect(self):
            return [tuple(row.values()) for row in result]

    class Spark:
        def createDataFrame(self, rows, schema):  # noqa: N802 - as Spark has it
            return rows, schema

    seen = {}

    def solve(spark, tables):
        seen.update(tables)
        return Frame()

    lines = [line for line in text.splitlines() if not line.startswith(("from solution", "from pyspark"))]
    world = {"solve": solve}
    exec(compile("\n".join(lines), "case", "exec"), world)
    next(value for name, value in world.items() if name.startswith("test_"))(Spark())
    return seen


def test_every_kind_of_cell_comes_through_as_it_was():
    expected = pa.table({"name": ["b", "a"], "x": [1.5, None], "d": [dt.date(2020, 1, 1), None]})
    text = render_case(case((CELLS, (None,) * 6), expected), Style(spark_fixture=True))
    rows, schema = run(text, expected.to_pylist())["t"]
    assert {**rows[0], "x": 0} == {**dict(zip(COLUMNS, CELLS, strict=True)), "x": 0}
    assert math.isnan(rows[0]["x"])
    assert rows[1] == {}
    assert schema == ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())


def test_another_result_fails_in_any_order_of_rows_but_where_order_is_meant():
    expected = pa.table({"name": ["b", "a"]})
    other_order = expected.to_pylist()[::-1]
    text = render_case(case((CELLS,), expected), Style(spark_fixture=True))
    run(text, other_order)
    with pytest.raises(AssertionError):
        run(text, [{"name": "b"}])
    ordered = render_case(case((CELLS,), expected, Kind.ORDER), Style(spark_fixture=True))
    run(ordered, expected.to_pylist())
    with pytest.raises(AssertionError):
        run(ordered, other_order)


def test_names_are_asked_for_where_they_are_meant():
    expected = pa.table({"name": ["b"]})
    text = render_case(case((CELLS,), expected, Kind.SCHEMA), Style(spark_fixture=True))
    run(text, expected.to_pylist())
    with pytest.raises(AssertionError):
        run(text, [{"Name": "b"}])


def test_no_rows_at_all_is_a_case_too():
    text = render_case(case((), pa.table({"name": pa.array([], pa.string())})), Style())
    ast.parse(text)
    assert "SparkSession.builder.getOrCreate()" in text
    assert "== []" in text


@pytest.mark.parametrize(
    ("program", "call"),
    [
        ("def solve(spark, tables): ...", "solve(spark, tables)"),
        ("def solve(dfs): ...", "solve(tables)"),
        ("def solve(orders, items_df, limit=3): ...", 'solve(tables["orders"], tables["items"])'),
        ("def solve(limit=3, orders=None): ...", 'solve(orders=tables["orders"])'),
        ("def solve(s: SparkSession, *, orders): ...", 'solve(s=spark, orders=tables["orders"])'),
        ("def other(): ...", "solve(spark, tables)"),
    ],
)
def test_a_program_is_called_by_its_parameters(program, call):
    style = read_style(program, "solution", "solve", ["orders", "items"], spark_fixture=False)
    assert style.call == call
    ast.parse(_program(style, "SELECT 'it''s' FROM orders"))


def test_a_parameter_that_fits_nothing_is_one_clear_message():
    with pytest.raises(LockinError, match="solve needs what"):
        read_style("def solve(orders, what): ...", "solution", "solve", ["orders"], spark_fixture=False)

from datetime import date, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.profile import check_legal, make_profile, mine_facts
from pytest_lockin.fixturegen.rules import read_rule
from pytest_lockin.model.fixture import Basis, Dataset, Rows
from pytest_lockin.model.task import Column, Pointer, Rule, Table, Task
from pytest_lockin.taskbank.bank import load_bank
from pytest_lockin.taskbank.tables import find_table

LINES = Table(
    name="lines",
    key=("line",),
    unique=(("order_id", "product"),),
    foreign=(Pointer(columns=("order_id",), table="orders", targets=("id",)),),
    derived=(Rule(column="year", expression="year(day)"),),
    columns=(
        Column(name="line", type="bigint", nullable=False),
        Column(name="order_id", type="bigint"),
        Column(name="product", type="string", values=("apple", "pear")),
        Column(name="day", type="date", low="2020-01-01", high="2029-12-31"),
        Column(name="year", type="int"),
        Column(name="price", type="decimal(5,2)"),
    ),
)
ORDERS = Table(name="orders", key=("id",), columns=(Column(name="id", type="bigint", nullable=False),))
PROFILE = make_profile(Task(id="t", tables=(LINES, ORDERS)))
GOOD = (1, 7, "apple", date(2024, 5, 6), 2024, Decimal("1.50"))


def dataset(*lines, orders=((7,),)):
    names = tuple(column.name for column in LINES.columns)
    return Dataset(
        id="d",
        purpose="",
        tables=(
            Rows(table="lines", columns=names, rows=lines),
            Rows(table="orders", columns=("id",), rows=orders),
        ),
    )


def changed(**cells):
    names = [column.name for column in LINES.columns]
    return tuple(cells.get(name, value) for name, value in zip(names, GOOD, strict=True))


def rules(*lines, **more):
    return {found.rule for found in check_legal(dataset(*lines, **more), PROFILE)}


def test_a_row_that_keeps_every_rule_is_legal():
    assert rules(GOOD) == set()
    assert rules(GOOD, changed(line=2, order_id=None), changed(line=3, order_id=None)) == set()


@pytest.mark.parametrize(
    ("cells", "rule"),
    [
        ({"line": None}, "null"),
        ({"line": 1.0}, "type"),
        ({"line": True}, "type"),
        ({"line": 2**63}, "type"),
        ({"price": Decimal("1.505")}, "type"),
        ({"price": Decimal(1000)}, "type"),
        ({"price": 1.5}, "type"),
        ({"product": "plum"}, "domain"),
        ({"day": date(2019, 12, 31), "year": 2019}, "bounds"),
        ({"year": 2023}, "derived"),
        ({"day": None}, "derived"),
        ({"order_id": 8}, "foreign"),
    ],
)
def test_each_rule_is_noticed_when_one_cell_breaks_it(cells, rule):
    assert rules(changed(**cells)) == {rule}


def test_keys_are_unique_as_a_whole():
    assert rules(GOOD, changed(line=2)) == {"unique"}
    assert rules(GOOD, changed(product="pear")) == {"unique"}
    assert rules(GOOD, changed(line=2, product="pear")) == set()
    assert rules(GOOD, changed(line=2, product=None), changed(line=3, product=None)) == set()


def test_tables_and_columns_the_task_does_not_have_are_noticed():
    strange = Dataset(id="d", purpose="", tables=(Rows(table="nope", columns=(), rows=()),))
    short = Dataset(id="d", purpose="", tables=(Rows(table="orders", columns=("ID",), rows=()),))
    ragged = Dataset(id="d", purpose="", tables=(Rows(table="orders", columns=("id",), rows=((),)),))
    assert [check_legal(each, PROFILE)[0].rule for each in (strange, short, ragged)] == [
        "table",
        "columns",
        "columns",
    ]


def test_every_task_has_a_profile_and_states_its_own_facts():
    for task in load_bank():
        profile = make_profile(task)
        assert [table.name for table in profile.tables] == [table.name for table in task.tables]
        assert all(column.basis is Basis.STATED for table in profile.tables for column in table.columns)
        empty = Dataset(id="empty", purpose="", tables=())
        assert check_legal(empty, profile) == ()


DAYS = st.dates(date(1901, 1, 1), date(2099, 12, 31))


@given(DAYS)
def test_the_calendars_rules_agree_with_python(day):
    row = {"d_date": day}
    for rule in make_profile(Task(id="t", tables=(find_table("date_dim"),))).tables[0].derived:
        row[rule.column] = read_rule(rule.rule)(row)
    assert (row["d_year"], row["d_moy"], row["d_dom"]) == (day.year, day.month, day.day)
    assert row["d_day_name"] == day.strftime("%A")
    assert date(1900, 1, 1) + timedelta(days=row["d_date_sk"] - 2415021) == day
    assert row["d_week_seq"] == (day - date(1900, 1, 2)).days // 7 + 1
    assert row["d_quarter_name"] == f"{day.year}Q{(day.month + 2) // 3}"


def test_the_calendar_is_that_of_the_data():
    """One row as the generator of the benchmark writes it."""
    row = {"d_date": date(2000, 1, 4)}
    for rule in make_profile(Task(id="t", tables=(find_table("date_dim"),))).tables[0].derived:
        row[rule.column] = read_rule(rule.rule)(row)
    assert row["d_date_sk"] == 2451548
    assert (row["d_month_seq"], row["d_week_seq"], row["d_quarter_seq"]) == (1200, 5219, 401)
    assert (row["d_dow"], row["d_weekend"], row["d_first_dom"]) == (2, "N", 2451545)


@pytest.mark.parametrize(
    ("rule", "row", "value"),
    [
        ("a + b", {"a": 1, "b": None}, None),
        ("case when a > 1 then 'x' end", {"a": None}, None),
        ("case a when 1 then 'x' else 'y' end", {"a": 1}, "x"),
        ("a > 1 or b = 1", {"a": None, "b": 1}, True),
        ("a > 1 and b = 1", {"a": None, "b": 0}, False),
        ("coalesce(a, 3)", {"a": None}, 3),
        ("a in (1, 2)", {"a": 3}, False),
        ("a / 0", {"a": 3}, None),
        ("a % 3", {"a": -4}, -1),
        ("substr(a, 2, 2)", {"a": "abcd"}, "bc"),
        ("upper(a) || 'x'", {"a": "b"}, "Bx"),
        ("a is null", {"a": None}, True),
    ],
)
def test_rules_follow_sql(rule, row, value):
    assert read_rule(rule)(row) == value


@pytest.mark.parametrize("rule", ["rand()", "year(", "a || b || explode(c)"])
def test_rules_that_cannot_be_read_are_refused(rule):
    with pytest.raises(FixturesError, match="a rule of columns"):
        read_rule(rule)


def test_rules_that_need_each_other_are_refused():
    table = Table(
        name="t",
        columns=(Column(name="a", type="int"), Column(name="b", type="int")),
        derived=(Rule(column="a", expression="b + 1"), Rule(column="b", expression="a + 1")),
    )
    with pytest.raises(FixturesError, match="none of which needs itself"):
        make_profile(Task(id="t", tables=(table,)))


def test_values_are_read_by_their_type():
    table = Table(name="t", columns=(Column(name="a", type="date", low="soon"),))
    with pytest.raises(FixturesError, match="a value of type date"):
        make_profile(Task(id="t", tables=(table,)))


def test_what_only_the_sample_shows_is_marked_as_mined():
    sample = mine_facts({"t": pa.table({"id": list(range(30)), "code": [1, None] * 15, "day": ["x"] * 30})})
    table = make_profile(Task(id="t", tables=(Table(name="t"),)), sample).tables[0]
    assert [(column.type, column.nullable) for column in table.columns] == [
        ("bigint", False),
        ("bigint", True),
        ("string", False),
    ]
    assert [(key.columns, key.basis) for key in table.unique] == [(("id",), Basis.MINED)]
    assert {column.basis for column in table.columns} == {Basis.MINED}


def test_few_rows_support_no_fact():
    table = make_profile(
        Task(id="t", tables=(Table(name="t"),)), mine_facts({"t": pa.table({"id": [1, 2]})})
    ).tables[0]
    assert (table.unique, table.columns[0].nullable) == ((), True)


def test_a_table_nothing_is_known_of_is_refused():
    with pytest.raises(FixturesError, match="the columns of table t"):
        make_profile(Task(id="t", tables=(Table(name="t"),)))

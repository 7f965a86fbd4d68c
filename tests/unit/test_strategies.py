"""`tables_for`: what it draws is legal, and tells programs apart."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from pytest_lockin.errors import LockinError
from pytest_lockin.fixturegen.legal import check_legal
from pytest_lockin.fixturegen.profile import make_profile
from pytest_lockin.model.fixture import Dataset, Rows
from pytest_lockin.strategies import read_literals, tables_for
from pytest_lockin.taskbank.loader import load_task

TASKS = sorted((Path(__file__).parents[2] / "tasks").glob("*/task.yaml"))
TASK = """\
id: shops
prompt: Total of each shop for sales over 10 in 'Bonn' since 2024-03-01.
tables:
- name: sale
  key: [id]
  foreign:
  - {columns: [shop], table: shop, targets: [shop_id]}
  columns:
  - {name: id, type: bigint, nullable: false}
  - {name: shop, type: bigint}
  - {name: sold, type: date}
  - {name: price, type: 'decimal(7,2)'}
  - {name: cost, type: 'decimal(7,2)'}
- name: shop
  key: [shop_id]
  columns:
  - {name: shop_id, type: bigint, nullable: false}
  - {name: city, type: string}
"""

CIRCLE = """\
id: t
tables:
- name: a
  key: [i]
  foreign: [{columns: [j], table: b, targets: [j]}]
  columns: [{name: i, type: int}, {name: j, type: int}]
- name: b
  key: [j]
  foreign: [{columns: [i], table: a, targets: [i]}]
  columns: [{name: i, type: int}, {name: j, type: int}]
"""


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    path = tmp_path_factory.mktemp("task") / "task.yaml"
    path.write_text(TASK)
    return path


def as_dataset(tables):
    rows = (
        Rows(
            table=name,
            columns=tuple(found[0]) if found else (),
            rows=tuple(tuple(row.values()) for row in found),
        )
        for name, found in tables.items()
    )
    return Dataset(id="drawn", purpose="", tables=tuple(each for each in rows if each.rows))


@pytest.mark.parametrize("path", TASKS, ids=lambda path: path.parent.name)
def test_everything_drawn_is_legal(path):
    loaded = load_task(path)
    profile = make_profile(loaded)

    @settings(max_examples=8, database=None)
    @given(tables=tables_for(loaded, max_rows=3))
    def check(tables):
        assert check_legal(as_dataset(tables), profile) == ()
        assert list(tables) == [table.name for table in profile.tables]

    check()


def finds(strategy, condition):
    return find(strategy, condition, settings=settings(max_examples=2000, database=None))


@pytest.mark.parametrize(
    "shows",
    [
        lambda t: any(row["price"] == 10 for row in t["sale"]),
        lambda t: any(row["price"] == Decimal("10.01") for row in t["sale"]),
        lambda t: any(row["sold"] == date(2024, 2, 29) for row in t["sale"]),
        lambda t: any(row["shop"] is None for row in t["sale"]),
        lambda t: any(row["city"] == "Bonn" for row in t["shop"]),
        lambda t: {row["shop_id"] for row in t["shop"]} - {row["shop"] for row in t["sale"]},
        lambda t: len(t["sale"]) > 1 and len({row["price"] for row in t["sale"]}) == 1,
        lambda t: not t["shop"] and t["sale"],
    ],
    ids=["boundary", "above", "day-before", "null-key", "word", "no-partner", "tie", "empty-table"],
)
def test_what_tells_programs_apart_is_drawn(task, shows):
    assert shows(finds(tables_for(task), shows))


def test_a_difference_shrinks_to_the_row_that_shows_it(task):
    def differ(tables):
        bonn = {row["shop_id"] for row in tables["shop"] if row["city"] == "Bonn"}
        sold = [row for row in tables["sale"] if row["shop"] in bonn and row["price"] is not None]
        return sum(row["price"] > 10 for row in sold) != sum(row["price"] >= 10 for row in sold)

    smallest = finds(tables_for(task), differ)
    assert [len(rows) for rows in smallest.values()] == [1, 1]
    assert smallest["sale"][0]["price"] == 10


@settings(max_examples=20, database=None, phases=[Phase.generate])
@given(data=st.data())
def test_columns_of_one_type_differ_but_where_they_meet_a_literal(task, data):
    tables = data.draw(tables_for(task))
    for row in tables["sale"]:
        near = {None, Decimal(10), Decimal("10.01"), Decimal("9.99")}
        assert row["price"] != row["cost"] or row["price"] in near


def test_tables_become_frames_of_the_tasks_types(task):
    class Spark:
        def createDataFrame(self, rows, schema):  # noqa: N802 - as Spark has it
            return rows, schema

    tables = finds(tables_for(task), lambda t: t["shop"] and t["sale"])
    rows, schema = tables.to_spark(Spark())["shop"]
    assert schema == "`shop_id` bigint, `city` string"
    assert rows == [tuple(row.values()) for row in tables["shop"]]


def test_literals_of_a_text_are_numbers_days_and_quoted_words():
    text = "Over 10.5 since 2024-03-01 in 'Bonn', `web`; not 2024-13-01 nor q42 nor v1.2."
    assert read_literals(text) == (Decimal("10.5"), date(2024, 3, 1), "Bonn", "web")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("id: t\n", "`tables` of the task"),
        (
            "id: t\ntables:\n- name: a\n  columns:\n  - {name: x, type: 'array<int>'}\n",
            "a type without parts",
        ),
        (
            CIRCLE,
            "a circle among a, b",
        ),
    ],
)
def test_a_task_no_table_can_be_drawn_for_is_one_clear_message(text, found, tmp_path):
    path = tmp_path / "task.yaml"
    path.write_text(text)
    with pytest.raises(LockinError, match=found):
        tables_for(path)


def test_a_table_that_points_at_itself_finds_no_partner(tmp_path):
    text = (
        "id: t\ntables:\n- name: a\n  key: [i]\n"
        "  foreign: [{columns: [j], table: a, targets: [i]}]\n"
        "  columns: [{name: i, type: int, nullable: false}, {name: j, type: int}]\n"
    )
    path = tmp_path / "task.yaml"
    path.write_text(text)
    found = finds(tables_for(path), lambda t: len(t["a"]) > 1)
    assert [row["j"] for row in found["a"]] == [None, None]

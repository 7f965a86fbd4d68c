"""A candidate that is right on the data and wrong on a frozen fixture is wrong, and the rows show it."""

import json

import pytest

from pytest_lockin.fixturegen.lock import make_seal, write_fixtures
from pytest_lockin.model.fixture import Fixture, FixtureTable, Profile

TASK = """
id: big
tables:
- name: orders
  key: [id]
  columns:
  - {name: id, type: int, nullable: false}
  - {name: amount, type: double}
"""
SOLUTION = """
    from pyspark.sql import functions as F

    def solve(spark, tables):
        return tables["orders"].where(F.col("amount") >= 10).select("id", "amount")
"""
ROWS = ((1, 10.0), (2, 57.3), (3, None))


def freeze(project, *rows, name="small", task="big", post_hoc=False):
    """Freeze one fixture of the `orders` table for the project's task."""
    table = FixtureTable(
        name="orders",
        columns=(("id", "int"), ("amount", "double")),
        rows=rows,
        uses=tuple(f"row {number}" for number, _ in enumerate(rows)),
    )
    fixture = Fixture(task=task, name=name, purpose="the boundary", tables=(table,), post_hoc=post_hoc)
    seal = make_seal(Profile(tables=()), "SELECT 1")
    return write_fixtures(project.root / "fixtures", task, (fixture,), (), seal)


@pytest.fixture
def wrong(project):
    """A suite whose program keeps the boundary; no row of the data lies on it."""
    project.suite("one", solution=SOLUTION)
    project.task("one", TASK)
    project.reference()
    return project


def test_without_a_fixture_the_data_cannot_show_it(wrong):
    assert wrong.run("suites").task("one")["verdict"] == "true_pass"


def test_a_fixture_shows_it_on_the_row_that_matters(wrong):
    freeze(wrong, *ROWS)
    ran = wrong.run("suites")
    assert ran.status == 1
    task = ran.task("one")
    assert task["verdict"] == "false_pass"
    assert task["agreement"]["agrees"]
    (found,) = task["fixtures"]
    assert (found["agrees"], found["category"]) == (False, "row_count")
    witness = found["witness"]
    assert witness["shrunk"]
    (orders,) = witness["inputs"]
    assert (orders["columns"], len(orders["rows"])) == (["id", "amount"], 1)
    assert orders["rows"][0][1] == "10.0"
    assert witness["expected"]["rows"] == []
    assert len(witness["found"]["rows"]) == 1
    ran.match(
        "suites/one*FALSE PASS*right on the data, wrong on fixture small",
        "  fixture small: another number of rows (2 instead of 1)",
        "*witness: orders 1 row",
        "*orders: id  amount",
        "*10.0",
        "*expected: no rows",
        "lockin gate: FAILED*",
    )


def test_a_right_program_agrees_on_the_fixture_too(project):
    project.suite("one")
    project.task("one", TASK)
    project.reference()
    freeze(project, *ROWS)
    ran = project.run("suites")
    assert ran.task("one")["verdict"] == "true_pass"
    ran.match("*TRUE PASS*reference agrees on the data and on 1 fixture")


def test_fixtures_can_be_left_out(wrong):
    freeze(wrong, *ROWS)
    task = wrong.run("suites", "--lockin-fixtures", "off").task("one")
    assert (task["verdict"], task["fixtures"]) == ("true_pass", [])


def test_a_fixture_made_after_the_candidate_is_shown_and_decides_nothing(wrong):
    freeze(wrong, *ROWS, post_hoc=True)
    assert wrong.run("suites").task("one")["fixtures"] == []
    ran = wrong.run("suites", "--lockin-fixtures", "all")
    task = ran.task("one")
    assert task["verdict"] == "true_pass"
    assert [each["agrees"] for each in task["fixtures"]] == [False]
    ran.match("*TRUE PASS   reference agrees", "  fixture small: *(made after a candidate was read*")


def test_a_fixture_on_which_the_reference_raises_is_dropped_and_said(project):
    project.suite("one")
    project.task("one", TASK)
    sql = "SELECT id, amount FROM orders WHERE amount > 10 AND assert_true(id < 100) IS NULL\n"
    project.reference(**{"reference.sql": sql})
    freeze(project, (1000, 57.3))
    ran = project.run("suites", "-v")
    task = ran.task("one")
    assert task["verdict"] == "true_pass"
    assert task["fixtures"][0]["agrees"] is None
    ran.match("*fixture small says nothing: reference.sql raised*")


def test_a_changed_fixture_leaves_no_verdict(wrong):
    paths = freeze(wrong, *ROWS)
    path = next(path for path in paths if path.name == "small.json")
    path.write_text(path.read_text().replace("10.0", "11.0"))
    ran = wrong.run("suites")
    assert ran.status == 1
    task = ran.task("one")
    assert task["verdict"] == "unverified"
    assert "as they were locked, found big/small.json: was changed" in task["reason"]


def test_a_folder_called_fixtures_that_is_not_ours_is_left_alone(wrong):
    wrong.write("fixtures/big/small.json", json.dumps({"some": "one's"}))
    assert wrong.run("suites").task("one")["verdict"] == "true_pass"


def test_an_unknown_word_is_refused(wrong):
    ran = wrong.run("suites", "--lockin-fixtures", "some")
    assert ran.status == 4
    assert "--lockin-fixtures some" in ran.err

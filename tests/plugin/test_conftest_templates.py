"""The conftests that `lockin init` copies: each runs under lockin, gives tables, and its rows can be swapped."""

import subprocess
import sys
from pathlib import Path

import pytest
from plugin_project import outer_environment

from pytest_lockin.adopt.shipped import TEMPLATES, read_template

MAPPING = """
from pyspark.sql import functions as F

def solve(spark, tables):
    return tables["orders"].join(tables["customers"], "customer_id").where(F.col("status") == "paid")
"""
PLAIN = MAPPING.replace("spark, tables", "orders, customers").replace('tables["orders"]', "orders").replace(
    'tables["customers"]', "customers"
)  # fmt: skip
TESTS = """
from decimal import Decimal

import pytest
from solution import solve

PAID = [(1, 1, "paid", Decimal("9.50"))]

@pytest.fixture
def rows():
    return {"orders": PAID, "customers": [(1, "Oslo")]}

def ids(frame):
    return [row.order_id for row in frame.collect()]

def test_rows_of_this_file(CALLED):
    assert ids(solve(CALL)) == [1]

@pytest.mark.parametrize("rows", [{}, {"orders": PAID}], ids=["none", "no customers"])
def test_rows_of_this_case(CALLED):
    assert ids(solve(CALL)) == []

@pytest.mark.parametrize("rows", [{"orders": [], "lines": []}])
def test_a_table_without_schema_is_refused(rows, request):
    with pytest.raises(AssertionError, match="lines"):
        request.getfixturevalue("tables")
"""


def write_suite(folder, template):
    plain = template == "functions"
    called, call = ("orders, customers", "orders, customers") if plain else ("spark, tables", "spark, tables")
    files = {
        "conftest.py": read_template(template),
        "solution.py": PLAIN if plain else MAPPING,
        "test_solution.py": TESTS.replace("CALLED", called).replace("CALL", call),
        "task.yaml": f"id: {template}\n",
    }
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def test_each_template_runs_under_lockin_and_its_rows_can_be_swapped(project):
    """Ordinary tests have the conftest above suites, and not one beside a suite: `lockin init` warns of that."""
    for name in TEMPLATES:
        write_suite(project.root / "suites" / name, name)
    project.write("conftest.py", read_template("session"))
    project.write("tests/test_plain.py", "def test_above(rows): assert rows == {}\n")
    project.write("suites/functions/test_beside.py", "def test_beside(orders): ...\n")
    ran = project.run("suites", "tests")
    assert ran.counts == {"passed": 4 * len(TEMPLATES) + 1, "error": 1}, ran.out
    assert "fixture 'orders' not found" in ran.out
    for task in ran.report["tasks"]:
        assert task["observed_calls"] == 3, task["suite"]


@pytest.fixture(scope="module")
def server():
    """The address of a Spark Connect server that is not lockin's own."""
    serve = "from pysail.spark import SparkConnectServer as S; s = S('127.0.0.1', 0); s.start()\n"
    serve += "print(s.listening_address[1], flush=True); import sys; sys.stdin.read()"
    command = [sys.executable, "-c", serve]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield f"sc://127.0.0.1:{int(process.stdout.readline())}"
        process.stdin.close()


def test_the_connect_template_finds_the_server_it_is_told(tmp_path, server):
    """Without lockin."""
    write_suite(tmp_path / "suite", "connect")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:lockin", "-p", "no:randomly", "-p", "no:cacheprovider", "-q"],
        cwd=tmp_path / "suite", env=outer_environment() | {"SPARK_REMOTE": server}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    assert "4 passed" in ran.stdout


def test_a_suite_is_judged_on_a_server_as_the_page_says(project, server):
    """docs/how-to/spark-connect.md: no sandbox, and it says so; CI asks for a word; nothing is confirmed."""
    project.suite("big-one")
    project.reference()
    ran = project.run("suites", engine=server)
    assert ran.status == 0, ran.out
    assert "NO SANDBOX" in ran.out
    assert (ran.task("big-one")["verdict"], ran.task("big-one")["confirmed"]) == ("true_pass", False)
    assert ran.task("big-one")["engine_version"].startswith("Spark Connect")
    refused = project.run("suites", engine=server, env={"CI": "true"})
    assert refused.status == 4
    assert "a program under it cannot reach a cluster" in refused.err


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_ships(name):
    root = Path(__file__).parents[2]
    assert (root / "conftest_templates" / f"{name}.py").read_text() == read_template(name)

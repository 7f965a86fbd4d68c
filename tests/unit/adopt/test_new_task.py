"""`lockin new-task`: a function and a folder of Parquet become a task that `lockin tasks check` finds in order."""

import datetime as dt
import decimal
import json
import tomllib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from pytest_lockin import cli
from pytest_lockin.adopt.base import AdoptError
from pytest_lockin.adopt.tables import copy_table, read_samples
from pytest_lockin.references.load import load_panel
from pytest_lockin.taskbank.loader import load_obligations, load_task

JOB = '''
from pyspark.sql import DataFrame

def revenue(orders: DataFrame, customers_df: DataFrame, limit: int = 3) -> DataFrame:
    """Revenue by city.

    More.
    """
'''
SQL = """SELECT c.city, SUM(o.amount) AS revenue FROM orders o
JOIN customers c ON o.customer_id = c.customer_id WHERE o.status = 'paid' GROUP BY c.city
"""


@pytest.fixture
def shop(tmp_path):
    files = {
        "jobs/__init__.py": "",
        "jobs/revenue.py": JOB,
        "tests/test_revenue.py": "from jobs.revenue import revenue\n",
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "revenue.sql": SQL,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    sample = tmp_path / "sample"
    sample.mkdir()
    orders = {
        "order_id": pa.array(range(30), pa.int64()),
        "customer_id": pa.array([n % 3 for n in range(30)], pa.int32()),
        "status": ["paid", None, "open"] * 10,
        "amount": pa.array([decimal.Decimal("1.50")] * 30, pa.decimal128(10, 2)),
    }
    pq.write_table(pa.table(orders), sample / "orders.parquet")
    customers = {"customer_id": pa.array([0, 1], pa.int32()), "city": ["Oslo", "Bergen"]}
    pq.write_table(pa.table(customers), sample / "customers.parquet")
    pq.write_table(pa.table({"x": [1]}), sample / "unused.parquet")
    return tmp_path


def make(root, *args, name="revenue", function="jobs.revenue:revenue"):
    command = [
        "new-task",
        name,
        "--from",
        function,
        "--tables",
        str(root / "sample"),
        "--root",
        str(root),
        *args,
    ]
    return cli.main(command)


def test_a_task_with_a_statement_is_in_order_and_complete(shop, capsys):
    assert make(shop, "--sql", str(shop / "revenue.sql")) == 0
    told = capsys.readouterr().out
    assert cli.main(["tasks", "check", str(shop / "tasks")]) == 0
    task = load_task(shop / "tasks/revenue")
    assert (task.id, task.title, task.entry_point) == ("revenue", "Revenue by city", "jobs.revenue:revenue")
    assert task.schemas == {
        "customers": {"customer_id": "int", "city": "string"},
        "orders": {"order_id": "bigint", "customer_id": "int", "status": "string", "amount": "decimal(10,2)"},
    }
    assert task.obligations == ()
    panel = load_panel(shop / "refs", "revenue")
    assert panel.references[0].text == SQL
    assert [name for name, _ in panel.tables] == ["customers", "orders"]
    assert pq.read_table(panel.tables[1][1]) == pq.read_table(shop / "sample/orders.parquet")
    hidden = load_obligations(shop / "refs/revenue/obligations.yaml")
    assert {"join", "filter", "group", "metric"} <= {each.kind.value for each in hidden}
    assert "SELECT" not in (shop / "tasks/revenue/task.yaml").read_text().upper().replace("SELECTED", "")
    assert "lockin fixtures build tasks/revenue --refs refs" in told
    assert "--lockin-reference=refs --lockin-html report.html tests/test_revenue.py" in told


def test_the_tests_of_the_function_become_suites_of_the_task(shop):
    assert make(shop) == 0
    assert tomllib.loads((shop / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"] == {
        "lockin_suites": ["test_solution.py", "tests/test_revenue.py"],
        "lockin_tasks": ["tests/test_revenue.py = revenue"],
    }


def test_after_init_the_settings_are_as_they_should_be(shop):
    assert cli.main(["init", str(shop), "--yes"]) == 0
    before = (shop / "pyproject.toml").read_text()
    assert make(shop) == 0
    assert (shop / "pyproject.toml").read_text() == before


def test_what_a_sample_shows_is_told_and_not_claimed(shop):
    """That a column is unique in a sample is no promise: fixtures would keep to it."""
    assert make(shop) == 0
    text = (shop / "tasks/revenue/task.yaml").read_text()
    assert "# key: [order_id]" in text
    assert "# nullable: false, after the type, of: order_id, customer_id, amount" in text
    assert "# 2 rows in the sample: not looked through for keys" in text
    task = load_task(shop / "tasks/revenue")
    assert all(column.nullable for table in task.tables for column in table.columns)
    assert all(table.key == () for table in task.tables)


def test_without_a_statement_there_is_a_skeleton_that_says_what_to_write(shop, capsys):
    assert make(shop) == 0
    text = (shop / "refs/revenue/reference.sql").read_text()
    assert all(line.startswith("--") for line in text.splitlines())
    (link,) = load_task(shop / "tasks/revenue").obligations
    assert (link.kind, link.source) == ("join", "schema")
    assert link.columns == ("customers.customer_id", "orders.customer_id")
    assert "orders(order_id bigint, customer_id int, status string, amount decimal(10,2))" in text
    assert not (shop / "refs/revenue/obligations.yaml").exists()
    assert "to fill in: refs/revenue/reference.sql" in capsys.readouterr().out


@pytest.mark.parametrize("function", ["jobs/revenue.py:revenue", "revenue:revenue"])
def test_the_module_is_named_as_its_tests_import_it(shop, function):
    assert make(shop, function=function) == 0
    assert load_task(shop / "tasks/revenue").module == "jobs.revenue"


def test_in_src_the_module_is_named_from_there(shop):
    (shop / "src/shop").mkdir(parents=True)
    (shop / "src/shop/more.py").write_text("def solve(spark, tables): ...\n")
    assert make(shop, function="src/shop/more.py:solve") == 0
    task = load_task(shop / "tasks/revenue")
    assert task.module == "shop.more"
    assert {table.name for table in task.tables} == {"customers", "orders", "unused"}, "the mapping takes all"


def test_a_program_beside_its_tests_is_meant_by_those_alone(shop):
    for name in ("late", "soon"):
        folder = shop / "jobs" / name
        folder.mkdir()
        (folder / "solution.py").write_text("def solve(spark, tables): ...\n")
        (folder / "test_solution.py").write_text("from solution import solve\n")
    assert make(shop, name="late", function="jobs/late/solution.py:solve") == 0
    assert load_task(shop / "tasks/late").entry_point == "solution:solve"
    settings = tomllib.loads((shop / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert settings == {"lockin_tasks": ["jobs/late/test_solution.py = late"]}


def test_references_may_lie_elsewhere(shop, tmp_path_factory):
    refs = tmp_path_factory.mktemp("refs")
    assert make(shop, "--refs", str(refs)) == 0
    assert (refs / "revenue/reference.sql").is_file()
    assert not (shop / "refs").exists()


def test_types_are_those_spark_reads(tmp_path):
    spark_schema = {
        "type": "struct",
        "fields": [{"name": "v", "type": "timestamp_ntz", "nullable": True, "metadata": {}}],
    }
    columns = {
        "u8": pa.array([1], pa.uint8()),
        "u64": pa.array([1], pa.uint64()),
        "at": pa.array([dt.datetime(2020, 1, 1, tzinfo=dt.UTC)], pa.timestamp("us", "UTC")),
        "local": pa.array([0], pa.timestamp("us")),
        "day": pa.array([dt.date(2020, 1, 1)]),
        "tags": pa.array([["a"]]),
        "who": pa.array([{"name": "a", "age": 1}]),
        "kind": pa.array(["a"]).dictionary_encode(),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    named = pa.table({"v": pa.array([dt.datetime(2020, 1, 1, tzinfo=dt.UTC)], pa.timestamp("us", "UTC"))})
    metadata = {b"org.apache.spark.sql.parquet.row.metadata": json.dumps(spark_schema).encode()}
    (tmp_path / "written_by_spark").mkdir()
    pq.write_table(named.replace_schema_metadata(metadata), tmp_path / "written_by_spark/part-0.parquet")
    (tmp_path / "_temporary.parquet").write_text("")
    plain, by_spark = read_samples(tmp_path)
    assert plain.schema == {
        "u8": "smallint", "u64": "decimal(20,0)", "at": "timestamp", "local": "timestamp_ntz", "day": "date",
        "tags": "array<string>", "who": "struct<name:string,age:bigint>", "kind": "string",
    }  # fmt: skip
    assert (by_spark.name, by_spark.schema, by_spark.rows) == ("written_by_spark", {"v": "timestamp_ntz"}, 1)
    assert copy_table(by_spark, tmp_path / "out").is_dir()


def test_nanoseconds_become_microseconds_or_are_refused(tmp_path):
    """Pandas writes nanoseconds, which Spark does not read."""
    exact = pa.table({"at": pa.array([1_000], pa.timestamp("ns"))})
    pq.write_table(exact, tmp_path / "exact.parquet")
    pq.write_table(pa.table({"at": pa.array([1_001], pa.timestamp("ns"))}), tmp_path / "finer.parquet")
    good, bad = read_samples(tmp_path)
    assert pq.read_schema(copy_table(good, tmp_path / "out")).field("at").type == pa.timestamp("us")
    with pytest.raises(AdoptError, match="nanoseconds in at"):
        copy_table(bad, tmp_path / "out")


def test_names_that_yaml_would_take_for_something_else_are_quoted(shop):
    columns = {"yes": [1], "a b": [1], "null": [1], "1": [1], "ærlig": [1], 'q"': [1]}
    pq.write_table(pa.table(columns), shop / "sample/orders.parquet")
    assert make(shop) == 0
    assert list(load_task(shop / "tasks/revenue").schemas["orders"]) == list(columns)
    assert yaml.safe_load((shop / "tasks/revenue/task.yaml").read_text())["id"] == "revenue"


# What goes wrong


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)


WRONG = {
    "id": (lambda _: None, {"name": "../x"}, "letters, digits"),
    "task": (lambda root: write(root / "tasks/revenue/task.yaml", b""), {}, "no task revenue yet"),
    "refs": (lambda root: write(root / "refs/revenue/x", b""), {}, "no task revenue yet"),
    "form": (lambda _: None, {"function": "revenue"}, "MODULE:FUNCTION"),
    "module": (lambda _: None, {"function": "jobs.nowhere:f"}, "a Python file"),
    "outside": (lambda _: None, {"function": "/etc/hosts.py:f"}, "a Python file"),
    "function": (lambda _: None, {"function": "jobs.revenue:nope"}, "a function nope"),
    "syntax": (lambda root: write(root / "jobs/revenue.py", b"def f(:"), {}, "Python in jobs/revenue.py"),
    "parameter": (lambda root: (root / "sample/customers.parquet").unlink(), {}, "named after tables"),
    "damaged": (lambda root: write(root / "sample/orders.parquet", b"x"), {}, "a table of Parquet"),
    "no sample": (lambda root: [each.unlink() for each in root.glob("sample/*")], {}, "Parquet files"),
    "settings": (lambda root: write(root / "pyproject.toml", b"["), {}, "TOML in pyproject.toml"),
    "other task": (
        lambda root: write(root / "pyproject.toml", b"[tool.pytest.ini_options]\nlockin_tasks = ['tests/test_revenue.py = other']"),
        {},
        "to be a suite of revenue",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_each_mistake_has_one_message_and_nothing_is_written(shop, case, capsys):
    prepare, given, said = WRONG[case]
    prepare(shop)
    before = sorted(shop.rglob("*"))
    assert make(shop, **given) == 2
    assert said in capsys.readouterr().err
    assert sorted(shop.rglob("*")) == before


@pytest.mark.parametrize(
    ("sql", "said"),
    [("SELECT nope FROM orders", "nope"), ("DELETE FROM orders", ""), ("SELEC", ""), ("", "")],
)
def test_a_statement_that_cannot_be_read_is_refused(shop, sql, said, capsys):
    (shop / "revenue.sql").write_text(sql)
    before = sorted(shop.rglob("*"))
    assert make(shop, "--sql", str(shop / "revenue.sql")) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told
    assert sorted(shop.rglob("*")) == before


def test_references_are_taken_back_where_the_repository_cannot_be_written_to(shop):
    (shop / "tasks").write_text("a file")
    before = sorted(shop.rglob("*"))
    assert make(shop) == 2
    assert sorted(shop.rglob("*")) == before

"""Sail looks, Spark judges: one run on both engines over suites that behave differently on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.spark

HEAD = """
from decimal import Decimal
import pytest
from pyspark.sql import SparkSession
from solution import solve

@pytest.fixture(scope="module")
def spark():
    session = SparkSession.builder.master("local[1]").appName("t").getOrCreate()
    yield session
    session.stop()

def quotient(spark):
    tables = {"orders": spark.createDataFrame([(1, Decimal("1.00"))], "id long, amount decimal(7,2)")}
    return solve(spark, tables).collect()[0]["share"]
"""
SOLVE = """
from pyspark.sql import functions as F
def solve(spark, tables):
    return tables["orders"].select("id", (F.col("amount") / F.lit(3).cast("decimal(7,2)")).alias("share"))
"""
REFERENCE = "select id, amount / cast(3 as decimal(7,2)) as share from orders"
SUITES = {
    # Red on Sail (six digits), green on Spark.
    "digits": HEAD
    + """
def test_keeps_its_digits(spark):
    assert quotient(spark) == Decimal("0.3333333333")
def test_one_row(spark):
    assert quotient(spark) is not None
""",
    # Green on Sail, red on Spark.
    "sixdigits": HEAD
    + """
def test_has_six_digits(spark):
    assert str(quotient(spark)) == "0.333333"
""",
    # Red on both.
    "wrong": HEAD
    + """
def test_wrong(spark):
    assert quotient(spark) == 7, "not seven"
""",
    # Needs what Sail lacks.
    "rdd": HEAD
    + """
def test_rdd(spark):
    assert spark.sparkContext.parallelize([1, 2, 3]).count() == 3
def test_digits(spark):
    assert quotient(spark) > 0
""",
    # Asks for conf that only a JVM started with it has.
    "jars": HEAD.replace('.appName("t")', '.appName("t").config("spark.jars", "JAR")')
    + """
def test_has_its_jar(spark):
    assert any("extra.jar" in jar for jar in spark.sparkContext._jsc.sc().jars().mkString(",").split(","))
def test_digits(spark):
    assert quotient(spark) > 0
""",
}


def make_jar(path):
    """A jar with nothing in it but its manifest."""
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judge")
    orders = pa.table(
        {
            "id": pa.array([1, 2], pa.int64()),
            "amount": pa.array([1, 2], pa.decimal128(7, 2)),
        }
    )
    (folder / "refs" / "tables").mkdir(parents=True)
    pq.write_table(orders, folder / "refs" / "tables" / "orders.parquet")
    for name, tests in SUITES.items():
        (folder / "suites" / name).mkdir(parents=True)
        (folder / "suites" / name / "solution.py").write_text(SOLVE)
        jar = make_jar(folder / "extra.jar")
        (folder / "suites" / name / "test_solution.py").write_text(tests.replace("JAR", str(jar)))
        (folder / "refs" / name).mkdir()
        (folder / "refs" / name / "reference.sql").write_text(REFERENCE)
    command = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", "suites"]
    command += ["--lockin-reference", "refs", "--lockin-json", "out.json", "--lockin-trials", "off"]
    # A file that a suite names outside its own folder has to be exposed.
    command += ["-o", "lockin_expose=extra.jar"]
    done = subprocess.run(
        command, cwd=folder, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    report = json.loads((folder / "out.json").read_text())
    return done, {task["id"]: task for task in report["tasks"]}, report


def test_pytest_is_told_sparks_word_for_a_red_case(run):
    done, _, _ = run
    assert "1 failed, 7 passed" in done.stdout
    assert "not seven" in done.stdout
    assert "not confirmed" not in done.stdout.partition("= lockin =")[0]


def test_a_case_that_is_red_on_sail_only_moves_its_suite_with_the_reason(run):
    _, tasks, _ = run
    task = tasks["digits"]
    assert task["engine"] == "spark"
    assert task["moved"] == "test_keeps_its_digits fails on sail and passes on spark"
    assert task["verdict"] == "true_pass"
    assert task["confirmed"]
    assert task["tests"]["passed"] == 2


def test_a_case_that_is_green_on_sail_and_red_on_spark_is_named_and_gates(run):
    done, tasks, report = run
    task = tasks["sixdigits"]
    assert [case.rpartition("::")[2] for case in task["red_on_judge"]] == ["test_has_six_digits"]
    assert task["tests"] == {"passed": 0, "failed": 1, "errors": 0, "skipped": 0, "flaky": 0}
    assert task["verdict"] == "false_alarm"
    assert "test_has_six_digits passes on Sail and fails on Spark" in done.stdout
    assert any("green on Sail and red on Spark: 1" in reason for reason in report["gate"]["reasons"])


def test_a_suite_that_is_red_on_both_engines_stays_red(run):
    _, tasks, _ = run
    assert tasks["wrong"]["tests"]["failed"] == 1
    assert tasks["wrong"]["verdict"] == "false_alarm"
    assert not tasks["wrong"]["red_on_judge"]


def test_a_suite_that_needs_rdds_ends_on_spark(run):
    _, tasks, _ = run
    assert tasks["rdd"]["engine"] == "spark"
    assert tasks["rdd"]["tests"]["passed"] == 2
    assert "test_rdd" in tasks["rdd"]["moved"]


def test_a_suite_that_asks_for_jars_gets_a_spark_started_with_them(run):
    _, tasks, _ = run
    assert tasks["jars"]["engine"] == "spark"
    assert "spark.jars" in tasks["jars"]["moved"]
    assert tasks["jars"]["tests"]["passed"] == 2
    assert tasks["jars"]["verdict"] == "true_pass"

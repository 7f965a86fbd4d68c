import subprocess
import sys

import pytest

from pytest_lockin.errors import TaskFileError
from pytest_lockin.taskbank.bank import list_task_ids
from pytest_lockin.taskbank.build import BuildOptions, build
from pytest_lockin.taskbank.eligibility import (
    Choice,
    Rule,
    Runs,
    broken_rules,
    find_features,
    load_eligibility,
)
from pytest_lockin.taskbank.statements import list_statement_ids, read_statement

FINE = Runs(spark=1, sail=1)


@pytest.fixture(scope="module")
def entries():
    return load_eligibility()


def test_all_103_statements_are_decided_with_a_reason(entries):
    assert tuple(entry.id for entry in entries) == list_statement_ids()
    assert all(entry.reason for entry in entries)


def test_the_mechanical_part_is_what_the_statements_say(entries):
    for entry in entries:
        assert entry.features == find_features(read_statement(entry.id).text), entry.id


def test_exactly_the_statements_that_break_a_rule_are_excluded(entries):
    for entry in entries:
        broken = broken_rules(entry.features, entry.runs)
        assert (entry.choice is Choice.EXCLUDED) == bool(broken), (entry.id, broken)


def test_exactly_the_kept_statements_are_tasks(entries):
    assert tuple(entry.id for entry in entries if entry.choice is Choice.KEPT) == list_task_ids()


@pytest.mark.parametrize(
    ("sql", "feature"),
    [
        (
            "with recursive r as (select 1 as n union all select n + 1 from r) select * from r",
            "recursive-cte",
        ),
        ("select * from t lateral view explode(xs) x as y", "lateral-view"),
        ("select * from t pivot (sum(a) for b in (1, 2))", "pivot"),
        ("select my_udf(a) from t", "unknown-function"),
        ("select * from t tablesample (10 percent)", "table-sample"),
        ("select /*+ broadcast(t) */ * from t", "hint"),
    ],
)
def test_what_the_data_frame_api_lacks_breaks_a_rule(sql, feature):
    features = find_features(sql)
    assert feature in features
    assert broken_rules(features, FINE) == (Rule.API,)


@pytest.mark.parametrize("sql", ["select 1; select 2", "create view v as select 1", "insert into t select 1"])
def test_more_than_one_query_is_not_stateless(sql):
    assert Rule.STATELESS in broken_rules(find_features(sql), FINE)


def test_a_query_that_fails_or_is_empty_breaks_a_rule():
    assert broken_rules((), Runs(spark=-1, sail=5)) == (Rule.RUNS,)
    assert broken_rules((), Runs(spark=0, sail=0)) == (Rule.ROWS,)
    assert broken_rules((), Runs(spark=0, sail=5)) == ()


def test_subqueries_are_told_apart():
    assert "scalar-subquery" in find_features("select * from t where a > (select max(a) from t)")
    assert "scalar-subquery" not in find_features("select * from (select 1 as a) t")
    assert "in-subquery" in find_features("select * from t where a in (select a from u)")
    assert "in-subquery" not in find_features("select * from t where a in (1, 2)")


def test_a_record_of_another_shape_is_named(tmp_path):
    (tmp_path / "eligibility.yaml").write_text(
        "rules: {}\nmeasured: {}\nstatements:\n- {id: q01, choice: maybe}\n"
    )
    with pytest.raises(TaskFileError, match="line 4"):
        load_eligibility(tmp_path)


RUN_ON_SPARK = """
import json, sys
from pathlib import Path
from pyspark.sql import SparkSession
from pytest_lockin.taskbank.statements import list_statement_ids, read_statement

spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.sql.shuffle.partitions", "2").config("spark.ui.enabled", "false").getOrCreate()
)
for file in Path(sys.argv[1]).glob("*.parquet"):
    spark.read.parquet(str(file)).createOrReplaceTempView(file.stem)
rows = {}
for name in list_statement_ids():
    try:
        rows[name] = len(spark.sql(read_statement(name).text).collect())
    except Exception:
        rows[name] = -1
Path(sys.argv[2]).write_text(json.dumps(rows))
"""


@pytest.mark.slow
@pytest.mark.spark
def test_the_recorded_rows_on_spark_come_again(entries, tmp_path):
    import json

    build(tmp_path / "refs", ["q03"], BuildOptions(scale=0.01, locked=False))
    subprocess.run(
        [sys.executable, "-c", RUN_ON_SPARK, str(tmp_path / "refs" / "tables"), str(tmp_path / "rows.json")],
        check=True,
        timeout=1800,
        capture_output=True,
    )
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert {entry.id: entry.runs.spark for entry in entries} == rows

"""What goes wrong in Spark test suites, on both engines: leaked state, shared folders, loops nobody can stop."""

import pytest
from plugin_project import BIG

SAVING = """
    import pytest
    from pyspark.sql import SparkSession
    from solution import solve

    @pytest.fixture(scope="module")
    def spark():
        return SparkSession.builder.master("local[2]").getOrCreate()

    @pytest.mark.parametrize("part", [1, 2])
    def test_saves(spark, part):
        orders = spark.createDataFrame([(1, 20.0)], "id int, amount double")
        solve(spark, {"orders": orders}).createOrReplaceTempView("big")
        assert spark.sql("SELECT count(*) AS n FROM big").first().n == 1

    def test_sees_no_other_view(spark):
        assert [table.name for table in spark.catalog.listTables() if table.name == "theirs"] == []
        spark.createDataFrame([(1,)], "id int").createOrReplaceTempView("theirs")
"""
# Each case leaves behind what the next one must not find in another suite.
LEAKING = """
    import pytest
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import udf
    from pyspark.sql.types import IntegerType
    from solution import solve

    def big(spark):
        orders = spark.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")
        return solve(spark, {"orders": orders}).count()

    def test_stops_and_goes_on():
        spark = SparkSession.builder.master("local[7]").appName("one").getOrCreate()
        spark.conf.set("spark.sql.shuffle.partitions", "9")
        spark.createDataFrame([(1,)], "id int").createOrReplaceTempView("left_behind")
        spark.stop()
        assert big(SparkSession.builder.getOrCreate()) == 1

    def test_udf():
        spark = SparkSession.builder.getOrCreate()
        more = udf(lambda number: number + 1, IntegerType())
        assert spark.createDataFrame([(1,)], "id int").select(more("id").alias("n")).first().n == 2

    def test_red():
        assert big(SparkSession.builder.getOrCreate()) == 7, "never seven"
"""
CLEAN = """
    from pyspark.sql import SparkSession
    from solution import solve

    def test_clean():
        spark = SparkSession.builder.getOrCreate()
        assert spark.conf.get("spark.sql.shuffle.partitions") != "9"
        assert "left_behind" not in [table.name for table in spark.catalog.listTables()]
        orders = spark.createDataFrame([(1, 50.0)], "id int, amount double")
        assert solve(spark, {"orders": orders}).count() == 1
"""
# The limit of one step holds in runs of ours: the second run is the first that loops.
LOOPING = """
    import subprocess
    from pathlib import Path

    from pyspark.sql import SparkSession
    from pyspark.sql.functions import udf
    from pyspark.sql.types import IntegerType
    from solution import solve

    def forever(number):
        while True:
            pass

    def test_loops_the_second_time():
        spark = SparkSession.builder.getOrCreate()
        first = Path(__file__).with_name("first")
        if first.exists():
            subprocess.Popen(["sleep", "600"])
            loop = udf(forever, IntegerType())
            spark.createDataFrame([(1,)], "id int").select(loop("id")).collect()
        first.write_text("")
"""


def write(project, **suites):
    for name, tests in suites.items():
        project.suite(name, tests, BIG)
        project.task(name)


def test_views_and_sessions_are_apart_under_xdist(project):
    write(project, one=SAVING, two=SAVING)
    ran = project.run("suites", "-n", "2")
    assert (ran.status, ran.counts) == (0, {"passed": 6})
    assert not list(project.root.rglob("metastore_db"))
    assert not list(project.root.rglob("spark-warehouse"))


def test_a_loop_in_a_udf_is_ended_from_outside_with_all_it_started(project):
    write(project, one=LOOPING)
    ran = project.run("suites", "--lockin-timeout", "10", "--lockin-sandbox", "none")
    assert ran.counts == {"passed": 1}
    assert "an answer within" in ran.task("one")["reason"]
    assert project.leftovers() == []


@pytest.mark.spark
def test_on_classic_spark_a_suite_leaves_nothing_to_the_next(project):
    """One JVM serves all suites and both runs of each; red is Spark's own word and needs no confirmation."""
    write(project, leaking=LEAKING, unlike=CLEAN)
    ran = project.run("suites", engine="spark")
    assert (ran.status, ran.counts) == (1, {"failed": 1, "passed": 3})
    text = ran.failure("test_red")
    assert "never seven" in text
    assert "not confirmed" not in ran.out
    ran.no_match("* WARN *", "* ERROR *:*", "*Setting default log level*")
    assert ran.err == ""
    task = ran.task("leaking")
    assert (task["engine"], task["confirmed"], task["flaky"]) == ("spark", True, [])
    assert task["tests"] == {"passed": 2, "failed": 1, "errors": 0, "skipped": 0, "flaky": 0}
    assert project.leftovers() == []

"""What only the embedded engine has to answer for: it has no JVM."""

import subprocess
import sys

import pytest
from engine_host import EngineHost, HostError

from pytest_lockin.engines.base import EngineOptions


def test_what_needs_a_jvm_raises_pysparks_own_error_and_is_recorded(sail):
    def body(engine):
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        spark = SparkSession.builder.getOrCreate()
        frame = spark.range(1)
        attempts = {
            "RDD API: sparkContext.parallelize": lambda: spark.sparkContext.parallelize([1]),
            "RDD API: sparkContext.broadcast": lambda: spark.sparkContext.broadcast(1),
            "RDD API: DataFrame.rdd": lambda: frame.rdd,
            "JVM access: DataFrame._jdf": lambda: frame._jdf,
            "JVM access: DataFrame._sc": lambda: frame._sc,
            "JVM access: Column._jc": lambda: frame.id._jc,
            "JVM access: SparkSession._jvm": lambda: spark._jvm,
            "JVM access: SparkSession._jsparkSession": lambda: spark._jsparkSession,
        }
        for attempt in attempts.values():
            with pytest.raises(PySparkException):
                attempt()
        assert [need.what for need in engine.needs()] == list(attempts)

    sail(body)


def test_no_way_to_a_context_starts_a_jvm(sail):
    def body(engine):
        import warnings

        from pyspark import SparkConf, SparkContext
        from pyspark.errors import PySparkException
        from pyspark.sql import HiveContext, SparkSession, SQLContext

        warnings.simplefilter("ignore", FutureWarning)  # SQLContext is deprecated
        for hidden in (True, False):
            if not hidden:
                engine.session()
            for attempt in (
                lambda: SparkContext("local", "x"),
                lambda: SparkContext(conf=SparkConf()),
                SparkContext.getOrCreate,
                lambda: SparkContext.setSystemProperty("a", "b"),
            ):
                with pytest.raises(PySparkException):
                    attempt()
        context = SparkSession.builder.getOrCreate().sparkContext
        for attempt in (
            lambda: SQLContext(context),
            lambda: HiveContext(context),
            lambda: SparkSession(context),
        ):
            with pytest.raises(PySparkException):
                attempt()
        assert "RDD API: SparkContext" in [need.what for need in engine.needs()]
        assert SparkContext._gateway is None

    sail(body)


def test_a_mere_look_at_the_context_is_not_a_need(sail):
    def body(engine):
        import copy

        context = engine.session().sparkContext
        repr(context)
        with pytest.raises(AttributeError):
            context.__len__  # noqa: B018
        copy.copy(engine.session())
        return engine.needs()

    assert sail(body) == ()


def test_conf_that_sail_does_not_heed_is_a_need(sail):
    def body(engine):
        from pyspark.sql import SparkSession

        spark = SparkSession.builder.config("spark.sql.crossJoin.enabled", "false").getOrCreate()
        spark.conf.set("spark.sql.legacy.timeParserPolicy", "LEGACY")
        return [need.what for need in engine.needs()]

    assert sail(body) == [
        "conf that Sail ignores: spark.sql.crossJoin.enabled=false",
        "conf that Sail ignores: spark.sql.legacy.timeParserPolicy=LEGACY",
    ]


def test_hive_support_moves_to_classic_spark(sail):
    def body(engine):
        from pyspark.sql import SparkSession

        assert SparkSession.builder.enableHiveSupport().getOrCreate() is engine.session()
        return engine.needs()[0].classic_conf

    assert sail(body) == (("spark.sql.catalogImplementation", "hive"),)


def test_a_session_of_its_own_ends_at_the_reset(sail):
    def body(engine):
        spark = engine.session()
        other = spark.newSession()
        other.range(1).createOrReplaceTempView("there")
        assert spark.catalog.listTables() == []
        engine.reset()
        with pytest.raises(Exception, match="NO_ACTIVE_SESSION"):
            other.range(1).count()
        return spark.range(1).count()

    assert sail(body) == 1


def test_row_order_of_a_group_by_settles_with_one_partition(sail):
    def body(engine):
        spark = engine.session()
        frame = spark.range(200).selectExpr("id % 37 as k", "id")
        return len({tuple(map(tuple, frame.groupBy("k").sum("id").collect())) for _ in range(5)})

    assert sail(body) == 1


def test_saved_tables_stay_out_of_the_current_folder(sail, tmp_path):
    def body(engine, folder):
        import os
        from pathlib import Path

        os.chdir(folder)
        engine.session().range(1).write.saveAsTable("t")
        return list(Path(folder).iterdir())

    assert sail(body, str(tmp_path)) == []


def test_the_version_names_both(sail):
    assert sail(lambda engine: engine.version()).startswith("Sail ")


def test_partitions_are_what_was_asked_for(tmp_path):
    host = EngineHost("sail", EngineOptions(partitions=3, scratch=str(tmp_path)))
    try:
        assert host(lambda engine: engine.session().sparkContext.defaultParallelism) == 3
    finally:
        host.close()


def test_a_script_that_uses_the_engine_ends_and_says_nothing():
    script = (
        "from pytest_lockin.engines import create_engine\n"
        "from pytest_lockin.engines.base import EngineOptions\n"
        "engine = create_engine('sail')\n"
        "engine.start(EngineOptions())\n"
        "assert engine.sql('select 1').count() == 1\n"
        "engine.stop()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_stopping_takes_every_patch_back():
    script = (
        "import os\n"
        "from pyspark.sql.session import SparkSession\n"
        "from pyspark.sql.connect.dataframe import DataFrame\n"
        "from pyspark.core.context import SparkContext\n"
        "def look(): return [dict(vars(owner)) for owner in\n"
        "    (SparkSession, SparkSession.Builder, DataFrame, SparkContext)]\n"
        "before = look()\n"
        "from pytest_lockin.engines import create_engine\n"
        "from pytest_lockin.engines.base import EngineOptions\n"
        "engine = create_engine('sail'); engine.start(EngineOptions()); engine.session()\n"
        "assert look() != before\n"
        "engine.stop()\n"
        "assert look() == before\n"
        "assert 'SPARK_CONNECT_MODE_ENABLED' not in os.environ\n"
    )
    subprocess.run([sys.executable, "-c", script], timeout=60, check=True)


def test_a_connect_server_is_used_and_left_running(sail, tmp_path):
    url = sail(lambda engine: engine._url)

    def body(engine):
        from pyspark.sql import SparkSession

        spark = SparkSession.builder.getOrCreate()
        spark.range(3).createOrReplaceTempView("v")
        frame = engine.to_frame(engine.sql("select count(*) n from v"))
        engine.reset()
        assert spark.catalog.listTables() == []
        return frame.table.to_pylist(), engine.version(), isinstance(spark, SparkSession)

    host = EngineHost("connect", EngineOptions(url=url))
    rows, version, good = host(body)
    host.close()
    assert rows == [{"n": 3}]
    assert version.startswith("Spark Connect 4.")
    assert good
    assert sail(lambda engine: engine.sql("select 1").count()) == 1


@pytest.mark.parametrize("url", ["", "localhost:15002", "http://x"])
def test_an_address_that_is_none_is_named(url):
    from pytest_lockin.engines import create_engine
    from pytest_lockin.errors import EngineError

    with pytest.raises(EngineError, match="sc://host:port"):
        create_engine("connect").start(EngineOptions(url=url))


def test_a_server_that_is_not_there_is_an_error_and_no_long_wait():
    with pytest.raises(HostError, match="EngineError: expected a Spark Connect server"):
        EngineHost("connect", EngineOptions(url="sc://127.0.0.1:1"))

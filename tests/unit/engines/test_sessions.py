"""What user code may do with the session, on both engines. Programs are written as on a plain Spark."""

import pytest


def test_functions_fail_until_the_program_asks_for_a_session(engine):
    def body(engine):
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession, Window, functions

        expected = (AssertionError, PySparkException)
        for attempt in (
            lambda: functions.col("x"),
            lambda: functions.lit(1),
            lambda: functions.udf(lambda x: x, "long"),
            lambda: Window.partitionBy("x"),
        ):
            with pytest.raises(expected):
                attempt()
        assert SparkSession.getActiveSession() is None
        spark = SparkSession.builder.getOrCreate()
        assert spark.range(2).select((functions.col("id") + functions.lit(1)).alias("n")).collect()[1].n == 2
        assert SparkSession.getActiveSession() is not None
        engine.hide()
        with pytest.raises(expected):
            functions.col("x")

    engine(body)


def test_whatever_master_or_name_is_asked_for_the_session_is_the_warm_one(engine):
    def body(engine):
        from pyspark.conf import SparkConf
        from pyspark.sql import SparkSession

        asked = [
            SparkSession.builder.master("local[7]").appName("x").getOrCreate(),
            SparkSession.builder.remote("sc://nowhere:1").getOrCreate(),
            SparkSession.builder.master("spark://nowhere:7077").getOrCreate(),
            SparkSession.builder.config(conf=SparkConf().set("spark.app.name", "y")).getOrCreate(),
            SparkSession.builder.create(),
            SparkSession.Builder().getOrCreate(),
        ]
        assert all(session is engine.session() for session in asked)
        assert isinstance(asked[0], SparkSession)
        assert engine.needs() == ()

    engine(body)


def test_stop_and_with_leave_the_session_alive(engine):
    def body(engine):
        from pyspark.sql import SparkSession

        with SparkSession.builder.getOrCreate() as spark:
            assert spark.range(1).count() == 1
        spark.stop()
        spark.sparkContext.stop()
        assert spark.range(2).count() == 2
        assert SparkSession.builder.getOrCreate() is spark

    engine(body)


def test_conf_asked_for_is_applied_and_undone(engine):
    def body(engine):
        from pyspark.sql import SparkSession

        before = engine.session().conf.get("spark.sql.session.timeZone")
        spark = SparkSession.builder.config("spark.sql.session.timeZone", "Asia/Tokyo").getOrCreate()
        spark.conf.set("spark.sql.ansi.enabled", "false")
        spark.conf.set("spark.my.own", "1")
        shown = spark.sql("select cast(timestamp'2020-01-01 00:00:00Z' as string), 1/0").collect()[0]
        assert tuple(shown) == ("2020-01-01 09:00:00", None)
        engine.reset()
        assert spark.conf.get("spark.sql.session.timeZone") == before
        assert spark.conf.get("spark.sql.ansi.enabled") == "true"
        assert spark.conf.get("spark.my.own", None) is None

    engine(body)


def test_reset_takes_views_tables_functions_and_the_current_database_away(engine):
    def body(engine):
        spark = engine.session()
        frame = spark.createDataFrame([(1, "a")], "id int, name string")
        frame.createOrReplaceTempView("v")
        frame.createGlobalTempView("g")
        frame.write.saveAsTable("t")
        spark.sql("create database d")
        spark.catalog.setCurrentDatabase("d")
        spark.sql("create table t2 as select 1 a")
        spark.udf.register("mine", lambda x: x, "int")
        engine.reset()
        assert spark.catalog.currentDatabase() == "default"
        assert [database.name for database in spark.catalog.listDatabases()] == ["default"]
        assert spark.catalog.listTables() == []
        for query in (
            "select * from v",
            "select * from t",
            "select mine(1)",
            "select * from global_temp.g",
            "select * from d.t2",
        ):
            with pytest.raises(
                Exception, match=r"(?i)not found|cannot be found|unknown|not exist|unresolved"
            ):
                spark.sql(query).collect()
        frame.write.saveAsTable("t")
        assert spark.table("t").count() == 1

    engine(body)


def test_dataframes_made_before_a_reset_keep_working(engine):
    def body(engine):
        spark = engine.session()
        frame = spark.createDataFrame([(1,), (2,)], "id int")
        engine.reset()
        frame.createOrReplaceTempView("kept")
        return spark.sql("select sum(id) from kept").collect()[0][0]

    assert engine(body) == 3


def test_cached_frames_say_so_and_are_forgotten(engine):
    def body(engine):
        spark = engine.session()
        frame = spark.range(3).selectExpr("id * 2 as x")
        assert not frame.is_cached
        assert frame.cache().count() == 3
        assert frame.is_cached
        assert not frame.unpersist().is_cached
        frame.createOrReplaceTempView("v")
        spark.catalog.cacheTable("v")
        assert spark.catalog.isCached("v")
        spark.catalog.uncacheTable("v")
        assert not spark.catalog.isCached("v")
        spark.catalog.clearCache()
        assert frame.localCheckpoint().count() == 3

    engine(body)


def test_udfs_decorated_before_any_session_work_afterwards(engine):
    def body(engine):
        import pandas as pd
        from pyspark.sql import SparkSession, functions
        from pyspark.sql.types import LongType

        @functions.udf(returnType=LongType())
        def plus_one(x):
            return x + 1

        @functions.pandas_udf(LongType())
        def plus_two(x: pd.Series) -> pd.Series:
            return x + 2

        spark = SparkSession.builder.getOrCreate()
        row = spark.range(1).select(plus_one("id"), plus_two("id")).collect()[0]
        spark.udf.register("plus_one", plus_one)
        return tuple(row), spark.sql("select plus_one(41)").collect()[0][0]

    assert engine(body) == ((1, 2), 42)


def test_harmless_calls_on_the_context_answer(engine):
    def body(engine):
        spark = engine.session()
        context = spark.sparkContext
        context.setLogLevel("ERROR")
        context.setJobDescription("x")
        context.setJobGroup("a", "b")
        context.setLocalProperty("a", "b")
        assert context.master.startswith("local")
        assert isinstance(context.appName, str)
        assert isinstance(context.applicationId, str)
        assert context.version == spark.version
        assert context.defaultParallelism == 1
        assert context.uiWebUrl is None
        assert context.getConf().get("spark.master").startswith("local")
        assert spark.sparkContext is context
        assert engine.needs() == ()

    engine(body)


def test_other_threads_see_the_session(engine):
    def body(engine):
        from concurrent.futures import ThreadPoolExecutor

        from pyspark.sql import functions

        spark = engine.session()

        def count():
            return spark.range(3).filter(functions.col("id") > 0).count()

        with ThreadPoolExecutor(2) as pool:
            return [future.result() for future in [pool.submit(count), pool.submit(count)]]

    assert engine(body) == [2, 2]


def test_tables_are_registered_and_read(engine, tmp_path):
    def body(engine, folder):
        from pathlib import Path

        spark = engine.session()
        spark.createDataFrame([(1, "a"), (2, None)], "id int, name string").write.parquet(folder + "/t")
        engine.hide()
        engine.register({"t": engine.read_parquet(Path(folder) / "t")})
        return engine.to_frame(engine.sql("select * from t order by id")).table.to_pylist()

    assert engine(body, str(tmp_path)) == [{"id": 1, "name": "a"}, {"id": 2, "name": None}]


def test_engine_work_leaves_a_hidden_session_hidden(engine):
    def body(engine):
        from pyspark.errors import PySparkException
        from pyspark.sql import functions

        frame = engine.to_frame(engine.sql("select interval '1' year a"))
        engine.from_frame(frame)
        with pytest.raises((AssertionError, PySparkException)):
            functions.col("x")

    engine(body)


def test_static_conf_that_matters_is_named_with_what_a_worker_needs(engine):
    def body(engine):
        from pyspark.sql import SparkSession

        SparkSession.builder.config("spark.jars", "/x.jar").config("spark.ui.enabled", "true").getOrCreate()
        (need,) = engine.needs()
        engine.reset()
        return need.what, need.classic_conf, engine.needs()

    what, conf, after = engine(body)
    assert "spark.jars=/x.jar" in what
    assert conf == (("spark.jars", "/x.jar"),)
    assert after == ()


def test_an_error_of_the_program_leaves_as_pysparks_own(engine):
    def body(engine):
        from pyspark.errors import AnalysisException

        def materialise():
            engine.to_frame(engine.session().range(1).select("nope"))

        with pytest.raises(AnalysisException):
            materialise()

    engine(body)


def test_is_frame_knows_dataframes_from_other_values(engine):
    def body(engine):
        spark = engine.session()
        values = (spark.range(1), spark.range(1).toPandas(), [1], None, spark)
        return [engine.is_frame(value) for value in values]

    assert engine(body) == [True, False, False, False, False]


def test_a_module_spark_cannot_import_is_shipped_by_value(engine, tmp_path):
    path = tmp_path / "helpers_of_nobody.py"
    path.write_text("def double(x):\n    return 2 * x\n")

    def body(engine, path):
        import importlib.util
        import sys

        from pyspark.sql import functions
        from pyspark.sql.types import LongType

        spec = importlib.util.spec_from_file_location("helpers_of_nobody", path)
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        engine.ship_module(module)
        spark = engine.session()
        double = functions.udf(module.double, LongType())
        return spark.range(3).select(double("id").alias("x")).agg(functions.sum("x")).collect()[0][0]

    assert engine(body, str(path)) == 6


def test_a_swapped_function_is_used_by_its_udf_after_a_refresh(engine):
    def body(engine):
        import types

        from pyspark.sql import functions
        from pyspark.sql.types import LongType

        def original(x):
            return x + 1

        def other(x):
            return x + 100

        module = types.ModuleType("swapped")
        module.f = functions.udf(original, LongType())
        spark = engine.session()

        def ask():
            return spark.range(1).select(module.f("id")).collect()[0][0]

        first = ask()
        original.__code__ = other.__code__
        engine.refresh_module(module)
        return first, ask()

    assert engine(body) == (1, 100)

"""What only classic Spark has to answer for: one JVM that outlives its workers."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from engine_host import EngineHost

from pytest_lockin.engines.base import EngineOptions

pytestmark = pytest.mark.spark


def count_udf(engine):
    """Run a query whose UDF needs Python processes and a live accumulator server."""
    from pyspark.sql import functions
    from pyspark.sql.types import LongType

    spark = engine.session()
    counter = spark.sparkContext.accumulator(0)

    def count(x):
        counter.add(1)
        return x

    counted = functions.udf(count, LongType())
    spark.range(3).select(counted("id").alias("x")).agg(functions.sum("x")).collect()
    return counter.value


def test_a_worker_that_was_killed_in_a_job_does_not_spoil_the_next(jvm, attach):
    def hang(engine):
        import time

        from pyspark.sql import functions
        from pyspark.sql.types import LongType

        spark = engine.session()
        spark.range(1).createGlobalTempView("left_behind")
        spark.range(5).write.saveAsTable("left_behind")
        spark.range(5).cache().count()
        forever = functions.udf(lambda x: time.sleep(3600), LongType())
        spark.range(1).select(forever("id")).collect()

    first = attach()
    assert first(count_udf) == 3
    first.send(hang)
    wait_until(lambda: busy_python_workers(jvm.pid))
    first.kill()

    second = attach()
    assert second(count_udf) == 3
    assert second(lambda engine: engine._state.find_leftovers()) == ()
    wait_until(lambda: not second(running_jobs))
    second.close()
    assert jvm.is_alive()


def running_jobs(engine):
    return list(engine.session().sparkContext.statusTracker().getActiveJobsIds())


def busy_python_workers(session):
    """Find Spark's Python workers of the JVM (Linux)."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            command = (stat.parent / "cmdline").read_text()
        except OSError:
            continue
        if int(fields[3]) == session and "pyspark" in command and "daemon" in command:
            found.append(int(stat.parent.name))
    return found if len(found) > 1 else []


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.2)


def test_workers_one_after_another_have_sessions_of_their_own(attach):
    def leave_traces(engine):
        spark = engine.session()
        spark.range(1).createOrReplaceTempView("mine")
        spark.udf.register("own", lambda x: "mine")
        spark.conf.set("spark.sql.ansi.enabled", "false")
        return spark.sql("select own('a')").collect()[0][0]

    def look(engine):
        spark = engine.session()
        ansi = spark.conf.get("spark.sql.ansi.enabled")
        functions = spark.catalog.functionExists("own"), spark.catalog.functionExists("upper")
        return [table.name for table in spark.catalog.listTables()], ansi, functions

    first = attach()
    assert first(leave_traces) == "mine"
    first.close()
    second = attach()
    assert second(look) == ([], "true", (False, True))
    second.close()


def test_a_function_named_like_a_builtin_one_does_not_outlive_the_reset(spark):
    def body(engine):
        session = engine.session()
        names = engine._state._read_functions(engine._state._registries[0][0])
        session.udf.register("upper", lambda x: "no")
        session.sql("create function lower2 as 'org.apache.hadoop.hive.ql.udf.UDFHex'")
        engine.reset()
        assert engine._state._read_functions(engine._state._registries[0][0]) == names
        assert not session.catalog.functionExists("lower2")
        return session.sql("select upper('a')").collect()[0][0]

    assert spark(body) == "A"


def test_the_context_is_handed_out_once_and_again_after_a_stop(spark):
    def body(engine):
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession

        context = SparkContext("local", "mine")
        assert context.parallelize([1, 2, 3]).map(lambda x: x + 1).sum() == 9
        with pytest.raises(ValueError, match="Cannot run multiple SparkContexts at once"):
            SparkContext("local", "another")
        context.stop()
        assert SparkContext(conf=SparkConf().setAppName("again")) is context
        assert SparkContext.getOrCreate() is context
        assert SparkSession(context).range(2).count() == 2
        assert SparkSession.builder.getOrCreate().sparkContext is context
        assert engine.needs() == ()

    spark(body)


def test_a_conf_made_before_any_session_needs_no_jvm(spark):
    def body(engine):
        from pyspark import SparkConf, SparkContext

        conf = SparkConf()
        assert conf.getAll() == []
        SparkContext.setSystemProperty("spark.executor.memory", "1g")
        return engine._shown

    assert spark(body) is True


def test_rdds_and_java_objects_work(spark):
    def body(engine):
        from pyspark.sql import SparkSession

        session = SparkSession.builder.getOrCreate()
        frame = session.createDataFrame([(1,), (2,)], "a int")
        cached = frame.rdd.map(lambda row: row.a).persist()
        assert cached.sum() == 3
        assert frame._jdf.count() == 2
        engine.reset()
        assert dict(session.sparkContext._jsc.getPersistentRDDs()) == {}
        return engine.needs()

    assert spark(body) == ()


def test_partitions_set_shuffles_and_leaves(attach):
    def body(engine):
        spark = engine.session()
        leaves = spark.range(100).rdd.getNumPartitions()
        local = spark.createDataFrame([(n,) for n in range(9)], "a int").rdd.getNumPartitions()
        shuffled = spark.range(100).groupBy("id").count().rdd.getNumPartitions()
        return leaves, local, shuffled, spark.sparkContext.defaultParallelism

    host = attach(partitions=3)
    assert host(body) == (3, 3, 3, 3)
    host.close()


def test_without_aids_sparks_own_defaults_hold(attach):
    def body(engine):
        conf = engine.session().conf
        return conf.get("spark.sql.adaptive.enabled"), conf.get("spark.sql.shuffle.partitions")

    host = attach(aids=False)
    assert host(body) == ("true", "200")
    host.close()


def test_conf_of_the_engine_survives_a_reset(attach):
    def body(engine):
        engine.session().conf.set("spark.sql.session.timeZone", "UTC")
        engine.reset()
        return engine.session().conf.get("spark.sql.session.timeZone")

    host = attach(conf=(("spark.sql.session.timeZone", "Asia/Tokyo"),))
    assert host(body) == "Asia/Tokyo"
    host.close()


def test_the_python_of_spark_is_this_one(spark, tmp_path, monkeypatch):
    def body(engine):
        import sys

        from pyspark.sql import functions

        where = functions.udf(lambda _: sys.executable)
        return engine.session().range(1).select(where("id")).collect()[0][0]

    assert spark(body) == sys.executable


def test_nothing_of_the_secret_stays_in_the_environment(jvm, spark):
    def body(engine):
        import os

        return dict(os.environ)

    environment = spark(body)
    assert jvm.secret not in str(environment)
    assert "PYSPARK_GATEWAY_PORT" not in environment


@pytest.mark.slow
def test_an_engine_without_a_gateway_brings_its_own_jvm_and_ends_it(tmp_path):
    def body(engine):
        engine.session().range(1).write.saveAsTable("t")
        return engine.version(), engine._jvm.pid

    host = EngineHost("spark", EngineOptions(scratch=str(tmp_path / "with blanks")))
    version, pid = host(body)
    host.close()
    assert version.startswith("Spark 4.")
    wait_until(lambda: not Path(f"/proc/{pid}").exists())


def test_a_jvm_ends_with_the_process_that_started_it(tmp_path):
    script = (
        "import sys, time; from pathlib import Path; from pytest_lockin.engines.jvm import start_jvm\n"
        "print(start_jvm(Path(sys.argv[1])).pid, flush=True); time.sleep(600)\n"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    pid = int(starter.stdout.readline())
    assert Path(f"/proc/{pid}").exists()
    starter.kill()
    starter.wait()
    starter.stdout.close()
    wait_until(lambda: not Path(f"/proc/{pid}").exists())


def test_starting_a_jvm_imports_no_pyspark_and_prints_nothing(tmp_path):
    script = (
        "import sys; from pathlib import Path; from pytest_lockin.engines.jvm import start_jvm\n"
        "handle = start_jvm(Path(sys.argv[1])); handle.stop(); handle.stop()\n"
        "assert 'pyspark' not in sys.modules and 'py4j' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {path.name for path in tmp_path.iterdir()} <= {"spark.log", "local", "warehouse", "derby"}


def test_no_java_is_said_in_one_line(tmp_path, monkeypatch):
    from pytest_lockin.engines.jvm import start_jvm
    from pytest_lockin.errors import JavaMissingError

    monkeypatch.setenv("JAVA_HOME", "/nope")
    with pytest.raises(JavaMissingError, match="JAVA_HOME=/nope has no bin/java"):
        start_jvm(tmp_path)
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    with pytest.raises(JavaMissingError, match="no java on PATH"):
        start_jvm(tmp_path)


def test_a_jvm_that_cannot_start_quotes_its_log(tmp_path):
    from pytest_lockin.engines.jvm import start_jvm
    from pytest_lockin.errors import EngineError

    with pytest.raises(EngineError, match="it ended with status 1") as caught:
        start_jvm(tmp_path, {"spark.driver.extraJavaOptions": "-agentlib:nosuch"})
    assert "nosuch" in caught.value.found


@pytest.mark.slow
def test_an_archive_is_built_once_and_used_by_the_next_jvm(tmp_path, monkeypatch):
    from pytest_lockin.engines.archive import archive_options, archive_path, build_archive
    from pytest_lockin.engines.jvm import start_jvm

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "my cache"))
    assert archive_options() == ""
    path = build_archive()
    assert path == archive_path()
    assert list(path.parent.iterdir()) == [path]
    handle = start_jvm(tmp_path / "jvm")
    mapped = Path(f"/proc/{handle.pid}/maps").read_text()
    handle.stop()
    assert str(path) in mapped

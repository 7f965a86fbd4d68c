"""Which conf a running engine can give."""

import pytest

from pytest_lockin.engines.conf import find_ignored, find_needs, is_static


@pytest.mark.parametrize(
    "conf",
    [
        {},
        {"spark.master": "local[4]", "spark.app.name": "x", "spark.remote": "local"},
        {"spark.ui.enabled": "false", "spark.driver.memory": "8g", "spark.executor.cores": "4"},
        {"spark.sql.shuffle.partitions": "4", "spark.sql.session.timeZone": "UTC"},
        {"spark.sql.warehouse.dir": "/tmp/w", "spark.sql.catalogImplementation": "in-memory"},
        {"spark.serializer": "org.apache.spark.serializer.KryoSerializer"},
    ],
)
def test_conf_that_changes_no_result_is_no_reason_to_move(conf):
    assert find_needs(conf) == ()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.jars", "a.jar"),
        ("spark.jars.packages", "io.delta:delta-spark_2.13:4.0.0"),
        ("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension"),
        ("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"),
        ("spark.sql.catalogImplementation", "hive"),
        ("spark.driver.extraJavaOptions", "-Duser.timezone=UTC"),
        ("spark.hadoop.fs.s3a.endpoint", "http://localhost"),
    ],
)
def test_what_is_loaded_at_start_needs_an_engine_started_with_it(key, value):
    (need,) = find_needs({key: value, "spark.app.name": "x"})
    assert need.classic_conf == ((key, value),)
    assert f"{key}={value}" in need.what
    assert is_static(key)


def test_an_engine_started_with_it_lacks_nothing():
    assert find_needs({"spark.jars": "a.jar"}, {"spark.jars": "a.jar"}) == ()
    assert find_needs({"spark.jars": "a.jar"}, {"spark.jars": "b.jar"})


def test_all_missing_conf_is_one_need_so_that_one_worker_can_serve_it():
    (need,) = find_needs({"spark.sql.extensions": "x", "spark.jars": "y"})
    assert need.classic_conf == (("spark.jars", "y"), ("spark.sql.extensions", "x"))


def test_runtime_conf_is_not_static():
    assert not is_static("spark.sql.ansi.enabled")
    assert not is_static("spark.sql.shuffle.partitions")


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("spark.sql.ansi.enabled", "false", False),
        ("spark.sql.crossJoin.enabled", "true", False),
        ("spark.sql.crossJoin.enabled", "false", True),
        ("spark.sql.legacy.timeParserPolicy", "LEGACY", True),
        ("spark.sql.legacy.timeParserPolicy", "CORRECTED", False),
        ("spark.sql.legacy.anything", "true", True),
        ("spark.sql.legacy.anything", "false", False),
    ],
)
def test_conf_that_sail_takes_without_heeding_is_named(key, value, named):
    assert bool(find_ignored({key: value})) is named

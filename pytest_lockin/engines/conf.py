"""Sort the Spark conf a program asks for: settable, harmless, or a reason for another engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.engines.base import Needs

if TYPE_CHECKING:
    from collections.abc import Mapping

# A program that asks for these cannot be served by a running engine: they decide what is loaded at start.
_MATTERS = (
    "spark.jars",
    "spark.files",
    "spark.archives",
    "spark.submit.pyFiles",
    "spark.sql.extensions",
    "spark.sql.catalog.",
    "spark.sql.defaultCatalog",
    "spark.sql.hive.metastore",
    "spark.driver.extraClassPath",
    "spark.driver.extraJavaOptions",
    "spark.driver.extraLibraryPath",
    "spark.driver.userClassPathFirst",
    "spark.executor.extraClassPath",
    "spark.executor.extraJavaOptions",
    "spark.hadoop.",
    "spark.plugins",
)

# Settings of the whole application that change how fast or where, never what a local program computes.
_APPLICATION = (
    "spark.master",
    "spark.remote",
    "spark.api.mode",
    "spark.app.",
    "spark.submit.",
    "spark.driver.",
    "spark.executor.",
    "spark.executorEnv.",
    "spark.cores.",
    "spark.task.",
    "spark.default.parallelism",
    "spark.dynamicAllocation.",
    "spark.memory.",
    "spark.serializer",
    "spark.kryo",
    "spark.ui.",
    "spark.eventLog.",
    "spark.history.",
    "spark.local.",
    "spark.log",
    "spark.network.",
    "spark.port.",
    "spark.blockManager.",
    "spark.broadcast.",
    "spark.rpc.",
    "spark.scheduler.",
    "spark.shuffle.",
    "spark.speculation",
    "spark.locality.",
    "spark.python.",
    "spark.pyspark.",
    "spark.rdd.",
    "spark.io.",
    "spark.cleaner.",
    "spark.testing",
    "spark.connect.",
    "spark.sql.warehouse.dir",
    "spark.sql.catalogImplementation",
    "spark.sql.ui.",
    "spark.sql.event.",
    "spark.sql.globalTempDatabase",
    "spark.sql.queryExecutionListeners",
    "spark.sql.streaming.ui.",
    "spark.sql.cache.serializer",
    "spark.sql.filesourceTableRelationCacheSize",
    "spark.sql.codegen.cache.maxEntries",
    "spark.sql.broadcastExchange.maxThreadThreshold",
    "spark.sql.subquery.maxThreadThreshold",
    "spark.sql.resultQueryStage.maxThreadThreshold",
)


def is_static(key: str) -> bool:
    """Tell whether Spark fixes this key when the application starts, so that no session can set it."""
    return key.startswith(_MATTERS) or key.startswith(_APPLICATION)


def matters(key: str, value: str) -> bool:
    """Tell whether a program that sets this key gets something it would not have otherwise."""
    if key == "spark.sql.catalogImplementation":
        return value == "hive"
    return key.startswith(_MATTERS)


def find_needs(conf: Mapping[str, str], started_with: Mapping[str, str] | None = None) -> tuple[Needs, ...]:
    """List the conf an engine started with `started_with` cannot give, as one need.

    >>> find_needs({"spark.app.name": "x", "spark.sql.shuffle.partitions": "4"})
    ()
    >>> [need.what for need in find_needs({"spark.jars": "a.jar"})]
    ['static conf: spark.jars=a.jar']
    """
    have = started_with or {}
    lacking = tuple(
        sorted((key, value) for key, value in conf.items() if matters(key, value) and have.get(key) != value)
    )
    if not lacking:
        return ()
    what = "static conf: " + ", ".join(f"{key}={value}" for key, value in lacking)
    return (Needs(what=what, classic_conf=lacking),)


# Runtime conf that changes results and that Sail 0.7 accepts without effect (tried one by one), with the
# value that changes nothing.
_IGNORED_BY_SAIL = {
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.legacy.timeParserPolicy": "corrected",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.parser.escapedStringLiterals": "false",
}


def find_ignored(conf: Mapping[str, str]) -> tuple[Needs, ...]:
    """List the runtime conf that Sail accepts but does not heed.

    >>> find_ignored({"spark.sql.ansi.enabled": "false", "spark.sql.crossJoin.enabled": "true"})
    ()
    >>> [need.what for need in find_ignored({"spark.sql.legacy.timeParserPolicy": "LEGACY"})]
    ['conf that Sail ignores: spark.sql.legacy.timeParserPolicy=LEGACY']
    """
    return tuple(
        Needs(what=f"conf that Sail ignores: {key}={value}")
        for key, value in sorted(conf.items())
        if _is_ignored_by_sail(key, value)
    )


def _is_ignored_by_sail(key: str, value: str) -> bool:
    if key in _IGNORED_BY_SAIL:
        return value.lower() != _IGNORED_BY_SAIL[key]
    # Legacy switches are off unless someone asks for the old behaviour.
    return key.startswith("spark.sql.legacy.") and value.lower() != "false"

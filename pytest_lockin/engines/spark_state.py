"""What a program can leave behind in a classic Spark session, and how each thing is taken away.

It asks the JVM's own registries: one call each, a few milliseconds in all where SQL commands take seconds.
The session stays the same one, so DataFrames made before a reset keep working.
"""

from __future__ import annotations

from typing import Any

# Java collections come over in one call as text; names and conf values hold no NUL.
_SEPARATOR = "\x00"


class SparkState:
    """The clean state of one session, taken when it was fresh."""

    def __init__(self, session: Any) -> None:
        self._session = session
        java = session._jsparkSession
        self._state = java.sessionState()
        self._shared = java.sharedState()
        self._conf = self._read_conf()
        self._registries = tuple(
            (registry, registry.functionBuilders().clone(), self._read_functions(registry))
            for registry in (self._state.functionRegistry(), self._state.tableFunctionRegistry())
        )

    def clean(self) -> None:
        """Take everything away that was not there at first."""
        for query in self._session.streams.active:
            query.stop()
        self._clean_caches()
        self._clean_conf()
        self._state.catalogManager().reset()
        self._state.catalogManager().tempVariableManager().clear()
        self._state.catalog().clearTempTables()
        self._state.catalog().globalTempViewManager().clear()
        self._clean_tables()
        self._clean_functions()

    def find_leftovers(self) -> tuple[str, ...]:
        """List what is still there, in words; empty when the session is clean."""
        left = [f"temporary view {name}" for name in self._read_views()]
        left += [f"table {database}.{table}" for database, table in self._read_tables()]
        left += [f"database {name}" for name in self._read_databases() if name != "default"]
        for registry, _, names in self._registries:
            left += [
                f"function {name.partition(' -> ')[0]}" for name in self._read_functions(registry) - names
            ]
        if not self._shared.cacheManager().isEmpty():
            left.append("cached data")
        left += [f"conf {key}" for key in self._changed_conf()]
        if self._state.catalog().getCurrentDatabase() != "default":
            left.append("the current database")
        return tuple(left)

    # Take away.

    def _clean_caches(self) -> None:
        self._shared.cacheManager().clearCache()
        for rdd in dict(self._session.sparkContext._jsc.getPersistentRDDs()).values():
            rdd.unpersist()

    def _clean_conf(self) -> None:
        conf = self._session._jsparkSession.conf()
        for key in self._changed_conf():
            if key in self._conf:
                conf.set(key, self._conf[key])
            else:
                conf.unset(key)

    def _clean_tables(self) -> None:
        catalog = self._shared.externalCatalog()
        for database, table in self._read_tables():
            catalog.dropTable(database, table, True, True)  # noqa: FBT003 - Java has no keywords
        for database in self._read_databases():
            for name in _split(catalog.listFunctions(database, "*")):
                catalog.dropFunction(database, name)
            if database != "default":
                catalog.dropDatabase(database, True, True)  # noqa: FBT003

    def _clean_functions(self) -> None:
        """Put back the registries as they were: a program may replace built-in functions too."""
        for registry, builders, names in self._registries:
            if self._read_functions(registry) != names:
                registry.functionBuilders().clear()
                registry.functionBuilders().addAll(builders)

    # Look.

    def _read_conf(self) -> dict[str, str]:
        pairs = (pair.partition(" -> ") for pair in _split(self._state.conf().getAllConfs()))
        return {key: value for key, _, value in pairs}

    def _changed_conf(self) -> tuple[str, ...]:
        now = self._read_conf()
        return tuple(
            sorted(key for key in now.keys() | self._conf.keys() if now.get(key) != self._conf.get(key))
        )

    def _read_functions(self, registry: Any) -> set[str]:
        """Name each function with the identity of its builder, so that a replaced one differs."""
        return set(_split(registry.functionBuilders()))

    def _read_views(self) -> list[str]:
        catalog = self._state.catalog()
        local = _split(catalog.listLocalTempViews("*"))
        return local + _split(catalog.globalTempViewManager().listViewNames("*"))

    def _read_databases(self) -> list[str]:
        return _split(self._shared.externalCatalog().listDatabases())

    def _read_tables(self) -> list[tuple[str, str]]:
        catalog = self._shared.externalCatalog()
        return [
            (database, table)
            for database in self._read_databases()
            for table in _split(catalog.listTables(database))
        ]


def _split(collection: Any) -> list[str]:
    """Bring a Scala collection over as text."""
    text = collection.mkString(_SEPARATOR)
    return text.split(_SEPARATOR) if text else []

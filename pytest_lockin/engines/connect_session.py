"""The Spark Connect session that user code gets: it answers for the classic class.

Imports pyspark, so only a running engine imports this module.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Self

from pyspark.errors import PySparkAttributeError
from pyspark.sql.connect.catalog import Catalog
from pyspark.sql.connect.client import SparkConnectClient
from pyspark.sql.connect.conf import RuntimeConf
from pyspark.sql.connect.session import SparkSession as ConnectSession
from pyspark.sql.session import SparkSession as ClassicSession

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


def no_such_jvm_attribute(name: str) -> Any:
    """Build the error pyspark itself raises where Connect has no such attribute."""
    return PySparkAttributeError(
        errorClass="JVM_ATTRIBUTE_NOT_SUPPORTED", messageParameters={"attr_name": name}
    )


class WarmSession(ConnectSession):  # type: ignore[misc]
    """A Connect session that lives as long as its worker, whatever the program under test does to it.

    `isinstance(spark, SparkSession)` holds for the classic class too: programs import that one, and
    test suites assert it. Giving it a new client (a new server session) is how it is reset.
    """

    def __init__(
        self,
        url: str,
        *,
        record: Callable[[str], None],
        watch: Callable[[dict[str, str]], None],
        partitions: int,
    ) -> None:
        self._lockin_url = url
        self._lockin_record = record
        self._lockin_watch = watch
        self._lockin_partitions = partitions
        self._lockin_siblings: list[WarmSession] = []
        super().__init__(url)

    _client: SparkConnectClient

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The classic class, as far as isinstance is concerned."""
        return ClassicSession

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Do nothing: the next case needs the session."""

    def __del__(self) -> None:
        """Do nothing: closing at interpreter exit waits for a server that has gone already."""

    @functools.cached_property
    def catalog(self) -> WarmCatalog:
        """The catalog, with the caching calls that Sail lacks."""
        return WarmCatalog(self)

    @property
    def conf(self) -> WarmConf:
        """The runtime conf; what is set is looked at before it is passed on."""
        return WarmConf(self._client, self._lockin_watch)

    @functools.cached_property
    def sparkContext(self) -> ContextFacade:  # noqa: N802 - pyspark's name
        """Answers the harmless calls of a SparkContext."""
        return ContextFacade(self)

    def newSession(self) -> WarmSession:  # noqa: N802 - pyspark's name
        """Return another session with views, functions and conf of its own; it ends at the next reset."""
        session = WarmSession(
            self._lockin_url,
            record=self._lockin_record,
            watch=self._lockin_watch,
            partitions=self._lockin_partitions,
        )
        self._lockin_siblings.append(session)
        return session

    def __getattr__(self, name: str) -> Any:
        if name in {"_jsc", "_jconf", "_jvm", "_jsparkSession", "_sc", "_jwrapped"}:
            self._lockin_record(f"JVM access: SparkSession.{name}")
            raise no_such_jvm_attribute(name)
        return super().__getattr__(name)

    def renew(self) -> None:
        """Take a new server session: views, functions, conf and the current database are gone."""
        old = self._client
        self._client = SparkConnectClient(connection=self._lockin_url)
        self._session_id = self._client._session_id
        self.__dict__.pop("_sqm", None)
        self.__dict__.pop("catalog", None)
        release(old)
        self._release_siblings()

    def move(self, url: str, partitions: int) -> None:
        """Take a new server session on another server."""
        self._lockin_url, self._lockin_partitions = url, partitions
        self.renew()

    def close(self) -> None:
        """End the server session for good; only the engine calls this."""
        self._release_siblings()
        release(self._client)

    def _release_siblings(self) -> None:
        while self._lockin_siblings:
            self._lockin_siblings.pop().close()


def release(client: Any) -> None:
    """End a server session and its channel."""
    client.release_session()
    client.close()


class WarmConf(RuntimeConf):  # type: ignore[misc]
    """A runtime conf that reports settings the engine cannot heed."""

    def __init__(self, client: SparkConnectClient, watch: Callable[[dict[str, str]], None]) -> None:
        super().__init__(client)
        self._watch = watch

    def set(self, key: str, value: Any) -> None:
        """Set one key."""
        self._watch({key: str(value)})
        super().set(key, value)


class WarmCatalog(Catalog):  # type: ignore[misc]
    """A Connect catalog whose cache calls only take note: Sail computes anew, with the same rows."""

    def __init__(self, session: WarmSession) -> None:
        super().__init__(session)
        self._lockin_cached: set[str] = set()

    def cacheTable(self, tableName: str, storageLevel: Any = None) -> None:  # noqa: N802, N803, ARG002
        """Take note of the table; an unknown one raises as on Spark."""
        self._sparkSession.table(tableName).schema  # noqa: B018 - analyses the name
        self._lockin_cached.add(tableName.lower())

    def uncacheTable(self, tableName: str) -> None:  # noqa: N802, N803
        """Forget the table."""
        self._lockin_cached.discard(tableName.lower())

    def isCached(self, tableName: str) -> bool:  # noqa: N802, N803
        """Tell whether `cacheTable` was called for it."""
        return tableName.lower() in self._lockin_cached

    def clearCache(self) -> None:  # noqa: N802
        """Forget all tables."""
        self._lockin_cached.clear()


class ContextFacade:
    """What programs ask of a SparkContext without meaning RDDs.

    Anything else raises pyspark's own error and is recorded: the suite then runs on classic Spark.
    """

    def __init__(self, session: WarmSession) -> None:
        self._session = session

    @property
    def appName(self) -> str:  # noqa: N802
        """The name asked for, else Spark's own default."""
        return str(self._session.conf.get("spark.app.name", "pyspark-shell"))

    @property
    def master(self) -> str:
        """The master asked for, else a local one."""
        return str(self._session.conf.get("spark.master", "local[*]"))

    @property
    def version(self) -> str:
        """The Spark version the server speaks."""
        return str(self._session.version)

    @property
    def applicationId(self) -> str:  # noqa: N802
        """A name of the right shape."""
        return f"local-{self._session.session_id}"

    @property
    def defaultParallelism(self) -> int:  # noqa: N802
        """The parallelism asked for, else the engine's."""
        default = str(self._session._lockin_partitions)
        return int(self._session.conf.get("spark.default.parallelism", default))

    @property
    def defaultMinPartitions(self) -> int:  # noqa: N802
        """As Spark has it: two at most."""
        return min(self.defaultParallelism, 2)

    @property
    def uiWebUrl(self) -> None:  # noqa: N802
        """There is no user interface."""
        return

    @property
    def startTime(self) -> int:  # noqa: N802
        """Not known; zero."""
        return 0

    def getConf(self) -> Any:  # noqa: N802
        """Return the session's conf as a SparkConf that needs no JVM."""
        from pyspark.conf import SparkConf

        conf = SparkConf(loadDefaults=False)
        conf.setMaster(self.master).setAppName(self.appName)
        return conf.setAll(list(self._session.conf.getAll.items()))

    def stop(self) -> None:
        """Do nothing, as the session's own."""

    def setLogLevel(self, logLevel: str) -> None:  # noqa: N802, N803
        """Do nothing: the engine is silent already."""

    def setCheckpointDir(self, dirName: str) -> None:  # noqa: N802, N803
        """Do nothing: checkpoints go to the worker's scratch folder."""

    def setJobGroup(self, *args: Any, **kwargs: Any) -> None:  # noqa: N802
        """Do nothing: it only labels jobs."""

    def setJobDescription(self, value: str | None) -> None:  # noqa: N802
        """Do nothing: it only labels jobs."""

    def setLocalProperty(self, key: str, value: str | None) -> None:  # noqa: N802
        """Do nothing: it only labels jobs."""

    def getLocalProperty(self, key: str) -> None:  # noqa: N802
        """Return None, as for a property never set."""

    def cancelAllJobs(self) -> None:  # noqa: N802
        """Do nothing: no job runs in the background."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            self._session._lockin_record(f"RDD API: sparkContext.{name}")
        raise no_such_jvm_attribute(f"sparkContext.{name}")

    def __repr__(self) -> str:
        return f"<SparkContext master={self.master} appName={self.appName}>"

"""A Spark Connect server as an engine; `sail.py` is the same with the server inside the worker."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_lockin.engines.common import SparkShapedEngine, first_line
from pytest_lockin.engines.conf import find_needs
from pytest_lockin.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from pytest_lockin.engines.base import EngineOptions

# Where a Spark Connect server listens unless told otherwise.
DEFAULT_PORT = 15002

# Set while user code may use functions; pyspark reads it on every call of one.
_MODE = "SPARK_CONNECT_MODE_ENABLED"


class ConnectEngine(SparkShapedEngine):
    """A session on a Spark Connect server that runs elsewhere (`sc://host:port`)."""

    name = "connect"

    def __init__(self) -> None:
        super().__init__()
        self._url = ""

    def start(self, options: EngineOptions) -> None:
        """Connect, patch the session builders and warm up. User code cannot see the session yet."""
        self._options = options
        os.environ.pop(_MODE, None)
        self._url = self._open_server(options)
        from pytest_lockin.engines.connect_session import WarmSession

        try:
            self._session = WarmSession(
                self._url, record=self._record, watch=self._watch_conf, partitions=options.partitions
            )
            self._apply_conf()
            self._session.range(1).collect()
        except Exception as error:
            self._session = None
            raise EngineError(
                expected=f"a Spark Connect server at {self._url}",
                found=first_line(error),
                hint="check the address, and that the server is running",
            ) from error
        self._patch_builders()
        self._patch_frames()
        self._patch_context()
        self._patch_udfs()

    def reset(self) -> None:
        """Take a new server session, drop global temporary views, and verify that nothing is left."""
        with self._borrowed():
            self._session.renew()
            self._apply_conf()
            for view in self._global_views():
                self._session.catalog.dropGlobalTempView(view)
            left = [table.name for table in self._session.catalog.listTables() if table.isTemporary]
        if left:
            raise EngineError(
                expected="no temporary views after a reset",
                found=", ".join(sorted(left)),
                hint="this is a fault of lockin; please report it",
            )
        self._needs.clear()

    def version(self) -> str:
        """Return the version the server answers with."""
        return f"Spark Connect {self._session.version}"

    def stop(self) -> None:
        """End the server session and take the patches back."""
        self.hide()
        self._patches.undo()
        if self._session is not None:
            self._session.close()
            self._session = None
        self._close_server()

    # Where the server comes from.

    def _open_server(self, options: EngineOptions) -> str:
        if not options.url.startswith("sc://"):
            raise EngineError(
                expected="an address like sc://host:port",
                found=repr(options.url),
                hint="give it with --lockin-engine sc://host:port",
            )
        _knock(options.url)
        return options.url

    def _close_server(self) -> None:
        """Leave the server running: it is not ours."""

    def _apply_conf(self) -> None:
        for key, value in self._options.conf:
            self._session.conf.set(key, value)

    def _global_views(self) -> tuple[str, ...]:
        tables = self._session.catalog.listTables("global_temp")
        return tuple(table.name for table in tables if table.namespace == ["global_temp"])

    # Showing and hiding.

    def _show(self) -> None:
        from pyspark.sql.connect.session import SparkSession

        os.environ[_MODE] = "1"
        SparkSession._default_session = self._session
        SparkSession._active_session.session = self._session

    def _hide(self) -> None:
        from pyspark.sql.connect.session import SparkSession

        os.environ.pop(_MODE, None)
        SparkSession._default_session = None
        SparkSession._active_session.session = None

    def _functions(self) -> Any:
        from pyspark.sql.connect import functions

        return functions

    def _fetch(self, dataframe: Any) -> pa.Table:
        table: pa.Table = dataframe.toArrow()
        return table

    # Patches.

    def _give(self, builder: Any) -> Any:
        """Answer `getOrCreate` and `create`: the warm session, with the conf asked for applied to it."""
        conf = {str(key): str(value) for key, value in builder._options.items()}
        self._watch_conf(conf)
        session = self.session()
        settable = {key: value for key, value in conf.items() if key != "spark.remote"}
        if settable:
            session.conf._set_all(configs=settable, silent=True)
        return session

    def _watch_conf(self, conf: dict[str, str]) -> None:
        """Note what the program sets and this engine cannot give."""
        self._record_needs(find_needs(conf, dict(self._options.conf)))

    def _patch_builders(self) -> None:
        from pyspark.sql.connect.session import SparkSession as ConnectSession
        from pyspark.sql.session import SparkSession as ClassicSession

        give = self._give

        def get_or_create(self: Any) -> Any:
            """Return lockin's warm session."""
            return give(self)

        for owner in (ClassicSession.Builder, ConnectSession.Builder):
            self._patches.set(owner, "getOrCreate", get_or_create)
            self._patches.set(owner, "create", get_or_create)
        engine = self

        def get_active_session(_cls: Any) -> Any:
            """Return lockin's warm session, in every thread, once the program has asked for one."""
            return engine._session if engine._shown else None

        self._patches.set(ConnectSession, "getActiveSession", classmethod(get_active_session))

    def _patch_frames(self) -> None:
        from pyspark.sql.connect.column import Column
        from pyspark.sql.connect.dataframe import DataFrame

        record = self._record
        for owner, kind in ((DataFrame, "DataFrame"), (Column, "Column")):
            self._patches.set(owner, "__getattr__", _recording(owner.__getattr__, kind, record))
        old = DataFrame.rdd

        def rdd(self: Any) -> Any:
            record("RDD API: DataFrame.rdd")
            return old.fget(self)

        self._patches.set(DataFrame, "rdd", property(rdd))

    def _patch_context(self) -> None:
        """Keep a SparkContext from starting a JVM in this process."""
        from pyspark.core.context import SparkContext

        from pytest_lockin.engines.connect_session import no_such_jvm_attribute

        record = self._record

        def refuse(*_args: Any, **_kwargs: Any) -> None:
            record("RDD API: SparkContext")
            raise no_such_jvm_attribute("SparkContext")

        self._patches.set(SparkContext, "__init__", refuse)
        self._patches.set(SparkContext, "getOrCreate", classmethod(refuse))
        self._patches.set(SparkContext, "_ensure_initialized", classmethod(refuse))

    def _patch_udfs(self) -> None:
        """Let functions decorated while the session was hidden work on it afterwards.

        On classic Spark `@udf(IntegerType())` at module level needs no session; pyspark then makes a
        classic UDF, which a Connect session cannot call.
        """
        from pyspark.sql.connect.udf import UserDefinedFunction as ConnectUdf
        from pyspark.sql.connect.udtf import UserDefinedTableFunction as ConnectUdtf
        from pyspark.sql.udf import UserDefinedFunction as ClassicUdf
        from pyspark.sql.udtf import UserDefinedTableFunction as ClassicUdtf

        engine = self

        def call_udf(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not engine._shown:
                return old_udf(self, *args, **kwargs)
            made = ConnectUdf(self.func, self._returnType, self._name, self.evalType, self.deterministic)
            return made(*args, **kwargs)

        def call_udtf(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not engine._shown:
                return old_udtf(self, *args, **kwargs)
            made = ConnectUdtf(self.func, self._returnType, self._name, self.evalType, self.deterministic)
            return made(*args, **kwargs)

        old_udf = self._patches.set(ClassicUdf, "__call__", call_udf)
        old_udtf = self._patches.set(ClassicUdtf, "__call__", call_udtf)


def _knock(url: str) -> None:
    """Fail at once where nobody listens: pyspark itself would try again for ten minutes."""
    address = urlsplit(url)
    host, port = address.hostname or "", address.port or DEFAULT_PORT
    try:
        socket.create_connection((host, port), timeout=10).close()
    except OSError as error:
        raise EngineError(
            expected=f"a Spark Connect server at {url}",
            found=f"nobody answers: {error}",
            hint="check the address, and that the server is running",
        ) from error


def _recording(old: Callable[[Any, str], Any], kind: str, record: Callable[[str], None]) -> Any:
    """Wrap a `__getattr__` so that JVM attributes are noted before pyspark's own error is raised."""
    from pyspark.errors import PySparkAttributeError

    from pytest_lockin.engines.connect_session import no_such_jvm_attribute

    def getattr_(self: Any, name: str) -> Any:
        try:
            if kind == "DataFrame" and name in {"_sc", "_jvm", "sql_ctx"}:
                raise no_such_jvm_attribute(name)
            return old(self, name)
        except PySparkAttributeError as error:
            if error.getCondition() == "JVM_ATTRIBUTE_NOT_SUPPORTED":
                record(f"JVM access: {kind}.{name}")
            raise

    return getattr_

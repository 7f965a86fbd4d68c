"""Classic local Spark, the judge: one JVM serves workers one after another, each with its own session."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.engines.common import SparkShapedEngine, first_line
from pytest_lockin.engines.conf import find_needs, is_static
from pytest_lockin.engines.jvm import JvmHandle, start_jvm
from pytest_lockin.engines.spark_state import SparkState
from pytest_lockin.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.engines.base import EngineOptions

# Planning for big data costs more than all the work on tiny tables.
AIDS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}

# With one of these set pyspark makes no classic session.
CONNECT_VARIABLES = ("SPARK_REMOTE", "SPARK_LOCAL_REMOTE", "SPARK_CONNECT_MODE_ENABLED", "SPARK_API_MODE")


class SparkEngine(SparkShapedEngine):
    """A session in a JVM that outlives this process, or in one of its own when no gateway is given."""

    name = "spark"

    def __init__(self) -> None:
        super().__init__()
        self._jvm: JvmHandle | None = None
        self._gateway: Any = None
        self._context: Any = None
        self._state: SparkState | None = None
        self._user_stopped = False

    def start(self, options: EngineOptions) -> None:
        """Attach to the JVM (or start one), make a fresh session, patch the builders. Nothing shows yet."""
        self._options = options
        port, secret = options.gateway_port, options.gateway_secret
        if not port:
            self._jvm = self._start_own(options)
            port, secret = self._jvm.port, self._jvm.secret
        try:
            self._attach(port, secret)
        except Exception as error:
            if self._jvm is not None:
                self._jvm.stop()
            raise EngineError(
                expected=f"to attach to Spark's JVM at port {port}",
                found=first_line(error),
                hint="see spark.log in the worker's scratch folder",
            ) from error
        self._shown = True
        self._patch()
        self.hide()

    def reset(self) -> None:
        """Drop what the program made (views, tables, functions, caches), undo its conf, and verify."""
        with self._borrowed():
            self._context._jsc.clearJobGroup()
            self._clean_state().clean()
            left = self._clean_state().find_leftovers()
        if left:
            raise EngineError(
                expected="a clean session after a reset",
                found=", ".join(left),
                hint="this is a fault of lockin; please report it",
            )
        self._needs.clear()
        self._user_stopped = False

    def version(self) -> str:
        """Return Spark's version."""
        return f"Spark {self._session.version}"

    def refresh_module(self, module: Any) -> None:
        """Make the module's UDFs compile again: their Java side holds the code they were made with."""
        for value in vars(module).values():
            made = getattr(value, "_unwrapped", value)
            for placeholder in ("_judf_placeholder", "_judtf_placeholder"):
                if getattr(made, placeholder, None) is not None:
                    setattr(made, placeholder, None)

    def stop(self) -> None:
        """Detach; a JVM of this engine's own ends, another one lives on."""
        self.hide()
        self._patches.undo()
        if self._context is not None:
            self._context._accumulatorServer.shutdown()
            self._context = self._session = self._state = None
        if self._jvm is not None:
            self._jvm.stop()
            self._jvm = None

    # Starting.

    def _start_own(self, options: EngineOptions) -> JvmHandle:
        scratch = Path(options.scratch) if options.scratch else Path(tempfile.mkdtemp(prefix="lockin-"))
        return start_jvm(scratch / "jvm", static_part(dict(options.conf)))

    def _attach(self, port: int, secret: str) -> None:
        from pyspark.core.context import SparkContext
        from pyspark.sql.session import SparkSession

        for name in CONNECT_VARIABLES:
            os.environ.pop(name, None)
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        self._gateway = _open_gateway(port, secret)
        jvm = self._gateway.jvm
        active = _module(jvm, "org.apache.spark.SparkContext").getActive()
        running = jvm.JavaSparkContext(active.get()) if active.isDefined() else None
        self._context = SparkContext(gateway=self._gateway, jsc=running)
        if running is not None:
            # The last worker may have been killed in the middle of a job.
            self._context._jsc.sc().cancelAllJobs()
        root = SparkSession._get_j_spark_session_class(jvm).builder().sparkContext(self._context._jsc.sc())
        fresh = root.getOrCreate().newSession()
        self._session = SparkSession(self._context, fresh, options=self._session_conf())
        self._session.range(1).collect()
        self._state = SparkState(self._session)
        self._state.clean()

    def _session_conf(self) -> dict[str, str]:
        count = str(self._options.partitions)
        conf = {"spark.sql.leafNodeDefaultParallelism": count}
        if self._options.aids:
            conf |= AIDS | {"spark.sql.shuffle.partitions": count}
        return conf | {key: value for key, value in self._options.conf if not is_static(key)}

    def _clean_state(self) -> SparkState:
        if self._state is None:
            raise EngineError(
                expected="a started spark engine", found="one that is not running", hint="call start() first"
            )
        return self._state

    # Showing and hiding.

    def _show(self) -> None:
        from pyspark.core.context import SparkContext
        from pyspark.sql.session import SparkSession

        SparkContext._gateway, SparkContext._jvm = self._gateway, self._gateway.jvm
        SparkContext._active_spark_context = self._context
        SparkSession._instantiatedSession = SparkSession._activeSession = self._session
        java = SparkSession._get_j_spark_session_class(self._gateway.jvm)
        java.setDefaultSession(self._session._jsparkSession)
        java.setActiveSession(self._session._jsparkSession)

    def _hide(self) -> None:
        from pyspark.core.context import SparkContext
        from pyspark.sql.session import SparkSession

        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = SparkSession._activeSession = None

    def _functions(self) -> Any:
        from pyspark.sql import functions

        return functions

    @contextmanager
    def _plain_types(self) -> Iterator[None]:
        """Export with Arrow's ordinary types whatever the program has set."""
        key = "spark.sql.execution.arrow.useLargeVarTypes"
        before = self._session.conf.get(key)
        if before == "false":
            yield
            return
        self._session.conf.set(key, "false")
        try:
            yield
        finally:
            self._session.conf.set(key, before)

    def _fetch(self, dataframe: Any) -> Any:
        with self._plain_types():
            return dataframe.toArrow()

    # Patches.

    def _give(self, builder: Any) -> Any:
        """Answer `getOrCreate` and `create`: the warm session, with the conf asked for applied to it."""
        from pyspark.sql.session import SparkSession

        conf = {str(key): str(value) for key, value in builder._options.items()}
        session = self.session()
        self._record_conf(conf)
        settable = {key: value for key, value in conf.items() if not is_static(key)}
        module = SparkSession._get_j_spark_session_module(self._gateway.jvm)
        module.applyModifiableSettings(session._jsparkSession, settable)
        self._user_stopped = False
        return session

    def _record_conf(self, conf: dict[str, str]) -> None:
        from pyspark.conf import SparkConf

        started_with = dict(self._context.getConf().getAll()) | dict(self._options.conf)
        # A SparkConf made while the JVM runs brings what it was started with; nobody asked for that.
        brought = set(SparkConf(_jvm=self._gateway.jvm).getAll())
        asked = {key: value for key, value in conf.items() if (key, value) not in brought}
        self._record_needs(find_needs(asked, started_with))

    def _patch(self) -> None:
        self._patch_builders()
        self._patch_context()

    def _patch_builders(self) -> None:
        from pyspark.sql.connect.session import SparkSession as ConnectSession
        from pyspark.sql.session import SparkSession as ClassicSession

        engine = self

        def get_or_create(self: Any) -> Any:
            """Return lockin's warm session."""
            return engine._give(self)

        def stop(_self: Any) -> None:
            """Do nothing: the next case needs the session."""
            engine._user_stopped = True

        for owner in (ClassicSession.Builder, ConnectSession.Builder):
            self._patches.set(owner, "getOrCreate", get_or_create)
            self._patches.set(owner, "create", get_or_create)
        self._patches.set(ClassicSession, "stop", stop)

    def _patch_context(self) -> None:
        """Hand out the warm context for `SparkContext(...)`, and never start or stop another one."""
        from pyspark.core.context import SparkContext

        engine = self
        old_init, old_ensure = SparkContext.__init__, SparkContext._ensure_initialized

        def new(cls: Any, *_args: Any, **_kwargs: Any) -> Any:
            if engine._shown and not engine._user_stopped:
                return object.__new__(cls)
            engine.session()
            engine._user_stopped = False
            return engine._context

        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            if self is not engine._context:
                old_init(self, *args, **kwargs)
            elif kwargs.get("conf") is not None:
                engine._record_conf(dict(kwargs["conf"].getAll()))

        def ensure_initialized(_cls: Any, *args: Any, **kwargs: Any) -> None:
            engine.session()
            old_ensure(*args, **kwargs)

        def stop(_self: Any) -> None:
            """Do nothing: the next case needs the context."""
            engine._user_stopped = True

        def set_log_level(_self: Any, _level: str) -> None:
            """Do nothing: the log is a file nobody has to read."""

        self._patches.set(SparkContext, "__new__", new)
        self._patches.set(SparkContext, "__init__", init)
        self._patches.set(SparkContext, "_ensure_initialized", classmethod(ensure_initialized))
        self._patches.set(SparkContext, "stop", stop)
        self._patches.set(SparkContext, "setLogLevel", set_log_level)
        count = self._options.partitions
        self._patches.set(SparkContext, "defaultParallelism", property(lambda _self: count))


def static_part(conf: dict[str, str]) -> dict[str, str]:
    """Pick the conf a JVM must be started with."""
    return {key: value for key, value in conf.items() if is_static(key)}


def _open_gateway(port: int, secret: str) -> Any:
    """Connect to a gateway; pyspark reads its address from the environment, where it must not stay."""
    from pyspark.java_gateway import launch_gateway

    os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"] = str(port), secret
    try:
        return launch_gateway()
    finally:
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]


def _module(jvm: Any, name: str) -> Any:
    """Return a Scala companion object."""
    return getattr(getattr(jvm, f"{name}$"), "MODULE$")

"""What a run needs and must leave nothing of: the run folder, worker processes, one JVM.

One `Workshop` lives in each pytest process that runs suites. Everything it started is gone after `close()`,
which is also registered to run at interpreter exit.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.model.messages import EngineSpec
from pytest_lockin.workers.child import RUN_FOLDER
from pytest_lockin.workers.pool import WorkerPool, child_environment

if TYPE_CHECKING:
    from pytest_lockin.engines.jvm import JvmHandle
    from pytest_lockin.settings import Settings
    from pytest_lockin.workers.worker import Worker


class Workshop:
    """Run folder, workers and JVM of one pytest process.

    Args:
        settings: engine and number of workers.
        hidden: paths no worker may learn of (the references); such import-path entries and variables are
            not handed on.
        cwd: working folder of the workers: the one pytest was called in.
        live_output: the user asked for uncaptured output (`-s`).
        shared: folder where observed tables and results outlive this process (an xdist worker's), else its
            own run folder.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        hidden: tuple[str, ...],
        cwd: str,
        live_output: bool = False,
        shared: Path | None = None,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=RUN_FOLDER))
        self.shared = shared or self.folder
        self.store = self.shared / "frames"
        self.store.mkdir(exist_ok=True)
        self._settings = settings
        self._hidden = hidden
        self.live_output = live_output
        environment = child_environment(os.environ, hidden)
        if live_output:
            environment["LOCKIN_LIVE_OUTPUT"] = "1"
        self._pool = WorkerPool(self.folder, environment, cwd, spares=False)
        self._jvms: dict[tuple[tuple[str, str], ...], JvmHandle] = {}
        self._jvm_lock = threading.Lock()
        self._jvm_lease = threading.RLock()
        self._closed = False
        atexit.register(self.close)

    @property
    def java(self) -> bool:
        """Whether a Java that Spark can use was found (nothing is started to find out)."""
        from pytest_lockin.engines.preflight import java_home

        return java_home() is not None

    @property
    def looking_engine(self) -> str:
        """The engine that runs suites first: `sail`, `spark` or `connect`."""
        name = self._settings.engine
        if name.startswith("sc://"):
            return "connect"
        return "sail" if name == "auto" else name

    @property
    def judging_engine(self) -> str:
        """The engine that has the last word, or "" when the first one's word is all there is."""
        return "spark" if self._settings.engine == "auto" and self.java else ""

    def engine(self, name: str, *, partitions: int = 1, conf: tuple[tuple[str, str], ...] = ()) -> EngineSpec:
        """Say how a worker starts this engine; for `spark` the shared JVM is started when there is none.

        `conf` is static conf that a program asks for (jars, extensions, catalogs): a JVM is started with it.
        Other engines have none to start, and are not given it.

        Raises:
            JavaMissingError: `spark` was asked for and there is no Java that can run it.
        """
        if name == "spark":
            jvm = self._shared_jvm(conf)
            return EngineSpec(
                name=name,
                partitions=partitions,
                conf=conf,
                gateway_port=jvm.port,
                gateway_secret=jvm.secret,
            )
        url = self._settings.engine if name == "connect" else ""
        return EngineSpec(
            name=name,
            implementation=dict(self._settings.engines).get(name, ""),
            partitions=partitions,
            url=url,
        )

    def _shared_jvm(self, conf: tuple[tuple[str, str], ...]) -> JvmHandle:
        with self._jvm_lock:
            jvm = self._jvms.get(conf)
            if jvm is None or not jvm.is_alive():
                from pytest_lockin.engines.jvm import start_jvm

                scratch = Path(tempfile.mkdtemp(prefix="jvm-", dir=self.folder))
                jvm = self._jvms[conf] = start_jvm(scratch, dict(conf))
            return jvm

    def lease(self, engine: str) -> contextlib.AbstractContextManager[object]:
        """Hold the engine alone while the block runs.

        Only classic Spark needs that: its one JVM serves one program at a time (caches, global views and
        running jobs are the JVM's, not a session's). May be nested in one thread.
        """
        return self._jvm_lease if engine == "spark" else contextlib.nullcontext()

    def worker(self, handler: str, job: Any) -> Worker:
        """Start a fresh worker on a job."""
        worker = self._pool.take()
        worker.start(handler, job, sys_path=self._import_path(), live_output=self.live_output)
        return worker

    def keep_spares(self, *, wanted: bool) -> None:
        """Warm up a spare worker while another is busy, or not: the last one is started for nothing."""
        self._pool.spares = wanted

    def stop_workers(self) -> None:
        """End every worker; there are no more from now on. Who waits for one gets `WorkerCrashedError`."""
        self._pool.stop()

    def _import_path(self) -> tuple[str, ...]:
        return tuple(
            entry
            for entry in sys.path
            if entry and not any(entry.startswith(secret) for secret in self._hidden if secret)
        )

    def close(self) -> None:
        """End every process of this run and remove its folder. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        self._pool.stop()
        for jvm in self._jvms.values():
            jvm.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

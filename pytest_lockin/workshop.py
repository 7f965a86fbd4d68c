"""What a run needs and must leave nothing of: the run folder, worker processes, one JVM.

One `Workshop` lives in each pytest process that runs suites. Everything it started is gone after `close()`,
which is also registered to run at interpreter exit.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.model.isolation import Isolation
from pytest_lockin.model.messages import EngineSpec, ProgramJob, SuiteJob
from pytest_lockin.workers.child import RUN_FOLDER
from pytest_lockin.workers.environment import child_environment, sealed_environment
from pytest_lockin.workers.pool import WorkerPool
from pytest_lockin.workers.sandbox.choose import decide_sandbox, is_required, make_sandbox
from pytest_lockin.workers.sandbox.views import Surroundings, view_program, view_suite

if TYPE_CHECKING:
    from pytest_lockin.engines.jvm import JvmHandle
    from pytest_lockin.settings import Settings
    from pytest_lockin.workers.sandbox.choose import SandboxChoice
    from pytest_lockin.workers.sandbox.view import View
    from pytest_lockin.workers.worker import Worker


def decide_for(settings: Settings) -> SandboxChoice:
    """Decide which sandbox a run with these settings gets.

    Raises:
        SandboxError: the one asked for cannot work here, or one is required and none can.
    """
    required = is_required(os.environ, with_references=bool(settings.reference))
    return decide_sandbox(settings.sandbox, engine=settings.engine, required=required)


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
        choice: which sandbox untrusted work gets; by default decided here, from the settings.

    Raises:
        SandboxError: there is none that works here, and one is required.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        hidden: tuple[str, ...],
        cwd: str,
        live_output: bool = False,
        shared: Path | None = None,
        choice: SandboxChoice | None = None,
    ) -> None:
        self._choice = choice or decide_for(settings)
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
        self._cwd = cwd
        own = self.folder / "sandbox"
        own.mkdir()
        self._sandbox = make_sandbox(self._choice, own)
        self._pool = WorkerPool(
            self.folder,
            environment,
            cwd,
            sandbox=self._sandbox if self.sealed else None,
            sealed_environment=sealed_environment(environment, settings.exposed_variables),
            spares=False,
        )
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

    @property
    def sealed(self) -> bool:
        """Whether untrusted work runs in a sandbox."""
        return self._choice.backend != "none"

    def isolation(self) -> Isolation:
        """How untrusted work was kept apart so far, as a value."""
        seen = self._pool.attestations()
        return Isolation(
            asked=self._choice.asked,
            backend=self._choice.backend,
            version=self._sandbox.version,
            required=self._choice.required,
            reason=self._choice.reason or self._sandbox.weakness,
            attestations=tuple({(each.role, each.missing): each for each in seen}.values()),
            processes=len(seen),
        )

    def store_of(self, suite_id: str) -> Path:
        """The folder for what is observed of one suite: no worker of another suite can reach it."""
        return self.store / hashlib.sha256(suite_id.encode()).hexdigest()[:16]

    def worker(self, handler: str, job: Any) -> Worker:
        """Start a fresh worker on a job; all but trusted programs run in the sandbox.

        Raises:
            SandboxError: it would see what no candidate may, or is not kept apart as it should be.
        """
        worker = self._pool.take(self._view(job))
        worker.start(handler, job, sys_path=self._import_path())
        return worker

    def _view(self, job: Any) -> View | None:
        if not self.sealed:
            return None
        if (isinstance(job, ProgramJob) and job.trusted) or job.engine.gateway_port:
            return None
        around = Surroundings(
            hidden=self._hidden,
            exposed=self._settings.exposed_paths,
            import_path=self._import_path(),
            run_folder=str(self.folder),
            cwd=self._cwd,
        )
        Path(job.store).mkdir(parents=True, exist_ok=True)
        return view_suite(job, around) if isinstance(job, SuiteJob) else view_program(job, around)

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

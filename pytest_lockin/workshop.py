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
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.engines.jvm import JVM_VARIABLES, jvm_libraries, missing_java, start_jvm
from pytest_lockin.engines.jvm_pool import JvmPool, RunningJvm
from pytest_lockin.errors import DiskError
from pytest_lockin.model.isolation import Isolation
from pytest_lockin.model.messages import EngineSpec, ProgramJob, SuiteJob
from pytest_lockin.sealing.canary import VARIABLE, make_canary
from pytest_lockin.workers.child import RUN_FOLDER
from pytest_lockin.workers.environment import child_environment, sealed_environment
from pytest_lockin.workers.pool import WorkerPool
from pytest_lockin.workers.sandbox.choose import decide_sandbox, is_required, make_sandbox
from pytest_lockin.workers.sandbox.disk import DiskWatch
from pytest_lockin.workers.sandbox.guarding import Guard
from pytest_lockin.workers.sandbox.view import default_limits, is_inside
from pytest_lockin.workers.sandbox.views import (
    Surroundings,
    attach,
    clear_tmp,
    view_jvm,
    view_program,
    view_suite,
)
from pytest_lockin.workers.worker import unsealed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_lockin.settings import Settings
    from pytest_lockin.workers.sandbox.choose import SandboxChoice
    from pytest_lockin.workers.sandbox.process import Process
    from pytest_lockin.workers.sandbox.view import View
    from pytest_lockin.workers.worker import Worker

# Spark's JVM may fill two GiB of heap, and has more beside it.
_LEAST_FOR_JVM = 4 << 30


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
        DiskError: there is no room for the run folder, or no right to make it.
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
        self._settings = settings
        self._hidden = hidden
        self.live_output = live_output
        self._cwd = cwd
        self._closed = False
        self._jvms = JvmPool()
        self._jvm_processes: list[Process] = []
        self._jvm_lease = threading.RLock()
        # Beside every reference; no untrusted process may ever have it.
        self.canary = make_canary()
        try:
            self.folder = Path(tempfile.mkdtemp(prefix=RUN_FOLDER))
        except OSError as error:
            raise DiskError.of(error) from error
        try:
            self._furnish(shared)
        except OSError as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise DiskError.of(error, str(self.folder)) from error
        atexit.register(self.close)

    def _furnish(self, shared: Path | None) -> None:
        """Make what lies in the run folder, and the pool of workers on it."""
        self.shared = shared or self.folder
        self.store = self.shared / "frames"
        self.store.mkdir(exist_ok=True)
        self.data = self.folder / "data"
        self.data.mkdir()
        # For a pytest that is to read nobody's settings.
        self.empty_ini = self.folder / "pytest.ini"
        self.empty_ini.write_text("[pytest]\n")
        own = self.folder / "sandbox"
        own.mkdir()
        self._sandbox = make_sandbox(self._choice, own)
        environment = child_environment(os.environ, self._hidden)
        if self.live_output:
            environment["LOCKIN_LIVE_OUTPUT"] = "1"
        environment[VARIABLE] = self.canary
        self._guard, self._disk = Guard(self.folder), DiskWatch()
        self._pool = WorkerPool(
            self.folder,
            environment,
            self._cwd,
            sandbox=self._sandbox if self.sealed else None,
            sealed_environment=sealed_environment(environment, self._settings.exposed_variables),
            canary=self.canary,
            watch=self._watch,
            spares=False,
        )

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
        """Say which engine a worker starts; for `spark` it is attached to a JVM when it starts.

        `conf` is static conf that a program asks for (jars, extensions, catalogs): a JVM is started with it.
        Other engines have none to start, and are not given it.

        Raises:
            JavaMissingError: `spark` was asked for and there is no Java that can run it.
        """
        if name == "spark":
            if not self.java:
                raise missing_java()
            return EngineSpec(name=name, partitions=partitions, conf=conf)
        url = self._settings.engine if name == "connect" else ""
        return EngineSpec(
            name=name,
            implementation=dict(self._settings.engines).get(name, ""),
            partitions=partitions,
            url=url,
        )

    def lease(self, engine: str) -> contextlib.AbstractContextManager[object]:
        """Hold the engine alone while the block runs.

        Only classic Spark needs that: its one JVM serves one program at a time (caches, global views and
        running jobs are the JVM's, not a session's). May be nested in one thread.
        """
        return self._jvm_lease if engine == "spark" else contextlib.nullcontext()

    def _watch(self, process: Process) -> None:
        self._guard.watch(process)
        self._disk.watch(process)

    @property
    def sealed(self) -> bool:
        """Whether untrusted work runs in a sandbox."""
        return self._choice.backend != "none"

    def isolation(self) -> Isolation:
        """How untrusted work was kept apart so far, as a value."""
        jvms = (process.attestation for process in self._jvm_processes)
        seen = (*self._pool.attestations(), *(each for each in jvms if each is not None))
        return Isolation(
            asked=self._choice.asked,
            backend=self._choice.backend,
            version=self._sandbox.version,
            required=self._choice.required,
            reason=self._choice.reason or self._sandbox.weakness,
            attestations=tuple({(each.role, each.missing): each for each in seen}.values()),
            processes=len(seen),
            leaks=self._pool.leaks(),
        )

    def store_of(self, suite_id: str) -> Path:
        """The folder for what is observed of one suite: no worker of another suite can reach it."""
        return self.store / hashlib.sha256(suite_id.encode()).hexdigest()[:16]

    def worker(self, handler: str, job: Any) -> Worker:
        """Start a fresh worker on a job; all but trusted programs run in the sandbox.

        Raises:
            SandboxError: it would see what no candidate may, or is not kept apart as it should be.
            DiskError: there is no room for its folder.
        """
        try:
            return self._start(handler, job)
        except OSError as error:
            if DiskError.explains(error):
                raise DiskError.of(error, str(self.folder)) from error
            raise

    def _start(self, handler: str, job: Any) -> Worker:
        view = self._view(job)
        jvm = self._jvm(job, view) if job.engine.name == "spark" else None
        if jvm is not None:
            spec = replace(job.engine, gateway_port=jvm.handle.port, gateway_secret=jvm.handle.secret)
            job = replace(job, engine=spec)
            view = attach(view, jvm.folder, jvm.network) if view is not None else None
        worker = self._pool.take(view)
        if jvm is not None:
            jvm.tenants.append(worker)
            worker.support = jvm.how_it_ended
        worker.start(handler, job, sys_path=self._import_path())
        return worker

    def _jvm(self, job: Any, view: View | None) -> RunningJvm:
        """The JVM for a worker: trusted programs share one, candidates share theirs with nobody else's.

        What a JVM sees it sees from its start: a program on tables that lie elsewhere than in the run's
        folder of data gets another.
        """
        folders = getattr(job, "visible", ())[1:] if view is not None else ()
        elsewhere = tuple(path for path in folders if not is_inside(path, self.data))
        key = (job.engine.conf, view.owner if view is not None else None, elsewhere)
        conf = dict(job.engine.conf)
        jvm = self._jvms.get(key, lambda: self._start_jvm(conf, view), trusted=view is None)
        if view is not None:
            clear_tmp(view, jvm.folder)
        return jvm

    def _start_jvm(self, conf: dict[str, str], view: View | None) -> RunningJvm:
        scratch = Path(tempfile.mkdtemp(prefix="jvm-", dir=self.folder))
        if view is None:
            return RunningJvm(handle=start_jvm(scratch, conf), folder=scratch)
        for name in ("tmp", "local"):
            (scratch / name).mkdir()
        # One JVM serves a suite and its candidate on data: that data are copies of input tables.
        sealed = view_jvm(view, scratch, (*jvm_libraries(), str(self.data)))
        started: list[Process] = []

        def spawn(command: Sequence[str], environment: Mapping[str, str], log: Path) -> Process:
            started.append(self._spawn_jvm(command, environment, log, sealed))
            return started[0]

        handle = start_jvm(scratch, conf, spawn=spawn)
        self._jvm_processes += started
        return RunningJvm(handle=handle, folder=scratch, network=started[0].inner())

    def _spawn_jvm(
        self, command: Sequence[str], environment: Mapping[str, str], log: Path, view: View
    ) -> Process:
        limits = default_limits()
        process = self._sandbox.spawn(
            command,
            view,
            replace(limits, memory=max(limits.memory, _LEAST_FOR_JVM)),
            environment=sealed_environment(environment, (*JVM_VARIABLES, *self._settings.exposed_variables)),
            log=log,
            stdin=subprocess.PIPE,
        )
        self._watch(process)
        if process.attest().open_ends:
            process.kill()
            raise unsealed(process.attest())
        return process

    def _view(self, job: Any) -> View | None:
        if not self.sealed:
            return None
        if isinstance(job, ProgramJob) and job.trusted:
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
        self._jvms.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        self._guard.close()
        self._disk.close()

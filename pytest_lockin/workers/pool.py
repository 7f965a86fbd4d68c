"""Workers handed out one at a time, each fresh; a spare one warms up while another is busy."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from pytest_lockin.errors import RunOverError
from pytest_lockin.workers.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_lockin.model.isolation import Attestation
    from pytest_lockin.workers.sandbox.choose import Sandbox
    from pytest_lockin.workers.sandbox.process import Process
    from pytest_lockin.workers.sandbox.view import View


class WorkerPool:
    """Starts workers; every one it ever started is gone after `stop()`.

    A worker that is given a view runs in the sandbox and sees that and nothing else; without one it is
    trusted, and bare. `spares` may be turned on and off at any time: a spare pays only where more work is
    sure to come, and serves only who asks for the same view. `watch` is told of every process in a sandbox.
    """

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        cwd: str,
        *,
        sandbox: Sandbox | None = None,
        sealed_environment: Mapping[str, str] | None = None,
        canary: str = "",
        watch: Callable[[Process], None] | None = None,
        spares: bool = True,
    ) -> None:
        self._folder = folder
        self._environment = dict(environment)
        self._sealed_environment = dict(sealed_environment or environment)
        self._cwd = cwd
        self._sandbox = sandbox
        self._watch = watch
        self._canary = canary
        self.spares = spares
        self._spare: tuple[View | None, Worker] | None = None
        self._workers: list[Worker] = []
        self._sealed: list[Worker] = []
        self._lock = threading.Lock()
        self._stopped = False

    def take(self, view: View | None = None) -> Worker:
        """Return a fresh worker that nobody else has; a new spare starts to warm up.

        Raises:
            RunOverError: the pool was stopped.
        """
        with self._lock:
            if self._stopped:
                raise RunOverError(
                    expected="a worker process", found="the run is over", hint="it was interrupted"
                )
            worker = self._take_spare(view) or self._spawn(view)
            if self.spares and self._spare is None:
                self._spare = (view, self._spawn(view))
            return worker

    def attestations(self) -> tuple[Attestation, ...]:
        """What was seen of every process that was started for untrusted work and given some."""
        with self._lock:
            seen = [worker.process.attestation for worker in self._sealed]
        return tuple(each for each in seen if each is not None)

    def leaks(self) -> tuple[str, ...]:
        """Where the canary was seen: messages to and from sealed workers, their arguments, files, output."""
        with self._lock:
            return tuple(dict.fromkeys(leak for worker in self._sealed for leak in worker.leaks()))

    def _take_spare(self, view: View | None) -> Worker | None:
        if self._spare is None:
            return None
        (kept, worker), self._spare = self._spare, None
        if kept == view and worker.alive:
            return worker
        worker.kill()
        self._workers.remove(worker)
        return None

    def _spawn(self, view: View | None) -> Worker:
        if view is None or self._sandbox is None:
            worker = Worker(self._folder, self._environment, self._cwd)
        else:
            worker = Worker(
                self._folder,
                self._sealed_environment,
                self._cwd,
                sandbox=self._sandbox,
                view=view,
                canary=self._canary,
            )
            self._sealed.append(worker)
            if self._watch is not None:
                self._watch(worker.process)
        self._workers.append(worker)
        return worker

    def stop(self) -> None:
        """Kill every worker that is left, with all it started; none is handed out after that."""
        with self._lock:
            self._stopped = True
            for worker in self._workers:
                worker.kill()
            self._workers.clear()
            self._spare = None

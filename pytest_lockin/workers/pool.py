"""Workers handed out one at a time, each fresh; a spare one warms up while another is busy."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from pytest_lockin.errors import WorkerCrashedError
from pytest_lockin.workers.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

# Variables by which an outer pytest, coverage or Spark would change what an inner one does.
_DROPPED = ("PYTEST_", "COV_CORE_", "COVERAGE_", "SPARK_", "PYSPARK_", "MASTER", "_PYTEST")
# Where Spark is, which plugins the user wants, and which xdist worker this is hold for inner ones too.
_KEPT = (
    "SPARK_LOCAL_IP",
    "SPARK_HOME",
    "PYTEST_PLUGINS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "PYTEST_XDIST_WORKER",
    "PYTEST_XDIST_WORKER_COUNT",
    "PYTEST_XDIST_TESTRUNUID",
)


def child_environment(parent: Mapping[str, str], hidden: Iterable[str]) -> dict[str, str]:
    """The environment a worker gets: the parent's, less what steers pytest or Spark, less hidden paths.

    A variable whose value mentions a hidden path (the references) is dropped whole.
    """
    secrets = tuple(path for path in hidden if path)
    kept = {}
    for name, value in parent.items():
        if name.startswith(_DROPPED) and name not in _KEPT:
            continue
        if any(secret in value for secret in secrets):
            continue
        kept[name] = value
    return kept


class WorkerPool:
    """Starts workers; every one it ever started is gone after `stop()`.

    `spares` may be turned on and off at any time: a spare pays only where more work is sure to come.
    """

    def __init__(
        self, folder: Path, environment: Mapping[str, str], cwd: str, *, spares: bool = True
    ) -> None:
        self._folder = folder
        self._environment = dict(environment)
        self._cwd = cwd
        self.spares = spares
        self._spare: Worker | None = None
        self._workers: list[Worker] = []
        self._lock = threading.Lock()
        self._stopped = False

    def take(self) -> Worker:
        """Return a fresh worker that nobody else has; a new spare starts to warm up.

        Raises:
            WorkerCrashedError: the pool was stopped.
        """
        with self._lock:
            if self._stopped:
                raise WorkerCrashedError(
                    expected="a worker process", found="the run is over", hint="it was interrupted"
                )
            worker = self._spare if self._spare is not None and self._spare.alive else self._spawn()
            self._spare = self._spawn() if self.spares else None
            return worker

    def _spawn(self) -> Worker:
        worker = Worker(self._folder, self._environment, self._cwd)
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

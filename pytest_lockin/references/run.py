"""The references' own process: trusted programs, one warm engine, asked from several threads in turn."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.engines.serve import HANDLER, NO_CAP
from pytest_lockin.errors import WorkerError
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.messages import ProgramJob, ProgramRaised, ProgramReturned, RunProgram
from pytest_lockin.sealing.canary import plant

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.workers.worker import Worker
    from pytest_lockin.workshop import Workshop

# A statement on scale-1 data on a loaded machine stays well below this.
RUN_LIMIT = 900.0

# Failures of ours, not of a program: they judge nobody.
OURS = frozenset({"WorkerCrashedError", "WorkerTimedOutError", "WorkerError", "WorkerFailedError"})

Parts = tuple[tuple[str, "Frame"], ...]
Answer = ProgramReturned | ProgramRaised


class ProgramRunner:
    """Runs programs in one worker on one engine; a worker that died is replaced at the next request.

    Args:
        store: where results are kept. References and candidates never share one.
        partitions: shuffle partitions of the engine.
        conf: static conf its JVM is started with.
        visible: for a candidate: its folder and those of its tables, all it gets to see; None for programs
            that are trusted (references).
    """

    def __init__(
        self,
        workshop: Workshop,
        engine: str,
        store: Path,
        *,
        partitions: int = 1,
        conf: tuple[tuple[str, str], ...] = (),
        visible: tuple[str, ...] | None = None,
    ) -> None:
        self.engine = engine
        self._workshop = workshop
        self._store = FrameStore(store, NO_CAP)
        self.folder = store
        self._partitions = partitions
        self._conf = conf
        self._visible = visible
        self._worker: Worker | None = None
        self._lock = threading.Lock()

    def run(self, request: RunProgram, limit: float = RUN_LIMIT) -> Answer:
        """Run one program and say what it returned or raised; a worker's death is told as raised."""
        with self._lock:
            if self._visible is None and request.kind == "sql":
                request = replace(request, text=plant(request.text, self._workshop.canary))
            try:
                answer: Answer = self._alive().ask(request, limit, (ProgramReturned, ProgramRaised))
            except WorkerError as error:
                return ProgramRaised(type=type(error).__name__, message=error.one_line)
            return answer

    def _alive(self) -> Worker:
        if self._worker is None or not self._worker.alive:
            spec = self._workshop.engine(self.engine, partitions=self._partitions, conf=self._conf)
            job = ProgramJob(
                engine=spec,
                store=str(self.folder),
                trusted=self._visible is None,
                visible=self._visible or (),
            )
            self._worker = self._workshop.worker(HANDLER, job)
        return self._worker

    def load(self, returned: ProgramReturned) -> Parts:
        """Read back what a program returned.

        Raises:
            FrameError: a result is damaged.
        """
        return tuple((name, self._store.load(stored)) for name, stored in returned.parts)

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None

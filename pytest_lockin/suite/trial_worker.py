"""A trial worker seen from the controller: prepared once, then asked one alternative at a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import LockinError, WorkerError
from pytest_lockin.frames import compare
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.messages import Collected, Finish
from pytest_lockin.model.suite import Raised, Returned
from pytest_lockin.model.trial import (
    Kill,
    Prepare,
    Prepared,
    Probe,
    Probed,
    RanFresh,
    RunFresh,
    TrialOutcome,
    Tried,
    Try,
)
from pytest_lockin.suite.drive import START_LIMIT, collect_failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.model.messages import SuiteJob
    from pytest_lockin.model.suite import CallOutcome
    from pytest_lockin.model.trial import CaseEnd
    from pytest_lockin.suite.drive import SuiteSession
    from pytest_lockin.workers.worker import Worker
    from pytest_lockin.workshop import Workshop

HANDLER = "pytest_lockin.suite.trial_child:main"
# Classic Spark with one partition gives the same order each time; a replay costs as much as a case.
_REPLAYS = {"spark": 2}
_PREPARING = 5.0


class TrialWorker:
    """One warm worker for one suite's trials.

    Args:
        workshop: gives the worker process.
        job: the suite, the engine, the store for what calls gave.
        cases: ids of the cases that count.
        limit: seconds the clean runs may take; a trial's own limit comes with each request.
        warm: a session whose worker has run the suite already and serves trials; it is used first.
    """

    def __init__(
        self,
        workshop: Workshop,
        job: SuiteJob,
        cases: Sequence[str],
        *,
        limit: float,
        warm: SuiteSession | None = None,
    ) -> None:
        self._warm = warm
        self._workshop = workshop
        self._job = job
        self._cases = tuple(cases)
        self._limit = limit
        self._worker: Worker | None = None
        self.prepared = Prepared(refusal="not prepared")

    def prepare(self) -> Prepared:
        """Start the worker and run the controls; a refusal is an answer, not an error.

        Raises:
            WorkerError: the worker crashed, timed out or answered nonsense.
        """
        if self._prepare_warm():
            return self.prepared
        self._worker = self._workshop.worker(HANDLER, self._job)
        collected: Collected = self._worker.receive(START_LIMIT + self._limit, Collected)
        self.prepared = self._ask_to_prepare(collected, partitions=0)
        return self.prepared

    def _prepare_warm(self) -> bool:
        """Prepare in the worker that ran the suite already; a suite that needs a fresh one gets it."""
        if self._warm is None:
            return False
        session, self._warm = self._warm, None
        self._worker, collected = session.hand_over()
        try:
            self.prepared = self._ask_to_prepare(collected, partitions=self._job.engine.partitions)
        except WorkerError as error:
            self.prepared = Prepared(refusal=error.one_line)
        if self.prepared.refusal:
            self.kill()
        return not self.prepared.refusal

    def _ask_to_prepare(self, collected: Collected, *, partitions: int) -> Prepared:
        failures = collect_failures(collected)
        if failures:
            return Prepared(refusal=failures[0])
        assert self._worker is not None  # noqa: S101 - the caller has started it
        replays = _REPLAYS.get(self._job.engine.name, 5)
        asked = Prepare(cases=self._cases, replays=replays, partitions=partitions)
        # A clean run, replays and a broken run, of which none has been measured yet.
        prepared: Prepared = self._worker.ask(asked, _PREPARING * self._limit, Prepared)
        return prepared

    def try_one(self, request: Try, limit: float) -> Tried:
        """Run one trial; where the alternative cannot be swapped in, in a fresh worker that imports it.

        Raises:
            WorkerError: this worker crashed, or did not answer within the limit and was killed.
        """
        worker = self._living()
        tried: Tried = worker.ask(request, limit, Tried)
        if not tried.reimport:
            return tried
        fresh = self._try_fresh(request, limit)
        return replace(fresh, reimport=True, detail=fresh.detail or tried.detail)

    def probe(self, limit: float) -> Probed:
        """Give every case wrecked outputs.

        Raises:
            WorkerError: as `try_one`.
        """
        probed: Probed = self._living().ask(Probe(cases=self._cases), limit, Probed)
        return probed

    def _living(self) -> Worker:
        if self._worker is None or not self._worker.alive:
            self.prepare()
        assert self._worker is not None  # noqa: S101 - just prepared
        return self._worker

    def _try_fresh(self, request: Try, limit: float) -> Tried:
        path = self._source_path(request.module)
        job = replace(self._job, sources=((path, request.source),))
        worker = self._workshop.worker(HANDLER, job)
        try:
            collected: Collected = worker.receive(START_LIMIT + limit, Collected)
            failures = collect_failures(collected)
            if failures:
                return Tried(
                    id=request.id,
                    outcome=TrialOutcome.CRASHED,
                    detail=f"raised when imported: {failures[0]}",
                )
            thorough = request.exhaustive or request.matrix
            known = (case.case_id for case in self.prepared.calls)
            cases = tuple(case for case in known if not request.only or case in request.only)
            asked = RunFresh(id=request.id, cases=cases, thorough=thorough)
            ran: RanFresh = worker.ask(asked, limit, RanFresh)
            return self._judge_fresh(request, ran)
        finally:
            worker.kill()

    def _source_path(self, module: str) -> str:
        folder = Path(self._job.path).parent
        path = folder.joinpath(*module.split("."))
        package = path / "__init__.py"
        return str(package if package.is_file() else path.with_suffix(".py"))

    def _judge_fresh(self, request: Try, ran: RanFresh) -> Tried:
        if ran.missing:
            return Tried(
                id=request.id,
                outcome=TrialOutcome.HARNESS_ERROR,
                detail=f"fewer cases than on the original: {ran.missing} was not collected",
            )
        expecting = {
            case.case_id: any(isinstance(call, Raised) for call in case.calls) for case in self.prepared.calls
        }
        failed = [case for case in ran.cases if case.status == "failed"]
        killers = [case for case in failed if not case.crash or expecting.get(case.case_id)]
        changed = self._changed(ran.cases)
        outcome = TrialOutcome.UNREVEALED if changed else TrialOutcome.UNINFECTED
        detail = ""
        if killers:
            outcome = TrialOutcome.KILLED
        elif failed:
            outcome, detail = TrialOutcome.CRASHED, f"{failed[0].error}: {failed[0].message}"
        return Tried(
            id=request.id,
            outcome=outcome,
            kill=_as_kill(killers[0]) if killers else None,
            detail=detail,
            changed=int(changed),
            killers=tuple(case.case_id for case in killers) if request.matrix else (),
            ran=len(ran.cases),
            # Which case saw what is not known here: any may have.
            reached=tuple(case.case_id for case in ran.cases),
            saw=tuple(case.case_id for case in ran.cases) if changed else (),
        )

    def _changed(self, cases: Sequence[CaseEnd]) -> bool:
        """Whether any call gave something else than in the clean run of the original."""
        before = {case.case_id: case.calls for case in self.prepared.calls}
        store = FrameStore(Path(self._job.store), self._job.byte_cap)
        for case in cases:
            expected = before.get(case.case_id, ())
            if len(expected) != len(case.calls):
                return True
            pairs = zip(expected, case.calls, strict=True)
            if not all(_same_outcome(mine, theirs, store) for mine, theirs in pairs):
                return True
        return False

    def stop(self) -> None:
        """Let the worker end; what it does not do in time is done for it."""
        if self._worker is not None and self._worker.alive:
            try:
                self._worker.ask(Finish(), self._limit)
            except WorkerError:
                self._worker.kill()
            self._worker.stop()
        self._worker = None

    def kill(self) -> None:
        """End the worker now, with all it started."""
        if self._worker is not None:
            self._worker.kill()
        self._worker = None


def _as_kill(case: CaseEnd) -> Kill:
    return Kill(case_id=case.case_id, type=case.error or "failure", message=case.message)


def _same_outcome(mine: CallOutcome, theirs: CallOutcome, store: FrameStore) -> bool:
    if isinstance(mine, Returned) and isinstance(theirs, Returned):
        if [name for name, _ in mine.parts] != [name for name, _ in theirs.parts]:
            return False
        pairs = [
            (a, b) for (_, a), (_, b) in zip(mine.parts, theirs.parts, strict=True) if a.digest != b.digest
        ]
        try:
            return all(not compare(store.load(one), store.load(other)) for one, other in pairs)
        except LockinError:
            return False
    if isinstance(mine, Raised) and isinstance(theirs, Raised):
        return (mine.type, mine.message) == (theirs.type, theirs.message)
    return False


__all__ = ["HANDLER", "TrialWorker"]

"""A suite in a worker, seen from the controller: collect, run phases, run the whole, keep what was seen."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import WorkerError
from pytest_lockin.model.messages import AskReference, Collected, Finish, Finished, PhaseDone, RunPhase
from pytest_lockin.model.suite import CaseRun, Observation, Outcome, SuiteRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_lockin.model.messages import SuiteJob
    from pytest_lockin.workers.worker import Worker
    from pytest_lockin.workshop import Workshop

HANDLER = "pytest_lockin.suite.child:main"
PHASES = ("setup", "call", "teardown")
# Booting an engine on a loaded machine takes long, and nothing has been measured yet.
START_LIMIT = 180.0


@dataclass(slots=True)
class _CaseRecord:
    reports: list[dict[str, Any]] = field(default_factory=list)
    used: tuple[int, ...] = ()


class SuiteSession:
    """One run of a suite in one fresh worker.

    Args:
        workshop: gives the worker.
        job: what to run, how, and what to observe.
        answer: for a stubbed run, answers the entry point's calls; may be changed between passes.
        limit: seconds any one answer may take; None waits for ever (an ordinary pytest run).
        handler: what the worker runs; a trial worker's handler serves ordinary cases first.
    """

    def __init__(
        self,
        workshop: Workshop,
        job: SuiteJob,
        *,
        answer: Callable[[AskReference], Any] | None = None,
        limit: float | None = None,
        handler: str = HANDLER,
    ) -> None:
        self.job = job
        self.answer = answer
        self._limit = limit
        self._worker: Worker = workshop.worker(handler, job)
        self._records: dict[str, _CaseRecord] = {}
        self._observations: list[Observation] = []
        self._needs: tuple[str, ...] = ()
        self._static_conf: tuple[tuple[str, str], ...] = ()
        self.errors: list[str] = []
        self.collected: Collected | None = None
        self.finished: Finished | None = None

    @property
    def alive(self) -> bool:
        """Whether the worker can still answer."""
        return self.finished is None and self._worker.alive

    def collect(self) -> Collected:
        """Wait for what the worker collected.

        Raises:
            WorkerError: it could not start, crashed, or took too long.
        """
        if self.collected is None:
            limit = START_LIMIT if self._limit is None else START_LIMIT + self._limit
            self.collected = self._receive(limit, Collected)
        return self.collected

    def run_phase(self, case_id: str, when: str, next_case: str = "") -> PhaseDone:
        """Run one phase of a case and remember its report and observations.

        Raises:
            WorkerError: the worker crashed, timed out or answered nonsense; the session is then over.
        """
        self._worker.send(RunPhase(case_id=case_id, when=when, next_case=next_case))
        done: PhaseDone = self._receive(self._limit, PhaseDone)
        record = self._records.setdefault(case_id, _CaseRecord())
        if when == "setup":
            record.reports.clear()
        *parts, whole = [json.loads(report) for report in (*done.extra_reports, done.report)]
        record.reports += [*(part for part in parts if part["outcome"] == "failed"), whole]
        record.used = tuple(sorted({*record.used, *done.used}))
        self._observations.extend(done.observations)
        self._needs = done.needs or self._needs
        self._static_conf = done.static_conf or self._static_conf
        return done

    def _receive(self, limit: float | None, kind: type[object]) -> Any:
        wanted = (kind, AskReference)
        try:
            while isinstance(message := self._worker.receive(limit, wanted), AskReference):
                self._worker.send(self._answered(message))
        except WorkerError as error:
            self.errors.append(error.one_line)
            raise
        return message

    def _answered(self, question: AskReference) -> Any:
        if self.answer is None:
            raise WorkerError(
                expected="no question from this run", found="one", hint="the worker is not to be trusted"
            )
        return self.answer(question)

    def hand_over(self) -> tuple[Worker, Collected]:
        """Give up the worker to somebody who goes on with it; what was seen so far stays here."""
        self.finished = Finished()
        return self._worker, self.collect()

    def finish(self) -> Finished:
        """Let the worker tear down and end; return its last words. Safe after a crash."""
        if self.finished is None:
            self.finished = Finished()
            try:
                if self._worker.alive:
                    self._worker.send(Finish())
                    self.finished = self._receive(START_LIMIT, Finished)
                    self.errors.extend(self.finished.errors)
            except WorkerError:
                pass
            self._worker.stop()
        return self.finished

    def kill(self) -> None:
        """End the worker now."""
        self.finished = self.finished or Finished()
        self._worker.kill()

    def as_run(self) -> SuiteRun:
        """What this run showed so far, as a value."""
        collected = self.collected
        return SuiteRun(
            suite_id=self.job.suite_id,
            engine=self.job.engine.name,
            engine_version=collected.engine_version if collected else "",
            collected=len(collected.cases) if collected else 0,
            cases=tuple(
                case_run(case_id, self.job.engine.name, record.reports, record.used)
                for case_id, record in self._records.items()
            ),
            observations=tuple(self._observations),
            errors=(*self.errors, *(collect_failures(collected) if collected else ())),
            needs=self._needs,
            static_conf=self._static_conf,
            store=self.job.store,
        )


def run_whole(session: SuiteSession, order: Callable[[Sequence[str]], Sequence[str]] = tuple) -> SuiteRun:
    """Run every case of a suite, in the order given, and return what was seen; harness failures are in it."""
    run = run_pass(session, order)
    session.finish()
    return session.as_run() if session.errors else run


def run_pass(session: SuiteSession, order: Callable[[Sequence[str]], Sequence[str]] = tuple) -> SuiteRun:
    """Run every case once and tear everything down, fixtures of the session too; the worker stays.

    A worker that fails is killed, and the failure is in what comes back.
    """
    try:
        cases = order([case.id for case in session.collect().cases])
        for index, case_id in enumerate(cases):
            following = cases[index + 1] if index + 1 < len(cases) else ""
            run_case(session, case_id, following)
    except WorkerError:
        session.kill()
    return session.as_run()


def run_case(session: SuiteSession, case_id: str, following: str = "") -> None:
    """Run one case's phases as pytest does: no call after a failed or skipped setup."""
    setup = json.loads(session.run_phase(case_id, "setup").report)
    if setup["outcome"] == "passed":
        session.run_phase(case_id, "call")
    session.run_phase(case_id, "teardown", following)


def is_red(done: PhaseDone) -> bool:
    """Whether this phase, or a sub-test in it, failed."""
    return any(json.loads(report)["outcome"] == "failed" for report in (done.report, *done.extra_reports))


def passes(done: PhaseDone) -> bool:
    """Whether the phase passed, every sub-test in it too; a skipped one does not."""
    return not is_red(done) and json.loads(done.report)["outcome"] == "passed"


def case_run(case_id: str, engine: str, reports: list[dict[str, Any]], used: tuple[int, ...]) -> CaseRun:
    """Conclude from a case's phase reports how it ended, with pytest's words."""
    ended = [(_phase_outcome(report), first_line(report)) for report in reports]
    # A teardown that fails after a skip makes the case red; else the first phase that did not pass says how.
    red = [each for each in ended if each[0] in (Outcome.FAILED, Outcome.ERROR)]
    other = [each for each in ended if each[0] is not Outcome.PASSED]
    outcome, message = next(iter(red or other), (Outcome.PASSED, ""))
    return CaseRun(case_id=case_id, outcome=outcome, engine=engine, observations=used, message=message)


def _phase_outcome(report: dict[str, Any]) -> Outcome:
    expected_to_fail = "wasxfail" in report
    if report["outcome"] == "failed":
        return Outcome.FAILED if report["when"] == "call" else Outcome.ERROR
    if report["outcome"] == "skipped":
        return Outcome.XFAILED if expected_to_fail else Outcome.SKIPPED
    return Outcome.XPASSED if expected_to_fail else Outcome.PASSED


def first_line(report: dict[str, Any]) -> str:
    """The line of a serialised report that says most: the crash message, or the first line of its text."""
    longrepr = report.get("longrepr")
    if isinstance(longrepr, dict):
        crash = longrepr.get("reprcrash") or {}
        text = str(crash.get("message", ""))
    elif isinstance(longrepr, (list, tuple)):
        text = str(longrepr[-1])
    else:
        text = str(longrepr or "")
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[0].strip()[:300] if lines else ""


def collect_failures(collected: Collected) -> tuple[str, ...]:
    """One line for each collection that failed (a skipped one is not a failure)."""
    reports = [json.loads(report) for report in collected.reports]
    return tuple(
        f"{report['nodeid'] or 'collection'}: {_last_line(report)}"
        for report in reports
        if report["outcome"] == "failed"
    )


def uncollected(collected: Collected) -> tuple[str, ...]:
    """One line for each part of the suite that has no cases because it failed or was skipped."""
    reports = [json.loads(report) for report in collected.reports]
    skipped = tuple(
        f"{report['nodeid'] or 'collection'}: {first_line(report)}"
        for report in reports
        if report["outcome"] == "skipped"
    )
    return (*collect_failures(collected), *skipped)


def _last_line(report: dict[str, Any]) -> str:
    """A collection failure's last line names the exception, where its first only says that it is one."""
    longrepr = report.get("longrepr")
    text = longrepr if isinstance(longrepr, str) else str((longrepr or {}).get("longrepr", longrepr))
    if isinstance(longrepr, dict) and longrepr.get("reprcrash"):
        text = longrepr["reprcrash"]["message"]
    lines = [line for line in text.strip().splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E ")] or lines
    return errors[-1].removeprefix("E").strip()[:300] if errors else "failed"

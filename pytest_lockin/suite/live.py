"""A suite while pytest runs it: looked at on one engine, a red case confirmed on another before told.

The looking engine's green is provisional; its red is never reported where a judging engine is there. A case
that is red on the one and green on the other moves the whole suite to the judge, with the reason.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.errors import WorkerError
from pytest_lockin.suite.drive import PHASES, SuiteSession, collect_failures, is_red, passes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_lockin.model.messages import Collected, Finished, PhaseDone
    from pytest_lockin.model.suite import Case, SuiteRun

StaticConf = tuple[tuple[str, str], ...]
_MARKER = "lockin"
UNCONFIRMED = "(Sail, not confirmed)"


class LiveSuite:
    """One suite's workers during the ordinary pytest run.

    Args:
        open_session: starts a session on the engine named, with the static conf given.
        looking: engine of the first session.
        judging: engine that confirms a red case, or "".
    """

    def __init__(
        self, open_session: Callable[[str, StaticConf], SuiteSession], *, looking: str, judging: str = ""
    ) -> None:
        self._open = open_session
        self._looking = looking
        self._judging = judging if judging != looking else ""
        self._sessions: dict[str, SuiteSession] = {}
        self._past: list[SuiteSession] = []
        self._on_judge = ""
        self._static_conf: StaticConf = ()
        self.moved = ""
        self.judge_trouble = ""
        self.case_ids: tuple[str, ...] = ()
        self.meant: tuple[tuple[str, str], ...] = ()

    @property
    def engine(self) -> str:
        """The engine whose word counts for this suite so far."""
        return self._judging if self.moved else self._looking

    def collect(self) -> Collected:
        """Collect the suite; a collection that fails on the looking engine is tried on the judge first.

        Raises:
            WorkerError: no engine could start the suite.
        """
        collected = self._collect()
        self.case_ids = tuple(case.id for case in collected.cases)
        self.meant = read_meant(collected.cases)
        return collected

    def _collect(self) -> Collected:
        try:
            collected = self._session(self._looking).collect()
            trouble = "; ".join(collect_failures(collected))
        except WorkerError as error:
            if not self._judging:
                raise
            collected, trouble = None, error.one_line
        if not self._judging or not trouble:
            assert collected is not None  # noqa: S101 - a failure without a judge was raised above
            return collected
        judged = self._session(self._judging).collect()
        if collected is None or not collect_failures(judged):
            self._move(f"it cannot be collected on {self._looking}: {trouble}")
        return judged

    def run_phase(self, case_id: str, when: str, next_case: str = "") -> PhaseDone:
        """Run one phase of a case; what comes back is what pytest may be told.

        Raises:
            WorkerError: the worker crashed or timed out. The next call starts with a fresh one.
        """
        engine = self.engine
        if self._on_judge == case_id and not self.moved:
            # The case is red on both: its teardown runs on both, and the judge's word is told.
            self._quietly(self._looking, case_id, when, next_case)
            engine = self._judging
        try:
            done = self._session(engine).run_phase(case_id, when, next_case)
        except WorkerError as error:
            if engine != self._looking or not self._judging:
                raise
            return self._after_crash(case_id, when, next_case, error)
        if when == "teardown":
            self._on_judge = ""
        if done.static_conf and engine == self._looking and self._judging:
            return self._start_with(done, case_id, when, next_case)
        if not is_red(done) or engine != self._looking:
            return done
        if not self._judging:
            return done if engine == "spark" else _marked(done)
        return self._confirm(case_id, when, next_case, done)

    def _start_with(self, seen: PhaseDone, case_id: str, when: str, next_case: str) -> PhaseDone:
        """The suite asks for conf that only a JVM started with it has: it goes on there.

        Raises:
            WorkerError: it cannot be run there.
        """
        self._static_conf = seen.static_conf
        asked = ", ".join(key for key, _ in seen.static_conf)
        self._move(f"it asks for {asked}, which only a Spark started with it has")
        return _as_phase(self._judge(case_id, when, next_case), when)

    def _after_crash(self, case_id: str, when: str, next_case: str, error: WorkerError) -> PhaseDone:
        """The looking engine's worker died: the judge says whether that is the suite's doing.

        Raises:
            WorkerError: it died there too.
        """
        judged = self._judge(case_id, when, next_case)
        self._move(f"{_short(case_id)} cannot be run on {self._looking}: {error.one_line}")
        return _as_phase(judged, when)

    def _confirm(self, case_id: str, when: str, next_case: str, seen: PhaseDone) -> PhaseDone:
        """Run the case on the judge up to this phase; its word stands."""
        try:
            judged = self._judge(case_id, when, next_case)
        except WorkerError as error:
            self.judge_trouble = error.one_line
            return _marked(seen)
        if is_red(judged):
            self._on_judge = "" if when == "teardown" else case_id
        else:
            self._move(f"{_short(case_id)} fails on {self._looking} and passes on {self._judging}")
        return _as_phase(judged, when)

    def _judge(self, case_id: str, when: str, next_case: str) -> PhaseDone:
        """Run the case on the judge up to this phase, or to the first that does not pass."""
        session = self._session(self._judging)
        for phase in PHASES[: PHASES.index(when) + 1]:
            judged = session.run_phase(case_id, phase, next_case if phase == "teardown" else "")
            if not passes(judged):
                break
        return judged

    def _move(self, reason: str) -> None:
        self.moved = reason
        looking = self._sessions.pop(self._looking, None)
        if looking is not None:
            looking.kill()
            self._past.append(looking)

    def _quietly(self, engine: str, case_id: str, when: str, next_case: str) -> None:
        session = self._sessions.get(engine)
        if session is None or not session.alive:
            return
        try:
            session.run_phase(case_id, when, next_case)
        except WorkerError:
            session.kill()

    def _session(self, engine: str) -> SuiteSession:
        session = self._sessions.get(engine)
        if session is None or not session.alive:
            if session is not None:
                self._past.append(session)
            session = self._sessions[engine] = self._open(
                engine, self._static_conf if engine == self._judging else ()
            )
            session.collect()
        return session

    def kill(self) -> None:
        """End all workers of this suite now (a time-out in the controller); the next phase starts afresh."""
        for session in self._sessions.values():
            session.errors.append("killed from outside while it ran")
            session.kill()

    def finish(self) -> tuple[Finished, ...]:
        """Let all workers end; return their last words (coverage, warnings)."""
        return tuple(session.finish() for session in self._sessions.values())

    def runs(self) -> tuple[SuiteRun, ...]:
        """What was seen on each engine, in the order of use; runs of crashed workers included."""
        return tuple(session.as_run() for session in (*self._past, *self._sessions.values()))


def _as_phase(done: PhaseDone, when: str) -> PhaseDone:
    """The same report under another phase's name: the judge failed earlier than the looking engine did."""
    report = json.loads(done.report)
    report["when"] = when
    return replace(done, report=json.dumps(report))


def _marked(done: PhaseDone) -> PhaseDone:
    """Say in the report that no other engine confirmed it."""
    report = json.loads(done.report)
    report.setdefault("sections", []).append(("lockin", UNCONFIRMED))
    return replace(done, report=json.dumps(report))


def _short(case_id: str) -> str:
    return case_id.rpartition("::")[2]


def read_meant(cases: Iterable[Case]) -> tuple[tuple[str, str], ...]:
    """The obligations that cases are marked to check: `@pytest.mark.lockin("O3")` or `obligation="O3"`."""
    found = []
    for case in cases:
        for mark in case.marks:
            if mark.name == _MARKER:
                named = [*json.loads(mark.args_json), json.loads(mark.kwargs_json).get("obligation")]
                found += [(case.id, name) for name in named if isinstance(name, str)]
    return tuple(dict.fromkeys(found))


__all__ = ["UNCONFIRMED", "LiveSuite", "read_meant"]

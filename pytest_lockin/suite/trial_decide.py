"""One alternative decided, from swap to restore: what changed, which cases ran, who noticed."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.engines.plans import is_same_plan
from pytest_lockin.model.trial import Kill, TrialOutcome, Tried
from pytest_lockin.suite.replay import Change, Failure, Input, Opaque, find_change, first_line, materialise
from pytest_lockin.suite.swap import ImportRaised, Misfit
from pytest_lockin.suite.trial_blame import is_engine_trouble, is_program_trouble

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.engines.base import Engine
    from pytest_lockin.model.trial import Try
    from pytest_lockin.suite.replay import Call
    from pytest_lockin.suite.trial_cases import CaseRunner, CaseRunning
    from pytest_lockin.suite.trial_known import Known
    from pytest_lockin.suite.trial_program import Program, Reach, SourceFile
    from pytest_lockin.suite.trial_slate import Slate

_STALE = "a function of Spark's Python workers that does not show swapped code"


class Decider:
    """Answers `Try`: puts an alternative in place, looks, and has the original back before it answers."""

    def __init__(
        self, engine: Engine, runner: CaseRunner, program: Program, slate: Slate, known: Known
    ) -> None:
        self._engine = engine
        self._runner = runner
        self._program = program
        self._slate = slate
        self._known = known

    def try_one(self, request: Try) -> Tried:
        """Decide one alternative, and say how long it took."""
        begun = time.perf_counter()
        tried = self._decide(request)
        return replace(tried, seconds=time.perf_counter() - begun)

    def _decide(self, request: Try) -> Tried:
        source = self._program.source_of(request.module)
        if source is None:
            return Tried(id=request.id, outcome=TrialOutcome.UNREACHED, detail="never imported")
        reach = self._program.reach(source, request.source).within(request.only)
        if not reach and not is_thorough(request):
            return Tried(id=request.id, outcome=TrialOutcome.UNREACHED)
        if source.is_stale(request.source):
            return Tried(id=request.id, outcome=TrialOutcome.NOT_RUN, reimport=True, detail=_STALE)
        return self._swap_and_look(request, source, reach)

    def _swap_and_look(self, request: Try, source: SourceFile, reach: Reach) -> Tried:
        self._slate.wipe()
        try:
            self._program.swap(source, request.source)
        except Misfit as error:
            return Tried(id=request.id, outcome=TrialOutcome.NOT_RUN, reimport=True, detail=str(error))
        except ImportRaised as error:
            return Tried(id=request.id, outcome=TrialOutcome.CRASHED, detail=f"raised when imported: {error}")
        try:
            tried = self._look(request, reach)
            seen = reach.all_cases
            reached = tuple(case for case in self._known.runs if case in seen)
            return replace(tried, reached=reached, same_plan=self._is_same_plan(tried, reach))
        finally:
            self._program.restore(source)
            self._slate.wipe()

    def _is_same_plan(self, tried: Tried, reach: Reach) -> bool:
        """Whether the alternative, in place, plans what the original does for every input that reaches it."""
        if tried.outcome is not TrialOutcome.UNINFECTED or reach.cases or self._known.stateful:
            return False
        return all(
            given.replayable and is_same_plan(self._engine, given.original, self._slate.call_again(given))
            for given in reach.inputs
        )

    def _look(self, request: Try, reach: Reach) -> Tried:
        """Replay input by input; run the cases that saw a changed one, and those no replay can decide."""
        thorough = is_thorough(request)
        trial = Trial(request, self._engine, self._runner, self._slate, self._known, reached=bool(reach))
        for given in self._known.inputs if thorough else reach.inputs:
            if not given.replayable:
                continue
            self._slate.freshen()
            found = self._slate.replay(given)
            if isinstance(found, Failure) and is_engine_trouble(found.error):
                return trial.give_up(found.error)
            change = find_change(given, found)
            trial.note(change, given.cases)
            if change is not Change.NONE and not thorough and trial.run(given.cases):
                return trial.conclude()
        trial.run([case for case in self._known.runs if thorough or case in reach.cases], unsure=True)
        return trial.conclude()


def is_thorough(request: Try) -> bool:
    """Whether no shortcut may be taken."""
    return request.exhaustive or request.matrix


class Trial:
    """One alternative in place: what changed, which cases ran, who noticed."""

    def __init__(
        self, request: Try, engine: Engine, runner: CaseRunner, slate: Slate, known: Known, *, reached: bool
    ) -> None:
        self._request = request
        self._engine = engine
        self._runner = runner
        self._slate = slate
        self._known = known
        self._reached = reached
        self._changes: list[Change] = []
        self._ran: dict[str, CaseRunning] = {}
        self._killers: list[CaseRunning] = []
        self._crashed: list[CaseRunning] = []
        self._unsure_change = False
        self._saw: set[str] = set()
        self._reimport = False
        self._trouble: BaseException | None = None

    def give_up(self, trouble: BaseException) -> Tried:
        """The engine failed, not the alternative: this trial says nothing."""
        self._trouble = trouble
        return self.conclude()

    def note(self, change: Change, cases: Iterable[str]) -> None:
        """Keep how far one input's output is from the original's, and which cases see it."""
        self._changes.append(change)
        if change is not Change.NONE:
            self._saw.update(cases)

    # Cases.

    def run(self, cases: Iterable[str], *, unsure: bool = False) -> bool:
        """Run these cases, each once a trial; True when the trial is decided.

        A crash decides nothing: another case may still fail by an assertion. `unsure` says that no replay
        spoke for them, so that a case which passes is asked whether it was given something else.
        """
        for case in cases:
            if case in self._ran or (self._request.only and case not in self._request.only):
                continue
            if self._known.import_calls:
                # The suite holds outputs that were computed when it was imported.
                self._reimport = True
                return True
            self._run_case(case, unsure=unsure)
            if self._trouble is not None or (self._killers and not self._request.matrix):
                return True
        return False

    def _run_case(self, case: str, *, unsure: bool) -> None:
        if not self._ran:
            # Replays may have changed the session's state.
            self._slate.freshen()
        run = self._ran[case] = self._runner.run_case(case)
        if run.error is not None and is_engine_trouble(run.error):
            self._trouble = run.error
        elif run.status == "failed":
            (self._crashed if self._is_crash(run) else self._killers).append(run)
        elif unsure and self._changed_in(run):
            self._unsure_change = True
            self._saw.add(case)

    def _is_crash(self, run: CaseRunning) -> bool:
        """Whether a case failed because the program did: its call raised, or its output did."""
        if run.error is None:
            return False
        if any(call.error is not None for call in self._known.runs[run.case_id].all_calls):
            # The case expects an exception; another one is a difference that it noticed.
            return False
        calls = self._known.calls_of(run)
        return is_program_trouble(run.error, calls, (materialise(self._engine, call) for call in calls))

    def _changed_in(self, run: CaseRunning) -> bool:
        """Whether a call of this run that no replay can decide gave something else than in the clean run."""
        before = self._known.runs[run.case_id].all_calls
        if len(before) != len(run.all_calls):
            return True
        return any(self._differs(mine, theirs) for mine, theirs in zip(before, run.all_calls, strict=True))

    def _differs(self, mine: Call, theirs: Call) -> bool:
        given = self._known.by_call.get(id(mine))
        if given is None or given.replayable:
            return False
        found = materialise(self._engine, theirs)
        return isinstance(found, Opaque) or find_change(Input(call=mine), found) >= Change.ORDER

    # The answer.

    def conclude(self) -> Tried:
        """Put together what was seen."""
        if self._trouble is not None:
            detail = f"{type(self._trouble).__name__}: {first_line(self._trouble)}"
            return Tried(id=self._request.id, outcome=TrialOutcome.HARNESS_ERROR, detail=detail)
        changed = [change for change in self._changes if change >= Change.ORDER]
        return Tried(
            id=self._request.id,
            outcome=TrialOutcome.NOT_RUN if self._reimport else self._outcome(bool(changed)),
            reimport=self._reimport,
            kill=_as_kill(self._killers[0]) if self._killers else None,
            detail=self._detail(),
            changed=len(changed),
            order_only=bool(changed) and all(change is Change.ORDER for change in changed),
            killers=tuple(run.case_id for run in self._killers) if self._request.matrix else (),
            ran=len(self._ran),
            saw=tuple(sorted(self._saw | {run.case_id for run in self._crashed})),
        )

    def _outcome(self, changed: bool) -> TrialOutcome:  # noqa: FBT001
        if self._killers:
            return TrialOutcome.KILLED
        if self._crashed:
            return TrialOutcome.CRASHED
        if changed or self._unsure_change:
            return TrialOutcome.UNREVEALED
        return TrialOutcome.UNINFECTED if self._reached else TrialOutcome.UNREACHED

    def _detail(self) -> str:
        if self._crashed and not self._killers:
            run = self._crashed[0]
            return f"{type(run.error).__name__}: {run.message}"
        if self._reimport:
            return "the suite calls the entry point when it is imported"
        skipped = [case for case, run in self._ran.items() if run.status == "skipped"]
        return f"{len(skipped)} cases were skipped under it" if skipped else ""


def _as_kill(run: CaseRunning) -> Kill:
    kind = type(run.error).__name__ if run.error is not None else "failure"
    return Kill(case_id=run.case_id, type=kind, message=run.message)


__all__ = ["Decider", "Trial"]

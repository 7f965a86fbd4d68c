"""The controls before any trial: clean runs, calls made again, canaries, and a broken program that goes red.

They fill what is known of the original (`Known`). Trials are refused where a control fails: their answers
would mean nothing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pytest_lockin.engines.answers import remember_answers
from pytest_lockin.engines.haste import hasten, keep_answers
from pytest_lockin.model.trial import Prepared
from pytest_lockin.suite.reach import LineTrace, touches_state
from pytest_lockin.suite.replay import Change, Input, Mode, Opaque, find_change, settle
from pytest_lockin.suite.swap import ImportRaised, Misfit
from pytest_lockin.suite.trial_known import tell_calls
from pytest_lockin.suite.wreck import SabotageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.engines.base import Engine
    from pytest_lockin.frames.keep import FrameStore
    from pytest_lockin.model.suite import EntryPoint
    from pytest_lockin.model.trial import Prepare
    from pytest_lockin.suite.replay import Result, TrialRecorder
    from pytest_lockin.suite.trial_cases import CaseRunner
    from pytest_lockin.suite.trial_known import Known
    from pytest_lockin.suite.trial_program import Program, SourceFile
    from pytest_lockin.suite.trial_slate import Slate

# One program makes all outputs: where those of so many inputs are the same each time, one look is enough.
_STUDIED = 12
_BROKEN = '\n\ndef {name}(*_args, **_kwargs):\n    raise RuntimeError("lockin control: a broken program")\n'


class Controls:
    """Answers `Prepare`, once a worker; `known` is filled on the way."""

    def __init__(
        self,
        *,
        engine: Engine,
        store: FrameStore,
        entry: EntryPoint,
        recorder: TrialRecorder,
        runner: CaseRunner,
        program: Program,
        slate: Slate,
        known: Known,
    ) -> None:
        self._engine = engine
        self._store = store
        self._entry = entry
        self._recorder = recorder
        self._runner = runner
        self._program = program
        self._slate = slate
        self._known = known

    def prepare(self, request: Prepare) -> Prepared:
        """Run all controls; what comes back refuses trials where one of them failed."""
        cases = [case for case in self._runner.items if not request.cases or case in request.cases]
        missing = [case for case in request.cases if case not in self._runner.items]
        if request.partitions:
            self._repartition(request.partitions)
        if missing or not cases:
            return Prepared(refusal=f"not collected here: {missing[0]}" if missing else "no case to run")
        begun = time.perf_counter()
        self._record_clean(cases)
        seconds = time.perf_counter() - begun
        red = tuple(case for case, run in self._known.runs.items() if run.status != "passed")
        return self._refuse_red(red, seconds) if red else self._study(request, cases, seconds)

    def _repartition(self, partitions: int) -> None:
        # Asked of Sail's own engine only.
        engine: Any = self._engine
        engine.repartition(partitions)
        hasten(engine)

    def _refuse_red(self, red: tuple[str, ...], seconds: float) -> Prepared:
        run = self._known.runs[red[0]]
        why = f"{red[0]} passes in the baseline and is {run.status} in the trial worker: {run.message}"
        return Prepared(refusal=why, red=red, seconds=seconds)

    def _study(self, request: Prepare, cases: Sequence[str], seconds: float) -> Prepared:
        """The controls of a suite that is green here."""
        self._gather_inputs()
        self._replay_original(request.replays)
        self._find_stale()
        source = self._program.source_of(self._entry.module)
        blind = self._sabotage(source, cases) if source is not None else ()
        if not self._known.stateful:
            # Not before: replays of the original have to be runs, or they would prove nothing.
            remember_answers(self._engine)
        return Prepared(
            refusal=self._refuse_blind(source, len(blind) == len(cases)),
            inputs=len(self._known.inputs),
            replayable=sum(each.replayable for each in self._known.inputs),
            seconds=seconds,
            blind=blind,
            stateful=self._known.stateful,
            calls=tuple(tell_calls(case, self._known, self._engine, self._store) for case in cases),
        )

    def _refuse_blind(self, source: SourceFile | None, all_blind: bool) -> str:  # noqa: FBT001
        if source is None:
            what = f"{self._entry.module} was not imported from a file"
            return f"a broken program cannot be put in place: {what}"
        return "every case passes although the entry point raises: no case runs it" if all_blind else ""

    # Clean runs.

    def _record_clean(self, cases: Sequence[str]) -> None:
        """Run every case on the original, recording its calls and tracing its lines."""
        self._known.stateful = touches_state(self._program.texts())
        if not self._known.stateful:
            keep_answers(self._engine)
        trace = self._recorder.trace = LineTrace(self._program.paths())
        trace.start()
        try:
            for case in cases:
                self._known.runs[case] = self._runner.run_case(case)
        finally:
            trace.stop()
            self._recorder.trace = None
            self._recorder.mode = Mode.WATCH
        self._program.settle()

    def _gather_inputs(self) -> None:
        """Distinct inputs, each with the lines it ran and the cases that rest on it."""
        by_key: dict[str, Input] = {}
        for case, run in self._known.runs.items():
            for call in self._known.calls_of(run):
                key = call.key or f"call@{id(call)}"
                given = by_key.setdefault(key, Input(call=call))
                given.lines |= call.lines
                self._known.by_call[id(call)] = given
                if case not in given.cases:
                    given.cases.append(case)
        self._known.inputs = list(by_key.values())

    # Replays of the original.

    def _replay_original(self, times: int) -> None:
        """Find out which inputs give the recorded output again, and how exactly."""
        if self._known.stateful:
            self._runner.drop_everything()
        studied: list[Input] = []
        for given in self._known.inputs:
            if given.call.arguments is None or isinstance(given.call.result, Opaque):
                continue
            steady = len(studied) >= _STUDIED and all(each.exact for each in studied)
            settle(given, self._replay_often(given, 1 if steady else times))
            if given.replayable and not self._known.stateful:
                given.original = self._slate.call_again(given)
            studied.append(given)

    def _replay_often(self, given: Input, times: int) -> list[Result]:
        results = []
        for _ in range(times):
            self._slate.freshen()
            results.append(self._slate.replay(given))
        return results

    # Canaries.

    def _find_stale(self) -> None:
        """UDFs that do not run swapped code, or never run: a canary in each, and no replay that meets it."""
        for source in self._program.sources():
            for body in self._program.unseen(source):
                if not self._meets_canary(source, source.statements.with_canary(body)):
                    source.stale.append(body)

    def _meets_canary(self, source: SourceFile, text: str) -> bool:
        self._slate.wipe()
        try:
            self._program.swap(source, text)
            return any(
                find_change(each, self._slate.replay(each)) is not Change.NONE
                for each in self._known.inputs
                if each.replayable
            )
        except (Misfit, ImportRaised):
            return False
        finally:
            self._program.restore(source)
            self._slate.wipe()

    # A broken program.

    def _sabotage(self, source: SourceFile, cases: Sequence[str]) -> tuple[str, ...]:
        """The cases that pass although the entry point raises, by the very path trials take."""
        self._slate.wipe()
        try:
            self._program.swap(source, source.text + _BROKEN.format(name=self._entry.function))
        except (Misfit, ImportRaised):
            # A decorated entry point has another shape: break it in the recorder instead.
            self._recorder.mode, self._recorder.wreck = Mode.WRECK, _raise_sabotage
        try:
            return tuple(case for case in cases if self._runner.run_case(case).status == "passed")
        finally:
            self._program.restore(source)
            self._recorder.mode, self._recorder.wreck = Mode.WATCH, None
            self._slate.wipe()


def _raise_sabotage(value: Any) -> Any:
    del value
    raise SabotageError


__all__ = ["Controls"]

"""What the controls of a trial worker found out about the original, for all trials after them to read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_lockin.model.suite import Raised, Returned, ReturnedOther
from pytest_lockin.model.trial import CaseCalls
from pytest_lockin.suite.replay import Failure, Output, materialise

if TYPE_CHECKING:
    from pytest_lockin.engines.base import Engine
    from pytest_lockin.frames.keep import FrameStore
    from pytest_lockin.model.suite import CallOutcome
    from pytest_lockin.suite.replay import Call, Input
    from pytest_lockin.suite.trial_cases import CaseRunning


@dataclass(slots=True, kw_only=True)
class Known:
    """Filled by the controls, once; trials only read it.

    Attributes:
        runs: each case's clean run, in the order they were run.
        inputs: distinct inputs observed; `by_call` finds one by the id of a call of a clean run.
        import_calls: calls made when the suite was imported; every case rests on them.
        imported_hidden: the candidate was imported without a session to see.
        stateful: the suite touches the session's state, so it is reset between trials.
    """

    runs: dict[str, CaseRunning] = field(default_factory=dict)
    inputs: list[Input] = field(default_factory=list)
    by_call: dict[int, Input] = field(default_factory=dict)
    import_calls: list[Call] = field(default_factory=list)
    imported_hidden: bool = True
    stateful: bool = False

    def calls_of(self, run: CaseRunning) -> tuple[Call, ...]:
        """Every call that a run of a case rests on, those made at import first."""
        return (*self.import_calls, *run.all_calls)

    def executed_in(self, path: str) -> set[int]:
        """Lines of a file that ran in the clean runs, inside the entry point and past it."""
        lines = {line for each in self.inputs for line in each.lines}
        lines |= {line for run in self.runs.values() for line in run.outside}
        return {line for place, line in lines if place == path}


def tell_calls(case: str, known: Known, engine: Engine, store: FrameStore) -> CaseCalls:
    """What each call gave that a case's run rests on, tables put into the store."""
    calls = known.calls_of(known.runs[case])
    return CaseCalls(case_id=case, calls=tuple(_tell(call, engine, store) for call in calls))


def _tell(call: Call, engine: Engine, store: FrameStore) -> CallOutcome:
    result = materialise(engine, call)
    if isinstance(result, Failure):
        return Raised(type=result.type, message=result.message, at=result.at)
    if isinstance(result, Output):
        return Returned(parts=tuple((name, store.keep_if_room(frame)) for name, frame, _ in result.parts))
    return ReturnedOther(type=result.type)


__all__ = ["Known", "tell_calls"]

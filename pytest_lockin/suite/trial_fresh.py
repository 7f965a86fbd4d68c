"""Cases run in a worker that imported the suite with an alternative's source in place.

Nothing was prepared here and nothing is compared here: what was called is told, and the controller, which
knows what the original gave, decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.model.trial import CaseEnd, RanFresh
from pytest_lockin.suite.trial_blame import is_program_trouble
from pytest_lockin.suite.trial_known import tell_calls

if TYPE_CHECKING:
    from pytest_lockin.engines.base import Engine
    from pytest_lockin.frames.keep import FrameStore
    from pytest_lockin.model.trial import RunFresh
    from pytest_lockin.suite.trial_cases import CaseRunner, CaseRunning
    from pytest_lockin.suite.trial_known import Known


class FreshRun:
    """Answers `RunFresh`."""

    def __init__(self, engine: Engine, store: FrameStore, runner: CaseRunner, known: Known) -> None:
        self._engine = engine
        self._store = store
        self._runner = runner
        self._known = known

    def run(self, request: RunFresh) -> RanFresh:
        """Run cases with whatever sources this worker was started with, and tell all they called."""
        missing = [case for case in request.cases if case not in self._runner.items]
        if missing:
            return RanFresh(id=request.id, missing=missing[0])
        ends: list[CaseEnd] = []
        for case in request.cases:
            ends.append(self._run_case(case))
            if ends[-1].status == "failed" and not ends[-1].crash and not request.thorough:
                break
        return RanFresh(id=request.id, cases=tuple(ends))

    def _run_case(self, case: str) -> CaseEnd:
        run = self._known.runs[case] = self._runner.run_case(case)
        return CaseEnd(
            case_id=case,
            status=run.status,
            error=type(run.error).__name__ if run.error else "",
            message=run.message,
            crash=run.status == "failed" and _is_crash(run),
            calls=tell_calls(case, self._known, self._engine, self._store).calls,
        )


def _is_crash(run: CaseRunning) -> bool:
    calls = run.all_calls
    return is_program_trouble(run.error, calls, (call.result for call in calls))


__all__ = ["FreshRun"]

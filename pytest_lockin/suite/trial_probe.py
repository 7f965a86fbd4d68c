"""What each case looks at: every case is given wrecked outputs, one wreckage after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.model.trial import CaseProbe, Probed, Wreckage
from pytest_lockin.suite.replay import Mode
from pytest_lockin.suite.wreck import Wrecker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.engines.base import Engine
    from pytest_lockin.model.trial import Probe
    from pytest_lockin.suite.replay import TrialRecorder
    from pytest_lockin.suite.trial_cases import CaseRunner
    from pytest_lockin.suite.trial_known import Known
    from pytest_lockin.suite.trial_slate import Slate

_NOT_MADE = "not made"


class Prober:
    """Answers `Probe`, in a worker that was prepared."""

    def __init__(
        self, engine: Engine, recorder: TrialRecorder, runner: CaseRunner, slate: Slate, known: Known
    ) -> None:
        self._engine = engine
        self._recorder = recorder
        self._runner = runner
        self._slate = slate
        self._known = known

    def probe(self, request: Probe) -> Probed:
        """Say which wreckage each case accepts; of every case that ran clean where none is named."""
        cases = [case for case in self._known.runs if not request.cases or case in request.cases]
        wrecker = Wrecker(self._engine)
        ends = {wreckage: self._end_all(cases, wreckage, wrecker) for wreckage in Wreckage}
        self._slate.wipe()
        return Probed(
            cases=tuple(_tell(case, {way: end[case] for way, end in ends.items()}) for case in cases)
        )

    def _end_all(self, cases: Sequence[str], wreckage: Wreckage, wrecker: Wrecker) -> dict[str, str]:
        self._slate.wipe()
        self._recorder.mode = Mode.WRECK
        try:
            return {case: self._end(case, wreckage, wrecker) for case in cases}
        finally:
            self._recorder.mode, self._recorder.wreck = Mode.WATCH, None

    def _end(self, case: str, wreckage: Wreckage, wrecker: Wrecker) -> str:
        """How a case ended on outputs wrecked in this way, or that they could not be."""
        self._recorder.wreck = wrecker.wreck_with(wreckage)
        run = self._runner.run_case(case)
        made = wrecker.made or wreckage is Wreckage.RAISES
        return run.status if made else _NOT_MADE


def _tell(case: str, ends: dict[Wreckage, str]) -> CaseProbe:
    def picked(*words: str) -> tuple[Wreckage, ...]:
        return tuple(wreckage for wreckage, end in ends.items() if end in words)

    return CaseProbe(
        case_id=case,
        accepted=picked("passed", "skipped"),
        rejected=picked("failed"),
        not_made=picked(_NOT_MADE),
    )


__all__ = ["Prober"]

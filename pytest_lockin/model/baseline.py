"""What all runs of one suite together say."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.model.report import TestCounts
from pytest_lockin.model.suite import LiveResult, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable


def count_outcomes(outcomes: Iterable[Outcome], *, flaky: int = 0) -> TestCounts:
    """Cases by how they ended; `flaky` ones are not among the outcomes."""
    counted = Counter(outcomes)
    return TestCounts(
        passed=counted[Outcome.PASSED] + counted[Outcome.XPASSED],
        failed=counted[Outcome.FAILED],
        errors=counted[Outcome.ERROR],
        skipped=counted[Outcome.SKIPPED] + counted[Outcome.XFAILED],
        flaky=flaky,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What all runs of a suite together say.

    Attributes:
        outcomes: per case the outcome that counts: the judge's where it ran, else what pytest was told.
        engine: the engine whose word that is.
        confirmed: the judge ran the whole suite.
        changes: one line for each flaky case: how it ended, and how it ended again.
        red_on_judge: cases that pytest was told are green and that are red on the judge.
        unconfirmed_red: cases red on Sail with no judge to confirm it.
    """

    live: LiveResult
    outcomes: tuple[tuple[str, Outcome], ...]
    engine: str
    engine_version: str
    confirmed: bool = False
    moved: str = ""
    flaky: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    red_on_judge: tuple[str, ...] = ()
    unconfirmed_red: tuple[str, ...] = ()
    trouble: tuple[str, ...] = ()

    @property
    def counts(self) -> TestCounts:
        """Cases by outcome; a flaky case is counted as flaky only."""
        steady = (outcome for case_id, outcome in self.outcomes if case_id not in self.flaky)
        return count_outcomes(steady, flaky=len(self.flaky))

    @property
    def green_cases(self) -> tuple[str, ...]:
        """Cases that pass and are not flaky."""
        return tuple(
            case_id
            for case_id, outcome in self.outcomes
            if outcome is Outcome.PASSED and case_id not in self.flaky
        )

"""The targeted fresh-generation replication: passed/total and how each suite ended (PAPERS A1.35)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pytest_lockin.studies.planaudit.outcomes import Unjudged, count_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.studies.planaudit.outcomes import Outcome
    from pytest_lockin.studies.planaudit.runs import Run
    from pytest_lockin.studies.planaudit.setup import Setup


class Ending(StrEnum):
    """How a suite ended."""

    PASS = "P"  # noqa: S105 - a letter of Table VII
    FAILURE = "F"
    ERROR = "E"
    UNKNOWN = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One run of the replication."""

    passed: int
    total: int
    ending: Ending
    matches: bool
    is_false_pass: bool

    @property
    def text(self) -> str:
        """The cell as printed: `15/15 P`; no count where no case could be collected."""
        return f"{self.passed}/{self.total} {self.ending}" if self.total else str(self.ending)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replication:
    """Tasks by conditions; None where a condition has no run of a task."""

    setup: Setup
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells there are."""
        return tuple(cell for _, cells in self.rows for cell in cells if cell is not None)

    @property
    def suites_pass(self) -> int:
        """Runs whose suite passes."""
        return sum(cell.ending is Ending.PASS for cell in self.cells)

    @property
    def false_passes(self) -> int:
        """Of these, the ones the reference disagrees with."""
        return sum(cell.is_false_pass for cell in self.cells)

    @property
    def matches(self) -> int:
        """Runs the reference agrees with."""
        return sum(cell.matches for cell in self.cells)


def tell_ending(outcome: Outcome) -> Ending:
    """Tell how a suite ended; an execution error is a suite in which no case passed or failed by itself."""
    cases = outcome.cases
    if outcome.suite_passes:
        return Ending.PASS
    if cases.failed or cases.passed:
        return Ending.FAILURE
    if cases.errors or not isinstance(outcome.judgement, Unjudged):
        return Ending.ERROR
    return Ending.UNKNOWN


def build_replication(setup: Setup, runs: Sequence[Run]) -> Replication:
    """Lay the runs out as tasks by conditions, tasks in the study's order, else by name."""
    tasks = setup.tasks or tuple(sorted({run.task for run in runs}))
    by_key = {(run.condition, run.task): run for run in runs}
    rows = tuple(
        (task, tuple(_make_cell(by_key.get((one.folder, task))) for one in setup.conditions))
        for task in tasks
    )
    return Replication(setup=setup, rows=rows)


def _make_cell(run: Run | None) -> Cell | None:
    if run is None:
        return None
    cases = run.outcome.cases
    # A collection error is one error and no case: there is no count to print.
    total = count_cases(cases)
    collected = total > 1 or cases.passed or cases.failed
    return Cell(
        passed=cases.passed,
        total=total if collected else 0,
        ending=tell_ending(run.outcome),
        matches=run.outcome.matches,
        is_false_pass=run.outcome.is_false_pass,
    )

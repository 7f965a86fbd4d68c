"""Within-task changes: a branch's score minus the inherited baseline score of the same task (PAPERS A1.25).

Descriptive only: no hypothesis test, no interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.studies.planaudit.conditions import choose_runs
from pytest_lockin.studies.planaudit.numbers import Undefined, find_hinges, take_mean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from pytest_lockin.studies.planaudit.numbers import Hinges, Number
    from pytest_lockin.studies.planaudit.runs import Run
    from pytest_lockin.studies.planaudit.scores import Scores
    from pytest_lockin.studies.planaudit.setup import Cohort, Condition, Setup

SCORES = ("plan", "code", "test")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedChange:
    """How one score of one branch moved against the baseline, over the tasks both have scores for."""

    condition: Condition
    score: str
    gains: tuple[tuple[str, Fraction], ...]

    @property
    def up(self) -> int:
        """Tasks whose score rose."""
        return sum(gain > 0 for _, gain in self.gains)

    @property
    def same(self) -> int:
        """Tasks whose score stayed."""
        return sum(gain == 0 for _, gain in self.gains)

    @property
    def down(self) -> int:
        """Tasks whose score fell."""
        return sum(gain < 0 for _, gain in self.gains)

    @property
    def mean(self) -> Number:
        """Mean gain."""
        return take_mean([gain for _, gain in self.gains], "no pairs")

    @property
    def hinges(self) -> Hinges | Undefined:
        """Median gain and Tukey's hinges."""
        return find_hinges([gain for _, gain in self.gains], "no pairs")


def pair_changes(setup: Setup, runs: Sequence[Run], cohort: Cohort) -> tuple[PairedChange, ...]:
    """Pair every branch with the baseline, by task, for plan, code and test scores.

    A task that lacks a score on either side is in no pair; the number of pairs says so.
    """
    chosen = choose_runs(runs, cohort)
    base = _collect_scores(chosen, setup.baseline)
    changes = []
    for branch in setup.branches:
        scores = _collect_scores(chosen, branch)
        tasks = [task for task in scores if task in base]
        for name in SCORES:
            gains = tuple((task, _pick(scores[task], name) - _pick(base[task], name)) for task in tasks)
            changes.append(PairedChange(condition=branch, score=name, gains=gains))
    return tuple(changes)


def _collect_scores(runs: Sequence[Run], condition: Condition) -> dict[str, Scores]:
    found = ((run.task, run.scores) for run in runs if run.condition == condition.folder)
    return {task: scores for task, scores in found if not isinstance(scores, Undefined)}


def _pick(scores: Scores, name: str) -> Fraction:
    return {"plan": scores.plan, "code": scores.code, "test": scores.test}[name]

"""What one condition came to over a cohort: counts, false-pass rates, mean scores (PAPERS A1.21-A1.26)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pytest_lockin.model.agreement import Category
from pytest_lockin.studies.planaudit.numbers import Undefined, divide, take_mean
from pytest_lockin.studies.planaudit.outcomes import Disagreed, Unjudged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_lockin.studies.planaudit.numbers import Number
    from pytest_lockin.studies.planaudit.runs import Run
    from pytest_lockin.studies.planaudit.scores import Scores
    from pytest_lockin.studies.planaudit.setup import Cohort, Condition

HIGH_SCORE = Fraction(9, 10)
HIDDEN_CONTRACT = (Category.ALIAS, Category.PRECISION)
PROMPT_INFERABLE = (Category.STRUCTURE, Category.ROW_COUNT, Category.VALUES, Category.COLUMN_ORDER)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScores:
    """Mean scores over the labelled runs of a condition, and how many runs and obligations those are."""

    plan: Number
    code: Number
    test: Number
    runs: int
    obligations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionResult:
    """The outcomes of one condition's assigned runs.

    `false_pass_rate` divides by all assigned runs, `conditional_false_passes` by the runs whose suite
    passes. `high_plan_gaps` and `high_test_gaps` count runs with a plan score, or test coverage, of at
    least 90 % that the reference disagrees with all the same. `omissions` are self-confirming omissions
    over all runs, recomputed from labels.
    """

    condition: Condition
    assigned: int
    unjudged: int
    executed: int
    suites_pass: int
    matches: int
    false_passes: int
    means: MeanScores
    high_plan_gaps: int
    high_test_gaps: int
    omissions: int
    categories: tuple[tuple[Category, int], ...]

    @property
    def false_pass_rate(self) -> Number:
        """False passes among all assigned runs."""
        return divide(self.false_passes, self.assigned, "no assigned runs")

    @property
    def conditional_false_passes(self) -> Number:
        """False passes among the runs whose suite passes."""
        return divide(self.false_passes, self.suites_pass, "no suite passes")

    @property
    def hidden_contract(self) -> int:
        """Disagreements in names or precision only the reference shows."""
        return sum(count for category, count in self.categories if category in HIDDEN_CONTRACT)

    @property
    def prompt_inferable(self) -> int:
        """Disagreements in structure, rows, values or column order, which the ticket settles."""
        return sum(count for category, count in self.categories if category in PROMPT_INFERABLE)


def sum_condition(condition: Condition, runs: Sequence[Run], cohort: Cohort) -> ConditionResult:
    """Add up one condition's runs on a cohort's tasks; nothing is left out but what the cohort excludes."""
    chosen = [run for run in choose_runs(runs, cohort) if run.condition == condition.folder]
    return ConditionResult(
        condition=condition,
        assigned=len(chosen),
        unjudged=_count(chosen, lambda run: isinstance(run.outcome.judgement, Unjudged)),
        executed=_count(chosen, lambda run: run.executed and not isinstance(run.outcome.judgement, Unjudged)),
        suites_pass=_count(chosen, lambda run: run.outcome.suite_passes),
        matches=_count(chosen, lambda run: run.outcome.matches),
        false_passes=_count(chosen, lambda run: run.outcome.is_false_pass),
        means=_take_means(chosen),
        high_plan_gaps=_count_gaps(chosen, lambda scores: scores.plan),
        high_test_gaps=_count_gaps(chosen, lambda scores: scores.test),
        omissions=sum(len(run.omissions) for run in chosen),
        categories=_count_categories(chosen),
    )


def choose_runs(runs: Iterable[Run], cohort: Cohort) -> list[Run]:
    """Return the runs of a cohort's tasks."""
    return [run for run in runs if run.task not in cohort.exclude]


def _count(runs: Iterable[Run], holds: Callable[[Run], bool]) -> int:
    return sum(1 for run in runs if holds(run))


def _take_means(runs: Iterable[Run]) -> MeanScores:
    scores = [run.scores for run in runs]
    known = [one for one in scores if not isinstance(one, Undefined)]
    reason = "no labelled runs"
    return MeanScores(
        plan=take_mean([one.plan for one in known], reason),
        code=take_mean([one.code for one in known], reason),
        test=take_mean([one.test for one in known], reason),
        runs=len(known),
        obligations=sum(one.obligations for one in known),
    )


def _count_gaps(runs: Iterable[Run], score: Callable[[Scores], Fraction]) -> int:
    def is_gap(run: Run) -> bool:
        scores = run.scores
        if isinstance(scores, Undefined) or not isinstance(run.outcome.judgement, Disagreed):
            return False
        return score(scores) >= HIGH_SCORE

    return _count(runs, is_gap)


def _count_categories(runs: Iterable[Run]) -> tuple[tuple[Category, int], ...]:
    found = Counter(
        run.outcome.judgement.category for run in runs if isinstance(run.outcome.judgement, Disagreed)
    )
    return tuple((category, found[category]) for category in Category)

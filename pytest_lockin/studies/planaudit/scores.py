"""Obligation scores of one run, exactly as published (PAPERS A1.22 to A1.24)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pytest_lockin.studies.planaudit.labels import (
    CodeLabel,
    CoverageLabel,
    LabelSet,
    ObligationLabel,
    PlanLabel,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_HALF = Fraction(1, 2)

PLAN_WEIGHTS = {
    PlanLabel.PRESENT: Fraction(1),
    PlanLabel.PARTIAL: _HALF,
    PlanLabel.AMBIGUOUS: _HALF,
    PlanLabel.ABSENT: Fraction(0),
    PlanLabel.CONTRADICTED: Fraction(0),
}
CODE_WEIGHTS = {
    CodeLabel.SATISFIED: Fraction(1),
    CodeLabel.PARTIAL: Fraction(0),
    CodeLabel.VIOLATED: Fraction(0),
    CodeLabel.EXECUTION_FAILED: Fraction(0),
}
COVERAGE_WEIGHTS = {
    CoverageLabel.COVERED: Fraction(1),
    CoverageLabel.PARTIALLY_COVERED: _HALF,
    CoverageLabel.NOT_COVERED: Fraction(0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Exact scores of one run, each the mean of its obligations' weights."""

    plan: Fraction
    code: Fraction
    test: Fraction
    obligations: int


def score_labels(labels: LabelSet, *, executed: bool) -> Scores:
    """Score one set of labels.

    An execution failure zeroes the code score on every obligation, whatever its labels say; plan and test
    keep what was observed.
    """
    code = (CODE_WEIGHTS[one.code] for one in labels.labels) if executed else iter(())
    count = len(labels.labels)
    return Scores(
        plan=_add(PLAN_WEIGHTS[one.plan] for one in labels.labels) / count,
        code=_add(code) / count,
        test=_add(COVERAGE_WEIGHTS[one.test] for one in labels.labels) / count,
        obligations=count,
    )


def _add(weights: Iterable[Fraction]) -> Fraction:
    return sum(weights, Fraction(0))


def is_omitted(label: ObligationLabel) -> bool:
    """Tell a self-confirming omission: absent from or contradicted by the plan, violated in code, untested.

    All three artifacts are needed; a program that did not run violates nothing.
    """
    return (
        label.plan in {PlanLabel.ABSENT, PlanLabel.CONTRADICTED}
        and label.code is CodeLabel.VIOLATED
        and label.test is CoverageLabel.NOT_COVERED
    )


def find_omissions(labels: LabelSet) -> tuple[str, ...]:
    """Return the ids of the self-confirming omissions, recomputed from the labels."""
    return tuple(one.obligation for one in labels.labels if is_omitted(one))


def labels_say_executed(labels: LabelSet) -> bool:
    """Tell whether the labels hold that the program ran: none of them says execution failed."""
    return all(one.code is not CodeLabel.EXECUTION_FAILED for one in labels.labels)

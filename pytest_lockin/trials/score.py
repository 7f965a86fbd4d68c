"""Scores of trials as plain sums: counts first, percentages last, and never a rounded lie."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.model.trial import (
    AlternativeResult,
    KindScore,
    OutcomeCounts,
    TrialOutcome,
    TrialSummary,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_lockin.model.trial import CaseReport


def count(results: Iterable[AlternativeResult]) -> OutcomeCounts:
    """Count alternatives by outcome; a survivor that is equivalent or undecided is counted there only."""
    counted = Counter(_name(each) for each in results)
    return OutcomeCounts(**{str(name): number for name, number in counted.items()})


def _name(result: AlternativeResult) -> str:
    if result.survived and result.equivalent:
        return "equivalent"
    return "undecided" if result.survived and result.undecided else str(result.outcome)


def summarise(
    results: Sequence[AlternativeResult],
    *,
    engine: str,
    cases: tuple[CaseReport, ...] = (),
    notes: tuple[str, ...] = (),
    seconds: float = 0.0,
) -> TrialSummary:
    """Put results together: the score, the same without waived survivors, and one per obligation kind.

    Right-making alternatives are counted apart and in nothing else. `confirmed` holds when classic Spark
    had the last word on every survivor that could be confirmed.
    """
    scoring = [each for each in results if not each.right_making]
    waived = [each for each in scoring if each.waived and each.survived]
    kinds = sorted({each.kind for each in scoring if each.kind})
    return TrialSummary(
        engine=engine,
        confirmed=_all_confirmed(scoring),
        counts=count(scoring),
        counts_waived=count(each for each in scoring if each not in waived),
        right_making=count(each for each in results if each.right_making),
        by_kind=tuple(
            KindScore(kind=kind, counts=count(each for each in scoring if each.kind == kind))
            for kind in kinds
        ),
        alternatives=tuple(results),
        cases=credit(cases, results),
        disagreements=sum(bool(each.disagreement) for each in results),
        waived=len(waived),
        cached=sum(each.cached for each in results),
        seconds=seconds,
        notes=notes,
    )


def rescore(
    summary: TrialSummary, results: Sequence[AlternativeResult], notes: tuple[str, ...] = ()
) -> TrialSummary:
    """Put the same trials together again, now that more is known of their results."""
    return summarise(
        results,
        engine=summary.engine,
        cases=summary.cases,
        notes=(*summary.notes, *notes),
        seconds=summary.seconds,
    )


def _all_confirmed(results: Sequence[AlternativeResult]) -> bool:
    survivors = [each for each in results if each.survived and each.outcome is not TrialOutcome.UNREACHED]
    return bool(results) and all(each.confirmed for each in survivors)


def credit(cases: tuple[CaseReport, ...], results: Sequence[AlternativeResult]) -> tuple[CaseReport, ...]:
    """Say of each case how many alternatives it noticed, and which only it does."""
    kills: Counter[str] = Counter()
    only: dict[str, list[str]] = {}
    for each in results:
        if each.right_making or each.kill is None:
            continue
        kills.update(each.killers or (each.kill.case_id,))
        if each.only_killer:
            only.setdefault(each.only_killer, []).append(each.id)
    return tuple(
        replace(case, kills=kills[case.case_id], only=tuple(only.get(case.case_id, ()))) for case in cases
    )

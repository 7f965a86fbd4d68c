"""Agreement between label sets, wherever a run has two: raw against raw, automated against final (A1.10)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from pytest_lockin.studies.planaudit.changes import SCORES
from pytest_lockin.studies.planaudit.kappa import RaterAgreement, measure_kappa
from pytest_lockin.studies.planaudit.numbers import Undefined

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_lockin.studies.planaudit.labels import LabelSet
    from pytest_lockin.studies.planaudit.runs import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPair:
    """Two named label sets, one artifact (plan, code or test), and how far they agree on it."""

    first: str
    second: str
    artifact: str
    runs: int
    agreement: RaterAgreement


def compare_raters(runs: Sequence[Run]) -> tuple[RaterPair, ...]:
    """Compare every two label sets by name, over all runs that have both, artifact by artifact.

    Empty where no run has two label sets. The paper's own human agreement could not be computed, because
    labels from before adjudication were not kept.
    """
    pairs = _collect_pairs(runs)
    return tuple(
        RaterPair(
            first=first,
            second=second,
            artifact=artifact,
            runs=len(sets),
            agreement=_measure(sets, artifact),
        )
        for (first, second), sets in pairs.items()
        for artifact in SCORES
    )


def _collect_pairs(runs: Sequence[Run]) -> dict[tuple[str, str], list[tuple[LabelSet, LabelSet]]]:
    pairs: dict[tuple[str, str], list[tuple[LabelSet, LabelSet]]] = {}
    for run in runs:
        if isinstance(run.labels, Undefined):
            continue
        for first, second in combinations(sorted(run.labels.sets, key=lambda one: one.name), 2):
            pairs.setdefault((first.name, second.name), []).append((first, second))
    return dict(sorted(pairs.items()))


def _measure(sets: Iterable[tuple[LabelSet, LabelSet]], artifact: str) -> RaterAgreement:
    left: list[str] = []
    right: list[str] = []
    for first, second in sets:
        other = {one.obligation: one for one in second.labels}
        for label in first.labels:
            left.append(str(getattr(label, artifact)))
            right.append(str(getattr(other[label.obligation], artifact)))
    return measure_kappa(left, right)

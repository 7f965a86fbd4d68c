"""Why violated obligations went unnoticed in false passes (PAPERS A1.33), from final labels.

Where no test covers the obligation, the mechanism follows from the labels: absent from the plan too, it is
a self-confirming omission, else a gap despite the plan. Where tests do look, a labeller has to say why they
saw nothing; partial coverage needs no word of theirs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.model.finding import Mechanism
from pytest_lockin.studies.planaudit.conditions import choose_runs
from pytest_lockin.studies.planaudit.labels import CodeLabel, CoverageLabel, ObligationLabel
from pytest_lockin.studies.planaudit.numbers import Undefined
from pytest_lockin.studies.planaudit.scores import is_omitted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.studies.planaudit.runs import Run
    from pytest_lockin.studies.planaudit.setup import Cohort, Condition

UNTESTED = (Mechanism.GAP_DESPITE_PLAN, Mechanism.SELF_CONFIRMING_OMISSION)
# In the published order of Table VI.
MECHANISMS = (
    Mechanism.GAP_DESPITE_PLAN,
    Mechanism.PARTIAL_COVERAGE,
    Mechanism.CANDIDATE_SCHEMA,
    Mechanism.SELF_CONFIRMING_OMISSION,
    Mechanism.NONDISCRIMINATING_DATA,
    Mechanism.SAME_INCORRECT_LOGIC,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A violated obligation and the mechanism that hid it."""

    mechanism: Mechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class Unexplained:
    """A violated obligation that tests cover and nobody said why they pass; or a label that cannot be."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MechanismCounts:
    """The mechanisms over all violated obligations in one condition's false passes."""

    condition: Condition
    counts: tuple[tuple[Mechanism, int], ...]
    unexplained: tuple[str, ...]

    @property
    def violated(self) -> int:
        """Violated obligations in false passes."""
        return sum(count for _, count in self.counts) + len(self.unexplained)

    @property
    def untested(self) -> int:
        """Those that no test covers."""
        return sum(count for mechanism, count in self.counts if mechanism in UNTESTED)

    @property
    def inadequate(self) -> int:
        """Those whose tests look and pass all the same."""
        return self.violated - self.untested


def find_mechanism(label: ObligationLabel) -> Explained | Unexplained:
    """Say why this violated obligation went unnoticed; a named mechanism the labels refute is refused."""
    derived = _derive_mechanism(label)
    if label.mechanism is None:
        return Explained(mechanism=derived) if derived else Unexplained(reason="covered, no mechanism named")
    untested = label.test is CoverageLabel.NOT_COVERED
    if (untested and label.mechanism is not derived) or (not untested and label.mechanism in UNTESTED):
        return Unexplained(reason=f"labelled {label.mechanism}, but its test label is {label.test}")
    return Explained(mechanism=label.mechanism)


def _derive_mechanism(label: ObligationLabel) -> Mechanism | None:
    if label.test is CoverageLabel.NOT_COVERED:
        return Mechanism.SELF_CONFIRMING_OMISSION if is_omitted(label) else Mechanism.GAP_DESPITE_PLAN
    return Mechanism.PARTIAL_COVERAGE if label.test is CoverageLabel.PARTIALLY_COVERED else None


def count_mechanisms(condition: Condition, runs: Sequence[Run], cohort: Cohort) -> MechanismCounts:
    """Count the mechanisms over the violated obligations of one condition's false passes."""
    counts: Counter[Mechanism] = Counter()
    unexplained = []
    for run in choose_runs(runs, cohort):
        if run.condition != condition.folder or not run.outcome.is_false_pass or not run.executed:
            continue
        for label in _find_violated(run):
            found = find_mechanism(label)
            if isinstance(found, Explained):
                counts[found.mechanism] += 1
            else:
                unexplained.append(f"{run.folder} {label.obligation}: {found.reason}")
    return MechanismCounts(
        condition=condition,
        counts=tuple((one, counts[one]) for one in MECHANISMS),
        unexplained=tuple(unexplained),
    )


def _find_violated(run: Run) -> tuple[ObligationLabel, ...]:
    if isinstance(run.labels, Undefined):
        return ()
    return tuple(one for one in run.labels.final.labels if one.code is CodeLabel.VIOLATED)

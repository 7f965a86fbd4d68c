"""Alternatives of a wrong program that are right: an edit that repairs it is no mistake to be noticed.

An alternative is right-making when it agrees with the reference on the data and on every fixture. A suite
that rejects it holds the program's own mistake for right; its kill is evidence against the suite and never
scores.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_lockin.errors import LockinError
from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.references.agree import CandidateRuns
from pytest_lockin.references.vet import tables_for
from pytest_lockin.trials import rescore

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_lockin.judging import Bench, Frozen, Judged
    from pytest_lockin.model.alternative import Mutant
    from pytest_lockin.model.baseline import Baseline
    from pytest_lockin.model.task import Task
    from pytest_lockin.model.trial import TrialSummary
    from pytest_lockin.references.load import Panel
    from pytest_lockin.references.vet import Vetted

# Seconds per suite and engine; alternatives that were not looked at by then count as wrong, and it is said.
_BUDGET = 30.0
_UNTRIED = frozenset({TrialOutcome.NOT_RUN, TrialOutcome.UNREACHED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One suite whose candidate was judged."""

    bench: Bench
    baseline: Baseline
    judged: Judged
    task: Task | None
    frozen: Frozen | None


def mark_right_making(summary: TrialSummary, mutants: Iterable[Mutant], case: Case) -> TrialSummary:
    """Find the alternatives that agree with the reference everywhere, and score without them.

    Only a program that is wrong can be made right. Only edits of the entry point's own module are looked at.
    """
    entry = case.baseline.live.suite.entry_point.module
    tried = {each.id for each in summary.alternatives if each.outcome not in _UNTRIED}
    left = [mutant for mutant in mutants if mutant.id in tried and mutant.module == entry]
    notes: list[str] = []
    for engine in dict.fromkeys((case.baseline.engine, case.judged.vetted.engine)):
        if left:
            with case.bench.workshop.lease(engine):
                looking = _Looking(case, engine)
                left = looking.keep_right(left)
                notes += looking.notes
    right = {mutant.id for mutant in left}
    results = tuple(
        replace(each, right_making=True) if each.id in right else each for each in summary.alternatives
    )
    return rescore(summary, results, tuple(notes))


class _Looking:
    """The search on one engine."""

    def __init__(self, case: Case, engine: str) -> None:
        self._bench = case.bench
        self._baseline = case.baseline
        self._task = case.task
        self._judged = case.judged
        self._frozen = case.frozen
        self._engine = engine
        self.notes: list[str] = []

    def keep_right(self, mutants: Sequence[Mutant]) -> list[Mutant]:
        """Give those that agree with the reference on every input; small inputs that accuse come first."""
        suite, conf = self._baseline.live.suite, self._baseline.live.static_conf
        data = self._bench.vetted(self._panel, self._task, self._engine)
        if data.unfit:
            return []
        inputs = [*self._fixtures(), data]
        deadline = time.monotonic() + _BUDGET
        right: list[Mutant] = []
        tables = tables_for(data.panel, self._task)
        with CandidateRuns(
            self._bench.workshop, suite, self._engine, self._bench.data, shared=tables, conf=conf
        ) as runs:
            for number, mutant in enumerate(mutants):
                if time.monotonic() > deadline:
                    left = len(mutants) - number
                    self.notes.append(f"{left} alternatives were not compared with the reference: too slow")
                    break
                if all(runs.agrees(vetted, self._task, mutant) for vetted in inputs):
                    right.append(mutant)
        return right

    @property
    def _panel(self) -> Panel:
        return self._judged.vetted.panel

    def _fixtures(self) -> list[Vetted]:
        if self._frozen is None or self._task is None:
            return []
        accusing = {each.name for each in self._judged.fixtures if each.accuses}
        used = {each.name for each in self._judged.fixtures if each.agreement is not None}
        fixtures = [each for each in self._frozen.fixtures if each.name in used and not each.post_hoc]
        found = []
        for fixture in sorted(fixtures, key=lambda each: each.name not in accusing):
            try:
                vetted = self._bench.vetted_on(
                    fixture, self._frozen.profile, self._panel, self._task, self._engine
                )
            except LockinError:
                continue
            found += [] if vetted.unfit else [vetted]
        return found


__all__ = ["Case", "mark_right_making"]

"""Survivors that no fixture tells from the program either: undecided, never called equivalent.

An alternative that no test noticed may be no other program at all. Where the task has frozen fixtures, what
the tests' rows could not show is looked for on them: a survivor that differs there counts as one; one that
never does is undecided and counts as nothing.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.errors import LockinError
from pytest_lockin.fixturegen.tables import keep_tables
from pytest_lockin.frames import compare
from pytest_lockin.model.messages import ProgramRaised, TableFile
from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.references.agree import CandidateRuns
from pytest_lockin.trials import rescore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_lockin.judging import Bench, Frozen
    from pytest_lockin.model.alternative import Mutant
    from pytest_lockin.model.baseline import Baseline
    from pytest_lockin.model.trial import TrialSummary
    from pytest_lockin.references.run import Parts

    Tables = tuple[TableFile, ...]

# Seconds per suite; survivors that were not looked at by then stay survivors.
_BUDGET = 20.0
_DOUBTFUL = frozenset({TrialOutcome.UNINFECTED, TrialOutcome.UNREACHED})


def mark_undecided(
    summary: TrialSummary, mutants: Iterable[Mutant], bench: Bench, baseline: Baseline, frozen: Frozen
) -> TrialSummary:
    """Run survivors that no row of the tests can show on the task's fixtures; score without the rest.

    Runs on the suite's own engine. Only edits of the entry point's own module are looked at.
    """
    entry = baseline.live.suite.entry_point.module
    doubtful = {each.id for each in summary.alternatives if each.outcome in _DOUBTFUL}
    wanted = [mutant for mutant in mutants if mutant.id in doubtful and mutant.module == entry]
    if not wanted:
        return summary
    with bench.workshop.lease(baseline.engine):
        same = frozenset(_find_same(wanted, bench, baseline, frozen))
    results = tuple(
        replace(each, undecided=True) if each.id in same else each for each in summary.alternatives
    )
    return rescore(summary, results)


def _find_same(mutants: Iterable[Mutant], bench: Bench, baseline: Baseline, frozen: Frozen) -> Iterator[str]:
    """Give the ids of those that return what the original does on every fixture, row for row."""
    suite, conf = baseline.live.suite, baseline.live.static_conf
    deadline = time.monotonic() + _BUDGET
    with CandidateRuns(bench.workshop, suite, baseline.engine, bench.data, conf=conf) as runs:
        expected = _run_original(runs, bench, frozen)
        for mutant in mutants:
            if time.monotonic() > deadline or not expected:
                return
            if all(_is_same(runs, tables, output, mutant) for tables, output in expected.items()):
                yield mutant.id


def _run_original(runs: CandidateRuns, bench: Bench, frozen: Frozen) -> Mapping[Tables, Parts]:
    """What the original returns on each fixture it can be run on."""
    expected: dict[Tables, Parts] = {}
    for fixture in frozen.fixtures:
        try:
            tables = keep_tables(fixture.to_dataset(), frozen.profile, bench.fixture_store)
            output = runs.run(tables)
        except LockinError:
            continue
        if not isinstance(output, ProgramRaised):
            expected[tables] = output
    return expected


def _is_same(runs: CandidateRuns, tables: Tables, expected: Parts, mutant: Mutant) -> bool:
    try:
        found = runs.run(tables, mutant)
        if isinstance(found, ProgramRaised) or [n for n, _ in expected] != [n for n, _ in found]:
            return False
        pairs = zip(expected, found, strict=True)
        return all(
            not compare(mine, theirs) and mine.table.to_pylist() == theirs.table.to_pylist()
            for (_, mine), (_, theirs) in pairs
        )
    except LockinError:
        return False


__all__ = ["mark_undecided"]

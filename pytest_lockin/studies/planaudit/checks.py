"""What does not fit together in a study: scores against their export, labels against outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pytest_lockin.studies.planaudit.changes import SCORES
from pytest_lockin.studies.planaudit.numbers import Undefined, show_percent
from pytest_lockin.studies.planaudit.scores import labels_say_executed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.studies.planaudit.runs import Run

# An export rounds to four decimals at best; half of the last one, and a hair for the binary float.
EXPORT_STEP = Fraction(51, 1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrepancy:
    """Two sources that should say the same of a run, and do not."""

    where: str
    what: str


def find_discrepancies(runs: Sequence[Run]) -> tuple[Discrepancy, ...]:
    """Return everything in the runs that contradicts itself, in the order of the runs."""
    found: list[Discrepancy] = []
    for run in runs:
        found += [Discrepancy(where=run.folder, what=what) for what in _check_run(run)]
    return (*found, *_check_obligations(runs))


def _check_run(run: Run) -> Iterator[str]:
    if run.outcome.contradiction:
        yield run.outcome.contradiction
    if isinstance(run.labels, Undefined):
        return
    if labels_say_executed(run.labels.final) != run.outcome.executed:
        yield f"labels say executed: {not run.outcome.executed}, the report: {run.outcome.executed}"
    codes = {one.code for one in run.labels.final.labels}
    if not labels_say_executed(run.labels.final) and len(codes) > 1:
        yield "execution failed on some obligations only; it fails all or none"
    yield from _check_export(run)


def _check_export(run: Run) -> Iterator[str]:
    scores = run.scores
    if isinstance(run.labels, Undefined) or isinstance(scores, Undefined) or run.labels.scores is None:
        return
    for name in SCORES:
        exported = Fraction(getattr(run.labels.scores, name))
        computed: Fraction = getattr(scores, name)
        if abs(exported - computed) > EXPORT_STEP:
            said, have = (show_percent(value, 2) for value in (exported, computed))
            yield f"{name} score: the export says {said}, the labels give {have}"


def _check_obligations(runs: Sequence[Run]) -> Iterator[Discrepancy]:
    """A task has the same obligations under every condition, or its scores cannot be paired."""
    first: dict[str, tuple[str, frozenset[str]]] = {}
    for run in runs:
        if isinstance(run.labels, Undefined):
            continue
        ids = frozenset(one.obligation for one in run.labels.final.labels)
        other, expected = first.setdefault(run.task, (run.folder, ids))
        if ids != expected:
            differing = ", ".join(sorted(ids ^ expected))
            yield Discrepancy(where=run.folder, what=f"{differing} not labelled here and in {other} alike")

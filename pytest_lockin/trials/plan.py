"""Which alternatives are tried, in which order, and how long each may take."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pytest_lockin.model.alternative import Mutant

# A trial runs at most what a clean run does, twice; the rest is for a machine that is busier than it was.
_TIMES = 10.0
_FLOOR = 20.0
# Booting one more worker pays only where it has enough to do.
_PER_WORKER = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPlan:
    """What the user asked of the trials.

    Attributes:
        exhaustive: take no shortcut.
        matrix: run every case on every alternative, and say who notices what.
        budget: seconds after which no new trial is begun; None for no limit.
        workers: workers at the same time.
        confirm: `survivors` (and a sample of kills), `all` or `none`.
        probes: give the cases wrecked outputs too.
    """

    exhaustive: bool = False
    matrix: bool = False
    budget: float | None = None
    workers: int = 1
    confirm: str = "survivors"
    probes: bool = False


def trial_limit(clean_seconds: float) -> float:
    """Seconds one trial may take: a multiple of the measured clean run, and never too few."""
    return _FLOOR + _TIMES * clean_seconds


def count_workers(plan: TrialPlan, alternatives: int) -> int:
    """How many workers are worth booting for so many alternatives."""
    return max(1, min(plan.workers, -(-alternatives // _PER_WORKER)))


def spread(mutants: Iterable[Mutant]) -> tuple[Mutant, ...]:
    """Order alternatives so that a spent budget leaves every obligation kind with some tried.

    One of each kind in turn; within a kind the order is kept. Generic edits of Python come last.
    """
    kinds: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        kinds[mutant.kind or ""].append(mutant)
    generic = kinds.pop("", [])
    queues = [list(reversed(kinds[kind])) for kind in sorted(kinds)]
    ordered: list[Mutant] = []
    while any(queues):
        ordered += [queue.pop() for queue in queues if queue]
    return (*ordered, *generic)


def select(mutants: Iterable[Mutant], only: Collection[str] | None) -> tuple[Mutant, ...]:
    """Keep the alternatives with these ids; all where `only` is None."""
    return tuple(mutant for mutant in mutants if only is None or mutant.id in only)

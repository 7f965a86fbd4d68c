"""From a thousand small databases to at most five that tell the same variants apart.

Databases put together can mask each other, so bundles are proposed by many recipes, all of them are run
in one call for each variant, and only what was seen counts.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.cover import cover_greedily, drop_needless
from pytest_lockin.fixturegen.evaluate import measure_separations
from pytest_lockin.fixturegen.merge import CAP, Links, largest_table, merge_datasets
from pytest_lockin.fixturegen.warehouse import Warehouse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_lockin.fixturegen.evaluate import Matrix, Programs
    from pytest_lockin.model.fixture import Dataset, Profile

MOST_FIXTURES = 5
_RECIPES = 10
_REPAIRS = 3
_ALTERNATIVES = 4

Parts = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Datasets put together, with what the whole was seen to separate."""

    parts: Parts
    dataset: Dataset
    separates: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What packing works with: the datasets, what is known of them, and the statements."""

    datasets: Sequence[Dataset]
    matrix: Matrix
    profile: Profile
    programs: Programs
    links: Links = ()
    cap: int = CAP
    most: int = MOST_FIXTURES


def pack_datasets(plan: Plan) -> tuple[Bundle, ...]:
    """Choose and bundle datasets so that few bundles separate what all datasets do; most first.

    At most `plan.most` bundles of at most `plan.cap` rows a table. What no bundle was seen to separate is
    missing from them: the caller compares.
    """
    kills = _kills(plan)
    wanted = frozenset().union(*kills.values()) if kills else frozenset()
    proposals = {
        parts: bundle for recipe in range(_RECIPES) for parts, bundle in _propose(plan, kills, recipe)
    }
    seen = _measure(plan, proposals, wanted)
    chosen = _choose(plan, seen)
    for _ in range(_REPAIRS):
        missing = wanted - frozenset().union(*(bundle.separates for bundle in chosen))
        if not missing:
            break
        more = _extend(plan, chosen, kills, missing)
        fresh = {parts: dataset for parts, dataset in more.items() if parts not in seen}
        if not fresh:
            break
        seen |= _measure(plan, fresh, wanted)
        chosen = _choose(plan, seen)
    return chosen


def _kills(plan: Plan) -> dict[int, frozenset[str]]:
    """Turn the matrix round: what each dataset separates. Datasets over the cap are left out."""
    kills: dict[int, set[str]] = {}
    for name, numbers in plan.matrix.shown_on().items():
        for number in numbers:
            kills.setdefault(number, set()).add(name)
    return {n: frozenset(k) for n, k in kills.items() if largest_table(plan.datasets[n]) <= plan.cap}


def count_rows(dataset: Dataset) -> int:
    """Count a dataset's rows, all tables together."""
    return sum(len(rows.rows) for rows in dataset.tables)


def _propose(plan: Plan, kills: Mapping[int, frozenset[str]], recipe: int) -> list[tuple[Parts, Dataset]]:
    """Bundle a greedy cover by one recipe; different recipes weigh rows differently and break ties anew."""
    chance = random.Random(recipe)  # noqa: S311 - the same numbers every time are the point
    weights = {n: (count_rows(plan.datasets[n]) + 1) * chance.uniform(1.0, 1.0 + recipe / 10) for n in kills}
    picks = [n for n, _ in cover_greedily(kills, weights, power=(0.7, 0.3, 0.0, 1.0)[recipe % 4])]
    bundles: list[tuple[Parts, Dataset]] = []
    for pick in picks:
        bundles = _place(plan, bundles, pick)
    return bundles


def _place(plan: Plan, bundles: list[tuple[Parts, Dataset]], pick: int) -> list[tuple[Parts, Dataset]]:
    """Put a dataset into the first bundle it fits into, or into one of its own."""
    for place, (parts, dataset) in enumerate(bundles):
        merged = merge_datasets(dataset, plan.datasets[pick], plan.profile, links=plan.links, cap=plan.cap)
        if merged is not None:
            return [*bundles[:place], ((*parts, pick), merged), *bundles[place + 1 :]]
    return [*bundles, ((pick,), plan.datasets[pick])]


def _measure(plan: Plan, proposals: Mapping[Parts, Dataset], wanted: frozenset[str]) -> dict[Parts, Bundle]:
    """Run reference and variants on the proposed bundles; those on which the reference raises are dropped."""
    keys, datasets = list(proposals), list(proposals.values())
    programs = plan.programs.only(wanted)
    with Warehouse(plan.profile, datasets, programs.texts) as warehouse:
        matrix = measure_separations(warehouse, programs, enough=len(datasets) + 1)
    shown = matrix.shown_on()
    return {
        keys[number]: Bundle(
            parts=keys[number],
            dataset=datasets[number],
            separates=frozenset(name for name, seen in shown.items() if number in seen),
        )
        for number in matrix.defined
    }


def _choose(plan: Plan, seen: Mapping[Parts, Bundle]) -> tuple[Bundle, ...]:
    sets = {parts: bundle.separates for parts, bundle in seen.items()}
    weights = {parts: float(count_rows(bundle.dataset) + 1) for parts, bundle in seen.items()}
    covers = [cover_greedily(sets, weights, most=plan.most, power=power) for power in (0.3, 0.0)]
    best = max(covers, key=lambda cover: sum(len(gained) for _, gained in cover))
    return tuple(seen[parts] for parts in drop_needless(best, sets))


def _extend(
    plan: Plan, chosen: Sequence[Bundle], kills: Mapping[int, frozenset[str]], missing: frozenset[str]
) -> dict[Parts, Dataset]:
    """Propose to add, to each chosen bundle, datasets that separate what is missing; or them alone."""
    weights = {n: float(count_rows(plan.datasets[n]) + 1) for n in kills}
    left = {n: found & missing for n, found in kills.items() if found & missing}
    adds = [n for n, _ in cover_greedily(left, weights)][:12]
    for name in sorted(missing):
        fitting = sorted((n for n, found in left.items() if name in found), key=lambda n: weights[n])
        adds += fitting[:_ALTERNATIVES]
    proposals: dict[Parts, Dataset] = {(n,): plan.datasets[n] for n in dict.fromkeys(adds)}
    for bundle in chosen:
        grown = [(bundle.parts, bundle.dataset)]
        for pick in dict.fromkeys(adds):
            merged = merge_datasets(
                bundle.dataset, plan.datasets[pick], plan.profile, links=plan.links, cap=plan.cap
            )
            if merged is not None:
                proposals[(*bundle.parts, pick)] = merged
                parts, last = grown[-1]
                more = merge_datasets(last, plan.datasets[pick], plan.profile, links=plan.links, cap=plan.cap)
                grown += [((*parts, pick), more)] if more is not None and pick not in parts else []
        proposals.update(grown[1:])
    return proposals

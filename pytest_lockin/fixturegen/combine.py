"""Pairs of small databases in one, for variants that none of them tells apart alone.

A change that shows only beside its opposite (a sort key, a tie, a share of a total) needs rows of both.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.cover import cover_greedily
from pytest_lockin.fixturegen.evaluate import measure_separations
from pytest_lockin.fixturegen.merge import CAP, Links, merge_datasets
from pytest_lockin.fixturegen.warehouse import Warehouse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pytest_lockin.fixturegen.evaluate import Matrix, Programs
    from pytest_lockin.model.fixture import Dataset, Profile

_WITH_FIRST = 200
_AT_RANDOM = 200
_ENOUGH = 3


def combine_datasets(
    datasets: Sequence[Dataset], matrix: Matrix, profile: Profile, *, links: Links = ()
) -> tuple[Dataset, ...]:
    """Merge databases on which the reference returns rows: the first with each other, then some at random.

    The same databases give the same pairs. Pairs that do not fit together are left out.
    """
    usable = [datasets[n] for n, rows in sorted(matrix.defined.items()) if rows and _is_small(datasets[n])]
    found: dict[str, Dataset] = {}
    for one, other in _pairs(usable):
        merged = merge_datasets(one, other, profile, links=links)
        if merged is not None and merged.tables not in (one.tables, other.tables):
            found.setdefault(merged.id, merged)
    return tuple(found.values())


def _is_small(dataset: Dataset) -> bool:
    return all(len(rows.rows) <= CAP // 2 for rows in dataset.tables)


def _pairs(datasets: Sequence[Dataset]) -> Iterator[tuple[Dataset, Dataset]]:
    yield from ((datasets[0], other) for other in datasets[1 : _WITH_FIRST + 1])
    chance = random.Random(len(datasets))  # noqa: S311 - the same pairs every time are the point
    for _ in range(_AT_RANDOM if len(datasets) > 2 else 0):  # noqa: PLR2004 - two make one pair
        one, other = chance.sample(range(1, len(datasets)), 2)
        yield datasets[one], datasets[other]


def add_combinations(
    datasets: tuple[Dataset, ...],
    matrix: Matrix,
    programs: Programs,
    profile: Profile,
    names: Collection[str],
    *,
    links: Links = (),
) -> tuple[tuple[Dataset, ...], Matrix]:
    """Try these variants on pairs; give databases and matrix with those that tell any apart added."""
    pairs = combine_datasets(datasets, matrix, profile, links=links) if names and datasets else ()
    if not pairs:
        return datasets, matrix
    asked = programs.only(names)
    with Warehouse(profile, pairs, asked.texts) as warehouse:
        seen = measure_separations(warehouse, asked, enough=_ENOUGH)
    sets = {
        number: frozenset(name for name, told in seen.separated.items() if number in told)
        for number in seen.defined
    }
    weights = {number: float(sum(len(rows.rows) for rows in pairs[number].tables) + 1) for number in sets}
    chosen = [number for number, _ in cover_greedily(sets, weights)]
    places = {number: len(datasets) + place for place, number in enumerate(chosen)}
    return (
        (*datasets, *(pairs[number] for number in chosen)),
        replace(
            matrix,
            defined={**matrix.defined, **{places[n]: seen.defined[n] for n in chosen}},
            separated={
                name: told | {places[n] for n in chosen if n in seen.separated.get(name, ())}
                for name, told in matrix.separated.items()
            },
            tried={name: count + seen.tried.get(name, 0) for name, count in matrix.tried.items()},
        ),
    )

"""The fixtures of one task: from many small databases to the few that are frozen."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.combine import add_combinations
from pytest_lockin.fixturegen.evaluate import make_programs, measure_separations
from pytest_lockin.fixturegen.legal import check_legal
from pytest_lockin.fixturegen.merge import CAP, largest_table, merge_with_uses
from pytest_lockin.fixturegen.pack import MOST_FIXTURES, Plan, pack_datasets
from pytest_lockin.fixturegen.standing import judge_variants
from pytest_lockin.fixturegen.tables import ddl_type
from pytest_lockin.fixturegen.taken import Taken
from pytest_lockin.fixturegen.warehouse import Warehouse
from pytest_lockin.model.fixture import Fixture, FixtureTable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pytest_lockin.fixturegen.confirm import Confirm
    from pytest_lockin.fixturegen.equivalence import Proof
    from pytest_lockin.fixturegen.evaluate import Matrix, Programs
    from pytest_lockin.fixturegen.merge import Links
    from pytest_lockin.fixturegen.pack import Bundle
    from pytest_lockin.model.alternative import Variant
    from pytest_lockin.model.fixture import Dataset, Profile, VariantStanding

_PACKINGS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What a task's fixtures are made of.

    Attributes:
        datasets: legal small databases, the likeliest first.
        links: columns that the reference compares.
        confirm: plain runs on Spark-compatible execution.
        judge: the same on another engine, asked about variants that the first cannot run.
        prove: proves a variant's statement equivalent to the reference; None where it cannot.
        say: told what is going on.
    """

    task: str
    profile: Profile
    reference: str
    variants: tuple[Variant, ...]
    datasets: tuple[Dataset, ...]
    confirm: Confirm
    judge: Confirm | None = None
    links: Links = ()
    prove: Callable[[str], Proof | None] = lambda _: None
    say: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A task's fixtures, and what is known of each variant."""

    fixtures: tuple[Fixture, ...]
    standings: tuple[VariantStanding, ...]


def build_fixtures(making: Making) -> Made:
    """Choose fixtures from the datasets and sort the variants into their classes.

    A dataset on which the reference raises or is not stable is not used; a separation counts when plain
    runs confirm it.

    Raises:
        FixturesError: a dataset is not legal, or the reference runs on none of them.
    """
    making = replace(making, prove=functools.cache(making.prove))
    programs, making, matrix = look_for_separations(making)
    taken = Taken(
        datasets=making.datasets,
        programs=programs,
        confirm=making.confirm,
        judge=making.judge,
        say=making.say,
    )
    plan = Plan(
        datasets=making.datasets,
        matrix=matrix,
        profile=making.profile,
        programs=programs,
        links=making.links,
        most=MOST_FIXTURES - _needs_volume(making, matrix),
    )
    for _ in range(_PACKINGS):
        if taken.take(pack_datasets(plan)):
            break
        plan = taken.without_refuted(plan)
    taken.take_volume(matrix)
    taken.ask_the_rest()
    evidence = taken.evidence(matrix)
    return Made(
        fixtures=tuple(
            _freeze(making, name, bundle, confirmation.differs.keys())
            for name, (bundle, confirmation) in zip(taken.names(), taken.held.values(), strict=True)
        ),
        standings=judge_variants(making.variants, evidence, making.prove),
    )


def look_for_separations(making: Making) -> tuple[Programs, Making, Matrix]:
    """Run all variants on all databases in DuckDB, and what nothing tells apart on pairs of databases too.

    Gives the programs, what fixtures are made of with the pairs that are of use added, and the matrix.

    Raises:
        FixturesError: a dataset is not legal, or the reference returns rows on none of them.
    """
    _refuse_illegal(making)
    programs = make_programs(making.reference, {v.id: v.sql for v in making.variants}, making.profile)
    with Warehouse(making.profile, making.datasets, programs.texts) as warehouse:
        matrix = measure_separations(warehouse, programs)
    if not any(matrix.defined.values()):
        raise FixturesError(
            expected=f"a small database on which the reference of {making.task} returns rows",
            found=f"none among {len(making.datasets)}",
            hint="its conditions may contradict each other or the task's schemas",
        )
    left = [name for name in matrix.survivors() if making.prove(programs.statements[name]) is None]
    making.say(f"{len(making.datasets)} databases, {len(left)} variants neither differ nor are proved equal")
    datasets, matrix = add_combinations(
        making.datasets, matrix, programs, making.profile, left, links=making.links
    )
    return programs, replace(making, datasets=datasets), matrix


def _needs_volume(making: Making, matrix: Matrix) -> bool:
    """Tell whether some variant differs only on databases with more rows than a fixture may have."""
    large = {number for number, dataset in enumerate(making.datasets) if largest_table(dataset) > CAP}
    return any(seen and seen <= large for seen in matrix.separated.values())


def _refuse_illegal(making: Making) -> None:
    for dataset in making.datasets:
        violations = check_legal(dataset, making.profile)
        if violations:
            first = violations[0]
            raise FixturesError(
                expected=f"data that {making.task} allows in every small database",
                found=f"{first.table}: {first.detail} in {dataset.id}",
                hint="this is a fault of the generator; report it with the task",
            )


def _freeze(making: Making, name: str, bundle: Bundle, separates: Collection[str]) -> Fixture:
    parts = [making.datasets[number] for number in bundle.parts]
    cap = max(CAP, largest_table(bundle.dataset))
    merged = merge_with_uses(parts, making.profile, links=making.links, cap=cap)
    uses: Mapping[str, tuple[str, ...]] = merged[1] if merged is not None else {}
    return Fixture(
        task=making.task,
        name=name,
        purpose=f"{len(separates)} wrong programs show here that they are wrong",
        separates=tuple(sorted(separates)),
        tables=tuple(
            FixtureTable(
                name=table.name,
                columns=tuple((column.name, ddl_type(column)) for column in table.columns),
                rows=rows.rows if (rows := bundle.dataset.table(table.name)) is not None else (),
                uses=uses.get(table.name, ()),
            )
            for table in making.profile.tables
        ),
    )

"""All datasets of a task from its reference statement and its profile: seeds first, then their deltas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.completing import complete
from pytest_lockin.fixturegen.deltas.changing import Delta
from pytest_lockin.fixturegen.deltas.families import make_branch_deltas, make_deltas, make_whole_deltas
from pytest_lockin.fixturegen.deltas.fusing import fuse
from pytest_lockin.fixturegen.drafts import to_dataset
from pytest_lockin.fixturegen.form import read_form
from pytest_lockin.fixturegen.judge import find_judge
from pytest_lockin.fixturegen.legal import check_legal
from pytest_lockin.fixturegen.seeds.absences import turn_absences
from pytest_lockin.fixturegen.seeds.making import Seed, SeedMaker
from pytest_lockin.sql import read_statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_lockin.fixturegen.drafts import Draft
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.fixturegen.judge import Run
    from pytest_lockin.model.fixture import Dataset, Profile

GENERATOR = 1
"""Changes with what the same statement and profile give."""
MOST = 1500
_LEAST_SHARE = 180
_MOST_FUSED = 24


def make_datasets(
    statement: str, profile: Profile, *, run: Run | None = None, most: int = MOST
) -> tuple[Dataset, ...]:
    """Make the datasets that a statement's variants are tried on; the same input gives the same ones.

    Seeds come first (`seed-1` returns rows if any does), then their deltas. Every one is legal by
    `check_legal`; no two are equal.

    Args:
        statement: the reference, in Spark SQL over the profile's tables.
        profile: what is legal.
        run: runs a statement on a dataset; DuckDB in process by default.
        most: the greatest number of datasets.

    Raises:
        StatementError: the statement cannot be read.
        FixturesError: no `run` was given and DuckDB is not installed.
    """
    form, seeds = _read_and_seed(statement, profile, run)
    found = _name_seeds(seeds, profile, most)
    for name, deltas, share in _plan([seed.draft for seed in seeds], form, most):
        numbered = ((f"{name}.{n}", each.purpose, each.draft) for n, each in enumerate(deltas, start=1))
        found.update(_legal(numbered, profile, found, min(most - len(found), share)))
    return tuple(found.values())


def _plan(drafts: list[Draft], form: Form, most: int) -> Iterator[tuple[str, Iterator[Delta], int]]:
    """Give the families of deltas with the greatest number of each: name, deltas, number.

    The first seed carries the weight; the others add their branch or boundary, and what happens where
    branches meet.
    """
    if not drafts:
        return
    first, *others = drafts
    yield "delta-1", make_deltas(first, form), most * 2 // 3 if others else most
    whole = first
    for number, other in enumerate(others, start=2):
        fused = fuse(first, other, form)
        yield f"both-{number}", iter([Delta(draft=fused, purpose="two seeds that share rows")]), 1
        whole = fuse(whole, other, form)
    if len(whole) > len(first) and len(whole) <= _MOST_FUSED:
        yield "all", make_whole_deltas(whole, form), most // 5
    for number, other in enumerate(others, start=2):
        yield f"delta-{number}", make_branch_deltas(other, form), max(_LEAST_SHARE, most // (2 * len(others)))


def make_seeds(statement: str, profile: Profile, *, run: Run | None = None) -> tuple[Dataset, ...]:
    """Make the seeds alone; the first one returns rows, if any dataset tried does.

    Raises:
        StatementError: the statement cannot be read.
        FixturesError: no `run` was given and DuckDB is not installed.
    """
    _, seeds = _read_and_seed(statement, profile, run)
    return tuple(_name_seeds(seeds, profile, MOST).values())


def _read_and_seed(statement: str, profile: Profile, run: Run | None) -> tuple[Form, list[Seed]]:
    schemas = profile.schemas
    judge = run or _judge(profile)
    read = read_statement(statement, schemas)
    form = read_form(read)
    maker = SeedMaker(read, form, profile, judge)
    main = maker.main()
    seeds = [*([main] if main is not None else []), *maker.goals()]
    for turned in turn_absences(statement):
        other = read_statement(turned, schemas)
        found = SeedMaker(other, read_form(other), profile, judge).main()
        if found is not None:
            # The statement itself returns nothing of it: something is there that must not be.
            rows = maker.count(found.draft)
            seeds.append(Seed(draft=found.draft, purpose="a partner that must not be there", rows=rows))
    return form, seeds


def _name_seeds(seeds: Iterable[Seed], profile: Profile, most: int) -> dict[tuple[object, ...], Dataset]:
    """Give the legal seeds by their content, no two equal."""
    drafts = ((f"seed-{n}", seed.purpose, seed.draft) for n, seed in enumerate(seeds, start=1))
    return dict(_legal(drafts, profile, {}, most))


def _judge(profile: Profile) -> Run:
    from pytest_lockin.errors import FixturesError

    judge = find_judge(profile)
    if judge is None:
        raise FixturesError(
            expected="an engine to run the statement on small datasets",
            found="none",
            hint="pip install duckdb",
        )
    return judge


def _legal(
    drafts: Iterable[tuple[str, str, Draft]],
    profile: Profile,
    known: Mapping[tuple[object, ...], Dataset],
    most: int,
) -> Iterator[tuple[tuple[object, ...], Dataset]]:
    """Give the legal ones among drafts that are unlike all known ones, with their content."""
    seen = set(known)
    for name, purpose, draft in drafts:
        if most <= 0:
            return
        dataset = to_dataset(complete(draft, profile), profile, name=name, purpose=purpose)
        content = tuple(frozenset(map(repr, rows.rows)) for rows in dataset.tables)
        if content not in seen and not check_legal(dataset, profile):
            seen.add(content)
            most -= 1
            yield content, dataset

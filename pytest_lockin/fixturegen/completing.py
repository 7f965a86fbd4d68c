"""Rows that foreign keys ask for: a key whose partner is missing gets one, made of values of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.drafts import Placed
from pytest_lockin.fixturegen.filling import fill_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.fixturegen.drafts import Draft
    from pytest_lockin.model.fixture import Cell, Profile

_MOST_ROUNDS = 6


def complete(draft: Draft, profile: Profile) -> Draft:
    """Add the rows that foreign keys of the profile lack; without such keys a draft stays as it is.

    Gives up after some rounds where tables point at each other in a circle: `check_legal` tells.
    """
    for _ in range(_MOST_ROUNDS):
        missing = dict.fromkeys(_missing(draft, profile))
        if not missing:
            break
        draft = (*draft, *(_partner(name, cells, profile) for name, cells in missing))
    return draft


def _missing(draft: Draft, profile: Profile) -> Iterator[tuple[str, tuple[tuple[str, Cell], ...]]]:
    for row in draft:
        for pointer in row.table.foreign:
            values = tuple(row.cells[name.lower()] for name in pointer.columns)
            names = tuple(name.lower() for name in pointer.targets)
            there = any(
                other.table.name.lower() == pointer.table.lower()
                and tuple(other.cells[name] for name in names) == values
                for other in draft
            )
            if None not in values and not there and profile.table(pointer.table) is not None:
                yield pointer.table, tuple(zip(names, values, strict=True))


def _partner(name: str, cells: tuple[tuple[str, Cell], ...], profile: Profile) -> Placed:
    table = profile.table(name)
    assert table is not None  # noqa: S101 - asked for above
    values = fill_row(table, dict(cells), "partner")
    names = (column.name.lower() for column in table.columns)
    return Placed(table=table, cells=dict(zip(names, values, strict=True)))

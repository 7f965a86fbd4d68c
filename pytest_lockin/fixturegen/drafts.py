"""Datasets in the making: whole rows that know what the statement calls them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.rules import read_rule
from pytest_lockin.model.fixture import Dataset, Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_lockin.model.fixture import Cell, Profile, TableProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A row with all its cells, by lower-cased column; `aliases` are the statement's names for it."""

    table: TableProfile
    cells: Mapping[str, Cell]
    aliases: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[Cell, ...]:
        """The cells in the table's order."""
        return tuple(self.cells[column.name.lower()] for column in self.table.columns)

    def changed(self, cells: Mapping[str, Cell]) -> Placed:
        """Give the row with some cells changed and what follows from them worked out again.

        A derived column among `cells` is not kept: its rule decides.
        """
        row = {**self.cells, **cells}
        for each in self.table.derived:
            row[each.column.lower()] = read_rule(each.rule)(row)
        return replace(self, cells=row)


Draft = tuple[Placed, ...]


def to_dataset(draft: Iterable[Placed], profile: Profile, *, name: str, purpose: str) -> Dataset:
    """Put a draft's rows into their tables, in order; a row that is there twice, keys and all, stays once."""
    found: dict[str, dict[tuple[Cell, ...], None]] = {table.name: {} for table in profile.tables}
    for row in draft:
        found[row.table.name][row.values] = None
    return Dataset(
        id=name,
        purpose=purpose,
        tables=tuple(
            Rows(
                table=table.name,
                columns=tuple(column.name for column in table.columns),
                rows=tuple(found[table.name]),
            )
            for table in profile.tables
        ),
    )

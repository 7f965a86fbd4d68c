"""What a profile says about the input tables, and which of it a proof has leaned on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pytest_lockin.model.fixture import Basis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_lockin.model.fixture import ColumnProfile, ForeignKey, Profile, TableProfile


Made = TypeVar("Made")


class Knowledge:
    """Facts of a profile. Mined ones that were asked for and held are kept in `leaned`, in plain words.

    Those named in `without` count as unknown: so it is found out which of them a proof needs.
    """

    def __init__(
        self, profile: Profile, *, without: frozenset[str] = frozenset(), mined: bool = True
    ) -> None:
        self.tables: dict[str, TableProfile] = {table.name.lower(): table for table in profile.tables}
        self.without = without
        self.mined = mined
        self.leaned: dict[str, None] = {}
        self.memory: dict[object, tuple[Any, dict[str, None]]] = {}

    def remember(self, key: object, make: Callable[[], Made]) -> Made:
        """Make something once; whenever it is given again, what it leaned on is leaned on again."""
        if key in self.memory:
            made, leaned = self.memory[key]
            self.leaned |= leaned
            return made  # type: ignore[no-any-return]
        before, self.leaned = self.leaned, {}
        try:
            made = make()
            self.memory[key] = made, dict(self.leaned)
        finally:
            self.leaned = before | self.leaned
        return made

    def column(self, table: str, name: str) -> ColumnProfile | None:
        """Find a column's profile."""
        found = self.tables.get(table)
        return found.column(name) if found is not None else None

    def never_null(self, table: str, name: str) -> bool:
        """Whether a column of an input table holds no NULL."""
        column = self.column(table, name)
        if column is None or column.nullable:
            return False
        return self._believe(column.basis, f"{table}.{name} is never NULL")

    def type_of(self, table: str, name: str) -> str:
        """Give a column's Spark type; "" where not known."""
        column = self.column(table, name)
        return column.type.lower().replace(" ", "") if column is not None else ""

    def unique(self, table: str) -> Iterator[tuple[tuple[str, ...], str]]:
        """Give the unique keys of a table, lower-cased, with the name of the fact; see `lean`."""
        for key in self.tables[table].unique if table in self.tables else ():
            says = f"{table}({', '.join(key.columns)}) is unique"
            if self._may(key.basis, says):
                yield tuple(name.lower() for name in key.columns), says if key.basis is Basis.MINED else ""

    def foreign(self, table: str) -> Iterator[tuple[ForeignKey, str]]:
        """Give the foreign keys of a table, with the name of the fact; see `lean`."""
        for key in self.tables[table].foreign if table in self.tables else ():
            says = f"{table}({', '.join(key.columns)}) is found in {key.table}({', '.join(key.targets)})"
            if self._may(key.basis, says):
                yield key, says if key.basis is Basis.MINED else ""

    def derived(self, table: str) -> Iterator[tuple[str, str, str]]:
        """Give columns computed from others of their row: name, rule, name of the fact; see `lean`."""
        for each in self.tables[table].derived if table in self.tables else ():
            says = f"{table}.{each.column} is {each.rule}"
            if self._may(each.basis, says):
                yield each.column.lower(), each.rule, says if each.basis is Basis.MINED else ""

    def lean(self, says: str) -> None:
        """Note that a mined fact was used; "" is none."""
        if says:
            self.leaned[says] = None

    def _believe(self, basis: Basis, says: str) -> bool:
        if not self._may(basis, says):
            return False
        self.lean(says if basis is Basis.MINED else "")
        return True

    def _may(self, basis: Basis, says: str) -> bool:
        return basis is not Basis.MINED or (self.mined and says not in self.without)

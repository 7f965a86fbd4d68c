"""A witness: a database made smaller and simpler as long as two programs still differ on it.

Fewer rows first, then NULL in columns that do not matter, then the simplest values. All proposals of a
round go to the oracle together, so that it can run them in one call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_lockin.fixturegen.legal import check_legal
from pytest_lockin.fixturegen.merge import Links, key_classes, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_lockin.fixturegen.merge import Place
    from pytest_lockin.model.fixture import Cell, Dataset, Profile, Rows

    Differs = Callable[[Sequence[Dataset]], Sequence[bool]]
    Edit = Callable[[Dataset], Dataset]

_ROUNDS = 4
_SIMPLE_TEXTS = ("", "a", "b", "c")


def shrink_dataset(dataset: Dataset, profile: Profile, differs: Differs, *, links: Links = ()) -> Dataset:
    """Give the smallest database found on which `differs` still says yes; legal whenever the first one is.

    `differs` answers for several databases at once and must say yes to the one given, which is given back
    as it is otherwise. Values in columns that `links` or keys connect are replaced together.
    """
    if not differs([dataset])[0]:
        return dataset
    shrinker = _Shrinker(dataset, profile, differs)
    shrinker.drop_rows()
    shrinker.clear_columns()
    # A cleared column may have been all that a row was for.
    shrinker.drop_rows()
    shrinker.simplify_values(links)
    return shrinker.current


class _Shrinker:
    """The smallest database so far, and the search for a smaller one."""

    def __init__(self, dataset: Dataset, profile: Profile, differs: Differs) -> None:
        self.current = dataset
        self._profile = profile
        self._differs = differs

    def drop_rows(self) -> None:
        """Drop rows, many at once first, until none can go."""
        size = max(1, sum(len(rows.rows) for rows in self.current.tables) // 3)
        while True:
            before = self.current
            self._sweep([_Removal(rows=chunk) for chunk in _chunks(self.current, size)])
            if size == 1 and self.current is before:
                return
            size = max(1, size // 3)

    def clear_columns(self) -> None:
        """Put NULL into whole columns where the profile allows it."""
        for _ in range(_ROUNDS):
            before = self.current
            self._sweep(list(_clearings(self.current, self._profile)))
            if self.current is before:
                return

    def simplify_values(self, links: Links) -> None:
        """Replace values by simpler ones, everywhere they mean the same key."""
        classes = key_classes(self._profile, links)
        for _ in range(_ROUNDS):
            before = self.current
            for edits in _simplifications(self.current, classes):
                self._sweep(edits)
            if self.current is before:
                return

    def _sweep(self, edits: Sequence[Edit]) -> None:
        """Make all edits that can be made: each is tried alone, then those that can, one on the other."""
        made = [(edit, edit(self.current)) for edit in edits]
        good = [edit for (edit, _), fine in zip(made, self._try([d for _, d in made]), strict=True) if fine]
        while good:
            chain: list[Dataset] = []
            for edit in good:
                chain.append(edit(chain[-1] if chain else self.current))
            fine = [place for place, yes in enumerate(self._try(chain)) if yes]
            if not fine:
                return
            self.current = chain[fine[-1]]
            good = good[fine[-1] + 2 :]

    def _try(self, datasets: Sequence[Dataset]) -> list[bool]:
        """Ask the oracle about those that differ from the current one and are legal; no for the others."""
        legal = [d != self.current and not check_legal(d, self._profile) for d in datasets]
        asked = [dataset for dataset, wanted in zip(datasets, legal, strict=True) if wanted]
        answers = iter(self._differs(asked) if asked else ())
        return [wanted and next(answers) for wanted in legal]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Removal:
    """Leave out rows, one occurrence of each."""

    rows: tuple[tuple[str, tuple[Cell, ...]], ...]

    def __call__(self, dataset: Dataset) -> Dataset:
        kept = {rows.table: list(rows.rows) for rows in dataset.tables}
        for table, row in self.rows:
            if row in kept[table]:
                kept[table].remove(row)
        tables = tuple(replace(rows, rows=tuple(kept[rows.table])) for rows in dataset.tables)
        return replace(dataset, tables=tables)


def _chunks(dataset: Dataset, size: int) -> Iterator[tuple[tuple[str, tuple[Cell, ...]], ...]]:
    every = [(rows.table, row) for rows in dataset.tables for row in rows.rows]
    for start in range(0, len(every), size):
        yield tuple(every[start : start + size])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replacement:
    """Put one value in another's place, in some columns; every value of them where `old` is not given."""

    places: frozenset[Place]
    new: Cell
    old: Cell = None

    def __call__(self, dataset: Dataset) -> Dataset:
        return replace(dataset, tables=tuple(self._replace(rows) for rows in dataset.tables))

    def _replace(self, rows: Rows) -> Rows:
        at = [i for i, name in enumerate(rows.columns) if (rows.table, name) in self.places]
        if not at:
            return rows
        return replace(rows, rows=tuple(self._row(row, at) for row in rows.rows))

    def _row(self, row: tuple[Cell, ...], at: Sequence[int]) -> tuple[Cell, ...]:
        cells = list(row)
        for place in at:
            if self.old is None or (type(cells[place]) is type(self.old) and cells[place] == self.old):
                cells[place] = self.new
        return tuple(cells)


def _clearings(dataset: Dataset, profile: Profile) -> Iterator[_Replacement]:
    for table in profile.tables:
        rows = rows_of(dataset, table.name)
        for place, column in enumerate(table.columns):
            if column.nullable and any(row[place] is not None for row in rows):
                yield _Replacement(places=frozenset({(table.name, column.name)}), new=None)


def _simplifications(
    dataset: Dataset, classes: dict[Place, frozenset[Place]]
) -> Iterator[list[_Replacement]]:
    """Give, one rank of simplicity after the other, what could stand in each value's place."""
    values = dict.fromkeys(
        (classes.get((rows.table, name), frozenset({(rows.table, name)})), cell)
        for rows in dataset.tables
        for row in rows.rows
        for name, cell in zip(rows.columns, row, strict=True)
        if cell is not None
    )
    ranks = [(places, cell, simpler_values(cell)) for places, cell in values]
    for rank in range(max((len(simpler) for _, _, simpler in ranks), default=0)):
        yield [
            _Replacement(places=places, old=cell, new=simpler[rank])
            for places, cell, simpler in ranks
            if rank < len(simpler)
        ]


def simpler_values(value: Cell) -> tuple[Cell, ...]:
    """Give values of the same type that are easier to read than this one, the easiest first."""
    simpler = _SIMPLER.get(type(value))
    return tuple(simpler(value)) if simpler is not None else ()


def _simpler_number(value: Any) -> Iterator[Cell]:
    kind = type(value)
    yield from (kind(n) for n in (0, 1, 2, 3) if n < abs(value))
    if kind is Decimal and value in {0, 1, 2, 3} and str(value) != str(int(value)):
        yield Decimal(int(value))


def _simpler_time(value: datetime) -> Iterator[Cell]:
    midnight = value.replace(hour=0, minute=0, second=0, microsecond=0)
    if midnight != value:
        yield midnight


def _simpler_day(value: date) -> Iterator[Cell]:
    if value.day > 1:
        yield date(2000, 1, 1)
        yield value.replace(day=1)


def _simpler_text(value: str) -> Iterator[Cell]:
    yield from (text for text in _SIMPLE_TEXTS if (len(text), text) < (len(value), value))


# By exact type: a bool is an int to Python, a datetime a date.
_SIMPLER: dict[type, Callable[[Any], Iterator[Cell]]] = {
    int: _simpler_number,
    float: _simpler_number,
    Decimal: _simpler_number,
    datetime: _simpler_time,
    date: _simpler_day,
    str: _simpler_text,
}

"""From conditions to rows: solve, choose, make values random and unequal, read the rows off the model."""

from __future__ import annotations

import random
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import z3

from pytest_lockin.fixturegen.drafts import Placed
from pytest_lockin.fixturegen.filling import fill_row, fresh_values, number_of
from pytest_lockin.fixturegen.seeds.rows import kind_of, scale_of, whole_number
from pytest_lockin.fixturegen.seeds.terms import both, from_days

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_lockin.fixturegen.drafts import Draft
    from pytest_lockin.fixturegen.seeds.building import Problem
    from pytest_lockin.fixturegen.seeds.rows import SymbolicRow
    from pytest_lockin.fixturegen.seeds.terms import Value
    from pytest_lockin.model.fixture import Cell

_STEPS = 5_000_000
"""What the solver may spend on one question, counted in its own steps: a clock would not repeat itself."""
_QUICK = 300_000
_HARD = 1_000_000
_COUNTS = (1, 2, 3, 4, 5, 6, 8, 11, 16, 21, 26)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solved:
    """One solution: its rows, and how many rows each counted SELECT needs of which of them."""

    draft: Draft
    counts: tuple[tuple[int, tuple[int, ...]], ...]


class Search:
    """One problem's solver, asked again and again with other wishes."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.solver = z3.Solver()
        self.solver.set("random_seed", 7)
        # Only against a solver that has lost itself: the steps end every ordinary question sooner.
        self.solver.set("timeout", 4000)
        for demand in problem.demands:
            if not demand.hard:
                self.solver.add(demand.condition)
        self.hard = [demand.condition for demand in problem.demands if demand.hard]

    def check(self, *more: Any, steps: int = _STEPS) -> bool:
        """Whether the conditions so far and some more can hold, as far as the steps reach."""
        self.solver.set("rlimit", steps)
        return bool(self.solver.check(*more) == z3.sat)

    def keep(self, condition: Any, *, steps: int = _QUICK) -> bool:
        """Add a condition if it can hold with those so far."""
        if not self.check(condition, steps=steps):
            return False
        self.solver.add(condition)
        return True

    def solve(self, *, wish: Any = None, seed: int = 0, hard: bool = True) -> Solved | None:
        """Find one solution; None where there is none within the steps.

        The same problem, wish and seed give the same solution.
        """
        self.solver.push()
        try:
            if wish is not None:
                self.solver.add(wish)
            if not self.check():
                return None
            if hard:
                self._keep_all(self.hard, steps=_HARD)
            self._keep_all(self.problem.likes)
            sizes = [self._settle_count(each.count) for each in self.problem.counts]
            self._pin()
            self._scatter(random.Random(seed))  # noqa: S311 - data, not secrets
            return self._read(sizes) if self.check() else None
        finally:
            self.solver.pop()

    def _keep_all(self, conditions: Iterable[Any], *, steps: int = _QUICK) -> None:
        """Keep all conditions if they can hold together, else as many as can, halving where they cannot."""
        wanted = list(conditions)
        if not wanted or self.keep(both(*wanted), steps=steps):
            return
        if len(wanted) > 1:
            middle = len(wanted) // 2
            self._keep_all(wanted[:middle], steps=steps)
            self._keep_all(wanted[middle:], steps=steps)

    def _settle_count(self, count: Any) -> int:
        for number in _COUNTS:
            if self.keep(count == number):
                return number
        return 1

    def _pin(self) -> None:
        """Decide which rows are there, as the present model has it."""
        if self.check():
            model = self.solver.model()
            guards = {guard.get_id(): guard for row in self.problem.rows for guard in row.guard}
            for guard in guards.values():
                holds = z3.is_true(model.eval(guard, model_completion=True))
                self.solver.add(guard if holds else z3.Not(guard))

    def _there(self, model: Any) -> list[SymbolicRow]:
        return [
            row
            for row in self.problem.rows
            if all(z3.is_true(model.eval(guard, model_completion=True)) for guard in row.guard)
        ]

    def _scatter(self, chance: random.Random) -> None:
        """Give every column that is still free a value of its own."""
        if not self.check():
            return
        wishes = []
        for row in self._there(self.solver.model()):
            for name, value in row.columns.items():
                wishes += self._wish(row, name, value, chance)
        self._keep_all(wishes)

    def _wish(self, row: SymbolicRow, name: str, value: Value, chance: random.Random) -> list[Any]:
        column = row.table.column(name)
        if column is None or any(each.column.lower() == name for each in row.table.derived):
            return []
        kind, full = kind_of(column), f"{row.table.name}.{name}".lower()
        nulls = [z3.Not(value.null)] if value.null is not None else []
        if kind == "str":
            strings = self.problem.columns.strings
            texts = strings.fresh.get(full) or strings.allowed.get(full, ())
            return [*nulls, value.term == strings.numbers[chance.choice(texts)]] if texts else nulls
        drawn = next(iter(fresh_values(column, chance.random())))
        if kind == "date":
            return [*nulls, value.term == whole_number(drawn, kind, column.type)]
        if kind == "num":
            return [*nulls, value.term == z3.RealVal(str(drawn))]
        return [*nulls, value.term == int(drawn)]

    # Reading the model

    def _read(self, sizes: list[int]) -> Solved:
        model = self.solver.model()
        there = self._there(model)
        merged: dict[tuple[Any, ...], int] = {}
        found: list[dict[str, Cell]] = []
        aliases: list[list[str]] = []
        tables = []
        places: dict[int, int] = {}
        for row in there:
            cells = {name: self._cell(model, row, name, value) for name, value in row.columns.items()}
            keys = list(_keys(row, cells))
            place = next((merged[key] for key in keys if key in merged), len(found))
            if place == len(found):
                found.append({})
                aliases.append([])
                tables.append(row.table)
            merged.update(dict.fromkeys(keys, place))
            found[place].update(cells)
            aliases[place].append(row.alias)
            places[id(row)] = place
        draft = tuple(
            Placed(
                table=table,
                cells=_complete(table, cells, number),
                aliases=tuple(dict.fromkeys(names)),
            )
            for number, (table, cells, names) in enumerate(zip(tables, found, aliases, strict=True))
        )
        counts = tuple(
            (size, tuple(places[id(row)] for row in each.rows if id(row) in places))
            for size, each in zip(sizes, self.problem.counts, strict=True)
            if size > 1
        )
        return Solved(draft=draft, counts=counts)

    def _cell(self, model: Any, row: SymbolicRow, name: str, value: Value) -> Cell:
        column = row.table.column(name)
        if value.null is not None and z3.is_true(model.eval(value.null, model_completion=True)):
            return None
        found = model.eval(value.term, model_completion=True)
        if column is None or z3.is_algebraic_value(found):
            return None
        kind = kind_of(column)
        if kind == "num":
            exact = Decimal(found.numerator_as_long()) / Decimal(found.denominator_as_long())
            number = exact.quantize(Decimal(1).scaleb(-scale_of(column.type)))
            return number if column.type.lower().startswith("decimal") else float(number)
        number = found.as_long() if z3.is_int_value(found) else int(found.as_fraction())
        if kind == "str":
            texts = self.problem.columns.strings.texts
            return texts[number] if 0 <= number < len(texts) else None
        if kind == "date":
            return from_days(number)
        return bool(number) if kind == "bool" else number


def _keys(row: SymbolicRow, cells: dict[str, Cell]) -> Iterator[tuple[Any, ...]]:
    """Give the unique keys of a row that are all there."""
    for place, key in enumerate(row.table.unique):
        values = tuple(cells.get(name.lower()) for name in key.columns)
        if None not in values:
            yield (row.table.name, place, *values)


def _complete(table: Any, cells: dict[str, Cell], number: int) -> dict[str, Cell]:
    """Fill a row: keys that no condition asks for get values of their own, derived columns follow."""
    derived = {each.column.lower() for each in table.derived}
    given = {name: cell for name, cell in cells.items() if name not in derived}
    for key in table.unique:
        for name in key.columns:
            column = table.column(name)
            if name.lower() not in given and name.lower() not in derived:
                drawn = next(iter(fresh_values(column, "key", table.name, number, number_of(*given.items()))))
                given[name.lower()] = drawn
    values = fill_row(table, given, "seed")
    return {column.name.lower(): value for column, value in zip(table.columns, values, strict=True)}

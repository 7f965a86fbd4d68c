"""From conditions to rows: solve, choose, make values random and unequal, read the rows off the model."""

from __future__ import annotations

import random
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import z3

from pytest_lockin.fixturegen.days import from_days
from pytest_lockin.fixturegen.drafts import Placed
from pytest_lockin.fixturegen.filling import SEED, fill_row, fresh_values, identity_of, number_of
from pytest_lockin.fixturegen.seeds.rows import kind_of, scale_of, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_lockin.fixturegen.drafts import Draft
    from pytest_lockin.fixturegen.seeds.building import Problem
    from pytest_lockin.fixturegen.seeds.rows import SymbolicRow
    from pytest_lockin.fixturegen.seeds.terms import Value
    from pytest_lockin.model.fixture import Cell

_STEPS = 40_000_000
"""What the solver may spend on one question, counted in its own steps: a clock would not repeat itself."""
_QUICK = 3_000_000
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
        self.soft = [demand.condition for demand in problem.demands if not demand.hard]
        self.hard = [demand.condition for demand in problem.demands if demand.hard]
        self.kept: list[Any] = []
        self.model: Any = None

    def solve(self, *, wish: Any = None, seed: int = 0, hard: bool = True) -> Solved | None:
        """Find one solution; None where there is none within the steps.

        The same problem, wish and seed give the same solution.
        """
        self.kept = []
        if not self._keep(*([wish] if wish is not None else []), steps=_STEPS):
            return None
        if hard:
            self._keep_most(self.hard)
        self._keep_most(self.problem.likes)
        sizes = [self._settle_count(each.count) for each in self.problem.counts]
        return self._scatter(self._pin(), sizes, random.Random(seed))  # noqa: S311 - data, not secrets

    def _keep(self, *conditions: Any, steps: int = _QUICK) -> bool:
        """Add conditions if they can hold with those so far.

        A new solver each time: one that is asked again does without the simplifications that make these
        questions easy.
        """
        solver = _make_solver()
        solver.add(*self.soft, *self.kept, *conditions)
        solver.set("rlimit", steps)
        if solver.check() != z3.sat:
            return False
        self.kept += conditions
        self.model = solver.model()
        return True

    def _keep_most(self, conditions: Iterable[Any]) -> None:
        """Keep all conditions if they can hold together, else as many as can, halving where they cannot."""
        wanted = list(conditions)
        if not wanted or self._keep(*wanted) or len(wanted) == 1:
            return
        middle = len(wanted) // 2
        self._keep_most(wanted[:middle])
        self._keep_most(wanted[middle:])

    def _settle_count(self, count: Any) -> int:
        return next((number for number in _COUNTS if self._keep(count == number)), 1)

    def _pin(self) -> list[tuple[Any, Any]]:
        """Decide every choice as the present model has it."""
        guards = {guard.get_id(): guard for row in self.problem.rows for guard in row.guard}
        return [(guard, self.model.eval(guard, model_completion=True)) for guard in guards.values()]

    def _scatter(
        self, pinned: list[tuple[Any, Any]], sizes: list[int], chance: random.Random
    ) -> Solved | None:
        """Give every column that is still free a value of its own, with the choices made, and read it all.

        What the choices leave of the conditions is much less than the conditions, so a solver of its own
        gets only that.
        """
        solver = _make_solver()
        for condition in (*self.soft, *self.kept):
            left = z3.simplify(z3.substitute(condition, *pinned))
            if not z3.is_true(left):
                solver.add(left)
        values = {guard.get_id(): z3.is_true(value) for guard, value in pinned}
        for guard, value in pinned:
            solver.add(guard == value)
        there = [row for row in self.problem.rows if all(values[g.get_id()] for g in row.guard)]
        wishes = [
            wish
            for row in there
            for name, value in row.columns.items()
            for wish in self._wish(row, name, value, chance)
        ]
        model = _grant(solver, wishes)
        return self._read(model, there, sizes) if model is not None else None

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

    def _read(self, model: Any, there: list[SymbolicRow], sizes: list[int]) -> Solved:
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
            cents = exact.quantize(Decimal(1).scaleb(-scale_of(column.type)))
            return cents if column.type.lower().startswith("decimal") else float(cents)
        number: int = found.as_long() if z3.is_int_value(found) else int(found.as_fraction())
        if kind == "str":
            texts = self.problem.columns.strings.texts
            return texts[number] if 0 <= number < len(texts) else None
        if kind == "date":
            return from_days(number)
        return bool(number) if kind == "bool" else number


def _make_solver() -> Any:
    solver = z3.SolverFor("QF_LIRA")
    solver.set("random_seed", 7)
    # Only against a solver that has lost itself: the steps end every ordinary question sooner.
    solver.set("timeout", 60_000)
    return solver


def _grant(solver: Any, wishes: list[Any]) -> Any:
    """Give a model with as many wishes granted as can be: of those in conflict the last one goes."""
    flags = [z3.Bool(f"wish#{number}") for number in range(len(wishes))]
    for flag, wish in zip(flags, wishes, strict=True):
        solver.add(z3.Implies(flag, wish))
    solver.set("rlimit", _STEPS)
    left = dict.fromkeys(range(len(wishes)))
    names = {flag.get_id(): number for number, flag in enumerate(flags)}
    while True:
        answer = solver.check(*(flags[number] for number in left))
        if answer == z3.sat:
            return solver.model()
        core = [names[flag.get_id()] for flag in solver.unsat_core()] if answer == z3.unsat else []
        if not left or (answer == z3.unsat and not core):
            return None
        # A solver that gave up names no culprits: half of the wishes go.
        for number in [max(core)] if core else list(left)[len(left) // 2 :]:
            del left[number]


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
    for name in identity_of(table):
        if name not in given and name not in derived:
            drawn = fresh_values(table.column(name), "key", table.name, number, number_of(*given.items()))
            given[name] = next(iter(drawn))
    values = fill_row(table, given, SEED)
    return {column.name.lower(): value for column, value in zip(table.columns, values, strict=True)}

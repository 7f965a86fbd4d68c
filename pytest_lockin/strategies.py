"""Hypothesis strategies of legal input tables, for property tests of DataFrame programs.

    from hypothesis import given
    from pytest_lockin.strategies import tables_for

    @given(tables=tables_for("task.yaml"))
    def test_totals_add_up(spark, tables):
        result = solve(spark, tables.to_spark(spark))

Hypothesis shrinks what fails to few rows of plain values, and keeps it in its database.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.legal import fits
from pytest_lockin.fixturegen.profile import make_profile
from pytest_lockin.fixturegen.rules import columns_of, read_rule
from pytest_lockin.fixturegen.tables import ddl_type, spark_type
from pytest_lockin.model.task import Task
from pytest_lockin.taskbank.loader import load_task

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from hypothesis.strategies import DrawFn, SearchStrategy

    from pytest_lockin.model.fixture import Cell, ColumnProfile, ForeignKey, TableProfile, UniqueKey

    Row = dict[str, Cell]

# Few keys, so that rows meet, and more than one, so that some do not.
_KEYS = 3
_FIRST_DAY = date(2020, 1, 1)


class Tables(dict[str, list[dict[str, Any]]]):
    """Table name -> rows, each a mapping of every column to a Python value of its type, or None."""

    def __init__(self, rows: Mapping[str, list[dict[str, Any]]], schemas: Mapping[str, str]) -> None:
        super().__init__(rows)
        self._schemas = dict(schemas)

    def to_spark(self, spark: Any) -> dict[str, Any]:
        """Give every table as a DataFrame of that session, with the types of the task."""
        return {
            name: spark.createDataFrame([tuple(row.values()) for row in rows], self._schemas[name])
            for name, rows in self.items()
        }


def tables_for(
    task: str | Path | Task, *, max_rows: int = 6, literals: Iterable[Cell] = ()
) -> SearchStrategy[Tables]:
    """Give a strategy of input tables that a task's `task.yaml` allows.

    Types, NULLs, unique and foreign keys, domains, bounds and derived columns are kept: nothing is drawn that
    cannot occur. What is drawn leans to what tells programs apart: few keys, rows without a partner, NULLs
    where they may stand, ties, values at and beside the numbers, days and words of the ticket and its
    obligations (and of `literals`), and columns of one type that differ from each other.

    Args:
        task: a task, or the path of its `task.yaml`.
        max_rows: the most rows of each table.
        literals: values to lean to beside those of the ticket.

    Raises:
        LockinError: the task cannot be read, states no tables, its keys point in a circle, or a column's type
            has parts.
    """
    loaded = task if isinstance(task, Task) else load_task(Path(task))
    profile = make_profile(loaded)
    if not profile.tables:
        raise FixturesError(
            expected="tables and their columns under `tables` of the task",
            found="none",
            hint="state the input's schema in task.yaml",
        )
    leaning = (*read_literals(_words(loaded)), *literals)
    order = _order(profile.tables)
    schemas = {table.name: _ddl(table) for table in profile.tables}
    makers = [_Maker(table, leaning) for table in order]

    @st.composite
    def draw_tables(draw: DrawFn) -> Tables:
        made: dict[str, list[Row]] = {}
        for maker in makers:
            made[maker.table.name] = draw(maker.rows(made, max_rows))
        return Tables({table.name: made[table.name] for table in profile.tables}, schemas)

    return draw_tables()


def _words(task: Task) -> str:
    return "\n".join([task.prompt, *(each.text for each in task.obligations)])


def read_literals(text: str) -> tuple[Cell, ...]:
    """Numbers, days (2001-08-04) and quoted words of a text, each once, in their order."""
    found: list[Cell] = []
    for day, number, word in re.findall(
        r"\b(\d{4}-\d\d-\d\d)\b|(?<![\w.-])(-?\d+(?:\.\d+)?)(?![\w-])|[\"'`]([^\"'`\n]{1,40})[\"'`]", text
    ):
        if day:
            try:
                found.append(date.fromisoformat(day))
            except ValueError:
                continue
        else:
            found.append(Decimal(number) if number else word)
    return tuple(dict.fromkeys(found))


def _order(tables: tuple[TableProfile, ...]) -> list[TableProfile]:
    """Tables that are pointed at before those that point; one that points at itself finds no partner."""
    waiting = list(tables)
    done: list[TableProfile] = []
    while waiting:
        there = {table.name.lower() for table in done}
        ready = [
            table
            for table in waiting
            if all(key.table.lower() in {*there, table.name.lower()} for key in table.foreign)
        ]
        if not ready:
            raise FixturesError(
                expected="foreign keys that can be filled one table after the other",
                found=f"a circle among {', '.join(table.name for table in waiting)}",
                hint="leave one of these foreign keys out of task.yaml",
            )
        done += ready
        waiting = [table for table in waiting if table not in ready]
    return done


def _ddl(table: TableProfile) -> str:
    return ", ".join(f"`{column.name}` {ddl_type(column)}" for column in table.columns)


class _Maker:
    """Draws the rows of one table."""

    def __init__(self, table: TableProfile, leaning: tuple[Cell, ...]) -> None:
        self.table = table
        keys: set[str] = set()
        for columns in (*(key.columns for key in table.unique), *(key.columns for key in table.foreign)):
            keys.update(map(str.lower, columns))
        filled = self._needed_by_rules()
        derived = {each.column.lower() for each in table.derived}
        self._cells = {
            column.name: _cells(
                replace(column, nullable=column.nullable and column.name.lower() not in filled),
                place,
                len(table.columns),
                leaning,
                is_key=column.name.lower() in keys,
            )
            for place, column in enumerate(table.columns)
            if column.name.lower() not in derived
        }

    def rows(self, made: Mapping[str, list[Row]], most: int) -> SearchStrategy[list[Row]]:
        """Rows whose foreign keys are found among those `made`, none with a key twice."""
        targets = [(key, _targets(key, made)) for key in self.table.foreign]
        if any(not found and not self._may_lack(key) for key, found in targets):
            return st.just([])
        row = st.composite(self._draw_row)(targets).filter(self._obeys)
        unique_by = tuple(map(_identity, self.table.unique))
        return st.lists(row, max_size=most, unique_by=unique_by or None)

    def _needed_by_rules(self) -> set[str]:
        """Columns that a derived column without NULLs rests on: they hold something, too."""
        return {
            name
            for each in self.table.derived
            if not self._column(each.column).nullable
            for name in columns_of(each.rule)
        }

    def _may_lack(self, key: ForeignKey) -> bool:
        return any(self._column(name).nullable for name in key.columns)

    def _column(self, name: str) -> ColumnProfile:
        return next(each for each in self.table.columns if each.name.lower() == name.lower())

    def _draw_row(self, draw: DrawFn, targets: list[tuple[ForeignKey, list[tuple[Cell, ...]]]]) -> Row:
        row: Row = {name: draw(cell) for name, cell in self._cells.items()}
        for key, found in targets:
            names = [self._column(name).name for name in key.columns]
            if not found or (self._may_lack(key) and draw(st.integers(0, 4)) == 4):  # noqa: PLR2004 - one in five
                row.update({name: None for name in names if self._column(name).nullable})
            else:
                row.update(zip(names, draw(st.sampled_from(found)), strict=True))
        for each in self.table.derived:
            lowered = {name.lower(): cell for name, cell in row.items()}
            row[self._column(each.column).name] = read_rule(each.rule)(lowered)
        return {column.name: row[column.name] for column in self.table.columns}

    def _obeys(self, row: Row) -> bool:
        """Whether what rules made of a row is legal, too."""
        columns = (self._column(each.column) for each in self.table.derived)
        return all(
            column.nullable if row[column.name] is None else _is_legal(row[column.name], column)
            for column in columns
        )


def _targets(key: ForeignKey, made: Mapping[str, list[Row]]) -> list[tuple[Cell, ...]]:
    # A table that points at itself is not made yet: none of its rows has a partner.
    rows = next((rows for name, rows in made.items() if name.lower() == key.table.lower()), [])
    wanted = [name.lower() for name in key.targets]
    found = []
    for row in rows:
        lowered = {name.lower(): cell for name, cell in row.items()}
        values = tuple(lowered[name] for name in wanted)
        if None not in values:
            found.append(values)
    return list(dict.fromkeys(found))


def _identity(key: UniqueKey) -> Callable[[Row], Hashable]:
    """What must not occur twice; rows with a NULL in the key are all different, as in SQL."""
    wanted = {name.lower() for name in key.columns}

    def identify(row: Row) -> Hashable:
        values = tuple(cell for name, cell in row.items() if name.lower() in wanted)
        return object() if None in values else values

    return identify


def _cells(
    column: ColumnProfile, place: int, width: int, leaning: tuple[Cell, ...], *, is_key: bool
) -> SearchStrategy[Cell]:
    """Values of one column, the plainest first: Hypothesis shrinks towards them."""
    spark_type(column)
    plain = _plain(column, place, width, is_key=is_key)
    near = [cell for value in leaning for cell in _near(value, column.type) if _is_legal(cell, column)]
    choices: list[SearchStrategy[Cell]] = [plain]
    if near and not is_key:
        choices.append(st.sampled_from(list(dict.fromkeys(near))))
    if column.nullable:
        choices.append(st.none())
    return st.one_of(*choices)


def _plain(column: ColumnProfile, place: int, width: int, *, is_key: bool) -> SearchStrategy[Cell]:
    if column.domain:
        return st.sampled_from(column.domain)
    # Columns of one type take numbers of their own, so that one read for another shows.
    steps = range(1, _KEYS + 1) if is_key else range(place + 1, place + 1 + _KEYS * width, width)
    made = [_make(step, column.type.lower()) for step in steps]
    bounds = [cell for cell in (column.low, column.high) if cell is not None]
    legal = [cell for cell in (*made, *bounds) if _is_legal(cell, column)]
    if not legal:
        raise FixturesError(
            expected=f"bounds of column {column.name} that leave a value",
            found=f"`{column.type}` from {column.low} to {column.high}",
            hint="correct them in task.yaml, or state a domain; binary columns cannot be drawn",
        )
    return st.sampled_from(legal)


def _make(step: int, kind: str) -> Cell:
    """The value of a type that a small number stands for."""
    if kind.startswith("decimal"):
        return Decimal(step)
    if kind in ("double", "float", "real"):
        return float(step)
    if kind == "boolean":
        return bool(step % 2)
    if kind == "date":
        return _FIRST_DAY + timedelta(days=step)
    if kind.startswith("timestamp"):
        return datetime(2020, 1, 1, step % 24)  # noqa: DTZ001 - Spark's local time
    return step if kind in ("bigint", "int", "integer", "smallint", "tinyint", "long") else f"v{step}"


def _near(value: Cell, kind: str) -> list[Cell]:
    """A literal as a column's type has it, and its neighbours."""
    name = kind.lower()
    if isinstance(value, str):
        return [value]
    if isinstance(value, date):
        days: list[Cell] = [value + timedelta(days=days) for days in (0, 1, -1)]
        return days
    if value is None or isinstance(value, bool):
        return []
    number = Decimal(str(value))
    if name.startswith("decimal"):
        unit = Decimal("0.01") if re.search(r",\s*[1-9]", name) else Decimal(1)
        return [number, number + unit, number - unit]
    if name in ("double", "float", "real"):
        return [float(number), float(number) + 1.0, float(number) - 1.0]
    whole = int(number)
    return [whole, whole + 1, whole - 1]


def _is_legal(cell: Cell, column: ColumnProfile) -> bool:
    if not fits(cell, _kind(column)):
        return False
    comparable: Any = cell
    low, high = column.low, column.high
    inside = (low is None or comparable >= low) and (high is None or comparable <= high)
    return inside and (not column.domain or cell in column.domain)


def _kind(column: ColumnProfile) -> str:
    return {"long": "bigint", "integer": "int", "real": "double"}.get(column.type.lower(), column.type)


__all__ = ["Tables", "read_literals", "tables_for"]

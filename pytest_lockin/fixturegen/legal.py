"""Whether a dataset is legal: every cell, key and rule of the profile, none of them left out."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_lockin.fixturegen.rules import read_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.model.fixture import (
        Cell,
        ColumnProfile,
        Dataset,
        ForeignKey,
        Profile,
        Rows,
        TableProfile,
        UniqueKey,
    )

_INTEGERS = {"bigint": 63, "int": 31, "integer": 31, "smallint": 15, "tinyint": 7}
# A datetime is a date to Python, and a bool an int: types are compared exactly.
_EXACT: dict[str, type] = {"double": float, "float": float, "boolean": bool, "date": date}


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One fact of the profile that a dataset breaks.

    Attributes:
        rule: `table`, `columns`, `type`, `null`, `domain`, `bounds`, `unique`, `foreign` or `derived`.
        detail: what breaks it, in a reader's words.
    """

    table: str
    rule: str
    detail: str


def check_legal(dataset: Dataset, profile: Profile) -> tuple[Violation, ...]:
    """Find everything in a dataset that its profile forbids; nothing found means it may be used.

    Tables the dataset leaves out count as empty.
    """
    found: list[Violation] = []
    for rows in dataset.tables:
        table = profile.table(rows.table)
        if table is None:
            found.append(Violation(table=rows.table, rule="table", detail="the task has no such table"))
        elif rows.columns != tuple(column.name for column in table.columns):
            found.append(Violation(table=rows.table, rule="columns", detail="not those of the profile"))
        elif any(len(row) != len(rows.columns) for row in rows.rows):
            found.append(Violation(table=rows.table, rule="columns", detail="a row lacks cells"))
        else:
            found += _check_table(rows, table, dataset)
    return tuple(found)


def _check_table(rows: Rows, table: TableProfile, dataset: Dataset) -> Iterator[Violation]:
    for place, column in enumerate(table.columns):
        yield from _check_column(table.name, column, {row[place] for row in rows.rows})
    for key in table.unique:
        yield from _check_unique(rows, key)
    for pointer in table.foreign:
        yield from _check_foreign(rows, pointer, dataset)
    yield from _check_rules(rows, table)


def _check_column(table: str, column: ColumnProfile, cells: set[Cell]) -> Iterator[Violation]:
    for cell in cells:
        rule = _broken(column, cell)
        if rule:
            yield Violation(table=table, rule=rule, detail=f"{column.name} holds {cell!r}")


def _broken(column: ColumnProfile, cell: Any) -> str:
    if cell is None:
        return "" if column.nullable else "null"
    if not fits(cell, column.type):
        return "type"
    if column.domain and cell not in column.domain:
        return "domain"
    low, high = column.low, column.high
    inside = (low is None or cell >= low) and (high is None or cell <= high)
    return "" if inside else "bounds"


def fits(cell: Any, kind: str) -> bool:
    """Whether a value that is not NULL is one of a Spark type, exactly: no int as decimal or float."""
    name = kind.lower()
    if name in _INTEGERS:
        return type(cell) is int and -(2 ** _INTEGERS[name]) <= cell < 2 ** _INTEGERS[name]
    if name.startswith("decimal"):
        return isinstance(cell, Decimal) and _fits_decimal(cell, name)
    if name in _EXACT:
        return type(cell) is _EXACT[name]
    if name.startswith("timestamp"):
        return isinstance(cell, datetime)
    limit = re.fullmatch(r"(?:var)?char\((\d+)\)", name)
    return isinstance(cell, str) and (limit is None or len(cell) <= int(limit[1]))


def _fits_decimal(cell: Decimal, name: str) -> bool:
    digits = re.findall(r"\d+", name) or ["10", "0"]
    precision, scale = int(digits[0]), int(digits[1]) if len(digits) > 1 else 0
    exponent = cell.as_tuple().exponent
    return isinstance(exponent, int) and -exponent <= scale and abs(cell) < 10 ** (precision - scale)


def _places(rows: Rows, columns: tuple[str, ...]) -> list[int]:
    names = [name.lower() for name in rows.columns]
    return [names.index(column.lower()) for column in columns]


def _tuples(rows: Rows, columns: tuple[str, ...]) -> list[tuple[Cell, ...]]:
    """Give the values of some columns for each row that has no NULL among them."""
    places = _places(rows, columns)
    found = [tuple(row[place] for place in places) for row in rows.rows]
    return [values for values in found if None not in values]


def _check_unique(rows: Rows, key: UniqueKey) -> Iterator[Violation]:
    for values, count in Counter(_tuples(rows, key.columns)).items():
        if count > 1:
            detail = f"{', '.join(key.columns)} is {values!r} {count} times"
            yield Violation(table=rows.table, rule="unique", detail=detail)


def _check_foreign(rows: Rows, pointer: ForeignKey, dataset: Dataset) -> Iterator[Violation]:
    target = next((each for each in dataset.tables if each.table.lower() == pointer.table.lower()), None)
    there = set(_tuples(target, pointer.targets)) if target is not None else set()
    for values in dict.fromkeys(_tuples(rows, pointer.columns)):
        if values not in there:
            detail = f"{', '.join(pointer.columns)} is {values!r}, which {pointer.table} lacks"
            yield Violation(table=rows.table, rule="foreign", detail=detail)


def _check_rules(rows: Rows, table: TableProfile) -> Iterator[Violation]:
    if not table.derived:
        return
    names = [name.lower() for name in rows.columns]
    for cells in rows.rows:
        row = dict(zip(names, cells, strict=True))
        for derived in table.derived:
            expected = read_rule(derived.rule)(row)
            if row[derived.column.lower()] != expected:
                detail = f"{derived.column} is {row[derived.column.lower()]!r}, its rule gives {expected!r}"
                yield Violation(table=rows.table, rule="derived", detail=detail)

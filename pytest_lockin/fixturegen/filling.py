"""Cells that no condition asks for: legal, told apart from each other, and the same for the same key."""

from __future__ import annotations

import hashlib
import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_lockin.fixturegen.rules import columns_of, read_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_lockin.model.fixture import Cell, ColumnProfile, TableProfile

_FIRST_DAY = date(1998, 1, 2)
_DAYS = 2000
_TRIES = 12
SEED = "seed"


def number_of(*parts: object) -> int:
    """Give a large number that follows from its parts alone."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def fill_row(table: TableProfile, cells: Mapping[str, Cell], seed: str) -> tuple[Cell, ...]:
    """Complete a row: derived columns by their rules, all others by values unlike any other of the row.

    `cells` holds what is set already, by lower-cased name. What is filled in depends on `seed` and on what
    identifies the row: the columns that derived ones rest on, else its first key.
    """
    row = dict(cells)
    derived = {each.column.lower() for each in table.derived}
    about = [row.get(name) for name in identity_of(table)]
    used = {(type(value), value) for value in row.values()}
    for column in table.columns:
        name = column.name.lower()
        if name not in row and name not in derived:
            values = fresh_values(column, seed, table.name, about)
            first = next(values)
            others = (value for value in values if (type(value), value) not in used)
            row[name] = first if (type(first), first) not in used else next(others, first)
            used.add((type(row[name]), row[name]))
    for each in table.derived:
        row[each.column.lower()] = read_rule(each.rule)(row)
    return tuple(row[column.name.lower()] for column in table.columns)


def bases_of(table: TableProfile) -> tuple[str, ...]:
    """Name the columns that derived ones rest on, lower-cased, in the table's order."""
    derived = {each.column.lower() for each in table.derived}
    read = {name for each in table.derived for name in columns_of(each.rule)} - derived
    return tuple(column.name.lower() for column in table.columns if column.name.lower() in read)


def identity_of(table: TableProfile) -> tuple[str, ...]:
    """Name the columns that say which row it is."""
    return bases_of(table) or (
        tuple(name.lower() for name in table.unique[0].columns) if table.unique else ()
    )


def fresh_values(column: ColumnProfile, *about: object) -> Iterator[Any]:
    """Give some legal values of a column, chosen by what `about` says."""
    for attempt in range(_TRIES):
        yield _value(column, number_of(*about, column.name, attempt))


def _value(column: ColumnProfile, number: int) -> Any:
    if column.domain:
        return column.domain[number % len(column.domain)]
    kind = column.type.lower()
    family = re.match(r"[a-z]*", kind)
    maker = _MAKERS.get(family[0] if family else "", _text)
    return maker(column, number)


def _text(column: ColumnProfile, number: int) -> str:
    size = re.search(r"\d+", column.type)
    text = f"{column.name.partition('_')[2] or column.name} {number % 9000 + 1000}"
    return text[-int(size[0]) :] if size else text


def _integer(column: ColumnProfile, number: int) -> int:
    low = column.low if isinstance(column.low, int) else 101
    high = column.high if isinstance(column.high, int) else max(low, 9999)
    most = {"tinyint": 127, "smallint": 32767}.get(column.type.lower(), high)
    return low + number % (min(high, most) - low + 1)


def _decimal(column: ColumnProfile, number: int) -> Any:
    digits = [int(d) for d in "".join(c if c.isdigit() else " " for c in column.type).split()] or [10, 0]
    precision, scale = digits[0], digits[1] if len(digits) > 1 else 0
    most = 10 ** min(precision, scale + 3) - 1
    least = min(10**scale, most)
    value = Decimal(least + number % (most - least + 1)).scaleb(-scale)
    return _within(column, value)


def _within(column: ColumnProfile, value: Any) -> Any:
    if column.low is not None and value < column.low:
        return column.low
    return column.high if column.high is not None and value > column.high else value


_MAKERS: dict[str, Callable[[ColumnProfile, int], Any]] = {
    "decimal": _decimal,
    "double": lambda _, number: 1.0 + number % 99899 / 100,
    "float": lambda _, number: 1.0 + number % 9989 / 4,
    "boolean": lambda _, number: number % 2 == 0,
    "date": lambda column, number: _within(column, _FIRST_DAY + timedelta(days=number % _DAYS)),
    # Spark's zone is not ours: a time without one is read in whatever zone the session has.
    "timestamp": lambda _, number: datetime(2000, 1, 1) + timedelta(seconds=number % 10**8),  # noqa: DTZ001
    "bigint": _integer,
    "int": _integer,
    "integer": _integer,
    "smallint": _integer,
    "tinyint": _integer,
}

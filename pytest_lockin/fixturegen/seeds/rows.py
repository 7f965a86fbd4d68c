"""Symbolic rows: one for each time a statement names a table; columns come into being when asked for."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import z3

from pytest_lockin.fixturegen.days import to_days
from pytest_lockin.fixturegen.runs import base_of, runs_of
from pytest_lockin.fixturegen.seeds.terms import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_lockin.fixturegen.seeds.strings import Strings
    from pytest_lockin.fixturegen.seeds.terms import Names
    from pytest_lockin.model.fixture import ColumnProfile, TableProfile

# What rules with strings are worked out for: every day or number of a range, by running the rule.
_MOST_RESULTS = 40
_INTEGERS = ("bigint", "int", "integer", "smallint", "tinyint")
_GREATEST = 2_000_000_000


class SymbolicRow:
    """One row of a table.

    Args:
        guard: when the row is there at all.
        alias: what the statement calls it.
        root: the SELECT it stands in, so that rows of one query can be told from those of others.
    """

    def __init__(self, table: TableProfile, guard: tuple[Any, ...], alias: str, select: Any) -> None:
        self.table = table
        self.guard = guard
        self.alias = alias
        self.select = select
        self.columns: dict[str, Value] = {}


class Columns:
    """Makes the columns of symbolic rows.

    Args:
        say: takes a condition that must hold.
        span: first and last date that may occur.
        null_asked: columns that get a condition for being NULL.
        translate: makes a term of a rule's expression over a row.
    """

    def __init__(
        self,
        *,
        names: Names,
        strings: Strings,
        say: Callable[[Any], None],
        span: tuple[date, date],
        null_asked: frozenset[str],
        translate: Callable[[str, SymbolicRow], Value],
    ) -> None:
        self.names = names
        self.strings = strings
        self.say = say
        self.span = span
        self.null_asked = null_asked
        self.translate = translate

    def get(self, row: SymbolicRow, name: str) -> Value:
        """Give a row's column, made on first use."""
        lowered = name.lower()
        if lowered not in row.columns:
            row.columns[lowered] = self._make(row, lowered)
        return row.columns[lowered]

    def _make(self, row: SymbolicRow, name: str) -> Value:
        column = row.table.column(name)
        assert column is not None  # noqa: S101 - the statement was resolved against the same schemas
        rule = next((each.rule for each in row.table.derived if each.column.lower() == name), None)
        kind = _kind(column)
        if rule is not None:
            value = self.translate(rule, row)
            if kind == "str" and value.hard:
                value = self._link(row, column)
            return Value(
                term=value.term, kind=kind, null=value.null, column=f"{row.table.name}.{name}".lower()
            )
        return self._free(row, column, kind)

    def _free(self, row: SymbolicRow, column: ColumnProfile, kind: str) -> Value:
        full = f"{row.table.name}.{column.name}".lower()
        whole = self.names.integer(full)
        term = z3.ToReal(whole) / 10 ** _scale(column.type) if kind == "num" else whole
        asked = column.nullable and full in self.null_asked
        null = self.names.boolean(f"{full} null") if asked else None
        for condition in self._bounds(column, kind, whole, full):
            self.say(condition)
        texts = self.strings.allowed.get(full, ()) if kind == "str" else ()
        return Value(term=term, kind=kind, null=null, column=full, texts=texts)

    def _bounds(self, column: ColumnProfile, kind: str, whole: Any, full: str) -> Iterator[Any]:
        if kind == "str":
            allowed = [self.strings.numbers[text] for text in self.strings.allowed.get(full, ())]
            yield z3.Or(*(whole == number for number in allowed)) if allowed else whole >= 0
            return
        if kind == "bool":
            yield z3.And(whole >= 0, whole <= 1)
            return
        low, high = _range(column, kind, self.span)
        yield z3.And(whole >= low, whole <= high)
        if column.domain:
            yield z3.Or(*(whole == whole_number(value, kind, column.type) for value in column.domain))

    def _link(self, row: SymbolicRow, column: ColumnProfile) -> Value:
        """Tie a derived text to the one column its rule rests on, by running the rule over its range."""
        whole = self.names.integer(f"{row.table.name}.{column.name}".lower())
        base = base_of(row.table, column.name.lower())
        source = row.table.column(base) if base else None
        if source is None or _kind(source) not in ("date", "int"):
            return Value(term=whole, kind="str", hard=True)
        low, high = _range(source, _kind(source), self.span)
        spans = runs_of(row.table, column.name.lower(), base, low, high, is_date=_kind(source) == "date")
        value = self.get(row, base)
        cases = [
            z3.And(whole == self.strings.numbers[text], z3.Or(*(_inside(value.term, s) for s in found)))
            for text, found in spans.items()
            if (text in self.strings.numbers and len(spans) <= _MOST_RESULTS)
            or text in self._mentioned(column, row)
        ]
        others = z3.And(whole < 0, *(z3.Not(case.arg(1)) for case in cases))
        self.say(z3.Or(*cases, others))
        return Value(term=whole, kind="str")

    def _mentioned(self, column: ColumnProfile, row: SymbolicRow) -> tuple[str, ...]:
        full = f"{row.table.name}.{column.name}".lower()
        return tuple(t for t in self.strings.allowed.get(full, ()) if t not in self.strings.fresh[full])


def _inside(term: Any, span: tuple[int, int]) -> Any:
    return term == span[0] if span[0] == span[1] else z3.And(term >= span[0], term <= span[1])


def whole_number(value: Any, kind: str, spark_type: str) -> int:
    """Give the whole number that stands for a value of a column: days, cents, the number itself."""
    if kind == "date":
        return to_days(value)
    return int(Decimal(str(value)) * 10 ** _scale(spark_type)) if kind == "num" else int(value)


def _range(column: ColumnProfile, kind: str, span: tuple[date, date]) -> tuple[int, int]:
    low, high = column.low, column.high
    if kind == "date":
        first = max(low, span[0]) if isinstance(low, date) else span[0]
        last = min(high, span[1]) if isinstance(high, date) else span[1]
        return to_days(first), to_days(last)
    least, most = (-_GREATEST, _GREATEST) if kind == "int" else _decimal_range(column.type)
    return (
        whole_number(low, kind, column.type) if low is not None else least,
        whole_number(high, kind, column.type) if high is not None else most,
    )


def _decimal_range(kind: str) -> tuple[int, int]:
    digits = [int(part) for part in _digits(kind)] or [7, 2]
    most = 10 ** min(digits[0], 9) - 1
    return -most, most


def _digits(kind: str) -> list[str]:
    return "".join(c if c.isdigit() else " " for c in kind).split()


def _scale(kind: str) -> int:
    """Give the digits after the point; binary floats get two, which they hold well enough to be compared."""
    if kind.lower().startswith("decimal"):
        digits = _digits(kind)
        return int(digits[1]) if len(digits) > 1 else 0
    return 2


def _kind(column: ColumnProfile) -> str:
    name = column.type.lower()
    if name in _INTEGERS:
        return "int"
    if name == "boolean":
        return "bool"
    if name == "date":
        return "date"
    return "num" if name.startswith(("decimal", "double", "float")) else "str"


kind_of = _kind
scale_of = _scale

"""Values worth trying in a column: either side of every literal, NULL, zero, another, its neighbours'."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from pytest_lockin.fixturegen.cloning import full_name
from pytest_lockin.fixturegen.constants import to_date
from pytest_lockin.fixturegen.days import from_days, to_days
from pytest_lockin.fixturegen.filling import bases_of, fresh_values
from pytest_lockin.fixturegen.legal import fits
from pytest_lockin.fixturegen.runs import runs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.fixturegen.drafts import Placed
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.model.fixture import Cell, ColumnProfile

_MOST_LITERALS = 12
_DAYS_AROUND = 900
_SHIFTS = (1, -1, 7, -7, 31, -31, 92, -92, 366, -366)


def try_values(row: Placed, column: ColumnProfile, form: Form) -> Iterator[tuple[str, Cell]]:
    """Give values for one cell, each unlike the present one, with words for it."""
    name = column.name.lower()
    seen = {row.cells[name]}
    for words, value in _all(row, column, form):
        legal = column.nullable if value is None else is_legal(column, value)
        if legal and value not in seen:
            seen.add(value)
            yield words, value


def _all(row: Placed, column: ColumnProfile, form: Form) -> Iterator[tuple[str, Cell]]:
    full, old = full_name(row, column.name), row.cells[column.name.lower()]
    yield "NULL", None
    yield "another value", next(iter(fresh_values(column, "other", full, old)))
    yield from _around_literals(column, full, form)
    yield from around_derived(row, column, form)
    if full in form.measures and isinstance(old, (int, Decimal, float)):
        yield "zero", type(old)(0)
        yield "negative", -old
    if isinstance(old, str):
        yield from (("in lower case", old.lower()), ("in upper case", old.upper()), ("longer", f"{old}x"))
    if isinstance(old, date) and row.table.derived:
        yield from ((f"{shift:+} days", old + timedelta(days=shift)) for shift in _SHIFTS)


def _around_literals(column: ColumnProfile, full: str, form: Form) -> Iterator[tuple[str, Cell]]:
    for atom in form.atoms_of(full)[:_MOST_LITERALS]:
        value = read_literal(atom.text, column)
        if value is None:
            continue
        yield f"the literal {atom.text}", value
        if not isinstance(value, (str, bool)):
            step: Any = _step(column)
            yield f"just above {atom.text}", value + step
            yield f"just below {atom.text}", value - step


def around_derived(row: Placed, column: ColumnProfile, form: Form) -> Iterator[tuple[str, Cell]]:
    """Give days (or seconds) on either side of where a derived column takes a literal's value."""
    name, old = column.name.lower(), row.cells[column.name.lower()]
    if bases_of(row.table) != (name,) or not isinstance(old, (date, int)):
        return
    is_date = isinstance(old, date)
    low, high = _reach(old, column)
    for derived in row.table.derived:
        full = full_name(row, derived.column)
        atoms = form.atoms_of(full)[:_MOST_LITERALS] if full in form.used else ()
        if not atoms:
            continue
        runs = runs_of(row.table, derived.column.lower(), name, low, high, is_date=is_date)
        for atom in atoms:
            spans = runs.get(atom.text, ())
            for edge in dict.fromkeys(each for span in (*spans[:1], *spans[-1:]) for each in span):
                for number in (edge, edge - 1, edge + 1):
                    value = from_days(number) if is_date else number
                    yield f"where {derived.column} is {atom.text}, or beside", value


def _reach(old: Cell, column: ColumnProfile) -> tuple[int, int]:
    if isinstance(old, date):
        return to_days(old) - _DAYS_AROUND, to_days(old) + _DAYS_AROUND
    low = column.low if isinstance(column.low, int) else 0
    return low, column.high if isinstance(column.high, int) else low + _DAYS_AROUND


def read_literal(text: str, column: ColumnProfile) -> Cell:
    """Read a literal as a value of a column; None where it is none."""
    kind = column.type.lower()
    if kind == "date":
        return to_date(text)
    if "char" in kind or kind == "string":
        return text.replace("%", "")
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if kind.startswith("decimal"):
        return number.quantize(_cent(column))
    if kind in ("double", "float"):
        return float(number)
    return int(number) if number == int(number) else None


def _step(column: ColumnProfile) -> Cell | timedelta:
    kind = column.type.lower()
    if kind == "date":
        return timedelta(days=1)
    if kind.startswith("decimal"):
        return _cent(column)
    return 0.01 if kind in ("double", "float") else 1


def _cent(column: ColumnProfile) -> Decimal:
    digits = [int(d) for d in "".join(c if c.isdigit() else " " for c in column.type).split()] or [10, 0]
    return Decimal(1).scaleb(-(digits[1] if len(digits) > 1 else 0))


def is_legal(column: ColumnProfile, value: Cell) -> bool:
    """Whether a column may hold a value that is not NULL."""
    inside = (column.low is None or value >= column.low) and (column.high is None or value <= column.high)  # type: ignore[operator]
    return fits(value, column.type) and inside and (not column.domain or value in column.domain)

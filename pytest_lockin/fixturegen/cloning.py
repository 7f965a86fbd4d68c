"""Copies of rows under keys of their own: a row, and every row that points to it, once more."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_lockin.fixturegen.filling import SEED, bases_of, fill_row, fresh_values, number_of

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from pytest_lockin.fixturegen.drafts import Draft, Placed
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.model.fixture import Cell, ColumnProfile

    # What changes: values of a class of columns that is compared with each other, old -> new.
    Renaming = dict[tuple[frozenset[str], Cell], Cell]

_FRESH_KEYS = 100_000


def full_name(row: Placed, column: str) -> str:
    """Give `table.column`, lower-cased."""
    return f"{row.table.name}.{column}".lower()


def clone(draft: Draft, place: int, form: Form, *, number: int, shift: int = 1) -> Draft:
    """Give copies of one row of a draft and of all that point to it, under new keys.

    `number` tells copies of the same row apart; `shift` is how far a copied day (or other base of a derived
    key) lies from the original. The copies alone are given, in the draft's order.
    """
    renaming, places = _closure(draft, place, form, number=number, shift=shift)
    return tuple(rename(draft[each], form, renaming) for each in places)


def pointing_places(draft: Draft, place: int, form: Form) -> tuple[int, ...]:
    """Give the places of the rows that hold one of a row's keys of a single column, itself left out."""
    row = draft[place]
    names = [key.columns[0].lower() for key in row.table.unique if len(key.columns) == 1]
    keys: Renaming = {(form.class_of(full_name(row, n)), row.cells[n]): row.cells[n] for n in names}
    return tuple(i for i, other in enumerate(draft) if i != place and _points(other, form, keys))


def clone_all(draft: Draft, form: Form, *, number: int) -> Draft:
    """Give a copy of a whole draft under keys of its own; days and clock times stay shared."""
    renaming: Renaming = {}
    for row in draft:
        if not row.table.derived:
            renaming.update(_rename_keys(row, form, renaming, number=number, shift=1))
    return tuple(row if row.table.derived else rename(row, form, renaming) for row in draft)


def _closure(
    draft: Draft, place: int, form: Form, *, number: int, shift: int
) -> tuple[Renaming, tuple[int, ...]]:
    renaming: Renaming = {}
    waiting, copied = [place], set[int]()
    while waiting:
        each = waiting.pop()
        if each in copied:
            continue
        copied.add(each)
        fresh = _rename_keys(draft[each], form, renaming, number=number, shift=shift)
        renaming.update(fresh)
        waiting += [i for i, row in enumerate(draft) if i not in copied and _points(row, form, fresh)]
    return renaming, tuple(sorted(copied))


def _points(row: Placed, form: Form, renaming: Renaming) -> bool:
    return any(
        (form.class_of(full_name(row, name)), cell) in renaming
        for name, cell in row.cells.items()
        if cell is not None
    )


def rename(row: Placed, form: Form, renaming: Renaming) -> Placed:
    """Give a row with values renamed, in every column of the class that a renaming is for."""
    changed = {}
    for name, cell in row.cells.items():
        key = (form.class_of(full_name(row, name)), cell)
        if key in renaming:
            changed[name] = renaming[key]
    return move(row, changed)


def move(row: Placed, cells: Mapping[str, Cell]) -> Placed:
    """Change some cells; a row that becomes another day (or second) gets all that goes with it.

    Rows of a table with derived columns are the same wherever what they rest on is the same, so that
    datasets can be put together.
    """
    bases = bases_of(row.table)
    if not any(name in cells and cells[name] != row.cells[name] for name in bases):
        return row.changed(cells) if cells else row
    given = {name: cells.get(name, row.cells[name]) for name in bases}
    values = fill_row(row.table, given, SEED)
    names = [column.name.lower() for column in row.table.columns]
    derived = {each.column.lower() for each in row.table.derived}
    kept = {n: c for n, c in cells.items() if n not in derived and n not in bases}
    return replace(row, cells={**dict(zip(names, values, strict=True)), **kept})


def _rename_keys(row: Placed, form: Form, known: Renaming, *, number: int, shift: int) -> Renaming:
    """Give new values for every unique key of a row that no known renaming changes yet."""
    if row.table.derived:
        return _rename_base(row, form, shift)
    made: Renaming = {}
    for key in row.table.unique:
        names = [name.lower() for name in key.columns]
        done = {**known, **made}
        if any((form.class_of(full_name(row, name)), row.cells[name]) in done for name in names):
            continue
        name = min(names, key=lambda each: _cost(row, each, form))
        column, old = row.table.column(name), row.cells[name]
        if column is not None and old is not None:
            made[form.class_of(full_name(row, name)), old] = _next(column, old, number, shift)
    return made


def _rename_base(row: Placed, form: Form, shift: int) -> Renaming:
    """Move what derived columns rest on (a calendar's day, a clock's second), and with it their keys."""
    made: Renaming = {}
    for name in bases_of(row.table)[:1]:
        column, old = row.table.column(name), row.cells[name]
        if column is not None and old is not None:
            made[form.class_of(full_name(row, name)), old] = _next(column, old, 0, shift)
    _follow(row, form, made)
    return made


def _follow(row: Placed, form: Form, made: Renaming) -> None:
    """Add what becomes of derived keys: rows that point to them must follow."""
    moved = rename(row, form, made)
    for key in row.table.unique:
        for name in (each.lower() for each in key.columns):
            if row.cells[name] != moved.cells[name]:
                made[form.class_of(full_name(row, name)), row.cells[name]] = moved.cells[name]


def _cost(row: Placed, name: str, form: Form) -> tuple[bool, bool]:
    """Rank a key's columns: those nobody joins or groups by are changed first."""
    full = full_name(row, name)
    return (len(form.class_of(full)) > 1, full in form.groups)


def _next(column: ColumnProfile, old: Cell, number: int, shift: int) -> Any:
    if isinstance(old, date):
        return old + timedelta(days=shift)
    if isinstance(old, int):
        if column.low is not None or column.high is not None:
            return old + shift
        return _FRESH_KEYS + number_of("clone", column.name, old, number) % (9 * _FRESH_KEYS)
    if isinstance(old, str):
        return f"{old.partition(' +')[0]} +{number_of('clone', old, number) % 1000}"
    return next(iter(fresh_values(column, "clone", str(old), number)))


def vary_measures(row: Placed, form: Form, chance: random.Random, *, wide: bool = False) -> Placed:
    """Give a row other measures: of a like size, or of any size (`wide`), all positive."""
    changed: dict[str, Cell] = {}
    for column in row.table.columns:
        full = full_name(row, column.name)
        old = row.cells[column.name.lower()]
        free = full in form.measures and full not in form.limited and not _is_key(row, column.name)
        if free and isinstance(old, (int, Decimal, float)) and not isinstance(old, bool):
            changed[column.name.lower()] = _vary(column, old, chance, wide=wide)
    return row.changed(changed)


def _is_key(row: Placed, name: str) -> bool:
    return any(name in key.columns for key in row.table.unique)


def _vary(column: ColumnProfile, old: Cell, chance: random.Random, *, wide: bool) -> Cell:
    if wide:
        size = math.exp(chance.uniform(math.log(2), math.log(20_000)))
    else:
        size = abs(float(old)) * chance.uniform(0.6, 1.6) + chance.uniform(1, 3)  # type: ignore[arg-type]
    if isinstance(old, int):
        return max(1, int(size))
    if isinstance(old, float):
        return round(size, 2)
    kind = column.type.lower()
    digits = [int(d) for d in "".join(c if c.isdigit() else " " for c in kind).split()] or [10, 0]
    scale = digits[1] if len(digits) > 1 else 0
    most = 10 ** (digits[0] - scale) - 1
    return Decimal(str(min(size, most))).quantize(Decimal(1).scaleb(-scale))


def merge(*drafts: Draft) -> Draft:
    """Put drafts together; a row whose key is there already is left out."""
    found: dict[Mapping[str, Cell] | tuple[object, ...], Placed] = {}
    seen: set[tuple[object, ...]] = set()
    for row in (row for draft in drafts for row in draft):
        keys = list(_keys_of(row))
        if any(key in seen for key in keys):
            continue
        seen.update(keys)
        found[row.table.name, len(found)] = row
    return tuple(found.values())


def _keys_of(row: Placed) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for place, key in enumerate(row.table.unique):
        values = tuple(row.cells[name.lower()] for name in key.columns)
        if None not in values:
            found.append((row.table.name, place, *values))
    return found

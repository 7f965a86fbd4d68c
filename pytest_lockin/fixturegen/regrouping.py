"""Rows given other names for their groups, other unread cells, or values from a small set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.cloning import full_name, rename
from pytest_lockin.fixturegen.deltas.values import is_legal, read_literal
from pytest_lockin.fixturegen.filling import bases_of, fresh_values

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from pytest_lockin.fixturegen.drafts import Draft, Placed
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.model.fixture import Cell, ColumnProfile


def is_derived(row: Placed, name: str) -> bool:
    """Whether a column follows from others of its row."""
    return any(each.column.lower() == name.lower() for each in row.table.derived)


def is_key(row: Placed, name: str) -> bool:
    """Whether a column is part of a unique key."""
    return any(name.lower() == each.lower() for key in row.table.unique for each in key.columns)


def is_settled(row: Placed, name: str) -> bool:
    """Whether keys and rules decide what a column holds, or it decides what others hold."""
    return is_key(row, name) or is_derived(row, name) or name.lower() in bases_of(row.table)


def measure_columns(row: Placed, form: Form) -> Iterator[ColumnProfile]:
    """Give columns that are added up, counted or compared in groups."""
    for column in row.table.columns:
        name = column.name.lower()
        if full_name(row, name) in form.measures and not is_settled(row, name):
            yield column


def regroup(draft: Draft, form: Form, number: int) -> Draft:
    """Give rows other values in the columns that name groups and places, the same ones wherever they meet.

    Left alone: keys, what follows from others, and what a literal limits.
    """
    renaming: dict[tuple[frozenset[str], Cell], Cell] = {}
    for row in draft:
        for column in row.table.columns:
            name = column.name.lower()
            full, old = full_name(row, name), row.cells[name]
            named = full in form.groups or (isinstance(old, str) and full in form.used)
            if not named or old is None or column.domain or is_settled(row, name):
                continue
            group = form.class_of(full)
            if not group & _keys_of(draft) and not _has_literals(column, full, form):
                renaming.setdefault((group, old), _renamed(column, old, number))
    return tuple(rename(row, form, renaming) for row in draft)


def _keys_of(draft: Draft) -> frozenset[str]:
    """Give the columns that are a unique key on their own: renamed already wherever rows are copied."""
    return frozenset(
        full_name(row, key.columns[0]) for row in draft for key in row.table.unique if len(key.columns) == 1
    )


def _has_literals(column: ColumnProfile, full: str, form: Form) -> bool:
    text = "char" in column.type.lower() or column.type.lower() == "string"
    return any(atom.quoted == text for atom in form.atoms_of(full))


def _renamed(column: ColumnProfile, old: Cell, number: int) -> Cell:
    if isinstance(old, str):
        return f"{old.partition(' *')[0]} *{number}"
    if isinstance(old, int) and not isinstance(old, bool):
        values = list(fresh_values(column, "group", old, number))
        return int(values[number % len(values)])
    return old


def refresh(row: Placed, form: Form, number: int) -> Placed:
    """Give a row other cells wherever nothing reads them."""
    if row.table.derived:
        return row
    changed = {
        column.name.lower(): next(iter(fresh_values(column, "refresh", row.table.name, number)))
        for column in row.table.columns
        if full_name(row, column.name) not in form.used and not is_key(row, column.name)
    }
    return row.changed(changed)


def open_columns(row: Placed, form: Form) -> Iterator[ColumnProfile]:
    """Give columns that are read and that no join, key or rule settles: others of their values may do."""
    for column in row.table.columns:
        name = column.name.lower()
        full = full_name(row, name)
        if full in form.used and not is_settled(row, name) and len(form.class_of(full)) == 1:
            yield column


def draw(draft: Draft, form: Form, chance: random.Random, *, nulls: bool, only: frozenset[str]) -> Draft:
    """Give rows values from small sets in open columns, so that rows tie and differ.

    NULL is among them where `nulls`. `only` says for which columns (`table.column`) to draw; measures are
    drawn in any case. Equal values of a column that is compared with itself stay equal.
    """
    drawn: dict[tuple[str, Cell], Cell] = {}
    return tuple(_draw(row, form, chance, nulls=nulls, only=only, drawn=drawn) for row in draft)


def _draw(
    row: Placed,
    form: Form,
    chance: random.Random,
    *,
    nulls: bool,
    only: frozenset[str],
    drawn: dict[tuple[str, Cell], Cell],
) -> Placed:
    changed: dict[str, Cell] = {}
    for column in open_columns(row, form):
        full = full_name(row, column.name)
        if full not in only and full not in form.measures:
            continue
        choices = (*_small_set(row, column, form), *((None,) if nulls and column.nullable else ()))
        value = chance.choice(choices)
        if full in form.limited:
            value = drawn.setdefault((full, row.cells[column.name.lower()]), value)
        changed[column.name.lower()] = value
    return row.changed(changed) if changed else row


def _small_set(row: Placed, column: ColumnProfile, form: Form) -> tuple[Cell, ...]:
    """Give few values, the same for all rows of a table; where conditions limit it, those they name."""
    if column.domain:
        return column.domain[:3]
    own = row.cells[column.name.lower()]
    if _has_literals(column, full_name(row, column.name), form):
        literals = (
            read_literal(atom.text, column) for atom in form.atoms_of(full_name(row, column.name))[:6]
        )
        known = tuple(value for value in literals if value is not None and is_legal(column, value))
        return (own, own, *known)
    return tuple(next(iter(fresh_values(column, "small", row.table.name, n))) for n in range(3))

"""The families of deltas of one seed: cells, copies, losses, ties, duplicates, volume, nothing at all."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.cloning import clone, full_name, merge, vary_measures
from pytest_lockin.fixturegen.deltas.changing import Delta, change, name_row, without
from pytest_lockin.fixturegen.deltas.values import try_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.fixturegen.drafts import Draft, Placed
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.model.fixture import Cell, ColumnProfile

_SHIFTS = (1, 31, -31, 365)
_MORE_THAN_LIMIT = 8


def make_deltas(draft: Draft, form: Form) -> Iterator[Delta]:
    """Give every delta of one seed, the most telling families first."""
    yield from _losses(draft)
    yield from _copies(draft, form)
    yield from _cells(draft, form)
    yield from _changed_copies(draft, form)
    yield from _measures(draft, form)
    yield from _siblings(draft, form)
    yield from _ties(draft, form)
    yield from _volume(draft, form)


def _losses(draft: Draft) -> Iterator[Delta]:
    """Leave rows out: one, or all of a table."""
    yield Delta(draft=(), purpose="no rows in any table")
    for name in dict.fromkeys(row.table.name for row in draft):
        left = tuple(row for row in draft if row.table.name != name)
        if left:
            yield Delta(draft=left, purpose=f"no rows in {name}")
    for place, row in enumerate(draft):
        yield Delta(draft=without(draft, place), purpose=f"without the row of {name_row(row)}")


def _copies(draft: Draft, form: Form) -> Iterator[Delta]:
    """Add a copy of a row and of what points to it: the same measures, then others."""
    chance = random.Random(3)  # noqa: S311 - data, not secrets
    for place, row in enumerate(draft):
        shifts = _SHIFTS if any(each.table.derived for each in (row,)) else _SHIFTS[:1]
        for number, shift in enumerate(shifts, start=1):
            copies = clone(draft, place, form, number=number, shift=shift)
            varied = tuple(vary_measures(each, form, chance) for each in copies)
            yield Delta(draft=merge(draft, copies), purpose=f"a second row like {name_row(row)}")
            yield Delta(draft=merge(draft, varied), purpose=f"a second row beside {name_row(row)}, other measures")
            yield Delta(
                draft=merge(draft, tuple(_regroup(each, form, number) for each in varied)),
                purpose=f"another group beside that of {name_row(row)}",
            )


def _regroup(row: Placed, form: Form, number: int) -> Placed:
    """Give a row other values in the texts its group is named by, where nothing limits them."""
    changed: dict[str, Cell] = {}
    for name, cell in row.cells.items():
        full = full_name(row, name)
        if isinstance(cell, str) and full in form.groups and not form.atoms_of(full) and not _derived(row, name):
            changed[name] = f"{cell.partition(' *')[0]} *{number}"
    return row.changed(changed)


def _derived(row: Placed, name: str) -> bool:
    return any(each.column.lower() == name for each in row.table.derived)


def _columns(row: Placed, form: Form) -> Iterator[ColumnProfile]:
    """Give the columns of a row that matter: those read, and those that read ones derive from."""
    derived = {each.column.lower() for each in row.table.derived}
    base = _bases(row)
    for column in row.table.columns:
        name = column.name.lower()
        if name in base or (full_name(row, name) in form.used and name not in derived):
            yield column


def _bases(row: Placed) -> set[str]:
    from pytest_lockin.fixturegen.rules import columns_of

    derived = {each.column.lower() for each in row.table.derived}
    return {name for each in row.table.derived for name in columns_of(each.rule)} - derived


def _cells(draft: Draft, form: Form) -> Iterator[Delta]:
    """Change one cell."""
    for place, row in enumerate(draft):
        for column in _columns(row, form):
            for words, value in try_values(row, column, form):
                changed = change(draft, place, {column.name.lower(): value}, form, follow=_follows(row, column))
                yield Delta(draft=changed, purpose=f"{column.name} of {name_row(row)} is {words}")


def _follows(row: Placed, column: ColumnProfile) -> bool:
    return column.name.lower() in _bases(row)


def _changed_copies(draft: Draft, form: Form) -> Iterator[Delta]:
    """Add a copy of a row and of what points to it, one cell of which is changed."""
    chance = random.Random(4)  # noqa: S311 - data, not secrets
    for place, row in enumerate(draft):
        copies = clone(draft, place, form, number=7, shift=1)
        copies = tuple(vary_measures(each, form, chance) for each in copies)
        own = next(index for index, each in enumerate(copies) if each.table is row.table)
        for column in _columns(row, form):
            for words, value in try_values(copies[own], column, form):
                changed = change(copies, own, {column.name.lower(): value}, form, follow=_follows(row, column))
                purpose = f"a second row beside {name_row(row)}, whose {column.name} is {words}"
                yield Delta(draft=merge(draft, changed), purpose=purpose)


def _measures(draft: Draft, form: Form) -> Iterator[Delta]:
    """Set measures NULL, equal or at random, all at once."""
    yield Delta(draft=tuple(_set_measures(row, form, None) for row in draft), purpose="all measures are NULL")
    for seed in range(6):
        chance = random.Random(seed + 20)  # noqa: S311 - data, not secrets
        varied = tuple(vary_measures(row, form, chance, wide=seed % 2 == 1) for row in draft)
        yield Delta(draft=varied, purpose="other measures")
    yield Delta(draft=tuple(_like_first(row, draft, form) for row in draft), purpose="equal measures in all rows of a table")


def _measure_columns(row: Placed, form: Form) -> Iterator[ColumnProfile]:
    keys = {name.lower() for key in row.table.unique for name in key.columns}
    for column in row.table.columns:
        name = column.name.lower()
        if full_name(row, name) in form.measures and name not in keys and not _derived(row, name):
            yield column


def _set_measures(row: Placed, form: Form, value: Cell) -> Placed:
    columns = [column for column in _measure_columns(row, form) if column.nullable]
    limited = {c.name.lower() for c in columns if full_name(row, c.name) in form.limited}
    return row.changed({c.name.lower(): value for c in columns if c.name.lower() not in limited})


def _like_first(row: Placed, draft: Draft, form: Form) -> Placed:
    first = next(each for each in draft if each.table is row.table)
    return row.changed({c.name.lower(): first.cells[c.name.lower()] for c in _measure_columns(row, form)})


def _siblings(draft: Draft, form: Form) -> Iterator[Delta]:
    """Swap a column in use with another of its type: the other one matches now."""
    for place, row in enumerate(draft):
        for column in _columns(row, form):
            if _derived(row, column.name.lower()) or row.table.derived:
                continue
            for other in row.table.columns:
                if other.type == column.type and other.name != column.name and not _is_key(row, column, other):
                    mine, theirs = column.name.lower(), other.name.lower()
                    cells = {mine: row.cells[theirs], theirs: row.cells[mine]}
                    if all(cells[n] is not None for n in cells) and _alike(column, other):
                        yield Delta(
                            draft=change(draft, place, cells, form, follow=False),
                            purpose=f"{column.name} and {other.name} of {name_row(row)} change places",
                        )


def _alike(one: ColumnProfile, other: ColumnProfile) -> bool:
    """Whether two columns could be mistaken for each other by their names."""
    mine, theirs = (set(each.name.lower().split("_")[1:]) for each in (one, other))
    return bool(mine & theirs - {"id"}) and not one.domain and not other.domain


def _is_key(row: Placed, *columns: ColumnProfile) -> bool:
    keys = {name for key in row.table.unique for name in key.columns}
    return any(column.name in keys for column in columns)


def copy_whole(draft: Draft, form: Form, number: int, *, regroup: bool = True) -> Draft:
    """Give a copy of a whole draft under keys of its own; calendar and clock rows stay shared."""
    copies = draft
    for place in range(len(draft)):
        if not copies[place].table.derived and copies[place].cells == draft[place].cells:
            moved = clone(copies, place, form, number=number)
            copies = _put_back(copies, place, form, moved)
    return tuple(_regroup(row, form, number) if regroup else row for row in copies)


def _put_back(draft: Draft, place: int, form: Form, moved: Draft) -> Draft:
    from pytest_lockin.fixturegen.cloning import copied_places

    places = copied_places(draft, place, form)
    by_place = dict(zip(places, moved, strict=True))
    return tuple(by_place.get(index, row) for index, row in enumerate(draft))


def _ties(draft: Draft, form: Form) -> Iterator[Delta]:
    """Repeat the whole under other keys: the same measures in other groups, or in the same ones."""
    for number in range(1, 3):
        copy = copy_whole(draft, form, number)
        yield Delta(draft=merge(draft, copy), purpose="two groups with the same measures")
        same = copy_whole(draft, form, number, regroup=False)
        yield Delta(draft=merge(draft, same), purpose="everything twice, under other keys")
        chance = random.Random(number)  # noqa: S311 - data, not secrets
        varied = tuple(vary_measures(row, form, chance) for row in copy)
        yield Delta(draft=merge(draft, varied), purpose="two groups with other measures")


def _volume(draft: Draft, form: Form) -> Iterator[Delta]:
    """Repeat the whole until the limit cuts."""
    if form.limit is None or not draft:
        return
    for vary in (True, False):
        whole, chance = draft, random.Random(5)  # noqa: S311 - data, not secrets
        for number in range(1, form.limit + _MORE_THAN_LIMIT):
            copy = copy_whole(draft, form, number)
            whole += tuple(vary_measures(row, form, chance) for row in copy) if vary else copy
        purpose = "more groups than the limit keeps" + ("" if vary else ", all with the same measures")
        yield Delta(draft=merge(whole), purpose=purpose)

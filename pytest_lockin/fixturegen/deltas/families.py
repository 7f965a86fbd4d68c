"""The families of deltas of one seed: losses, copies, ties, measures, volume, grids, cells, siblings."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.cloning import clone, clone_all, full_name, merge, vary_measures
from pytest_lockin.fixturegen.deltas.calendar import make_day_deltas
from pytest_lockin.fixturegen.deltas.changing import Delta, change, name_row, without
from pytest_lockin.fixturegen.deltas.values import try_values
from pytest_lockin.fixturegen.filling import bases_of
from pytest_lockin.fixturegen.regrouping import (
    draw,
    is_derived,
    is_key,
    measure_columns,
    open_columns,
    refresh,
    regroup,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.fixturegen.drafts import Draft, Placed
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.model.fixture import Cell, ColumnProfile

_SHIFTS = (1, 31, -31, 365)
_STEPS = (0, 0, 0, 1, 31, -31, 92, 365)
_MORE_THAN_LIMIT = 8
_GRIDS = 24
_SHARES = (0.2, 0.4, 0.7, 1.0)


def make_deltas(draft: Draft, form: Form) -> Iterator[Delta]:
    """Give every delta of one seed, the most telling families first."""
    yield from _losses(draft)
    yield from _copies(draft, form)
    yield from _ties(draft, form)
    yield from _measures(draft, form)
    yield from _volume(draft, form)
    yield from _grids(draft, form)
    yield from make_day_deltas(draft, form)
    yield from _cells(draft, form)
    yield from _changed_copies(draft, form)
    yield from _siblings(draft, form)


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
    """Add a copy of a row and of what points to it: the same measures, others, another group."""
    chance = random.Random(3)  # noqa: S311 - data, not secrets
    for place, row in enumerate(draft):
        name = name_row(row)
        for number, shift in enumerate(_SHIFTS if row.table.derived else _SHIFTS[:1], start=1):
            copies = clone(draft, place, form, number=number, shift=shift)
            same = tuple(refresh(each, form, number) for each in copies)
            varied = _varied(same, form, chance)
            other = regroup(varied, form, number)
            third = _varied(clone(draft, place, form, number=number + 50, shift=shift * 2), form, chance)
            for words, more in (
                (f"a second row like {name}", (same,)),
                (f"a second row like {name}, unread cells too", (copies,)),
                (f"a second row beside {name}, other measures", (varied,)),
                (f"two rows like {name} and one unlike them", (same, third)),
                (f"another group beside that of {name}", (other,)),
            ):
                yield Delta(draft=merge(draft, *more), purpose=words)


def _varied(draft: Draft, form: Form, chance: random.Random) -> Draft:
    return tuple(vary_measures(each, form, chance) for each in draft)


def _columns(row: Placed, form: Form) -> Iterator[ColumnProfile]:
    """Give the columns of a row that matter: those read, and those that read ones derive from."""
    bases = bases_of(row.table)
    for column in row.table.columns:
        name = column.name.lower()
        if name in bases or (full_name(row, name) in form.used and not is_derived(row, name)):
            yield column


def _cells(draft: Draft, form: Form) -> Iterator[Delta]:
    """Change one cell."""
    for place, row in enumerate(draft):
        for column in _columns(row, form):
            for words, value in try_values(row, column, form):
                cells = {column.name.lower(): value}
                changed = change(draft, place, cells, form, follow=_follows(row, column))
                yield Delta(draft=changed, purpose=f"{column.name} of {name_row(row)} is {words}")


def _follows(row: Placed, column: ColumnProfile) -> bool:
    return column.name.lower() in bases_of(row.table)


def _changed_copies(draft: Draft, form: Form) -> Iterator[Delta]:
    """Add a copy of a row and of what points to it, one cell of which is changed."""
    chance = random.Random(4)  # noqa: S311 - data, not secrets
    for place, row in enumerate(draft):
        copies = tuple(refresh(each, form, 7) for each in clone(draft, place, form, number=7))
        copies = _varied(copies, form, chance)
        own = next(index for index, each in enumerate(copies) if each.table is row.table)
        for column in _columns(row, form):
            for words, value in try_values(copies[own], column, form):
                cells = {column.name.lower(): value}
                changed = change(copies, own, cells, form, follow=_follows(row, column))
                purpose = f"a second row beside {name_row(row)}, whose {column.name} is {words}"
                yield Delta(draft=merge(draft, changed), purpose=purpose)


def _measures(draft: Draft, form: Form) -> Iterator[Delta]:
    """Set measures NULL, equal or at random, all at once."""
    empty = tuple(_without_measures(row, form) for row in draft)
    yield Delta(draft=empty, purpose="all measures are NULL")
    for seed in range(6):
        chance = random.Random(seed + 20)  # noqa: S311 - data, not secrets
        varied = tuple(vary_measures(row, form, chance, wide=seed % 2 == 1) for row in draft)
        yield Delta(draft=varied, purpose="other measures")
    alike = tuple(_like_first(row, draft, form) for row in draft)
    yield Delta(draft=alike, purpose="equal measures in all rows of a table")
    yield Delta(draft=_all_alike(draft, form), purpose="equal measures in all rows")


def _without_measures(row: Placed, form: Form) -> Placed:
    columns = [column for column in measure_columns(row, form) if column.nullable]
    wanted = [column.name.lower() for column in columns if full_name(row, column.name) not in form.limited]
    return row.changed(dict.fromkeys(wanted))


def _like_first(row: Placed, draft: Draft, form: Form) -> Placed:
    first = next(each for each in draft if each.table is row.table)
    names = [column.name.lower() for column in measure_columns(row, form)]
    return row.changed({name: first.cells[name] for name in names})


def _all_alike(draft: Draft, form: Form) -> Draft:
    """Give all measures of one type one value, whatever their table: rows of a union's branches meet."""
    values: dict[str, Cell] = {}
    for row in draft:
        for column in measure_columns(row, form):
            if full_name(row, column.name) not in form.limited and not column.domain:
                values.setdefault(column.type, row.cells[column.name.lower()])
    return tuple(
        row.changed(
            {
                column.name.lower(): values[column.type]
                for column in measure_columns(row, form)
                if column.type in values and full_name(row, column.name) not in form.limited
            }
        )
        for row in draft
    )


def make_branch_deltas(draft: Draft, form: Form) -> Iterator[Delta]:
    """Give the deltas of a seed that shows one branch or arm: its boundaries before all else."""
    yield from _losses(draft)
    yield from _cells(draft, form)
    yield from _copies(draft, form)
    yield from _measures(draft, form)
    yield from _changed_copies(draft, form)


def make_whole_deltas(draft: Draft, form: Form) -> Iterator[Delta]:
    """Give the deltas that change a draft as a whole; its rows one by one are the business of others."""
    yield from _measures(draft, form)
    yield from _copies(draft, form)
    yield from _ties(draft, form)
    yield from _volume(draft, form)
    yield from _grids(draft, form)


def _siblings(draft: Draft, form: Form) -> Iterator[Delta]:
    """Swap a column in use with another of its type: the other one matches now."""
    for place, row in enumerate(draft):
        for column in _columns(row, form) if not row.table.derived else ():
            for other in row.table.columns:
                mine, theirs = column.name.lower(), other.name.lower()
                if not _mistakable(column, other) or is_key(row, mine) or is_key(row, theirs):
                    continue
                if row.cells[mine] is not None and row.cells[theirs] is not None:
                    cells = {mine: row.cells[theirs], theirs: row.cells[mine]}
                    changed = change(draft, place, cells, form, follow=False)
                    purpose = f"{column.name} and {other.name} of {name_row(row)} change places"
                    yield Delta(draft=changed, purpose=purpose)


def _mistakable(one: ColumnProfile, other: ColumnProfile) -> bool:
    """Whether two columns could be taken for each other: one type, and a word of their names in common."""
    if one.name == other.name or one.type != other.type or one.domain or other.domain:
        return False
    mine, theirs = (set(each.name.lower().split("_")[1:]) for each in (one, other))
    return bool(mine & theirs - {"id"})


def _ties(draft: Draft, form: Form) -> Iterator[Delta]:
    """Repeat the whole under other keys: the same measures in other groups, or in the same ones."""
    for number in range(1, 3):
        same = clone_all(draft, form, number=number)
        copy = regroup(same, form, number)
        chance = random.Random(number)  # noqa: S311 - data, not secrets
        yield Delta(draft=merge(draft, copy), purpose="two groups with the same measures")
        yield Delta(draft=merge(draft, same), purpose="everything twice, under other keys")
        varied = _varied(copy, form, chance)
        yield Delta(draft=merge(draft, varied), purpose="two groups with other measures")


def _grids(draft: Draft, form: Form) -> Iterator[Delta]:
    """Repeat the whole some times with values from small sets: ties and differences in every column."""
    names = {full_name(row, c.name): None for row in draft for c in open_columns(row, form)}
    for number, name in enumerate(names):
        copies = _drawn(draft, form, seed=number + 200, count=6, only=frozenset((name,)))
        yield Delta(draft=copies, purpose=f"groups that differ in {name} and in measures")
    for seed in range(_GRIDS if draft else 0):
        chance = random.Random(seed + 40)  # noqa: S311 - data, not secrets
        some = frozenset(name for name in names if chance.random() < _SHARES[seed % len(_SHARES)])
        copies = _drawn(draft, form, seed=seed, count=4 + seed % 5, only=some)
        yield Delta(draft=copies, purpose="groups that tie in some columns")


def _drawn(draft: Draft, form: Form, *, seed: int, count: int, only: frozenset[str]) -> Draft:
    chance = random.Random(seed)  # noqa: S311 - data, not secrets
    copies = [draft]
    for number in range(1, count):
        copy = clone_all(draft, form, number=number)
        copy = draw(copy, form, chance, nulls=seed % 3 != 0, only=only)
        copies.append(_on_other_days(copy, form, chance) if seed % 2 else copy)
    return merge(*copies)


def _on_other_days(draft: Draft, form: Form, chance: random.Random) -> Draft:
    for place, row in enumerate(draft):
        for name in bases_of(row.table):
            old, step = row.cells[name], chance.choice(_STEPS)
            if isinstance(old, date):
                moved = {name: old + timedelta(days=step)}
                draft = change(draft, place, moved, form, follow=True)
    return draft


def _volume(draft: Draft, form: Form) -> Iterator[Delta]:
    """Repeat the whole until the limit cuts."""
    if form.limit is None or not draft:
        return
    for vary in (True, False):
        chance = random.Random(5)  # noqa: S311 - data, not secrets
        copies = [draft]
        for number in range(1, form.limit + _MORE_THAN_LIMIT):
            copy = regroup(clone_all(draft, form, number=number), form, number)
            copies.append(_varied(copy, form, chance) if vary else copy)
        purpose = "more groups than the limit keeps" + ("" if vary else ", all with the same measures")
        yield Delta(draft=merge(*copies), purpose=purpose)

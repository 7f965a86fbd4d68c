"""Days that only mean something together: one for each literal of a calendar column, all moved at once."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.cloning import clone, full_name, merge, move, pointing_places, vary_measures
from pytest_lockin.fixturegen.deltas.changing import Delta, change, name_row
from pytest_lockin.fixturegen.deltas.values import around_derived
from pytest_lockin.fixturegen.filling import bases_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_lockin.fixturegen.drafts import Draft, Placed
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.model.fixture import Cell

_WEEK = 7
_NEAR = 45
_MOST_ARMS = 8
_ALIKE = 5
_THREE = ((90, 5), (91, 5), (92, 6))


def make_day_deltas(draft: Draft, form: Form) -> Iterator[Delta]:
    """Give the deltas in which several days change, or each literal's day is there."""
    yield from _arms(draft, form)
    places = [place for place, row in enumerate(draft) if _day(row) is not None]
    if len(places) > 1:
        for place in places:
            yield from _moved_together(draft, form, place)


def _day(row: Placed) -> tuple[str, date] | None:
    """Give the column that a calendar row rests on, and its day; None for other rows."""
    bases = bases_of(row.table)
    value = row.cells[bases[0]] if len(bases) == 1 else None
    return (bases[0], value) if isinstance(value, date) else None


def _arms(draft: Draft, form: Form) -> Iterator[Delta]:
    """Add rows on the nearest day for each literal of a derived column, then three more for one of them."""
    for name in dict.fromkeys(d.column.lower() for row in draft for d in row.table.derived if _day(row)):
        arms = [(place, s) for place, row in enumerate(draft) for s in _arm_shifts(row, name, form)]
        for seed in (1, 2) if arms else ():
            whole = draft
            for number, arm in enumerate(arms):
                whole = merge(whole, _on_day(draft, form, arm, number=number, seed=seed))
            yield Delta(draft=whole, purpose=f"rows for each literal of {name}")
        for arm in arms:
            more = [_on_day(draft, form, arm, number=n, seed=seed) for n, seed in _THREE]
            purpose = f"two rows alike and one unlike them for a literal of {name}"
            yield Delta(draft=merge(whole, *more), purpose=purpose)


def _on_day(draft: Draft, form: Form, arm: tuple[int, int], *, number: int, seed: int) -> Draft:
    """Give copies of a row on another day; the same seed gives the same measures."""
    chance = random.Random(seed * 1000 + (number if seed < _ALIKE else 0))  # noqa: S311 - data, not secrets
    place, shift = arm
    # On its own day a row needs no copy: only those that point to it do.
    places = (place,) if shift else pointing_places(draft, place, form)
    copies = merge(*(clone(draft, each, form, number=300 + number, shift=shift) for each in places))
    return tuple(vary_measures(each, form, chance) for each in copies)


def _arm_shifts(row: Placed, name: str, form: Form) -> list[int]:
    found, full = _day(row), full_name(row, name)
    literals = {atom.text for atom in form.atoms_of(full)}
    if found is None or full not in form.used or not 1 < len(literals) <= _MOST_ARMS:
        return []
    base, day = found
    days = {shift: move(row, {base: day + timedelta(days=shift)}) for shift in range(-_NEAR, _NEAR + 1)}
    read = [each.column.lower() for each in row.table.derived if full_name(row, each.column) in form.used]
    kept = [each for each in read if each != name and len(form.class_of(full_name(row, each))) == 1]
    shifts = []
    for text in sorted(literals):
        near = [shift for shift, other in days.items() if str(other.cells[name]) == text]
        if near:
            shifts.append(min(near, key=lambda s: (_unlike(row.cells, days[s].cells, kept), abs(s))))
    return shifts


def _unlike(one: Mapping[str, Cell], other: Mapping[str, Cell], names: list[str]) -> int:
    return sum(one[name] != other[name] for name in names)


def _moved_together(draft: Draft, form: Form, place: int) -> Iterator[Delta]:
    """Put one day at each edge of its literals, all other days as many whole weeks away as it moved."""
    row, found = draft[place], _day(draft[place])
    column = row.table.column(found[0]) if found is not None else None
    if found is None or column is None:
        return
    seen: set[Cell] = set()
    for words, value in around_derived(row, column, form):
        if value in seen or not isinstance(value, date):
            continue
        seen.add(value)
        days = (value - found[1]).days
        for others in dict.fromkeys((days, days // _WEEK * _WEEK, -(-days // _WEEK) * _WEEK)):
            moved = _shift_others(draft, form, place, others)
            moved = change(moved, place, {found[0]: value}, form, follow=True)
            yield Delta(draft=moved, purpose=f"{column.name} of {name_row(row)} {words}, other days with it")


def _shift_others(draft: Draft, form: Form, place: int, days: int) -> Draft:
    """Move all other days; the order keeps one from landing where another still is."""
    others = [(index, found) for index, row in enumerate(draft) if index != place and (found := _day(row))]
    for index, (base, day) in sorted(others, key=lambda each: each[1][1], reverse=days > 0):
        draft = change(draft, index, {base: day + timedelta(days=days)}, form, follow=True)
    return draft

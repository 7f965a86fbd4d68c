"""From one solution to a dataset that returns rows: count rows up, vary measures, add neighbours."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.cloning import clone, merge, vary_measures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_lockin.fixturegen.drafts import Draft
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.fixturegen.seeds.solving import Solved

# How far copies of a day lie from it: the next day, either side of a boundary, months, quarters, a year.
SHIFTS = (1, -1, 31, -31, 7, -20, 20, 92, 365, -365)
_TIMES = (1, 2, 4, 10, 15)
_MOST_TRIES = 240


def apply_counts(solved: Solved, form: Form) -> Draft:
    """Copy rows until every counted group has the rows it needs."""
    draft = solved.draft
    chance = random.Random(1)  # noqa: S311 - data, not secrets
    for size, places in solved.counts:
        root = min(places, key=lambda place: len(clone(draft, place, form, number=0)))
        for number in range(1, size):
            copies = clone(solved.draft, root, form, number=number, shift=number)
            draft = merge(draft, tuple(vary_measures(row, form, chance) for row in copies))
    return draft


def grow(draft: Draft, form: Form, works: Callable[[Draft], bool]) -> Draft | None:
    """Search for additions that make a draft work; None where none of some hundred does."""
    for number, grown in enumerate(_additions(draft, form)):
        if works(grown):
            return grown
        if number > _MOST_TRIES:
            return None
    return None


def shrink(draft: Draft, works: Callable[[Draft], bool]) -> Draft:
    """Leave out rows one by one, the last first, as long as the draft works."""
    for place in reversed(range(len(draft))):
        smaller = draft[:place] + draft[place + 1 :]
        if works(smaller):
            draft = smaller
    return draft


def _additions(draft: Draft, form: Form) -> Iterator[Draft]:
    """Give the draft with other measures, with copies of one row, then with copies of several."""
    for seed in range(12):
        yield _varied(draft, form, seed)
    for times in _TIMES:
        for place in range(len(draft)):
            for shift in SHIFTS[: 4 if times < _TIMES[2] else 1]:
                yield _with_copies(draft, form, place, times, shift)
    chance = random.Random(2)  # noqa: S311 - data, not secrets
    while True:
        grown = draft
        for _ in range(chance.randint(2, 4)):
            place = chance.randrange(len(draft))
            grown = _with_copies(grown, form, place, chance.choice(_TIMES[:3]), chance.choice(SHIFTS))
        yield grown


def _varied(draft: Draft, form: Form, seed: int) -> Draft:
    chance = random.Random(seed)  # noqa: S311 - data, not secrets
    return tuple(vary_measures(row, form, chance, wide=True) for row in draft)


def _with_copies(draft: Draft, form: Form, place: int, times: int, shift: int) -> Draft:
    chance = random.Random(times * 1000 + place)  # noqa: S311 - data, not secrets
    grown = draft
    for number in range(1, times + 1):
        copies = clone(draft, place, form, number=number, shift=shift * number)
        grown = merge(grown, tuple(vary_measures(row, form, chance, wide=True) for row in copies))
    return grown

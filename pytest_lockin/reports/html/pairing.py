"""Which cells of two small tables differ, where no key says which row is which."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_lockin.model.fixture import ShownTable

# Beyond so many rows without an equal one, those left are not paired: it would take their number squared.
_MOST_PAIRED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What of one table differs from the other.

    Attributes:
        columns: positions of columns that the other has under another name, at another place, or not at all.
        cells: by row, positions of the cells that differ from its partner's; no row that equals it.
        alone: rows without a partner.
    """

    columns: frozenset[int] = frozenset()
    cells: Mapping[int, frozenset[int]] = field(default_factory=dict)
    alone: frozenset[int] = frozenset()


def mark_differences(expected: ShownTable, found: ShownTable) -> tuple[Marks, Marks]:
    """Mark both tables.

    Columns go together by name; those left over in their order, where there are as many. Rows that are equal
    go together first, then each row with the one that has most cells in common; one that has none is alone.
    """
    columns = _pair_columns(expected.columns, found.columns)
    left = [tuple(row[here] for here, _ in columns) for row in expected.rows]
    right = [tuple(row[there] for _, there in columns) for row in found.rows]
    partners = pair_rows(left, right)
    wrong = {
        one: [at for at, both in enumerate(zip(left[one], right[other], strict=True)) if both[0] != both[1]]
        for one, other in partners.items()
    }
    same_number = len(expected.columns) == len(found.columns)
    moved = [
        (a, b) for a, b in columns if expected.columns[a] != found.columns[b] or (same_number and a != b)
    ]
    return (
        Marks(
            columns=_unpaired(len(expected.columns), [a for a, _ in columns]) | {a for a, _ in moved},
            cells={
                one: frozenset(columns[at][0] for at in places) for one, places in wrong.items() if places
            },
            alone=_unpaired(len(left), partners),
        ),
        Marks(
            columns=_unpaired(len(found.columns), [b for _, b in columns]) | {b for _, b in moved},
            cells={
                partners[one]: frozenset(columns[at][1] for at in places)
                for one, places in wrong.items()
                if places
            },
            alone=_unpaired(len(right), partners.values()),
        ),
    )


def _unpaired(number: int, paired: Iterable[int]) -> frozenset[int]:
    return frozenset(range(number)).difference(paired)


def _pair_columns(expected: Sequence[str], found: Sequence[str]) -> list[tuple[int, int]]:
    places: dict[str, list[int]] = {}
    for at, name in reversed(list(enumerate(found))):
        places.setdefault(name, []).append(at)
    named = {at: places[name].pop() for at, name in enumerate(expected) if places.get(name)}
    here = _unpaired(len(expected), named)
    there = _unpaired(len(found), named.values())
    if len(here) == len(there):
        named |= dict(zip(sorted(here), sorted(there), strict=True))
    return sorted(named.items())


def pair_rows(left: Sequence[tuple[str, ...]], right: Sequence[tuple[str, ...]]) -> dict[int, int]:
    """Positions on the right by those on the left; rows without a partner are not in."""
    waiting: dict[tuple[str, ...], list[int]] = {}
    for at, row in reversed(list(enumerate(right))):
        waiting.setdefault(row, []).append(at)
    partners = {at: waiting[row].pop() for at, row in enumerate(left) if waiting.get(row)}
    lonely = [at for at in range(len(left)) if at not in partners][:_MOST_PAIRED]
    equal = set(partners.values())
    free = [at for at in range(len(right)) if at not in equal][:_MOST_PAIRED]
    likeness = [
        (-sum(a == b for a, b in zip(left[one], right[other], strict=True)), abs(one - other), one, other)
        for one in lonely
        for other in free
    ]
    taken: set[int] = set()
    for alike, _, one, other in sorted(likeness):
        if alike and one not in partners and other not in taken:
            partners[one] = other
            taken.add(other)
    return partners

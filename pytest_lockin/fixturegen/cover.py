"""A few of many sets that hold everything between them: greedy, by what a set adds for its weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

Name = TypeVar("Name")

_WEIGHT_POWER = 0.7


def cover_greedily(
    sets: Mapping[Name, frozenset[str]],
    weights: Mapping[Name, float],
    *,
    most: int | None = None,
    power: float = _WEIGHT_POWER,
) -> tuple[tuple[Name, frozenset[str]], ...]:
    """Choose sets until nothing is left to add, or `most` of them are chosen; each with what it added.

    The next set is the one with the most new elements for its weight to the power of `power` (0: weights
    do not count); the first of equals. Within a logarithm of the best cover there is.
    """
    left = frozenset().union(*sets.values()) if sets else frozenset()
    chosen: list[tuple[Name, frozenset[str]]] = []
    while left and (most is None or len(chosen) < most):
        best = max(sets, key=lambda name: len(sets[name] & left) / weights[name] ** power)
        gained = sets[best] & left
        if not gained:
            break
        chosen.append((best, gained))
        left -= gained
    return tuple(chosen)


def drop_needless(
    chosen: tuple[tuple[Name, frozenset[str]], ...], sets: Mapping[Name, frozenset[str]]
) -> tuple[Name, ...]:
    """Leave out sets whose elements all others hold too, the last chosen first; the rest keep their order."""
    names = [name for name, _ in chosen]
    for name in reversed(names[:]):
        others = frozenset().union(*(sets[other] for other in names if other != name))
        if sets[name] <= others:
            names.remove(name)
    return tuple(names)

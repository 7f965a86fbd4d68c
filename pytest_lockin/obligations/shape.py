"""The schema adapter: which column of the candidate stands for which of the reference's, and what is off."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from pytest_lockin.frames.types import json_types, short_name
from pytest_lockin.model.finding import ShapeFinding, ShapeKind
from pytest_lockin.obligations.distance import measure_distance, read_content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.obligations.distance import Content

# More ways to leave columns out are not tried by content.
_MOST_WAYS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Pairs of columns that belong together (places in the reference's and in the candidate's result)."""

    expected: tuple[int, ...]
    found: tuple[int, ...]
    findings: tuple[ShapeFinding, ...] = ()


def fit_shape(expected: Frame, found: Frame) -> Shape:
    """Pair the columns of two results: by name where names say it, else by content, else by position."""
    left, right = _pair(expected, found)
    findings = (*_missing(expected, found, left, right), *_order(left, right, expected))
    paired = list(zip(left, right, strict=True))
    findings = (*findings, *_names(expected, found, paired), *_types(expected, found, paired))
    return Shape(expected=tuple(left), found=tuple(right), findings=findings)


def _pair(expected: Frame, found: Frame) -> tuple[list[int], list[int]]:
    mine, theirs = _lower(expected), _lower(found)
    by_name = len(set(mine)) == len(mine) and len(set(theirs)) == len(theirs)
    shared = [name for name in mine if name in theirs]
    if by_name and len(shared) == min(len(mine), len(theirs)):
        return [mine.index(name) for name in shared], [theirs.index(name) for name in shared]
    if len(mine) == len(theirs):
        left = list(range(len(mine)))
        return left, _fill(mine, theirs) if by_name else left
    wide, narrow = (expected, found) if len(mine) > len(theirs) else (found, expected)
    kept = list(_choose(wide, narrow))
    rest = list(range(len(kept)))
    return (kept, rest) if wide is expected else (rest, kept)


def _fill(mine: list[str], theirs: list[str]) -> list[int]:
    """Place columns by name; those whose names only one side has take the places left, in order."""
    rest = iter([place for place, name in enumerate(theirs) if name not in mine])
    return [theirs.index(name) if name in theirs else next(rest) for name in mine]


def _choose(wide: Frame, narrow: Frame) -> Sequence[int]:
    """Choose the columns of the wider result that hold what the narrower one does; names break ties."""
    size = len(narrow.names)
    if comb(len(wide.names), size) > _MOST_WAYS:
        return range(size)
    many, few = read_content(wide), read_content(narrow)
    names, wanted = _lower(wide), _lower(narrow)

    def judge(places: tuple[int, ...]) -> tuple[float, int]:
        alike = sum(names[place] == name for place, name in zip(places, wanted, strict=True))
        return measure_distance(many.pick(places), few), -alike

    return min(combinations(range(len(names)), size), key=judge)


def _lower(frame: Frame) -> list[str]:
    return [name.lower() for name in frame.names]


def _missing(expected: Frame, found: Frame, left: list[int], right: list[int]) -> Iterator[ShapeFinding]:
    missing = tuple(name for place, name in enumerate(expected.names) if place not in left)
    extra = tuple(name for place, name in enumerate(found.names) if place not in right)
    if missing:
        text = f"the result lacks {', '.join(missing)}"
        yield ShapeFinding(kind=ShapeKind.MISSING, columns=missing, text=text)
    if extra:
        text = f"the result has {', '.join(extra)} too many"
        yield ShapeFinding(kind=ShapeKind.EXTRA, columns=extra, text=text)


def _order(left: list[int], right: list[int], expected: Frame) -> Iterator[ShapeFinding]:
    if right != sorted(right):
        moved = tuple(
            expected.names[place]
            for place, other in zip(left, sorted(right), strict=True)
            if right[left.index(place)] != other
        )
        yield ShapeFinding(kind=ShapeKind.ORDER, columns=moved, text=f"{', '.join(moved)} stand elsewhere")


def _names(expected: Frame, found: Frame, pairs: list[tuple[int, int]]) -> Iterator[ShapeFinding]:
    for left, right in pairs:
        mine, theirs = expected.names[left], found.names[right]
        if mine.lower() != theirs.lower():
            text = f"a column is named {theirs} where {mine} is meant"
            yield ShapeFinding(kind=ShapeKind.NAMES, columns=(mine,), text=text)


def _types(expected: Frame, found: Frame, pairs: list[tuple[int, int]]) -> Iterator[ShapeFinding]:
    here, there = json_types(expected, found)
    for left, right in pairs:
        mine, theirs = short_name(here[left]), short_name(there[right])
        if mine != theirs:
            text = f"{expected.names[left]} has type {theirs} where {mine} is meant"
            yield ShapeFinding(kind=ShapeKind.TYPES, columns=(expected.names[left],), text=text)


def arrange(shape: Shape, expected: Content, found: Content) -> tuple[Content, Content]:
    """Give both contents with the paired columns only, in the reference's order."""
    return expected.pick(shape.expected), found.pick(shape.found)

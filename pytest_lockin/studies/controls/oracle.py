"""Whether a perturbation is one: measured on Python values, by none of the comparator's code.

A control that changes nothing proves nothing. Each aspect of the pair is compared by itself, and what was
declared must change, what was declared must stay, and the kind's own proof must hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.studies.controls.kinds import Aspect, Kind, Pair
from pytest_lockin.studies.rows import count_rows, name_types

if TYPE_CHECKING:
    from pytest_lockin.frames.frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The perturbation is what its kind says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOp:
    """It is not: nothing changed, or something else did. An error, never a pass."""

    reason: str


def verify_pair(kind: Kind, pair: Pair) -> Verified | NoOp:
    """Measure the pair against what its kind declares."""
    changed = measure_changes(pair.expected, pair.found)
    unchanged = kind.changes - changed
    if unchanged:
        return NoOp(reason=f"{_join(unchanged)} did not change")
    moved = kind.keeps & changed
    if moved:
        return NoOp(reason=f"{_join(moved)} changed too")
    return Verified() if kind.proof(pair) else NoOp(reason="its proof does not hold")


def measure_changes(expected: Frame, found: Frame) -> frozenset[Aspect]:
    """Return the aspects in which two frames differ."""
    differs = {
        Aspect.NAMES: _lower(expected) != _lower(found),
        Aspect.TYPES: name_types(expected) != name_types(found),
        Aspect.COUNT: expected.rows != found.rows,
        Aspect.ROWS: count_rows(expected) != count_rows(found),
    }
    return frozenset(aspect for aspect, is_different in differs.items() if is_different)


def _lower(frame: Frame) -> list[str]:
    return [name.lower() for name in frame.names]


def _join(aspects: frozenset[Aspect]) -> str:
    return ", ".join(sorted(aspects))

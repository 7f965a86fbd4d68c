"""Whether disagreement is only rounding: tasks with doubles again, aligned on keys, four tolerances (A1.27).

Post hoc; it never changes an outcome. Tasks without a double in their output stay exact.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import pyarrow as pa

from pytest_lockin.errors import StudyError
from pytest_lockin.frames import agree
from pytest_lockin.frames.types import json_types, short_name
from pytest_lockin.studies.rows import Row, read_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.frames.frame import Frame

# Absolute and relative tolerance are equal.
TOLERANCES = (Fraction(1, 10**8), Fraction(1, 10**6), Fraction(1, 10**5), Fraction(1, 10**4))


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Equal under the tolerance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Not equal under the tolerance, and the first reason why."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Robustness:
    """One output against its reference under each tolerance; `keys` is empty where comparison was exact."""

    keys: tuple[str, ...]
    outcomes: tuple[tuple[Fraction, Held | Failed], ...]

    @property
    def is_exact(self) -> bool:
        """Whether the reference has no doubles, so that no tolerance applies."""
        return not self.keys

    @property
    def ever_holds(self) -> bool:
        """Whether any tolerance makes the output equal."""
        return any(isinstance(outcome, Held) for _, outcome in self.outcomes)


def check_robustness(
    expected: Frame,
    found: Frame,
    keys: Sequence[str] = (),
    tolerances: Sequence[Fraction] = TOLERANCES,
) -> Robustness:
    """Compare an output with its reference under each tolerance.

    With floating columns at the top level of the reference, rows are aligned on `keys` (lower-cased column
    names; by default every column that is not floating). A key that occurs twice on a side, or on one side
    only, fails. Floating values x and reference values y hold when |x - y| <= tolerance + tolerance * |y|;
    NULL equals NULL, NaN equals NaN, infinities need equal signs; everything else is exact.

    Raises:
        StudyError: a key is no column of the reference, names two of them, or is floating.
    """
    floating = _find_floating(expected.table)
    if not floating:
        agreement = agree(expected, found)
        outcome = Held() if agreement.agrees else Failed(reason=str(agreement.category or "disagrees"))
        return Robustness(keys=(), outcomes=tuple((one, outcome) for one in tolerances))
    positions = _find_keys(expected, floating, keys)
    names = tuple(expected.names[position] for position in positions)
    aligned = _align(expected, found, positions)
    outcomes = tuple((one, _judge(aligned, floating, one)) for one in tolerances)
    return Robustness(keys=names, outcomes=outcomes)


def _find_floating(table: pa.Table) -> frozenset[int]:
    return frozenset(i for i, kind in enumerate(table.schema.types) if pa.types.is_floating(kind))


def _find_keys(expected: Frame, floating: frozenset[int], keys: Sequence[str]) -> tuple[int, ...]:
    if not keys:
        return tuple(i for i in range(len(expected.names)) if i not in floating)
    lowered = [name.lower() for name in expected.names]
    for key in keys:
        if lowered.count(key.lower()) != 1 or lowered.index(key.lower()) in floating:
            raise StudyError(
                expected=f"alignment key {key!r} to be one exact column of the reference",
                found=", ".join(expected.names),
                hint="correct `alignment` in study.json",
            )
    return tuple(lowered.index(key.lower()) for key in keys)


def _align(expected: Frame, found: Frame, keys: tuple[int, ...]) -> list[tuple[Row, Row]] | Failed:
    """Pair the rows of both sides by key; `Failed` where that cannot be done."""
    if not _schemas_agree(expected, found):
        return Failed(reason="names or types differ")
    sides = [_index_rows(frame, keys) for frame in (expected, found)]
    for side, name in zip(sides, ("reference", "output"), strict=True):
        if isinstance(side, Failed):
            return Failed(reason=f"{side.reason} in the {name}")
    left, right = (side for side in sides if not isinstance(side, Failed))
    if left.keys() != right.keys():
        return Failed(reason=f"{len(left.keys() ^ right.keys())} unmatched keys")
    return [(left[key], right[key]) for key in left]


def _schemas_agree(expected: Frame, found: Frame) -> bool:
    left, right = json_types(expected, found)
    types_agree = [short_name(kind) for kind in left] == [short_name(kind) for kind in right]
    return types_agree and [n.lower() for n in expected.names] == [n.lower() for n in found.names]


def _index_rows(frame: Frame, keys: tuple[int, ...]) -> dict[Row, Row] | Failed:
    rows = list(read_rows(frame))
    counted = Counter(tuple(row[position] for position in keys) for row in rows)
    repeated = sum(count > 1 for count in counted.values())
    if repeated:
        return Failed(reason=f"{repeated} duplicate keys")
    return {tuple(row[position] for position in keys): row for row in rows}


def _judge(
    aligned: list[tuple[Row, Row]] | Failed, floating: frozenset[int], tolerance: Fraction
) -> Held | Failed:
    if isinstance(aligned, Failed):
        return aligned
    wrong = sum(not _row_holds(left, right, floating, float(tolerance)) for left, right in aligned)
    return Failed(reason=f"values differ in {wrong} of {len(aligned)} rows") if wrong else Held()


def _row_holds(expected: Row, found: Row, floating: frozenset[int], tolerance: float) -> bool:
    return all(
        is_close(found[i], expected[i], tolerance) if i in floating else found[i] == expected[i]
        for i in range(len(expected))
    )


def is_close(found: object, expected: object, tolerance: float) -> bool:
    """Tell |found - expected| <= tolerance + tolerance * |expected|, kinds of value first.

    NULL and NaN come as `read_rows` gives them. Not symmetric: the reference's size counts.
    """
    if not isinstance(found, float) or not isinstance(expected, float):
        return found == expected
    if math.isinf(found) or math.isinf(expected):
        return found == expected
    return abs(found - expected) <= tolerance + tolerance * abs(expected)

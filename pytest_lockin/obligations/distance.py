"""How far two results are apart: 0 for the same rows, and less the more they have in common."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.frames.frame import Frame

# Floats that differ less are equal here; the comparison that decides verdicts is exact.
_DIGITS = 7
_NAN = "NaN"


@dataclass(frozen=True, slots=True)
class Content:
    """A result's rows as plain values, columns by position."""

    columns: tuple[tuple[Any, ...], ...]
    rows: int

    def pick(self, places: Sequence[int]) -> Content:
        """Keep these columns, in this order."""
        return Content(tuple(self.columns[place] for place in places), self.rows)


def read_content(frame: Frame) -> Content:
    """Read a result's cells; floats are rounded, decimals without their scale."""
    columns = tuple(
        tuple(_plain(cell) for cell in column.to_pylist()) for column in frame.table.itercolumns()
    )
    return Content(columns, frame.rows)


def measure_distance(expected: Content, found: Content) -> float:
    """Measure how much of two results differs: 0 to 1 for the rows and 0 to 1 for the columns' values.

    Row order does not count. Results of another number of columns are as far apart as can be.
    """
    if len(expected.columns) != len(found.columns):
        return 2.0
    most = expected.rows + found.rows
    if not most:
        return 0.0
    left, right = _settle_scales(expected, found)
    rows = _apart(Counter(zip(*left, strict=True)), Counter(zip(*right, strict=True))) / most
    if not rows or not left:
        return rows
    each = [_apart(Counter(a), Counter(b)) / most for a, b in zip(left, right, strict=True)]
    return rows + sum(each) / len(each)


def _apart(left: Counter[Any], right: Counter[Any]) -> int:
    return (left - right).total() + (right - left).total()


def _settle_scales(expected: Content, found: Content) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Compare columns of decimals at the coarser scale, decimals and floats as floats."""
    left, right = [], []
    for mine, theirs in zip(expected.columns, found.columns, strict=True):
        one, other = _kinds(mine), _kinds(theirs)
        if one == other == {Decimal}:
            scale = min(_scale(mine), _scale(theirs))
            mine, theirs = _coarsen(mine, scale), _coarsen(theirs, scale)  # noqa: PLW2901
        elif one != other and one | other <= {Decimal, float, int}:
            mine, theirs = _as_floats(mine), _as_floats(theirs)  # noqa: PLW2901
        left.append(mine)
        right.append(theirs)
    return left, right


def _kinds(cells: tuple[Any, ...]) -> set[type]:
    return {type(cell) for cell in cells if cell is not None}


def _scale(cells: tuple[Any, ...]) -> int:
    exponents = [cell.as_tuple().exponent for cell in cells if isinstance(cell, Decimal)]
    return max((-each for each in exponents if isinstance(each, int)), default=0)


def _coarsen(cells: tuple[Any, ...], scale: int) -> tuple[Any, ...]:
    step = Decimal(1).scaleb(-scale)
    # Enough digits for the widest decimal Spark has.
    return tuple(
        cell if cell is None or cell.adjusted() + scale > 27 else cell.quantize(step, ROUND_HALF_UP)  # noqa: PLR2004
        for cell in cells
    )


def _as_floats(cells: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(cell if cell is None or cell == _NAN else _round(float(cell)) for cell in cells)


def _plain(cell: Any) -> Any:
    if isinstance(cell, float):
        return _NAN if math.isnan(cell) else _round(cell)
    if isinstance(cell, list):
        return tuple(map(_plain, cell))
    if isinstance(cell, dict):
        return tuple((key, _plain(value)) for key, value in cell.items())
    return cell


def _round(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}") + 0.0 if math.isfinite(number) else number

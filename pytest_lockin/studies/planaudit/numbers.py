"""Exact numbers of a study and how they are shown: fractions inside, digits only at the end."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Undefined:
    """A number that does not exist here, and why: nothing to divide by, nothing was labelled."""

    reason: str


Number = Fraction | Undefined


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinges:
    """Median and quartiles of a sample."""

    lower: Fraction
    median: Fraction
    upper: Fraction


def divide(part: int | Fraction, whole: int, reason: str) -> Number:
    """Return the exact ratio, or `Undefined` with the reason where there is nothing to divide by."""
    return Fraction(part) / whole if whole else Undefined(reason=reason)


def take_mean(values: Sequence[Fraction], reason: str) -> Number:
    """Return the exact mean, or `Undefined` with the reason for no values."""
    return divide(sum(values, Fraction(0)), len(values), reason)


def find_median(values: Iterable[Fraction]) -> Fraction:
    """Return the median of at least one value; the mean of the middle two where their number is even."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def find_hinges(values: Sequence[Fraction], reason: str) -> Hinges | Undefined:
    """Return median and Tukey's hinges: the medians of the lower and of the upper half.

    Of an odd number of values the median belongs to both halves, as Tukey has it: the hinges of 1 2 3 4 5
    are 2 and 4 (leaving the median out would give 1.5 and 4.5).
    """
    if not values:
        return Undefined(reason=reason)
    ordered = sorted(values)
    half = (len(ordered) + 1) // 2
    return Hinges(
        lower=find_median(ordered[:half]),
        median=find_median(ordered),
        upper=find_median(ordered[-half:]),
    )


def round_exact(value: Fraction, places: int) -> Decimal:
    """Round half away from zero, from the exact value (a float would have rounded once already)."""
    scaled = abs(value) * 10**places
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Decimal(whole if value >= 0 else -whole).scaleb(-places)


def show_percent(value: Number, places: int = 1) -> str:
    """Show a ratio as a percentage; 100 means all and 0 means none, rounding never crosses either.

    >>> show_percent(Fraction(9999, 10000)), show_percent(Fraction(22, 30))
    ('99.9%', '73.3%')
    """
    if isinstance(value, Undefined):
        return "-"
    rounded = round_exact(value * 100, places)
    step = Decimal(1).scaleb(-places)
    if rounded == 100 and value < 1:  # noqa: PLR2004 - a hundred per cent
        rounded = Decimal(100) - step
    if rounded == 0 and value > 0:
        rounded = step
    return f"{rounded:.{places}f}%"


def show_points(value: Fraction, places: int = 2) -> str:
    """Show a difference of two ratios in percentage points; no zeros are hung on a whole number.

    >>> show_points(Fraction(1, 12)), show_points(Fraction(0)), show_points(Fraction(-1, 10))
    ('8.33', '0', '-10')
    """
    text = f"{round_exact(value * 100, places).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", ""} else text


def show_share(part: int, whole: int) -> str:
    """Show a count with its share of the whole: `13 (33%)`; a count of none has no share."""
    if part == 0 or whole == 0:
        return str(part)
    return f"{part} ({show_percent(Fraction(part, whole), 0)})"


def show_count(part: int, whole: int) -> str:
    """Show `22/30`."""
    return f"{part}/{whole}"

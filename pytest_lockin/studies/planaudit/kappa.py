"""Cohen's kappa of two raters, for any number of classes, exact."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pytest_lockin.studies.planaudit.numbers import Undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.studies.planaudit.numbers import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAgreement:
    """How far two raters agree: items, items labelled alike, and kappa (chance taken out)."""

    items: int
    alike: int
    kappa: Number


def measure_kappa(first: Sequence[str], second: Sequence[str]) -> RaterAgreement:
    """Compare two raters' labels of the same items, in the same order.

    kappa = (po - pe) / (1 - pe), po the share labelled alike, pe the share expected by chance from the two
    raters' own class frequencies. Where both gave every item one and the same class, chance alone explains
    everything: pe is 1 and kappa does not exist.

    >>> measure_kappa(["a", "a", "b"], ["a", "b", "b"]).kappa
    Fraction(2, 5)
    """
    items = len(first)
    alike = sum(one == other for one, other in zip(first, second, strict=True))
    if not items:
        return RaterAgreement(items=0, alike=0, kappa=Undefined(reason="no items with two labels"))
    left, right = Counter(first), Counter(second)
    observed = Fraction(alike, items)
    chance = Fraction(sum(left[name] * right[name] for name in left), items * items)
    kappa: Number = (
        Undefined(reason="both raters used one class only")
        if chance == 1
        else (observed - chance) / (1 - chance)
    )
    return RaterAgreement(items=items, alike=alike, kappa=kappa)

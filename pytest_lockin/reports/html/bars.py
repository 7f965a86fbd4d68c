"""Shares drawn as bars; the words beside each say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.reports.html.element import Html, element
from pytest_lockin.reports.html.icons import icon
from pytest_lockin.reports.html.said import OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.model.trial import OutcomeCounts

_WIDTH = 100.0
_GAP = 1.0
# What was decided, in this order; the rest is no part of a score.
DECIDED = (
    TrialOutcome.KILLED,
    TrialOutcome.UNREVEALED,
    TrialOutcome.UNINFECTED,
    TrialOutcome.UNREACHED,
)


def draw_bar(shares: Sequence[tuple[str, int]], label: str) -> Html:
    """One bar of (tone, number); the first share is filled, the others are lines of their own kind."""
    total = sum(number for _, number in shares)
    return element(
        "svg",
        _parts(shares, total),
        class_="bar",
        role="img",
        aria_label=label,
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
    )


def _parts(shares: Sequence[tuple[str, int]], total: int) -> Iterator[Html]:
    at = 0.0
    for tone, number in shares:
        width = _WIDTH * number / total if total else 0.0
        if width:
            drawn = max(width - _GAP, 0.6)
            yield element(
                "rect", x=f"{at:.2f}", y="0", width=f"{drawn:.2f}", height="8", class_=f"fill {tone}"
            )
        at += width


def draw_outcomes(counts: OutcomeCounts) -> Html:
    """What became of the alternatives that were decided."""
    shares = [(OUTCOMES[each].tone, getattr(counts, each.value)) for each in DECIDED]
    said = ", ".join(
        f"{getattr(counts, each.value)} {OUTCOMES[each].words}"
        for each in DECIDED
        if getattr(counts, each.value)
    )
    return draw_bar(shares, f"alternatives: {said}")


def count_survivors(counts: OutcomeCounts) -> Html:
    """The bar's parts after the first, as shapes with their numbers; its label says them in words."""
    numbers = ((OUTCOMES[each], getattr(counts, each.value)) for each in DECIDED[1:])
    shown = (
        element("span", icon(said.shape), str(number), class_=f"{said.tone} ink")
        for said, number in numbers
        if number
    )
    return element("span", shown, class_="survivors", aria_hidden="true")


def explain_outcomes(counts: OutcomeCounts) -> Html:
    """Every outcome there is, in words with its shape and number."""
    numbers = ((said, getattr(counts, outcome.value)) for outcome, said in OUTCOMES.items())
    entries = [(said.tone, said.shape, said.words, number) for said, number in numbers if number]
    entries += [
        ("dim", "bar", words, number)
        for words, number in (("equivalent", counts.equivalent), ("undecided", counts.undecided))
        if number
    ]
    items = (
        element("li", icon(shape), element("b", str(number)), " ", words, class_=tone)
        for tone, shape, words, number in entries
    )
    return element("ul", items, class_="legend")

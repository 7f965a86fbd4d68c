"""The bar figure: tests passing, code score, test coverage and reference agreement by condition, as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from pytest_lockin.studies.planaudit.numbers import Undefined, divide, round_exact, show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.studies.planaudit.evaluate import StudyResult
    from pytest_lockin.studies.planaudit.numbers import Number

# Colours that stay apart for colour-blind readers and in grey print.
_COLOURS = ("#1b4f72", "#e69f00", "#56b4e9", "#7f7f7f", "#009e73", "#cc79a7")
_LEFT, _TOP, _PLOT, _BAR, _GAP, _BOTTOM = 48, 40, 200, 30, 28, 56


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """One group of bars: a measure, with one value per condition."""

    title: str
    values: tuple[Number, ...]


def collect_bars(result: StudyResult) -> tuple[Bars, ...]:
    """Give the four groups of the published figure, over all assigned runs."""
    conditions = result.cohorts[0].conditions
    reason = "no assigned runs"
    return (
        Bars(
            title="Tests pass",
            values=tuple(divide(one.suites_pass, one.assigned, reason) for one in conditions),
        ),
        Bars(title="Code score", values=tuple(one.means.code for one in conditions)),
        Bars(title="Test coverage", values=tuple(one.means.test for one in conditions)),
        Bars(
            title="Reference match",
            values=tuple(divide(one.matches, one.assigned, reason) for one in conditions),
        ),
    )


def draw_figure(result: StudyResult) -> str:
    """Draw the figure; the same result gives the same bytes. A value that does not exist is a dash."""
    bars = collect_bars(result)
    titles = tuple(one.title for one in result.setup.conditions)
    width = _LEFT + len(bars) * (len(titles) * _BAR + _GAP) + _GAP
    height = _TOP + _PLOT + _BOTTOM
    body = (*_draw_axis(width), *_draw_groups(bars, len(titles)), *_draw_legend(titles))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="10" role="img">'
    )
    name = f"<title>{escape(result.setup.title)}: outcomes and scores by condition</title>"
    paper = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return "\n".join((head, name, paper, *body, "</svg>")) + "\n"


def _draw_axis(width: int) -> Iterator[str]:
    for percent in range(0, 101, 25):
        y = _TOP + _PLOT - _PLOT * percent // 100
        yield f'<line x1="{_LEFT}" y1="{y}" x2="{width - 8}" y2="{y}" stroke="#dddddd"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 3}" text-anchor="end">{percent}%</text>'


def _draw_groups(bars: tuple[Bars, ...], count: int) -> Iterator[str]:
    for place, group in enumerate(bars):
        start = _LEFT + _GAP + place * (count * _BAR + _GAP)
        middle = start + count * _BAR // 2
        yield f'<text x="{middle}" y="{_TOP + _PLOT + 16}" text-anchor="middle">{escape(group.title)}</text>'
        for number, value in enumerate(group.values):
            yield from _draw_bar(start + number * _BAR, value, _COLOURS[number % len(_COLOURS)])


def _draw_bar(x: int, value: Number, colour: str) -> Iterator[str]:
    share = Fraction(0) if isinstance(value, Undefined) else value
    height = round_exact(share * _PLOT, 1)
    y = _TOP + _PLOT - height
    label = show_percent(value).rstrip("%")
    yield f'<rect x="{x + 2}" y="{y}" width="{_BAR - 4}" height="{height}" fill="{colour}"/>'
    yield f'<text x="{x + _BAR // 2}" y="{y - 4}" text-anchor="middle" font-size="8">{label}</text>'


def _draw_legend(titles: tuple[str, ...]) -> Iterator[str]:
    x, y = _LEFT, _TOP + _PLOT + 36
    for number, title in enumerate(titles):
        yield f'<rect x="{x}" y="{y - 8}" width="10" height="10" fill="{_COLOURS[number % len(_COLOURS)]}"/>'
        yield f'<text x="{x + 14}" y="{y}">{escape(title)}</text>'
        x += 34 + 6 * len(title)

"""Cases by alternatives as a picture: which case notices what, and which columns stay empty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.reports.html.element import Html, element, join, scrolling
from pytest_lockin.reports.html.said import OUTCOMES
from pytest_lockin.reports.words import name_case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.reports.document import Alternative, Trials

_ROW = 18
_TOP = 20
_LETTER = 6.7
_LONGEST = 42
# Room between two line numbers below the picture.
_APART = 26
_SHAPES = {
    "triangle": "M{x} {y}l{h} {w}h-{w}z",
    "diamond": "M{x} {y}l{h} {h}-{h} {h}-{h}-{h}z",
    "circle": "M{x} {y}a{h} {h} 0 1 1 0 {w} {h} {h} 0 0 1 0-{w}z",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Rows are cases, columns alternatives as they stand in the program; `noticed` says who notices which."""

    cases: tuple[str, ...]
    columns: tuple[Alternative, ...]
    noticed: tuple[frozenset[int], ...]
    whole: bool

    @property
    def empty(self) -> int:
        """How many columns nobody notices."""
        return sum(each.survived for each in self.columns)


def make_matrix(trials: Trials) -> Matrix:
    """The matrix of all alternatives that say something of the tests.

    Without `--lockin-matrix` only the first case that notices is known; it is then not `whole`.
    """
    columns = [each for each in trials.alternatives if _decided(each)]
    by_column = [each.noticed_by for each in columns]
    cases = tuple(each.case_id for each in trials.cases) or tuple(
        dict.fromkeys(case for killers in by_column for case in killers)
    )
    return Matrix(
        cases=cases,
        columns=tuple(columns),
        noticed=tuple(
            frozenset(at for at, killers in enumerate(by_column) if case in killers) for case in cases
        ),
        whole=all(each.killers for each in columns if not each.survived),
    )


def _decided(each: Alternative) -> bool:
    return each.counts and (each.survived or each.outcome is TrialOutcome.KILLED)


def draw_matrix(matrix: Matrix, label: str) -> Html:
    """The picture; a column that nobody notices is shaded all along, its outcome's shape above it."""
    size = 9 if len(matrix.columns) <= 110 else 5  # noqa: PLR2004 - so that it fits a screen as long as it can
    names = [_shorten(name_case(case)) for case in matrix.cases]
    left = round(max((len(name) for name in names), default=0) * _LETTER) + 12
    width, bottom = left + len(matrix.columns) * size + 12, _TOP + len(names) * _ROW
    described = f"{label}:description"
    picture = element(
        "svg",
        element("title", f"{len(names)} cases by {len(matrix.columns)} alternatives", id=label),
        element("desc", _describe(matrix), id=described),
        (_stripe(each, left + at * size, size, bottom) for at, each in enumerate(matrix.columns)),
        (_case(name, at, left, width) for at, name in enumerate(names)),
        (_cells(noticed, at, left, size) for at, noticed in enumerate(matrix.noticed)),
        _ruler(matrix.columns, left, size, bottom),
        role="img",
        class_="matrix",
        aria_labelledby=f"{label} {described}",
        viewBox=f"0 0 {width} {bottom + 20}",
        width=width,
        height=bottom + 20,
    )
    return scrolling("which case notices which alternative", picture)


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _describe(matrix: Matrix) -> str:
    said = [f"Columns are alternatives in the program's order. No case notices {matrix.empty} of them."]
    said += [
        f"{name_case(case)} notices {len(noticed)}."
        for case, noticed in zip(matrix.cases, matrix.noticed, strict=True)
    ]
    return " ".join(said)


def _stripe(each: Alternative, x: float, size: int, bottom: int) -> Html | None:
    if not each.survived:
        return None
    said = OUTCOMES[each.outcome]
    width = size - 1
    half = width / 2
    shape = _SHAPES[said.shape].format(x=f"{x + half:g}", y=_TOP - 4 - width, h=f"{half:g}", w=width)
    stripe = element(
        "rect", x=f"{x:g}", y=_TOP, width=width, height=bottom - _TOP, class_=f"stripe {said.tone}"
    )
    return element("g", stripe, element("path", d=shape, class_=f"fill {said.tone}"))


def _case(name: str, at: int, left: int, width: int) -> Html:
    y = _TOP + at * _ROW
    line = element("path", d=f"M0 {y}H{width}", class_="rule")
    return join((line, element("text", name, x=left - 8, y=y + 13, text_anchor="end")))


def _cells(noticed: frozenset[int], at: int, left: int, size: int) -> Html:
    y, side = _TOP + at * _ROW + 3, size - 1
    squares = "".join(f"M{left + column * size} {y}h{side}v12h-{side}z" for column in sorted(noticed))
    return element("path", d=squares, class_="fill good") if squares else join(())


def _ruler(columns: Sequence[Alternative], left: int, size: int, bottom: int) -> Iterator[Html]:
    """Line numbers of the program below the first column of each, as far as there is room."""
    yield element("path", d=f"M0 {bottom}H{left + len(columns) * size + 12}", class_="rule")
    yield element("text", "line", x=left - 8, y=bottom + 14, text_anchor="end", class_="axis")
    last, end = 0, 0.0
    for at, each in enumerate(columns):
        x = left + at * size
        if each.line != last and x >= end:
            yield element("text", str(each.line), x=x, y=bottom + 14, class_="axis")
            end = x + _APART
        last = each.line

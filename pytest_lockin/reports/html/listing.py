"""The candidate's program, and beside each line the other programs that the tests would have accepted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.reports.html.element import Html, element, fold, join, scrolling
from pytest_lockin.reports.html.highlight import highlight
from pytest_lockin.reports.html.icons import icon
from pytest_lockin.reports.html.said import OUTCOMES, say_standing
from pytest_lockin.reports.words import name_case, say_edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_lockin.model.report import ProgramFile
    from pytest_lockin.reports.document import Alternative, Trials
    from pytest_lockin.reports.html.anchors import TaskAnchors

_HEAD = ("Line", "Program", "What no test notices")
_ORDER = tuple(OUTCOMES)


def list_program(program: Sequence[ProgramFile], trials: Trials | None, anchors: TaskAnchors) -> Html:
    """Every file with its alternatives; those of files that are not shown come last."""
    alternatives = trials.alternatives if trials is not None else ()
    by_module: dict[str, list[Alternative]] = {file.module: [] for file in program}
    elsewhere: list[Alternative] = []
    for each in alternatives:
        by_module.get(each.module, elsewhere).append(each)
    files = join(_file(file, by_module[file.module], anchors) for file in program)
    rest = element("div", _notes(elsewhere, anchors), class_="notes") if elsewhere else None
    return join((files, rest))


def _file(file: ProgramFile, alternatives: Sequence[Alternative], anchors: TaskAnchors) -> Html:
    lines = highlight(file.text, _marks(alternatives)) or [Html()]
    by_line: dict[int, list[Alternative]] = {}
    for each in alternatives:
        by_line.setdefault(min(each.line, len(lines)), []).append(each)
    rows = join(_row(at, line, by_line.get(at, ()), anchors) for at, line in enumerate(lines, 1))
    head = element("tr", (element("th", text, scope="col") for text in _HEAD))
    table = element(
        "table",
        element("caption", file.path, class_="path"),
        element("thead", head),
        element("tbody", rows),
        class_="listing",
    )
    return scrolling(f"program {file.path}", table)


def _marks(alternatives: Iterable[Alternative]) -> Iterator[tuple[int, int, int]]:
    for each in alternatives:
        if each.survived and each.counts:
            for line in range(each.line, each.end_line + 1):
                start = each.column if line == each.line else 0
                yield line, start, each.end_column if line == each.end_line else 1_000_000


def _row(number: int, line: Html, alternatives: Sequence[Alternative], anchors: TaskAnchors) -> Html:
    return element(
        "tr",
        element("th", str(number), scope="row"),
        element("td", element("code", line)),
        element("td", _notes(alternatives, anchors) if alternatives else None),
    )


def _notes(alternatives: Sequence[Alternative], anchors: TaskAnchors) -> Html:
    """Survivors in words, the most telling first; all others behind their number."""
    telling = [each for each in alternatives if each.survived and each.counts]
    telling.sort(key=lambda each: _ORDER.index(each.outcome))
    others = [each for each in alternatives if not (each.survived and each.counts)]
    shown = join(show_alternative(each, anchors) for each in telling)
    if not others:
        return shown
    inside = (show_alternative(each, anchors) for each in others)
    return join((shown, fold(_count(others), inside, class_="rest")))


def _count(others: Iterable[Alternative]) -> str:
    counted = Counter(_group(each) for each in others)
    return ", ".join(f"{number} {words}" for words, number in counted.items())


def _group(each: Alternative) -> str:
    """How it is counted; what says nothing of the tests goes by its reason, in one word."""
    standing = say_standing(each)
    return standing.partition(":")[0] if standing else OUTCOMES[each.outcome].words


def show_alternative(each: Alternative, anchors: TaskAnchors) -> Html:
    """What it does and how it fared; its diff and the rest on opening."""
    said = OUTCOMES[each.outcome]
    summary = (icon(said.shape), element("b", said.words), " ", say_edit(each.text))
    return fold(
        summary,
        show_diff(each.diff),
        element("p", " · ".join(_facts(each)), class_="facts"),
        class_=f"alt {said.tone}",
        id=anchors.alternative(each.id),
    )


def show_diff(diff: str) -> Html:
    """A unified diff; `+` and `-` stay, so that it can be read without colours."""
    lines = (line for line in diff.split("\n") if not line.startswith(("--- ", "+++ ")))
    return element("pre", (_diff_line(line) for line in lines), class_="diff", tabindex=0)


def _diff_line(line: str) -> Html:
    line = line.rstrip("\r")
    if line.startswith("+"):
        return element("ins", f"{line}\n")
    if line.startswith("-"):
        return element("del", f"{line}\n")
    return element("span", f"{line}\n") if line.startswith("@@") else join((f"{line}\n",))


def _facts(each: Alternative) -> Iterator[str]:
    standing = say_standing(each)
    if standing:
        yield standing
    if each.kill is not None:
        said = f"{each.kill.type}: {each.kill.message}" if each.kill.message else each.kill.type
        yield f"noticed by {name_case(each.kill.case_id)} ({said})"
    if len(each.killers) > 1:
        yield f"{len(each.killers)} cases notice it"
    if each.detail:
        yield each.detail
    if each.outcome is not TrialOutcome.NOT_RUN:
        yield "confirmed on classic Spark" if each.confirmed else f"on {each.engine}, not confirmed"
    yield f"operator {each.operator}" + (f", breaks {each.kind}" if each.kind else "")
    yield each.id

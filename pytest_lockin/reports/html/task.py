"""One suite: what is wrong first, then everything that was seen of it, folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.reports.html.bars import explain_outcomes
from pytest_lockin.reports.html.cases import list_cases
from pytest_lockin.reports.html.element import Html, element, fold, join, link
from pytest_lockin.reports.html.fixtures import list_fixtures
from pytest_lockin.reports.html.listing import list_program
from pytest_lockin.reports.html.matrix import draw_matrix, make_matrix
from pytest_lockin.reports.html.obligations import list_obligations
from pytest_lockin.reports.html.overview import say_known, say_reason, say_tests
from pytest_lockin.reports.html.said import badge_verdict
from pytest_lockin.reports.html.wrong import show_wrong
from pytest_lockin.reports.words import count, name_case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.reports.document import Task, Trials
    from pytest_lockin.reports.html.anchors import TaskAnchors

_CALM = (None, "true_pass")


def show_task(task: Task, anchors: TaskAnchors, *, first: bool) -> Html:
    """The suite's section; the `first` one, which is the worst, is open where something is wrong."""
    title = anchors.part("title")
    return element(
        "section",
        element("h2", element("span", task.suite), badge_verdict(task.verdict, strong=True), id=title),
        element("p", say_reason(task), class_="lead"),
        element("p", " · ".join(_facts(task)), class_="quiet"),
        _warnings(task),
        join(_parts(task, anchors, first=first and task.verdict not in _CALM)),
        element("p", link(":suites", "back to all suites"), class_="back"),
        class_="card task",
        id=anchors.task,
        aria_labelledby=title,
        data_verdict=task.verdict or "none",
    )


def _facts(task: Task) -> Iterator[str]:
    yield f"task {task.id}"
    yield say_tests(task)
    yield say_known(task)
    yield count(task.observed_calls, "call") + " of the entry point seen"
    if task.references:
        yield f"judged by {', '.join(task.references)}"
    yield "isolated" if task.isolated else "not isolated"


def _warnings(task: Task) -> Html | None:
    said = [
        *((f"partial: {task.partial}",) if task.partial else ()),
        *((f"ran on another engine: {task.moved}",) if task.moved else ()),
        *((f"unchanged since {task.unchanged}, not examined",) if task.unchanged else ()),
        *(f"changed while it ran: {each}" for each in task.tampered),
        *(f"flaky: {name_case(each)}" for each in task.flaky),
        *(f"red on classic Spark: {name_case(each)}" for each in task.red_on_judge),
        *(f"the tests' own tables lack {each}; it was filled with NULL" for each in task.fidelity.completed),
        *(
            (f"the reference was not tried in its place: {task.fidelity.reason}",)
            if task.fidelity.reason
            else ()
        ),
        *(task.agreement.notes if task.agreement is not None else ()),
        *task.notes,
    ]
    return element("ul", (element("li", each) for each in said), class_="quiet plain") if said else None


def _parts(task: Task, anchors: TaskAnchors, *, first: bool) -> Iterator[Html]:
    bad = task.verdict not in _CALM
    wrong = show_wrong(task, anchors)
    if wrong:
        yield _part("What is wrong", wrong, anchors, "wrong", opened=bad)
    if task.obligations:
        yield _part(
            _name_obligations(task), list_obligations(task, anchors), anchors, "obligations", opened=first
        )
    if task.program or (task.trials is not None and task.trials.alternatives):
        listing = list_program(task.program, task.trials, anchors)
        legend = explain_outcomes(task.trials.counts) if task.trials is not None else None
        notes = _trial_notes(task.trials) if task.trials is not None else ()
        yield _part(_name_program(task), join((legend, notes, listing)), anchors, "program", opened=first)
    if task.trials is not None and task.trials.cases:
        content = join((_matrix(task.trials, anchors), list_cases(task)))
        yield _part("Cases: what each looks at and notices", content, anchors, "cases", opened=first)
    if task.fixtures:
        title = f"Fixtures: {count(len(task.fixtures), 'frozen fixture')}"
        yield _part(title, list_fixtures(task), anchors, "fixtures", opened=False)


def _name_obligations(task: Task) -> str:
    checked, known = task.checked
    if not known:
        return f"Obligations: {len(task.obligations)}"
    return f"Obligations: the tests check {checked} of {known}"


def _name_program(task: Task) -> str:
    counts = task.trials.counts if task.trials is not None else None
    if counts is None or not counts.decided:
        return "Program"
    return f"Program: the tests let pass {counts.survived} of {count(counts.decided, 'alternative')}"


def _part(title: str, content: Html, anchors: TaskAnchors, name: str, *, opened: bool) -> Html:
    return fold(element("h3", title), content, lazy=True, id=anchors.part(name), open=opened, class_="part")


def _trial_notes(trials: Trials) -> Iterator[Html]:
    if trials.refusal:
        yield element("p", f"No trials: {trials.refusal}")
    yield from (element("p", each, class_="quiet") for each in trials.notes)


def _matrix(trials: Trials, anchors: TaskAnchors) -> Html | None:
    matrix = make_matrix(trials)
    if not matrix.columns:
        return None
    note = "" if matrix.whole else " Only the first case to notice is known; --lockin-matrix asks all."
    said = (
        "A square: the case notices the alternative. A shaded column: no case does. "
        f"From left to right as they stand in the program.{note}"
    )
    return join((element("p", said, class_="quiet"), draw_matrix(matrix, anchors.part("matrix"))))

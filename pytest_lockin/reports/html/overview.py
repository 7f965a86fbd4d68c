"""The top of the page: the gate with its reasons, and a line for each suite, worst first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_lockin.reports.html.bars import count_survivors, draw_bar, draw_outcomes
from pytest_lockin.reports.html.element import Html, element, join, link, scrolling
from pytest_lockin.reports.html.icons import icon
from pytest_lockin.reports.html.said import VERDICTS, badge_verdict
from pytest_lockin.reports.words import count, say_category

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.reports.document import Document, Task
    from pytest_lockin.reports.html.anchors import TaskAnchors

_HEAD = ("Suite", "Verdict", "Tests", "Obligations checked", "Alternatives noticed", "Known by")


def show_gate(document: Document) -> Html:
    """The gate's word and why, and what the run was."""
    gate = document.gate
    return element(
        "header",
        element("p", "pytest-lockin", class_="eyebrow"),
        element(
            "h1",
            icon("tick" if gate.passed else "cross"),
            f"Gate {'passed' if gate.passed else 'failed'}",
            class_="good" if gate.passed else "bad",
        ),
        element("ul", (element("li", each) for each in gate.reasons), class_="reasons")
        if gate.reasons
        else None,
        (element("p", f"allowed: {each}", class_="quiet") for each in gate.allowed),
        element("p", " · ".join(_facts(document)), class_="quiet"),
        (element("p", each, class_="quiet") for each in document.notes),
        _without_task(document.without_task),
    )


def _facts(document: Document) -> Iterator[str]:
    yield count(len(document.tasks), "suite")
    yield "with references" if document.with_references else "without references: no verdicts"
    yield f"engine {document.engine}"
    if not document.java:
        yield "no Java: nothing is confirmed on classic Spark"
    yield f"{document.seconds:.0f} s"
    yield f"pytest-lockin {document.version}"


def _without_task(files: Sequence[str]) -> Html | None:
    if not files:
        return None
    return element("p", f"no task, run as ordinary tests: {', '.join(files)}", class_="quiet")


def show_overview(tasks: Sequence[tuple[Task, TaskAnchors]]) -> Html:
    """The table of suites, and the choice of a verdict to see only those."""
    head = element("tr", (element("th", text, scope="col") for text in _HEAD))
    table = element(
        "table",
        element("thead", head),
        element("tbody", (_row(task, anchors) for task, anchors in tasks)),
        class_="overview",
    )
    return element(
        "section",
        element("h2", "Suites", id=":suites"),
        _filter([task for task, _ in tasks]),
        scrolling("suites and their verdicts", table),
        aria_labelledby=":suites",
    )


def _filter(tasks: Sequence[Task]) -> Html | None:
    """Radio buttons; the style sheet hides what is not chosen, so that it takes no script."""
    numbers = Counter(task.verdict for task in tasks)
    if len(numbers) < 2:  # noqa: PLR2004 - one verdict leaves nothing to choose
        return None
    choices = [("all", f"all {len(tasks)}", "")]
    choices += [
        (verdict or "none", said.count(numbers[verdict]), said.shape)
        for verdict, said in VERDICTS.items()
        if numbers[verdict]
    ]
    options = (
        element(
            "label",
            element(
                "input",
                type="radio",
                name="verdict",
                value=value,
                id=f":show-{value}",
                checked=value == "all",
            ),
            icon(shape) if shape else None,
            words,
        )
        for value, words, shape in choices
    )
    return element(
        "fieldset",
        element("legend", "Show"),
        join(options),
        element("span", id=":shown", class_="unseen", role="status"),
        class_="filter",
    )


def _row(task: Task, anchors: TaskAnchors) -> Html:
    return element(
        "tr",
        element("th", link(anchors.task, task.suite), scope="row"),
        element("td", badge_verdict(task.verdict), element("p", say_reason(task), class_="quiet")),
        element("td", say_tests(task)),
        element("td", _obligations(task)),
        element("td", _trials(task)),
        element("td", say_known(task)),
        data_verdict=task.verdict or "none",
    )


def say_reason(task: Task) -> str:
    """Why the verdict is what it is, in a few words."""
    if task.reason:
        return task.reason
    agreement = task.agreement
    if agreement is None:
        return f"unchanged since {task.unchanged}" if task.unchanged else ""
    if agreement.agrees or agreement.category is None:
        return "reference agrees"
    return say_category(agreement.category)


def say_tests(task: Task) -> str:
    """Cases by how they ended."""
    tests = task.tests
    numbers = (
        (tests.passed, "passed"),
        (tests.failed, "failed"),
        (tests.errors, "errors"),
        (tests.skipped, "skipped"),
        (tests.flaky, "flaky"),
    )
    return ", ".join(f"{number} {word}" for number, word in numbers if number) or "none ran"


def say_known(task: Task) -> str:
    """Whose word it is: classic Spark's, or only that of the engine that looked first."""
    engine = task.engine_version or task.engine
    return f"{engine}, confirmed on classic Spark" if task.confirmed else f"{engine}, not confirmed"


def _obligations(task: Task) -> Iterator[Html]:
    checked, known = task.checked
    if not known:
        return
    said = f"{checked} of {known}"
    yield draw_bar((("good", checked), ("bad", known - checked)), f"obligations checked: {said}")
    yield element("span", said)


def _trials(task: Task) -> Iterator[Html]:
    trials = task.trials
    if trials is None:
        return
    if trials.refusal:
        yield element("span", f"no trials: {trials.refusal}", class_="quiet")
        return
    counts = trials.counts
    if counts.decided:
        yield draw_outcomes(counts)
    percent = f" ({trials.kill_percent} %)" if trials.kill_percent is not None else ""
    yield element("span", f"{counts.killed} of {counts.decided}{percent}", count_survivors(counts))
    if trials.waived:
        yield element("p", f"{trials.kill_percent_waived} % without {trials.waived} waived", class_="quiet")
    if counts.not_run:
        yield element("p", f"{counts.not_run} not run", class_="quiet")

"""What each case is worth: what it looks at, how much it notices, what only it notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.reports.html.element import Html, element, scrolling
from pytest_lockin.reports.html.icons import icon
from pytest_lockin.reports.words import name_case

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.reports.document import CaseWorth, Task

_HEAD = ("Case", "Looks at", "Notices", "Alone", "Note")


def list_cases(task: Task) -> Html:
    """The table of cases, in the suite's order."""
    cases: Sequence[CaseWorth] = task.trials.cases if task.trials is not None else ()
    head = element("tr", (element("th", text, scope="col") for text in _HEAD))
    body = (_row(each, task) for each in cases)
    table = element("table", element("thead", head), element("tbody", body), class_="cases")
    return scrolling("what each case looks at", table)


def _row(each: CaseWorth, task: Task) -> Html:
    return element(
        "tr",
        element("th", element("code", name_case(each.case_id)), scope="row"),
        element("td", ", ".join(each.looks_at) or "nothing seen"),
        element("td", str(each.kills), class_="number"),
        element("td", str(len(each.only)) if each.only else "", class_="number"),
        element("td", _notes(each, task)),
    )


def _notes(each: CaseWorth, task: Task) -> Html | None:
    notes = [
        words
        for holds, words in (
            (bool(each.accepts_everything), f"accepts every alternative: {each.accepts_everything}"),
            (each.too_loose, "tolerance too loose: twice the measure passes"),
            (each.case_id in task.fidelity.cases_rejecting, "contradicts the reference"),
            (each.case_id in task.flaky, "flaky"),
            (each.case_id in task.red_on_judge, "red on classic Spark"),
        )
        if holds
    ]
    return element("span", icon("alarm"), "; ".join(notes), class_="bad ink") if notes else None

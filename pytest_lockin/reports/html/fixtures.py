"""What the task's frozen fixtures say of the candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.reports.html.element import Html, element, scrolling
from pytest_lockin.reports.html.said import Said, badge

if TYPE_CHECKING:
    from pytest_lockin.reports.document import Fixture, Task

_HEAD = ("Fixture", "What its rows are for", "Says", "On")
_SAYS = {
    True: Said(words="agrees", shape="tick", tone="good"),
    False: Said(words="differs", shape="cross", tone="bad"),
    None: Said(words="says nothing", shape="bar", tone="dim"),
}


def list_fixtures(task: Task) -> Html:
    """The table, those first on which the candidate is wrong."""
    fixtures = sorted(task.fixtures, key=lambda each: (each.agrees is not False, each.agrees is None))
    head = element("tr", (element("th", text, scope="col") for text in _HEAD))
    body = (_row(each) for each in fixtures)
    table = element("table", element("thead", head), element("tbody", body), class_="fixtures")
    return scrolling("frozen fixtures", table)


def _row(each: Fixture) -> Html:
    said = each.dropped if each.agrees is None else "" if each.agrees else each.text
    late = "made after a candidate was read: no part of the verdict" if each.post_hoc else ""
    return element(
        "tr",
        element("th", element("code", each.name), scope="row"),
        element("td", each.purpose),
        element(
            "td",
            badge(_SAYS[each.agrees]),
            (element("p", words, class_="quiet") for words in (said, late) if words),
        ),
        element("td", each.engine),
    )

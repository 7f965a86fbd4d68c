"""What is wrong with a candidate: how its output differs, what it got wrong, and rows that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.reports.html.element import Html, element, join
from pytest_lockin.reports.html.obligations import say_violated
from pytest_lockin.reports.html.tables import show_cells, show_witness
from pytest_lockin.reports.words import count, name_case, say_edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.reports.document import Agreement, Difference, Explained, Fidelity, Task
    from pytest_lockin.reports.html.anchors import TaskAnchors


def show_wrong(task: Task, anchors: TaskAnchors) -> Html:
    """All that is known to be wrong; empty where nothing is."""
    witness = task.witness
    return join(
        (
            say_violated(task.obligations, anchors.obligations),
            _differences(task.agreement) if task.agreement is not None else None,
            _diagnosis([each for each in task.diagnosis if each.obligation is None]),
            show_witness(witness) if witness is not None else None,
            _contradicting(task.fidelity),
        )
    )


def _differences(agreement: Agreement) -> Iterator[Html]:
    for each in agreement.differences:
        yield element("p", each.text, class_="difference")
        if each.cells:
            yield show_cells(each.cells)
        yield from _whole_rows(each)
    if agreement.recovered_by:
        overlooked = " and ".join(each.replace("_", " ") for each in agreement.recovered_by)
        yield element("p", f"It would agree if {overlooked} did not count.", class_="quiet")


def _whole_rows(each: Difference) -> Iterator[Html]:
    for words, rows in (
        ("only in the reference's output", each.missing_rows),
        ("only in the candidate's", each.extra_rows),
    ):
        if rows:
            yield element("p", f"Rows {words}, some of them:", class_="quiet")
            yield element("ul", (element("li", element("code", row)) for row in rows), class_="plain")


def _diagnosis(beyond: Sequence[Explained]) -> Iterator[Html]:
    """What explains the candidate and is no obligation's own; those of obligations are said there."""
    for each in beyond:
        share = (
            f" (the closest found; it leaves {each.residual:.0%} of the difference)" if each.residual else ""
        )
        wrong = "; ".join(say_edit(text) for text in each.explains) or "nothing found explains it"
        yield element("p", element("b", "Beyond the obligations"), f" {wrong}{share}")


def _contradicting(fidelity: Fidelity) -> Iterator[Html]:
    if not fidelity.cases_rejecting:
        return
    number = len(fidelity.cases_rejecting)
    names = (element("li", element("code", name_case(each))) for each in fidelity.cases_rejecting)
    yield element(
        "p",
        element("b", count(number, "case")),
        f" {'contradicts' if number == 1 else 'contradict'} the reference:",
    )
    yield element("ul", names, class_="plain columns")

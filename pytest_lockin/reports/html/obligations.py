"""The obligations table: each requirement in plan, code and tests, why a violation passes, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.model.finding import Mechanism
from pytest_lockin.reports.html.element import Html, element, fold, join, link, scrolling
from pytest_lockin.reports.html.said import badge_state, spell
from pytest_lockin.reports.obligations import BECAUSE
from pytest_lockin.reports.words import count, name_case, say_edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.reports.document import Alternative, Evidence, Obligation, Task
    from pytest_lockin.reports.html.anchors import TaskAnchors

_HEAD = ("Obligation", "Plan", "Code", "Tests", "Why it would pass, and what to do")
_MOST_LINKED = 6


def list_obligations(task: Task, anchors: TaskAnchors) -> Html:
    """The table, violated ones first, then those that the tests do not check."""
    known = {each.id: each for each in task.trials.alternatives} if task.trials is not None else {}
    pairs = sorted(
        zip(task.obligations, anchors.obligations, strict=True), key=lambda pair: _urgency(pair[0])
    )
    head = element("tr", (element("th", text, scope="col") for text in _HEAD))
    body = (_row(one, place, known, anchors) for one, place in pairs)
    table = element("table", element("thead", head), element("tbody", body), class_="obligations")
    return scrolling("obligations in plan, code and tests", table)


def _urgency(one: Obligation) -> int:
    if one.code == "violated":
        return 0
    return {"not_covered": 1, "partial": 2, "unknown": 3}.get(one.tests, 4)


def _row(one: Obligation, place: str, known: dict[str, Alternative], anchors: TaskAnchors) -> Html:
    title = (
        element("b", link(place, one.id)),
        element("span", f" {one.kind}, {spell(one.source)}", class_="quiet"),
    )
    return element(
        "tr",
        element("th", title, element("p", one.text), scope="row"),
        element("td", badge_state(one.plan), _quote(one.evidence.quote)),
        element("td", badge_state(one.code), _wrong(one)),
        element("td", badge_state(one.tests), _alternatives(one, known, anchors)),
        element("td", _why(one)),
        id=place,
    )


def _quote(quote: str) -> Html | None:
    return element("blockquote", quote) if quote else None


def _wrong(one: Obligation) -> Iterator[Html]:
    for text in dict.fromkeys(one.evidence.wrong):
        yield element("p", say_edit(text))
    if one.code != "unknown":
        how = f"run on {one.engine}" if one.known_by == "executed" else spell(one.known_by)
        yield element("p", how, class_="quiet")


def _alternatives(one: Obligation, known: dict[str, Alternative], anchors: TaskAnchors) -> Iterator[Html]:
    counted = one.alternatives
    survivors = (*counted.unrevealed, *counted.uninfected)
    decided = len(counted.killed) + len(survivors)
    if decided:
        yield element(
            "p", f"{len(counted.killed)} of {count(decided, 'alternative')} noticed", class_="quiet"
        )
    shown = [known[each] for each in survivors if each in known]
    if shown:
        links = (
            element("li", link(anchors.alternative(each.id), f"line {each.line}: {say_edit(each.text)}"))
            for each in shown[:_MOST_LINKED]
        )
        left = len(survivors) - len(shown[:_MOST_LINKED])
        yield element("ul", links, element("li", f"and {left} more") if left else None, class_="plain")


def _why(one: Obligation) -> Iterator[Html]:
    if one.mechanism is not None:
        yield element("p", element("b", spell(one.mechanism)), f": {explain_mechanism(one.mechanism)}")
    if one.other_mechanisms:
        yield element("p", f"also {', '.join(map(spell, one.other_mechanisms))}", class_="quiet")
    if one.sco:
        yield element("p", "absent from plan, code and tests alike")
    if one.advice:
        yield element("p", element("b", "To do"), f": {_shorten_advice(one)}")
    if one.witness:
        yield element("p", one.witness, class_="quiet")
    if one.evidence.rule or one.evidence.cases:
        yield fold("evidence", _evidence(one), class_="evidence")


def _shorten_advice(one: Obligation) -> str:
    """The advice without the obligation's text, which stands in the same row."""
    short = one.advice.removesuffix(f": {one.text}")
    return f"{short} it holds" if short.endswith(" unless") else short


def explain_mechanism(mechanism: str) -> str:
    """What a mechanism is, in a few words."""
    return BECAUSE[Mechanism(mechanism)]


def _evidence(one: Obligation) -> Iterator[Html]:
    if one.evidence.rule:
        yield element("p", f"decided by: {one.evidence.rule}")
    if one.evidence.cases:
        yield element("ul", (element("li", _case(each)) for each in one.evidence.cases), class_="plain")


def _case(each: Evidence) -> Html:
    said = [
        words
        for holds, words in (
            (each.rejects, "fails once the obligation is met"),
            (each.differs, "sees a difference then"),
            (each.looks, "looks at what is concerned"),
            (bool(each.sharpened), f"would show it with {each.sharpened}"),
        )
        if holds
    ]
    return join((element("code", name_case(each.case_id)), " ", "; ".join(said) or "sees nothing of it"))


def say_violated(obligations: Sequence[Obligation], places: Sequence[str]) -> Html | None:
    """What the candidate got wrong, why no test noticed, and what to do about it, one entry each."""
    violated = [pair for pair in zip(obligations, places, strict=True) if pair[0].code == "violated"]
    if not violated:
        return None
    return element("ul", (element("li", _broken(one, place)) for one, place in violated), class_="broken")


def _broken(one: Obligation, place: str) -> Iterator[Html]:
    wrong = "; ".join(dict.fromkeys(say_edit(text) for text in one.evidence.wrong)) or one.text
    yield element("p", element("b", link(place, one.id), f" {one.kind}"), f" {wrong}")
    if one.mechanism is not None:
        reason = f" because of {spell(one.mechanism)}: {explain_mechanism(one.mechanism)}."
        yield element("p", element("b", "Unnoticed"), reason)
    if one.advice:
        yield element("p", element("b", "To do"), f" {one.advice}")

"""How programs and tests were kept apart, as seen from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.reports.html.element import Html, element, fold, join
from pytest_lockin.reports.html.said import Said, badge
from pytest_lockin.reports.words import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.model.isolation import LimitInForce
    from pytest_lockin.reports.document import Attestation, Document, Isolation

_HELD = Said(words="isolated", shape="tick", tone="good")
_OPEN = Said(words="not isolated", shape="alarm", tone="warn")


def show_isolation(document: Document) -> Html:
    """The run's isolation, with one entry for each kind of process."""
    isolation = document.isolation
    return element(
        "section",
        element("h2", "Isolation", id=":isolation"),
        _summary(isolation),
        _policy(document),
        (element("p", f"leak: {each}", class_="bad ink") for each in isolation.leaks),
        join(_attestation(each) for each in isolation.attestations),
        aria_labelledby=":isolation",
        class_="card",
    )


def _summary(isolation: Isolation) -> Html:
    how = "no sandbox" if isolation.backend == "none" else f"{isolation.backend} {isolation.version}".strip()
    seen = f" {how}, {count(isolation.processes, 'process')} of programs and tests"
    reason = f". {isolation.reason}" if isolation.reason else ""
    return element("p", badge(_HELD if isolation.isolated else _OPEN), seen, reason)


def _policy(document: Document) -> Iterator[Html]:
    if not document.policy:
        return
    changes = document.policy_changes
    said = "as it is there" if not changes else "not as it is there:"
    yield element("p", "policy of ", element("code", document.policy), f": {said}")
    if changes:
        yield element("ul", (element("li", each) for each in changes))


def _attestation(one: Attestation) -> Html:
    rows = (
        ("own namespaces", ", ".join(sorted(one.namespaces)) or "none"),
        ("shared with the controller", ", ".join(one.shared) or "none"),
        ("system calls", "filtered" if one.filtered else "not filtered"),
        ("limits", ", ".join(_limit(each) for each in one.limits) or "none"),
        ("mounts (SHA-256)", one.mounts or "not read"),
        ("can see", _paths(one.visible)),
        ("can write", _paths(one.writable)),
        ("missing", ", ".join(one.missing) or "nothing"),
    )
    entries = (join((element("dt", name), element("dd", value))) for name, value in rows)
    title = (badge(_HELD if one.holds else _OPEN), f" processes of role {one.role}")
    return fold(title, element("dl", entries), class_="attestation", lazy=True)


def _paths(paths: tuple[str, ...]) -> Html:
    return join((element("code", path), " ") for path in paths) if paths else join(("nothing",))


def _limit(limit: LimitInForce) -> str:
    return f"{limit.name.replace('_', ' ')} {limit.value:,} ({limit.held_by})"

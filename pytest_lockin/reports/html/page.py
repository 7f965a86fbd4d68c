"""The whole page: one file that asks the network for nothing and runs only its own few lines of script."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import TYPE_CHECKING

from pytest_lockin.reports.html.anchors import name_places
from pytest_lockin.reports.html.element import Html, element, join
from pytest_lockin.reports.html.icons import sprite
from pytest_lockin.reports.html.isolation import show_isolation
from pytest_lockin.reports.html.overview import show_gate, show_overview
from pytest_lockin.reports.html.said import VERDICTS
from pytest_lockin.reports.html.task import show_task

if TYPE_CHECKING:
    from pytest_lockin.reports.document import Document

_WORST_FIRST = tuple(VERDICTS)


def render_html(document: Document) -> str:
    """The page. Whatever programs, tests and data say in it stays text."""
    style, script = _read("page.css"), _read("page.js")
    places = name_places(document)
    tasks = sorted(
        zip(document.tasks, places, strict=True), key=lambda pair: _WORST_FIRST.index(pair[0].verdict)
    )
    sections = (show_task(task, place, first=not at) for at, (task, place) in enumerate(tasks))
    body = element(
        "body",
        element("a", "to the suites", href="#:suites", class_="skip"),
        sprite(),
        show_gate(document),
        element("main", show_overview(tasks), join(sections), show_isolation(document)),
        element("script", Html(script)),
    )
    return f"<!DOCTYPE html>\n{element('html', _head(document, style, script), body, lang='en')}\n"


def _head(document: Document, style: str, script: str) -> Html:
    word = "passed" if document.gate.passed else "failed"
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"lockin gate {word}"),
        element("style", Html(style)),
    )


def _policy(style: str, script: str) -> str:
    """Nothing is loaded; only this very style and this very script hold."""
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (resources.files("pytest_lockin.reports.html") / name).read_text(encoding="utf-8")

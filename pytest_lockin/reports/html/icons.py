"""Shapes that say what a colour says, for readers who do not see it."""

from __future__ import annotations

from pytest_lockin.reports.html.element import Html, element, join

# Drawn in a square of 16; `currentColor` takes the text's.
_PATHS = {
    # A tick; a cross; an exclamation mark; a question mark; a bar.
    "tick": "M2.5 8.5l4 4 7-9",
    "cross": "M3.5 3.5l9 9m0-9l-9 9",
    "alarm": "M8 2v7.5m0 3v1.5",
    "question": "M5 5.5a3 3 0 1 1 4.6 2.5Q8 9 8 10.5m0 2.7v.8",
    "bar": "M3 8h10",
    # What a survivor is: an open eye nobody used, a sieve, an island.
    "triangle": "M8 2.5l6 11H2z",
    "diamond": "M8 2l6 6-6 6-6-6z",
    "circle": "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11z",
    "burst": "M8 2v12M2 8h12M3.8 3.8l8.4 8.4m0-8.4l-8.4 8.4",
}


def icon(name: str) -> Html:
    """A shape as large as the text beside it, which says the same in words."""
    return element(
        "svg", element("use", href=f"#i-{name}"), class_="icon", aria_hidden="true", viewBox="0 0 16 16"
    )


def sprite() -> Html:
    """All shapes, once a page."""
    shapes = (
        element("symbol", element("path", d=path), id=f"i-{name}", viewBox="0 0 16 16")
        for name, path in _PATHS.items()
    )
    return element("svg", element("defs", join(shapes)), class_="sprite", aria_hidden="true")

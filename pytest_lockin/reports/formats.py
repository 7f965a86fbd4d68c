"""The file formats a report can be written in, beside JSON: one table for the run and `lockin report`.

A renderer takes a `Document` and gives the file's whole text; it runs nothing and decides nothing. It is
imported when its format is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from pytest_lockin.reports.whole import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_lockin.reports.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format: its name (`--lockin-NAME FILE`), what it is for, and its renderer as `module:function`."""

    name: str
    text: str
    renderer: str

    def render(self, document: Document) -> str:
        """The whole file."""
        module, _, function = self.renderer.partition(":")
        return str(getattr(import_module(module), function)(document))


FORMATS: tuple[Format, ...] = (
    Format(
        name="sarif",
        text="findings at their lines as SARIF 2.1.0, for code scanning",
        renderer="pytest_lockin.reports.sarif:render_sarif",
    ),
    Format(
        name="elements",
        text="trials as a mutation testing report that the viewers of mutation-testing-elements open",
        renderer="pytest_lockin.reports.elements:render_elements",
    ),
    Format(
        name="markdown",
        text="a summary for a comment on a pull request",
        renderer="pytest_lockin.reports.markdown:render_markdown",
    ),
    Format(
        name="html",
        text="a page to read: verdicts, witnesses, and the program with what its tests let pass",
        renderer="pytest_lockin.reports.html.page:render_html",
    ),
)


def write_formats(document: Document, files: Iterable[tuple[str, Path]]) -> None:
    """Write the document in each format named, to the path beside the name.

    Raises:
        SettingsError: a file cannot be written.
    """
    by_name = {each.name: each for each in FORMATS}
    for name, path in files:
        write_whole(by_name[name].render(document), path, name)

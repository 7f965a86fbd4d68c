"""What was found, told where pytest tells things: its terminal, its JUnit file, a workflow's annotations."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_lockin.reports.github import keep_from_commands, say_failure, tell_github
from pytest_lockin.reports.junit import list_failure, list_properties
from pytest_lockin.reports.terminal import render_terminal

if TYPE_CHECKING:
    from pytest_lockin.model.report import Report
    from pytest_lockin.reports.document import Document


def print_report(terminalreporter: Any, config: pytest.Config, report: Report, *, on_github: bool) -> None:
    """Print the lines of the `lockin` section, other plugins' among them."""
    extra = [
        line for lines in config.hook.pytest_lockin_terminal_lines(report=report) for line in lines or ()
    ]
    for line in render_terminal(
        report,
        width=terminalreporter._tw.fullwidth,  # noqa: SLF001 - as pytest's own sections ask
        verbosity=config.option.verbose,
        extra=extra,
    ):
        text = keep_from_commands(line.text) if on_github else line.text
        terminalreporter.write_line(text, **line.markup)


def add_to_junit(config: pytest.Config, document: Document | None, failure: str) -> None:
    """Add what was found to the JUnit file, which pytest has written by now: it is written again."""
    # pytest's fixture for such properties reads the same key.
    from _pytest.junitxml import xml_key

    xml = config.stash.get(xml_key, None)
    if xml is None or config.option.collectonly:
        return
    found = list_properties(document) if document is not None and not failure else list_failure(failure)
    for name, value in found:
        xml.add_global_property(name, value)
    xml.pytest_sessionfinish()


def annotate(config: pytest.Config, document: Document | None, failure: str) -> None:
    """Annotate below everything else that pytest prints, and add to the step's summary."""
    if hasattr(config, "workerinput") or not (failure or document):
        return
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    write = reporter.write_line if reporter is not None else print
    if failure or document is None:
        write(say_failure(failure))
        return
    for line in tell_github(document, config.rootpath, os.environ):
        write(line)


def remove_old(name: str, path: str) -> None:
    """Remove the last run's report of a format.

    Raises:
        pytest.UsageError: it is there and cannot be removed.
    """
    try:
        Path(path).unlink(missing_ok=True)
    except NotADirectoryError:
        # There is none; that it cannot be written is said when it is.
        return
    except OSError as error:
        message = f"--lockin-{name} {path}: an old report cannot be removed: {error.strerror or error}"
        raise pytest.UsageError(message) from error

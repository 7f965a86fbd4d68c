"""`lockin report`: write a report again in other formats, without running anything."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import SettingsError
from pytest_lockin.reports.document import read_document
from pytest_lockin.reports.formats import FORMATS, write_formats
from pytest_lockin.reports.github import tell_github

if TYPE_CHECKING:
    import argparse


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the file to read and one option for each format."""
    parser.add_argument("report", type=Path, help="a file that `pytest --lockin-json` wrote")
    for each in FORMATS:
        parser.add_argument(f"--{each.name}", type=Path, metavar="FILE", help=f"write {each.text}")
    parser.add_argument("--github", action="store_true", help="annotate, and write the step's summary")
    parser.add_argument(
        "--root", type=Path, default=Path(), help="the run's root folder, for --github (default: this one)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write every format asked for, and annotate where that was asked for.

    Raises:
        SettingsError: no format was asked for, or a file cannot be written.
        ReportFileError: the report cannot be read.
    """
    files = [(each.name, path) for each in FORMATS if (path := getattr(arguments, each.name)) is not None]
    if not files and not arguments.github:
        raise SettingsError(
            expected="at least one format to write",
            found="none",
            hint="one of: " + ", ".join([*(f"--{each.name} FILE" for each in FORMATS), "--github"]),
        )
    document = read_document(arguments.report)
    write_formats(document, files)
    for _, path in files:
        print(f"wrote {path}")
    if arguments.github:
        for line in tell_github(document, arguments.root, os.environ):
            print(line)
    return 0

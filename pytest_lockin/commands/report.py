"""`lockin report`: write a report again in other formats, without running anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import SettingsError
from pytest_lockin.reports.document import read_document
from pytest_lockin.reports.formats import FORMATS, write_formats

if TYPE_CHECKING:
    import argparse


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the file to read and one option for each format."""
    parser.add_argument("report", type=Path, help="a file that `pytest --lockin-json` wrote")
    for each in FORMATS:
        parser.add_argument(f"--{each.name}", type=Path, metavar="FILE", help=f"write {each.text}")


def run(arguments: argparse.Namespace) -> int:
    """Write every format asked for.

    Raises:
        SettingsError: no format was asked for, or a file cannot be written.
        ReportFileError: the report cannot be read.
    """
    files = [(each.name, path) for each in FORMATS if (path := getattr(arguments, each.name)) is not None]
    if not files:
        raise SettingsError(
            expected="at least one format to write",
            found="none",
            hint="one of: " + ", ".join(f"--{each.name} FILE" for each in FORMATS),
        )
    write_formats(read_document(arguments.report), files)
    for _, path in files:
        print(f"wrote {path}")
    return 0

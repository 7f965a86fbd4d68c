"""`lockin baseline`: accept what a report found as known, so that the gate fails on what is new."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.gate.known import FILE_NAME, KnownSuite, known_to_json, make_known
from pytest_lockin.model.report import Finding
from pytest_lockin.reports.document import read_document
from pytest_lockin.reports.whole import write_whole

if TYPE_CHECKING:
    import argparse

    from pytest_lockin.reports.document import Task


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the report to read and the file to write."""
    parser.add_argument("report", type=Path, help="a file that `pytest --lockin-json` wrote")
    parser.add_argument(
        "--out", type=Path, default=Path(FILE_NAME), help=f"the baseline to write (default: {FILE_NAME})"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the baseline; suites that were not examined or run in part are left out, and named.

    Raises:
        ReportFileError: the report cannot be read.
        SettingsError: the file cannot be written.
    """
    document = read_document(arguments.report)
    left_out = [task.suite for task in document.tasks if task.unchanged or task.partial]
    suites = [_suite(task) for task in document.tasks if task.suite not in left_out]
    known = make_known(suites)
    write_whole(known_to_json(known), arguments.out, "baseline")
    number = sum(len(each.findings) for each in known.suites)
    print(f"wrote {arguments.out}: {number} known findings in {len(known.suites)} suites")
    for name in left_out:
        print(f"left out, since it was not examined whole: {name}")
    print(f"commit it, and add to pytest's settings: lockin_baseline = {arguments.out.as_posix()}")
    return 0


def _suite(task: Task) -> KnownSuite:
    return KnownSuite(
        suite=task.suite,
        findings=tuple(Finding(kind=each.kind, detail=each.detail) for each in task.findings),
        kill_percent=task.trials.kill_percent_waived if task.trials is not None else None,
    )

"""What `lockin study evaluate` and `lockin study controls` do; the command line calls these."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_lockin.frames.frame import Frame

REFERENCE_FILES = ("expected.arrow", "expected.parquet")


def run_evaluate(argv: Sequence[str] | None = None) -> int:
    """Evaluate a folder of runs and print every table; exit status 1 where sources contradict each other.

    Raises:
        LockinError: an input cannot be used.
    """
    options = _make_evaluate_parser().parse_args(argv)
    from pytest_lockin.studies.controls.report import read_controls
    from pytest_lockin.studies.planaudit import (
        draw_figure,
        evaluate,
        export_labels,
        export_runs,
        render_study_markdown,
        render_study_text,
    )

    result = evaluate(
        options.runs,
        reports=tuple(options.report),
        replication=options.replication,
        references=load_references(options.references) if options.references else None,
        controls=read_controls(options.controls) if options.controls else None,
    )
    wanted = {
        options.svg: draw_figure,
        options.markdown: render_study_markdown,
        options.json: export_runs,
        options.labels: export_labels,
    }
    for path, render in wanted.items():
        if path is not None:
            _write(path, render(result))
    sys.stdout.write(render_study_text(result))
    return 0 if result.is_sound else 1


def _make_evaluate_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lockin study evaluate", description=(run_evaluate.__doc__ or "")[:98]
    )
    add_evaluate_options(parser)
    return parser


def add_evaluate_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser the options of `lockin study evaluate`."""
    add = parser.add_argument
    add(
        "runs", type=Path, help="folder laid out as <condition>/<task>/{plan.md,solution.py,test_solution.py}"
    )
    add(
        "--report",
        type=Path,
        action="append",
        default=[],
        help="lock-in JSON report (default: lockin.json there)",
    )
    add("--replication", type=Path, help="folder of replication runs, laid out alike (Table VII)")
    add(
        "--references",
        type=Path,
        help="folder with <task>/expected.arrow or .parquet, for the post-hoc checks",
    )
    add("--controls", type=Path, help="report of `lockin study controls --json` (Table II)")
    add("--svg", type=Path, help="write the bar figure here")
    add("--markdown", type=Path, help="write the tables here as Markdown")
    add("--json", type=Path, help="write the run export here")
    add("--labels", type=Path, help="write the label export here (CSV)")


def run_controls_on(
    references: Mapping[str, Frame], inventory: Mapping[str, Frame] | None = None, json: Path | None = None
) -> int:
    """Run the controls on these references and print them; exit status 1 unless all were right."""
    from pytest_lockin.studies.controls import render_controls, run_controls
    from pytest_lockin.studies.controls.report import dump_controls

    report = run_controls(references, inventory)
    if json is not None:
        _write(json, dump_controls(report))
    sys.stdout.write("\n".join(render_controls(report)) + "\n")
    return 0 if report.all_right else 1


def load_references(folder: Path) -> dict[str, Frame]:
    """Read stored reference outputs, `<folder>/<task>/expected.arrow` or `.parquet`, by task.

    Raises:
        StudyError: there are none.
    """
    from pytest_lockin.studies.planaudit.evaluate import load_frame

    found = {
        path.parent.name: path
        for name in reversed(REFERENCE_FILES)
        for path in sorted(folder.glob(f"*/{name}"))
    }
    if not found:
        raise StudyError(
            expected=f"stored reference outputs in {folder}",
            found=f"no <task>/{' or <task>/'.join(REFERENCE_FILES)}",
            hint="build them with `lockin tasks build`",
        )
    return {task: load_frame(path) for task, path in sorted(found.items())}


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StudyError(
            expected=f"to write {path}", found=str(error), hint="name a file in a folder you may write to"
        ) from error

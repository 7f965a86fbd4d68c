"""PLANAUDIT-DF: scores and tables of a folder of runs, exactly as published (PAPERS A1.20 to A1.35)."""

from pytest_lockin.studies.planaudit.evaluate import StudyResult, evaluate
from pytest_lockin.studies.planaudit.export import export_labels, export_runs
from pytest_lockin.studies.planaudit.figure import draw_figure
from pytest_lockin.studies.planaudit.render import render_study_markdown, render_study_text

__all__ = [
    "StudyResult",
    "draw_figure",
    "evaluate",
    "export_labels",
    "export_runs",
    "render_study_markdown",
    "render_study_text",
]

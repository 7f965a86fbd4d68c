"""A study's result as text or Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.studies.planaudit.tables import build_tables
from pytest_lockin.studies.tables import render_markdown, render_text

if TYPE_CHECKING:
    from pytest_lockin.studies.planaudit.evaluate import StudyResult


def render_study_text(result: StudyResult) -> str:
    """Lay out what contradicts itself first, then every table, for a terminal."""
    lines = [f"{result.setup.title}: {len(result.runs)} runs, {_count(result)}", ""]
    lines += [f"CONTRADICTION {one.where}: {one.what}" for one in result.discrepancies]
    for table in build_tables(result):
        lines += [*render_text(table), ""]
    return "\n".join(lines)


def render_study_markdown(result: StudyResult) -> str:
    """Lay out the same as Markdown."""
    lines = [f"# {result.setup.title}", "", f"{len(result.runs)} runs, {_count(result)}.", ""]
    lines += [f"- **Contradiction** in {one.where}: {one.what}" for one in result.discrepancies]
    for table in build_tables(result):
        lines += ["", *render_markdown(table)]
    return "\n".join(lines) + "\n"


def _count(result: StudyResult) -> str:
    first = result.cohorts[0]
    return (
        f"{len(first.conditions)} conditions, {first.tasks} tasks, {len(result.discrepancies)} contradictions"
    )

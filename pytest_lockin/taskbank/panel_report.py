"""A panel's report: as text, and as JSON for the committed record.

Versions of the saved report:
    1  first.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import UnfitReferenceError
from pytest_lockin.taskbank.dialect.known import read_reasons

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_lockin.taskbank.panel import Pair, PanelReport, TaskPanel

FORMAT = 1


def panel_line(panel: TaskPanel) -> str:
    """Say on one line how the pairs of a task agree."""
    parts = [
        f"{pair.left}/{pair.right} {pair.rung.value}{'' if pair.fit else ' UNFIT'}" for pair in panel.pairs
    ]
    rows = panel.pairs[0].rows[0] if panel.pairs else 0
    return f"{panel.task:5} {rows:6} rows  {'  '.join(parts)}"


def render_panels(report: PanelReport) -> tuple[str, ...]:
    """Lay out a report: a line a task, then each unexplained difference, then each reason once."""
    fit = len(report.tasks) - len(report.unfit)
    empty = [panel.task for panel in report.tasks if all(pair.rows == (0, 0) for pair in panel.pairs)]
    wrong = tuple(_unexplained(report))
    reasons = read_reasons()
    used = {note.why for panel in report.tasks for pair in panel.pairs for note in pair.columns} - {""}
    return (
        *(panel_line(panel) for panel in report.tasks),
        f"{fit} of {len(report.tasks)} tasks at scale {report.scale} have references that agree",
        *((f"no rows at this scale, so nothing is shown: {', '.join(empty)}",) if empty else ()),
        *(("not explained:", *wrong) if wrong else ()),
        *(("known reasons:", *(f"  {why}: {reasons[why]}" for why in sorted(used))) if used else ()),
    )


def _unexplained(report: PanelReport) -> Iterator[str]:
    for panel in report.tasks:
        for pair in panel.pairs:
            for text in pair.unexplained:
                yield f"  {panel.task} {pair.left}/{pair.right}: {text}"


def write_panels(report: PanelReport, path: Path) -> None:
    """Save a report as JSON, all of it or nothing."""
    data = {
        "format": FORMAT,
        "scale": report.scale,
        "versions": dict(report.versions),
        "members": dict(report.members),
        "unfit": list(report.unfit),
        "tasks": {panel.task: [_pair_json(pair) for pair in panel.pairs] for panel in report.tasks},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(_dump(data) + "\n", encoding="utf-8")
    part.replace(path)


def read_panels(path: Path) -> dict[str, Any]:
    """Read a saved report as plain data.

    Raises:
        UnfitReferenceError: it is missing, torn or of another format.
    """
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found = f"format {data['format']}" if data["format"] != FORMAT else ""
    except (OSError, ValueError, KeyError, TypeError) as error:
        found = f"{type(error).__name__}: {error}"
    if found:
        raise UnfitReferenceError(
            expected=f"a panel report of format {FORMAT} in {path}",
            found=found,
            hint="measure the panel again",
        )
    return data


def _dump(data: dict[str, Any]) -> str:
    """Write one line a pair, so that a change of one pair is a change of one line."""
    tasks = data.pop("tasks")
    head = json.dumps(data, indent=1).removesuffix("\n}")
    body = ",\n".join(
        f"  {json.dumps(task)}: [\n" + ",\n".join(f"   {json.dumps(pair)}" for pair in pairs) + "\n  ]"
        for task, pairs in tasks.items()
    )
    return f'{head},\n "tasks": {{\n{body}\n }}\n}}'


def _pair_json(pair: Pair) -> dict[str, Any]:
    plain = {"left": pair.left, "right": pair.right, "rung": pair.rung.value, "rows": list(pair.rows)}
    groups: dict[tuple[str, str, str], list[str]] = {}
    for note in pair.columns:
        groups.setdefault((note.left, note.right, note.why), []).append(note.column)
    differs = [
        {"columns": names, "left": left, "right": right, "why": why}
        for (left, right, why), names in groups.items()
    ]
    return {
        **plain,
        **({"differs": differs} if differs else {}),
        **({"unexplained": list(pair.unexplained)} if pair.unexplained else {}),
    }

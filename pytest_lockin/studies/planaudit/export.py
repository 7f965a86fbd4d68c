"""What a study hands on: the run export and the label export, raw sets beside the final one.

Run export formats: 1 is the first.
"""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from pytest_lockin.studies.planaudit.numbers import Undefined
from pytest_lockin.studies.planaudit.outcomes import count_cases, describe

if TYPE_CHECKING:
    from pytest_lockin.studies.planaudit.evaluate import StudyResult
    from pytest_lockin.studies.planaudit.runs import Run

FORMAT = 1
LABEL_COLUMNS = (
    "condition",
    "task",
    "obligation",
    "set",
    "role",
    "by",
    "final",
    "plan",
    "code",
    "test",
    "mechanism",
)


def export_runs(result: StudyResult) -> str:
    """Write every run with outcome and exact scores (as fractions and as numbers) as JSON."""
    data = {
        "format": FORMAT,
        "title": result.setup.title,
        "baseline": result.setup.baseline.folder,
        "runs": [_export_run(run) for run in result.runs],
        "discrepancies": [{"where": one.where, "what": one.what} for one in result.discrepancies],
    }
    return json.dumps(data, indent=1) + "\n"


def _export_run(run: Run) -> dict[str, Any]:
    scores = run.scores
    outcome = run.outcome
    return {
        "condition": run.condition,
        "task": run.task,
        "suite_passes": outcome.suite_passes,
        "passed": outcome.cases.passed,
        "total": count_cases(outcome.cases),
        "verdict": str(outcome.verdict),
        "agreement": describe(outcome.judgement),
        "executed": run.executed,
        "false_pass": outcome.is_false_pass,
        "omissions": list(run.omissions),
        "scores": None
        if isinstance(scores, Undefined)
        else {
            name: {"exact": str(value), "value": round(float(value), 6)}
            for name, value in (("plan", scores.plan), ("code", scores.code), ("test", scores.test))
        },
        "artifacts": {one.name: one.digest for one in run.artifacts},
    }


def export_labels(result: StudyResult) -> str:
    """Write every label of every set as CSV; `final` marks the set that scores come from."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(LABEL_COLUMNS)
    for run in result.runs:
        if isinstance(run.labels, Undefined):
            continue
        final = run.labels.final.name
        for one in run.labels.sets:
            head = (one.name, str(one.role), one.by, "yes" if one.name == final else "no")
            for label in one.labels:
                tail = (str(label.plan), str(label.code), str(label.test), str(label.mechanism or ""))
                writer.writerow((run.condition, run.task, label.obligation, *head, *tail))
    return text.getvalue()

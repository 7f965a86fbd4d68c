"""The report as JSON, in the published shape (`docs/schemas/report.schema.json`).

Versions: 1, the first.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_lockin.reports.fixtures import fixtures_to_json
from pytest_lockin.reports.isolation import isolation_to_json
from pytest_lockin.reports.obligations import diagnosis_to_json, obligations_to_json
from pytest_lockin.reports.trials import trials_to_json
from pytest_lockin.reports.whole import write_whole
from pytest_lockin.reports.words import describe_difference

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lockin.model.agreement import Agreement
    from pytest_lockin.model.report import Report, TaskReport


def write_json(report: Report, path: Path) -> None:
    """Write the report, whole or not at all; missing folders are made.

    Raises:
        SettingsError: the file cannot be written there.
    """
    text = json.dumps(report_to_json(report), indent=1, ensure_ascii=False) + "\n"
    write_whole(text, path, "json")


def report_to_json(report: Report) -> dict[str, Any]:
    """Lay the report out as plain JSON values."""
    return {
        "format": report.format,
        "version": report.version,
        "with_references": report.with_references,
        "engine": report.engine,
        "java": report.java,
        "tasks": [_task(task) for task in report.tasks],
        "gate": {
            "passed": report.gate.passed,
            "reasons": list(report.gate.reasons),
            "allowed": list(report.gate.allowed),
        },
        "without_task": list(report.listed),
        "notes": list(report.notes),
        "seconds": round(report.seconds, 3),
        "isolation": isolation_to_json(report.isolation),
        "policy": report.policy,
        "policy_changes": list(report.policy_changes),
        "operators": [msgspec.to_builtins(each) for each in report.operators],
    }


def _task(task: TaskReport) -> dict[str, Any]:
    return {
        "id": task.id,
        "suite": task.suite,
        "engine": task.engine,
        "engine_version": task.engine_version,
        "confirmed": task.confirmed,
        "tests": msgspec.to_builtins(task.tests),
        "verdict": task.verdict and str(task.verdict),
        "reason": task.reason,
        "partial": task.partial,
        "moved": task.moved,
        "flaky": list(task.flaky),
        "red_on_judge": list(task.red_on_judge),
        "observed_calls": task.observed_calls,
        "references": list(task.references),
        "agreement": _agreement(task.agreement) if task.agreement else None,
        "fidelity": msgspec.to_builtins(task.fidelity),
        "notes": list(task.notes),
        "trials": trials_to_json(task.trials),
        "isolated": task.isolated,
        "tampered": list(task.tampered),
        "fixtures": fixtures_to_json(task.fixtures),
        "obligations": obligations_to_json(task.obligations),
        "diagnosis": diagnosis_to_json(task.diagnosis),
        "unchanged": task.unchanged,
        "findings": msgspec.to_builtins(task.findings),
        "program": msgspec.to_builtins(task.program),
    }


def _agreement(agreement: Agreement) -> dict[str, Any]:
    return {
        "agrees": agreement.agrees,
        "category": agreement.category and str(agreement.category),
        "recovered_by": [str(rung) for rung in agreement.recovered_by],
        "rows_expected": agreement.rows_expected,
        "rows_found": agreement.rows_found,
        "differences": [
            {
                "kind": type(difference).__name__,
                "text": describe_difference(difference),
                **msgspec.to_builtins(difference),
            }
            for difference in agreement.differences
        ],
        "notes": list(agreement.notes),
    }

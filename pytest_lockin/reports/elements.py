"""Trials as a mutation testing report of the Stryker project's schema, so that its viewers open them.

One mutant an alternative and suite: two suites of one program each have their own. What says nothing of the
tests is `Ignored`, with the reason. A viewer's score is not ours: it counts timeouts as noticed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.reports.jsontext import write_json_text
from pytest_lockin.reports.remarks import find_inside
from pytest_lockin.reports.words import name_case

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.reports.document import Alternative, Document, Task, Trials

# Of https://www.npmjs.com/package/mutation-testing-report-schema, version 3: reports are of format 2.
SCHEMA_VERSION = "2.0"
# What the project's viewers colour by where nobody chose; no gate of ours.
_THRESHOLDS = {"high": 80, "low": 60}
_STATUS = {
    TrialOutcome.KILLED: "Killed",
    TrialOutcome.UNREVEALED: "Survived",
    TrialOutcome.UNINFECTED: "Survived",
    TrialOutcome.UNREACHED: "NoCoverage",
    TrialOutcome.CRASHED: "RuntimeError",
    TrialOutcome.TIMED_OUT: "Timeout",
    TrialOutcome.HARNESS_ERROR: "RuntimeError",
    TrialOutcome.NOT_RUN: "Pending",
}
_REASONS = {
    TrialOutcome.UNREVEALED: "some output differs and every case passes: the asserts do not look",
    TrialOutcome.UNINFECTED: "every observed output is the same: the rows cannot show it",
    TrialOutcome.UNREACHED: "no case runs it",
    TrialOutcome.CRASHED: "the program raised, which says nothing of the asserts",
    TrialOutcome.TIMED_OUT: "no answer in time, twice",
    TrialOutcome.HARNESS_ERROR: "the trial itself failed",
    TrialOutcome.NOT_RUN: "not run: the budget was spent before its turn",
}


def render_elements(document: Document) -> str:
    """The whole file."""
    return write_json_text(_report(document))


def _report(document: Document) -> dict[str, Any]:
    framework = {"name": "pytest-lockin", "version": document.version}
    return {
        "schemaVersion": SCHEMA_VERSION,
        "thresholds": _THRESHOLDS,
        "framework": {name: value for name, value in framework.items() if value},
        "files": _files(document),
        "testFiles": _test_files(document),
    }


def _files(document: Document) -> dict[str, Any]:
    """By path, the candidates' files with what was tried in each.

    Left out are alternatives of files that are not known or lie outside pytest's root folder.
    """
    found: dict[str, Any] = {}
    for task in document.tasks:
        by_module = _by_module(task)
        for file in task.program:
            if not find_inside(file.path):
                continue
            entry = {"language": "python", "source": file.text, "mutants": []}
            mutants = found.setdefault(file.path, entry)["mutants"]
            mutants += [_mutant(each, task.suite) for each in by_module.get(file.module, ())]
    return found


def _by_module(task: Task) -> dict[str, list[Alternative]]:
    found: dict[str, list[Alternative]] = {}
    for each in task.trials.alternatives if task.trials is not None else ():
        found.setdefault(each.module, []).append(each)
    return found


def _mutant(one: Alternative, suite: str) -> dict[str, Any]:
    status, reason = _status(one)
    found: dict[str, Any] = {
        "id": f"{one.id}@{suite}",
        "mutatorName": one.operator,
        "description": one.text,
        "replacement": one.after,
        "location": {
            "start": {"line": max(one.line, 1), "column": one.column + 1},
            "end": {"line": max(one.end_line, one.line, 1), "column": one.end_column + 1},
        },
        "status": status,
    }
    if reason:
        found["statusReason"] = reason
    if status == "Killed":
        found["killedBy"] = list(one.noticed_by)
    return found


def _status(one: Alternative) -> tuple[str, str]:
    """The schema's word, and why."""
    ignored = _ignored(one)
    if ignored:
        return "Ignored", ignored
    if one.kill is not None and one.outcome is TrialOutcome.KILLED:
        return "Killed", ": ".join(part for part in (one.kill.type, one.kill.message) if part)
    reason = _REASONS.get(one.outcome, "")
    return _STATUS[one.outcome], f"{reason}: {one.detail}" if one.detail else reason


def _ignored(one: Alternative) -> str:
    if one.waived:
        return f"waived: {one.waived}"
    if one.equivalent:
        return "equivalent: classic Spark plans what it plans for the original"
    if one.right_making:
        return "right-making: the reference agrees with it"
    return "undecided: no fixture tells it from the original" if one.undecided else ""


def _test_files(document: Document) -> dict[str, Any]:
    """By suite, its cases: those that trials looked at, and any that is named as one that noticed."""
    return {
        task.suite: {"tests": [_test(case) for case in _cases(task.trials)]}
        for task in document.tasks
        if task.trials is not None
    }


def _cases(trials: Trials) -> Iterable[str]:
    killers = (name for each in trials.alternatives for name in each.noticed_by)
    return dict.fromkeys((*(each.case_id for each in trials.cases), *killers))


def _test(case: str) -> dict[str, str]:
    return {"id": case, "name": name_case(case)}

"""A report as properties of a JUnit test suite, for what reads those files already."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.reports.document import Document, Task


def list_properties(document: Document) -> tuple[tuple[str, str], ...]:
    """Names and values: the gate's, then `lockin.TASK.WHAT` of each suite.

    Of a task with several suites the name has the suite too: `lockin.TASK[SUITE].WHAT`. What is not known
    has no property.
    """
    gate = document.gate
    found = [("lockin.version", document.version), ("lockin.gate", "passed" if gate.passed else "failed")]
    found += [("lockin.gate.reasons", "; ".join(gate.reasons))] if gate.reasons else []
    suites = Counter(task.id for task in document.tasks)
    for task in document.tasks:
        name = f"lockin.{task.id}" if suites[task.id] == 1 else f"lockin.{task.id}[{task.suite}]"
        found += [(_printable(f"{name}.{what}"), value) for what, value in _of_task(task)]
    return tuple(found)


def list_failure(reason: str) -> tuple[tuple[str, str], ...]:
    """Names and values where there is no report, and why."""
    return (("lockin.gate", "failed"), ("lockin.gate.reasons", reason)) if reason else ()


def _of_task(task: Task) -> Iterator[tuple[str, str]]:
    if task.unchanged:
        yield "unchanged", task.unchanged
        return
    if task.partial:
        yield "partial", task.partial
    if task.verdict is not None:
        yield "verdict", task.verdict
        yield "confirmed", str(task.confirmed).lower()
    if task.reason:
        yield "reason", task.reason
    checked, known = task.checked
    if known:
        yield "obligations_checked", f"{checked} of {known}"
    if task.trials is not None and task.trials.kill_percent is not None:
        yield "kill_percent", str(task.trials.kill_percent)
        yield "kill_percent_waived", str(task.trials.kill_percent_waived)


def _printable(name: str) -> str:
    """A name as an attribute may hold it; pytest escapes values, and no names."""
    return "".join(char if char.isprintable() else "?" for char in name)

"""The `lockin` section of pytest's terminal output, as lines with markup; worst first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_lockin.frames.rendering import render_differences
from pytest_lockin.model.report import VerdictKind
from pytest_lockin.reports.words import summarise_agreement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.model.report import Report, TaskReport, TestCounts

_WORST_FIRST = (
    VerdictKind.FALSE_PASS,
    VerdictKind.UNVERIFIED,
    VerdictKind.FALSE_ALARM,
    VerdictKind.TRUE_FAIL,
    VerdictKind.TRUE_PASS,
    None,
)
_COLOUR = {
    VerdictKind.FALSE_PASS: "red",
    VerdictKind.UNVERIFIED: "yellow",
    VerdictKind.FALSE_ALARM: "yellow",
    VerdictKind.TRUE_FAIL: "yellow",
    VerdictKind.TRUE_PASS: "green",
}
_MOST_LINES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line and its markup (`red`, `bold`, ... as pytest's terminal writer takes them)."""

    text: str
    markup: dict[str, bool] = field(default_factory=dict)


def render_terminal(
    report: Report, *, width: int = 80, verbosity: int = 0, extra: Sequence[str] = ()
) -> tuple[Line, ...]:
    """Lay the report out: per task at most twelve lines unless verbose, then sums, then the gate."""
    lines: list[Line] = []
    ordered = sorted(report.tasks, key=lambda task: (_WORST_FIRST.index(task.verdict), task.suite))
    left = max((len(_head(task)) for task in ordered), default=0)
    for task in ordered:
        block = _render_task(task, report, left=left, width=width, verbosity=verbosity)
        lines.extend(block if verbosity > 0 else block[:_MOST_LINES])
    lines.extend(_render_listed(report, verbosity))
    lines.extend(Line(text=note) for note in report.notes)
    lines.extend(Line(text=text) for text in extra)
    if report.tasks:
        lines.append(Line(text="-" * min(width, 80)))
        lines.append(Line(text=_sums(report)))
    lines.append(_gate_line(report))
    return tuple(lines)


def _head(task: TaskReport) -> str:
    folder = task.suite.rpartition("/")[0] or task.id
    return f"{folder}  {_tests(task.tests)}"


def _tests(tests: TestCounts) -> str:
    named = (
        (tests.passed, "passed"),
        (tests.failed, "failed"),
        (tests.errors, "errors"),
        (tests.skipped, "skipped"),
        (tests.flaky, "flaky"),
    )
    return ", ".join(f"{number} {word}" for number, word in named if number) or "no cases"


def _render_task(task: TaskReport, report: Report, *, left: int, width: int, verbosity: int) -> list[Line]:
    word = str(task.verdict).replace("_", " ").upper() if task.verdict else "EXAMINED"
    if task.partial:
        word = "PARTIAL"
    markup = {_COLOUR[task.verdict]: True} if task.verdict and not task.partial else {}
    lines = [Line(text=f"{_head(task):<{left}}  {word:<10}  {_why(task, report)}".rstrip(), markup=markup)]
    details = [
        *_reference_details(task, width=width, verbosity=verbosity),
        *_suite_details(task, report),
    ]
    return [*lines, *(Line(text=f"  {text}") for text in details)]


def _why(task: TaskReport, report: Report) -> str:
    if task.partial:
        return f"{task.partial} ran: no verdict"
    if task.verdict is VerdictKind.UNVERIFIED:
        return task.reason
    if task.agreement is not None:
        return summarise_agreement(task.agreement) + (f" ({task.reason})" if task.reason else "")
    if not report.with_references:
        calls = f"{task.observed_calls} calls of the entry point recorded"
        return task.reason or f"{calls}; no reference, no verdict"
    return task.reason


def _reference_details(task: TaskReport, *, width: int, verbosity: int) -> list[str]:
    agreement = task.agreement
    if agreement is None or task.partial or task.verdict is VerdictKind.UNVERIFIED:
        return []
    lines: list[str] = []
    if not agreement.agrees:
        shown = render_differences(agreement.differences, width=max(40, width - 4))
        lines.extend(shown if verbosity > 0 else shown[:8])
    if verbosity > 0 or agreement.agrees:
        lines.extend(agreement.notes)
    fidelity = task.fidelity
    if fidelity.cases_rejecting:
        names = ", ".join(case_id.rpartition("::")[2] for case_id in fidelity.cases_rejecting[:3])
        more = len(fidelity.cases_rejecting) - 3
        lines.append(
            f"{len(fidelity.cases_rejecting)} cases contradict the reference: {names}"
            + (f" and {more} more" if more > 0 else "")
        )
    elif fidelity.accepts_reference and not agreement.agrees:
        lines.append("every case accepts the reference too: no case checks what differs")
    if fidelity.completed and verbosity > 0:
        lines.append("completed with NULLs for the reference: " + ", ".join(fidelity.completed))
    if fidelity.reason and verbosity > 0:
        lines.append(f"the reference could not be tried in the suite: {fidelity.reason}")
    return lines


def _suite_details(task: TaskReport, report: Report) -> list[str]:
    lines = []
    if task.moved:
        lines.append(f"runs on Spark: {task.moved}")
    for case_id in task.red_on_judge:
        lines.append(f"{case_id.rpartition('::')[2]} passes on Sail and fails on Spark: counted as failed")
    if task.flaky:
        names = ", ".join(case_id.rpartition("::")[2] for case_id in task.flaky)
        lines.append(f"flaky, judged no further: {names}")
    lines.extend(task.notes)
    if report.with_references and not task.confirmed and task.verdict not in (None, VerdictKind.UNVERIFIED):
        lines.append("not confirmed on Spark")
    return lines


def _render_listed(report: Report, verbosity: int) -> list[Line]:
    if not report.listed:
        return []
    shown = report.listed if verbosity > 0 else report.listed[:3]
    more = len(report.listed) - len(shown)
    names = ", ".join(shown) + (f" and {more} more" if more else "")
    return [
        Line(
            text=f"run as ordinary tests, no task found (task.yaml or a folder under the references): {names}"
        )
    ]


def _sums(report: Report) -> str:
    if not report.with_references:
        return f"{len(report.tasks)} suites examined; give --lockin-reference DIR for a verdict"
    counted = Counter(task.verdict for task in report.tasks if not task.partial)
    words = [
        f"{counted[kind]} {str(kind).replace('_', ' ')}" for kind in _WORST_FIRST if kind and counted[kind]
    ]
    partial = sum(1 for task in report.tasks if task.partial)
    if partial:
        words.append(f"{partial} partial")
    judged = [task for task in report.tasks if task.agreement is not None]
    confirmed = sum(1 for task in judged if task.confirmed)
    how = (
        f"confirmed on Spark: {confirmed} of {len(judged)}"
        if confirmed
        else "not confirmed on Spark" + ("" if report.java else " (no Java)")
    )
    return f"{', '.join(words)}; {how}; {report.seconds:.0f} s"


def _gate_line(report: Report) -> Line:
    gate = report.gate
    allowed = "".join(f"; allowed {each}" for each in gate.allowed)
    if gate.passed:
        return Line(text=f"lockin gate: passed{allowed}", markup={"green": True})
    return Line(
        text=f"lockin gate: FAILED  {'; '.join(gate.reasons)}{allowed}", markup={"red": True, "bold": True}
    )

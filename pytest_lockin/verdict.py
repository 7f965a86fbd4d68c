"""The verdict of one task, from its baseline and the reference's word. Values in, values out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.model.agreement import Category
from pytest_lockin.model.report import TaskReport, VerdictKind

if TYPE_CHECKING:
    from pytest_lockin.model.agreement import Agreement, FixtureFinding, Judgement
    from pytest_lockin.model.baseline import Baseline
    from pytest_lockin.model.report import TestCounts


def decide_verdict(
    tests: TestCounts, agreement: Agreement, fixtures: tuple[FixtureFinding, ...] = ()
) -> VerdictKind:
    """Put the suite's word and the reference's together (PAPERS A1.21).

    The reference agrees where the candidate is right on the data and on every frozen fixture. A suite that is
    neither green nor red (all skipped, nothing left but flaky cases) is unverified.
    """
    red = bool(tests.failed or tests.errors)
    agrees = agreement.agrees and not any(each.accuses for each in fixtures)
    if tests.green:
        return VerdictKind.TRUE_PASS if agrees else VerdictKind.FALSE_PASS
    if red:
        return VerdictKind.FALSE_ALARM if agrees else VerdictKind.TRUE_FAIL
    return VerdictKind.UNVERIFIED


def describe_baseline(report: TaskReport, baseline: Baseline) -> TaskReport:
    """Enter what the suite's runs showed; no verdict yet."""
    live = baseline.live
    return replace(
        report,
        engine=baseline.engine,
        engine_version=baseline.engine_version,
        confirmed=baseline.confirmed,
        tests=baseline.counts,
        partial=f"{len(live.told)} of {len(live.case_ids)} cases" if live.partial else "",
        moved=baseline.moved,
        flaky=baseline.flaky,
        red_on_judge=baseline.red_on_judge,
        observed_calls=live.observed_calls,
        reason=baseline.trouble[0] if baseline.trouble else "",
        notes=_notes(baseline),
    )


def _notes(baseline: Baseline) -> tuple[str, ...]:
    notes = []
    if baseline.unconfirmed_red:
        notes.append(f"{len(baseline.unconfirmed_red)} red (Sail, not confirmed)")
    needs = sorted({need for run in baseline.live.runs for need in run.needs})
    if needs:
        notes.append("asked for what Sail lacks: " + ", ".join(needs))
    return (*notes, *baseline.changes)


def unverified(report: TaskReport, reason: str) -> TaskReport:
    """Nothing can be said about this task, and why."""
    return replace(report, verdict=VerdictKind.UNVERIFIED, reason=reason)


def find_doubt(baseline: Baseline, *, task_error: str = "", ini_in_suite: bool = False) -> str:
    """Why nothing can be said whatever the reference says; "" when something can."""
    live = baseline.live
    if ini_in_suite:
        return "pytest's settings file lies in a suite's folder; give -c and --rootdir of the project"
    if task_error:
        return task_error
    if live.partial:
        return f"partial: {len(live.told)} of {len(live.case_ids)} cases ran"
    if baseline.unconfirmed_red:
        return f"{len(baseline.unconfirmed_red)} cases are red (Sail, not confirmed)"
    return ""


def conclude(report: TaskReport, baseline: Baseline, judgement: Judgement) -> TaskReport:
    """Decide the verdict, or say why there is none.

    A suite that could not run has no verdict, unless the program itself is at fault: it does not even load
    on the reference's data, so suite and reference both reject it.
    """
    agreement = judgement.agreement
    if agreement is None:
        return unverified(report, judgement.reason)
    confirmed = baseline.confirmed and judgement.engine == "spark"
    report = replace(report, agreement=agreement, confirmed=confirmed)
    if baseline.trouble or not baseline.outcomes:
        reason = baseline.trouble[0] if baseline.trouble else "no case ran"
        if not baseline.outcomes and agreement.category is Category.RUNTIME:
            return replace(report, verdict=VerdictKind.TRUE_FAIL, reason=reason)
        return unverified(report, reason)
    verdict = decide_verdict(report.tests, agreement, report.fixtures)
    if verdict is VerdictKind.UNVERIFIED:
        return unverified(report, "no case passed and none failed")
    return replace(report, verdict=verdict)

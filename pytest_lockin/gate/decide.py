"""Pass or fail, with reasons. Values in, values out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.gate.findings import find_findings
from pytest_lockin.gate.known import Known, find_gone, split_known
from pytest_lockin.model.finding import TestStatus
from pytest_lockin.model.report import Gate, VerdictKind
from pytest_lockin.model.trial import TrialSummary, percent_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.model.report import Finding, TaskReport
    from pytest_lockin.settings import MinObligations, Settings


def decide_gate(
    tasks: tuple[TaskReport, ...],
    settings: Settings,
    *,
    findings: tuple[str, ...] = (),
    known_before: Known | None = None,
) -> Gate:
    """Decide whether the run passes.

    Without references nothing gates by default; kinds the user named in `--lockin-fail-on` still do. With
    references the kinds in `fail_on` fail it, `unverified` always does unless it is allowed, and zero tasks
    is a failure of its own. A partial suite is not gated unless `partial` is named, one that the change did
    not touch never is. What the baseline knows does not gate. `findings` about the run itself (a changed
    policy, a leak), and suites that tampered with what they are judged by, always fail it.
    """
    with_references = bool(settings.reference)
    if with_references and not tasks:
        return Gate(
            passed=False, reasons=("no suite matched a task under the references: nothing was judged",)
        )
    before = known_before or Known()
    new: list[Finding] = []
    known: list[Finding] = []
    gone = 0
    for task in tasks:
        found = find_findings(task, with_references=with_references)
        suite = before.of(task.suite)
        more, same = split_known(found, suite)
        new += more
        known += same
        gone += 0 if task.unchanged or task.partial else len(find_gone(found, suite))
    reasons, allowed = _weigh(new, settings, with_references=with_references)
    allowed += _say_known(known, settings, with_references=with_references)
    if gone:
        allowed.append(f"baseline: {gone} of its entries no longer found (`lockin baseline` writes it anew)")
    reasons += _weak_suites(tasks, settings, before)
    reasons += [f"{task.suite}: tampering: {task.tampered[0]}" for task in tasks if task.tampered]
    reasons += findings
    return Gate(passed=not reasons, reasons=tuple(reasons), allowed=tuple(allowed))


def _weigh(found: list[Finding], settings: Settings, *, with_references: bool) -> tuple[list[str], list[str]]:
    """Reasons to fail, and what is let pass; kinds in the order they were found."""
    reasons, allowed = [], []
    for kind, number in _count_kinds(found).items():
        if not _gates(kind, settings, with_references=with_references):
            continue
        allowance = settings.allows(kind)
        words = f"{_words(kind)}: {number}"
        most = allowance.most if allowance is not None else 0
        if allowance is not None and (most is None or number <= most):
            allowed.append(f"{words} ({allowance.reason or 'allowed without a reason'})")
        else:
            reasons.append(f"{words} (allowed {most})")
    return reasons, allowed


def _say_known(known: list[Finding], settings: Settings, *, with_references: bool) -> list[str]:
    return [
        f"{_words(kind)}: {number} (known from the baseline)"
        for kind, number in _count_kinds(known).items()
        if _gates(kind, settings, with_references=with_references)
    ]


def _count_kinds(findings: list[Finding]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in findings:
        found[each.kind] = found.get(each.kind, 0) + 1
    return found


def _weak_suites(tasks: tuple[TaskReport, ...], settings: Settings, before: Known) -> list[str]:
    found = []
    for task in tasks:
        if task.partial or task.unchanged:
            continue
        why = find_weakness(task.trials or TrialSummary(), settings.trials.min_kill)
        if why and not _as_good_as_before(task, before.of(task.suite).kill_percent):
            found.append(f"{task.suite}: {why}")
        found += [f"{task.suite}: {each}" for each in _find_unchecked(task, settings.min_obligations)]
    return found


def _as_good_as_before(task: TaskReport, before: int | None) -> bool:
    now = task.trials.counts_waived.percent if task.trials is not None else None
    return before is not None and now is not None and now >= before


def _find_unchecked(task: TaskReport, wanted: tuple[MinObligations, ...]) -> Iterator[str]:
    """Say of which source too few obligations are checked; where none was looked at that is too few."""
    if task.verdict in (None, VerdictKind.UNVERIFIED):
        # Why there is no verdict gates by itself.
        return
    for each in wanted:
        source = [one for one in task.obligations if each.source in ("", one.source)]
        checked = sum(one.tests is TestStatus.COVERED for one in source)
        words = f"{each.source} obligations".strip()
        if not task.obligations:
            yield f"no obligation was looked at (at least {each.percent:g} % of {words} asked)"
        elif 100 * checked < each.percent * len(source):
            percent = percent_of(checked, len(source))
            yield (f"tests check {percent} % of {len(source)} {words} (at least {each.percent:g} % asked)")


def find_weakness(summary: TrialSummary, minimum: float | None) -> str:
    """Why the trials fail a gate that holds a least kill score; "" when they do not.

    Zero executed trials always fail it: a dead gate must not look green.
    """
    if minimum is None:
        return ""
    if summary.refusal:
        return f"no trials: {summary.refusal}"
    counts = summary.counts_waived
    if not counts.executed or counts.percent is None:
        what = "decided" if counts.executed else "executed"
        return f"no trials: not one alternative was {what}"
    if counts.inconclusive * 2 > counts.executed:
        return f"{counts.inconclusive} trials gave no answer, {counts.executed} did"
    if 100 * counts.killed < minimum * counts.decided:
        return (
            f"tests notice {counts.percent} % of {counts.decided} alternatives (at least {minimum:g} % asked)"
        )
    return ""


def _gates(kind: str, settings: Settings, *, with_references: bool) -> bool:
    # Red on the judge after a green told to pytest: pytest's own exit status cannot know it any more.
    always = ["red_on_judge"]
    if with_references:
        always.append("unverified")
        # Who asks for no sandbox by name says so to the gate, too.
        always += ["not_isolated"] if settings.sandbox == "none" else []
    return kind in always or kind in settings.fail_on


def _words(kind: str) -> str:
    plural = {
        "false_pass": "false passes",
        "true_pass": "true passes",
        "true_fail": "true fails",
        "false_alarm": "false alarms",
        "red_on_judge": "cases green on Sail and red on Spark",
        "flaky": "flaky cases",
        "unfaithful": "suites that reject the reference",
        "unconfirmed": "verdicts not confirmed on Spark",
        "partial": "partial suites",
        "not_isolated": "suites run without a sandbox",
        "self_confirming_omission": "obligations neither planned nor tested",
        "gap_despite_plan": "obligations planned and not tested",
        "partial_coverage": "obligations tested too coarsely",
        "candidate_schema": "obligations tested by the candidate's own names or types",
        "nondiscriminating_data": "obligations whose tests' rows cannot show it",
        "same_incorrect_logic": "obligations whose tests expect the wrong values",
    }
    return plural.get(kind, kind)

"""The gate: pass or fail, with reasons. Values in, values out; nothing is run here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.model.report import Gate, VerdictKind
from pytest_lockin.model.trial import TrialSummary

if TYPE_CHECKING:
    from pytest_lockin.model.report import TaskReport
    from pytest_lockin.settings import Settings


def decide_gate(tasks: tuple[TaskReport, ...], settings: Settings, *, findings: tuple[str, ...] = ()) -> Gate:
    """Decide whether the run passes.

    Without references nothing gates by default; kinds the user named in `--lockin-fail-on` still do. With
    references the kinds in `fail_on` fail it, `unverified` always does unless it is allowed, and zero tasks
    is a failure of its own. A partial suite is not gated unless `partial` is named. `findings` about the run
    itself (a changed policy, a leak), and suites that tampered with what they are judged by, always fail it.
    """
    with_references = bool(settings.reference)
    if with_references and not tasks:
        return Gate(
            passed=False, reasons=("no suite matched a task under the references: nothing was judged",)
        )
    found = _count_kinds(tasks, with_references=with_references)
    reasons, allowed = [], []
    for kind, count in found.items():
        if not _gates(kind, settings, with_references=with_references):
            continue
        allowance = settings.allows(kind)
        words = f"{_words(kind)}: {count}"
        if allowance is not None:
            allowed.append(f"{words} ({allowance.reason or 'allowed without a reason'})")
        else:
            reasons.append(f"{words} (allowed 0)")
    reasons += _weak_suites(tasks, settings.trials.min_kill)
    reasons += [f"{task.suite}: tampering: {task.tampered[0]}" for task in tasks if task.tampered]
    reasons += findings
    return Gate(passed=not reasons, reasons=tuple(reasons), allowed=tuple(allowed))


def _weak_suites(tasks: tuple[TaskReport, ...], minimum: float | None) -> list[str]:
    if minimum is None:
        return []
    whys = ((task.suite, find_weakness(task.trials or TrialSummary(), minimum)) for task in tasks)
    return [f"{suite}: {why}" for suite, why in whys if why]


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


def _count_kinds(tasks: tuple[TaskReport, ...], *, with_references: bool) -> dict[str, int]:
    found: dict[str, int] = {}

    def count(kind: str, number: int = 1) -> None:
        if number:
            found[kind] = found.get(kind, 0) + number

    for task in tasks:
        count("not_isolated", int(not task.isolated))
        if task.partial:
            count("partial")
            continue
        if task.verdict is not None:
            count(str(task.verdict))
        count("flaky", len(task.flaky))
        count("red_on_judge", len(task.red_on_judge))
        count("unfaithful", int(task.fidelity.accepts_reference is False))
        judged = task.verdict not in (None, VerdictKind.UNVERIFIED)
        count("unconfirmed", int(with_references and judged and not task.confirmed))
    return found


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
    }
    return plural.get(kind, kind)

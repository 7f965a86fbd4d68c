"""Trials in words: one line for a task, the survivors worth reading, and the same as plain JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.reports.words import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.model.trial import AlternativeResult, CaseReport, OutcomeCounts, TrialSummary

_SHOWN = 5
# Worst first: asserts that do not look are the tests' own gap; then rows that cannot show it; then code
# nobody runs.
WHY = {
    TrialOutcome.UNREVEALED: "asserts do not look",
    TrialOutcome.UNINFECTED: "rows cannot show it",
    TrialOutcome.UNREACHED: "no case runs it",
}


def say_trials(summary: TrialSummary) -> str:
    """One line: how many alternatives the tests notice, and why they let the others pass."""
    if summary.refusal:
        return f"no trials: {summary.refusal}"
    counts = summary.counts
    if not counts.decided:
        return f"no alternative could be decided{_rest(counts)}"
    missed = [
        f"{number} {words}"
        for number, words in (
            (counts.uninfected, WHY[TrialOutcome.UNINFECTED]),
            (counts.unrevealed, WHY[TrialOutcome.UNREVEALED]),
            (counts.unreached, WHY[TrialOutcome.UNREACHED]),
        )
        if number
    ]
    total = f"{counts.survived}: " if len(missed) > 1 else ""
    why = f" ({total}{', '.join(missed)})" if missed else ""
    return f"tests notice {counts.killed} of {count(counts.decided, 'alternative')}{why}{_rest(counts)}"


def _rest(counts: OutcomeCounts) -> str:
    words = [
        f"{number} {word}"
        for number, word in (
            (counts.crashed, "crashed"),
            (counts.equivalent, "equivalent"),
            (counts.undecided, "undecided"),
            (counts.inconclusive, "without an answer"),
            (counts.not_run, "not run"),
        )
        if number
    ]
    return f"; {', '.join(words)}" if words else ""


def say_details(summary: TrialSummary, *, verbose: bool) -> Iterator[str]:
    """Lines below the first: waived ones, right-making ones, cases that cannot fail; survivors for `-v`."""
    if summary.refusal:
        return
    if summary.waived:
        waived = summary.counts_waived
        yield (
            f"{summary.waived} of them waived: without those {waived.killed} of "
            f"{count(waived.decided, 'alternative')}"
        )
    if summary.right_making.killed:
        right = count(summary.right_making.killed, "alternative")
        yield f"tests reject {right} that the reference agrees with"
    for case in summary.cases:
        yield from _say_case(case, verbose=verbose)
    if verbose:
        yield from _say_survivors(summary)
    yield from summary.notes


def _say_case(case: CaseReport, *, verbose: bool) -> Iterator[str]:
    name = case.case_id.partition("::")[2]
    if case.accepts_everything:
        yield f"{name} accepts every alternative: {case.accepts_everything}"
    elif case.too_loose:
        yield f"{name}: tolerance too loose, twice the measure passes"
    elif verbose and case.looks_at:
        only = f", alone notices {len(case.only)}" if case.only else ""
        yield f"{name} looks at {', '.join(case.looks_at)}{only}"


def _say_survivors(summary: TrialSummary) -> Iterator[str]:
    survivors = choose_survivors(summary)
    for each in survivors[:_SHOWN]:
        place = f"{each.module} line {each.line}"
        yield f"{each.text} ({place}: {WHY[each.outcome]}; {each.id})"
    if len(survivors) > _SHOWN:
        yield f"... and {len(survivors) - _SHOWN} more in the JSON report"


def choose_survivors(summary: TrialSummary) -> list[AlternativeResult]:
    """Survivors, the most telling first: asserts that do not look, edits that serve an obligation."""
    found = [
        each
        for each in summary.alternatives
        if each.survived and not (each.waived or each.right_making or each.equivalent)
    ]
    return sorted(found, key=lambda each: (tuple(WHY).index(each.outcome), not each.kind, each.line))


def trials_to_json(summary: TrialSummary | None) -> dict[str, Any] | None:
    """Plain JSON values: sums first, survivors before the rest; None where no trials were asked for."""
    if summary is None:
        return None
    plain: dict[str, Any] = msgspec.to_builtins(summary)
    survivors = [each for each in summary.alternatives if each.survived]
    others = [each for each in summary.alternatives if not each.survived]
    return {
        "refusal": plain["refusal"],
        "engine": plain["engine"],
        "confirmed": plain["confirmed"],
        "kill_percent": summary.counts.percent,
        "kill_percent_waived": summary.counts_waived.percent,
        "counts": plain["counts"],
        "counts_waived": plain["counts_waived"],
        "right_making": plain["right_making"],
        "by_kind": plain["by_kind"],
        "survivors": [_alternative(each) for each in survivors],
        "others": [_alternative(each) for each in others],
        "cases": plain["cases"],
        "disagreements": plain["disagreements"],
        "waived": plain["waived"],
        "cached": plain["cached"],
        "seconds": round(summary.seconds, 3),
        "notes": plain["notes"],
    }


def _alternative(result: AlternativeResult) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(result)
    plain["seconds"] = round(result.seconds, 4)
    return plain

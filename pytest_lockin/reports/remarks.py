"""What a report says of places in files, worst first: what SARIF and GitHub's annotations lay out.

A remark is about a verdict (at the program), an obligation that is broken (at the program) or that no test
checks (at the test file), or an alternative that the tests let pass (at its line). Alternatives that say
nothing of the tests are left out: right-making, equivalent and undecided ones. Waived ones are kept, marked.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_lockin.model.alternative import Site
from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.reports.trials import WHY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.reports.document import Alternative, Document, Obligation, Task


class Level(StrEnum):
    """How bad it is, in SARIF's words; the first is the worst."""

    ERROR = "error"
    """The program is wrong."""
    WARNING = "warning"
    """Nobody can tell, or the tests would not."""
    NOTE = "note"
    """Part of it is noticed; or the tests would not tell, where no case runs or no obligation asks for it."""


VIOLATED = "violated"
_LEVELS = tuple(Level)
_VERDICTS = {
    "false_pass": Level.ERROR,
    "false_alarm": Level.WARNING,
    "true_fail": Level.WARNING,
    "unverified": Level.WARNING,
}
_UNCHECKED = {
    "not_covered": (Level.WARNING, "no test checks"),
    "partial": (Level.NOTE, "tests check in part"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing to say of one place.

    Attributes:
        rule: the verdict, the mechanism, `violated` where none is known, or the operator's family.
        path: from pytest's root folder; "" where the file lies outside of it, so that no path gives away
            how a machine is laid out.
        site: the exact place; None for the file.
        suite: the suite it is about.
        key: what tells it from every other remark, and stays the same when lines move.
        waived: the reason given in the waiver file, or "".
    """

    rule: str
    level: Level
    path: str
    site: Site | None
    text: str
    suite: str
    key: tuple[str, ...]
    waived: str = ""


def make_remarks(document: Document) -> tuple[Remark, ...]:
    """Everything there is to say of places, worst first.

    Within a level verdicts come first, then obligations, then survivors; among those, asserts that do not
    look before rows that cannot show it.
    """
    tasks = document.tasks
    verdicts = [_of_verdict(task, task.verdict) for task in tasks if task.verdict in _VERDICTS]
    obligations = [remark for task in tasks for remark in _of_obligations(task)]
    survivors = sorted(
        ((task, one) for task in tasks for one in _survivors(task)),
        key=lambda each: tuple(WHY).index(each[1].outcome),
    )
    found = (*verdicts, *obligations, *(_of_survivor(task, one) for task, one in survivors))
    return tuple(sorted(found, key=lambda each: _LEVELS.index(each.level)))


def _of_obligations(task: Task) -> Iterator[Remark]:
    for each in task.obligations:
        if each.code == "violated":
            yield _of_violated(task, each)
        elif each.tests in _UNCHECKED and each.mechanism is not None:
            yield _of_unchecked(task, each, each.mechanism)


def _survivors(task: Task) -> list[Alternative]:
    survivors = task.trials.survivors if task.trials is not None else ()
    return [one for one in survivors if one.counts or one.waived]


def _of_verdict(task: Task, verdict: str) -> Remark:
    return Remark(
        rule=verdict,
        level=_VERDICTS[verdict],
        path=_program(task),
        site=None,
        text=f"{verdict.replace('_', ' ')}: {_say_verdict(task, verdict)}",
        suite=task.suite,
        key=(task.suite, verdict),
    )


def _say_verdict(task: Task, verdict: str) -> str:
    name = PurePosixPath(task.suite).name
    if verdict == "unverified":
        return f"{name} has no verdict: {task.reason}"
    wrong = _say_difference(task)
    return {
        "false_pass": f"{name} passes, and the reference disagrees{wrong}",
        "true_fail": f"{name} fails, and the reference disagrees with the program{wrong}",
        "false_alarm": f"{name} fails, and the reference agrees with the program",
    }[verdict]


def _say_difference(task: Task) -> str:
    if task.agreement is not None and not task.agreement.agrees and task.agreement.differences:
        return f": {task.agreement.differences[0].text}"
    accusing = [each for each in task.fixtures if each.agrees is False and not each.post_hoc]
    return f" on {accusing[0].name}: {accusing[0].text}" if accusing else ""


def _of_violated(task: Task, one: Obligation) -> Remark:
    wrong = "; ".join(dict.fromkeys(one.evidence.wrong)) or one.text.rstrip(".")
    unnoticed = f"; unnoticed by {one.mechanism.replace('_', ' ')}" if one.mechanism else ""
    return Remark(
        rule=one.mechanism or VIOLATED,
        level=Level.ERROR,
        path=_program(task),
        site=None,
        text=f"{one.id} ({one.kind}) is violated: {wrong}{unnoticed}{_to_do(one)}",
        suite=task.suite,
        key=(task.suite, VIOLATED, one.id),
    )


def _of_unchecked(task: Task, one: Obligation, mechanism: str) -> Remark:
    level, words = _UNCHECKED[one.tests]
    return Remark(
        rule=mechanism,
        level=level,
        path=find_inside(task.suite),
        site=None,
        text=f"{words} {one.id} ({one.kind}): {one.text.rstrip('.')}{_to_do(one)}",
        suite=task.suite,
        key=(task.suite, "unchecked", one.id),
    )


def _to_do(one: Obligation) -> str:
    return f". To do: {one.advice}" if one.advice else ""


def _of_survivor(task: Task, one: Alternative) -> Remark:
    files = {each.module: each.path for each in task.program}
    path = files.get(one.module)
    site = Site(line=one.line, column=one.column, end_line=one.end_line, end_column=one.end_column)
    noted = one.outcome is TrialOutcome.UNREACHED or not one.kind
    return Remark(
        rule=one.operator,
        level=Level.NOTE if noted else Level.WARNING,
        path=find_inside(path if path is not None else task.suite),
        # Without its file a line says nothing.
        site=site if path is not None and _is_whole(site) else None,
        text=f"{one.text} ({WHY[one.outcome]}; {one.id})",
        suite=task.suite,
        key=(task.suite, one.id),
        waived=one.waived,
    )


def _is_whole(site: Site) -> bool:
    return site.line > 0 and site.end_line >= site.line


def _program(task: Task) -> str:
    """The candidate's first file; the suite where its files are not known."""
    return find_inside(task.program[0].path if task.program else task.suite)


def find_inside(path: str) -> str:
    """The path where it lies below pytest's root folder, else ""."""
    parts = PurePosixPath(path)
    return "" if parts.is_absolute() or ".." in parts.parts else str(parts)

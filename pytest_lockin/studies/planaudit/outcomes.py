"""What the executions say about each run: suite passes, reference agrees, false pass (PAPERS A1.20, A1.21).

Outcomes come from the JSON report of `pytest --lockin-reference refs/ runs/`, never from labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from pytest_lockin.errors import StudyError
from pytest_lockin.model.agreement import Category
from pytest_lockin.model.report import FORMAT, TestCounts, VerdictKind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """The candidate's output equals the reference's, strictly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreed:
    """It does not: the primary category, and which rungs of the ladder would recover agreement."""

    category: Category
    recovered_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unjudged:
    """Nobody knows, and why: no reference, unfit reference, infrastructure, not in the report."""

    reason: str


Judgement = Agreed | Disagreed | Unjudged


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One run's outcome.

    The suite passes when no case failed, errored or could not be collected, and at least one passed; where
    the report gives a verdict, the verdict's word on the suite stands (it knows of flaky cases, and of
    cases that only classic Spark turned red).
    """

    cases: TestCounts
    verdict: VerdictKind
    judgement: Judgement
    partial: str = ""

    @property
    def suite_passes(self) -> bool:
        """Whether pytest would have ended with status 0 and at least one case passed."""
        if self.verdict is VerdictKind.UNVERIFIED:
            return self.cases.green
        return self.verdict in {VerdictKind.TRUE_PASS, VerdictKind.FALSE_PASS}

    @property
    def matches(self) -> bool:
        """Whether the reference agrees."""
        return isinstance(self.judgement, Agreed)

    @property
    def is_false_pass(self) -> bool:
        """Whether the suite passes although the reference disagrees; an unjudged run is none."""
        return self.suite_passes and isinstance(self.judgement, Disagreed)

    @property
    def executed(self) -> bool:
        """Whether the program ran on the reference's data; an unjudged one is not known to have failed."""
        return not (isinstance(self.judgement, Disagreed) and self.judgement.category is Category.RUNTIME)

    @property
    def contradiction(self) -> str:
        """What in this outcome contradicts itself; "" for nothing."""
        if self.verdict is not VerdictKind.UNVERIFIED and self.matches != (
            self.verdict in {VerdictKind.TRUE_PASS, VerdictKind.FALSE_ALARM}
        ):
            return f"verdict {self.verdict} beside agreement {self.matches}"
        if self.verdict in {VerdictKind.TRUE_PASS, VerdictKind.FALSE_PASS} and not self.cases.green:
            return f"verdict {self.verdict} beside {self.cases.failed} failed, {self.cases.errors} errors"
        return f"the report is of a partial run, {self.partial}" if self.partial else ""


def count_cases(cases: TestCounts) -> int:
    """Count the cases that were to run: all but skipped ones; a collection error is one."""
    return cases.passed + cases.failed + cases.errors + cases.flaky


class _Report(msgspec.Struct):
    format: int
    tasks: tuple[_TaskEntry, ...]


class _TaskEntry(msgspec.Struct):
    id: str
    suite: str
    tests: TestCounts
    verdict: VerdictKind | None = None
    reason: str = ""
    partial: str = ""
    agreement: _AgreementEntry | None = None


class _AgreementEntry(msgspec.Struct):
    agrees: bool
    category: Category | None = None
    recovered_by: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedTask:
    """One entry of a report: the task's id, the parts of its suite's path, its outcome.

    `condition` is the one whose own report this is; "" for a report over all of them.
    """

    task: str
    suite: tuple[str, ...]
    outcome: Outcome
    condition: str = ""


def read_report(path: Path, condition: str = "") -> tuple[ReportedTask, ...]:
    """Read the tasks of one lock-in JSON report; fields it has beyond ours are left alone.

    `condition` says whose report it is, where it is not over all conditions.

    Raises:
        StudyError: unreadable, of another format, or an entry says that it disagrees without a category.
    """
    try:
        report = msgspec.json.decode(path.read_bytes(), type=_Report)
    except (msgspec.DecodeError, OSError) as error:
        raise StudyError(
            expected=f"a lock-in JSON report in {path}",
            found=str(error),
            hint="write one with `pytest --lockin-reference refs/ --lockin-json FILE runs/`",
        ) from error
    if report.format != FORMAT:
        raise StudyError(
            expected=f"report format {FORMAT} in {path}",
            found=f"format {report.format}",
            hint="evaluate with the pytest-lockin version that wrote the report",
        )
    return tuple(_make_task(entry, path, condition) for entry in report.tasks)


def _make_task(entry: _TaskEntry, path: Path, condition: str) -> ReportedTask:
    outcome = Outcome(
        cases=entry.tests,
        verdict=entry.verdict or VerdictKind.UNVERIFIED,
        judgement=_judge(entry, path),
        partial=entry.partial,
    )
    parts = tuple(part for part in entry.suite.replace("\\", "/").split("/") if part not in {"", "."})
    return ReportedTask(task=entry.id, suite=parts, outcome=outcome, condition=condition)


def _judge(entry: _TaskEntry, path: Path) -> Judgement:
    agreement = entry.agreement
    if agreement is None or entry.verdict in {None, VerdictKind.UNVERIFIED}:
        return Unjudged(reason=entry.reason or "the report gives no agreement")
    if agreement.agrees:
        return Agreed()
    if agreement.category is None:
        raise StudyError(
            expected=f"a category for the disagreement of {entry.suite} in {path}",
            found="none",
            hint="write the report again with this version of pytest-lockin",
        )
    return Disagreed(category=agreement.category, recovered_by=agreement.recovered_by or ())


def find_outcome(
    reported: Iterable[ReportedTask], condition: str, folder: str, where: str
) -> ReportedTask | Unjudged:
    """Find the entry whose suite lies in this run's folder, `.../<condition>/<folder>/test_solution.py`.

    In a condition's own report the path may start at the run's folder.

    Raises:
        StudyError: several entries lie there, so that it cannot be told which is the run's.
    """
    found = [one for one in reported if _lies_in(one, condition, folder)]
    if len(found) > 1:
        raise StudyError(
            expected=f"one suite for {where}",
            found=", ".join("/".join(one.suite) for one in found),
            hint="give one report per run; keep one test_solution.py per run folder",
        )
    return found[0] if found else Unjudged(reason="not in the report")


def _lies_in(one: ReportedTask, condition: str, folder: str) -> bool:
    parents = one.suite[:-1]
    return parents[-2:] == (condition, folder) or (one.condition == condition and parents == (folder,))


def describe(judgement: Judgement) -> str:
    """Name a judgement in one word or two, for an export."""
    match judgement:
        case Agreed():
            return "agrees"
        case Disagreed(category=category):
            return str(category)
        case Unjudged(reason=reason):
            return f"unjudged: {reason}"

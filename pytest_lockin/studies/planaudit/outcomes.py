"""What the executions say about each run: suite passes, reference agrees, false pass (PAPERS A1.20, A1.21).

Outcomes come from the JSON report of `pytest --lockin-reference refs/ runs/`, never from labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_lockin.errors import StudyError
from pytest_lockin.model.agreement import Category

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

REPORT_FORMAT = 1


class Verdict(StrEnum):
    """The verdict of a task, as the report has it."""

    TRUE_PASS = "true_pass"  # noqa: S105 - a verdict, not a password
    FALSE_PASS = "false_pass"  # noqa: S105 - a verdict, not a password
    TRUE_FAIL = "true_fail"
    FALSE_ALARM = "false_alarm"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCounts:
    """How the suite's cases ended."""

    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    flaky: int = 0

    @property
    def total(self) -> int:
        """Cases that were to run; a collection error is one of them."""
        return self.passed + self.failed + self.errors


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

    cases: CaseCounts
    verdict: Verdict
    judgement: Judgement
    suite: str = ""

    @property
    def suite_passes(self) -> bool:
        """Whether pytest would have ended with status 0 and at least one case passed."""
        if self.verdict is Verdict.UNVERIFIED:
            return self.counts_pass
        return self.verdict in {Verdict.TRUE_PASS, Verdict.FALSE_PASS}

    @property
    def counts_pass(self) -> bool:
        """The same from the counts alone."""
        return self.cases.passed > 0 and self.cases.failed == self.cases.errors == 0

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
        if self.verdict is not Verdict.UNVERIFIED and self.matches != (
            self.verdict in {Verdict.TRUE_PASS, Verdict.FALSE_ALARM}
        ):
            return f"verdict {self.verdict} beside agreement {self.matches}"
        if self.verdict in {Verdict.TRUE_PASS, Verdict.FALSE_PASS} and not self.counts_pass:
            return f"verdict {self.verdict} beside {self.cases.failed} failed, {self.cases.errors} errors"
        return ""


class _Report(msgspec.Struct):
    format: int
    tasks: tuple[_TaskEntry, ...]


class _TaskEntry(msgspec.Struct):
    id: str
    suite: str
    verdict: Verdict
    tests: CaseCounts
    reason: str = ""
    agreement: _AgreementEntry | None = None


class _AgreementEntry(msgspec.Struct):
    agrees: bool
    category: Category | None = None
    recovered_by: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedTask:
    """One entry of a report: the task's id, where its suite lies, its outcome."""

    task: str
    suite: tuple[str, ...]
    outcome: Outcome


def read_report(path: Path) -> tuple[ReportedTask, ...]:
    """Read the tasks of one lock-in JSON report; fields it has beyond ours are left alone.

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
    if report.format != REPORT_FORMAT:
        raise StudyError(
            expected=f"report format {REPORT_FORMAT} in {path}",
            found=f"format {report.format}",
            hint="evaluate with the pytest-lockin version that wrote the report",
        )
    return tuple(_make_task(entry, path) for entry in report.tasks)


def _make_task(entry: _TaskEntry, path: Path) -> ReportedTask:
    outcome = Outcome(
        cases=entry.tests, verdict=entry.verdict, judgement=_judge(entry, path), suite=entry.suite
    )
    parts = tuple(part for part in entry.suite.replace("\\", "/").split("/") if part not in {"", "."})
    return ReportedTask(task=entry.id, suite=parts, outcome=outcome)


def _judge(entry: _TaskEntry, path: Path) -> Judgement:
    agreement = entry.agreement
    if agreement is None or entry.verdict is Verdict.UNVERIFIED:
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
    reported: Iterable[ReportedTask], folders: tuple[str, ...], where: str
) -> ReportedTask | Unjudged:
    """Find the entry whose suite lies in a folder ending with these names (`("planaudit", "q04")`).

    Raises:
        StudyError: several entries lie there, so that it cannot be told which is the run's.
    """
    found = [one for one in reported if one.suite[:-1][-len(folders) :] == folders]
    if len(found) > 1:
        raise StudyError(
            expected=f"one suite for {where}",
            found=", ".join("/".join(one.suite) for one in found),
            hint="give one report per run; keep one test_solution.py per run folder",
        )
    return found[0] if found else Unjudged(reason="not in the report")


def read_reports(paths: Iterable[Path]) -> tuple[ReportedTask, ...]:
    """Read several reports as one."""
    tasks: list[ReportedTask] = []
    for path in paths:
        tasks.extend(read_report(path))
    return tuple(tasks)


def describe(value: Any) -> str:
    """Name a judgement in one word or two, for an export."""
    match value:
        case Agreed():
            return "agrees"
        case Disagreed(category=category):
            return str(category)
        case Unjudged(reason=reason):
            return f"unjudged: {reason}"
        case _:
            return str(value)

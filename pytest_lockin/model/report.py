"""The frozen report: verdict per task, the gate, and everything a renderer needs to lay out."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pytest_lockin.model.agreement import Agreement, FixtureFinding
from pytest_lockin.model.alternative import OperatorText
from pytest_lockin.model.finding import Diagnosis, ObligationFinding
from pytest_lockin.model.isolation import Isolation
from pytest_lockin.model.trial import TrialSummary

# Changes by version: 1, the first.
FORMAT = 1


class VerdictKind(StrEnum):
    """Of a task: the suite's word and the reference's, put together."""

    TRUE_PASS = "true_pass"  # noqa: S105 - a word of this field, not a password
    """The suite passes, and the reference agrees with the program."""
    FALSE_PASS = "false_pass"  # noqa: S105
    """The suite passes, and the reference disagrees with the program: it is wrong, and no test noticed."""
    TRUE_FAIL = "true_fail"
    """The suite fails, and the reference disagrees with the program: the tests are right to fail."""
    FALSE_ALARM = "false_alarm"
    """The suite fails, and the reference agrees with the program: the tests are wrong."""
    UNVERIFIED = "unverified"
    """There is no verdict; the report says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestCounts:
    """How the cases of a suite ended; a flaky case is counted there only."""

    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    flaky: int = 0

    __test__ = False

    @property
    def green(self) -> bool:
        """Whether the suite passes: something passed and nothing failed."""
        return self.passed > 0 and not self.failed and not self.errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """Whether the suite accepts the reference in the candidate's place.

    `accepts_reference` is None where that could not be tried; `reason` then says why. `completed` names
    input columns that the tests' tables lack and that were filled with typed NULLs.
    """

    accepts_reference: bool | None = None
    cases_rejecting: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramFile:
    """One file of the candidate: its module, its path from the root folder, and its text."""

    module: str
    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing a gate may fail on: its kind, and what tells it from others of that kind in the suite."""

    kind: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReport:
    """What is known about one task's suite.

    Attributes:
        id: the task; `suite`: its test file from the root folder.
        engine: the engine whose word counts; `engine_version` with its version.
        confirmed: whether classic Spark had the last word on suite and agreement.
        verdict: None without references.
        reason: why the verdict is what it is, in plain words.
        partial: `n of m cases`, when some were not run; else "".
        moved: why the suite ended on another engine than the one that looked first; else "".
        flaky: ids of cases whose outcome changed between runs.
        observed_calls: calls of the entry point that the cases made.
        notes: what a reader should know and no gate looks at.
        trials: which other programs the tests accept; None where alternatives were not to be tried.
        isolated: program and tests ran in a sandbox, and it was seen to hold.
        tampered: files it is judged by that changed while it ran.
        fixtures: what each frozen fixture says of the candidate.
        obligations: each one in plan, code and tests; empty where the candidate was not diagnosed.
        diagnosis: what the candidate got wrong; None where it was not diagnosed.
        program: the candidate's files; none where its module is not found in the project.
        unchanged: the revision since which nothing of this suite changed, so that it was not examined; or "".
        findings: what of it a gate may be asked to fail on.
    """

    id: str
    suite: str
    engine: str = ""
    engine_version: str = ""
    confirmed: bool = False
    tests: TestCounts = TestCounts()
    verdict: VerdictKind | None = None
    reason: str = ""
    agreement: Agreement | None = None
    fidelity: Fidelity = Fidelity()
    partial: str = ""
    moved: str = ""
    flaky: tuple[str, ...] = ()
    red_on_judge: tuple[str, ...] = ()
    observed_calls: int = 0
    references: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    trials: TrialSummary | None = None
    isolated: bool = False
    tampered: tuple[str, ...] = ()
    fixtures: tuple[FixtureFinding, ...] = ()
    obligations: tuple[ObligationFinding, ...] = ()
    diagnosis: Diagnosis | None = None
    program: tuple[ProgramFile, ...] = ()
    unchanged: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def accusing(self) -> tuple[FixtureFinding, ...]:
        """The fixtures on which the candidate is wrong."""
        return tuple(each for each in self.fixtures if each.accuses)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Pass or fail, with reasons; `allowed` lists what was found and let pass, and why."""

    passed: bool
    reasons: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run's findings.

    Attributes:
        format: version of this report's shape.
        version: of pytest-lockin.
        with_references: whether references were given; without them no verdict is.
        examined: suites looked at; `listed` test files that match `lockin_suites` and have no task.
        seconds: wall time of the stages after the ordinary run.
        isolation: how programs and tests were kept apart.
        policy: revision or folder that settings, waivers, task files and locks were compared with, or "".
        policy_changes: one line for each of them that is not as it is there.
        operators: what each family that alternatives of this run belong to says of itself.
    """

    format: int = FORMAT
    version: str = ""
    with_references: bool = False
    engine: str = ""
    java: bool = False
    tasks: tuple[TaskReport, ...] = ()
    gate: Gate = Gate(passed=True)
    listed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    isolation: Isolation = field(default_factory=Isolation)
    policy: str = ""
    policy_changes: tuple[str, ...] = ()
    operators: tuple[OperatorText, ...] = ()

"""The published JSON report as frozen values: what every renderer lays out.

A run's report and one read back from a file are the same document, so that `lockin report out.json` shows
what the run would have shown. Fields that no renderer asks for are left out here; their meaning is that
of `docs/reference/json.md`. Of the model's classes those are used that the file holds as they are; where one
has a default, a damaged file would pass for a whole one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_lockin.errors import ReportFileError
from pytest_lockin.model.agreement import CellSample  # noqa: TC001 - msgspec reads the annotations
from pytest_lockin.model.alternative import OperatorText  # noqa: TC001 - as above
from pytest_lockin.model.fixture import ShownTable  # noqa: TC001 - as above
from pytest_lockin.model.isolation import LimitInForce  # noqa: TC001 - as above
from pytest_lockin.model.report import FORMAT, ProgramFile
from pytest_lockin.model.trial import SURVIVING, OutcomeCounts, TrialOutcome
from pytest_lockin.reports.jsonfile import report_to_json

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lockin.model.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """Inputs on which the candidate is wrong, and both outputs; `raised` where the candidate gave none."""

    inputs: tuple[ShownTable, ...]
    expected: ShownTable
    found: ShownTable | None
    raised: str
    shrunk: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """What one frozen fixture says of the candidate; `agrees` is None where it says nothing."""

    name: str
    purpose: str
    engine: str
    post_hoc: bool
    agrees: bool | None
    category: str | None
    text: str
    dropped: str
    witness: Witness | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One difference of outputs in words, with examples where rows differ."""

    kind: str
    text: str
    cells: tuple[CellSample, ...] = ()
    missing_rows: tuple[str, ...] = ()
    extra_rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How the candidate's output compares with the reference's."""

    agrees: bool
    category: str | None
    recovered_by: tuple[str, ...]
    rows_expected: int
    rows_found: int
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """The case that noticed, and how."""

    case_id: str
    type: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """One alternative and how it fared; lines from 1, columns from 0 in characters, the end excluded."""

    id: str
    operator: str
    kind: str
    text: str
    module: str
    line: int
    column: int
    end_line: int
    end_column: int
    before: str
    after: str
    diff: str
    outcome: TrialOutcome
    kill: Kill | None
    detail: str
    engine: str
    confirmed: bool
    right_making: bool
    undecided: bool
    equivalent: bool
    waived: str
    killers: tuple[str, ...]

    @property
    def survived(self) -> bool:
        """Whether the suite let it pass."""
        return self.outcome in SURVIVING

    @property
    def counts(self) -> bool:
        """Whether its survival says something of the tests: it is another program, wrong, and not waived."""
        return not (self.right_making or self.undecided or self.equivalent or self.waived)

    @property
    def noticed_by(self) -> tuple[str, ...]:
        """Cases known to notice it: all of them where a matrix run looked, else the first."""
        first = (self.kill.case_id,) if self.kill is not None else ()
        return tuple(dict.fromkeys((*first, *self.killers)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseWorth:
    """What a case is worth: alternatives it notices, what it looks at, why it accepts everything."""

    case_id: str
    kills: int
    only: tuple[str, ...]
    looks_at: tuple[str, ...]
    too_loose: bool
    accepts_everything: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """All trials of one suite; with a `refusal` nothing else counts."""

    refusal: str
    engine: str
    confirmed: bool
    kill_percent: int | None
    kill_percent_waived: int | None
    counts: OutcomeCounts
    counts_waived: OutcomeCounts
    survivors: tuple[Alternative, ...]
    others: tuple[Alternative, ...]
    cases: tuple[CaseWorth, ...]
    waived: int
    seconds: float
    notes: tuple[str, ...]

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """All of them, as they stand in the program."""
        return tuple(sorted((*self.survivors, *self.others), key=lambda each: (each.module, each.line)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Of one case: does it fail once the obligation is met, see a difference then, look at what differs?"""

    case_id: str
    rejects: bool
    differs: bool
    looks: bool
    sharpened: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a finding on an obligation rests on."""

    quote: str
    rule: str
    wrong: tuple[str, ...]
    cases: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaking:
    """Ids of the alternatives that break an obligation, by how they fared."""

    killed: tuple[str, ...]
    unrevealed: tuple[str, ...]
    uninfected: tuple[str, ...]
    undecided: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation:
    """One obligation in plan, code and tests."""

    id: str
    kind: str
    source: str
    text: str
    plan: str
    code: str
    tests: str
    mechanism: str | None
    other_mechanisms: tuple[str, ...]
    sco: bool
    known_by: str
    engine: str
    evidence: Grounds
    alternatives: Breaking
    witness: str
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """An obligation the candidate breaks, and what it does instead."""

    obligation: str | None
    explains: tuple[str, ...]
    residual: float
    or_else: tuple[str, ...]
    rule: str
    inputs: tuple[str, ...]
    tried: int
    engine: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing a gate may fail on."""

    kind: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """Cases by how they ended."""

    passed: int
    failed: int
    errors: int
    skipped: int
    flaky: int

    __test__ = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """The suite with the reference in the candidate's place."""

    accepts_reference: bool | None
    cases_rejecting: tuple[str, ...]
    completed: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One suite and what is known of it."""

    id: str
    suite: str
    engine: str
    engine_version: str
    confirmed: bool
    tests: Tests
    verdict: str | None
    reason: str
    partial: str
    moved: str
    flaky: tuple[str, ...]
    red_on_judge: tuple[str, ...]
    observed_calls: int
    references: tuple[str, ...]
    agreement: Agreement | None
    fidelity: Fidelity
    notes: tuple[str, ...]
    trials: Trials | None
    isolated: bool
    tampered: tuple[str, ...]
    fixtures: tuple[Fixture, ...]
    obligations: tuple[Obligation, ...]
    diagnosis: tuple[Explained, ...]
    unchanged: str
    findings: tuple[Finding, ...]
    program: tuple[ProgramFile, ...]

    @property
    def witness(self) -> Witness | None:
        """Rows on which the candidate is wrong, the first there are."""
        return next((each.witness for each in self.fixtures if each.witness is not None), None)

    @property
    def checked(self) -> tuple[int, int]:
        """How many obligations the tests check, and of how many that is known."""
        known = [each for each in self.obligations if each.tests != "unknown"]
        return sum(each.tests == "covered" for each in known), len(known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Pass or fail, with reasons."""

    passed: bool
    reasons: tuple[str, ...]
    allowed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attestation:
    """What was seen from outside of one kind of process."""

    role: str
    backend: str
    namespaces: dict[str, str]
    shared: tuple[str, ...]
    mounts: str
    visible: tuple[str, ...]
    writable: tuple[str, ...]
    limits: tuple[LimitInForce, ...]
    filtered: bool
    missing: tuple[str, ...]
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """How programs and tests were kept apart."""

    backend: str
    version: str
    isolated: bool
    reason: str
    processes: int
    leaks: tuple[str, ...]
    attestations: tuple[Attestation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One run's findings, as published."""

    format: int
    version: str
    with_references: bool
    engine: str
    java: bool
    tasks: tuple[Task, ...]
    gate: Gate
    without_task: tuple[str, ...]
    notes: tuple[str, ...]
    seconds: float
    isolation: Isolation
    policy: str
    policy_changes: tuple[str, ...]
    operators: tuple[OperatorText, ...]


def make_document(report: Report) -> Document:
    """A run's report as the document that its JSON file holds."""
    return msgspec.convert(report_to_json(report), Document)


def read_document(path: Path) -> Document:
    """Read a file that `--lockin-json` wrote.

    Raises:
        ReportFileError: it cannot be read, is no report, or one of another format.
    """
    try:
        plain: Any = json.loads(path.read_bytes())
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    except ValueError as error:
        raise _unreadable(path, f"not JSON ({error})") from error
    found = plain.get("format") if isinstance(plain, dict) else None
    if found != FORMAT:
        raise _unreadable(path, "no report of pytest-lockin" if found is None else f"format {found}")
    try:
        return msgspec.convert(plain, Document)
    except msgspec.ValidationError as error:
        raise _unreadable(path, str(error)) from error


def _unreadable(path: Path, found: str) -> ReportFileError:
    return ReportFileError(
        expected=f"a JSON report of format {FORMAT} in {path}",
        found=found,
        hint="write one with `pytest --lockin-json FILE`, with this version of pytest-lockin",
    )

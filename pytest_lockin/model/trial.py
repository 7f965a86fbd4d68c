"""Trials: what a worker is asked and answers, how an alternative ended, and what it all adds up to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pytest_lockin.model.suite import CallOutcome

CaseStatus = Literal["passed", "failed", "skipped"]


class TrialOutcome(StrEnum):
    """How an alternative fared against a suite; decided by where it failed, not by the exception's type."""

    UNREACHED = "unreached"
    """No case runs what was changed."""
    UNINFECTED = "uninfected"
    """It ran, and every observed output is the same as the original's: the rows cannot show it."""
    UNREVEALED = "unrevealed"
    """Some output differs and every case still passes: the asserts do not look."""
    CRASHED = "crashed"
    """The import, the entry-point call or materialising its output raised; says nothing about asserts."""
    KILLED = "killed"
    """A case that passes on the original fails in any other way."""
    TIMED_OUT = "timed_out"
    """No answer in a multiple of the clean run's time, twice; never counts as anything."""
    HARNESS_ERROR = "harness_error"
    """The worker died, or fewer cases were collected than on the original; never counts as anything."""
    NOT_RUN = "not_run"
    """The budget was spent, or the run was stopped, before its turn."""


SURVIVING = frozenset({TrialOutcome.UNREACHED, TrialOutcome.UNINFECTED, TrialOutcome.UNREVEALED})
INCONCLUSIVE = frozenset({TrialOutcome.TIMED_OUT, TrialOutcome.HARNESS_ERROR})


class Wreckage(StrEnum):
    """A wrecked output that a case is given in place of the real one, to see whether it looks."""

    RAISES = "raises"
    EMPTY = "empty"
    DOUBLED_ROWS = "doubled_rows"
    ROW_LESS = "row_less"
    NULL_MEASURE = "null_measure"
    DOUBLED_MEASURE = "doubled_measure"
    LAST_DIGIT = "last_digit"
    SCRAMBLED = "scrambled"
    RENAMED = "renamed"
    RETYPED = "retyped"
    REVERSED = "reversed"


# Requests and replies of a trial worker.


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare:
    """Run the suite clean, record and replay every call, and prove that a broken program is seen.

    Attributes:
        cases: the cases that count (green in the baseline); others are never run.
        replays: how often each distinct input is replayed to see whether its output is stable.
        partitions: go on with so many partitions from here; 0 for those the worker was started with.
    """

    cases: tuple[str, ...] = ()
    replays: int = 5
    partitions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCalls:
    """What each call of the entry point that a case rests on gave, in order."""

    case_id: str
    calls: tuple[CallOutcome, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The controls' answers, and how much of the suite can be decided by replay.

    Attributes:
        refusal: why no trial can be believed here; "" when all controls passed.
        red: cases that were not green in this worker.
        inputs: distinct inputs observed; `replayable`: those whose output the original gave again.
        seconds: wall time of one clean run of all cases.
        blind: cases that passed although the entry point raised.
        stateful: the suite touches the session's state, so it is reset between trials.
    """

    refusal: str = ""
    red: tuple[str, ...] = ()
    inputs: int = 0
    replayable: int = 0
    seconds: float = 0.0
    blind: tuple[str, ...] = ()
    stateful: bool = False
    calls: tuple[CaseCalls, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """Put one alternative in place and see who notices.

    Attributes:
        id: of the alternative; `module` the dotted name, `source` the whole text with the edit.
        exhaustive: take no shortcut: replay everything, run every case.
        matrix: like `exhaustive`, and say how each case ended.
        only: look no further than these cases; all where it is empty.
    """

    id: str
    module: str
    source: str
    exhaustive: bool = False
    matrix: bool = False
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """The case that noticed, and how: the exception's type and the first line of its message."""

    case_id: str
    type: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One trial's answer.

    Attributes:
        kill: who noticed; None where nobody did.
        detail: what there is to say in one line: where it crashed, which shape did not fit.
        reimport: the alternative could not be swapped in here; the suite has to be imported with it.
        changed: number of distinct observed inputs on which the output differed (as far as was looked).
        order_only: every difference seen is one of row order.
        killers: in a matrix run, every case that failed otherwise than by a crash.
        ran: number of cases run.
        reached: the cases that run what was changed, as far as was looked.
        saw: those that were given another output than the original's, or crashed.
        same_plan: on every input the engine plans what it plans for the original: no other program.
    """

    id: str
    outcome: TrialOutcome
    kill: Kill | None = None
    detail: str = ""
    reimport: bool = False
    changed: int = 0
    order_only: bool = False
    killers: tuple[str, ...] = ()
    ran: int = 0
    reached: tuple[str, ...] = ()
    saw: tuple[str, ...] = ()
    same_plan: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Give each case wrecked outputs in place of the real ones."""

    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseProbe:
    """Which wreckage a case accepted, and which could not be made of its outputs (`not_made`)."""

    case_id: str
    accepted: tuple[Wreckage, ...] = ()
    rejected: tuple[Wreckage, ...] = ()
    not_made: tuple[Wreckage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """The probes of all cases asked about."""

    cases: tuple[CaseProbe, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFresh:
    """Run cases in a worker that imported the suite with an alternative's source in place.

    `thorough` runs them all, else the first failure that is no crash ends it.
    """

    id: str
    cases: tuple[str, ...]
    thorough: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseEnd:
    """How one case ended in such a worker; `crash` where the program failed, not the case."""

    case_id: str
    status: str
    error: str = ""
    message: str = ""
    crash: bool = False
    calls: tuple[CallOutcome, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RanFresh:
    """How the cases ended; `missing` names one that was not collected, and then nothing counts."""

    id: str
    cases: tuple[CaseEnd, ...] = ()
    missing: str = ""


TRIAL_REQUESTS: tuple[type, ...] = (Prepare, Try, Probe, RunFresh)
TRIAL_MESSAGES: tuple[type, ...] = (*TRIAL_REQUESTS, Prepared, Tried, Probed, RanFresh)


# What it all adds up to.


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCounts:
    """How many alternatives ended how."""

    killed: int = 0
    unrevealed: int = 0
    uninfected: int = 0
    unreached: int = 0
    crashed: int = 0
    timed_out: int = 0
    harness_error: int = 0
    not_run: int = 0
    undecided: int = 0
    """No case and no fixture tells them from the original; never called equivalent."""
    equivalent: int = 0
    """The engine's plan is the original's: no other program, and no part of any score."""

    def __add__(self, other: OutcomeCounts) -> OutcomeCounts:
        return OutcomeCounts(**{name: getattr(self, name) + getattr(other, name) for name in self.__slots__})

    @property
    def decided(self) -> int:
        """Alternatives that the suite noticed or let pass."""
        return self.killed + self.survived

    @property
    def survived(self) -> int:
        """Alternatives that the suite let pass."""
        return self.unrevealed + self.uninfected + self.unreached

    @property
    def executed(self) -> int:
        """Trials that gave an answer of any kind."""
        return self.decided + self.crashed + self.undecided

    @property
    def inconclusive(self) -> int:
        """Trials that were run and gave no answer."""
        return self.timed_out + self.harness_error

    @property
    def percent(self) -> int | None:
        """The kill score: of 100 decided ones, how many were noticed; None where none was decided."""
        return percent_of(self.killed, self.decided)


def percent_of(part: int, whole: int) -> int | None:
    """A share in percent that tells the truth: 100 only for all, 0 only for none, None of nothing."""
    if whole <= 0:
        return None
    if part in (0, whole):
        return 100 * part // whole
    return min(99, max(1, (200 * part + whole) // (2 * whole)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeResult:
    """One alternative and how it fared.

    Attributes:
        kind: the obligation kind it breaks, "" for a generic edit.
        text: one line in an analyst's words.
        line, column, end_line, end_column: where the original stands (lines from 1, columns from 0 in
            characters, the end excluded).
        engine: the engine whose word the outcome is.
        confirmed: classic Spark had the last word.
        disagreement: what the looking engine said, where the judge said otherwise.
        right_making: it agrees with the reference; its kill is evidence against the suite and never scores.
        undecided: no fixture tells it from the original.
        equivalent: the engine plans what it plans for the original.
        waived: the reason given in the waiver file, else "".
        only_killer: in a matrix run, the one case that notices it, else "".
        cached: an earlier run's answer, which nothing has touched since.
    """

    id: str
    operator: str
    kind: str
    text: str
    module: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    before: str
    after: str
    diff: str
    outcome: TrialOutcome
    kill: Kill | None = None
    detail: str = ""
    engine: str = ""
    confirmed: bool = False
    disagreement: str = ""
    order_only: bool = False
    right_making: bool = False
    undecided: bool = False
    equivalent: bool = False
    waived: str = ""
    only_killer: str = ""
    killers: tuple[str, ...] = ()
    cached: bool = False
    seconds: float = 0.0

    @property
    def survived(self) -> bool:
        """Whether the suite let it pass."""
        return self.outcome in SURVIVING


@dataclass(frozen=True, slots=True, kw_only=True)
class KindScore:
    """The counts of one obligation kind."""

    kind: str
    counts: OutcomeCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport:
    """What a case is worth.

    Attributes:
        kills: alternatives known to be noticed by it; `only`: those that no other case notices (matrix run).
        looks_at: of rows, values, schema, order and nulls, what wrecking its outputs showed it to look at.
        too_loose: it looks at the measure, and a factor of two passes.
        accepts_everything: why it can never fail, else "".
    """

    case_id: str
    kills: int = 0
    only: tuple[str, ...] = ()
    looks_at: tuple[str, ...] = ()
    accepted: tuple[Wreckage, ...] = ()
    too_loose: bool = False
    accepts_everything: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSummary:
    """All trials of one suite.

    Attributes:
        refusal: why there were none; then nothing else counts.
        counts: those that score; right-making ones are in `right_making` only.
        counts_waived: as `counts`, without the survivors that are waived.
        notes: what a reader should know: budget spent, stale waivers, disagreement of engines.
    """

    refusal: str = ""
    engine: str = ""
    confirmed: bool = False
    counts: OutcomeCounts = OutcomeCounts()
    counts_waived: OutcomeCounts = OutcomeCounts()
    right_making: OutcomeCounts = OutcomeCounts()
    by_kind: tuple[KindScore, ...] = ()
    alternatives: tuple[AlternativeResult, ...] = ()
    cases: tuple[CaseReport, ...] = ()
    disagreements: int = 0
    waived: int = 0
    cached: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

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
    HARNESS_ERROR = "harness_error"
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
    """

    cases: tuple[str, ...] = ()
    replays: int = 5


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
    """

    id: str
    module: str
    source: str
    exhaustive: bool = False
    matrix: bool = False


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

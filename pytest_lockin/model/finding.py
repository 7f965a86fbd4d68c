"""What a candidate got wrong, which obligation that breaks, and why no test noticed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Mechanism(StrEnum):
    """Why a violated obligation went unnoticed (PAPERS A1.33)."""

    SELF_CONFIRMING_OMISSION = "self_confirming_omission"
    """Absent from the plan and from the tests: no case looks. To do: add one that fails unless it is met."""
    GAP_DESPITE_PLAN = "gap_despite_plan"
    """Planned, and not tested: no case looks. To do: add the case that the plan speaks of."""
    PARTIAL_COVERAGE = "partial_coverage"
    """Tested too coarsely: a case looks, sees a difference and passes. To do: assert on the values."""
    CANDIDATE_SCHEMA = "candidate_schema"
    """Tests pin the candidate's own names, types or labels. To do: expect those that the task asks for."""
    NONDISCRIMINATING_DATA = "nondiscriminating_data"
    """Tests look, and their rows cannot show it. To do: add a row on which it matters."""
    SAME_INCORRECT_LOGIC = "same_incorrect_logic"
    """Tests expect the wrong values. To do: work them out from the task, not from the program."""


class PlanStatus(StrEnum):
    """What the plan says about an obligation; always matched by words, never run."""

    PRESENT = "present"
    PARTIAL = "partial"
    ABSENT = "absent"
    CONTRADICTED = "contradicted"
    NO_PLAN = "no_plan"


class CodeStatus(StrEnum):
    """What the program does about an obligation."""

    SATISFIED = "satisfied"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


class TestStatus(StrEnum):
    """What the tests check of an obligation."""

    COVERED = "covered"
    PARTIAL = "partial"
    NOT_COVERED = "not_covered"
    UNKNOWN = "unknown"

    __test__ = False


class KnownBy(StrEnum):
    """How a finding is known."""

    EXECUTED = "executed"
    DERIVED = "derived"
    TEXT_MATCHED = "text_matched"


class ShapeKind(StrEnum):
    """How the columns of two results differ, whatever is in them."""

    MISSING = "missing"
    EXTRA = "extra"
    ORDER = "order"
    NAMES = "names"
    TYPES = "types"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeFinding:
    """One difference of columns.

    Attributes:
        columns: the reference's columns it concerns, by name; the candidate's for `extra`.
        obligation: the id of the obligation it breaks; "" where the task has none for it.
    """

    kind: ShapeKind
    columns: tuple[str, ...]
    text: str
    obligation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A program that behaves like the candidate: the reference with these edits.

    Attributes:
        obligations: the obligations the edits break, ids; "" stands for what belongs to none.
        edits: what the candidate does instead, one line each.
        before: the changed lines of the statement, one for each edit; `after` what they become.
        residual: 0 where it equals the candidate on everything tried; else the share of the difference left.
        informed: some edit was made from constants of the candidate's source.
    """

    obligations: tuple[str, ...]
    edits: tuple[str, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    residual: float = 0.0
    informed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What a candidate got wrong, as far as running variants of the reference tells.

    Attributes:
        agrees: on everything tried the values agree, columns' names, types and places apart.
        explanation: the smallest edits that explain it, or the closest ones where none do; None if none help.
        shape: differences of columns.
        others: obligations whose edits explain it just as well on everything tried.
        rule: what decided between explanations that fit equally well; "" where one did.
        inputs: data sets it was tried on; `tried`: programs run.
        engine: which engine ran them.
    """

    agrees: bool
    explanation: Explanation | None = None
    shape: tuple[ShapeFinding, ...] = ()
    others: tuple[str, ...] = ()
    rule: str = ""
    inputs: tuple[str, ...] = ()
    tried: int = 0
    engine: str = ""

    @property
    def explained(self) -> bool:
        """Whether some program was found that equals the candidate wherever it was tried."""
        return self.agrees or (self.explanation is not None and not self.explanation.residual)

    @property
    def broken(self) -> tuple[str, ...]:
        """The obligations that are violated, the one that matters most first; unexplained ones are not in."""
        values = self.explanation.obligations if self.explanation and not self.explanation.residual else ()
        found = (*values, *(each.obligation for each in self.shape))
        return tuple(dict.fromkeys(each for each in found if each))

    @property
    def primary(self) -> str:
        """The first of them; "" where none is known, or values differ and nothing explains how."""
        return next(iter(self.broken), "") if self.explained else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseEvidence:
    """What one case was seen to do about one violated obligation.

    Attributes:
        rejects: it fails once the program meets the obligation, everything else as it was.
        differs: what it observed changes then.
        looks: it fails where the columns or rows concerned are wrecked.
        sharpened: with one cell of its rows changed, what it would observe changes too.
    """

    case_id: str
    rejects: bool = False
    differs: bool = False
    looks: bool = False
    sharpened: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How the alternatives of one obligation fared, ids."""

    killed: tuple[str, ...] = ()
    unrevealed: tuple[str, ...] = ()
    uninfected: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObligationFinding:
    """One obligation in plan, code and tests, and why a violation would go, or went, unnoticed.

    Attributes:
        id: of the obligation; `kind`, `source` and `text` are its own.
        quote: the plan's sentence that decided `plan`; "" where there is none.
        tests: covered where every alternative that breaks it is noticed, partial where some are.
        mechanism: why; None where the tests cover it. `others` holds mechanisms that hold as well.
        rule: what decided the mechanism.
        sco: absent from the plan, violated by the code and not covered by the tests (PAPERS A1.24).
        known_by: how the code's status is known; `engine` which engine ran it.
        wrong: what the candidate does instead, where it violates the obligation.
        cases: what each case was seen to do about it, where it is violated.
        meant: cases that are marked to check it.
        witness: the rows that show it, in words; where it is violated and some are known.
        advice: what to do about it.
    """

    id: str
    kind: str
    source: str
    text: str
    plan: PlanStatus = PlanStatus.NO_PLAN
    quote: str = ""
    code: CodeStatus = CodeStatus.UNKNOWN
    tests: TestStatus = TestStatus.UNKNOWN
    mechanism: Mechanism | None = None
    others: tuple[Mechanism, ...] = ()
    rule: str = ""
    sco: bool = False
    known_by: KnownBy = KnownBy.DERIVED
    engine: str = ""
    wrong: tuple[str, ...] = ()
    cases: tuple[CaseEvidence, ...] = ()
    meant: tuple[str, ...] = ()
    alternatives: Counted = Counted()
    witness: str = ""
    advice: str = ""

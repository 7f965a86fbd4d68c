"""What a candidate got wrong, which obligation that breaks, and why no test noticed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Mechanism(StrEnum):
    """Why a violated obligation went unnoticed (PAPERS A1.33)."""

    SELF_CONFIRMING_OMISSION = "self_confirming_omission"
    """Absent from the plan and from the tests."""
    GAP_DESPITE_PLAN = "gap_despite_plan"
    """Planned, and not tested."""
    PARTIAL_COVERAGE = "partial_coverage"
    """Tested too coarsely."""
    CANDIDATE_SCHEMA = "candidate_schema"
    """Tests pin the candidate's own names, types or labels."""
    NONDISCRIMINATING_DATA = "nondiscriminating_data"
    """Tests look, and their rows cannot show it."""
    SAME_INCORRECT_LOGIC = "same_incorrect_logic"
    """Tests expect the wrong values."""


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

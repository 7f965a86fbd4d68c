"""What a kind of control is: the perturbation, what it needs, what it must and must not change."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from pytest_lockin.model.agreement import Agreement, OrderDiffers
from pytest_lockin.model.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.studies.controls.extend import Extended


class Answer(StrEnum):
    """The right answer of the comparator to a control."""

    ACCEPT = "accept"
    REJECT = "reject"


class Aspect(StrEnum):
    """What a comparison looks at; the oracle measures each by itself."""

    NAMES = "names"
    TYPES = "types"
    COUNT = "row count"
    ROWS = "rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A reference and its perturbation, with the rules and the tie pool they are compared under."""

    expected: Frame
    found: Frame
    rules: Rules = field(default_factory=Rules)
    pool: Frame | None = None


def is_always_real(_pair: Pair) -> bool:
    """Need no proof beyond the aspects that must change."""
    return True


def is_plainly_right(agreement: Agreement, answer: Answer) -> bool:
    """Tell whether the strict answer is the right one."""
    return agreement.agrees is (answer is Answer.ACCEPT)


def is_legally_ordered(agreement: Agreement, answer: Answer) -> bool:
    """Tell whether the answer is right and no row counts as out of order."""
    disordered = any(isinstance(one, OrderDiffers) for one in agreement.differences)
    return is_plainly_right(agreement, answer) and not disordered


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of control.

    Attributes:
        name: its id.
        title: its name in a table.
        answer: what the comparator must say.
        perturb: makes the pair from a reference (extended if need be) and a seeded generator.
        needs: what the reference must have; each adds what is missing.
        changes: aspects that must differ between the pair, by the oracle.
        keeps: aspects that must be equal. Aspects in neither may go either way.
        proof: shows that a perturbation no aspect sees (row order, a flag, a sign) was really made.
        is_right: judges the comparator's agreement.
    """

    name: str
    title: str
    answer: Answer
    perturb: Callable[[Frame, Random], Pair]
    needs: tuple[Callable[[Extended], Extended], ...] = ()
    changes: frozenset[Aspect] = frozenset()
    keeps: frozenset[Aspect] = frozenset()
    proof: Callable[[Pair], bool] = is_always_real
    is_right: Callable[[Agreement, Answer], bool] = is_plainly_right


ALL_ASPECTS = frozenset(Aspect)
SCHEMA = frozenset({Aspect.NAMES, Aspect.TYPES})
SCHEMA_AND_COUNT = SCHEMA | {Aspect.COUNT}
ROWS = frozenset({Aspect.ROWS})
COUNT_AND_ROWS = frozenset({Aspect.COUNT, Aspect.ROWS})

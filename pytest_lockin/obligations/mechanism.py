"""Why a violated or unchecked obligation went unnoticed, from what was seen when it was put right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.model.finding import CaseEvidence, Mechanism, PlanStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.model.finding import Counted

_UNPLANNED = frozenset({PlanStatus.ABSENT, PlanStatus.CONTRADICTED, PlanStatus.NO_PLAN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The mechanism, others that hold as well, the rule that decided, and the cases it rests on."""

    mechanism: Mechanism
    rule: str
    others: tuple[Mechanism, ...] = ()
    cases: tuple[str, ...] = ()


def decide_mechanism(evidence: Sequence[CaseEvidence], plan: PlanStatus, *, about_schema: bool) -> Decision:
    """Decide why a violated obligation went unnoticed.

    In order of evidence: a case that fails once the obligation is met expects the wrong thing; a case that
    looks and whose rows cannot show it has data that do not discriminate; a case that sees a difference and
    passes looks too coarsely; where no case looks, the plan tells a gap from an omission.

    `about_schema`: what is wrong are names, types, places or labels.
    """
    found = list(_hold(evidence, about_schema=about_schema)) or [_untested(plan)]
    first, *rest = found
    return Decision(
        mechanism=first.mechanism,
        rule=first.rule,
        cases=first.cases,
        others=tuple(dict.fromkeys(each.mechanism for each in rest)),
    )


def _hold(evidence: Sequence[CaseEvidence], *, about_schema: bool) -> list[Decision]:
    rejecting = tuple(each.case_id for each in evidence if each.rejects)
    blind = tuple(each.case_id for each in evidence if each.looks and not each.differs and each.sharpened)
    coarse = tuple(each.case_id for each in evidence if each.looks and each.differs and not each.rejects)
    expected = Mechanism.CANDIDATE_SCHEMA if about_schema else Mechanism.SAME_INCORRECT_LOGIC
    all_of_them = (
        (rejecting, expected, "a case fails once the program meets the obligation"),
        (
            blind,
            Mechanism.NONDISCRIMINATING_DATA,
            "a case reads what is wrong, sees the same on its rows, and would not with one cell changed",
        ),
        (coarse, Mechanism.PARTIAL_COVERAGE, "a case sees a difference where it looks, and passes"),
    )
    return [
        Decision(mechanism=mechanism, rule=rule, cases=cases)
        for cases, mechanism, rule in all_of_them
        if cases
    ]


def _untested(plan: PlanStatus) -> Decision:
    if plan in _UNPLANNED:
        rule = "no case looks, and the plan does not say it"
        return Decision(mechanism=Mechanism.SELF_CONFIRMING_OMISSION, rule=rule)
    return Decision(mechanism=Mechanism.GAP_DESPITE_PLAN, rule="no case looks, though the plan says it")


def decide_from_trials(counted: Counted, plan: PlanStatus) -> Decision | None:
    """Decide why an obligation that is met is not checked, from how alternatives fared; None if it is."""
    if counted.unrevealed:
        rule = "an alternative's output differs, and every case passes"
        return Decision(mechanism=Mechanism.PARTIAL_COVERAGE, rule=rule, cases=())
    if counted.uninfected:
        rule = "an alternative's output is the same on every case's rows"
        return Decision(mechanism=Mechanism.NONDISCRIMINATING_DATA, rule=rule)
    return None if counted.killed or counted.undecided else _untested(plan)

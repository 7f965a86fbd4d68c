"""What an earlier run's answer is worth after the tests were edited, and what has to be looked at again.

Decided per alternative, from what it was tried against and what there is now. A kill stands while the case
that noticed is as it was. An alternative that survived was passed by every case: it is tried again on those
that were edited or are new, and on no others. Where an edited case is given what it was given before, and the
test file takes nothing of the candidate but its entry point, only an alternative whose output that case was
seen to differ needs another look.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_lockin.model.trial import INCONCLUSIVE, SURVIVING, Kill, TrialOutcome, Tried

_FINAL = frozenset({*INCONCLUSIVE, TrialOutcome.KILLED, TrialOutcome.CRASHED, TrialOutcome.NOT_RUN})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTrial:
    """One alternative's answer and what it was tried against.

    Attributes:
        format: of the file it is kept in.
        shared: hash of all of the suite but the code of its cases.
        cases: (case id, hash of its own code).
        inputs: (case id, hash of what the entry point was given in it); "" where that cannot be told.
        reached: the cases that ran what was changed; `saw` those whose output differed.
    """

    format: int
    shared: str
    cases: tuple[tuple[str, str], ...]
    inputs: tuple[tuple[str, str], ...] = ()
    outcome: TrialOutcome
    kill: Kill | None = None
    detail: str = ""
    changed: int = 0
    order_only: bool = False
    killers: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()
    saw: tuple[str, ...] = ()
    same_plan: bool = False
    matrix: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """What there is now.

    Attributes:
        entry_only: the test file takes nothing of the candidate but its entry point.
    """

    shared: str
    cases: tuple[tuple[str, str], ...]
    inputs: tuple[tuple[str, str], ...] = ()
    entry_only: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all cases."""
        return tuple(case for case, _ in self.cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """A kept answer that has to be looked at again on these cases."""

    kept: KeptTrial
    cases: tuple[str, ...]


def look_again(kept: KeptTrial, now: Now, *, matrix: bool = False) -> Again | None:
    """Say on which cases an alternative has to be tried again: on none where the answer stands.

    None where it has to be tried as if for the first time.
    """
    if kept.shared != now.shared or (matrix and not kept.matrix):
        return None
    if kept.cases == now.cases:
        return Again(kept=kept, cases=())
    cases = None if matrix else _cases_again(kept, now)
    return None if cases is None else Again(kept=kept, cases=cases)


def _cases_again(kept: KeptTrial, now: Now) -> tuple[str, ...] | None:
    edited = _edited(kept, now)
    if kept.outcome is TrialOutcome.KILLED:
        killer = kept.kill.case_id if kept.kill is not None else ""
        if killer not in now.ids:
            return None
        return (killer,) if killer in edited else ()
    if _sees_the_same(kept, now, edited):
        edited = tuple(case for case in edited if case in kept.saw)
    gone = {case for case, _ in kept.cases} - set(now.ids)
    return None if kept.outcome is TrialOutcome.CRASHED and (edited or gone) else edited


def _edited(kept: KeptTrial, now: Now) -> tuple[str, ...]:
    before = dict(kept.cases)
    return tuple(case for case, code in now.cases if before.get(case) != code)


def _sees_the_same(kept: KeptTrial, now: Now, edited: tuple[str, ...]) -> bool:
    before, after = dict(kept.inputs), dict(now.inputs)
    return now.entry_only and all(before.get(case) and before[case] == after.get(case) for case in edited)


def restore(mutant_id: str, kept: KeptTrial, now: Now) -> Tried:
    """Give a kept answer that stands, as far as the cases that are still there go."""
    return Tried(
        id=mutant_id,
        outcome=_settle(kept, now),
        kill=kept.kill,
        detail=kept.detail,
        changed=kept.changed,
        order_only=kept.order_only,
        # An edited case may notice by now, or no more.
        killers=kept.killers if kept.matrix and kept.cases == now.cases else (),
        reached=kept.reached,
        saw=kept.saw,
        same_plan=kept.same_plan,
    )


def combine(again: Again, tried: Tried, now: Now) -> Tried | None:
    """Put together what stands of a kept answer and what the cases tried again said.

    None where a case that had noticed does so no more: nothing is known of the cases that come after it.
    """
    kept = again.kept
    if tried.outcome in _FINAL:
        return tried
    if kept.outcome is TrialOutcome.KILLED:
        return None
    standing = set(now.ids) - set(again.cases)
    saw = {*(case for case in kept.saw if case in standing), *tried.saw}
    reached = {*(case for case in kept.reached if case in standing), *tried.reached}
    outcome = tried.outcome
    if outcome is not TrialOutcome.UNREVEALED:
        if kept.outcome is TrialOutcome.UNREVEALED and any(case in standing for case in kept.saw):
            outcome = TrialOutcome.UNREVEALED
        elif reached:
            outcome = TrialOutcome.UNINFECTED
    return replace(
        tried,
        outcome=outcome,
        changed=max(kept.changed, tried.changed),
        same_plan=tried.same_plan and kept.same_plan,
        order_only=(kept.order_only or not kept.saw) and (tried.order_only or not tried.saw),
        saw=tuple(sorted(saw)),
        reached=tuple(sorted(reached)),
    )


def _settle(kept: KeptTrial, now: Now) -> TrialOutcome:
    """What a survivor is where some of the cases it was tried on are gone."""
    gone = {case for case, _ in kept.cases} - set(now.ids)
    if not gone or kept.outcome not in SURVIVING or any(case in now.ids for case in kept.saw):
        return kept.outcome
    reached = any(case in now.ids for case in kept.reached)
    return TrialOutcome.UNINFECTED if reached else TrialOutcome.UNREACHED


__all__ = ["Again", "KeptTrial", "Now", "combine", "look_again", "restore"]

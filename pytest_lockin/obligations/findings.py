"""One finding per obligation: plan, code and tests put together, and what to do."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_lockin.model.finding import (
    CodeStatus,
    Counted,
    KnownBy,
    Mechanism,
    ObligationFinding,
    PlanStatus,
    TestStatus,
)
from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.obligations.mechanism import decide_from_trials, decide_mechanism
from pytest_lockin.obligations.plan import PlanFinding, read_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_lockin.model.alternative import Mutant
    from pytest_lockin.model.finding import CaseEvidence
    from pytest_lockin.model.task import Obligation
    from pytest_lockin.model.trial import AlternativeResult
    from pytest_lockin.obligations.diagnose import Found
    from pytest_lockin.obligations.gather import Violation
    from pytest_lockin.obligations.link import Linker
    from pytest_lockin.obligations.mechanism import Decision

_UNTESTED = frozenset({Mechanism.GAP_DESPITE_PLAN, Mechanism.SELF_CONFIRMING_OMISSION})
_UNSAID = frozenset({PlanStatus.ABSENT, PlanStatus.CONTRADICTED, PlanStatus.NO_PLAN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """All that is known about one suite.

    Attributes:
        evidence: by violation, what its cases were seen to do.
        counted: by obligation, how the alternatives that break it fared; empty where none were tried.
        passes: the suite is green.
        witness: rows on which the candidate is wrong, in words; "" where none are known.
        meant: (case, obligation) for each obligation that a case is marked to check.
    """

    found: Found
    plan: str
    evidence: tuple[tuple[Violation, tuple[CaseEvidence, ...]], ...] = ()
    counted: Mapping[str, Counted] = field(default_factory=dict)
    passes: bool = True
    witness: str = ""
    meant: tuple[tuple[str, str], ...] = ()

    def meant_for(self, obligation: str) -> tuple[str, ...]:
        """The cases that are marked to check an obligation."""
        return tuple(case for case, named in self.meant if named == obligation)


def conclude_findings(obligations: Sequence[Obligation], seen: Seen) -> tuple[ObligationFinding, ...]:
    """Say of each obligation what plan, code and tests do about it, and why a violation goes unnoticed."""
    violated = {violation.obligation: (violation, cases) for violation, cases in seen.evidence}
    findings = (_conclude(one, obligations, seen, violated.get(one.id)) for one in obligations)
    return tuple(_say_meant(each, seen.meant_for(each.id)) for each in findings)


def _say_meant(finding: ObligationFinding, meant: tuple[str, ...]) -> ObligationFinding:
    """Name the cases marked to check it; where they do not, that is what there is to do."""
    if not meant or finding.tests in (TestStatus.COVERED, TestStatus.UNKNOWN):
        return replace(finding, meant=meant)
    named = ", ".join(map(_short, meant[:2]))
    is_one = len(meant) == 1
    how = "in no way" if finding.tests is TestStatus.NOT_COVERED else "in part only"
    advice = (
        f"{named} {'is' if is_one else 'are'} marked to check it and {'does' if is_one else 'do'} so {how}"
    )
    return replace(finding, meant=meant, advice="; ".join(filter(None, (advice, finding.advice))))


def _conclude(
    one: Obligation,
    all_of_them: Sequence[Obligation],
    seen: Seen,
    violated: tuple[Violation, tuple[CaseEvidence, ...]] | None,
) -> ObligationFinding:
    if violated is not None:
        return _violated(one, all_of_them, seen, *violated)
    counted = seen.counted.get(one.id, Counted())
    plan = read_plan(seen.plan, one, others=all_of_them)
    decision = decide_from_trials(counted, plan.status) if seen.counted else None
    explained = seen.found.diagnosis.explained
    return _finding(
        one,
        plan,
        decision,
        code=CodeStatus.SATISFIED if explained else CodeStatus.UNKNOWN,
        tests=count_tests(counted) if seen.counted else TestStatus.UNKNOWN,
        counted=counted,
        engine=seen.found.diagnosis.engine if explained else "",
        known_by=KnownBy.EXECUTED if explained else KnownBy.DERIVED,
    )


def _violated(
    one: Obligation,
    all_of_them: Sequence[Obligation],
    seen: Seen,
    violation: Violation,
    cases: tuple[CaseEvidence, ...],
) -> ObligationFinding:
    plan = read_plan(
        seen.plan,
        one,
        others=all_of_them,
        before=[edit.before for edit in violation.edits],
        after=[edit.after for edit in violation.edits],
    )
    about_schema = bool(violation.findings) or (bool(violation.edits) and violation.about_schema)
    decision = decide_mechanism(cases, plan.status, about_schema=about_schema) if seen.passes else None
    untested = decision is not None and decision.mechanism in _UNTESTED
    shape = seen.found.diagnosis.shape
    wrong = (
        *(edit.text for edit in violation.edits),
        *(shape[number].text for number in sorted(violation.findings)),
    )
    return _finding(
        one,
        plan,
        decision,
        code=CodeStatus.VIOLATED,
        tests=TestStatus.NOT_COVERED
        if untested
        else TestStatus.PARTIAL
        if seen.passes
        else TestStatus.COVERED,
        counted=seen.counted.get(one.id, Counted()),
        engine=seen.found.diagnosis.engine,
        known_by=KnownBy.EXECUTED,
        wrong=wrong,
        cases=cases,
        witness=seen.witness,
    )


def _finding(  # noqa: PLR0913 - what is known, side by side
    one: Obligation,
    plan: PlanFinding,
    decision: Decision | None,
    *,
    code: CodeStatus,
    tests: TestStatus,
    counted: Counted,
    engine: str,
    known_by: KnownBy,
    wrong: tuple[str, ...] = (),
    cases: tuple[CaseEvidence, ...] = (),
    witness: str = "",
) -> ObligationFinding:
    omitted = code is CodeStatus.VIOLATED and plan.status in _UNSAID and tests is TestStatus.NOT_COVERED
    return ObligationFinding(
        id=one.id,
        kind=one.kind.value,
        source=one.source.value,
        text=one.text,
        plan=plan.status,
        quote=plan.quote,
        code=code,
        tests=tests,
        mechanism=decision.mechanism if decision else None,
        others=decision.others if decision else (),
        rule=decision.rule if decision else "",
        sco=omitted,
        known_by=known_by,
        engine=engine,
        wrong=wrong,
        cases=cases,
        alternatives=counted,
        witness=witness,
        advice=advise(decision, one.text, cases) if decision else "",
    )


def count_tests(counted: Counted) -> TestStatus:
    """Say how far an obligation is checked: by how many of its decided alternatives are noticed."""
    survived = bool(counted.unrevealed or counted.uninfected)
    if counted.killed:
        return TestStatus.PARTIAL if survived else TestStatus.COVERED
    return TestStatus.UNKNOWN if counted.undecided and not survived else TestStatus.NOT_COVERED


def advise(decision: Decision, text: str, cases: Sequence[CaseEvidence]) -> str:
    """Say what to do about a mechanism, in one sentence."""
    named = ", ".join(_short(case) for case in decision.cases[:2]) or "a case"
    change = next((each.sharpened for each in cases if each.case_id in decision.cases and each.sharpened), "")
    rows = f" (for one, {change})" if change else ""
    match decision.mechanism:
        case Mechanism.SAME_INCORRECT_LOGIC:
            return f"correct what {named} expects: {text}"
        case Mechanism.CANDIDATE_SCHEMA:
            return f"take names, types and labels that {named} expects from the task: {text}"
        case Mechanism.NONDISCRIMINATING_DATA:
            return f"give {named} rows on which it matters{rows}: {text}"
        case Mechanism.PARTIAL_COVERAGE:
            return f"compare every value in {named}, not a part of it: {text}"
        case _:
            return f"add a case that fails unless: {text}"


def _short(case_id: str) -> str:
    return case_id.rpartition("::")[2] or case_id


def count_alternatives(
    results: Iterable[AlternativeResult], mutants: Iterable[Mutant], linker: Linker
) -> dict[str, Counted]:
    """Sort tried mutants by the obligation they break and how they fared; "" holds those beyond the task."""
    columns = {each.id: (each.kind, each.columns) for each in mutants}
    sorted_ids: dict[str, dict[TrialOutcome, list[str]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if result.id in columns and not result.right_making:
            home = linker.link_columns(*columns[result.id])
            sorted_ids[home][result.outcome].append(result.id)
    return {home: _count(found) for home, found in sorted_ids.items()}


def _count(found: Mapping[TrialOutcome, list[str]]) -> Counted:
    surviving = (*found.get(TrialOutcome.UNINFECTED, ()), *found.get(TrialOutcome.UNREACHED, ()))
    return Counted(
        killed=tuple(found.get(TrialOutcome.KILLED, ())),
        unrevealed=tuple(found.get(TrialOutcome.UNREVEALED, ())),
        uninfected=surviving,
        undecided=tuple(found.get(TrialOutcome.CRASHED, ())),
    )

"""Obligations in plan, code and tests: as JSON, and in words that end in what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_lockin.model.finding import CodeStatus, KnownBy, Mechanism, PlanStatus, TestStatus
from pytest_lockin.reports.words import count, say_edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.model.finding import Diagnosis, ObligationFinding

_MOST_VIOLATED = 3
_MOST_NAMED = 6
BECAUSE = {
    Mechanism.SELF_CONFIRMING_OMISSION: "no sign of it in plan or tests",
    Mechanism.GAP_DESPITE_PLAN: "in the plan, and no case looks",
    Mechanism.PARTIAL_COVERAGE: "cases see a difference and pass",
    Mechanism.CANDIDATE_SCHEMA: "cases pin the candidate's own names, types or labels",
    Mechanism.NONDISCRIMINATING_DATA: "cases look, and their rows cannot show it",
    Mechanism.SAME_INCORRECT_LOGIC: "cases expect the wrong thing",
}


def obligations_to_json(findings: Sequence[ObligationFinding]) -> list[dict[str, Any]]:
    """Lay out one entry an obligation."""
    return [_to_json(each) for each in findings]


def _to_json(one: ObligationFinding) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "source": one.source,
        "text": one.text,
        "plan": str(one.plan),
        "code": str(one.code),
        "tests": str(one.tests),
        "mechanism": str(one.mechanism) if one.mechanism else None,
        "other_mechanisms": [str(each) for each in one.others],
        "sco": one.sco,
        "known_by": str(one.known_by),
        "engine": one.engine,
        "evidence": {
            "quote": one.quote,
            "rule": one.rule,
            "wrong": list(one.wrong),
            "cases": [msgspec.to_builtins(each) for each in one.cases],
            "meant": list(one.meant),
        },
        "alternatives": {
            name: list(getattr(one.alternatives, name))
            for name in ("killed", "unrevealed", "uninfected", "undecided")
        },
        "witness": one.witness,
        "advice": one.advice,
    }


def diagnosis_to_json(diagnosis: Diagnosis | None) -> list[dict[str, Any]]:
    """Lay out what explains the candidate: an entry for each obligation it breaks, values first.

    A `residual` of 0 says that the explanation holds on everything tried.
    """
    if diagnosis is None:
        return []
    told = diagnosis.explanation
    values = told.obligations if told is not None else ()
    residual = told.residual if told is not None else 0.0
    texts = told.edits if told is not None else ()
    return [
        *(_explain(diagnosis, home, texts, residual) for home in values),
        *(_explain(diagnosis, each.obligation, (each.text,), 0.0) for each in diagnosis.shape),
    ]


def _explain(diagnosis: Diagnosis, home: str, texts: Sequence[str], residual: float) -> dict[str, Any]:
    return {
        "obligation": home or None,
        "explains": list(texts),
        "residual": round(residual, 4),
        "or_else": list(diagnosis.others),
        "rule": diagnosis.rule,
        "inputs": list(diagnosis.inputs),
        "tried": diagnosis.tried,
        "engine": diagnosis.engine,
    }


def say_violated(findings: Sequence[ObligationFinding], *, verbose: bool) -> Iterator[str]:
    """Say what the candidate got wrong, why no test noticed, and what to do."""
    violated = [each for each in findings if each.code is CodeStatus.VIOLATED]
    for one in violated if verbose else violated[:_MOST_VIOLATED]:
        yield f"{one.id} {one.kind}: {_say_wrong(one)}"
        if one.mechanism is not None:
            yield f"unnoticed by {_name(one.mechanism)} ({BECAUSE[one.mechanism]}). To do: {one.advice}"
        if verbose:
            yield from _say_evidence(one)
    left = len(violated) - _MOST_VIOLATED
    if left > 0 and not verbose:
        yield f"{count(left, 'violated obligation')} more (-v)"


def _say_wrong(one: ObligationFinding) -> str:
    texts = dict.fromkeys(say_edit(text) for text in one.wrong)
    return "; ".join(texts) or one.text


def _name(mechanism: Mechanism) -> str:
    return str(mechanism).replace("_", " ")


def _say_evidence(one: ObligationFinding) -> Iterator[str]:
    how = f"run on {one.engine}" if one.known_by is KnownBy.EXECUTED else str(one.known_by).replace("_", " ")
    yield f"  known: {how}; {one.rule}" if one.rule else f"  known: {how}"
    if one.quote:
        yield f'  the plan says ({one.plan}, by its words): "{one.quote}"'


def say_unchecked(findings: Sequence[ObligationFinding], *, verbose: bool) -> Iterator[str]:
    """Say how many obligations the tests check; of the others, why not, and what to do where asked."""
    decided = [each for each in findings if each.tests is not TestStatus.UNKNOWN]
    if not decided:
        return
    checked = [each for each in decided if each.tests is TestStatus.COVERED]
    others = [each for each in decided if each not in checked and each.code is not CodeStatus.VIOLATED]
    named = ", ".join(f"{each.id} {each.kind}" for each in others[:_MOST_NAMED])
    more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    rest = f"; in part or not: {named}{more}" if others else ""
    yield f"{len(checked)} of {count(len(decided), 'obligation')} checked{rest}"
    if verbose:
        for one in others:
            because = f"{_name(one.mechanism)}: {BECAUSE[one.mechanism]}" if one.mechanism else str(one.tests)
            said = "" if one.plan is not PlanStatus.ABSENT else "; not in the plan"
            yield f"  {one.id} {one.kind}  {because}{said}; {one.advice}"


__all__ = ["diagnosis_to_json", "obligations_to_json", "say_unchecked", "say_violated"]

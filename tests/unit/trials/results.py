"""Short ways to write alternatives and their results in tests."""

from __future__ import annotations

from pytest_lockin.model.alternative import Mutant, Site
from pytest_lockin.model.task import Kind
from pytest_lockin.model.trial import AlternativeResult, Kill, TrialOutcome


def mutant(name="m1", kind="filter", line=1):
    return Mutant(
        id=name,
        operator="filter",
        kind=Kind(kind) if kind else None,
        text="no test notices if the filter is dropped",
        diff="",
        site=Site(line=line, column=0, end_line=line, end_column=1),
        before="a",
        after="b",
        module="solution",
        source=f"# {name}\n",
    )


def result(name="m1", outcome="killed", kind="filter", killer="", **more):
    kill = Kill(case_id=killer or "t.py::test_a", type="AssertionError") if outcome == "killed" else None
    return AlternativeResult(
        id=name,
        operator="filter",
        kind=kind,
        text="",
        module="solution",
        line=1,
        before="a",
        after="b",
        diff="",
        outcome=TrialOutcome(outcome),
        kill=kill,
        engine="sail",
        **more,
    )

"""Reports with trials: one alternative of every outcome, and of every state that takes one out of the score."""

from __future__ import annotations

from sample_reports import DIAGNOSIS, OBLIGATIONS, every_kind, make_report, make_task

from pytest_lockin.alternatives.document import explain_operators
from pytest_lockin.alternatives.registry import list_operators
from pytest_lockin.model.report import ProgramFile, VerdictKind
from pytest_lockin.model.trial import (
    AlternativeResult,
    CaseReport,
    Kill,
    OutcomeCounts,
    TrialOutcome,
    TrialSummary,
)

# Characters beyond the basic plane and a tab before what is edited: columns are counted in code points.
SOURCE = 'import solve\n\U0001f600é = 1;\ttotal = price * 2\nlast = "x"\n'
EDITED = "price * 2"
SUITE = "tasks/q04/test_solution.py"
CASE = f"{SUITE}::test_a"


def alternative(number: int, outcome: TrialOutcome, **fields) -> AlternativeResult:
    """An edit of `price * 2`, but for what is given."""
    column = SOURCE.split("\n")[1].index(EDITED)
    defaults = {
        "id": f"a{number:09d}",
        "operator": "arithmetic",
        "kind": "metric",
        "text": "no test notices if price is taken once",
        "module": "solution",
        "line": 2,
        "column": column,
        "end_line": 2,
        "end_column": column + len(EDITED),
        "before": EDITED,
        "after": "price",
        "diff": "-price * 2\n+price\n",
        "outcome": outcome,
        "engine": "sail",
    }
    return AlternativeResult(**{**defaults, **fields})


def every_outcome() -> tuple[AlternativeResult, ...]:
    """One of each outcome, then one of each state."""
    kill = Kill(case_id=CASE, type="AssertionError", message="assert 1 == 2")
    found = [
        alternative(index, outcome, kill=kill if outcome is TrialOutcome.KILLED else None)
        for index, outcome in enumerate(TrialOutcome)
    ]
    survived = TrialOutcome.UNREVEALED
    return (
        *found,
        alternative(20, survived, waived="price is always 0 by contract"),
        alternative(21, survived, equivalent=True),
        alternative(22, survived, right_making=True),
        alternative(23, survived, undecided=True),
        alternative(24, survived, kind="", operator="python"),
        alternative(25, TrialOutcome.KILLED, kill=kill, killers=(CASE, f"{SUITE}::test_b")),
    )


def tried(*alternatives: AlternativeResult, **fields) -> TrialSummary:
    """Trials with these alternatives, and two cases."""
    cases = (CaseReport(case_id=CASE, kills=1), CaseReport(case_id=f"{SUITE}::T::test_b"))
    counts = OutcomeCounts(killed=2, unrevealed=1, uninfected=1, unreached=1)
    return TrialSummary(
        engine="sail",
        counts=counts,
        counts_waived=counts,
        alternatives=alternatives or every_outcome(),
        cases=cases,
        **fields,
    )


def tried_task(name: str = "q04", **fields):
    """A false pass with its program, its obligations and its trials."""
    defaults = {
        "verdict": VerdictKind.FALSE_PASS,
        "program": (ProgramFile(module="solution", path=f"tasks/{name}/solution.py", text=SOURCE),),
        "obligations": OBLIGATIONS,
        "diagnosis": DIAGNOSIS,
        "trials": tried(),
    }
    return make_task(name, **{**defaults, **fields})


def tried_report(*tasks, **fields):
    """A report with that task, and what its families say."""
    return make_report(*(tasks or (tried_task(),)), operators=explain_operators(list_operators()), **fields)


def everything():
    """Every verdict, category and outcome in one report."""
    return make_report(
        *every_kind().tasks,
        tried_task(),
        operators=explain_operators(list_operators()),
        gate=every_kind().gate,
    )

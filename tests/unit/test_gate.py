"""What the suite and the reference say together, and what fails a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_lockin.gate import decide_gate
from pytest_lockin.model.agreement import Agreement, Category
from pytest_lockin.model.report import Fidelity, TaskReport, TestCounts, VerdictKind
from pytest_lockin.settings import GATED, Allowance, Settings
from pytest_lockin.verdict import decide_verdict

AGREES = Agreement(agrees=True)
DIFFERS = Agreement(agrees=False, category=Category.VALUES)
WITH_REFERENCES = Settings(reference="/refs")


def task(**fields):
    defaults = {"verdict": VerdictKind.TRUE_PASS, "confirmed": True, "agreement": AGREES}
    return TaskReport(id="q04", suite="tasks/q04/test_solution.py", **{**defaults, **fields})


def gate(*tasks, **settings):
    return decide_gate(tasks, Settings(**{"reference": "/refs", **settings}))


@pytest.mark.parametrize(
    ("tests", "agreement", "verdict"),
    [
        (TestCounts(passed=3), AGREES, VerdictKind.TRUE_PASS),
        (TestCounts(passed=3), DIFFERS, VerdictKind.FALSE_PASS),
        (TestCounts(passed=3, skipped=1, flaky=1), DIFFERS, VerdictKind.FALSE_PASS),
        (TestCounts(passed=3, failed=1), AGREES, VerdictKind.FALSE_ALARM),
        (TestCounts(passed=3, failed=1), DIFFERS, VerdictKind.TRUE_FAIL),
        (TestCounts(errors=1), AGREES, VerdictKind.FALSE_ALARM),
        (TestCounts(errors=1), DIFFERS, VerdictKind.TRUE_FAIL),
        (TestCounts(), AGREES, VerdictKind.UNVERIFIED),
        (TestCounts(skipped=4), DIFFERS, VerdictKind.UNVERIFIED),
        (TestCounts(flaky=2), AGREES, VerdictKind.UNVERIFIED),
    ],
)
def test_verdict_joins_the_suites_word_and_the_references(tests, agreement, verdict):
    assert decide_verdict(tests, agreement) is verdict


def test_true_passes_alone_pass():
    assert gate(task(), task()).passed


def test_a_false_pass_fails_by_default_and_is_counted():
    decided = gate(task(verdict=VerdictKind.FALSE_PASS), task(verdict=VerdictKind.FALSE_PASS), task())
    assert not decided.passed
    assert decided.reasons == ("false passes: 2 (allowed 0)",)


@pytest.mark.parametrize("verdict", [VerdictKind.TRUE_FAIL, VerdictKind.FALSE_ALARM])
def test_a_red_suite_is_pytests_own_to_fail_unless_named(verdict):
    assert gate(task(verdict=verdict)).passed
    assert not gate(task(verdict=verdict), fail_on=(str(verdict),)).passed


def test_unverified_fails_whatever_fail_on_says():
    assert not gate(task(verdict=VerdictKind.UNVERIFIED), fail_on=()).passed


def test_only_an_allowance_lets_unverified_pass_and_its_reason_is_kept():
    unverified = task(verdict=VerdictKind.UNVERIFIED, confirmed=False)
    decided = gate(unverified, allow=(Allowance(what="unverified", reason="no data yet"),))
    assert decided.passed
    assert decided.allowed == ("unverified: 1 (no data yet)",)


def test_an_allowance_without_a_reason_says_so():
    decided = gate(task(verdict=VerdictKind.UNVERIFIED), allow=(Allowance(what="unverified"),))
    assert decided.allowed == ("unverified: 1 (allowed without a reason)",)


def test_an_allowance_covers_its_own_kind_only():
    tasks = task(verdict=VerdictKind.UNVERIFIED), task(verdict=VerdictKind.FALSE_PASS)
    decided = gate(*tasks, allow=(Allowance(what="unverified", reason="x"),))
    assert decided.reasons == ("false passes: 1 (allowed 0)",)


def test_no_task_under_the_references_is_a_failure_of_its_own():
    decided = decide_gate((), WITH_REFERENCES)
    assert not decided.passed
    assert "nothing was judged" in decided.reasons[0]


def test_without_references_nothing_gates_by_default():
    seen = task(verdict=None, agreement=None, confirmed=False, flaky=("a::t",), partial="")
    assert gate(seen, reference="").passed
    assert gate(replace(seen, verdict=VerdictKind.UNVERIFIED), reference="").passed
    assert gate(reference="").passed


def test_without_references_a_kind_the_user_named_still_gates():
    decided = gate(task(verdict=None, flaky=("a::t", "a::u")), reference="", fail_on=("flaky",))
    assert decided.reasons == ("flaky cases: 2 (allowed 0)",)


@pytest.mark.parametrize("reference", ["", "/refs"])
def test_green_for_pytest_and_red_on_the_judge_always_fails(reference):
    assert not gate(task(red_on_judge=("a::t",)), reference=reference, fail_on=()).passed


def test_a_partial_suite_is_not_gated_unless_partial_is_named():
    partial = task(verdict=VerdictKind.UNVERIFIED, partial="3 of 5 cases", flaky=("a::t",))
    assert gate(partial, fail_on=("false_pass", "flaky")).passed
    assert gate(partial, fail_on=("partial",)).reasons == ("partial suites: 1 (allowed 0)",)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("flaky", {"flaky": ("a::t",)}),
        ("unfaithful", {"fidelity": Fidelity(accepts_reference=False, cases_rejecting=("a::t",))}),
        ("unconfirmed", {"confirmed": False}),
    ],
)
def test_findings_beside_the_verdict_gate_where_they_are_named(kind, fields):
    assert gate(task(**fields)).passed
    assert not gate(task(**fields), fail_on=(kind,)).passed
    assert gate(task(), fail_on=(kind,)).passed


def test_an_untried_fidelity_is_not_unfaithful():
    assert gate(task(fidelity=Fidelity(reason="stored output only")), fail_on=("unfaithful",)).passed


def test_a_verdict_that_is_not_there_cannot_be_unconfirmed():
    """Allowing `unverified` must be enough for a suite that is unverified."""
    unverified = task(verdict=VerdictKind.UNVERIFIED, confirmed=False)
    assert gate(unverified, fail_on=("unconfirmed",), allow=(Allowance(what="unverified"),)).passed


def test_every_kind_that_can_be_named_can_fail_a_run():
    failing = {
        "partial": task(partial="1 of 2 cases"),
        "flaky": task(flaky=("a::t",)),
        "unfaithful": task(fidelity=Fidelity(accepts_reference=False)),
        "unconfirmed": task(confirmed=False),
        "not_isolated": task(isolated=False),
    }
    for kind in GATED:
        found = failing.get(kind) or replace(task(), verdict=VerdictKind(kind))
        assert not gate(found, fail_on=(kind,)).passed, kind

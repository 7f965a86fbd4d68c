"""What the suite and the reference say together, and what fails a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_lockin.errors import BaselineFileError
from pytest_lockin.gate import decide_gate, find_findings
from pytest_lockin.gate.known import KnownSuite, known_to_json, make_known, read_known
from pytest_lockin.model.agreement import Agreement, Category
from pytest_lockin.model.finding import CodeStatus, Mechanism, ObligationFinding, TestStatus
from pytest_lockin.model.report import Fidelity, TaskReport, TestCounts, VerdictKind
from pytest_lockin.model.trial import OutcomeCounts, TrialSummary
from pytest_lockin.settings import GATED, MECHANISMS, Allowance, MinObligations, Settings, TrialOptions
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
    for kind in MECHANISMS:
        broken = ObligationFinding(id="O1", kind="join", source="prompt", text="", mechanism=Mechanism(kind))
        failing[kind] = task(obligations=(broken,))
    for kind in GATED:
        found = failing.get(kind) or replace(task(), verdict=VerdictKind(kind))
        assert not gate(found, fail_on=(kind,)).passed, kind


def test_an_allowance_with_a_number_lets_no_more_pass():
    allow = (Allowance(what="flaky", reason="known", most=1),)
    one, two = task(flaky=("t::a",)), task(flaky=("t::a", "t::b"))
    assert gate(one, fail_on=("flaky",), allow=allow).allowed == ("flaky cases: 1 (known)",)
    assert gate(two, fail_on=("flaky",), allow=allow).reasons == ("flaky cases: 2 (allowed 1)",)


def obligation(name, source="prompt", tests=TestStatus.COVERED, **fields):
    return ObligationFinding(id=name, kind="join", source=source, text="", tests=tests, **fields)


@pytest.mark.parametrize(
    ("source", "percent", "reasons"),
    [
        ("prompt", 50, ()),
        ("prompt", 51, ("tests check 50 % of 2 prompt obligations (at least 51 % asked)",)),
        ("hidden", 1, ("tests check 0 % of 1 hidden obligations (at least 1 % asked)",)),
        ("", 34, ("tests check 33 % of 3 obligations (at least 34 % asked)",)),
        ("schema", 100, ()),
    ],
)
def test_a_least_share_of_obligations_is_held_by_source(source, percent, reasons):
    mixed = task(
        obligations=(
            obligation("O1"),
            obligation("O2", tests=TestStatus.PARTIAL),
            obligation("O3", source="hidden", tests=TestStatus.UNKNOWN),
        )
    )
    decided = gate(mixed, min_obligations=(MinObligations(source=source, percent=percent),))
    assert decided.reasons == tuple(f"{mixed.suite}: {each}" for each in reasons)


def test_where_no_obligation_was_looked_at_a_least_share_is_not_reached():
    assert not gate(task(), min_obligations=(MinObligations(source="", percent=0),)).passed


# What was there before.


def known(*tasks):
    return make_known(
        KnownSuite(
            suite=each.suite,
            findings=find_findings(each, with_references=True),
            kill_percent=each.trials.counts_waived.percent if each.trials else None,
        )
        for each in tasks
    )


def wrong(*broken, category=Category.VALUES):
    return task(
        verdict=VerdictKind.FALSE_PASS,
        agreement=Agreement(agrees=False, category=category),
        obligations=tuple(obligation(name, code=CodeStatus.VIOLATED) for name in broken),
    )


def test_what_was_there_before_is_named_and_does_not_gate():
    decided = decide_gate((wrong("O1"),), WITH_REFERENCES, known_before=known(wrong("O1")))
    assert decided.passed
    assert decided.allowed == ("false passes: 1 (known from the baseline)",)


@pytest.mark.parametrize("now", [wrong("O2"), wrong("O1", "O2"), wrong("O1", category=Category.ROW_COUNT)])
def test_a_suite_that_is_wrong_in_another_way_is_new(now):
    assert not decide_gate((now,), WITH_REFERENCES, known_before=known(wrong("O1"))).passed


def test_an_entry_that_is_not_found_any_more_is_said():
    decided = decide_gate((task(),), WITH_REFERENCES, known_before=known(wrong("O1")))
    assert decided.passed
    assert decided.allowed == (
        "baseline: 1 of its entries no longer found (`lockin baseline` writes it anew)",
    )


def test_one_entry_knows_one_finding_of_its_own_suite():
    other = replace(wrong("O1"), suite="tasks/q05/test_solution.py")
    decided = decide_gate((wrong("O1"), other), WITH_REFERENCES, known_before=known(wrong("O1")))
    assert decided.reasons == ("false passes: 1 (allowed 0)",)


def scored(killed, survived):
    counts = OutcomeCounts(killed=killed, unrevealed=survived)
    return task(trials=TrialSummary(counts=counts, counts_waived=counts))


def test_a_weak_suite_may_stay_as_weak_as_it_was():
    settings = Settings(reference="/refs", trials=TrialOptions(min_kill=80))
    before = known(scored(7, 3))
    assert decide_gate((scored(7, 3),), settings, known_before=before).passed
    assert not decide_gate((scored(6, 4),), settings, known_before=before).passed


def test_a_baseline_holds_no_true_pass_and_nothing_of_the_run_itself(tmp_path):
    kept = known(task(isolated=False), wrong("O1"))
    assert {each.kind for suite in kept.suites for each in suite.findings} == {"false_pass"}


def test_a_baseline_reads_back_as_it_was_written(tmp_path):
    path = tmp_path / "lockin-baseline.json"
    kept = known(scored(7, 3), replace(wrong("O1"), suite="b: c", flaky=("b: c::t[x: y]",)))
    path.write_text(known_to_json(kept))
    assert read_known(path) == kept


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": 2, "suites": {}}', '{"format": 1, "suites": []}',
     '{"format": 1, "suites": {"a": {}}}', '{"format": 1, "suites": {"a": {"findings": [1]}}}',
     '{"format": 1, "suites": {"a": {"findings": [], "kill_percent": "x"}}}'],
)  # fmt: skip
def test_what_is_no_baseline_is_one_clear_message(text, tmp_path):
    path = tmp_path / "lockin-baseline.json"
    path.write_text(text)
    with pytest.raises(BaselineFileError, match="a baseline of format 1"):
        read_known(path)


def test_a_suite_the_change_did_not_touch_has_no_finding():
    untouched = task(verdict=None, confirmed=False, isolated=False, unchanged="main")
    assert find_findings(untouched, with_references=True) == ()
    settings = Settings(reference="/refs", trials=TrialOptions(min_kill=80), fail_on=GATED)
    assert decide_gate((untouched,), settings).passed

from hypothesis import given
from hypothesis import strategies as st
from results import result

from pytest_lockin.gate import find_weakness
from pytest_lockin.model.trial import CaseReport, OutcomeCounts, TrialSummary, percent_of
from pytest_lockin.trials.score import count, summarise


@given(st.integers(0, 5000), st.integers(1, 5000))
def test_a_percentage_is_100_only_for_all_and_0_only_for_none(part, whole):
    part = min(part, whole)
    shown = percent_of(part, whole)
    assert (shown == 100) == (part == whole)
    assert (shown == 0) == (part == 0)
    assert abs(shown - 100 * part / whole) <= 1


def test_a_percentage_of_nothing_is_not_a_number():
    assert percent_of(0, 0) is None
    assert OutcomeCounts().percent is None


def test_only_kills_score_and_only_decided_ones_count():
    outcomes = [
        "killed",
        "unrevealed",
        "uninfected",
        "unreached",
        "crashed",
        "timed_out",
        "harness_error",
        "not_run",
    ]
    counts = count(result(str(n), outcome) for n, outcome in enumerate(outcomes))
    assert (counts.killed, counts.survived, counts.decided, counts.percent) == (1, 3, 4, 25)
    assert (counts.crashed, counts.inconclusive, counts.not_run) == (1, 2, 1)


def test_counts_add_up():
    whole = count([result("a"), result("b", "crashed")]) + count([result("c", "crashed")])
    assert (whole.killed, whole.crashed) == (1, 2)


def test_an_undecided_survivor_is_counted_apart_and_an_undecided_kill_is_a_kill():
    counts = count([result("a", "uninfected", undecided=True), result("b", "killed", undecided=True)])
    assert (counts.undecided, counts.uninfected, counts.killed, counts.percent) == (1, 0, 1, 100)


def test_right_making_alternatives_are_in_no_score():
    summary = summarise([result("a"), result("b", "killed", right_making=True)], engine="sail")
    assert (summary.counts.killed, summary.right_making.killed) == (1, 1)
    assert [kind.counts.killed for kind in summary.by_kind] == [1]


def test_a_waived_survivor_gives_a_second_score_beside_the_first():
    summary = summarise([result("a"), result("b", "uninfected", waived="never NULL")], engine="sail")
    assert (summary.counts.percent, summary.counts_waived.percent, summary.waived) == (50, 100, 1)


def test_scores_are_given_by_obligation_kind():
    made = [
        result("a", kind="join"),
        result("b", "unrevealed", kind="join"),
        result("c", kind=""),
        result("d"),
    ]
    summary = summarise(made, engine="sail")
    assert [(each.kind, each.counts.percent) for each in summary.by_kind] == [("filter", 100), ("join", 50)]


def test_a_summary_is_confirmed_when_every_survivor_that_can_be_is():
    unreached = result("u", "unreached")
    assert summarise([result("a"), unreached], engine="sail").confirmed
    assert not summarise([result("a", "uninfected"), unreached], engine="sail").confirmed
    assert summarise([result("a", "uninfected", confirmed=True)], engine="sail").confirmed
    assert not summarise([], engine="sail").confirmed


def test_cases_are_credited_with_what_they_notice():
    made = [
        result("a", killer="t::x", killers=("t::x", "t::y")),
        result("b", killer="t::y", killers=("t::y",), only_killer="t::y"),
        result("c", killer="t::y", right_making=True),
    ]
    cases = (CaseReport(case_id="t::x"), CaseReport(case_id="t::y"), CaseReport(case_id="t::z"))
    summary = summarise(made, engine="sail", cases=cases)
    assert [(case.kills, case.only) for case in summary.cases] == [(1, ()), (2, ("b",)), (0, ())]


# The gate.


def test_no_minimum_never_fails():
    assert find_weakness(TrialSummary(refusal="red"), None) == ""


def test_zero_executed_trials_fail_in_their_own_words():
    assert find_weakness(TrialSummary(refusal="test_a is red"), 50) == "no trials: test_a is red"
    empty = summarise([], engine="sail")
    assert find_weakness(empty, 0) == "no trials: not one alternative was executed"
    timed_out = summarise([result(str(n), "timed_out") for n in range(5)], engine="sail")
    assert find_weakness(timed_out, 0) == "no trials: not one alternative was executed"
    crashed = summarise([result("a", "crashed")], engine="sail")
    assert find_weakness(crashed, 0) == "no trials: not one alternative was decided"


def test_many_inconclusive_trials_fail_whatever_the_score():
    made = [result("a"), result("b", "timed_out"), result("c", "harness_error")]
    assert find_weakness(summarise(made, engine="sail"), 10) == "2 trials gave no answer, 1 did"


def test_the_minimum_is_held_exactly():
    made = [result(str(n)) for n in range(2)] + [result("s", "unrevealed")]
    assert find_weakness(summarise(made, engine="sail"), 66.6) == ""
    assert find_weakness(summarise(made, engine="sail"), 66.7).startswith(
        "tests notice 67 % of 3 alternatives"
    )


def test_a_waived_survivor_does_not_fail_the_minimum():
    made = [result("a"), result("b", "unrevealed", waived="by contract")]
    assert find_weakness(summarise(made, engine="sail"), 100) == ""

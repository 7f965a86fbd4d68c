from results import result

from pytest_lockin.model.trial import Kill, TrialOutcome, Tried
from pytest_lockin.trials.confirm import apply_confirmation, choose_to_confirm

KILL = Kill(case_id="t::a", type="AssertionError")


def tried(name, outcome):
    kill = KILL if outcome == "killed" else None
    return Tried(id=name, outcome=TrialOutcome(outcome), kill=kill)


def test_survivors_are_confirmed_all_and_kills_on_a_sample():
    made = [
        result("s1", "uninfected"),
        result("s2", "unrevealed"),
        result("u", "unreached"),
        result("c", "crashed"),
    ]
    made += [result(f"k{n}") for n in range(20)]
    chosen = choose_to_confirm(made, "survivors")
    assert chosen[:2] == ("s1", "s2")
    assert len(chosen) == 5
    assert all(each.startswith("k") for each in chosen[2:])
    assert choose_to_confirm(list(reversed(made)), "survivors")[2:] == chosen[2:]


def test_kills_that_rest_on_row_order_are_confirmed_all():
    made = [result(f"k{n}", order_only=True) for n in range(9)]
    assert len(choose_to_confirm(made, "survivors")) == 9


def test_all_means_crashes_too_and_none_means_none():
    made = [result("s", "uninfected"), result("k"), result("c", "crashed"), result("u", "unreached")]
    assert choose_to_confirm(made, "all") == ("s", "k", "c")
    assert choose_to_confirm(made, "none") == ()


def test_the_judges_word_stands_and_the_disagreement_is_told():
    made = [result("s", "uninfected"), result("k")]
    after = apply_confirmation(made, {"s": tried("s", "killed"), "k": tried("k", "unrevealed")}, "spark")
    assert [(each.outcome, each.engine, each.disagreement) for each in after] == [
        ("killed", "spark", "uninfected on sail"),
        ("unrevealed", "spark", "killed on sail"),
    ]
    assert after[0].kill == KILL
    assert after[1].kill is None


def test_the_same_word_is_confirmed_and_a_finer_one_is_no_disagreement():
    made = [result("a", "uninfected"), result("b", "uninfected")]
    judged = {"a": tried("a", "uninfected"), "b": tried("b", "unrevealed")}
    after = apply_confirmation(made, judged, "spark")
    assert [(each.outcome, each.confirmed, each.disagreement) for each in after] == [
        ("uninfected", True, ""),
        ("unrevealed", True, ""),
    ]


def test_what_the_judge_could_not_answer_stays_unconfirmed():
    made = [result("a", "uninfected"), result("b", "uninfected"), result("c")]
    judged = {"a": tried("a", "timed_out"), "b": tried("b", "not_run")}
    assert [each.confirmed for each in apply_confirmation(made, judged, "spark")] == [False, False, False]

"""The benchmark of the evaluator: records are sealed, scores are what they are called."""

import json
from dataclasses import asdict

import pytest

from pytest_lockin.errors import StudyError
from pytest_lockin.studies.mechanisms.records import (
    CANARY,
    Answer,
    CaseSpec,
    Check,
    Label,
    Misreading,
    Record,
    load_misreadings,
    split_tasks,
)
from pytest_lockin.studies.mechanisms.scores import compare_exactly, fit_length, measure_length, score


def record(number, length=1):
    check = Check(kind="rows", rows=tuple((str(place),) for place in range(length)))
    case = CaseSpec(name="case 1", dataset=0, check=check)
    return Record(task="q03", program=f"SELECT {number}", plan="", cases=(case,))


def test_misreadings_are_many_and_name_obligations_that_exist():
    from pytest_lockin.taskbank.bank import find_task, load_hidden

    found = load_misreadings()
    assert len(found) >= 12
    for task, misreadings in found.items():
        known = {each.id for each in (*find_task(task).obligations, *load_hidden(task))}
        assert {each.obligation for each in misreadings} <= known


def test_every_misreading_changes_its_statement():
    from pytest_lockin.taskbank.statements import read_statement

    for task, misreadings in load_misreadings().items():
        statement = read_statement(task).text
        for each in misreadings:
            assert each.became == "" or each.became in each.apply(statement)


def test_a_misreading_that_does_not_stand_there_is_refused():
    with pytest.raises(StudyError, match="nowhere"):
        Misreading(obligation="O1", was="nowhere", became="x").apply("SELECT 1")


def test_a_record_says_nothing_of_its_label():
    """Labels are another value, and the id comes from what the evaluator is given anyway."""
    label = Label(obligation="O5", mechanism=CANARY)
    given = json.dumps(asdict(record(1))) + record(1).id
    assert CANARY in label.mechanism
    assert CANARY not in given
    assert "O5" not in given


def test_checks_hold_and_fail():
    names, rows = ("a", "b"), (("1", "x"), ("2", "NULL"))
    assert Check(kind="rows", rows=rows[::-1]).holds(names, rows)
    assert not Check(kind="rows", rows=rows[:1]).holds(names, rows)
    assert Check(kind="filled", names=("a",)).holds(names, rows)
    assert not Check(kind="filled", names=("b",)).holds(names, rows)
    assert not Check(kind="filled", names=("c",)).holds(names, rows)
    assert Check(kind="at_least", number=2).holds(names, rows)
    assert not Check(kind="at_most", number=1).holds(names, rows)
    assert not Check(kind="names", names=("b", "a")).holds(names, rows)


LABELS = {
    "1": Label(obligation="O1", mechanism="x"),
    "2": Label(obligation="O2", mechanism="y"),
    "3": Label(),
}


def test_perfect_answers_score_one():
    found = score(LABELS, {"1": Answer(found=(("O1", "x"),)), "2": Answer(found=(("O2", "y"),))})
    assert (found.balanced, found.macro_f1, found.first, found.obligation) == (1, 1, 1, 1)


def test_always_finding_an_issue_is_balanced_to_half():
    found = score(LABELS, dict.fromkeys(LABELS, Answer(found=(("O1", "x"),))))
    assert found.balanced == 0.5
    assert found.first == 0.5


def test_permuted_labels_score_worse_on_the_same_answers():
    answers = {"1": Answer(found=(("O1", "x"),)), "2": Answer(found=(("O2", "y"),))}
    permuted = dict(zip(LABELS, [LABELS["3"], LABELS["1"], LABELS["2"]], strict=True))
    assert score(permuted, answers).balanced < score(LABELS, answers).balanced


def test_a_mechanism_among_the_findings_is_present_though_not_first():
    found = score({"1": LABELS["1"]}, {"1": Answer(found=(("O9", "y"), ("O1", "x")))})
    assert (found.present, found.first, found.obligation) == (1, 0, 0)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [([True] * 6, [False] * 6, 2 / 2**6), ([True, False], [False, True], 1.0), ([True], [True], 1.0)],
)
def test_the_paired_test_is_the_exact_binomial_on_discordant_records(first, second, expected):
    assert compare_exactly(first, second) == pytest.approx(expected)


def test_the_length_baseline_is_fitted_to_what_it_is_given():
    records = [record(1, 1), record(2, 9)]
    labels = {records[0].id: Label(obligation="O1"), records[1].id: Label()}
    threshold = fit_length(records, labels)
    assert measure_length(records[0]) < threshold <= measure_length(records[1])


def test_halves_share_no_task():
    development, held_out = split_tasks(("q3", "q1", "q2"))
    assert not set(development) & set(held_out)
    assert {*development, *held_out} == {"q1", "q2", "q3"}

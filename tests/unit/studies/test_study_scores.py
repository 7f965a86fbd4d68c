"""Weights, execution failure, omissions and mechanisms, from single labels."""

from fractions import Fraction
from itertools import product

import pytest

from pytest_lockin.model.finding import Mechanism
from pytest_lockin.studies.planaudit.labels import (
    CodeLabel,
    CoverageLabel,
    LabelSet,
    ObligationLabel,
    PlanLabel,
    Role,
)
from pytest_lockin.studies.planaudit.mechanisms import Explained, Unexplained, find_mechanism
from pytest_lockin.studies.planaudit.scores import find_omissions, is_omitted, score_labels


def _label(plan="present", code="satisfied", test="covered", mechanism=None, name="O1"):
    return ObligationLabel(
        obligation=name,
        plan=PlanLabel(plan),
        code=CodeLabel(code),
        test=CoverageLabel(test),
        mechanism=mechanism and Mechanism(mechanism),
    )


def _set(*labels):
    return LabelSet(name="final", role=Role.ADJUDICATED, labels=labels)


@pytest.mark.parametrize(
    ("plan", "weight"),
    [("present", 1), ("partial", 0.5), ("ambiguous", 0.5), ("absent", 0), ("contradicted", 0)],
)
def test_plan_weights(plan, weight):
    assert score_labels(_set(_label(plan=plan)), executed=True).plan == Fraction(weight)


@pytest.mark.parametrize(
    ("code", "weight"), [("satisfied", 1), ("partial", 0), ("violated", 0), ("execution_failed", 0)]
)
def test_code_weights_give_no_half(code, weight):
    assert score_labels(_set(_label(code=code)), executed=True).code == weight


@pytest.mark.parametrize(("test", "weight"), [("covered", 1), ("partially_covered", 0.5), ("not_covered", 0)])
def test_coverage_weights(test, weight):
    assert score_labels(_set(_label(test=test)), executed=True).test == Fraction(weight)


def test_a_score_is_the_mean_over_obligations():
    scores = score_labels(_set(_label(), _label(plan="partial"), _label(plan="absent")), executed=True)
    assert (scores.plan, scores.obligations) == (Fraction(1, 2), 3)


def test_a_program_that_did_not_run_scores_no_code_whatever_its_labels_say():
    scores = score_labels(_set(_label(), _label()), executed=False)
    assert (scores.plan, scores.code, scores.test) == (1, 0, 1)


def test_an_omission_needs_all_three_artifacts():
    found = [
        (plan, code, test)
        for plan, code, test in product(PlanLabel, CodeLabel, CoverageLabel)
        if is_omitted(_label(plan, code, test))
    ]
    assert found == [
        (PlanLabel.ABSENT, CodeLabel.VIOLATED, CoverageLabel.NOT_COVERED),
        (PlanLabel.CONTRADICTED, CodeLabel.VIOLATED, CoverageLabel.NOT_COVERED),
    ]


def test_omissions_are_recomputed_from_labels():
    labels = _set(
        _label("absent", "violated", "not_covered", "gap_despite_plan", name="O1"),
        _label("present", "violated", "not_covered", "self_confirming_omission", name="O2"),
    )
    assert find_omissions(labels) == ("O1",)


@pytest.mark.parametrize(
    ("label", "mechanism"),
    [
        (_label("present", "violated", "not_covered"), "gap_despite_plan"),
        (_label("ambiguous", "violated", "not_covered"), "gap_despite_plan"),
        (_label("absent", "violated", "not_covered"), "self_confirming_omission"),
        (_label("absent", "violated", "partially_covered"), "partial_coverage"),
        (_label("present", "violated", "covered", "candidate_schema"), "candidate_schema"),
        (
            _label("present", "violated", "partially_covered", "nondiscriminating_data"),
            "nondiscriminating_data",
        ),
    ],
)
def test_mechanism_of_a_violated_obligation(label, mechanism):
    assert find_mechanism(label) == Explained(mechanism=Mechanism(mechanism))


@pytest.mark.parametrize(
    "label",
    [
        _label("present", "violated", "covered"),
        _label("present", "violated", "not_covered", "candidate_schema"),
        _label("present", "violated", "covered", "gap_despite_plan"),
        _label("present", "violated", "not_covered", "self_confirming_omission"),
    ],
)
def test_a_mechanism_that_nobody_named_or_that_labels_refute_stays_unexplained(label):
    assert isinstance(find_mechanism(label), Unexplained)

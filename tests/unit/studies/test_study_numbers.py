"""Exact numbers: hinges, kappa, percentages that tell the truth."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_lockin.studies.planaudit.kappa import measure_kappa
from pytest_lockin.studies.planaudit.numbers import (
    Hinges,
    Undefined,
    divide,
    find_hinges,
    show_percent,
    show_points,
    show_share,
    take_mean,
)


def _hinges(*values):
    found = find_hinges([Fraction(one) for one in values], "nothing")
    return found.lower, found.median, found.upper


def test_hinges_of_an_even_sample_are_medians_of_its_halves():
    assert _hinges(1, 2, 3, 4) == (Fraction(3, 2), Fraction(5, 2), Fraction(7, 2))
    thirty = [0] * 19 + [1, 1, 1, 8, 8, 9, 9, 9, 10, 10, 10]
    assert _hinges(*thirty) == (0, 0, 8)


def test_hinges_of_an_odd_sample_count_the_median_twice():
    assert _hinges(5, 4, 3, 2, 1) == (2, 3, 4)
    assert _hinges(7) == (7, 7, 7)


def test_hinges_of_nothing_are_undefined():
    assert find_hinges([], "no pairs") == Undefined(reason="no pairs")


@given(st.lists(st.fractions(), min_size=1, max_size=40))
def test_hinges_are_ordered_and_blind_to_the_order_of_values(values):
    found = find_hinges(values, "")
    assert isinstance(found, Hinges)
    assert min(values) <= found.lower <= found.median <= found.upper <= max(values)
    assert find_hinges(values[::-1], "") == found


def test_nothing_divided_by_nothing_is_undefined():
    assert divide(0, 0, "no runs") == Undefined(reason="no runs")
    assert take_mean([], "no labels") == Undefined(reason="no labels")
    assert show_percent(Undefined(reason="no runs")) == "-"


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [
        (Fraction(1), 1, "100.0%"),
        (Fraction(0), 1, "0.0%"),
        (Fraction(99_999, 100_000), 1, "99.9%"),
        (Fraction(1, 100_000), 1, "0.1%"),
        (Fraction(999, 1000), 0, "99%"),
        (Fraction(22, 30), 1, "73.3%"),
        (Fraction(1, 8), 0, "13%"),
    ],
)
def test_all_and_none_are_never_rounded_into(value, places, shown):
    assert show_percent(value, places) == shown


def test_points_show_no_zeros_that_say_nothing():
    assert [show_points(Fraction(one, 1200)) for one in (0, 100, 120, -60, 1)] == [
        "0",
        "8.33",
        "10",
        "-5",
        "0.08",
    ]


def test_a_count_of_none_has_no_share():
    assert [show_share(0, 39), show_share(3, 52), show_share(0, 0)] == ["0", "3 (6%)", "0"]


def test_kappa_takes_chance_out():
    """The textbook example: 20 yes-yes, 15 no-no of 50; po 0.7, pe 0.5, kappa 0.4."""
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    found = measure_kappa(first, second)
    assert (found.items, found.alike, found.kappa) == (50, 35, Fraction(2, 5))


def test_kappa_of_three_classes():
    first = ["a", "a", "b", "b", "c", "c"]
    second = ["a", "b", "b", "b", "c", "a"]
    # po 4/6; pe (2*2 + 2*3 + 2*1)/36 = 1/3
    assert measure_kappa(first, second).kappa == Fraction(1, 2)


def test_kappa_is_one_zero_and_below():
    assert measure_kappa(["a", "b"], ["a", "b"]).kappa == 1
    assert measure_kappa(["a", "a", "b", "b"], ["a", "b", "a", "b"]).kappa == 0
    assert measure_kappa(["a", "b"], ["b", "a"]).kappa == -1


def test_kappa_of_one_class_or_no_items_is_undefined():
    assert measure_kappa(["a", "a"], ["a", "a"]).kappa == Undefined(reason="both raters used one class only")
    assert isinstance(measure_kappa([], []).kappa, Undefined)
    assert measure_kappa(["a", "a"], ["a", "b"]).kappa == 0


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=30))
def test_kappa_is_symmetric_and_at_most_one(pairs):
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    forth, back = measure_kappa(first, second), measure_kappa(second, first)
    assert forth.kappa == back.kappa
    assert isinstance(forth.kappa, Undefined) or -1 <= forth.kappa <= 1

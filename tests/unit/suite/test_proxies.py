"""Stand-in items keep the order the worker collected them in, in the places pytest gives them."""

from types import SimpleNamespace

import pytest

from pytest_lockin.suite.proxies import SuiteCase, cases_after, restore_order


class Case(SuiteCase):
    """A stand-in without the tree around it."""

    def __init__(self, suite, index):
        self.suite_module, self.index = suite, index

    def __repr__(self):
        return f"{self.suite_module.suite.id}{self.index}"


class Ordinary:
    def __repr__(self):
        return "o"


def suite(name):
    return SimpleNamespace(suite=SimpleNamespace(id=name))


def make(*places):
    suites = {"a": suite("a"), "b": suite("b")}
    made = []
    for place in places:
        if place == "o":
            made.append(Ordinary())
            continue
        case = Case.__new__(Case)
        case.__init__(suites[place[0]], int(place[1:]))
        made.append(case)
    return made


@pytest.mark.parametrize(
    ("given", "restored"),
    [
        (("a0", "a1", "o", "b0"), "a0 a1 o b0"),
        (("a2", "a0", "a1"), "a0 a1 a2"),
        (("a1", "o", "b1", "a0", "b0"), "a0 o b0 a1 b1"),
        (("o", "o"), "o o"),
        ((), ""),
    ],
)
def test_each_suites_items_are_in_its_own_order_and_others_stay(given, restored):
    items = make(*given)
    restore_order(items)
    assert " ".join(map(repr, items)) == restored


def test_the_cases_after_one_are_those_of_its_suite():
    items = make("a0", "b0", "a1", "o", "a2")
    assert list(map(repr, cases_after(items[0], items))) == ["a1", "a2"]
    assert list(cases_after(items[4], items)) == []

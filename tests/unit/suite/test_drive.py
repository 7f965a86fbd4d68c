"""How a case ended is concluded from its phase reports, in pytest's words."""

import pytest

from pytest_lockin.model.suite import Outcome
from pytest_lockin.suite.drive import case_run, first_line


def report(when, outcome, longrepr=None, **more):
    return {"when": when, "outcome": outcome, "longrepr": longrepr, **more}


@pytest.mark.parametrize(
    ("reports", "outcome"),
    [
        ([("setup", "passed"), ("call", "passed"), ("teardown", "passed")], Outcome.PASSED),
        ([("setup", "passed"), ("call", "failed"), ("teardown", "passed")], Outcome.FAILED),
        ([("setup", "failed"), ("teardown", "passed")], Outcome.ERROR),
        ([("setup", "passed"), ("call", "passed"), ("teardown", "failed")], Outcome.ERROR),
        ([("setup", "passed"), ("call", "failed"), ("teardown", "failed")], Outcome.FAILED),
        ([("setup", "skipped"), ("teardown", "passed")], Outcome.SKIPPED),
        ([("setup", "passed"), ("call", "skipped"), ("teardown", "passed")], Outcome.SKIPPED),
        ([("setup", "passed"), ("call", "skipped"), ("teardown", "failed")], Outcome.ERROR),
    ],
)
def test_phases_make_an_outcome(reports, outcome):
    assert case_run("x", "sail", [report(*each) for each in reports], ()).outcome is outcome


@pytest.mark.parametrize(("outcome", "ended"), [("skipped", Outcome.XFAILED), ("passed", Outcome.XPASSED)])
def test_expected_failures_have_outcomes_of_their_own(outcome, ended):
    reports = [
        report("setup", "passed"),
        report("call", outcome, wasxfail="known"),
        report("teardown", "passed"),
    ]
    assert case_run("x", "sail", reports, ()).outcome is ended


@pytest.mark.parametrize(
    ("longrepr", "line"),
    [
        ({"reprcrash": {"message": "AssertionError: a\nassert 1 == 2"}}, "AssertionError: a"),
        (["f.py", 3, "Skipped: not today"], "Skipped: not today"),
        ("\n  [XPASS(strict)] \n", "[XPASS(strict)]"),
        (None, ""),
        ({"reprcrash": None}, ""),
    ],
)
def test_the_line_that_says_most(longrepr, line):
    assert first_line({"longrepr": longrepr}) == line

"""What a case is worth: why it can never fail, what it looks at."""

import textwrap

import pytest

from pytest_lockin.model.suite import ReturnedOther
from pytest_lockin.model.trial import CaseCalls, CaseProbe, Prepared, Probed, Wreckage
from pytest_lockin.trials.cases import report_cases, what_it_looks_at

SOURCE = textwrap.dedent("""
    from unittest import mock
    import pytest
    def test_silent(spark):
        solve(spark, {})
    def test_guarded(spark):
        rows = rows_of(spark)
        if rows:
            assert rows == [1]
    def test_patched(spark):
        with mock.patch("solution.solve") as solve:
            assert solve() is not None
    def test_apart():
        assert 1 + 1 == 2
    def test_swallowing(spark):
        try:
            solve(spark, {})
        except Exception:
            pass
        assert True
    class TestIn:
        def test_method(self):
            pass
""")
CALLED = (ReturnedOther(type="int"),)


def report(name, *, called=True, blind=True, probe=None):
    case_id = f"t.py::{name}"
    prepared = Prepared(
        blind=(case_id,) if blind else (),
        calls=(CaseCalls(case_id=case_id, calls=CALLED if called else ()),),
    )
    probed = Probed(cases=(probe,)) if probe else None
    (made,) = report_cases(prepared, probed, SOURCE)
    return made


@pytest.mark.parametrize(
    ("name", "called", "why"),
    [
        ("test_silent", True, "it asserts nothing"),
        ("test_guarded", True, "its asserts are guarded by an `if` or a `try` that lets everything pass"),
        ("test_patched", False, "it patches the entry point"),
        ("test_apart", False, "it never calls the entry point"),
        ("test_swallowing", True, "it swallows what the program raises"),
        ("TestIn::test_method", True, "it asserts nothing"),
        ("test_elsewhere[1]", True, "it accepts every output"),
    ],
)
def test_a_case_that_passes_on_a_broken_program_says_why(name, called, why):
    assert report(name, called=called).accepts_everything == why


def test_a_case_that_noticed_the_broken_program_can_fail():
    assert report("test_silent", blind=False).accepts_everything == ""


def test_a_case_that_rejects_some_wreckage_can_fail():
    probe = CaseProbe(case_id="t.py::test_guarded", rejected=(Wreckage.DOUBLED_ROWS,))
    assert report("test_guarded", probe=probe).accepts_everything == ""


def test_rejected_wreckage_tells_what_a_case_looks_at():
    assert what_it_looks_at([Wreckage.EMPTY, Wreckage.RENAMED]) == ("rows", "schema")
    assert what_it_looks_at([Wreckage.RAISES]) == ()


def test_a_tolerance_is_too_loose_when_a_factor_of_two_passes_and_a_gone_measure_does_not():
    loose = CaseProbe(
        case_id="t.py::test_apart", accepted=(Wreckage.DOUBLED_MEASURE,), rejected=(Wreckage.NULL_MEASURE,)
    )
    assert report("test_apart", probe=loose).too_loose
    blind = CaseProbe(case_id="t.py::test_apart", accepted=(Wreckage.DOUBLED_MEASURE, Wreckage.NULL_MEASURE))
    assert not report("test_apart", probe=blind).too_loose

"""What pytest decides is the same with lockin as without: counts, order, messages, captured output, JUnit.

Left out: `TestCase.subTest`, whose progress letters pytest 9 prints into the case's captured output.
"""

import difflib
import re

import pytest
from plugin_project import PLAIN

TESTS = """
    import logging
    import sys
    import unittest
    import warnings

    import pytest
    from solution import solve

    @pytest.fixture(scope="session")
    def of_session():
        return 1

    @pytest.fixture(scope="module", params=["p", "q"])
    def of_module(request, of_session):
        print("module up", request.param)
        yield request.param
        print("module down", request.param)

    @pytest.fixture
    def broken():
        raise ValueError("no fixture today")

    @pytest.fixture
    def broken_after():
        yield
        raise ValueError("no teardown today")

    def test_one(of_module):
        print("in one")
        logging.getLogger("x").warning("logged")
        assert solve(None, {}) is None

    class TestC:
        @classmethod
        def setup_class(cls):
            print("class up")

        def test_two(self, of_module):
            assert [1, 2, 3] == [1, 2, 4]

        def test_three(self):
            print("three", file=sys.stderr)
            raise KeyError("x")

    class TestU(unittest.TestCase):
        def test_ok(self):
            pass

        @unittest.skip("unit skip")
        def test_skip(self):
            pass

        @unittest.expectedFailure
        def test_expected(self):
            self.fail()

    def test_subtests(subtests):
        for part in range(2):
            with subtests.test(msg="m", part=part):
                assert part == 0

    def test_broken(broken):
        pass

    def test_broken_after(broken_after):
        pass

    @pytest.mark.parametrize("v", ["a::b", "\\u00fc\\u2603", "[x]/y", "", None, 1.5])
    def test_values(v, of_session):
        warnings.warn("careful")
        assert v != 1.5

    @pytest.mark.skipif(True, reason="cond")
    def test_skipif():
        pass

    @pytest.mark.xfail(strict=True)
    def test_strict():
        pass

    @pytest.mark.xfail(raises=KeyError)
    def test_xfail_raises():
        {}["a"]

    def test_skips_inside():
        pytest.skip("now")

    def test_xfails_inside():
        pytest.xfail("later")

    def test_chain():
        try:
            1 / 0
        except ZeroDivisionError as error:
            raise RuntimeError("while") from error

    def test_fixtures_of_pytest(capsys, tmp_path, monkeypatch, recwarn, cache, request):
        print("hidden")
        assert capsys.readouterr().out == "hidden\\n"
        (tmp_path / "f").write_text("x")
        cache.set("mine", 1)
        request.node.user_properties.append(("size", 3))
"""


def told_by_pytest(ran):
    """Output without what differs by nature: times, addresses, lockin's own lines, and its word on Sail."""
    out = re.sub(r"\d+\.\d+s( \(.*\))?", "0s", ran.out)
    out = re.sub(r"0x[0-9a-f]+", "0x0", out)
    out = re.sub(r"^=+ (.*?) =+$", r"= \1 =", out, flags=re.MULTILINE)
    out = re.sub(r"^= lockin =\n(?:(?!= ).*\n)*?(?=(?:= |-+ generated))", "", out, flags=re.MULTILINE)
    out = re.sub(r"^-+ lockin -+\n\(Sail, not confirmed\)\n", "", out, flags=re.MULTILINE)
    return [line.rstrip() for line in out.splitlines() if not line.startswith("lockin: engine")]


def junit_of(ran):
    text = re.sub(r' (?:time|timestamp|hostname)="[^"]*"', "", ran.junit)
    # Our own properties are what a run with lockin adds.
    text = re.sub(r'<property name="lockin\.[^>]*/>', "", text).replace("<properties></properties>", "")
    return re.sub(r"0x[0-9a-f]+", "0x0", text).replace("><", ">\n<").splitlines()


def differences(one, other):
    return list(difflib.unified_diff(one, other, "without", "with", lineterm="", n=0))[2:]


@pytest.fixture
def both(project):
    def both(*args, env=None):
        without = project.run(*args, lockin="off", junit=True, env=env)
        return without, project.run(*args, lockin="alone", junit=True, env=env)

    return both


@pytest.mark.parametrize(
    ("args", "env"),
    [
        pytest.param(("-ra",), {}, id="plain"),
        # pytest shows more of a failure there.
        pytest.param(("-ra",), {"CI": "true"}, id="on-ci"),
        pytest.param(
            ("-vv", "-rA", "--tb=short", "--import-mode=importlib", "-k", "not subtests"), {}, id="verbose"
        ),
    ],
)
def test_output_and_junit_are_pytests_own(project, both, args, env):
    project.suite("one", TESTS, PLAIN)
    project.task("one")
    # In importlib mode pytest alone would not find the program beside the tests.
    project.write("pytest.ini", "[pytest]\npythonpath = suites/one\n")
    project.write("tests/test_other.py", "def test_other(): pass\ndef test_bad(): assert 0\n")
    without, with_ = both("suites", "tests", *args, env=env)
    assert differences(told_by_pytest(without), told_by_pytest(with_)) == []
    assert differences(junit_of(without), junit_of(with_)) == []
    assert without.status == with_.status == 1
    assert with_.lockin != []


def test_a_collection_that_fails_reads_the_same(project, both):
    project.suite("one", "from solution import missing\n\ndef test_it(): pass\n", PLAIN)
    project.task("one")
    without, with_ = both("suites")
    assert differences(told_by_pytest(without), told_by_pytest(with_)) == []
    assert without.status == with_.status == 2
    with_.match("lockin gate: FAILED  the run was interrupted: no verdict")


def test_collecting_only_gives_the_same_ids_and_no_section(project, both):
    project.suite("one", TESTS, PLAIN)
    project.task("one")
    without, with_ = both("suites", "--collect-only", "-q")
    assert told_by_pytest(without) == told_by_pytest(with_)
    assert without.status == with_.status == 0
    without, with_ = both("suites", "--collect-only")
    tree = [re.sub(r"<Suite(Module|Class|Case)", _as_pytest_names, line) for line in told_by_pytest(with_)]
    assert [line.strip() for line in tree if "<" in line] == [
        re.sub("UnitTestCase|TestCaseFunction", _as_unit, line).strip()
        for line in told_by_pytest(without)
        if "<" in line
    ]


def _as_pytest_names(found):
    return "<" + {"Module": "Module", "Class": "Class", "Case": "Function"}[found.group(1)]


def _as_unit(found):
    return {"UnitTestCase": "Class", "TestCaseFunction": "Function"}[found.group(0)]

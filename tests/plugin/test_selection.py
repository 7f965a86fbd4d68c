"""pytest's own ways to choose cases work on suites; a suite run in part is shown and gives no verdict."""

import pytest
from plugin_project import PLAIN

CASES = """
    import pytest
    from solution import solve

    def test_first():
        pass

    @pytest.mark.slow
    def test_second():
        assert solve(None, {}) is None

    @pytest.mark.parametrize("part", ["x::y", "z"])
    def test_third(part):
        pass
"""
WRONG = "def solve(spark, tables):\n    return 1\n"


@pytest.fixture
def one(project):
    """One suite whose second case is red, and a task file."""
    project.suite("one", CASES, WRONG)
    project.task("one")
    project.write("pytest.ini", "[pytest]\nmarkers = slow\n")
    return project


def test_a_red_case_is_found_again_by_lf_and_sw_and_fixed(one):
    """Red; run again what failed; fix; run again; all is well."""
    first = one.run("suites")
    assert (first.status, first.counts) == (1, {"failed": 1, "passed": 3})

    again = one.run("suites", "--lf")
    assert (again.status, again.counts) == (1, {"failed": 1})
    again.match("suites/one * PARTIAL * 1 of 4 cases ran: no verdict")
    assert again.task("one")["partial"] == "1 of 4 cases"

    stepwise = one.run("suites", "--sw")
    assert stepwise.counts == {"failed": 1, "passed": 1}

    one.suite("one", CASES, PLAIN)
    fixed = one.run("suites", "--sw")
    assert (fixed.status, fixed.counts) == (0, {"passed": 3, "deselected": 1})

    last = one.run("suites", "--lf")
    assert (last.status, last.counts) == (0, {"passed": 4})
    assert last.task("one")["partial"] == ""


@pytest.mark.parametrize(
    ("args", "counts"),
    [
        (("-k", "third"), {"passed": 2, "deselected": 2}),
        (("-x", "-m", "slow"), {"failed": 1, "deselected": 3}),
        (("-p", "no:cacheprovider", "--maxfail=1"), {"failed": 1, "passed": 1}),
        (("--deselect", "suites/one/test_solution.py::test_second"), {"passed": 3, "deselected": 1}),
    ],
)
def test_a_part_is_run_shown_and_not_gated(one, args, counts):
    ran = one.run("suites", *args)
    assert ran.counts == counts
    assert ran.status == int("failed" in counts)
    done = sum(number for word, number in counts.items() if word != "deselected")
    assert ran.task("one")["partial"] == f"{done} of 4 cases"
    assert ran.report["gate"]["passed"]


def test_a_case_is_chosen_by_its_id_whatever_is_in_it(one):
    ran = one.run("suites/one/test_solution.py::test_third[x::y]")
    assert ran.counts == {"passed": 1}
    assert ran.task("one")["partial"] == "1 of 4 cases"


def test_a_partial_suite_gates_when_it_is_asked_to(one):
    ran = one.run("suites", "-k", "first", "--lockin-fail-on", "partial")
    assert (ran.status, ran.counts) == (1, {"passed": 1, "deselected": 3})
    ran.match("lockin gate: FAILED  partial suites: 1 (allowed 0)")


def test_everything_deselected_is_pytests_no_tests_collected(one):
    ran = one.run("suites", "-k", "nothing_like_it")
    assert ran.status == 5
    assert ran.task("one")["partial"] == "0 of 4 cases"


def test_suites_lie_in_several_folders_and_outside_the_root(one):
    """From a folder inside the project, suites of another one: ids are as pytest makes them."""
    one.suite("two", CASES, PLAIN)
    one.task("two")
    one.write("inner/pytest.ini", "[pytest]\nmarkers = slow\n")
    ran = one.run("../suites/one", "../suites/two", "--lf", "-rf", cwd="inner")
    assert ran.counts == {"failed": 1, "passed": 7}
    again = one.run("../suites/one", "../suites/two", "--lf", "-v", cwd="inner")
    assert again.counts == {"failed": 1}
    tests = {task["suite"].split("/")[-2]: task["tests"] for task in ran.report["tasks"]}
    assert (tests["one"]["failed"], tests["one"]["passed"], tests["two"]["passed"]) == (1, 3, 4)


def test_the_order_of_the_command_line_is_kept(one):
    one.suite("two", CASES, PLAIN)
    one.task("two")
    ran = one.run("suites/two", "suites/one", "-q", junit=True)
    assert [home for home, _, _ in ran.cases] == ["suites.two.test_solution"] * 4 + [
        "suites.one.test_solution"
    ] * 4


def test_a_failed_sub_test_makes_its_case_a_failed_one(project):
    project.suite(
        "one",
        """
        import unittest

        class TestParts(unittest.TestCase):
            def test_parts(self):
                for part in range(3):
                    with self.subTest(part=part):
                        self.assertNotEqual(part, 1)

            def test_whole(self):
                pass
        """,
        PLAIN,
    )
    project.task("one")
    ran = project.run("suites")
    assert ran.status == 1
    assert "AssertionError: 1 == 1" in ran.out
    assert ran.task("one")["tests"] == {"passed": 1, "failed": 1, "errors": 0, "skipped": 0, "flaky": 0}

"""Other people's plugins see suites as ordinary tests: xdist, cov, randomly, timeout, rerunfailures."""

import json
import subprocess
import sys

import pytest
from plugin_project import PLAIN

FOUR = """
    from solution import solve

    def test_first():
        assert solve(None, {}) is None

    def test_second():
        print("second")

    class TestMore:
        def test_third(self):
            pass

        def test_fourth(self):
            assert solve(None, {"a": 1}) is None
"""


@pytest.fixture
def two(project):
    for name in ("one", "two"):
        project.suite(name, FOUR, PLAIN)
        project.task(name)
    return project


def test_xdist_runs_all_once_and_there_is_one_section_and_one_report(two):
    ran = two.run("suites", "-n", "2", junit=True)
    assert (ran.status, ran.counts) == (0, {"passed": 8})
    assert sorted(ran.cases) == sorted(
        (f"suites.{name}.test_solution{inner}", case, "passed")
        for name in ("one", "two")
        for inner, case in (
            ("", "test_first"),
            ("", "test_second"),
            (".TestMore", "test_third"),
            (".TestMore", "test_fourth"),
        )
    )
    assert ran.out.count("lockin gate:") == 1
    for name in ("one", "two"):
        task = ran.task(name)
        assert (task["tests"]["passed"], task["partial"], task["observed_calls"]) == (4, "", 2)


def test_under_xdist_results_survive_a_worker_of_xdist_that_dies(two):
    """The suite's cases ran in it before; what they showed is not lost, and what is missing is said."""
    two.write("tests/test_ends.py", "def test_ends():\n    import os\n    os._exit(0)\n")
    ran = two.run("suites/one", "tests", "-n", "1", "--max-worker-restart=0")
    assert ran.status == 1
    ran.match("*worker 'gw0' crashed while running 'tests/test_ends.py::test_ends'*")
    task = ran.task("one")
    assert (task["tests"]["passed"], task["partial"]) == (4, "")
    assert ran.out.count("lockin gate:") == 1


def test_under_xdist_a_case_that_ends_its_process_fails_alone(two):
    two.suite("one", FOUR + "\n    def test_ends():\n        import os\n        os._exit(0)\n", PLAIN)
    ran = two.run("suites", "-n", "2")
    assert (ran.status, ran.counts) == (1, {"failed": 1, "passed": 8})
    assert "it ended: exit status 0" in ran.failure("test_ends")
    assert ran.task("one")["tests"]["failed"] == 1


def test_coverage_of_the_program_is_in_pytest_covs_report(two):
    two.write(
        "suites/one/solution.py", "def solve(spark, tables):\n    if tables is None:\n        return 1\n"
    )
    ran = two.run("suites", "--cov=suites/one", "--cov-report=term-missing")
    ran.match("suites/one/solution.py *3 *1 *67% *3", "suites/one/test_solution.py *0 *100%")


def test_coverage_of_the_program_is_measured_by_coverage_run(two):
    ran = two.run(
        "suites", "-q", command=("-m", "coverage", "run", "--source=suites/one", "--branch", "-m", "pytest")
    )
    assert ran.status == 0
    report = subprocess.run(
        [sys.executable, "-m", "coverage", "json", "-q", "-o", "-"],
        cwd=two.root,
        capture_output=True,
        check=True,
        text=True,
    )
    files = json.loads(report.stdout)["files"]
    assert set(files) == {"suites/one/solution.py", "suites/one/test_solution.py"}
    assert files["suites/one/solution.py"]["executed_lines"] == [1, 2]
    assert files["suites/one/test_solution.py"]["summary"]["missing_lines"] == 0


def test_randomly_may_shuffle(two):
    first = two.run("suites", "-p", "randomly", "-p", "no:cacheprovider", randomly=True, junit=True)
    assert (first.status, first.counts) == (0, {"passed": 8})
    assert [task["tests"]["passed"] for task in first.report["tasks"]] == [4, 4]


HANGING = """
    import subprocess
    import time

    def test_before():
        pass

    def test_hangs():
        subprocess.Popen(["sleep", "600"])
        time.sleep(600)

    def test_after():
        pass
"""


@pytest.mark.parametrize("method", ["signal", "thread"])
def test_a_hanging_case_is_ended_by_pytest_timeout_with_all_it_started(project, method):
    project.suite("one", HANGING, PLAIN)
    project.task("one")
    project.write("pytest.ini", f"[pytest]\naddopts = --timeout=8 --timeout-method={method}\n")
    ran = project.run("suites")
    assert ran.status != 0
    if method == "signal":
        assert ran.counts == {"failed": 1, "passed": 2}
        assert "Timeout" in ran.failure("test_hangs")
        assert ran.task("one")["tests"]["failed"] == 1
    assert project.leftovers() == []


def test_a_timeout_mark_of_one_case_holds(project):
    project.suite(
        "one",
        "import time\nimport pytest\n\n@pytest.mark.timeout(3)\ndef test_slow():\n    time.sleep(60)\n",
        PLAIN,
    )
    project.task("one")
    ran = project.run("suites", "--strict-markers")
    assert ran.counts == {"failed": 1}
    assert "Timeout" in ran.failure("test_slow")


def test_a_rerun_case_counts_by_its_last_outcome(project):
    flaky = """
        from pathlib import Path

        def test_fails_once():
            mark = Path(__file__).with_name("ran")
            if not mark.exists():
                mark.write_text("")
                raise AssertionError("the first time")
    """
    project.suite("one", flaky, PLAIN)
    project.task("one")
    # The suite's folder is not writable in a sandbox.
    ran = project.run("suites", "--reruns", "2", "--lockin-sandbox", "none")
    assert (ran.status, ran.counts) == (0, {"passed": 1, "rerun": 1})
    assert ran.task("one")["tests"] == {"passed": 1, "failed": 0, "errors": 0, "skipped": 0, "flaky": 0}


def test_durations_and_live_output_are_those_of_the_cases(two):
    ran = two.run("suites/one", "-s", "--durations=3", "--durations-min=0")
    ran.match("*second*", "*slowest 3 durations*", "*s call *test_solution.py::*")
    assert ran.status == 0


FIXTURES = """
    import pytest

    @pytest.fixture
    def {name}():
        return "{name}"
"""


def test_plugins_of_the_command_line_and_the_environment_reach_the_suites(project):
    for name in ("by_option", "by_variable", "by_conftest"):
        project.write(f"{name}.py", FIXTURES.format(name=name))
    project.write("conftest.py", 'pytest_plugins = ["by_conftest"]\n')
    project.suite(
        "one",
        "def test_all(by_option, by_variable, by_conftest):\n"
        "    assert (by_option, by_variable, by_conftest) == ('by_option', 'by_variable', 'by_conftest')\n",
        PLAIN,
    )
    project.task("one")
    ran = project.run("suites", "-p", "by_option", env={"PYTEST_PLUGINS": "by_variable"})
    assert (ran.status, ran.counts) == (0, {"passed": 1})


def test_fixtures_of_plugins_that_are_off_in_workers_are_there(project):
    """Of xdist and pytest-cov; the worker's name is that of the process that runs the case."""
    project.suite(
        "one",
        """
        import os

        def test_alone_or_not(worker_id, testrun_uid, cov, no_cover):
            assert worker_id == os.environ.get("PYTEST_XDIST_WORKER", "master")
            assert testrun_uid
        """,
        PLAIN,
    )
    project.task("one")
    assert project.run("suites").counts == {"passed": 1}
    assert project.run("suites", "-n", "1").counts == {"passed": 1}


def test_a_suite_may_have_a_name_that_pytest_would_pass_over(project):
    project.write("pytest.ini", "[pytest]\nlockin_suites = check_*.py\n")
    project.write("suites/one/check_it.py", FOUR)
    project.write("suites/one/solution.py", PLAIN)
    project.task("one")
    ran = project.run("suites")
    assert (ran.status, ran.counts) == (0, {"passed": 4})
    named = project.run("suites/one/check_it.py", "-k", "third")
    assert (named.status, named.counts) == (0, {"passed": 1, "deselected": 3})


def test_hooks_of_the_projects_conftest_treat_cases_as_their_own(project):
    """As Spark projects do: mark by fixture, skip what is slow unless asked, look at class and function."""
    project.write(
        "conftest.py",
        """
        import pytest

        def pytest_addoption(parser):
            parser.addoption("--runslow", action="store_true")

        def pytest_collection_modifyitems(config, items):
            for item in items:
                if "spark" in item.fixturenames:
                    item.add_marker(pytest.mark.needs_spark)
                if item.cls is not None and item.function is None:
                    raise AssertionError
                if "slow" in item.keywords and not config.getoption("--runslow"):
                    item.add_marker(pytest.mark.skip(reason="slow"))

        def pytest_runtest_setup(item):
            if item.get_closest_marker("elsewhere"):
                pytest.skip("not here")

        @pytest.fixture
        def spark():
            return None
        """,
    )
    project.write("pytest.ini", "[pytest]\nmarkers =\n    slow\n    needs_spark\n    elsewhere\n")
    project.suite(
        "one",
        """
        import pytest

        class TestIt:
            def test_spark(self, spark):
                pass

        @pytest.mark.slow
        def test_slow():
            pass

        @pytest.mark.elsewhere
        def test_elsewhere():
            pass
        """,
        PLAIN,
    )
    project.task("one")
    assert project.run("suites", "--strict-markers").counts == {"passed": 1, "skipped": 2}
    assert project.run("suites", "--runslow").counts == {"passed": 2, "skipped": 1}
    assert project.run("suites", "-m", "needs_spark").counts == {"passed": 1, "deselected": 2}

"""What cannot be believed or used is said in one clear line, and never ends as a pass."""

import pytest
from plugin_project import BIG, BIG_TESTS, PLAIN

PASSING = "from solution import solve\n\ndef test_it():\n    solve(None, {})\n"


@pytest.fixture
def one(project):
    project.suite("one", PASSING, PLAIN)
    project.task("one")
    return project


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--lockin-engine", "flink"), "--lockin-engine flink"),
        (("--lockin-engine", "sc://"), "--lockin-engine sc://"),
        (("--lockin-reference", "nowhere"), "--lockin-reference nowhere, which is not there"),
        (("--lockin-reference", "pytest.ini"), "--lockin-reference pytest.ini, which is a file"),
        (("--lockin-fail-on", "false_pas"), "--lockin-fail-on false_pas"),
        (("--lockin-allow", "everything:why"), "--lockin-allow everything"),
        (("--lockin-workers", "many"), "lockin_workers"),
        (("--lockin-timeout", "-1"), "lockin_timeout"),
        (("-o", "lockin_tasks=no equals sign"), "lockin_tasks"),
    ],
)
def test_a_bad_option_is_one_clear_line_and_status_4(project, args, says):
    project.write("pytest.ini", "[pytest]\n")
    ran = project.run(*args, lockin="alone", engine="")
    assert ran.status == 4
    text = ran.out + ran.err
    assert says in text
    assert "Traceback" not in text
    assert len([line for line in text.splitlines() if line.strip()]) <= 4


def test_references_outside_that_mislead_pytest_about_its_root_are_told_apart(project):
    """pytest takes a path that stands alone for one to collect, and looks for its settings above it."""
    project.write("shop/pytest.ini", "[pytest]\n")
    project.write("shop/test_it.py", "def test_it(): pass\n")
    project.reference("big")
    misled = project.run("--lockin-reference", "../refs", lockin="alone", cwd="shop")
    assert misled.status == 4
    assert "--lockin-reference=../refs" in misled.err
    joined = project.run("--lockin-reference=../refs", lockin="alone", cwd="shop")
    named = project.run("--lockin-reference", "../refs", "test_it.py", lockin="alone", cwd="shop")
    assert joined.counts == named.counts == {"passed": 1}


def test_no_suite_for_any_reference_fails_in_words(project):
    project.reference("big")
    project.write("suites/other/test_solution.py", "def test_it(): pass\n")
    ran = project.run("suites")
    assert (ran.status, ran.counts) == (1, {"passed": 1})
    ran.match(
        "run as ordinary tests, no task found *:",
        "  suites/other/test_solution.py",
        "lockin gate: FAILED *nothing was judged",
    )
    assert ran.report["without_task"] == ["suites/other/test_solution.py"]


def test_unverified_passes_the_gate_only_when_allowed_with_the_reason_shown(project):
    project.reference("big", **{"reference.sql": "SELECT id FROM no_such_table\n"})
    project.suite("big-one", BIG_TESTS, BIG)
    refused = project.run("suites", "--lockin-json", "first.json")
    assert (refused.status, refused.counts) == (1, {"passed": 1})
    allowed = project.run("suites", "--lockin-allow", "unverified:tables come next week")
    assert allowed.status == 0
    allowed.match("lockin gate: passed*allowed unverified: 1 (tables come next week)")


def test_a_suites_conftest_never_runs_in_pytests_own_process(project):
    """It would set a flag there; an ordinary test of the same run looks for it."""
    flag = "import sys\n\nsys.a_flag_of_the_suite = True\n"
    project.suite("one", PASSING + "\ndef test_flag():\n    import sys\n    assert sys.a_flag_of_the_suite\n")
    project.write("suites/one/solution.py", PLAIN)
    project.write("suites/one/conftest.py", flag)
    project.write("suites/one/below/conftest.py", flag)
    project.write("suites/one/below/test_solution.py", PASSING)
    project.write("suites/one/below/solution.py", PLAIN)
    project.task("one")
    project.write("conftest.py", "")
    project.write(
        "tests/test_ordinary.py",
        "import sys\n\ndef test_no_flag(): assert not hasattr(sys, 'a_flag_of_the_suite')\n",
    )
    ran = project.run("suites", "tests")
    assert (ran.status, ran.counts) == (0, {"passed": 4})


def test_settings_in_a_suites_folder_make_everything_unverified(project):
    project.reference("big")
    project.suite("big-one", BIG_TESTS, BIG)
    project.write("suites/big-one/pytest.ini", "[pytest]\n")
    ran = project.run("suites/big-one")
    assert (ran.status, ran.counts) == (1, {"passed": 1})
    (task,) = ran.report["tasks"]
    assert task["verdict"] == "unverified"
    assert "settings file lies in a suite's folder" in task["reason"]


def test_strict_settings_and_warnings_as_errors_hold_in_workers_too(project):
    """Keys and marks of plugins that are off in workers are known there; a case's warning is an error."""
    project.write(
        "pytest.ini",
        """
        [pytest]
        addopts = --strict-markers --strict-config
        filterwarnings = error
        timeout = 300
        markers = mine: of the project
        """,
    )
    project.suite(
        "one",
        """
        import warnings

        import pytest

        @pytest.mark.mine
        @pytest.mark.timeout(200)
        @pytest.mark.flaky(reruns=0)
        @pytest.mark.lockin("O1")
        def test_marked():
            pass

        def test_warns():
            warnings.warn("one")

        @pytest.mark.filterwarnings("ignore")
        def test_ignores():
            warnings.warn("two")
        """,
        PLAIN,
    )
    project.task("one")
    ran = project.run("suites")
    assert (ran.status, ran.counts) == (1, {"failed": 1, "passed": 2})
    assert "UserWarning: one" in ran.failure("test_warns")


def test_an_unknown_mark_is_an_error_under_strict_markers(project):
    project.suite("one", "import pytest\n\n@pytest.mark.unheard_of\ndef test_it(): pass\n", PLAIN)
    project.task("one")
    ran = project.run("suites", "--strict-markers")
    assert ran.status == 2
    assert "'unheard_of' not found in `markers`" in ran.out


def test_other_plugins_may_use_short_option_names(one):
    """Every option and ini key of ours has its prefix; the suite sees the values given to theirs."""
    one.suite(
        "one",
        """
        def test_options(pytestconfig):
            assert pytestconfig.getoption("--reference") == "x"
            assert pytestconfig.getoption("--engine") == "y"
            assert pytestconfig.getini("json") == "theirs.json"
        """,
    )
    one.write("pytest.ini", "[pytest]\njson = theirs.json\n")
    one.write(
        "conftest.py",
        """
        def pytest_addoption(parser):
            for name in ("--reference", "--engine", "--json", "--fail-on", "--allow", "--workers"):
                parser.addoption(name)
                parser.addini(name.strip("-"), "theirs")
        """,
    )
    ran = one.run("suites", "--reference", "x", "--engine", "y")
    assert (ran.status, ran.counts) == (0, {"passed": 1})


def test_with_a_debugger_suites_run_in_process_and_are_not_examined(project):
    project.reference("big")
    project.suite("big-one", "def test_it():\n    import solution\n", PLAIN)
    ran = project.run("suites", "--pdb")
    assert (ran.status, ran.counts) == (1, {"passed": 1})
    ran.match("*suites ran in pytest's own process and were not examined", "lockin gate: FAILED *")


def test_a_broken_task_file_is_said_with_its_place(project):
    project.reference("big")
    project.suite("big-one", BIG_TESTS, BIG)
    project.task("big-one", "id: big\ntabels: [orders]\n")
    ran = project.run("suites")
    assert (ran.status, ran.counts) == (1, {"passed": 1})
    reason = ran.task("big-one")["reason"]
    assert "task.yaml" in reason
    assert "tabels" in reason


def test_a_strict_configuration_and_no_cache_plugin_go_together(project):
    """The cache's folder is set in workers by an ini key, which nobody knows where that plugin is off."""
    project.write("pytest.ini", "[pytest]\naddopts = --strict-config\nfilterwarnings = error\n")
    project.suite("big")
    project.task("big")
    ran = project.run("suites", "-p", "no:cacheprovider")
    assert ran.counts == {"passed": 1}
    assert ran.status == 0


def test_a_java_that_cannot_run_spark_is_one_line_of_the_header_and_only_where_it_matters(project):
    project.suite("big")
    project.task("big")
    missing = {"JAVA_HOME": "/nope"}
    ran = project.run("suites", engine="auto", env=missing)
    ran.match("lockin: engine auto*", "lockin: *JAVA_HOME*")
    assert ran.counts == {"passed": 1}
    assert ran.report["java"] is False
    assert "JAVA_HOME" not in project.run("suites", "--collect-only", engine="sail", env=missing).out

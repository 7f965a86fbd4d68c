"""A change that is judged by a base runs nothing of its own where the references are known."""

import os
import shutil

import pytest
from plugin_project import PLAIN

# Says in a file which process ran it: the controller is the one that was started.
TELLS = """
    import os
    from pathlib import Path

    with Path({file!r}).open("a") as seen:
        seen.write("{name} %s\\n" % os.getpid())
"""


@pytest.fixture
def telling(project):
    """A project whose suite is a package, with an ordinary test beside it and one elsewhere."""
    seen = project.root / "seen"

    def tell(name, more=""):
        return TELLS.format(file=str(seen), name=name) + more

    test = "\n    def test_it(): pass\n"
    project.suite("big-one", tests="def test_it(): pass", solution=PLAIN, __init__=tell("package"))
    project.task("big-one")
    project.write("suites/big-one/test_beside.py", tell("beside", test))
    project.write("suites/lone/test_solution.py", tell("lone", test))
    project.write("suites/lone/__init__.py", tell("outer"))
    return project


def told(project):
    seen = project.root / "seen"
    return [line.split() for line in seen.read_text().splitlines()] if seen.exists() else []


def run(project, *args):
    with project.start("suites", "--lockin-sandbox", "none", *args) as process:
        out, err = process.communicate()
    here = {name for name, pid in told(project) if int(pid) == process.pid}
    return project.ran(process.returncode, out, err), here


def test_a_suites_package_is_not_run_by_pytest_and_ordinary_tests_are(telling):
    ran, here = run(telling)
    assert ran.counts == {"passed": 3}
    assert here == {"beside", "lone", "outer"}
    assert ["package", str(os.getpid())] not in told(telling)


def judge(project, *named):
    project.reference("other")
    base = project.root.parent / f"{project.root.name}-base"
    shutil.copytree(project.root / "suites", base / "suites")
    # Paths among the options move pytest's root folder, unless it is named.
    return run(project, "--rootdir", ".", "--lockin-policy", str(base), *named)


def test_a_judged_change_runs_no_test_that_is_no_suite(telling):
    ran, here = judge(telling)
    assert here == set()
    assert ran.counts == {"passed": 1}
    ran.match("lockin: left out 2 test files that are no suites (--lockin-policy)")
    assert [task["id"] for task in ran.report["tasks"]] == ["big"]


def test_nor_one_that_is_named(telling):
    """Some versions of pytest then run nothing at all, for what was named was not found."""
    ran, here = judge(telling, "suites/lone/test_solution.py")
    assert here == set()
    assert "suites/lone" not in str([task["suite"] for task in (ran.report or {"tasks": []})["tasks"]])

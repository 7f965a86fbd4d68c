"""A project that has false passes begins to use the gate: known ones stay, new ones fail, untouched ones rest."""

import subprocess
import sys

from plugin_project import BIG

# Both pass the tests' two rows, and lose a row of the data.
WRONG = BIG.replace("""F.col("amount") > 10""", """F.col("amount").between(11, 25)""")
WORSE = BIG.replace("""F.col("amount") > 10""", """F.col("amount").between(11, 22)""")


def lockin(project, *args):
    command = [sys.executable, "-m", "pytest_lockin.cli", *args]
    return subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=False)


def test_known_findings_stay_new_ones_fail_and_untouched_suites_rest(project):
    def git(*args):
        subprocess.run(["git", "-C", str(project.root), *args], check=True, capture_output=True)

    project.suite("big-old", solution=WRONG)
    project.suite("big-new")
    project.reference()
    first = project.run("suites")
    assert (first.status, first.task("big-old")["verdict"]) == (1, "false_pass")

    made = lockin(project, "baseline", "lockin.json")
    assert (made.returncode, made.stderr) == (0, "")
    assert "wrote lockin-baseline.json: " in made.stdout
    baseline = ("--lockin-baseline", "lockin-baseline.json")
    second = project.run("suites", *baseline)
    assert second.status == 0
    second.match("lockin gate: passed*false passes: 1 (known from the baseline)*")

    git("init", "-q")
    git("add", "suites", "refs")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
    project.suite("big-new", solution=WORSE)
    third = project.run("suites", *baseline, "--lockin-since", "HEAD")
    assert third.status == 1
    assert third.task("big-old")["unchanged"] == "HEAD"
    assert third.task("big-old")["verdict"] is None
    assert third.task("big-new")["verdict"] == "false_pass"
    third.match("*suites/big-old*UNCHANGED *since HEAD: not examined*")
    third.match("*lockin gate: FAILED  false passes: 1 (allowed 0)*")


def test_a_baseline_that_is_none_stops_pytest_at_once(project):
    project.suite("big-one")
    project.reference()
    ran = project.run("suites", "--lockin-baseline", "nowhere.json")
    assert ran.status == 4
    assert "bad-baseline" in ran.err

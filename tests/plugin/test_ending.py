"""However a run ends, it leaves no process and no folder, and no verdict that was not reached."""

import os
import signal
import time

import pytest
from plugin_project import PLAIN

PASSING = "from solution import solve\n\ndef test_it():\n    solve(None, {})\n"
# These suites say in their own folder how far they are, which a sandbox does not let them.
BARE = ("--lockin-sandbox", "none")
WAITING = """
    import subprocess
    import time
    from pathlib import Path

    def test_waits():
        subprocess.Popen(["sleep", "600"])
        Path(__file__).with_name("started").write_text("")
        time.sleep(600)
"""


def wait_for(file, limit=120):
    deadline = time.monotonic() + limit
    while not file.exists():
        assert time.monotonic() < deadline, f"{file.name} never came"
        time.sleep(0.05)


def run_folders(tmp):
    return sorted(path.name for path in tmp.glob("lockin-run-*"))


@pytest.fixture
def scratch(tmp_path_factory):
    """A temporary folder of the run's own, to see what it leaves there."""
    return tmp_path_factory.mktemp("scratch")


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_ctrl_c_ends_everything_without_a_verdict(project, scratch, args):
    project.suite("one", WAITING, PLAIN)
    project.task("one")
    process = project.start("suites", *BARE, *args, env={"TMPDIR": str(scratch)})
    wait_for(project.root / "suites/one/started")
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    ran = project.ran(process.returncode, out, err)
    assert ran.status == 2
    ran.match("lockin gate: FAILED  the run was interrupted: no verdict")
    assert ran.report is None
    assert project.leftovers() == []
    assert run_folders(scratch) == []


def test_ctrl_c_while_suites_are_examined_ends_everything_too(project, scratch):
    """The ordinary run is over; the second run of the baseline never ends by itself."""
    project.suite(
        "one",
        """
        import time
        from pathlib import Path

        def test_waits_the_second_time():
            first = Path(__file__).with_name("first")
            if first.exists():
                first.with_name("started").write_text("")
                time.sleep(600)
            first.write_text("")
        """,
        PLAIN,
    )
    project.task("one")
    process = project.start("suites", *BARE, env={"TMPDIR": str(scratch)})
    wait_for(project.root / "suites/one/started")
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    ran = project.ran(process.returncode, out, err)
    assert (ran.status, ran.counts) == (2, {"passed": 1})
    ran.match("lockin gate: FAILED  the run was interrupted: no verdict")
    assert "Traceback" not in out + err
    assert ran.report is None
    assert project.leftovers() == []
    assert run_folders(scratch) == []


def test_a_killed_pytest_takes_its_workers_along(project, scratch):
    project.suite("one", WAITING, PLAIN)
    project.task("one")
    process = project.start("suites", *BARE, env={"TMPDIR": str(scratch)})
    wait_for(project.root / "suites/one/started")
    process.kill()
    process.communicate(timeout=120)
    assert project.leftovers() == []
    assert run_folders(scratch) == []


BROKEN_PLUGIN = """
    def pytest_lockin_report(report):
        raise RuntimeError("our own mistake")
"""


@pytest.mark.parametrize("args", [("-v",), ("-n", "2")], ids=["alone", "xdist"])
def test_an_error_of_ours_at_the_end_is_never_a_pass(project, args):
    project.suite("one", PASSING, PLAIN)
    project.task("one")
    project.write("conftest.py", BROKEN_PLUGIN)
    ran = project.run("suites", *args)
    assert ran.status in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERNAL_ERROR)
    assert "our own mistake" in ran.out + ran.err
    assert ran.counts["passed"] == 1


def test_an_old_report_does_not_outlive_a_run_without_a_verdict(project):
    project.suite("one", PASSING, PLAIN)
    project.task("one")
    old = project.write("old.json", '{"gate": {"passed": true}}')
    project.suite("one", "def test_broken(:\n", PLAIN)
    ran = project.run("suites", "--lockin-json", str(old))
    assert ran.status == 2
    assert not old.exists()


def test_nothing_is_left_in_the_project_or_in_the_temporary_folder(project, scratch):
    project.suite("one", PASSING, PLAIN)
    project.task("one")
    before = {path for path in project.root.rglob("*") if path.is_file()}
    ran = project.run("suites", "-p", "no:cacheprovider", env={"TMPDIR": str(scratch)})
    assert ran.status == 0
    after = {path for path in project.root.rglob("*") if path.is_file()}
    assert {path.name for path in after - before} == {"lockin.json"}
    assert run_folders(scratch) == []


SLOW_TRIALS = """
    import time
    from pathlib import Path

    from pyspark.sql import SparkSession
    from solution import solve

    def test_ids():
        spark = SparkSession.builder.getOrCreate()
        out = solve(spark, {"t": spark.createDataFrame([(1, 5), (2, 50)], "id int, amount int")})
        rows = [row.id for row in out.collect()]
        if rows != [2]:
            # Only under an alternative: from the second one on it hangs.
            if Path(__file__).with_name("tried").exists():
                Path(__file__).with_name("hangs").write_text("")
                time.sleep(600)
            Path(__file__).with_name("tried").write_text("")
        assert rows == [2]
"""


def test_ctrl_c_during_trials_says_what_is_known_and_keeps_it(project):
    """The next run goes on from the answers there are."""
    solution = 'def solve(spark, tables):\n    return tables["t"].filter("amount > 10").select("id")\n'
    project.suite("one", SLOW_TRIALS, solution)
    project.task("one")
    asked = ("suites", "--lockin-trials", "on", "--lockin-sandbox", "none", "--lockin-budget", "none")
    process = project.start(*asked)
    wait_for(project.root / "suites/one/hangs")
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    ran = project.ran(process.returncode, out, err)
    assert ran.status == 2
    ran.match("suites/one/test_solution.py  * of * alternatives have an answer: *killed*")
    ran.no_match("*harness error*")
    ran.match("lockin gate: FAILED  the run was interrupted: no verdict")
    assert project.leftovers() == []
    kept = list((project.root / ".pytest_cache").rglob("lockin-trials/*/*.json"))
    assert len([path for path in kept if path.name != "cases.json"]) >= 1

"""No room, and no right to write: nothing is lost, one clear message, the right exit status, nothing left behind."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from plugin_project import BIG, BIG_TESTS, Project

from pytest_lockin.frames.frame import Frame
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.workers.sandbox.bwrap import find_bubblewrap

# Becomes bubblewrap, so that the run sees another file system in one place; nothing else is kept apart.
BOXED = "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"
TRIALS = ("suites", "--lockin-sandbox", "bwrap", "--lockin-trials", "on", "--lockin-budget", "60")


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path.resolve() / "project")
    made.root.mkdir()
    made.suite("big-one", BIG_TESTS, BIG)
    made.reference()
    yield made
    assert made.leftovers() == []


def boxed(*mounts):
    """The start of a command that runs what follows with these mounts."""
    return (
        "-c",
        BOXED,
        find_bubblewrap(),
        "--dev-bind",
        "/",
        "/",
        *mounts,
        "--",
        sys.executable,
        "-m",
        "pytest",
    )


def run_with_room(project, folder, size, *args):
    """Run with so many bytes for temporary files."""
    folder.mkdir(exist_ok=True)
    command = boxed("--size", str(size), "--tmpfs", str(folder))
    return project.run(*args, command=command, env={"TMPDIR": str(folder)})


def test_no_room_for_a_run_is_one_message_and_no_verdict(project, tmp_path):
    ran = run_with_room(project, tmp_path / "small", 4096, *TRIALS)
    assert ran.status == pytest.ExitCode.INTERRUPTED
    ran.match("found No space left on device*", "hint: *TMPDIR*", "lockin gate: FAILED*no verdict")
    assert "Traceback" not in ran.out + ran.err
    assert "OSError" not in ran.out + ran.err
    assert ran.report is None


@pytest.mark.parametrize(
    ("size", "enough"), [(20_000, False), pytest.param(36_000, None, marks=pytest.mark.slow)]
)
def test_a_disk_that_fills_while_a_run_goes_on_blames_no_program(project, tmp_path, size, enough):
    """It ends in no verdict with the reason, or in the right one: where it just fits is nobody's to say."""
    ran = run_with_room(project, tmp_path / "small", size, *TRIALS)
    task = ran.task("big-one")
    assert (ran.status, task["verdict"]) in ((1, "unverified"), (0, "true_pass"))
    if ran.status:
        assert "No space left" in task["reason"]
        assert "TMPDIR" in task["reason"]
    assert enough is not False or ran.status == 1
    assert "lockin itself failed" not in ran.out
    # What needed no room is known all the same.
    assert task["tests"]["passed"] == 1
    counts = task["trials"]["counts"]
    assert counts["harness_error"] == counts["timed_out"] == counts["not_run"] == 0
    assert counts["killed"] == 3


def test_a_cache_without_room_costs_time_only(project, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    command = boxed("--size", "4096", "--tmpfs", str(small))
    ran = project.run(*TRIALS, "-o", f"cache_dir={small}/cache", command=command)
    trials = ran.task("big-one")["trials"]
    assert ran.status == 0
    assert (trials["counts"]["killed"], trials["counts"]["not_run"], trials["cached"]) == (3, 0, 0)
    assert trials["refusal"] == ""


def test_a_project_nobody_may_write_to_is_judged_as_any(project):
    place = str(project.root)
    ran = project.run(
        *TRIALS,
        # The file goes elsewhere: a report that cannot be written is a mistake of its own.
        "--lockin-json",
        str(project.root.parent / "report.json"),
        command=boxed("--ro-bind", place, place),
    )
    assert ran.status == 0, ran.out + ran.err
    ran.match("*TRUE PASS*", "*tests notice 3 of 8*", "lockin gate: passed")
    assert sorted(each.name for each in project.root.iterdir()) == ["refs", "suites"]


def test_a_report_in_a_project_nobody_may_write_to_is_refused_before_anything_runs(project):
    place = str(project.root)
    project.write("lockin.json", "{}")
    command = boxed("--ro-bind", place, place, "--ro-bind", f"{place}/lockin.json", f"{place}/lockin.json")
    process = project.start(*TRIALS, command=command)
    project.write("lockin.json", "{}")
    out, err = process.communicate(timeout=120)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert "Read-only file system" in out + err
    assert "Traceback" not in out + err


def test_a_user_who_may_write_nowhere_in_the_project_gets_a_verdict(project):
    """As somebody else than root, for whom permissions mean nothing."""
    become = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
    python = [
        sys.executable,
        "-c",
        "import os, sys; os.stat(sys.executable); import pytest, pytest_lockin, pyspark, pysail",
    ]
    if os.getuid() != 0 or subprocess.run([*become, *python], capture_output=True, check=False).returncode:
        pytest.skip("needs root, and an interpreter everybody may run")
    for folder in project.root.parents:
        if folder.is_relative_to(tempfile.gettempdir()) and folder != Path(tempfile.gettempdir()):
            folder.chmod(0o755)
    script = "import os, sys; os.execvp(sys.argv[1], sys.argv[1:])"
    command = ("-c", script, *become, sys.executable, "-m", "pytest")
    report = "/tmp/nobody-" + str(os.getpid())
    ran = project.run(*TRIALS, "--lockin-json", report, command=command, env={"HOME": "/nonexistent"})
    Path(report).unlink(missing_ok=True)
    assert ran.status == 0, ran.out + ran.err
    ran.match("*TRUE PASS*", "lockin gate: passed")


def test_a_result_that_cannot_be_kept_is_named_or_refused(tmp_path):
    import pyarrow as pa

    from pytest_lockin.errors import DiskError

    store = FrameStore(tmp_path / "store", 1 << 20)
    frame = Frame(table=pa.table({"a": [1]}), rows=1, schema_json="")
    (tmp_path / "store").rmdir()
    (tmp_path / "store").write_text("a file where the folder was")
    with pytest.raises(DiskError, match="TMPDIR"):
        store.keep(frame)
    named = store.keep_if_room(frame)
    assert (named.kept, named.rows) == (False, 1)

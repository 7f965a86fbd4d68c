"""When everything goes wrong: nothing is lost, one clear message, the right exit status."""

import os
import time
from pathlib import Path

import pytest
from plugin_project import BIG, BIG_TESTS, PLAIN, Project

# Says that it runs by the name of a process, which can be seen from outside the sandbox.
WAITING = """
    import subprocess
    import time

    def test_waits():
        subprocess.run(["sleep", "{seconds}"])
"""
CRASHING = """
    import os
    import signal

    def test_before():
        pass

    def test_killed():
        os.kill(os.getpid(), signal.SIGKILL)

    def test_after():
        pass
"""


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path.resolve() / "with space and ünïcode")
    made.root.mkdir()
    yield made
    assert made.leftovers() == []


def sleeping(seconds, limit=120):
    """Process ids of a `sleep` with this many seconds, as soon as there is one."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if (entry / "cmdline").read_bytes().split(b"\0")[:2] == [b"sleep", seconds.encode()]:
                    found.append(int(entry.name))
            except (OSError, ValueError):
                continue
        if found:
            return found
        time.sleep(0.05)
    return []


def gone(seconds, limit=30):
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        if not sleeping(seconds, 0.01):
            return True
        time.sleep(0.05)
    return False


def test_a_killed_controller_takes_sandboxes_groups_and_folder_along(project, tmp_path):
    """Killed so that it can do nothing any more: its guard does it."""
    seconds, scratch = str(100_000 + os.getpid()), tmp_path / "scratch"
    scratch.mkdir()
    project.suite("one", WAITING.format(seconds=seconds), PLAIN)
    project.task("one")
    process = project.start("suites", "--lockin-sandbox", "bwrap", env={"TMPDIR": str(scratch)})
    (inner,) = sleeping(seconds)
    group = Path(f"/proc/{inner}/cgroup").read_text()
    assert list(scratch.glob("lockin-run-*"))
    process.kill()
    process.communicate(timeout=60)
    assert gone(seconds)
    assert project.leftovers() == []
    deadline = time.monotonic() + 20
    while list(scratch.glob("lockin-run-*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not list(scratch.glob("lockin-run-*"))
    for line in group.splitlines():
        name = line.rpartition("/")[2]
        assert not name.startswith("lockin-") or not list(Path("/sys/fs/cgroup").glob(f"*/**/{name}"))


def test_a_killed_worker_is_one_red_case_and_the_rest_goes_on(project):
    project.suite("big-one", CRASHING, BIG)
    project.reference()
    ran = project.run("suites", "--lockin-sandbox", "bwrap")
    assert (ran.status, ran.counts) == (1, {"passed": 2, "failed": 1})
    assert "signal SIGKILL" in ran.failure("test_killed")
    assert ran.task("big-one")["verdict"] == "unverified"
    assert ran.task("big-one")["isolated"]


def test_unicode_and_spaces_and_no_home(project):
    project.suite("big-ünï cödé", BIG_TESTS, BIG)
    project.reference()
    ran = project.run("suites", "--lockin-sandbox", "bwrap", env={"HOME": "/nonexistent", "LC_ALL": "C"})
    assert ran.status == 0, ran.out + ran.err
    assert ran.task("big-ünï cödé")["verdict"] == "true_pass"


def test_two_runs_at_once_share_a_cache_and_nothing_else(project):
    project.suite("big-one", BIG_TESTS, BIG)
    project.reference()
    args = ("suites", "--lockin-sandbox", "bwrap", "--lockin-trials", "on", "--lockin-budget", "20")
    first = project.start(*args)
    second = project.start(*args)
    for process in (first, second):
        out, err = process.communicate(timeout=280)
        assert process.returncode == 0, out + err
        assert "TRUE PASS" in out


@pytest.mark.parametrize("damage", ["truncated", "folder", "denied"])
def test_a_damaged_reference_ends_unverified_with_the_reason(project, damage):
    project.suite("big-one", BIG_TESTS, BIG)
    table = project.reference() / "tables" / "orders.parquet"
    if damage == "truncated":
        table.write_bytes(table.read_bytes()[:100])
    elif damage == "folder":
        table.unlink()
        table.mkdir()
    else:
        table.unlink()
        table.symlink_to("/proc/1/mem")
    ran = project.run("suites", "--lockin-sandbox", "bwrap")
    task = ran.task("big-one")
    assert (ran.status, task["verdict"]) == (1, "unverified")
    assert task["reason"]
    assert "lockin itself failed" not in task["reason"]


def test_a_cache_that_is_damaged_or_cannot_be_written_costs_time_only(project):
    project.suite("big-one", BIG_TESTS, BIG)
    project.reference()
    args = ("suites", "--lockin-sandbox", "bwrap", "--lockin-trials", "on", "--lockin-budget", "20")
    assert project.run(*args).status == 0
    kept = [
        path
        for path in (project.root / ".pytest_cache").rglob("*")
        if path.is_file() and "lockin" in str(path)
    ]
    assert kept
    for path in kept:
        path.write_bytes(b"\xff\xfe nonsense")
    ran = project.run(*args)
    assert ran.status == 0
    assert ran.task("big-one")["trials"]["cached"] == 0
    full = project.run(*args, "-o", "cache_dir=/dev/full/cache")
    assert full.status == 0, full.out + full.err
    assert full.task("big-one")["verdict"] == "true_pass"


def test_a_report_that_cannot_be_written_is_one_clear_message(project):
    project.suite("big-one", BIG_TESTS, BIG)
    project.reference()
    ran = project.run("suites", "--lockin-sandbox", "bwrap", "--lockin-lock", "/dev/full/lock")
    assert ran.status == 1
    ran.match("lockin gate: FAILED*--lockin-lock /dev/full/lock*")
    assert "Traceback" not in ran.out

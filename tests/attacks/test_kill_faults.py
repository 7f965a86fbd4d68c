"""Killed in the middle: the controller, and Spark's JVM. What was known is not lost, what is left is ended."""

import hashlib
import os
import signal
import time
from pathlib import Path

import pytest
from plugin_project import BIG, BIG_TESTS, Project

# Calls the program and then takes its time: a run can be killed between two trials.
SLOW_TESTS = """
    import subprocess
    from pyspark.sql import SparkSession
    from solution import solve

    def orders():
        rows = [(1, 5.0), (2, 20.0)]
        return SparkSession.builder.getOrCreate().createDataFrame(rows, "id int, amount double")

    def test_before():
        assert solve(None, {{"orders": orders()}}).count() < 3

    def test_big():
        tables = {{"orders": orders()}}
        subprocess.run(["sleep", "{seconds}"])
        assert [row.id for row in solve(None, tables).collect()] == [2]

    def test_after():
        assert solve(None, {{"orders": orders()}}).count() < 3
"""
ONE_SLOW_TEST = BIG_TESTS + "        import time; time.sleep(0.3)\n"
TRIALS = ("suites", "--lockin-sandbox", "bwrap", "--lockin-trials", "on")
PATIENCE = 240.0


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path.resolve() / "project")
    made.root.mkdir()
    made.reference()
    yield made
    assert made.leftovers() == []


@pytest.fixture
def scratch(tmp_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    yield folder
    deadline = time.monotonic() + 30
    while list(folder.glob("lockin-run-*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not list(folder.glob("lockin-run-*"))


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.02)
    return found


def commands():
    """(process id, words) of everything that runs."""
    for entry in Path("/proc").iterdir():
        try:
            yield int(entry.name), (entry / "cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            continue


def sleeping(seconds):
    return [pid for pid, words in commands() if words[:2] == [b"sleep", seconds.encode()]]


def find_jvms(scratch):
    """JVMs of runs whose temporary files go to this folder."""
    place = str(scratch).encode()
    return [
        pid
        for pid, words in commands()
        if words[0].endswith(b"java") and any(place in word for word in words)
    ]


def kept_answers(cache):
    """Answers about alternatives; that of the control counts nowhere."""
    control = hashlib.sha256(b"control-solution").hexdigest()[:24]
    kept = cache.glob("d/lockin-trials/*/*.json")
    return [path for path in kept if path.stem not in ("cases", control)]


def test_a_killed_controller_is_resumed_where_it_was(project, scratch, tmp_path):
    """What it knew of trials is known to the next run, which finds out the rest and nothing else."""
    project.suite("big-one", ONE_SLOW_TEST, BIG)
    cache = tmp_path / "cache"
    killed = (*TRIALS, "-o", f"cache_dir={cache}")
    process = project.start(*killed, env={"TMPDIR": str(scratch)})
    wait_for(lambda: kept_answers(cache) or process.poll() is not None)
    assert process.poll() is None, process.communicate()[0]
    process.kill()
    process.communicate(timeout=60)
    assert project.leftovers() == []
    known = len(kept_answers(cache))
    again = project.run(*killed)
    trials = again.task("big-one")["trials"]
    assert trials["cached"] == known
    # What the same program and tests give where nothing is killed.
    counts = {name: number for name, number in trials["counts"].items() if number}
    assert counts == {"killed": 3, "unrevealed": 2, "uninfected": 3}
    assert known < sum(counts.values())
    assert (again.status, again.task("big-one")["verdict"]) == (0, "true_pass")


def alternatives(trials):
    return [*trials["survivors"], *trials["others"]]


def outcomes(trials):
    return {each["id"]: each["outcome"] for each in alternatives(trials)}


@pytest.mark.slow
@pytest.mark.spark
def test_a_jvm_killed_in_a_suite_ends_that_suite_and_the_next_has_a_fresh_one(project, scratch):
    seconds = str(3 + os.getpid() / 10_000_000)
    project.suite("big-one", SLOW_TESTS.format(seconds=seconds), BIG)
    project.suite("big-two", BIG_TESTS, BIG)
    process = project.start(
        "suites", "--lockin-sandbox", "bwrap", engine="spark", env={"TMPDIR": str(scratch)}
    )
    wait_for(lambda: sleeping(seconds))
    victims = find_jvms(scratch)
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    ran = project.ran(*finish(process))
    assert victims
    assert ran.status == 1
    assert "Spark's JVM ended" in ran.failure("test_big")
    assert "Py4J" not in ran.out
    hit, other = ran.task("big-one"), ran.task("big-two")
    assert hit["verdict"] == "unverified"
    assert "Spark's JVM ended" in hit["reason"]
    # The case after it, and the suite after it, ran on another.
    assert ran.counts["passed"] >= 2
    assert other["verdict"] == "true_pass", other


@pytest.mark.slow
@pytest.mark.spark
def test_a_jvm_killed_in_trials_decides_no_trial(project, scratch, tmp_path):
    seconds = str(2 + os.getpid() / 10_000_000)
    project.suite("big-one", SLOW_TESTS.format(seconds=seconds), BIG)
    cache = tmp_path / "cache"
    args = (*TRIALS, "-o", f"cache_dir={cache}")
    process = project.start(*args, engine="spark", env={"TMPDIR": str(scratch)})
    wait_for(lambda: kept_answers(cache) or process.poll() is not None)
    wait_for(lambda: sleeping(seconds) or process.poll() is not None)
    victims = find_jvms(scratch)
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    ran = project.ran(*finish(process))
    assert victims
    task = ran.task("big-one")
    whole = project.run(*TRIALS, "-o", f"cache_dir={tmp_path}/other", engine="spark").task("big-one")
    assert outcomes(task["trials"]) == outcomes(whole["trials"])
    assert not any("Connection" in str(each["kill"]) for each in alternatives(task["trials"]))
    assert (ran.status, task["verdict"]) == (0, "true_pass")


def finish(process):
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err

"""A worker process from the controller's side: every way to end has words, and nothing outlives `kill`."""

import contextlib
import os
import time
from pathlib import Path

import pytest

from pytest_lockin.errors import WorkerCrashedError, WorkerError, WorkerTimedOutError
from pytest_lockin.model.messages import EngineSpec, Finish, ProgramJob, RunPhase
from pytest_lockin.workers.environment import child_environment
from pytest_lockin.workers.pool import WorkerPool
from pytest_lockin.workers.worker import Worker, WorkerFailedError, describe_exit

HERE = str(Path(__file__).parent)
JOB = ProgramJob(engine=EngineSpec(name="none"), store="")


def start(worker, handler="worker_handlers:obey"):
    worker.start(handler, JOB, sys_path=(HERE,))
    return worker


@pytest.fixture
def worker(tmp_path):
    made = Worker(tmp_path, os.environ)
    yield start(made)
    made.kill()


def order(worker, text, timeout=60):
    return worker.ask(RunPhase(case_id=text, when="call"), timeout)


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(question, limit=30.0):
    deadline = time.monotonic() + limit
    while not question() and time.monotonic() < deadline:
        time.sleep(0.02)
    return question()


def test_it_answers_until_it_is_told_to_finish(worker):
    assert order(worker, "say:hello").errors == ()
    worker.ask(Finish(), 60)
    assert worker.process.wait(60) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("exit:0", "exit status 0"),
        ("exit:3", "exit status 3"),
        ("signal:SIGSEGV", "signal SIGSEGV"),
        ("signal:SIGKILL", "signal SIGKILL"),
    ],
)
def test_a_crash_says_how_it_ended(worker, text, words):
    with pytest.raises(WorkerCrashedError, match=f"it ended: {words}"):
        order(worker, text)
    assert not worker.alive


def test_a_crash_shows_the_last_thing_it_said(worker):
    order(worker, "say:last words")
    with pytest.raises(WorkerCrashedError, match=r"last output: .*last words"):
        order(worker, "exit:1")


def test_a_handler_that_raises_is_told_with_type_and_message(worker):
    with pytest.raises(WorkerFailedError) as caught:
        order(worker, "raise:no such thing")
    assert caught.value.one_line == "ValueError: no such thing"
    # What a process prints comes into the log by another way than its answer, and later.
    deadline = time.monotonic() + 30
    while "Traceback" not in worker.log_tail():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_error_of_ours_keeps_its_slug_and_words(worker):
    with pytest.raises(WorkerFailedError) as caught:
        order(worker, "refuse:another")
    assert caught.value.slug == "engine"
    assert "found another" in caught.value.one_line


def test_no_answer_in_time_kills_it(worker):
    with pytest.raises(WorkerTimedOutError, match=r"within 0\.5 s"):
        order(worker, "busy", timeout=0.5)
    assert not worker.alive


@pytest.mark.parametrize(
    "text",
    ["raw:000000000000000461626364", "raw:000000000000000192", "huge"],
    ids=["not msgpack", "cut", "too long"],
)
def test_nonsense_on_the_wire_kills_it(worker, text):
    with pytest.raises(WorkerError, match="not to be trusted"):
        order(worker, text)
    assert not worker.alive


def test_a_handler_that_does_not_exist_is_told(tmp_path):
    made = Worker(tmp_path, os.environ)
    try:
        start(made, "worker_handlers:nobody")
        with pytest.raises(WorkerFailedError, match="nobody"):
            made.receive(60)
    finally:
        made.kill()


@pytest.mark.parametrize("end", ["kill", "stop", "crash"])
def test_what_it_started_ends_with_it(worker, end):
    (pid,) = order(worker, "spawn").errors
    assert is_running(pid)
    if end == "crash":
        with contextlib.suppress(WorkerCrashedError):
            order(worker, "exit:1")
    else:
        getattr(worker, end)()
    assert wait_until(lambda: not is_running(pid))


def test_a_busy_worker_ends_when_the_controller_is_gone(worker):
    """A controller killed by force closes the socket; nobody is left to kill the worker."""
    worker.send(RunPhase(case_id="busy", when="call"))
    time.sleep(0.2)
    assert worker.alive
    worker._wire.close()
    assert worker.process.wait(60) != 0


def test_it_reads_no_input_and_inherits_no_files(worker, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    with secret.open() as held:
        os.set_inheritable(held.fileno(), True)
        other = start(Worker(tmp_path, os.environ))
        try:
            assert order(other, "stdin").errors == ("",)
            assert not any("secret" in link for link in order(other, "descriptors").errors)
        finally:
            other.kill()


def test_stopping_and_killing_twice_is_harmless(worker):
    worker.stop()
    worker.stop()
    worker.kill()
    with pytest.raises((WorkerError, OSError)):
        order(worker, "say:anything")


def test_the_environment_steers_no_inner_pytest_spark_or_coverage():
    parent = {
        "PATH": "/bin",
        "HOME": "/root",
        "PYTEST_ADDOPTS": "-x",
        "PYTEST_PLUGINS": "mine",
        "PYTEST_XDIST_WORKER": "gw0",
        "COV_CORE_SOURCE": "x",
        "COVERAGE_PROCESS_START": "x",
        "SPARK_REMOTE": "sc://x",
        "PYSPARK_PYTHON": "python2",
        "SPARK_HOME": "/opt/spark",
        "MASTER": "yarn",
        "REFS": "/data/refs/q04",
        "JAVA_HOME": "/usr/lib/jvm",
    }
    kept = child_environment(parent, ["/data/refs", ""])
    assert set(kept) == {"PATH", "HOME", "SPARK_HOME", "JAVA_HOME", "PYTEST_PLUGINS", "PYTEST_XDIST_WORKER"}


@pytest.fixture
def pool(tmp_path):
    made = WorkerPool(tmp_path, os.environ, str(tmp_path))
    yield made
    made.stop()


def test_nobody_gets_the_same_worker_twice_and_one_waits_ready(pool):
    first, (_, spare) = pool.take(), pool._spare
    second = pool.take()
    assert second is spare
    assert len({first.process.pid, second.process.pid, pool._spare[1].process.pid}) == 3


def test_a_spare_that_died_is_not_handed_out(pool):
    pool.take()
    pool._spare[1].kill()
    taken = pool.take()
    assert taken.alive


def test_after_stop_no_worker_is_left(pool):
    workers = [pool.take(), pool.take(), pool._spare[1]]
    pool.stop()
    assert [worker.alive for worker in workers] == [False] * 3
    with pytest.raises(WorkerCrashedError, match="the run is over"):
        pool.take()


def test_every_end_of_a_process_has_a_name():
    assert describe_exit(None) == "still running"
    assert describe_exit(3) == "exit status 3"
    assert describe_exit(-9) == "signal SIGKILL"
    assert describe_exit(-40) == "signal 40"  # a real-time signal without a name

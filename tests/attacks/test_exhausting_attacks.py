"""What a program can use up: its own share. The next one finds a working machine, and nothing is left behind."""

import contextlib
import time
from dataclasses import replace

import pytest
from attack_arena import Attacker

from pytest_lockin.errors import WorkerCrashedError, WorkerError, WorkerTimedOutError
from pytest_lockin.model.messages import ProgramRaised
from pytest_lockin.workers.sandbox import view

MEMORY = 3 << 30
LIMITS = {
    "memory": MEMORY,
    "processes": 400,
    "file_bytes": 64 << 20,
    "disk_bytes": 256 << 20,
    "output_bytes": 1 << 20,
}


@pytest.fixture(scope="module")
def tight(arena):
    """An attacker whose share is small enough to be used up in no time."""
    patch = pytest.MonkeyPatch()
    generous = view.default_limits

    def limits():
        return replace(generous(), **LIMITS)

    patch.setattr("pytest_lockin.workers.worker.default_limits", limits)
    made = Attacker(arena, "bwrap")
    yield made
    made.close()
    patch.undo()


def ask(attacker, name, limit=60):
    return attacker.ask(name, limit=limit, module="exhausting")


@pytest.mark.parametrize("attack", ["memory_bomb", "memory_bomb_in_temporary_files", "parquet_bomb"])
def test_a_memory_bomb_ends_its_worker_only(tight, attack):
    try:
        answer = ask(tight, attack)
    except WorkerCrashedError as error:
        assert "out of memory" in str(error)  # noqa: PT017 - one of two honest ends
    else:
        # The temporary file system is smaller than the memory and full first, or Arrow counts its own bytes.
        assert isinstance(answer, ProgramRaised)
        ends = ("No space", "overflowed binary array capacity")
        assert any(end in answer.message for end in ends) or "MemoryError" in answer.type
    assert not isinstance(ask(tight, "wide"), ProgramRaised)


def test_a_fork_bomb_stops_at_its_share_and_leaves_no_process(tight):
    worker, group = tight.worker, tight.worker.process.group
    # An engine that cannot start a thread any more may never answer.
    with contextlib.suppress(WorkerTimedOutError):
        ask(tight, "fork_bomb", limit=8)
    worker.kill()
    assert not [folder for folder in group.folders if folder.exists()]
    assert not isinstance(ask(tight, "wide"), ProgramRaised)


def test_threads_are_counted_too(tight):
    answer = ask(tight, "thread_bomb")
    assert isinstance(answer, ProgramRaised)
    tight.worker.kill()


def test_no_file_grows_beyond_its_share(tight):
    answer = ask(tight, "file_bomb")
    assert isinstance(answer, ProgramRaised)
    assert "too large" in answer.message


def test_many_files_end_the_worker_that_writes_them(tight):
    with pytest.raises(WorkerError, match="disk"):
        ask(tight, "many_files")


def test_a_flood_of_output_is_cut_and_that_is_said(tight):
    assert not isinstance(ask(tight, "output_flood"), ProgramRaised)
    worker = tight.worker
    deadline = time.monotonic() + 20
    while worker.process.output.size < 2000 * 65536 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert worker.process.output.cut
    assert (worker.scratch / "output.log").stat().st_size <= LIMITS["output_bytes"] + 200
    assert "output cut" in (worker.scratch / "output.log").read_text()[-200:]


@pytest.mark.parametrize(
    "attack",
    [
        "endless_loop",
        "endless_loop_deaf_to_signals",
        "endless_loop_in_a_function",
        "stop_itself",
        "close_all_files",
    ],
)
def test_a_program_that_never_ends_is_ended_with_all_it_started(tight, attack):
    worker = tight.worker
    group = worker.process.group
    with pytest.raises((WorkerTimedOutError, WorkerCrashedError)):
        ask(tight, attack, limit=3)
    worker.kill()
    assert not [folder for folder in group.folders if folder.exists()]


@pytest.mark.parametrize("attack", ["deep_recursion", "end_the_process", "nonsense_on_the_wire"])
def test_a_program_that_breaks_its_worker_is_no_answer(tight, attack):
    with pytest.raises(WorkerError):
        ask(tight, attack, limit=20)
    assert not isinstance(ask(tight, "wide"), ProgramRaised)


def test_nothing_of_all_that_is_left_in_the_kernels_tables(arena):
    """Control groups of every worker there was are gone when the run is over."""
    attacker = Attacker(arena, "bwrap")
    try:
        ask(attacker, "wide")
        attacker.worker.kill()
        ask(attacker, "wide")
        made = {folder for worker in attacker.started for folder in worker.process.group.folders}
        assert len(made) > len(attacker.started) > 1
    finally:
        attacker.close()
    assert not [folder for folder in made if folder.exists()]

"""The sandbox's parts by themselves; what they hold against is in tests/attacks."""

import os
import platform
import struct
import sys
from pathlib import Path

import pytest

from pytest_lockin.errors import SandboxError
from pytest_lockin.model.isolation import Attestation, Isolation
from pytest_lockin.model.messages import EngineSpec, ProgramJob, SuiteJob
from pytest_lockin.model.suite import EntryPoint
from pytest_lockin.reports.isolation import say_isolation
from pytest_lockin.workers.environment import sealed_environment
from pytest_lockin.workers.sandbox.bare import Bare
from pytest_lockin.workers.sandbox.bwrap import Bubblewrap, find_bubblewrap, try_bubblewrap
from pytest_lockin.workers.sandbox.choose import decide_sandbox, describe_choice, is_required
from pytest_lockin.workers.sandbox.disk import measure
from pytest_lockin.workers.sandbox.groups import _places
from pytest_lockin.workers.sandbox.preflight import look_through
from pytest_lockin.workers.sandbox.process import finish
from pytest_lockin.workers.sandbox.seccomp import make_filter
from pytest_lockin.workers.sandbox.view import Limits, View
from pytest_lockin.workers.sandbox.views import Surroundings, view_program, view_suite

HAVE = find_bubblewrap()
works = pytest.mark.skipif(not HAVE or bool(try_bubblewrap(HAVE)), reason="no bubblewrap here")
LIMITS = Limits(memory=1 << 30, output_bytes=1 << 16)


# Choosing.


@pytest.fixture
def absent(monkeypatch):
    monkeypatch.setattr("pytest_lockin.workers.sandbox.choose.find_bubblewrap", lambda: "")


def test_without_any_sandbox_a_run_goes_on_and_says_so(absent):
    choice = decide_sandbox("auto", engine="auto", required=False)
    assert describe_choice(choice) == "NO SANDBOX (bwrap: not installed)"


@pytest.mark.parametrize(("asked", "required"), [("auto", True), ("bwrap", False)])
def test_where_there_must_be_one_there_is_no_run_without(absent, asked, required):
    with pytest.raises(SandboxError, match="not installed"):
        decide_sandbox(asked, engine="auto", required=required)


def test_none_has_to_be_asked_for_by_name(absent):
    assert decide_sandbox("none", engine="auto", required=True).backend == "none"


def test_a_cluster_cannot_be_reached_from_a_sandbox():
    with pytest.raises(SandboxError, match="cannot reach a cluster"):
        decide_sandbox("bwrap", engine="sc://host", required=False)


@pytest.mark.parametrize(("value", "expected"), [("true", True), ("1", True), ("", False), ("false", False)])
def test_it_is_required_where_nobody_looks_and_references_are_at_stake(value, expected):
    assert is_required({"CI": value}, with_references=True) is expected
    assert is_required({"CI": value}, with_references=False) is False


def test_a_program_that_cannot_make_namespaces_is_found_out(tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o700)
    assert try_bubblewrap(str(broken)) == "bwrap: No permissions to create new namespace"


# Starting.


@works
def test_a_process_ends_as_it_would_outside(tmp_path):
    sandbox = Bubblewrap(HAVE, tmp_path)
    view = View(role="test", ro=(sys.prefix, sys.base_prefix))
    for code, expected in (("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", -9)):
        for each in (sandbox, Bare()):
            result = finish(each.spawn([sys.executable, "-c", code], view, LIMITS, environment={}), 60)
            assert result.rc == expected


@works
def test_time_and_output_are_limited_and_that_is_said(tmp_path):
    sandbox = Bubblewrap(HAVE, tmp_path)
    view = View(role="test", ro=(sys.prefix, sys.base_prefix))
    flood = "print('x' * 100_000, flush=True)\nimport time\ntime.sleep(600)"
    result = finish(sandbox.spawn([sys.executable, "-c", flood], view, LIMITS, environment={}), 3)
    assert (result.timed_out, result.truncated, result.oom) == (True, True, False)
    assert result.attestation.holds


@works
def test_what_runs_out_of_memory_says_so(tmp_path):
    sandbox = Bubblewrap(HAVE, tmp_path)
    view = View(role="test", ro=(sys.prefix, sys.base_prefix))
    process = sandbox.spawn([sys.executable, "-c", "x = bytearray(3 << 30)"], view, LIMITS, environment={})
    if process.group is None:
        process.kill()
        pytest.skip("no control groups can be made here")
    assert finish(process, 60).oom


@works
def test_a_second_user_namespace_or_a_bare_process_is_not_taken_for_a_sealed_one(tmp_path):
    bare = Bare().spawn([sys.executable, "-c", ""], View(role="test"), LIMITS, environment={})
    assert not finish(bare, 30).attestation.holds


@works
def test_without_control_groups_limits_are_those_of_each_process_and_the_rest_is_said(tmp_path):
    sandbox = Bubblewrap(HAVE, tmp_path)
    sandbox._home = None
    view = View(role="test", ro=(sys.prefix, sys.base_prefix))
    result = finish(
        sandbox.spawn([sys.executable, "-c", "bytearray(3 << 30)"], view, LIMITS, environment={}), 60
    )
    assert b"MemoryError" in result.output
    held = {limit.name: limit.held_by for limit in result.attestation.limits}
    assert held["memory"] == "resource limit"
    assert ("processes" in held) is (os.getuid() != 0)
    assert result.attestation.open_ends == ()
    assert bool(sandbox.weakness) is bool(result.attestation.missing)


# The filter.


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_jump_of_the_filter_lands_inside_it(machine):
    program = make_filter(machine)
    steps = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    assert len(steps) < 4096
    for place, (code, yes, no, _) in enumerate(steps):
        if code & 0x07 == 0x05:
            assert place + 1 + max(yes, no) < len(steps)
    assert steps[-1][0] == 0x06


def test_an_unknown_processor_has_no_filter():
    assert make_filter("pdp11") == b""
    assert make_filter(platform.machine()) or platform.machine() not in ("x86_64", "aarch64")


# Views.


def make_suite(root):
    folder = root / "suites" / "q"
    folder.mkdir(parents=True)
    (root / "refs").mkdir()
    (root / ".git").mkdir()
    for name in ("test_solution.py", "solution.py"):
        (folder / name).write_text("")
    (root / "suites" / "conftest.py").write_text("")
    (root / "helpers").mkdir()
    (root / "helpers" / "__init__.py").write_text("")
    (root / "data").mkdir()
    run = root / "run"
    run.mkdir()
    job = SuiteJob(
        suite_id="q",
        path=str(folder / "test_solution.py"),
        entry_point=EntryPoint(),
        engine=EngineSpec(name="sail"),
        store=str(run / "store"),
        root=str(root),
    )
    around = Surroundings(
        hidden=(str(root / "refs"),), import_path=(str(root),), run_folder=str(run), cwd=str(root)
    )
    return job, around


def test_of_a_project_only_the_suite_and_what_it_imports_is_shown(tmp_path):
    job, around = make_suite(tmp_path)
    view = view_suite(job, around)
    ours = {path for path in view.ro if path.startswith(str(tmp_path))}
    assert ours == {str(tmp_path / name) for name in ("suites/q", "suites/conftest.py", "helpers")}
    assert view.rw == (job.store,)


def test_a_reference_that_lies_beside_a_program_is_refused(tmp_path):
    job, around = make_suite(tmp_path)
    (tmp_path / "suites/q/expected.parquet").write_text("")
    with pytest.raises(SandboxError, match=r"expected\.parquet"):
        view_suite(job, around)


def test_references_below_a_suite_are_masked(tmp_path):
    """A task's own folder may be pytest's root folder, with everything in it."""
    job, around = make_suite(tmp_path)
    inner = tmp_path / "suites/q/refs"
    inner.mkdir()
    (inner / "reference.sql").write_text("")
    view = view_suite(job, Surroundings(hidden=(str(inner),), run_folder=around.run_folder))
    assert str(inner) in view.masked


def test_suites_and_repositories_below_a_suite_are_masked(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "test_solution.py").write_text("")
    (tmp_path / ".git").mkdir()
    inside = look_through(str(tmp_path), (), tmp_path)
    assert set(inside.masked) == {str(tmp_path / "other"), str(tmp_path / ".git")}


def test_hidden_obligations_are_left_out_of_what_is_shown(tmp_path):
    (tmp_path / "task.yaml").write_text(
        "obligations:\n- {id: O1, source: prompt}\n- {id: O2, source: hidden}\n"
    )
    (path, shown) = look_through(str(tmp_path), (), tmp_path).shown[0]
    assert path == str(tmp_path / "task.yaml")
    assert "O1" in Path(shown).read_text()
    assert "O2" not in Path(shown).read_text()


def test_what_the_user_exposes_may_not_hold_the_references(tmp_path):
    job = ProgramJob(engine=EngineSpec(name="sail"), store=str(tmp_path), visible=())
    around = Surroundings(
        hidden=(str(tmp_path / "refs"),), exposed=(str(tmp_path),), run_folder=str(tmp_path)
    )
    with pytest.raises(SandboxError, match="lockin_expose"):
        view_program(job, around)


# The environment.


def test_an_environment_is_cleared_but_for_what_is_named():
    outside = {
        "LANG": "C",
        "TZ": "UTC",
        "AWS_SECRET": "x",
        "REGION": "eu",
        "HOME": "/root",
        "LOCKIN_CANARY": "y",
    }
    inside = sealed_environment(outside, ["REGION"])
    assert {name: inside.get(name) for name in outside} == {
        "LANG": "C", "TZ": "UTC", "AWS_SECRET": None, "REGION": "eu", "HOME": "/tmp", "LOCKIN_CANARY": None,
    }  # fmt: skip


def test_inside_it_is_known_whether_this_is_ci_and_no_more():
    inside = sealed_environment({"CI": "https://ci/secret", "BUILD_NUMBER": ""}, [])
    assert (inside["CI"], inside.get("BUILD_NUMBER")) == ("true", None)


# Control groups and disk.


def test_the_places_of_control_groups_are_read_from_what_the_kernel_says():
    own = ["4:memory:/job/1", "8:pids:/", "0::/unified"]
    mounts = [
        "35 25 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
        "36 25 0:30 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids",
        "37 25 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
    ]
    assert _places(own, mounts) == {
        "memory": Path("/sys/fs/cgroup/memory/job/1"),
        "pids": Path("/sys/fs/cgroup/pids"),
        "": Path("/sys/fs/cgroup/unified/unified"),
    }


def test_a_folder_is_measured_without_following_links(tmp_path):
    (tmp_path / "big").write_bytes(bytes(1 << 20))
    (tmp_path / "link").symlink_to("/usr")
    assert (1 << 20) <= measure([str(tmp_path)], 1 << 40) < (1 << 21)


# What is said of it.


def test_what_does_not_hold_is_said():
    torn = Attestation(role="suite", backend="bwrap", missing=("a filter of system calls",))
    isolation = Isolation(backend="bwrap", attestations=(torn,))
    assert not isolation.isolated
    assert say_isolation(isolation) == "not isolated: the sandbox lacks a filter of system calls"
    assert say_isolation(Isolation(backend="bwrap")) == ""
    assert os.path.exists("/proc/self/ns/net")  # noqa: PTH110 - else none of this means anything

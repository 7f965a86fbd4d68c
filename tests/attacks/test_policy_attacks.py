"""Attacks on what decides a verdict: settings, conftests, waivers, task files, the cache, the command line."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from plugin_project import BIG, BIG_TESTS, Project, outer_environment

from pytest_lockin.cli import main
from pytest_lockin.errors import PolicyError, SealError
from pytest_lockin.sealing.policy import compare_policy, read_base
from pytest_lockin.sealing.start import find_settings, sealed_command, sealed_variables
from pytest_lockin.sealing.tamper import find_tampering, look_before


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """A project as it was before the change that is judged."""
    files = {
        "pytest.ini": "[pytest]\nlockin_fail_on = false_pass\n",
        "pyproject.toml": "[project]\nname = 'x'\n",
        "lockin-waivers.toml": "",
        "conftest.py": "",
        "suites/q/task.yaml": "id: q\n",
        "suites/q/conftest.py": "",
        "suites/q/solution.py": "",
        "fixtures/lock.json": "{}",
        ".coveragerc": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "base")
    return tmp_path


def changes(repository):
    return compare_policy("HEAD", repository, lambda path: "suites" in path.parts).changes


def test_a_change_of_program_and_tests_is_no_change_of_policy(repository):
    (repository / "suites/q/solution.py").write_text("x = 1\n")
    (repository / "suites/q/test_solution.py").write_text("def test_it(): pass\n")
    (repository / "suites/q/conftest.py").write_text("x = 1\n")
    assert changes(repository) == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\nlockin_fail_on = none\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\nlockin_allow = ['unverified']\n"),
        ("lockin-waivers.toml", "[[waiver]]\n"),
        ("conftest.py", "import os; os._exit(0)\n"),
        ("suites/q/task.yaml", "id: other\n"),
        ("fixtures/lock.json", '{"format": 1}'),
        (".coveragerc", "[run]\nplugins = evil\n"),
    ],
)
def test_a_deciding_file_that_the_change_edits_is_named(repository, name, text):
    (repository / name).write_text(text)
    assert changes(repository) == (f"{name} was changed",)


@pytest.mark.parametrize(
    "name",
    [
        "tox.ini",
        "setup.cfg",
        "suites/pytest.ini",
        "sitecustomize.py",
        "suites/q/pytest.ini",
        "other/conftest.py",
    ],
)
def test_a_deciding_file_that_the_change_adds_is_named(repository, name):
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_text("")
    assert changes(repository) == (f"{name} is new",)


def test_a_deciding_file_that_is_gone_or_a_link_is_named(repository):
    (repository / "lockin-waivers.toml").unlink()
    target = repository / "elsewhere"
    (repository / "pytest.ini").rename(target)
    (repository / "pytest.ini").symlink_to(target)
    assert changes(repository) == ("lockin-waivers.toml is gone", "pytest.ini was changed")


def test_a_change_that_is_committed_does_not_become_its_own_base(repository):
    (repository / "pytest.ini").write_text("[pytest]\nlockin_fail_on = none\n")
    git(repository, "commit", "-qam", "judge me")
    assert changes(repository) == ()
    assert compare_policy("HEAD~1", repository).changes == ("pytest.ini was changed",)


@pytest.mark.parametrize("base", ["nosuch", "--output=stolen", "-h"])
def test_a_base_that_is_none_is_refused(repository, base):
    with pytest.raises(PolicyError):
        compare_policy(base, repository)
    assert not (repository / "stolen").exists()


@pytest.mark.parametrize("argument", ["-pevil", "-p", "-cevil.ini", "--rootdir=/", "-c", "--config-file=x"])
def test_a_sealed_run_takes_no_other_root_settings_or_plugin(repository, argument):
    with pytest.raises(SealError):
        sealed_command([argument], repository)


def test_a_sealed_run_takes_nothing_from_its_surroundings(repository):
    (repository / "suites/q/pytest.ini").write_text("[pytest]\naddopts = -p evil\n")
    assert find_settings(repository) == repository / "pytest.ini"
    command = sealed_command(["suites/q", "-p", "no:cacheprovider"][:1], repository)
    assert command[1] == "-I"
    kept = sealed_variables(
        {"PYTEST_ADDOPTS": "-p evil", "PYTHONPATH": "evil", "PYTEST_PLUGINS": "evil", "HOME": "/h"}
    )
    assert kept == {"HOME": "/h"}


EVIL = """
import sys
from pathlib import Path
Path(__file__).with_name("reached").write_text("")
"""


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path.resolve())
    made.suite("big-one", BIG_TESTS, BIG)
    made.reference()
    yield made
    assert made.leftovers() == []


def test_a_sealed_run_started_in_a_trap_does_not_step_into_it(project):
    """Settings, a plugin and a module of Python's own name lie in the folder it is started from."""
    project.write("suites/big-one/pytest.ini", "[pytest]\naddopts = -p evil\npythonpath = .\n")
    project.write("suites/big-one/evil.py", EVIL)
    project.write("suites/big-one/json.py", EVIL)
    project.write("pytest.ini", "[pytest]\n")
    done = subprocess.run(
        [
            sys.executable, "-c", "from pytest_lockin.cli import main; raise SystemExit(main())",
            "run", "--root", str(project.root), "--", str(project.root / "suites"), "--lockin-reference",
            str(project.root / "refs"), "--lockin-engine", "sail", "--lockin-trials", "off", "--lockin-sandbox", "bwrap",
        ],
        cwd=project.root / "suites" / "big-one",
        env=outer_environment() | {"PYTEST_ADDOPTS": "-p evil", "PYTHONSAFEPATH": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "TRUE PASS" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
    assert not (project.root / "suites/big-one/reached").exists()


def test_a_changed_policy_fails_the_gate_and_is_named(project):
    base = project.root.parent / "base"
    base.mkdir()
    (base / "pytest.ini").write_text("[pytest]\n")
    project.write("pytest.ini", "[pytest]\nlockin_allow = unverified\n")
    ran = project.run("suites", "--lockin-policy", str(base))
    assert ran.status == 1
    assert ran.report["policy_changes"] == ["pytest.ini was changed"]
    assert ran.task("big-one")["verdict"] == "true_pass"
    ran.match("lockin gate: FAILED*policy: pytest.ini was changed*")


def test_ci_with_references_and_no_sandbox_does_not_run(project):
    path = os.pathsep.join(
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not os.path.exists(f"{folder}/bwrap")  # noqa: PTH110
    )
    ran = project.run("suites", env={"CI": "true", "PATH": path})
    assert ran.status == 4
    assert "a sandbox (CI=true and references)" in ran.err
    assert "apt-get install bubblewrap" in ran.err


def test_without_a_sandbox_the_gate_fails_unless_that_is_allowed(project):
    ran = project.run("suites", "--lockin-sandbox", "none", env={"CI": "true"})
    assert (ran.status, ran.task("big-one")["isolated"]) == (1, False)
    ran.match("*NO SANDBOX (--lockin-sandbox none)*", "lockin gate: FAILED*suites run without a sandbox: 1*")
    allowed = project.run(
        "suites", "--lockin-sandbox", "none", "--lockin-allow", "not_isolated:no namespaces here"
    )
    assert allowed.status == 0
    assert allowed.task("big-one")["isolated"] is False


def test_on_ci_a_cache_that_came_with_the_change_is_not_read(project):
    trials = ("--lockin-trials", "on", "--lockin-budget", "30")
    first = project.run("suites", *trials)
    assert first.task("big-one")["trials"]["counts"]
    second = project.run("suites", *trials, env={"CI": "true"})
    assert second.task("big-one")["trials"]["cached"] == 0
    again = project.run("suites", *trials)
    assert again.task("big-one")["trials"]["cached"] > 0


def test_a_suite_that_edits_itself_is_caught(project):
    """Only where there is no sandbox: in it there is nothing to write to."""
    project.suite(
        "big-two",
        BIG_TESTS.replace(
            "def test_big():", "def test_big():\n        open(__file__, 'a').write('# later\\n')"
        ),
        BIG,
    )
    ran = project.run("suites", "--lockin-sandbox", "none", "--lockin-allow", "not_isolated")
    assert ran.status == 1
    task = ran.task("big-two")
    assert task["verdict"] == "unverified"
    assert any("big-two/test_solution.py was changed" in line for line in task["tampered"])
    assert not any("suites" in line for line in ran.task("big-one")["tampered"])


def test_tampering_with_the_plugin_or_new_deciding_files_is_found(tmp_path):
    (tmp_path / "solution.py").write_text("")
    before = look_before(tmp_path, own=True)
    (tmp_path / "left.csv").write_text("what tests leave")
    assert find_tampering(before) == ()
    (tmp_path / "conftest.py").write_text("")
    (tmp_path / "solution.py").unlink()
    found = find_tampering(before)
    assert sorted(line.rpartition("/")[2] for line in found) == ["conftest.py is new", "solution.py is gone"]
    assert any(path.endswith("pytest_lockin/gate/decide.py") for path in before.hashes)


def test_a_lock_says_what_changed_since(project, capsys):
    lock = project.root / "lockin.lock"
    ran = project.run("suites", "--lockin-lock", str(lock), "--lockin-sandbox", "bwrap")
    assert ran.status == 0
    verify = [
        "verify-lock",
        str(lock),
        "--root",
        str(project.root),
        "--reference",
        str(project.root / "refs"),
    ]
    assert main(verify) == 0
    (project.root / "suites/big-one/solution.py").write_text("")
    (project.root / "refs/big/reference.sql").write_text("SELECT 1")
    capsys.readouterr()
    assert main(verify) == 1
    said = capsys.readouterr().out
    assert "suites/big-one/solution.py was changed" in said
    assert "reference big/reference.sql was changed" in said
    lock.write_text(lock.read_text().replace('"backend": "bwrap"', '"backend": "none"'))
    assert main(verify) == 1
    assert "the lock itself was edited" in capsys.readouterr().out


@pytest.mark.parametrize("named", ["revision", pytest.param("folder", marks=pytest.mark.slow)])
def test_waivers_baseline_and_task_count_as_they_are_in_the_base(project, named):
    """A change that accepts its own survivors, knows its own faults and moves its entry point gains nothing."""
    project.write("suites/big-one/task.yaml", "id: big\n")
    project.write("lockin-baseline.json", '{"format": 1, "suites": {}}')
    base = "HEAD"
    git(project.root, "init", "-q")
    git(project.root, "add", ".")
    git(project.root, "commit", "-qm", "base")
    if named == "folder":
        base = f"{project.root}-base"
        shutil.copytree(project.root, base)
    project.write(
        "suites/big-one/solution.py",
        BIG + "\n\n    def other(spark, tables):\n        return tables['orders'].limit(0)\n",
    )
    project.write("suites/big-one/task.yaml", "id: big\nentry_point: solution:other\n")
    survivor = {"id": "8c2560340b32", "reason": "mine", "author": "me"}
    waiver = "".join(f'{name} = "{text}"\n' for name, text in survivor.items())
    project.write("lockin-waivers.toml", f"[[waiver]]\n{waiver}expires = 2999-01-01\n")
    known = {"suites/big-one/test_solution.py": {"kill_percent": 0, "findings": ["false_pass"]}}
    project.write("lockin-baseline.json", json.dumps({"format": 1, "suites": known}))
    own = ("suites", "--lockin-baseline", str(project.root / "lockin-baseline.json"), "--lockin-trials", "on")
    ran = project.run(
        *own, "--lockin-sandbox", "bwrap", "--rootdir", str(project.root), "--lockin-policy", base
    )
    assert ran.status == 1
    assert {line.split()[0] for line in ran.report["policy_changes"]} == {
        "lockin-baseline.json",
        "lockin-waivers.toml",
        "suites/big-one/task.yaml",
    }
    task = ran.task("big-one")
    # The entry point is the base's, and no survivor is accepted.
    assert task["verdict"] == "true_pass"
    assert "8c2560340b32" in {each["id"] for each in task["trials"]["survivors"]}
    assert not any(each["waived"] for each in task["trials"]["survivors"])
    alone = project.run(*own, "--lockin-sandbox", "bwrap")
    assert alone.task("big-one")["verdict"] != "true_pass"


def test_what_stands_in_for_a_file_lies_among_the_bases_own_and_is_gone_afterwards(repository):
    (repository / "suites/q/task.yaml").write_text("id: mine\n")
    (repository / "suites/q/obligations.yaml").write_text("mine")
    (repository / "lockin-waivers.toml").unlink()
    base = read_base("HEAD", repository)
    with base.stand_in(repository / "suites/q/task.yaml") as place:
        assert place.read_text() == "id: q\n"
        assert not place.with_name("obligations.yaml").exists()
    assert not place.exists()
    with base.stand_in(repository / "lockin-waivers.toml") as place:
        assert place.read_text() == ""
    with base.stand_in(repository / "suites/new/task.yaml") as place:
        assert not place.exists()
    with base.stand_in(repository / "suites/new/task.yaml", new=True) as place:
        assert place == repository / "suites/new/task.yaml"

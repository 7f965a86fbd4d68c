"""`lockin show` and `lockin replay`: one alternative of a report."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from plugin_project import Project

from pytest_lockin.alternatives import make_mutants
from pytest_lockin.cli import main
from pytest_lockin.commands.alternatives import _stage, edit
from pytest_lockin.errors import AlternativeNotFoundError
from pytest_lockin.reports.document import read_document

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*/solution.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_an_alternative_is_what_its_diff_makes_of_the_program(path):
    text = path.read_text()
    mutants = make_mutants(text, {}, module="solution", function="solve")
    assert len(mutants) > 20
    assert [each.id for each in mutants if edit(text, each) != each.source] == []


def test_an_edit_of_another_text_is_refused():
    text = EXAMPLES[0].read_text()
    mutant = make_mutants(text, {}, module="solution", function="solve")[0]
    with pytest.raises(AlternativeNotFoundError):
        edit("\n".join(text.splitlines()[3:]), mutant)
    with pytest.raises(AlternativeNotFoundError, match="the end of the file"):
        edit("", mutant)
    assert edit(text.replace("\n", "\r\n"), mutant) == mutant.source.replace("\n", "\r\n")


@pytest.mark.parametrize("path", ["jobs/daily/revenue.py", "revenue.py", "tests/solution.py"])
def test_a_program_is_staged_wherever_it_lies(tmp_path, path):
    project, root = tmp_path / "project", tmp_path / "root"
    (project / path).parent.mkdir(parents=True)
    (project / path).write_text("a = 1\n")
    (project / "tests").mkdir(exist_ok=True)
    (project / "tests/test_it.py").write_text("")
    diff = "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-a = 1\n+a = 2\n"
    program = [SimpleNamespace(module="m", path=path, text="a = 1\n")]
    task = SimpleNamespace(suite="tests/test_it.py", program=program)
    found = SimpleNamespace(task=task, alternative=SimpleNamespace(module="m", diff=diff))
    root.mkdir()
    assert _stage(found, project, root) == root / "tests/test_it.py"
    assert (root / path).read_text() == "a = 2\n"
    assert (project / path).read_text() == "a = 1\n"


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """A project whose report has alternatives."""
    project = Project(tmp_path_factory.mktemp("replay"))
    project.suite("big-one")
    project.task("big-one")
    ran = project.run("suites", "--lockin-trials", "on", "--lockin-budget", "60")
    assert ran.status == 0
    (project.root / "kept.json").write_text(json.dumps(ran.report))
    return project


def alternatives(project):
    document = read_document(project.root / "kept.json")
    return document.tasks[0].trials.alternatives


def pick(project, outcome):
    return next(each for each in alternatives(project) if each.outcome == outcome)


def report(project):
    return ["--report", str(project.root / "kept.json")]


def test_show_says_what_it_changes_and_what_became_of_it(tried, capsys):
    each = pick(tried, "killed")
    assert main(["show", each.id, *report(tried)]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{each.id}  {each.text}\n")
    assert f"noticed by {each.kill.case_id}" in told
    assert "a case that passes on the original fails" in told
    assert told.rstrip().endswith(each.diff.rstrip())


def test_an_id_may_be_short_and_has_to_name_one(tried, capsys):
    each = pick(tried, "killed")
    assert main(["show", each.id[:9], *report(tried)]) == 0
    capsys.readouterr()
    for wrong in ("", "no-such"):
        assert main(["show", wrong, *report(tried)]) == 2
        assert "no-alternative" in capsys.readouterr().err


@pytest.mark.parametrize("outcome", ["killed", "uninfected"])
def test_replay_ends_as_the_report_says_and_changes_nothing(tried, outcome):
    before = {path: path.read_bytes() for path in (tried.root / "suites").rglob("*.py")}
    command = [sys.executable, "-m", "pytest_lockin.cli", "replay", pick(tried, outcome).id, *report(tried)]
    ran = subprocess.run(command, cwd=tried.root, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.endswith(f"as the report says ({outcome})\n")
    assert "test_solution.py" in ran.stdout
    assert {path: path.read_bytes() for path in (tried.root / "suites").rglob("*.py")} == before


def test_a_program_that_has_changed_since_is_not_replayed(tried, tmp_path, capsys):
    each = pick(tried, "killed")
    other = Project(tmp_path)
    other.suite("big-one", solution="def solve(spark, tables): ...\n")
    assert main(["replay", each.id, *report(tried), "--root", str(tmp_path)]) == 2
    assert "it is another now" in capsys.readouterr().err
    assert main(["replay", each.id, *report(tried), "--root", str(tmp_path / "none")]) == 2
    assert "give --root" in capsys.readouterr().err


def test_an_answer_that_is_another_now_is_said(tried, capsys, monkeypatch):
    from pytest_lockin.commands import alternatives as module

    each = dataclasses.replace(pick(tried, "killed"), outcome="uninfected")
    assert module._compare(each, 1) == 1
    assert "other than the report says" in capsys.readouterr().out

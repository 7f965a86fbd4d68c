"""Suites that cheat: the verdict stays right, or becomes `unverified` with the reason."""

import json

import pytest
from attack_arena import TOKEN
from plugin_project import Project
from suites import ATTACKS


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("cheats").resolve())
    for name, attack in ATTACKS.items():
        project.suite(f"big-{name}", attack.tests, attack.solution, **attack.files)
    folder = project.root / "suites" / "big-plugin" / "evil-1.0.dist-info"
    folder.mkdir()
    (folder / "entry_points.txt").write_text("[pytest11]\nevil = evil\n")
    project.reference(**{"reference.sql": f"SELECT id, amount FROM orders WHERE amount > 10 -- {TOKEN}\n"})
    done = project.run("suites", "--lockin-sandbox", "bwrap", "--continue-on-collection-errors")
    assert project.leftovers() == []
    return project, done


def test_every_cheat_was_judged_in_the_sandbox(ran):
    _, done = ran
    assert done.report is not None, done.out + done.err
    assert len(done.report["tasks"]) == len(ATTACKS)
    assert done.report["isolation"]["isolated"]
    assert all(task["isolated"] for task in done.report["tasks"])
    assert done.status == 1


@pytest.mark.parametrize("name", ATTACKS)
def test_a_cheat_wins_nothing(ran, name):
    _, done = ran
    task = done.task(f"big-{name}")
    assert task["verdict"] in ATTACKS[name].expected, task
    if task["verdict"] == "unverified":
        assert task["reason"]


def test_no_conftest_of_a_suite_was_loaded_where_the_references_are_known(ran):
    project, done = ran
    assert "CONTROLLER REACHED" not in done.out + done.err
    assert not (project.root / "reached").exists()


def test_nothing_secret_is_in_what_was_written(ran):
    _, done = ran
    assert TOKEN not in json.dumps(done.report)
    assert TOKEN not in done.out + done.err

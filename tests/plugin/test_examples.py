"""The examples, as the README runs them: one true pass, one false pass only values show, one alias-only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXPECTED = {
    "q22-terse": ("true_pass", None, 100),
    "q42-terse": ("false_pass", "alias", 1),
    "q05-misread": ("false_pass", "values", 100),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    build = [sys.executable, "-m", "pytest_lockin.cli", "tasks", "build", "--scale", "0.01", "--out", "refs"]
    subprocess.run(
        [*build, "q05", "q22", "q42"], cwd=folder, env=environment, check=True, capture_output=True
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider"]
    command += ["--lockin-reference", "refs/", "--lockin-engine", "sail", "--lockin-json", "out.json"]
    # Trials of these suites have tests of their own.
    command += ["--lockin-trials", "off"]
    done = subprocess.run(
        [*command, "examples/"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done, json.loads((folder / "out.json").read_text())


def test_every_case_passes_and_the_gate_fails_for_the_false_passes(run):
    done, report = run
    assert "30 passed" in done.stdout
    assert done.returncode == 1, done.stdout
    assert "lockin gate: FAILED  false passes: 2 (allowed 0)" in done.stdout
    assert report["gate"] == {"passed": False, "reasons": ["false passes: 2 (allowed 0)"], "allowed": []}


@pytest.mark.parametrize("suite", EXPECTED)
def test_verdicts_are_those_measured_on_spark(run, suite):
    _, report = run
    verdict, category, rows = EXPECTED[suite]
    (task,) = [task for task in report["tasks"] if suite in task["suite"]]
    assert task["verdict"] == verdict
    assert task["agreement"]["category"] == category
    assert task["agreement"]["rows_expected"] == rows
    assert task["confirmed"] is False
    assert task["observed_calls"] > 0


def test_without_references_no_verdict_is_given_and_nothing_gates(tmp_path):
    shutil.copytree(ROOT / "examples" / "q42-terse", tmp_path / "q42-terse")
    command = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", "--lockin"]
    done = subprocess.run(
        [*command, "--lockin-engine", "sail", "--lockin-trials", "off"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "8 passed" in done.stdout
    assert "no reference, no verdict" in " ".join(done.stdout.split())
    assert "lockin gate: passed" in done.stdout

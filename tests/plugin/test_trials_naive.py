"""Outcomes of trials against a deliberately naive second opinion.

For each alternative a fresh process, the file rewritten, every case run, the exit status read: slow, simple,
and with nothing in common with swapping, replaying or reaching. `LOCKIN_NAIVE=200` takes that many (`make
slow`); by default there are few.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from plugin_project import HANG, outer_environment

from pytest_lockin.model.trial import SURVIVING

ROOT = Path(__file__).parents[2]
SUITES = {
    "sample": ROOT / "tests" / "cases" / "suites" / "sample",
    "q42": ROOT / "examples" / "q42-terse",
    "q22": ROOT / "examples" / "q22-terse",
    "q05": ROOT / "examples" / "q05-misread",
}
SEED = 20261130
NUMBER = int(os.environ.get("LOCKIN_NAIVE", "10"))


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What lockin says of every alternative of every suite: (suite, id) -> outcome and module source."""
    from plugin_project import Project

    project = Project(tmp_path_factory.mktemp("naive").resolve())
    for name, folder in SUITES.items():
        target = project.root / "suites" / name
        shutil.copytree(folder, target, ignore=shutil.ignore_patterns("__pycache__", "*.json", "task.yaml"))
        project.task(name, f"id: {name}\n")
    ran = project.run("--lockin-trials", "on", "--lockin-budget", "none", lockin="alone", engine="sail")
    found = {}
    for name in SUITES:
        trials = ran.task(name)["trials"]
        assert trials["refusal"] == "", f"{name}: {trials['refusal']}"
        for each in (*trials["survivors"], *trials["others"]):
            found[name, each["id"]] = each
    return project, found


def choose(found):
    """The same sample in every run, spread over suites and outcomes."""
    chosen = sorted(found)
    random.Random(SEED).shuffle(chosen)
    groups = {}
    for key in chosen:
        groups.setdefault((key[0], found[key]["outcome"]), []).append(key)
    picked = []
    while len(picked) < min(NUMBER, len(chosen)):
        picked += [group.pop() for group in groups.values() if group]
    return picked[:NUMBER]


def run_naively(project, name, source, folder):
    """Exit status of pytest on a copy of the suite whose program is rewritten."""
    shutil.copytree(project.root / "suites" / name, folder)
    (folder / "solution.py").write_text(source, encoding="utf-8")
    environment = outer_environment() | {"PYTHONPATH": str(Path(__file__).parent)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "naive_sail",
        "-p",
        "no:lockin",
        "-p",
        "no:randomly",
    ]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "--rootdir", str(folder), "-c", os.devnull, str(folder)],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
        timeout=HANG,
    )
    assert done.returncode in (0, 1, 2), done.stdout + done.stderr
    return done.returncode


def test_a_naive_second_opinion_says_the_same(told, tmp_path):
    """Survivors pass every case in a process of their own; what was killed or crashed does not."""
    project, found = told
    wrong = []
    for number, key in enumerate(choose(found)):
        name, alternative = key
        source = (SUITES[name] / "solution.py").read_text(encoding="utf-8")
        edited = apply_diff(source, found[key]["diff"])
        assert edited != source, alternative
        status = run_naively(project, name, edited, tmp_path / str(number))
        survived = found[key]["outcome"] in SURVIVING
        if survived != (status == 0):
            wrong.append((name, found[key]["outcome"], status, found[key]["diff"]))
    assert wrong == []


def apply_diff(source, diff):
    """Apply a unified diff of one file; it must fit exactly."""
    old, new, place = source.splitlines(), [], 0
    for line in diff.splitlines():
        if line.startswith(("--- ", "+++ ")):
            continue
        hunk = re.match(r"@@ -(\d+)(?:,(\d+))? ", line)
        if hunk:
            start = int(hunk[1]) - 1 if hunk[2] != "0" else int(hunk[1])
            new += old[place:start]
            place = start
        elif line.startswith("+"):
            new.append(line[1:])
        else:
            assert old[place] == line[1:], (old[place], line)
            place += 1
            new += [line[1:]] if line.startswith(" ") else []
    return "\n".join([*new, *old[place:]]) + "\n"

"""Equivalent rewrites of the tasks' statements, by hand, in SQL and PySpark: correct programs, never to be accused.

`rewrites/<task>.sql` and `rewrites/<task>_<how>.py`; the first line says what was written in another way. Here they
are held against the statements themselves on built data. What else judges programs must let them pass, too.
"""

import pytest

from pytest_lockin.cli import main
from pytest_lockin.frames.agreeing import agree
from pytest_lockin.outputs import open_runner, run_reference
from pytest_lockin.taskbank.bank import list_task_ids

SAMPLE = ("q03", "q22", "q42", "q93")


@pytest.fixture(scope="module")
def folder(request):
    return request.path.parent / "rewrites"


@pytest.fixture(scope="module")
def files(folder):
    """All rewrites by task."""
    found = {}
    for path in sorted((*folder.glob("*.sql"), *folder.glob("*.py"))):
        found.setdefault(path.stem.partition("_")[0], []).append(path)
    return found


def differing(tasks, files, folder):
    """Build the tasks' references and name the rewrites that give anything else."""
    assert main(["tasks", "build", "--unlocked", "--out", str(folder), *tasks]) == 0
    found = {}
    with open_runner("sail") as runner:
        for task in tasks:
            expected = run_reference(runner, folder, folder / task / "reference.sql")
            for path in files[task]:
                agreement = agree(expected, run_reference(runner, folder, path))
                if not agreement.agrees:
                    found[path.name] = agreement.differences
    return found


def test_there_are_at_least_sixty_of_all_tasks_in_both_languages(files):
    assert set(files) == set(list_task_ids())
    assert all({path.suffix for path in paths} == {".sql", ".py"} for paths in files.values())
    assert sum(map(len, files.values())) >= 60


def test_each_says_what_it_writes_in_another_way(files):
    for paths in files.values():
        for path in paths:
            first = path.read_text().splitlines()[0]
            assert first.startswith("-- " if path.suffix == ".sql" else '"""'), path.name
            assert len(first) > 30, path.name


def test_some_agree_with_their_statements(files, tmp_path):
    assert differing(SAMPLE, files, tmp_path / "refs") == {}


@pytest.mark.slow
def test_all_agree_with_their_statements(files, tmp_path):
    assert differing(list_task_ids(), files, tmp_path / "refs") == {}


def test_a_rewrite_that_is_none_is_noticed(files, tmp_path):
    wrong = tmp_path / "q42_wrong.py"
    source = next(path for path in files["q42"] if path.suffix == ".py").read_text()
    wrong.write_text(source.replace('F.col("d_moy") == 11', 'F.col("d_moy") == 12'))
    assert list(differing(("q42",), {"q42": [wrong]}, tmp_path / "refs")) == ["q42_wrong.py"]

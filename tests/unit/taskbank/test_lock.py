import json
import shutil

import pytest

from pytest_lockin.errors import LockError
from pytest_lockin.taskbank import lock, shipped
from pytest_lockin.taskbank.build import BuildOptions, build
from pytest_lockin.taskbank.lock import check_lock, read_lock, require_lock, write_lock
from pytest_lockin.taskbank.shipped import tasks_root


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A small tree of its own: two tasks, one program, one file of hidden obligations."""
    root = tmp_path / "tasks"
    for task in ("q02", "q03"):
        shutil.copytree(tasks_root() / task, root / task)
    package = tmp_path / "package"
    for part in ("programs/q03.py", "hidden/q03.yaml"):
        (package / part).parent.mkdir(parents=True)
        shutil.copy(shipped.PACKAGE / part, package / part)
    monkeypatch.setattr(shipped, "PACKAGE", package)
    write_lock(root)
    return tmp_path


def edit(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_a_tree_just_locked_has_not_moved(tree):
    assert check_lock(tree / "tasks") == ()
    require_lock(tree / "tasks")


def test_the_shipped_tree_is_as_locked():
    """`lockin tasks lock` renews the lock, once the change has been looked at."""
    assert [str(moved) for moved in check_lock()] == []
    assert set(read_lock()["data"]) == {"0.01", "1"}


MOVES = {
    "prompt": ("tasks/q03/task.yaml", "league table", "league  table", "tasks/q03/task.yaml: prompt changed"),
    "obligation": (
        "tasks/q03/task.yaml",
        "Only sales in month 12",
        "Only sales in month 11",
        "tasks/q03/task.yaml: obligations changed",
    ),
    "schema": (
        "tasks/q03/task.yaml",
        "name: ss_quantity, type: bigint",
        "name: ss_quantity, type: int",
        "tasks/q03/task.yaml: contract changed",
    ),
    "hidden": ("package/hidden/q03.yaml", "sum_agg", "sum_ag", "hidden/q03.yaml: hidden changed"),
    "program": ("package/programs/q03.py", "445", "446", "programs/q03.py: program changed"),
}


@pytest.mark.parametrize("case", MOVES)
def test_what_moved_is_named_by_file_and_part(tree, case):
    file, old, new, said = MOVES[case]
    edit(tree / file, old, new)
    (moved,) = check_lock(tree / "tasks")
    assert str(moved).endswith(said)
    with pytest.raises(LockError, match=said.rpartition(" ")[0].rpartition(" ")[2]):
        require_lock(tree / "tasks")


def test_tasks_and_files_that_come_or_go_are_named(tree):
    shutil.rmtree(tree / "tasks" / "q02")
    (tree / "package" / "programs" / "q03.py").unlink()
    shutil.copytree(tree / "tasks" / "q03", tree / "tasks" / "q05")
    edit(tree / "tasks" / "q05" / "task.yaml", "id: q03", "id: q05")
    (tree / "package" / "dialect").mkdir()
    (tree / "package" / "dialect" / "q03.yaml").write_text("{}")
    said = [str(moved) for moved in check_lock(tree / "tasks")]
    assert [text.rpartition("/")[2] for text in said] == [
        "task.yaml: the task is gone",
        "q03.yaml: dialect is new",
        "q03.py: program is gone",
        "task.yaml: the task is new",
    ]


def test_a_comment_in_a_task_file_moves_nothing(tree):
    file = tree / "tasks" / "q03" / "task.yaml"
    file.write_text("# checked again\n" + file.read_text())
    assert check_lock(tree / "tasks") == ()


def test_another_text_of_a_statement_is_named(tree, monkeypatch):
    class Other:
        sha256 = "0" * 64

    real = lock.read_statement
    monkeypatch.setattr(lock, "read_statement", lambda name: Other() if name == "q77" else real(name))
    assert [str(moved) for moved in check_lock(tree / "tasks")] == [
        "statement q77 of the installed pysail: text changed"
    ]


def test_locking_again_keeps_the_data_of_other_scales(tree):
    write_lock(tree / "tasks", {"0.01": {"item": "a"}})
    write_lock(tree / "tasks", {"1": {"item": "b"}})
    assert read_lock(tree / "tasks")["data"] == {"0.01": {"item": "a"}, "1": {"item": "b"}}


@pytest.mark.parametrize("text", ["", "[]", '{"format": 7}', "{}"])
def test_a_damaged_lock_is_refused(tree, text):
    (tree / "tasks" / "lock.json").write_text(text)
    with pytest.raises(LockError, match="lockin tasks lock"):
        check_lock(tree / "tasks")


def test_a_missing_lock_is_refused(tree):
    (tree / "tasks" / "lock.json").unlink()
    with pytest.raises(LockError, match="found No such file"):
        check_lock(tree / "tasks")


def test_a_build_refuses_a_tree_that_moved_and_writes_nothing(tmp_path, monkeypatch):
    root = tmp_path / "tasks"
    shutil.copytree(tasks_root(), root)
    monkeypatch.setattr(lock, "tasks_root", lambda: root)
    data = json.loads((root / "lock.json").read_text())
    data["tasks"]["q03"]["prompt"] = "0" * 64
    (root / "lock.json").write_text(json.dumps(data))
    with pytest.raises(LockError, match=r"q03/task\.yaml: prompt changed"):
        build(tmp_path / "refs", ["q03"], BuildOptions())
    assert not (tmp_path / "refs").exists()

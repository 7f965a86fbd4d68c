import pytest

from pytest_lockin.errors import BuildError
from pytest_lockin.taskbank import shipped
from pytest_lockin.taskbank.shipped import dialect_file, hidden_file, program_file, tasks_root


def test_a_source_tree_has_its_tasks_beside_the_package():
    assert (tasks_root() / "q03" / "task.yaml").is_file()


def test_a_wheel_has_its_tasks_inside(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "pytest_lockin" / "taskbank"
    inside = package.parent / "_shipped" / "tasks"
    inside.mkdir(parents=True)
    (tmp_path / "site-packages" / "tasks").mkdir()
    monkeypatch.setattr(shipped, "PACKAGE", package)
    assert tasks_root() == inside


def test_a_broken_installation_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "PACKAGE", tmp_path / "a" / "b")
    with pytest.raises(BuildError, match="reinstall"):
        tasks_root()


def test_each_task_has_its_files_in_the_package():
    assert program_file("q03").is_file()
    assert hidden_file("q03").is_file()
    assert not dialect_file("q999").exists()

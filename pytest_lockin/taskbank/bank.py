"""The project's own tasks as a whole: every `task.yaml`, and the hidden obligations beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.errors import TaskFileError
from pytest_lockin.taskbank.loader import TASK_FILE, load_obligations, load_task
from pytest_lockin.taskbank.shipped import hidden_file, tasks_root

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lockin.model.task import Obligation, Task


def list_task_ids(root: Path | None = None) -> tuple[str, ...]:
    """List the tasks of a folder of tasks in order; of the project's own where none is given."""
    folder = root or tasks_root()
    return tuple(sorted(path.parent.name for path in folder.glob(f"*/{TASK_FILE}")))


def load_bank(root: Path | None = None) -> tuple[Task, ...]:
    """Load all tasks of a folder of tasks.

    Raises:
        TaskFileError: there is none, or one of them cannot be used.
    """
    folder = root or tasks_root()
    ids = list_task_ids(folder)
    if not ids:
        raise TaskFileError(
            expected=f"folders with a {TASK_FILE} in {folder}",
            found="none",
            hint="give a folder of tasks, or one task's folder",
        )
    return tuple(load_task(folder / task_id) for task_id in ids)


def find_task(task_id: str) -> Task | None:
    """Find one of the project's own tasks by id; None where it has none of that id."""
    if task_id not in list_task_ids():
        return None
    return load_task(tasks_root() / task_id)


def load_hidden(task_id: str) -> tuple[Obligation, ...]:
    """Load the hidden obligations of one of the project's tasks; empty where it has none."""
    file = hidden_file(task_id)
    return load_obligations(file) if file.is_file() else ()

"""Which files are suites under examination: known from paths alone, nothing of theirs is imported."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import TaskFileError
from pytest_lockin.model.suite import EntryPoint, Suite
from pytest_lockin.settings import parse_entry_point

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_lockin.model.task import Task
    from pytest_lockin.settings import Settings

TASK_FILE = "task.yaml"
# Where tasks are that lie beside no suite: tests of several programs often share one folder.
TASKS_FOLDER = "tasks"


class SuiteFinder:
    """Tells which test files are suites, and of which task.

    A file is a suite when its name matches `lockin_suites` and it has a `task.yaml` above it, or a folder
    of its task under the references (or an ini line in `lockin_tasks` names its task; then
    `tasks/<id>/task.yaml`, where there is one, is its file). Files whose name matches but that have no
    task are kept in `without_task`, to be listed; task files that cannot be read in `task_errors`, by
    suite id.

    Args:
        settings: patterns and overrides.
        root: pytest's root folder.
        read_task: reads a task file; raises `TaskFileError`.
    """

    def __init__(self, settings: Settings, root: Path, read_task: Callable[[Path], Task]) -> None:
        self._settings = settings
        self._root = root
        self._read_task = read_task
        self._known: dict[Path, Suite | None] = {}
        self.without_task: list[str] = []
        self.task_errors: dict[str, TaskFileError] = {}

    def suite_at(self, path: Path) -> Suite | None:
        """The suite this file is, or None when it is an ordinary test file."""
        if path not in self._known:
            self._known[path] = self._examine(path) if self._matches(path) else None
        return self._known[path]

    def in_suite_folder(self, path: Path) -> bool:
        """Whether this file (a conftest, an ini file) lies in a suite's folder or below one."""
        return any(self._holds_suite(folder) for folder in self._up(path.parent))

    def _matches(self, path: Path) -> bool:
        relative = self._relative(path)
        return any(
            fnmatch.fnmatch(path.name, pattern) or fnmatch.fnmatch(relative, pattern)
            for pattern in self._settings.suites
        )

    def _holds_suite(self, folder: Path) -> bool:
        try:
            files = [entry for entry in folder.iterdir() if entry.suffix == ".py"]
        except OSError:
            return False
        return any(self.suite_at(entry) is not None for entry in files)

    def _up(self, folder: Path) -> list[Path]:
        folders = [folder, *folder.parents]
        inside = [each for each in folders if each == self._root or self._root in each.parents]
        return inside or folders[:3]

    def _examine(self, path: Path) -> Suite | None:
        suite_id = self._relative(path)
        named = self._overridden(suite_id)
        task_file = self._task_file(path.parent, named)
        task = self._task_in(task_file, suite_id)
        task_id = named or (task.id if task else self._by_folder(path.parent))
        if task_id is None:
            if task_file is None:
                self.without_task.append(suite_id)
                return None
            task_id = path.parent.name
        return Suite(
            id=suite_id,
            path=str(path),
            task_id=task_id,
            task_file=str(task_file or ""),
            entry_point=self._entry_point(suite_id, task),
        )

    def _task_file(self, folder: Path, named: str | None) -> Path | None:
        """The file of the task that the settings name, in `tasks/`; else the nearest one above the suite."""
        near = [up / TASK_FILE for up in self._up(folder)]
        listed = [self._root / TASKS_FOLDER / named / TASK_FILE] if named else []
        return next((each for each in (*listed, *near) if each.is_file()), None)

    def _task_in(self, task_file: Path | None, suite_id: str) -> Task | None:
        if task_file is None:
            return None
        try:
            return self._read_task(task_file)
        except TaskFileError as error:
            self.task_errors[suite_id] = error
            return None

    def _overridden(self, suite_id: str) -> str | None:
        return next((task for pattern, task in self._settings.tasks if _covers(pattern, suite_id)), None)

    def _by_folder(self, folder: Path) -> str | None:
        if not self._settings.reference:
            return None
        for name in (folder.name, folder.name.partition("-")[0]):
            if name and Path(self._settings.reference, name).is_dir():
                return name
        return None

    def _entry_point(self, suite_id: str, task: Task | None) -> EntryPoint:
        for pattern, entry_point in self._settings.entry_points:
            if _covers(pattern, suite_id):
                return entry_point
        return parse_entry_point(task.entry_point) if task else EntryPoint()

    def _relative(self, path: Path) -> str:
        try:
            return path.relative_to(self._root).as_posix()
        except ValueError:
            return path.as_posix()


def _covers(pattern: str, suite_id: str) -> bool:
    """A pattern covers a suite by its whole path, or by one of its folders."""
    folders = [str(parent) for parent in Path(suite_id).parents]
    return any(fnmatch.fnmatch(name, pattern.rstrip("/")) for name in (suite_id, *folders))

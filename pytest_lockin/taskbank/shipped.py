"""Where the project's own tasks and their data files lie: in a source tree, or in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from pytest_lockin.errors import BuildError

PACKAGE = Path(__file__).parent


def tasks_root() -> Path:
    """Find the folder of the thirty tasks.

    Raises:
        BuildError: neither a source tree nor a wheel is around this file; the installation is broken.
    """
    wheel = PACKAGE.parent / "_shipped" / "tasks"
    source = PACKAGE.parent.parent / "tasks"
    for folder in (wheel, source):
        if folder.is_dir():
            return folder
    raise BuildError(
        expected=f"the shipped tasks at {wheel}",
        found="no such folder",
        hint="reinstall: pip install --force-reinstall pytest-lockin",
    )


def program_file(task_id: str) -> Path:
    """Give the place of a task's hand-written DataFrame program, whether or not there is one."""
    return PACKAGE / "programs" / f"{task_id}.py"


def hidden_file(task_id: str) -> Path:
    """Give the place of a task's hidden obligations, whether or not there are any."""
    return PACKAGE / "hidden" / f"{task_id}.yaml"


def dialect_file(task_id: str) -> Path:
    """Give the place of a task's patches for other SQL dialects, whether or not there are any."""
    return PACKAGE / "dialect" / f"{task_id}.yaml"

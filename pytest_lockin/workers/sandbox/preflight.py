"""A look at what a process is about to see: refuse what no candidate may, hide what it need not."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_lockin.errors import SandboxError
from pytest_lockin.workers.sandbox.view import is_inside

# More is no folder of one task's program and tests.
MOST_FILES = 20_000
_HIDDEN_FOLDERS = (".git", ".hg", ".svn", ".pytest_cache", "__pycache__", ".venv", "node_modules")
_FORBIDDEN = {
    "reference.sql": "a reference",
    "reference.py": "a reference",
    "reference.toml": "a reference",
    "expected.parquet": "a reference's output",
    "lockin.lock": "a lock of sealed things",
    "fixtures.lock": "fixtures that are not meant for it",
    "labels.csv": "labels",
    "labels.json": "labels",
}
_TASK = "task.yaml"
_STATING = (_TASK, "obligations.yaml")
_SUITE = "test_solution.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """What a folder about to be shown has in it that must not be: paths hidden, files shown otherwise."""

    masked: tuple[str, ...] = ()
    shown: tuple[tuple[str, str], ...] = ()


def look_through(folder: str, hidden: tuple[str, ...], run_folder: Path) -> Inside:
    """Look through a folder before an untrusted process sees it. Links are not followed: it cannot either.

    Repositories, caches, the references and other suites below it are masked; a task file that names hidden
    obligations is shown without them.

    Raises:
        SandboxError: it holds a reference, a reference's output, labels or fixtures, or is too large to look
            through.
    """
    masked: list[str] = []
    shown: list[tuple[str, str]] = []
    seen = 0
    for place, folders, files in os.walk(folder):
        seen += len(folders) + len(files)
        if seen > MOST_FILES:
            raise _too_large(folder)
        here = Path(place)
        if place != folder and (_SUITE in files or _TASK in files):
            masked.append(place)
            folders.clear()
            continue
        gone = [name for name in folders if name in _HIDDEN_FOLDERS or _is_hidden(here / name, hidden)]
        masked += [str(here / name) for name in gone if name != "__pycache__"]
        folders[:] = [name for name in folders if name not in gone]
        for name in files:
            if _is_hidden(here / name, hidden):
                masked.append(str(here / name))
            elif name in _FORBIDDEN:
                raise _forbidden(here / name)
        for name in _STATING:
            shown += _without_hidden(here / name, run_folder) if name in files else []
    return Inside(masked=tuple(masked), shown=tuple(shown))


def _is_hidden(path: Path, hidden: tuple[str, ...]) -> bool:
    return any(is_inside(path, each) for each in hidden)


def _without_hidden(task: Path, run_folder: Path) -> list[tuple[str, str]]:
    """(path, file shown in its place), where a file states obligations that only a reference shows."""
    import yaml

    try:
        said: Any = yaml.safe_load(task.read_text(encoding="utf-8"))
        stated = said["obligations"]
        open_ones = [each for each in stated if each.get("source") != "hidden"]
    except (OSError, ValueError, yaml.YAMLError, TypeError, KeyError, AttributeError):
        return []
    if len(open_ones) == len(stated):
        return []
    name = hashlib.sha256(str(task).encode()).hexdigest()[:16]
    copy = run_folder / f"task-{name}.yaml"
    draft = copy.with_suffix(f".{os.getpid()}.draft")
    draft.write_text(yaml.safe_dump(said | {"obligations": open_ones}, sort_keys=False), encoding="utf-8")
    draft.replace(copy)
    return [(str(task), str(copy))]


def _forbidden(path: Path) -> SandboxError:
    return SandboxError(
        expected=f"no {_FORBIDDEN[path.name]} where a candidate sees it".replace("no a ", "no ", 1),
        found=str(path),
        hint="keep references, labels and fixtures in a folder of their own, away from programs and tests",
    )


def _too_large(folder: str) -> SandboxError:
    return SandboxError(
        expected=f"a suite's folder of at most {MOST_FILES} files",
        found=folder,
        hint="give each suite a folder of its own with its program and tests",
    )

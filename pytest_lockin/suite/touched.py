"""Whether a change can have to do with a suite: by where the changed files lie."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.model.suite import Suite
    from pytest_lockin.settings import Settings

# What a program may import or pytest may read, wherever it lies.
_SHARED = (".py", ".pyi", ".toml", ".ini", ".cfg", ".pth")


def is_touched(suite: Suite, changed: Iterable[Path], folders: Iterable[Path], settings: Settings) -> bool:
    """Whether any changed file may change what is found of the suite.

    That is a file of its own (its folder, its task file, its reference, its fixtures), and code or settings
    that belong to no suite: its program may import them. Another suite's files, and documents, do not.
    """
    references = Path(settings.reference) if settings.reference else None
    own = [Path(suite.folder), *([Path(suite.task_file)] if suite.task_file else [])]
    others = [folder for folder in folders if folder != Path(suite.folder)]
    for shared in (references, settings.fixtures_folder):
        if shared is not None:
            own.append(shared / suite.task_id)
            others.append(shared)
    # The tables are everybody's.
    own += [references / "tables"] if references is not None else []
    return any(_touches(path, own, others) for path in changed)


def _touches(path: Path, own: list[Path], others: list[Path]) -> bool:
    if any(path.is_relative_to(folder) for folder in own):
        return True
    return path.suffix in _SHARED and not any(path.is_relative_to(folder) for folder in others)


def only_program(suite: Suite, changed: Iterable[Path], program: Iterable[Path]) -> bool:
    """Whether of the suite's folder the program's files alone changed: its tests are what they were."""
    files = set(program)
    return all(path in files for path in changed if path.is_relative_to(suite.folder))

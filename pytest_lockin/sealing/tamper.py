"""Did a suite change, while it ran, what it is judged by: tests, program, task, this plugin?"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pytest_lockin.sealing.tree import hash_tree

_OWN = Path(__file__).parents[1]
# What decides how a suite runs, so that a new one is tampering, too; other new files are what tests leave.
_DECIDING = (".py", ".pth", ".toml", ".ini", ".cfg", ".yaml", ".yml", ".so")


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """How a suite's files were before anything of it ran."""

    folder: str
    own: bool = False
    hashes: dict[str, str] = field(default_factory=dict)


def look_before(folder: Path, *, own: bool) -> Before:
    """Remember a suite's folder, and this plugin's own modules where nothing else protects them (`own`)."""
    return Before(folder=str(folder), own=own, hashes=_hashes(folder, own=own))


def find_tampering(before: Before) -> tuple[str, ...]:
    """One line for each file that is not as it was: changed, gone, or new and of a kind that decides."""
    after = _hashes(Path(before.folder), own=before.own)
    found = []
    for path, was in before.hashes.items():
        if path not in after:
            found.append(f"{path} is gone")
        elif after[path] != was:
            found.append(f"{path} was changed")
    new = (path for path in after if path not in before.hashes and path.endswith(_DECIDING))
    return (*found, *(f"{path} is new" for path in new))


def _hashes(folder: Path, *, own: bool) -> dict[str, str]:
    ours = hash_tree([_OWN]) if own else {}
    return {path: each for path, each in ours.items() if path.endswith(".py")} | hash_tree([folder])

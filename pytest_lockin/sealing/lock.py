"""`lockin.lock`: what a run rested on, by SHA-256, so that anybody can see later whether it still holds.

Format 1, the first: JSON with `tree` (path from the root to hash), `references` (path in their folder to
hash), `settings`, `isolation`, and `digest`, the hash of all the rest.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import SealError
from pytest_lockin.sealing.tree import hash_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FORMAT = 1
NAME = "lockin.lock"


def make_lock(
    root: Path,
    places: Iterable[Path],
    *,
    references: Path | None,
    settings: Mapping[str, Any],
    isolation: Mapping[str, Any],
    version: str,
) -> dict[str, Any]:
    """Put a lock together: every file of these places (suites, tasks, fixtures) and of the references."""
    places = tuple(places)
    lock: dict[str, Any] = {
        "format": FORMAT,
        "version": version,
        "places": sorted({_from(root, place) for place in places}),
        "tree": {_from(root, Path(path)): each for path, each in hash_tree(places).items()},
        "references": _hash_below(references) if references is not None else {},
        "settings": dict(settings),
        "isolation": dict(isolation),
    }
    return lock | {"digest": digest(lock)}


def digest(lock: Mapping[str, Any]) -> str:
    """The hash of a lock without its own digest."""
    rest = {name: value for name, value in lock.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_lock(path: Path) -> dict[str, Any]:
    """Read a lock.

    Raises:
        SealError: it is missing, unreadable or of another format.
    """
    try:
        said: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _unusable(path, str(error)) from error
    known = isinstance(said, dict) and said.get("format") == FORMAT
    if not known or not all(isinstance(said.get(name), dict) for name in ("tree", "references")):
        raise _unusable(path, "not a lock of format 1")
    return dict(said)


def write_lock(lock: Mapping[str, Any], path: Path) -> None:
    """Write a lock.

    Raises:
        SealError: it cannot be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(lock, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    except OSError as error:
        raise SealError(
            expected="a place where the lock can be written",
            found=f"--lockin-lock {path}: {error.strerror or error}",
            hint="give the path of a file in a folder you may write to",
        ) from error


def verify_lock(lock: Mapping[str, Any], root: Path, references: Path | None) -> tuple[str, ...]:
    """One line for each thing that is not as the lock says; empty where all is.

    References are compared where their folder is given.
    """
    found = (
        [] if digest(lock) == lock.get("digest") else ["the lock itself was edited: its digest does not fit"]
    )
    places = [root / str(place) for place in lock.get("places", ())]
    tree = {_from(root, Path(path)): each for path, each in hash_tree(places).items()}
    found += _differences("", lock["tree"], tree)
    if references is not None:
        found += _differences("reference ", lock["references"], _hash_below(references))
    return tuple(found)


def _differences(kind: str, was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    found = []
    for path in sorted({*was, *now}):
        if path not in now:
            found.append(f"{kind}{path} is gone")
        elif path not in was:
            found.append(f"{kind}{path} is new")
        elif was[path] != now[path]:
            found.append(f"{kind}{path} was changed")
    return found


def _hash_below(folder: Path) -> dict[str, str]:
    return {str(Path(path).relative_to(folder)): each for path, each in hash_tree([folder]).items()}


def _from(root: Path, path: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _unusable(path: Path, why: str) -> SealError:
    return SealError(
        expected="a lock that --lockin-lock wrote",
        found=f"{path}: {why}",
        hint="run pytest again with --lockin-lock to write it",
    )

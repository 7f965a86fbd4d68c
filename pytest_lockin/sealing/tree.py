"""Files by the hash of their content."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Made by tools as they run; nothing rests on them.
_MADE = ("__pycache__", ".pytest_cache", ".git", ".venv", "node_modules", ".hypothesis")
_CHUNK = 1 << 20
MISSING = ""


def hash_file(path: Path) -> str:
    """The SHA-256 of a file's content; "" for what is no readable file. A link counts as where it leads."""
    state = hashlib.sha256()
    try:
        if path.is_symlink():
            state.update(f"link {path.readlink()}".encode())
            return state.hexdigest()
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                state.update(chunk)
    except OSError:
        return MISSING
    return state.hexdigest()


def hash_tree(places: Iterable[Path]) -> dict[str, str]:
    """Path to hash of every file in these places, but for what tools make as they run."""
    found: dict[str, str] = {}
    for place in places:
        if place.is_dir() and not place.is_symlink():
            for folder, folders, files in os.walk(place):
                folders[:] = sorted(name for name in folders if name not in _MADE)
                found |= {f"{folder}/{name}": hash_file(Path(folder, name)) for name in sorted(files)}
        elif place.exists() or place.is_symlink():
            found[str(place)] = hash_file(place)
    return found


def combine(hashes: dict[str, str]) -> str:
    """One hash for many files: of the sorted lines `hash  path`."""
    lines = "\n".join(f"{each}  {path}" for path, each in sorted(hashes.items()))
    return hashlib.sha256(lines.encode("utf-8", errors="surrogateescape")).hexdigest()

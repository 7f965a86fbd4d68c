"""A random token planted beside secrets: where it shows up, a secret could have."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_PREFIX = "lockin-canary-"
# Larger files are results; a token planted in a text is not in those.
_LARGEST = 64 << 20
VARIABLE = "LOCKIN_CANARY"


def make_canary() -> str:
    """A token nobody can guess, of characters that stand anywhere in a text."""
    return _PREFIX + secrets.token_hex(16)


def plant(text: str, canary: str) -> str:
    """A statement with the token in a comment before it."""
    return f"/* {canary} */ {text}"


def find_in_files(folders: Iterable[Path], canary: str) -> tuple[str, ...]:
    """The files below these folders that hold the token, by content or by name; links are not followed."""
    wanted = canary.encode()
    found = []
    for top in folders:
        for folder, _, files in os.walk(top):
            for name in files:
                path = Path(folder, name)
                if canary in name or _holds(path, wanted):
                    found.append(str(path))
    return tuple(found)


def find_in_process(pid: int, canary: str) -> tuple[str, ...]:
    """Where of a running process's arguments and environment the token stands."""
    wanted = canary.encode()
    return tuple(name for name in ("cmdline", "environ") if _holds(Path(f"/proc/{pid}/{name}"), wanted))


def _holds(path: Path, wanted: bytes) -> bool:
    try:
        if path.is_symlink() or path.stat().st_size > _LARGEST:
            return False
        return wanted in path.read_bytes()
    except OSError:
        return False

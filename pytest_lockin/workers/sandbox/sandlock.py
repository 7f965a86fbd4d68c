"""The sandbox by Sandlock (Landlock and seccomp), where namespaces are not allowed. Contains no JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def try_sandlock(engine: str) -> str:
    """Why Sandlock cannot make a sandbox here, in one line; "" when it can."""
    del engine
    return "not supported yet"


class Sandlock:
    """Not there yet."""

    name = "sandlock"
    contains_jvm = False

    def __init__(self, folder: Path) -> None:
        raise NotImplementedError(folder)

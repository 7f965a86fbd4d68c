"""Files written whole or not at all, whoever else writes them at the same time."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def open_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write; a reader finds all of it or what was there before. Its folder is made if need be.

    Raises:
        OSError: the folder cannot be written to, or the disk is full; nothing is left behind then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    try:
        with os.fdopen(handle, "wb") as sink:
            yield sink
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Write a file at once, as `open_whole` does."""
    with open_whole(path) as sink:
        sink.write(data)


__all__ = ["open_whole", "write_whole"]

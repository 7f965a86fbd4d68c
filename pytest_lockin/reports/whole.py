"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from pytest_lockin.errors import SettingsError

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(text: str, path: Path, name: str) -> None:
    """Write a report's text as UTF-8, whole or not at all; missing folders are made.

    A path that is no text in any encoding has lone surrogates; they are written as escapes, which are JSON
    all the same.

    Raises:
        SettingsError: the file cannot be written there; `name` is that of the format.
    """
    # `frames.whole` leaves files that their owner alone may read; a report is for others too.
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(text.encode("utf-8", errors="backslashreplace"))
        draft.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise SettingsError(
            expected=f"a place where the {name} report can be written",
            found=f"--lockin-{name} {path}: {error.strerror or error}",
            hint="give the path of a file in a folder you may write to",
        ) from error

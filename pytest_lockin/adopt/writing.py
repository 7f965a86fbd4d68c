"""A plan shown as a diff, and written: all of it or nothing, and only below the repository's root."""

from __future__ import annotations

import contextlib
import difflib
from typing import TYPE_CHECKING

from pytest_lockin.adopt.base import AdoptError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_lockin.adopt.base import Change


def show_changes(changes: Sequence[Change]) -> Iterator[str]:
    """Give the changes as the lines of a unified diff."""
    for change in changes:
        old = "/dev/null" if change.before is None else f"a/{change.path}"
        before, after = (change.before or "").splitlines(), change.after.splitlines()
        yield from difflib.unified_diff(before, after, old, f"b/{change.path}", lineterm="")


def write_changes(root: Path, changes: Sequence[Change]) -> None:
    """Write the changes; where one cannot be written, those written before it are taken back.

    Raises:
        AdoptError: a path leads out of the root, a file is not as it was when the plan was made, or the
            system refuses.
    """
    targets = [(_inside(root, change.path), change) for change in changes]
    for target, change in targets:
        _check_unchanged(target, change)
    undo = contextlib.ExitStack()
    with undo:
        for target, change in targets:
            _write(target, change, undo)
        undo.pop_all()


def _inside(root: Path, path: str) -> Path:
    target = root / path
    real = target.resolve()
    if not real.is_relative_to(root.resolve()):
        raise AdoptError(
            expected=f"{path} to lie in the repository",
            found=f"a symbolic link that leads to {real}",
            hint="remove the link, or run it where the link leads to; nothing was written",
        )
    return target


def _check_unchanged(target: Path, change: Change) -> None:
    now = target.read_bytes().decode("utf-8", errors="replace") if target.is_file() else None
    if now != change.before:
        raise AdoptError(
            expected=f"{change.path} as it was when the plan was made",
            found="another text" if now is not None else "no such file",
            hint="run it again; nothing was written",
        )


def _write(target: Path, change: Change, undo: contextlib.ExitStack) -> None:
    try:
        for folder in reversed([each for each in target.parents if not each.exists()]):
            folder.mkdir()
            undo.callback(_forget, folder)
        # `x`: whoever made the file in the meantime keeps it.
        with target.open("xb" if change.before is None else "r+b") as file:
            undo.callback(_take_back, target, change)
            file.write(change.after.encode())
            file.truncate()
    except OSError as error:
        raise AdoptError(
            expected=f"{change.path} in a folder that can be written to",
            found=error.strerror or type(error).__name__,
            hint="look at the permissions, and at what lies there; nothing was written",
        ) from None


def _take_back(target: Path, change: Change) -> None:
    with contextlib.suppress(OSError):
        if change.before is None:
            target.unlink()
        else:
            target.write_bytes(change.before.encode())


def _forget(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()

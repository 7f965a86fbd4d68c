"""The base a change is judged by: what decides a verdict is read as it is there, not as the change has it."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """Deciding files of a base, by their path from the root folder.

    Attributes:
        root: pytest's root folder, for which the base stands.
        files: (path, content) of each; empty where no base was named.
        named: whether one was.
    """

    root: Path = Path()
    files: tuple[tuple[str, bytes], ...] = ()
    named: bool = False

    def has(self, path: Path) -> bool:
        """Whether the base has this file of the project."""
        return self._name(path) in dict(self.files)

    @contextlib.contextmanager
    def stand_in(self, path: Path, *, new: bool = False) -> Iterator[Path]:
        """Give the path to read in place of a deciding file: that of a copy of the base's.

        The copy lies among the base's other deciding files of its folder, and is gone afterwards. A file that
        the base has not is not there; with `new` it is read as it is. Without a base, and outside the root
        folder, the path is the file's own.
        """
        name = self._name(path)
        if not self.named or not name or (new and not self.has(path)):
            yield path
            return
        with tempfile.TemporaryDirectory(prefix="lockin-base-") as folder:
            beside = Path(name).parent
            for each, content in self.files:
                if Path(each).parent == beside:
                    (Path(folder) / Path(each).name).write_bytes(content)
            yield Path(folder) / Path(name).name

    def _name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else ""


__all__ = ["Base"]

"""Tables on disk under the hash of their content: how frames travel between processes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.errors import DiskError, FrameError
from pytest_lockin.frames.store import digest_frame, read_frame, write_frame
from pytest_lockin.model.suite import StoredFrame

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lockin.frames.frame import Frame


_DIGEST = re.compile(r"[0-9a-f]{64}")


class FrameStore:
    """Tables on disk under the hash of their content, each written once."""

    def __init__(self, folder: Path, byte_cap: int) -> None:
        self._folder = folder
        self._byte_cap = byte_cap
        folder.mkdir(parents=True, exist_ok=True)

    def keep(self, frame: Frame) -> StoredFrame:
        """Store the table unless it is there already, or larger than the byte cap.

        Raises:
            DiskError: it cannot be written, which is nobody's failure but the machine's.
        """
        stored = self._name(frame)
        path = self.path(stored.digest)
        if stored.kept and not path.exists():
            try:
                write_frame(frame, path)
            except OSError as error:
                raise DiskError.of(error, str(self._folder)) from error
        return stored

    def keep_if_room(self, frame: Frame) -> StoredFrame:
        """Store the table as `keep` does; where it cannot be written it is named and not kept."""
        try:
            return self.keep(frame)
        except DiskError:
            return replace(self._name(frame), kept=False)

    def _name(self, frame: Frame) -> StoredFrame:
        size = frame.table.nbytes
        return StoredFrame(
            digest=digest_frame(frame),
            rows=frame.rows,
            columns=frame.table.num_columns,
            size=size,
            kept=size <= self._byte_cap,
        )

    def path(self, digest: str) -> Path:
        """Where the table with this digest is kept."""
        return self._folder / f"{digest}.arrow"

    def load(self, stored: StoredFrame) -> Frame:
        """Read a table back.

        Raises:
            FrameError: it was over the byte cap, is gone, is damaged, or is no file of this folder.
        """
        return read_frame(self.checked(stored))

    def checked(self, stored: StoredFrame) -> Path:
        """Where a table is that a worker named: one that is not trusted may have put anything there.

        Raises:
            FrameError: its name is no digest, or a link that leads out of the folder.
        """
        path = self.path(stored.digest)
        if not _DIGEST.fullmatch(stored.digest) or path.is_symlink():
            raise FrameError(
                expected="a stored frame, named by the digest of its content",
                found="a link" if path.is_symlink() else repr(stored.digest),
                hint="the worker is not to be trusted",
            )
        return path

"""Ends processes that fill the disk: the folders they can write to are the host's, and have no size."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.workers.sandbox.process import Process

_EVERY = 0.5


class DiskWatch:
    """Looks every half second at what processes have left where they can write; what is over is killed.

    A process writes some more before it is seen. One thread looks after all, and ends with the last of them.
    """

    def __init__(self) -> None:
        self._watched: list[Process] = []
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    def watch(self, process: Process) -> None:
        """Look after this process until it ends."""
        with self._lock:
            self._watched.append(process)
            if self._thread is None:
                self._thread = threading.Thread(target=self._look, daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._stop.set()

    def _look(self) -> None:
        while not self._stop.wait(_EVERY):
            with self._lock:
                self._watched = [process for process in self._watched if process.alive]
                watched = tuple(self._watched)
                if not watched:
                    self._thread = None
                    return
            for process in watched:
                folders = (*process.view.rw, process.view.tmp)
                if measure(filter(None, folders), process.limits.disk_bytes) > process.limits.disk_bytes:
                    process.end(f"it filled the disk (limit {process.limits.disk_bytes >> 20} MiB)")


def measure(folders: Iterable[str], enough: int) -> int:
    """Bytes on disk below these folders; stops counting where it is more than enough. Follows no link."""
    total = 0
    waiting = list(folders)
    while waiting and total <= enough:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        for entry in entries:
            try:
                total += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
            except OSError:
                continue
    return total

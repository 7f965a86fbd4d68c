"""The controller's end of the guard: tells it what would be left if the controller were killed."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import TYPE_CHECKING

from pytest_lockin.workers.sandbox import guard

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lockin.workers.sandbox.process import Process


class Guard:
    """A small process that outlives this one by a moment; started with the first thing to be guarded."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._popen: subprocess.Popen[str] | None = None

    def watch(self, process: Process) -> None:
        """Have this process and its control groups ended if the controller is killed."""
        groups = process.group.folders if process.group is not None else ()
        for group in groups:
            self._say(f"group {group}")
        self._say(f"process {process.pid} {guard.start_time(process.pid)}")

    def close(self) -> None:
        """Say that nothing is left, and wait for its end."""
        if self._popen is None:
            return
        self._say("done")
        with contextlib.suppress(OSError):
            self._popen.communicate()
        self._popen = None

    def _say(self, line: str) -> None:
        if self._popen is None:
            self._popen = subprocess.Popen(
                [sys.executable, "-I", "-S", guard.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                text=True,
                start_new_session=True,
            )
            self._say(f"folder {self._folder}")
        assert self._popen.stdin is not None  # noqa: S101 - it was asked for
        with contextlib.suppress(OSError):
            self._popen.stdin.write(f"{line}\n")
            self._popen.stdin.flush()

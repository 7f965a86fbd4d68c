"""One process under a sandbox, seen from the controller: its output, its end, what it is kept to."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import RawIOBase
    from pathlib import Path

    from pytest_lockin.model.isolation import Attestation
    from pytest_lockin.workers.sandbox.groups import Group
    from pytest_lockin.workers.sandbox.view import Limits, View

_CHUNK = 1 << 16
_TAIL = 1 << 14
_BY_SIGNAL = 128
# Seconds for the rest of the output to be read; longer only where a process left behind holds the pipe.
_LAST_WORDS = 3.0


class Output:
    """Drains what a process prints: the first part into a file, the last part in memory, the rest is cut."""

    def __init__(self, pipe: int, log: Path | None, limit: int) -> None:
        self.size = 0
        self._limit = limit
        self._tail: deque[bytes] = deque()
        self._log = log
        self._pipe = pipe
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    @property
    def cut(self) -> bool:
        """Whether more came than is kept."""
        return self.size > self._limit

    def tail(self) -> bytes:
        """The last part of what came, also of what was cut."""
        return b"".join(tuple(self._tail))[-_TAIL:]

    def finish(self, patience: float) -> None:
        """Wait until all has been read, or for some time: a process left behind may hold the pipe."""
        self._thread.join(patience)

    def _drain(self) -> None:
        with contextlib.ExitStack() as files:
            log = files.enter_context(self._log.open("ab", buffering=0)) if self._log is not None else None
            while chunk := self._read():
                if log is not None and not self.cut:
                    self._write(log, chunk)
                self.size += len(chunk)
                self._tail.append(chunk)
                while len(self._tail) > 1 + _TAIL // _CHUNK and sum(map(len, self._tail)) > _TAIL + _CHUNK:
                    self._tail.popleft()
        os.close(self._pipe)

    def _write(self, log: RawIOBase, chunk: bytes) -> None:
        left = self._limit - self.size
        # On a full disk the log lacks a part; who stopped reading would stop the process that prints.
        with contextlib.suppress(OSError):
            log.write(chunk[:left])
            if len(chunk) > left:
                log.write(f"\n[output cut after {self._limit} bytes]\n".encode())

    def _read(self) -> bytes:
        try:
            return os.read(self._pipe, _CHUNK)
        except OSError:
            return b""


class Process:
    """A started process with everything below it.

    Args:
        popen: the outermost process, which leads a process group and ends when the inner one does.
        view, limits: what it was given.
        attest: looks at it from outside.
        output: drains its output; None where that goes to the terminal.
        group: its control groups; None where none can be made.
        nested: the outermost process is not the program itself: signals come as status 128 + number.
    """

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        view: View,
        limits: Limits,
        *,
        attest: Callable[[Process], Attestation],
        output: Output | None = None,
        group: Group | None = None,
        nested: bool = True,
    ) -> None:
        self.popen = popen
        self.view = view
        self.limits = limits
        self.output = output
        self.group = group
        self._attest = attest
        self._nested = nested
        self.attestation: Attestation | None = None
        self.ended_because = ""

    @property
    def pid(self) -> int:
        """Of the outermost process."""
        return self.popen.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.popen.poll() is None

    def inner(self) -> int:
        """The program's own process, below those of the sandbox; 0 where it never came to be."""
        return wait_for_inner(self, 2, "bwrap") if self._nested else self.pid

    def attest(self) -> Attestation:
        """Look at it from outside, once."""
        if self.attestation is None:
            self.attestation = self._attest(self)
        return self.attestation

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; the status as `returncode` gives it.

        Raises:
            subprocess.TimeoutExpired: it still runs.
        """
        self.popen.wait(timeout)
        return self.returncode

    @property
    def returncode(self) -> int:
        """Exit status, or the negative number of the signal that ended it."""
        status = self.popen.returncode
        if self._nested and status is not None and _BY_SIGNAL < status <= _BY_SIGNAL + signal.SIGRTMAX:
            return _BY_SIGNAL - status
        return status if status is not None else 0

    @property
    def out_of_memory(self) -> bool:
        """Whether the kernel killed any of it because its memory ran out."""
        return self.group is not None and self.group.ooms() > 0

    def end(self, reason: str) -> None:
        """Kill it for a reason that whoever waits for it will say."""
        self.ended_because = reason
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, signal.SIGKILL)

    def kill(self) -> None:
        """Kill it with everything below it, now, and remove its control groups."""
        # The group outlives its leader while members are left, so this runs even for an ended process.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        if self.output is not None:
            self.output.finish(_LAST_WORDS)
        if self.group is not None:
            self.group.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a process that was waited for ended.

    Attributes:
        rc: exit status, or the negative number of a signal.
        output: the last part of what it printed; `truncated` where some was cut.
        oom: killed because its memory ran out.
    """

    rc: int
    output: bytes
    truncated: bool
    timed_out: bool
    oom: bool
    attestation: Attestation


def finish(process: Process, timeout: float) -> Result:
    """Wait for a process, kill it after the time given, and say how it ended."""
    attestation = process.attest()
    timed_out = False
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
    oom = process.out_of_memory
    process.kill()
    output = process.output
    return Result(
        rc=process.returncode,
        output=output.tail() if output else b"",
        truncated=output.cut if output else False,
        timed_out=timed_out,
        oom=oom,
        attestation=attestation,
    )


def children_of(pid: int) -> tuple[int, ...]:
    """The processes a process started, as far as the kernel says."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as listed:  # noqa: PTH123 - quick
            return tuple(int(each) for each in listed.read().split())
    except OSError:
        return ()


def wait_for_inner(process: Process, depth: int, maker: str, patience: float = 10.0) -> int:
    """The process so many levels below the outermost one, once it is no longer its `maker`'s program.

    Returns 0 where it never was.
    """
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline and process.alive:
        pid = process.pid
        for _ in range(depth):
            pid = next(iter(children_of(pid)), 0)
            if not pid:
                break
        else:
            if _name_of(pid) not in ("", maker):
                return pid
        time.sleep(0.001)
    return 0


def _name_of(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="ascii", errors="replace") as name:  # noqa: PTH123 - quick
            return name.read().strip()
    except OSError:
        return ""

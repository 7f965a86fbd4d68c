"""One worker process seen from the controller: start it, ask it, kill it with everything it started."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import SandboxError, WorkerCrashedError, WorkerError
from pytest_lockin.model.messages import Failed, Start
from pytest_lockin.sealing.canary import find_in_files, find_in_process
from pytest_lockin.workers.sandbox.bare import Bare
from pytest_lockin.workers.sandbox.view import View, default_limits
from pytest_lockin.workers.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_lockin.model.isolation import Attestation
    from pytest_lockin.workers.sandbox.choose import Sandbox
    from pytest_lockin.workers.sandbox.view import Limits

Kind = type[object] | tuple[type[object], ...]

_GRACE = 5.0
LOG = "output.log"
_LOG_TAIL = 2000


class Worker:
    """A process of its own session and process group, joined by one socket.

    Use: `Worker(folder, environment)` starts the interpreter at once (so that a spare one can warm up),
    `start(...)` gives it a handler, then `send`, `receive`, `ask`. `stop()` is safe to call at any time, and
    leaves no process of its group behind. `failed` says that it crashed, timed out or answered nonsense.
    """

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        cwd: str = "/",
        *,
        sandbox: Sandbox | None = None,
        view: View | None = None,
        limits: Limits | None = None,
        canary: str = "",
    ) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="worker-", dir=folder))
        ours, theirs = socket.socketpair()
        self._wire = Wire(ours, canary.encode())
        self._canary = canary
        self._leaks: list[str] = []
        self._sealed = sandbox is not None
        self.failed = False
        # Says how the process ended that this one cannot work without, "" while it runs.
        self.support: Callable[[], str] = str
        view = view or View(role="trusted", cwd=cwd)
        live = bool(environment.get("LOCKIN_LIVE_OUTPUT"))
        code = f"from pytest_lockin.workers.child import main; main({theirs.fileno()})"
        try:
            self.process = (sandbox or Bare()).spawn(
                [sys.executable, "-P", "-c", code],
                replace(view, rw=(*view.rw, str(self.scratch))),
                limits or default_limits(),
                environment=environment,
                pass_fds=(theirs.fileno(),),
                log=self.scratch / LOG,
                live=live,
            )
        finally:
            theirs.close()

    def start(self, handler: str, job: Any, *, sys_path: tuple[str, ...] = ()) -> None:
        """Hand over to `handler` (`module:function`) with `job` as its first message.

        Raises:
            SandboxError: the process is not kept apart as its sandbox promises; it is killed.
        """
        self._check_sandbox()
        self.send(Start(handler=handler, scratch=str(self.scratch), sys_path=sys_path))
        self.send(job)

    def _check_sandbox(self) -> None:
        if not self._sealed:
            return
        attestation = self.attest()
        if not self.process.alive:
            raise self._crashed()
        if self._canary:
            places = find_in_process(self.process.inner(), self._canary)
            self._leaks += [f"{place} of a {self.process.view.role} process" for place in places]
        if attestation.open_ends:
            self.kill()
            raise unsealed(attestation)

    def attest(self) -> Attestation:
        """What was seen of the process from outside; looked at once, before it is given anything."""
        return self.process.attest()

    def leaks(self) -> tuple[str, ...]:
        """Where the canary was seen that this process must not have: what it was told, said or wrote."""
        found = [f"a message {way} a {self.process.view.role} process" for way in self._wire.leaks]
        if self._canary:
            folders = [Path(path) for path in self.process.view.rw]
            found += [
                f"a file of a {self.process.view.role} process: {path}"
                for path in find_in_files(folders, self._canary)
            ]
        return (*self._leaks, *found)

    def send(self, message: Any) -> None:
        """Send one message; a worker that is gone raises `WorkerCrashedError` with what it left behind."""
        try:
            self._wire.send(message)
        except WorkerCrashedError as error:
            raise self._crashed() from error

    def receive(self, timeout: float | None = None, kind: Kind = object) -> Any:
        """Wait for one message, which has to be of this kind (or one of these).

        Raises:
            WorkerCrashedError: the process ended first; the message says how and shows its last output. Or
                what it rests on (a JVM) did: whatever it answers then is no answer.
            WorkerTimedOutError: no answer within `timeout` seconds; the worker has been killed.
            WorkerError: it answered that it cannot go on, answered something else, or nonsense.
        """
        try:
            message = self._wire.receive(timeout)
        except WorkerCrashedError as error:
            raise self._crashed() from error
        except WorkerError:
            self.failed = True
            self.kill()
            raise
        if isinstance(message, Failed):
            raise WorkerFailedError(message)
        if not isinstance(message, kind):
            raise self._unexpected(message)
        if ended := self.support():
            raise self._unsupported(ended)
        return message

    def ask(self, message: Any, timeout: float | None = None, kind: Kind = object) -> Any:
        """Send a request and wait for its reply, as `receive` does."""
        self.send(message)
        return self.receive(timeout, kind)

    def _unsupported(self, ended: str) -> WorkerCrashedError:
        self.failed = True
        self.kill()
        return WorkerCrashedError(
            expected="an answer from the worker process",
            found=ended,
            hint="what needs the engine fails without it, and says nothing of the program",
        )

    def _unexpected(self, message: Any) -> WorkerError:
        """It ended early and says why, or answers something nobody asked."""
        self.failed = True
        self.kill()
        told = next(iter(getattr(message, "errors", ())), "")
        return WorkerError(
            expected="the worker to answer what it was asked",
            found=str(told) or f"a message {type(message).__name__}",
            hint="its suite ended early, or its messages are not to be trusted",
        )

    @property
    def alive(self) -> bool:
        """Whether the process is still running, and what it rests on."""
        return self.process.alive and not self.support()

    def log_tail(self) -> str:
        """The last part of what the worker printed outside captured tests."""
        output = self.process.output
        return output.tail()[-_LOG_TAIL:].decode(errors="replace").strip() if output is not None else ""

    def stop(self) -> None:
        """Close the socket, give the process a moment to end, then kill its whole group."""
        self._wire.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE)
        self.kill()

    def kill(self) -> None:
        """Kill the process group now. What the worker started in it ends too."""
        self.process.kill()
        self._wire.close()

    def _crashed(self) -> WorkerCrashedError:
        self.failed = True
        deadline = time.monotonic() + _GRACE
        while self.process.alive and time.monotonic() < deadline:
            time.sleep(0.01)
        memory = self.process.out_of_memory
        self.kill()
        tail = self.log_tail()
        last = tail.splitlines()[-1] if tail else "nothing"
        how = describe_exit(self.process.returncode)
        if self.process.ended_because:
            how = self.process.ended_because
        elif memory:
            how += f", out of memory (limit {self.process.limits.memory >> 20} MiB)"
        return WorkerCrashedError(
            expected="an answer from the worker process",
            found=f"it ended: {how} (last output: {last})",
            hint="a program that ends its process cannot be judged",
        )


class WorkerFailedError(WorkerError):
    """The worker is alive and says why it cannot go on."""

    def __init__(self, failed: Failed) -> None:
        self.failed = failed
        self.slug = failed.slug
        super().__init__(
            expected="the worker to do its job",
            found=failed.reason,
            hint="its log in the run folder says more",
        )

    @property
    def one_line(self) -> str:
        """The worker's own reason."""
        return self.failed.reason


def unsealed(attestation: Attestation) -> SandboxError:
    """Build the error for a process that is not kept apart as its sandbox promises."""
    return SandboxError(
        expected=f"a process in a sandbox of {attestation.backend}",
        found=f"one without {', '.join(attestation.open_ends)}",
        hint="`lockin doctor` says what this machine allows",
    )


def describe_exit(status: int | None) -> str:
    """Say how a process ended: `exit status 3`, `signal SIGKILL`."""
    if status is None:
        return "still running"
    if status < 0:
        names = {number.value: number.name for number in signal.Signals}
        return f"signal {names.get(-status, -status)}"
    return f"exit status {status}"


__all__ = ["Worker", "WorkerFailedError", "describe_exit", "unsealed"]

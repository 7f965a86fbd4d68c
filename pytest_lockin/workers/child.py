"""What a worker process runs: take the socket, hand over to the handler.

Started as `python -P -c "from pytest_lockin.workers.child import main; main(FD)"`. Imports almost nothing
itself. It ends when the controller does: a thread watches the socket and ends the process at hang-up, also
while user code is running.
"""

from __future__ import annotations

import importlib
import os
import select
import shutil
import signal
import socket
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from pytest_lockin.errors import LockinError, WorkerError
from pytest_lockin.model.messages import Failed, Start
from pytest_lockin.workers.wire import Wire

PRELOAD = ("pyarrow", "pytest", "pytest_lockin.engines", "pytest_lockin.frames")
# How the name of a run's folder begins; a worker's scratch folder lies in it.
RUN_FOLDER = "lockin-run-"
_HUNG_UP = 97
_DYING = 1.0


def main(fd: int) -> None:
    """Serve one controller on the inherited socket, then end the process."""
    os.set_inheritable(fd, False)  # noqa: FBT003 - the standard library's own signature
    connection = socket.socket(fileno=fd)
    watch = _Watch(fd)
    watch.start()
    for name in PRELOAD:
        importlib.import_module(name)
    wire = Wire(connection)
    try:
        start = wire.receive()
    except WorkerError:
        os._exit(0)
    watch.scratch = Path(start.scratch)
    _serve(wire, start)
    # Other threads (an engine's, user code's) must not hold the process; the handler has flushed.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _serve(wire: Wire, start: Start) -> None:
    sys.path.extend(entry for entry in start.sys_path if entry not in sys.path)
    try:
        resolve(start.handler)(wire, Path(start.scratch))
    except LockinError as error:
        _report(wire, Failed(reason=error.one_line, slug=error.slug, detail=traceback.format_exc()))
    except BaseException as error:  # noqa: BLE001 - whatever ends the handler is told to the controller
        reason = f"{type(error).__name__}: {error}"
        _report(wire, Failed(reason=reason, detail=traceback.format_exc()))


def resolve(dotted: str) -> Any:
    """Import `module:attribute`."""
    module, _, attribute = dotted.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _report(wire: Wire, failed: Failed) -> None:
    sys.stderr.write(failed.detail)
    try:
        wire.send(failed)
    except WorkerError:
        os._exit(_HUNG_UP)


class _Watch(threading.Thread):
    """Ends the process, and what user code started in its group, when the controller hangs up.

    A controller that died (killed, or ended by a time-out plugin) cannot remove its run folder any more, in
    which there are the user's tables; its workers do that.
    """

    def __init__(self, fd: int) -> None:
        super().__init__(daemon=True)
        self._fd = fd
        self._controller = os.getppid()
        self.scratch: Path | None = None

    def run(self) -> None:
        """Wait for the hang-up, then end everything."""
        poll = select.poll()
        poll.register(self._fd, select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0))
        poll.poll()
        folder = self.scratch.parent if self.scratch is not None else None
        if folder is not None and folder.name.startswith(RUN_FOLDER) and self._controller_died():
            shutil.rmtree(folder, ignore_errors=True)
        # The worker leads a process group of its own.
        if os.getpgid(0) == os.getpid():
            os.killpg(0, signal.SIGKILL)
        os._exit(_HUNG_UP)

    def _controller_died(self) -> bool:
        # A process that ends closes its files before its children get another parent.
        deadline = time.monotonic() + _DYING
        while os.getppid() == self._controller and time.monotonic() < deadline:
            time.sleep(0.01)
        return os.getppid() != self._controller

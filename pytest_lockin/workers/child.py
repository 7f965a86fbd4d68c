"""What a worker process runs: take the socket, silence the output, hand over to the handler.

Started as `python -P -c "from pytest_lockin.workers.child import main; main(FD)"`. Imports almost nothing
itself. It ends when the controller does: a thread watches the socket and ends the process at hang-up, also
while user code is running.
"""

from __future__ import annotations

import importlib
import os
import select
import signal
import socket
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from pytest_lockin.errors import LockinError, WorkerError
from pytest_lockin.model.messages import Failed, Start
from pytest_lockin.workers.wire import Wire

PRELOAD = ("pyarrow", "pytest", "pytest_lockin.engines", "pytest_lockin.frames")
_HUNG_UP = 97


def main(fd: int) -> None:
    """Serve one controller on the inherited socket, then end the process."""
    os.set_inheritable(fd, False)  # noqa: FBT003 - the standard library's own signature
    connection = socket.socket(fileno=fd)
    threading.Thread(target=_end_with_controller, args=(fd,), daemon=True).start()
    for name in PRELOAD:
        importlib.import_module(name)
    wire = Wire(connection)
    try:
        start = wire.receive()
    except WorkerError:
        os._exit(0)
    _serve(wire, start)
    # Other threads (an engine's, user code's) must not hold the process; the handler has flushed.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _serve(wire: Wire, start: Start) -> None:
    _silence(start)
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


def _silence(start: Start) -> None:
    if start.live_output:
        return
    log = os.open(Path(start.scratch) / "output.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)


def _end_with_controller(fd: int) -> None:
    poll = select.poll()
    poll.register(fd, select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0))
    poll.poll()
    # The worker leads a process group of its own; what user code started in it ends too.
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(_HUNG_UP)

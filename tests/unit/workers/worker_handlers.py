"""Handlers that worker processes of these tests run: they do as they are told, well or badly."""

import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

from pytest_lockin.errors import EngineError
from pytest_lockin.model.messages import Finish, Finished


def obey(wire, scratch):
    """Carry out the case id of each request as an order; answer with `Finished(errors=...)`."""
    wire.receive()
    while not isinstance(request := wire.receive(), Finish):
        order, _, value = request.case_id.partition(":")
        wire.send(Finished(errors=ORDERS[order](wire, value) or ()))
    wire.send(Finished())


def _exit(wire, value):
    os._exit(int(value))


def _signal(wire, value):
    os.kill(os.getpid(), signal.Signals[value])
    time.sleep(60)


def _raise(wire, value):
    raise ValueError(value)


def _refuse(wire, value):
    raise EngineError(expected="one thing", found=value, hint="nothing to do")


def _send_raw(wire, value):
    os.write(wire.fileno(), bytes.fromhex(value))
    time.sleep(60)


def _send_huge(wire, value):
    os.write(wire.fileno(), struct.pack(">Q", 1 << 62))
    time.sleep(60)


def _spawn(wire, value):
    child = subprocess.Popen(["sleep", "600"])
    return (str(child.pid),)


def _busy(wire, value):
    while True:
        pass


def _environment(wire, value):
    return tuple(os.environ)


def _say(wire, value):
    os.write(2, value.encode())


def _stdin(wire, value):
    return (sys.stdin.read(),)


def _descriptors(wire, value):
    links = Path("/proc/self/fd").iterdir()
    return tuple(str(link.readlink()) for link in links if link.is_symlink())


ORDERS = {
    "exit": _exit,
    "signal": _signal,
    "raise": _raise,
    "refuse": _refuse,
    "raw": _send_raw,
    "huge": _send_huge,
    "spawn": _spawn,
    "busy": _busy,
    "environment": _environment,
    "say": _say,
    "stdin": _stdin,
    "descriptors": _descriptors,
}

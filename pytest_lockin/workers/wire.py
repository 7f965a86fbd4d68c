"""Values over a socket: each frame is a length, then the message's type name and its fields as MessagePack.

Only types listed in `model.messages` are understood; anything else from a worker is a harness error. A
worker is not trusted: a frame may be malformed or too long, and then nothing of it is used.
"""

from __future__ import annotations

import struct
import time
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_lockin.errors import WorkerCrashedError, WorkerError, WorkerTimedOutError
from pytest_lockin.model.messages import MESSAGES
from pytest_lockin.model.plain import from_plain, to_plain

if TYPE_CHECKING:
    import socket

_TYPES: dict[str, type] = {kind.__name__: kind for kind in MESSAGES}
_LENGTH = struct.Struct(">Q")
MAX_FRAME = 1 << 30


class Wire:
    """One end of the socket between the controller and a worker.

    Remembers in `leaks` whether a planted secret went either way.
    """

    def __init__(self, connection: socket.socket, canary: bytes = b"") -> None:
        self._socket = connection
        self._canary = canary
        # In which directions a frame with the canary went.
        self.leaks: dict[str, None] = {}

    def send(self, message: Any) -> None:
        """Send one message.

        Raises:
            WorkerCrashedError: the other end is gone, or this one was closed.
            WorkerError: the message is longer than the other end would take.
        """
        body = msgspec.msgpack.encode((type(message).__name__, to_plain(message)))
        if len(body) > MAX_FRAME:
            raise WorkerError(
                expected=f"a message of at most {MAX_FRAME} bytes",
                found=f"{type(message).__name__} of {len(body)} bytes",
                hint="a suite or a report of this size cannot be handled",
            )
        self._look(body, "to")
        try:
            # The limit of the last wait is not this message's.
            self._socket.settimeout(None)
            self._socket.sendall(_LENGTH.pack(len(body)) + body)
        except OSError as error:
            raise _closed() from error

    def receive(self, timeout: float | None = None) -> Any:
        """Wait for one whole message, at most `timeout` seconds, however it trickles in.

        Raises:
            WorkerCrashedError: the other end closed the socket, or this one was closed.
            WorkerTimedOutError: nothing complete came in time.
            WorkerError: what came is not one of our messages.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            (length,) = _LENGTH.unpack(self._read(_LENGTH.size, deadline))
            if length > MAX_FRAME:
                raise _nonsense(f"a frame of {length} bytes")
            body = self._read(length, deadline)
            self._look(body, "from")
            return decode(body)
        except TimeoutError as error:
            raise WorkerTimedOutError(
                expected=f"an answer within {timeout:.1f} s",
                found="none",
                hint="the worker is killed; raise --lockin-timeout if the work is honest",
            ) from error

    def _look(self, body: bytes, way: str) -> None:
        if self._canary and self._canary in body:
            self.leaks[way] = None

    def _read(self, size: int, deadline: float | None) -> bytes:
        parts: list[bytes] = []
        while size:
            try:
                self._socket.settimeout(_remaining(deadline))
                part = self._socket.recv(min(size, 1 << 20))
            except TimeoutError:
                raise
            except OSError as error:
                raise _closed() from error
            if not part:
                raise _closed()
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Close this end; the other end sees the end of the stream."""
        self._socket.close()

    def fileno(self) -> int:
        """The socket's file descriptor."""
        return self._socket.fileno()


def decode(body: bytes) -> Any:
    """Turn one frame's bytes into the message it holds.

    Raises:
        WorkerError: not a known message, or its fields do not fit.
    """
    try:
        name, fields = msgspec.msgpack.decode(body)
        return from_plain(_TYPES[name], fields)
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise _nonsense(str(error)) from error


def _remaining(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining


def _closed() -> WorkerCrashedError:
    return WorkerCrashedError(
        expected="an answer from the worker process",
        found="the end of its stream",
        hint="its log in the run folder says more",
    )


def _nonsense(found: str) -> WorkerError:
    return WorkerError(
        expected="a message of the worker protocol", found=found, hint="the worker is not to be trusted"
    )

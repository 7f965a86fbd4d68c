"""The JVMs of one run: who gets which, when one is too old or too suspect to be used again.

References and candidates never share one. A candidate can run any Java in the JVM that serves it, so what it
leaves there is not for another suite either.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pytest_lockin.engines.jvm import JvmHandle

# Beyond that the JVM that was not used for the longest time ends: each holds gigabytes.
MOST_JVMS = 2
# A JVM that has served so many workers is replaced: what programs leave in it slows it down.
MOST_PROGRAMS = 50


class Tenant(Protocol):
    """A worker attached to a JVM."""

    @property
    def failed(self) -> bool:
        """Whether it crashed or was killed while it was asked something."""


@dataclass(slots=True)
class RunningJvm:
    """A JVM with what is needed to attach to it.

    Attributes:
        handle: the process.
        folder: the folder for temporary files it shares with its workers.
        network: a process in its network, or 0 where that is everybody's.
        tenants: workers attached so far.
    """

    handle: JvmHandle
    folder: Path
    network: int = 0
    tenants: list[Tenant] = field(default_factory=list)

    def is_alive(self) -> bool:
        """Whether it still runs: itself, not only what keeps it apart, which ends a moment later."""
        return self.handle.is_alive() and (not self.network or _runs(self.network))

    def how_it_ended(self) -> str:
        """Say that it ended, on one line; "" while it runs."""
        return "" if self.is_alive() else "Spark's JVM ended"

    def must_go(self) -> bool:
        """Whether nobody should be attached to it any more."""
        return (
            not self.is_alive()
            or len(self.tenants) >= MOST_PROGRAMS
            or any(tenant.failed for tenant in self.tenants)
        )


def _runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")


class JvmPool:
    """Starts JVMs on demand, at most one for each key; trusted ones are never ended for room."""

    def __init__(self, most: int = MOST_JVMS) -> None:
        self._most = most
        self._running: dict[Hashable, RunningJvm] = {}
        self._trusted: set[Hashable] = set()
        self._lock = threading.Lock()
        self.restarts = 0

    def get(self, key: Hashable, start: Callable[[], RunningJvm], *, trusted: bool = False) -> RunningJvm:
        """The JVM for this key: the running one, or a fresh one where it is dead, worn or suspect.

        Raises:
            EngineError: it did not start.
        """
        with self._lock:
            running = self._running.pop(key, None)
            if running is not None and running.must_go():
                running.handle.stop(limit=0)
                running = None
                self.restarts += 1
            if running is None:
                self._make_room(trusted=trusted)
                running = start()
            # The last one in is the last one to go.
            self._running[key] = running
            if trusted:
                self._trusted.add(key)
            return running

    def _make_room(self, *, trusted: bool) -> None:
        if trusted:
            return
        others = [key for key in self._running if key not in self._trusted]
        for key in others[: max(0, len(others) - self._most + 1)]:
            self._running.pop(key).handle.stop(limit=0)

    def stop(self) -> None:
        """End them all."""
        with self._lock:
            for running in self._running.values():
                with contextlib.suppress(OSError):
                    running.handle.stop()
            self._running.clear()

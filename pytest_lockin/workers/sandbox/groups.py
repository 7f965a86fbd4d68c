"""Control groups: limits on memory and processes that bind root too; version 1 or 2, as is writable."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_lockin.workers.sandbox.view import Limits

PREFIX = "lockin-"
_PATIENCE = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupHome:
    """Where new groups can be made: version, and the folder of each controller."""

    version: int
    memory: Path | None = None
    pids: Path | None = None

    @property
    def name(self) -> str:
        """How it is called in reports: `cgroup v1`."""
        return f"cgroup v{self.version}"


def find_home(root: Path = Path("/proc/self")) -> GroupHome | None:
    """Find where this process may make groups (one is made and removed to see); None where it may nowhere."""
    try:
        own = (root / "cgroup").read_text().splitlines()
        mounts = (root / "mountinfo").read_text().splitlines()
    except OSError:
        return None
    places = _places(own, mounts)
    first = GroupHome(
        version=1,
        memory=_usable(places, "memory", "memory.limit_in_bytes"),
        pids=_usable(places, "pids", "pids.max"),
    )
    if first.memory or first.pids:
        return first
    second = GroupHome(
        version=2, memory=_usable(places, "", "memory.max"), pids=_usable(places, "", "pids.max")
    )
    return second if second.memory or second.pids else None


def _places(own: list[str], mounts: list[str]) -> dict[str, Path]:
    """The folder of this process's group per controller of version 1; of version 2 under ""."""
    targets: dict[str, Path] = {}
    for line in mounts:
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind == "cgroup2":
            targets[""] = Path(before.split()[4])
        elif kind == "cgroup":
            targets |= dict.fromkeys(options.split(","), Path(before.split()[4]))
    places = {}
    for line in own:
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            if name in targets:
                places[name] = targets[name] / path.lstrip("/")
    return places


def _usable(places: dict[str, Path], controller: str, limit: str) -> Path | None:
    place = places.get(controller)
    if place is None:
        return None
    trial = place / f"{PREFIX}{secrets.token_hex(6)}"
    try:
        trial.mkdir()
    except OSError:
        return None
    try:
        return place if os.access(trial / limit, os.W_OK) else None
    finally:
        trial.rmdir()


class Group:
    """The control groups of one process and all it starts."""

    def __init__(self, home: GroupHome, limits: Limits) -> None:
        name = f"{PREFIX}{secrets.token_hex(6)}"
        self.home = home
        self.folders = tuple(dict.fromkeys(place / name for place in (home.memory, home.pids) if place))
        for folder in self.folders:
            folder.mkdir()
        if home.memory is not None:
            self._limit_memory(home.memory / name, limits.memory)
        if home.pids is not None:
            (home.pids / name / "pids.max").write_text(str(limits.processes))
        self._memory = home.memory / name if home.memory else None

    def _limit_memory(self, folder: Path, limit: int) -> None:
        if self.home.version > 1:
            (folder / "memory.max").write_text(str(limit))
            return
        (folder / "memory.limit_in_bytes").write_text(str(limit))
        # Kernels without accounting of swap have no such file.
        with contextlib.suppress(OSError):
            (folder / "memory.memsw.limit_in_bytes").write_text(str(limit))

    @property
    def entrances(self) -> tuple[str, ...]:
        """Files into which a process writes to enter."""
        return tuple(str(folder / "cgroup.procs") for folder in self.folders)

    def ooms(self) -> int:
        """How many processes of it the kernel killed because memory ran out."""
        if self._memory is None:
            return 0
        name = "memory.oom_control" if self.home.version == 1 else "memory.events"
        try:
            words = (self._memory / name).read_text().split()
        except OSError:
            return 0
        return int(words[words.index("oom_kill") + 1]) if "oom_kill" in words else 0

    def close(self) -> None:
        """Kill what is left in it and remove it."""
        for folder in self.folders:
            remove_group(folder)


def remove_group(folder: Path) -> None:
    """Kill the processes of a group and remove it; gives up quietly after some seconds."""
    deadline = time.monotonic() + _PATIENCE
    while folder.exists() and time.monotonic() < deadline:
        with contextlib.suppress(OSError, ValueError):
            for pid in (folder / "cgroup.procs").read_text().split():
                os.kill(int(pid), 9)
        with contextlib.suppress(OSError):
            folder.rmdir()
            return
        time.sleep(0.01)

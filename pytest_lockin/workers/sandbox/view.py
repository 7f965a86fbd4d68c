"""What one untrusted process sees of the file system, and what it may use up."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_GIB = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a process sees beside the system's own folders, each under the path it has outside.

    Attributes:
        role: what the process is for, in one word.
        owner: the folder of the suite it works for: what is shared at all is shared within one.
        ro: folders and files it can read.
        rw: folders it can write to.
        empty: folders that are there and empty, the process's own and lost with it.
        masked: folders and files below readable ones that are hidden.
        shown: (path, file with what is shown in its place).
        tmp: folder of the host that is its `/tmp` (shared with a JVM), or "" for one of its own.
        network_of: process whose network it shares, or 0 for one of its own with nothing but loopback.
        cwd: where it starts.
    """

    role: str
    owner: str = ""
    ro: tuple[str, ...] = ()
    rw: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    shown: tuple[tuple[str, str], ...] = ()
    tmp: str = ""
    network_of: int = 0
    cwd: str = "/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one untrusted process, with all it starts, may use.

    Attributes:
        memory: bytes of it all; private temporary files count.
        processes: processes and threads at a time.
        file_bytes: size of any one file.
        output_bytes: what is kept of its output; the rest is cut, and that is said.
        tmp_bytes: size of its temporary folder.
        disk_bytes: what it may leave in the folders it can write to.
        cpu_seconds: processor time of any one process.
        open_files: open files of any one process.
    """

    memory: int
    processes: int = 2048
    file_bytes: int = 4 * _GIB
    output_bytes: int = 16 << 20
    tmp_bytes: int = _GIB
    disk_bytes: int = 8 * _GIB
    cpu_seconds: int = 4 * 3600
    open_files: int = 4096


def default_limits() -> Limits:
    """Half of the machine's memory for each process, at most 8 GiB and at least 2."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Limits(memory=max(2 * _GIB, min(8 * _GIB, total // 2)))


def is_inside(path: str | Path, folder: str | Path) -> bool:
    """Whether the path is the folder or lies below it, by name (links are not followed)."""
    return Path(path).is_relative_to(folder)

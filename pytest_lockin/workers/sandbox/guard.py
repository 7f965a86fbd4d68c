"""Ends what a controller left behind that was killed: sandboxes, their control groups, its run folder.

Run as `python -I -S guard.py`, with a pipe from the controller that says what there is. A program in a
sandbox could keep the worker's own watch from acting; this process it does not see.
"""

import os
import shutil
import signal
import sys
import time

_PATIENCE = 10.0


def main() -> None:
    """Read until the controller is gone; then clean up, unless it said that it has."""
    known: dict[str, list[str]] = {"process": [], "group": [], "folder": []}
    for line in sys.stdin:
        kind, _, value = line.rstrip("\n").partition(" ")
        if kind == "done":
            return
        known[kind].append(value)
    for each in known["process"]:
        pid, _, started = each.partition(" ")
        if start_time(int(pid)) == started:
            _kill_group(int(pid))
    for folder in known["group"]:
        _remove_group(folder)
    for folder in known["folder"]:
        shutil.rmtree(folder, ignore_errors=True)


def start_time(pid: int) -> str:
    """When a process began, in the kernel's ticks: with the id it names one process and no later one."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:  # noqa: PTH123 - no pathlib
            return stat.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        return


def _remove_group(folder: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while os.path.isdir(folder) and time.monotonic() < deadline:  # noqa: PTH112
        try:
            with open(os.path.join(folder, "cgroup.procs"), encoding="ascii") as listed:  # noqa: PTH118, PTH123
                for pid in listed.read().split():
                    os.kill(int(pid), signal.SIGKILL)
            os.rmdir(folder)  # noqa: PTH106
        except OSError:
            time.sleep(0.02)


if __name__ == "__main__":
    main()

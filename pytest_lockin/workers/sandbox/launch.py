"""First program of a sandboxed process, still outside: take the limits on, then become the sandbox.

Run as `python -I -S launch.py '{"groups": [...], "limits": {...}, "join": PID, "argv": [...]}'`; imports
next to nothing, because each worker waits for it.
"""

import json
import os
import resource
import sys

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000


def main(order: dict[str, object]) -> None:
    """Enter control groups and a network, set limits, replace this process."""
    for procs in order["groups"]:  # type: ignore[attr-defined]
        with open(procs, "w") as group:  # noqa: PTH123 - pathlib costs more than all the rest
            group.write("0")
    if order["join"]:
        _join(int(order["join"]))  # type: ignore[call-overload]
    for name, value in order["limits"].items():  # type: ignore[attr-defined]
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        wanted = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (wanted, wanted))
    argv: list[str] = order["argv"]  # type: ignore[assignment]
    os.execv(argv[0], argv)  # noqa: S606 - no shell is what is wanted


def _join(pid: int) -> None:
    """Enter the network of another process, by way of the user namespace that owns it."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    for name, kind in (("user", _NEW_USER), ("net", _NEW_NET)):
        handle = os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC)
        if libc.setns(handle, kind) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter the {name} namespace of process {pid}")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

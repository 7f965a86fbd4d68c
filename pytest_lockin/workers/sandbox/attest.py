"""What holds of a process, read from outside: nothing the process says is believed."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.model.isolation import LIMIT, NAMESPACES, Attestation, LimitInForce
from pytest_lockin.workers.sandbox.process import wait_for_inner

if TYPE_CHECKING:
    from pytest_lockin.workers.sandbox.process import Process

# Of the sandbox's own making, or the system's: every process has them.
SYSTEM = ("/", "/proc", "/dev", "/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/etc", "/sys")
_FILTERED = "2"
_RESOURCES = {
    "Max cpu time": "cpu_seconds",
    "Max file size": "file_bytes",
    "Max open files": "open_files",
    "Max core file size": "core_bytes",
    "Max data size": "memory",
    "Max processes": "processes",
}


def attest_namespaced(process: Process, backend: str, depth: int, *, filtered: bool) -> Attestation:
    """Look at a process `depth` levels below the one that was started, and say what does not hold."""
    pid = wait_for_inner(process, depth, backend)
    proc = Path(f"/proc/{pid}")
    if not pid:
        return Attestation(role=process.view.role, backend=backend, missing=("it could not be looked at",))
    own, shared = _namespaces(proc)
    status = _status(proc)
    mounts = _mounts(proc)
    attestation = Attestation(
        role=process.view.role,
        backend=backend,
        namespaces=own,
        shared=shared,
        mounts=_digest(mounts),
        visible=tuple(target for target, _, _ in mounts if not _is_system(target)),
        writable=tuple(
            target
            for target, options, kind in mounts
            if "rw" in options and not _is_system(target) and kind != "proc"
        ),
        limits=_limits(proc, process),
        capabilities=_count_capabilities(status),
        filtered=status.get("Seccomp") == _FILTERED,
    )
    return _with_missing(attestation, status, filtered=filtered)


def _namespaces(proc: Path) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    own, shared = [], []
    for kind in NAMESPACES:
        try:
            theirs = str((proc / "ns" / kind).readlink())
        except OSError:
            shared.append(kind)
            continue
        if theirs == str(Path(f"/proc/self/ns/{kind}").readlink()):
            shared.append(kind)
        else:
            own.append((kind, theirs))
    return tuple(own), tuple(shared)


def _status(proc: Path) -> dict[str, str]:
    try:
        lines = (proc / "status").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _mounts(proc: Path) -> tuple[tuple[str, str, str], ...]:
    """(target, options, kind) of every mount, in order."""
    try:
        lines = (proc / "mountinfo").read_text().splitlines()
    except OSError:
        return ()
    found = []
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split()
        found.append((fields[4].encode().decode("unicode_escape"), fields[5], after.split()[0]))
    return tuple(found)


def _digest(mounts: tuple[tuple[str, str, str], ...]) -> str:
    return hashlib.sha256("\n".join("|".join(each) for each in mounts).encode()).hexdigest()


def _is_system(target: str) -> bool:
    return target in SYSTEM or target.startswith(("/proc/", "/dev/", "/etc/", "/usr/", "/sys/"))


def _count_capabilities(status: dict[str, str]) -> int:
    held = 0
    for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
        held |= int(status.get(name, "0") or "0", 16)
    return held.bit_count()


def _limits(proc: Path, process: Process) -> tuple[LimitInForce, ...]:
    found = []
    try:
        lines = (proc / "limits").read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        for title, name in _RESOURCES.items():
            soft = line.removeprefix(title).split()[:1] if line.startswith(title) else []
            binds = name != "processes" or os.getuid() != 0
            if soft and soft[0].isdigit() and binds:
                found.append(LimitInForce(name=name, value=int(soft[0]), held_by="resource limit"))
    limits, group = process.limits, process.group
    if group is not None and group.home.memory is not None:
        found.append(LimitInForce(name="memory", value=limits.memory, held_by=group.home.name))
    if group is not None and group.home.pids is not None:
        found.append(LimitInForce(name="processes", value=limits.processes, held_by=group.home.name))
    found.append(LimitInForce(name="output_bytes", value=limits.output_bytes, held_by="controller"))
    return tuple(found)


def _with_missing(attestation: Attestation, status: dict[str, str], *, filtered: bool) -> Attestation:
    missing = [f"a namespace of its own: {kind}" for kind in attestation.shared]
    if attestation.capabilities:
        missing.append(f"an empty set of capabilities (it has {attestation.capabilities})")
    if filtered and not attestation.filtered:
        missing.append("a filter of system calls")
    if status.get("NoNewPrivs") != "1":
        missing.append("the flag that no privileges are gained")
    names = {limit.name for limit in attestation.limits}
    missing += [f"{LIMIT}{name}" for name in ("memory", "processes", "file_bytes") if name not in names]
    return replace(attestation, missing=tuple(missing))

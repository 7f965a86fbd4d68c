"""How far untrusted programs were kept apart: what was asked, what was found to hold."""

from __future__ import annotations

from dataclasses import dataclass

# Namespaces a sealed process has of its own. `net` may be one it shares with its JVM, never the controller's.
NAMESPACES = ("mnt", "pid", "net", "ipc", "uts", "user")

# How what is missing begins where it is only a limit.
LIMIT = "a limit on "


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitInForce:
    """One limit of a process and what holds it: a cgroup, a resource limit, or the controller's clock."""

    name: str
    value: int
    held_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attestation:
    """What the controller saw of one untrusted process, from outside, before it was given anything to run.

    Attributes:
        role: what the process is for (`suite`, `program`, `jvm`).
        backend: `bwrap` or `none`.
        namespaces: (kind, id) of those that differ from the controller's.
        shared: kinds that are the controller's own.
        mounts: SHA-256 of the table of mounts (target, source folder, options).
        visible: folders and files of the host that it can see, beside the system's.
        writable: those of them it can write to.
        limits: limits in force.
        capabilities: how many capabilities it holds.
        filtered: a filter of system calls is in force.
        missing: what the profile promises and was not found, in plain words; empty where all holds.
    """

    role: str
    backend: str
    namespaces: tuple[tuple[str, str], ...] = ()
    shared: tuple[str, ...] = ()
    mounts: str = ""
    visible: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    limits: tuple[LimitInForce, ...] = ()
    capabilities: int = 0
    filtered: bool = False
    missing: tuple[str, ...] = ()

    @property
    def open_ends(self) -> tuple[str, ...]:
        """What is missing that keeps a process in: all but limits, which keep it small."""
        return tuple(what for what in self.missing if not what.startswith(LIMIT))

    @property
    def holds(self) -> bool:
        """Whether everything the profile promises was found."""
        return not self.missing and self.backend != "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """How a run's untrusted processes were kept apart.

    Attributes:
        asked: the setting: `auto`, `bwrap` or `none`.
        backend: what was used; `none` where nothing was.
        version: of the backend.
        required: whether a run without would have been refused.
        reason: why there is no sandbox, or what about it is weaker than it should be; else "".
        attestations: one for each distinct kind of process; `processes` how many there were in all.
        leaks: where a token planted beside the references was seen that no untrusted process may have.
    """

    asked: str = "auto"
    backend: str = "none"
    version: str = ""
    required: bool = False
    reason: str = ""
    attestations: tuple[Attestation, ...] = ()
    processes: int = 0
    leaks: tuple[str, ...] = ()

    @property
    def isolated(self) -> bool:
        """Whether every untrusted process of the run was sealed, as far as was looked."""
        return self.backend != "none" and not self.leaks and all(each.holds for each in self.attestations)

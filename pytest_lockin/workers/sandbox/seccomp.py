"""A filter of system calls as the kernel takes it: classic BPF, made here, because no library is needed.

What a test suite never needs and what has been the way out of namespaces before is refused with an error
number (a program sees an ordinary failure); everything else is allowed. Rules: the default profile of
container runtimes, less what needs a capability anyway.
"""

from __future__ import annotations

import errno
import platform
import struct
from dataclasses import dataclass

# From linux/bpf_common.h, linux/seccomp.h, linux/audit.h.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCH, _ARG0, _ARG1 = 0, 4, 16, 24
_X32 = 0x40000000

# New namespaces by clone(2): mount, cgroup, uts, ipc, user, pid, net.
_NEW_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
# Unix, IPv4, IPv6, and netlink (getaddrinfo asks it). Not vsock: network namespaces do not contain it.
_FAMILIES = (1, 2, 10, 16)
# Typing into the terminal of whoever started pytest.
_TERMINAL = (0x5412, 0x541C)

_DENIED = (
    "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd",
    "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount",
    "fspick", "mount_setattr", "unshare", "setns",
    "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "open_by_handle_at", "name_to_handle_at", "fanotify_init", "lookup_dcookie",
    "add_key", "request_key", "keyctl",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load",
    "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog",
    "settimeofday", "adjtimex", "clock_settime", "clock_adjtime", "sethostname", "setdomainname",
)  # fmt: skip

_COMMON = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435,
    "pidfd_getfd": 438, "mount_setattr": 442, "quotactl_fd": 443,
}  # fmt: skip
_X86_64 = _COMMON | {
    "ioctl": 16, "socket": 41, "clone": 56, "ptrace": 101, "syslog": 103, "pivot_root": 155, "adjtimex": 159,
    "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167,
    "swapoff": 168, "reboot": 169, "sethostname": 170, "setdomainname": 171, "init_module": 175,
    "delete_module": 176, "quotactl": 179, "lookup_dcookie": 212, "clock_settime": 227, "kexec_load": 246,
    "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272, "perf_event_open": 298,
    "fanotify_init": 300, "name_to_handle_at": 303, "open_by_handle_at": 304, "clock_adjtime": 305,
    "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313,
    "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
}  # fmt: skip
_AARCH64 = _COMMON | {
    "ioctl": 29, "socket": 198, "clone": 220, "ptrace": 117, "syslog": 116, "pivot_root": 41,
    "adjtimex": 171, "chroot": 51, "acct": 89, "settimeofday": 170, "mount": 40, "umount2": 39,
    "swapon": 224, "swapoff": 225, "reboot": 142, "sethostname": 161, "setdomainname": 162,
    "init_module": 105, "delete_module": 106, "quotactl": 60, "lookup_dcookie": 18, "clock_settime": 112,
    "kexec_load": 104, "add_key": 217, "request_key": 218, "keyctl": 219, "unshare": 97,
    "perf_event_open": 241, "fanotify_init": 262, "name_to_handle_at": 264, "open_by_handle_at": 265,
    "clock_adjtime": 266, "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272,
    "finit_module": 273, "kexec_file_load": 294, "bpf": 280, "userfaultfd": 282,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    audit: int
    numbers: dict[str, int]
    x32: bool = False


_MACHINES = {
    "x86_64": _Machine(audit=0xC000003E, numbers=_X86_64, x32=True),
    "aarch64": _Machine(audit=0xC00000B7, numbers=_AARCH64),
}


def make_filter(machine: str = "") -> bytes:
    """Make the filter for this kind of processor (default: this one); b"" where its numbers are not known."""
    known = _MACHINES.get(machine or platform.machine())
    return b"" if known is None else b"".join(_program(known))


def _program(machine: _Machine) -> list[bytes]:
    numbers = machine.numbers
    program = [
        _step(_LOAD, _ARCH),
        # A call in another calling convention would have other numbers.
        _step(_EQUAL, machine.audit, yes=1),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
    ]
    if machine.x32:
        program += [_step(_AT_LEAST, _X32, no=1), _refuse(errno.ENOSYS)]
    for name in _DENIED:
        program += [_step(_EQUAL, numbers[name], no=1), _refuse(errno.EPERM)]
    # Its flags lie in memory, where no filter can look; libraries fall back to clone.
    program += [_step(_EQUAL, numbers["clone3"], no=1), _refuse(errno.ENOSYS)]
    program += _with_argument(
        numbers["clone"], _ARG0, [_step(_ANY_BIT, _NEW_NAMESPACES, no=1), _refuse(errno.EPERM)]
    )
    families = [_step(_EQUAL, family, yes=len(_FAMILIES) - place) for place, family in enumerate(_FAMILIES)]
    program += _with_argument(numbers["socket"], _ARG0, [*families, _refuse(errno.EAFNOSUPPORT)])
    for request in _TERMINAL:
        program += _with_argument(
            numbers["ioctl"], _ARG1, [_step(_EQUAL, request, no=1), _refuse(errno.EPERM)]
        )
    return [*program, _step(_RETURN, _ALLOW)]


def _with_argument(number: int, argument: int, body: list[bytes]) -> list[bytes]:
    """Run the steps only for this call, on the low half of one argument; then the number is back."""
    inner = [_step(_LOAD, argument), *body, _step(_LOAD, _NUMBER)]
    return [_step(_EQUAL, number, no=len(inner)), *inner]


def _refuse(number: int) -> bytes:
    return _step(_RETURN, _ERRNO | number)


def _step(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)

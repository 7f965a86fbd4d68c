"""Policy is not the judged change's to edit: what decides a verdict is compared with the base it came from.

Settings files, waivers, task files and locks of fixtures decide what is judged and how. To change one of them
may be right, and somebody else has to say so: the gate fails and names it.
"""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import PolicyError
from pytest_lockin.sealing.base import Base
from pytest_lockin.sealing.tree import MISSING, hash_file

if TYPE_CHECKING:
    from collections.abc import Callable

# By name, wherever they lie.
_DECIDING = (
    "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg",
    "lockin-waivers.toml", "lockin-baseline.json",
    "task.yaml", "obligations.yaml", "lock.json", "lockin.lock", "conftest.py",
    "sitecustomize.py", "usercustomize.py", ".coveragerc",
)  # fmt: skip
_SKIPPED = (".git", ".venv", "node_modules", "__pycache__", ".tox", "site-packages")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What was compared, and what differs.

    Attributes:
        base: the revision or folder, or "" where none was named.
        changes: one line for each deciding file that is not as it is there.
        files: the base's deciding files, which are read in place of the change's.
    """

    base: str = ""
    changes: tuple[str, ...] = ()
    files: Base = field(default_factory=Base)


def read_base(base: str, root: Path) -> Base:
    """Read every deciding file of the base: a folder, else a revision of the repository.

    Raises:
        PolicyError: it is neither a folder nor a revision git knows here.
    """
    folder = Path(base)
    found = _of_folder(folder) if folder.is_dir() else _of_revision(base, root)
    return Base(root=root, files=tuple(sorted(found.items())), named=True)


def compare_policy(
    base: str, root: Path, is_suites: Callable[[Path], bool] = lambda _: False, found: Base | None = None
) -> Policy:
    """Compare every deciding file below the root with the base, which is read unless it is given.

    A conftest in a suite's folder (`is_suites`) is part of the suite, runs where the suite runs, and decides
    nothing else.

    Raises:
        PolicyError: the base is neither a folder nor a revision git knows here.
    """
    found = found or read_base(base, root)
    theirs = {name: hashlib.sha256(content).hexdigest() for name, content in found.files}
    ours = {name: hash_file(root / name) for name in _of_folder(root)}
    changes = [
        _describe(name, theirs.get(name, MISSING), ours.get(name, MISSING))
        for name in sorted({*theirs, *ours})
        if theirs.get(name, MISSING) != ours.get(name, MISSING)
        and not (Path(name).name == "conftest.py" and is_suites(root / name))
    ]
    return Policy(base=base, changes=tuple(changes), files=found)


def _describe(name: str, was: str, now: str) -> str:
    if not was:
        return f"{name} is new"
    return f"{name} was changed" if now else f"{name} is gone"


def _of_folder(folder: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    waiting = [folder]
    while waiting:
        try:
            entries = sorted(waiting.pop().iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir() and not entry.is_symlink():
                waiting += [entry] if entry.name not in _SKIPPED else []
            elif entry.name in _DECIDING:
                found[entry.relative_to(folder).as_posix()] = _content(entry)
    return found


def _content(file: Path) -> bytes:
    """Of a file that can be read; of a link, that it is one: wherever it leads, nothing is read there."""
    try:
        return f"link {file.readlink()}".encode() if file.is_symlink() else file.read_bytes()
    except OSError:
        return b""


def _of_revision(revision: str, root: Path) -> dict[str, bytes]:
    top = Path(_git(root, "rev-parse", "--show-toplevel").decode().strip())
    if revision.startswith("-"):
        raise _unknown(revision, "a revision does not begin with a dash")
    inside = root.resolve().relative_to(top.resolve())
    listed = _git(top, "ls-tree", "-r", "-z", "--name-only", f"{revision}^{{tree}}", "--", f"{inside}/")
    found = {}
    for name in filter(None, listed.decode(errors="surrogateescape").split("\0")):
        path = Path(name)
        if path.name in _DECIDING and not any(part in _SKIPPED for part in path.parts):
            found[path.relative_to(inside).as_posix()] = _git(top, "show", f"{revision}:{name}")
    return found


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        ran = subprocess.run(
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - the user's own git
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise _unknown(str(folder), f"git does not run: {error}") from error
    if ran.returncode != 0:
        lines = ran.stderr.decode(errors="replace").strip().splitlines()
        raise _unknown(" ".join(arguments[-1:]), lines[0] if lines else "git failed")
    return ran.stdout


def _unknown(base: str, why: str) -> PolicyError:
    return PolicyError(
        expected="--lockin-policy with a folder, or a revision of this repository",
        found=f"{base}: {why}",
        hint="name the commit the change started from, and fetch it (a shallow clone may lack it)",
    )

"""`--lockin-since REV`: only alternatives in functions that were changed since a revision."""

from __future__ import annotations

import ast
import re
import subprocess
from typing import TYPE_CHECKING

from pytest_lockin.errors import RevisionError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_lockin.model.alternative import Mutant

_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def changed_lines(path: Path, revision: str) -> frozenset[int] | None:
    """Lines of the file as it is now that differ from the revision; None where git does not know the file.

    Raises:
        RevisionError: no such revision, or no git.
    """
    folder, name = str(path.parent), path.name
    _git(folder, revision, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if not _git(folder, revision, "ls-tree", revision, "--", f"./{name}").strip():
        return None
    diff = _git(folder, revision, "diff", "-U0", "--no-ext-diff", "--no-color", revision, "--", f"./{name}")
    return read_hunks(diff)


def changed_files(folder: Path, revision: str) -> frozenset[Path]:
    """Absolute paths below a folder that differ from the revision, gone and untracked ones among them.

    Files that git ignores are not seen.

    Raises:
        RevisionError: no such revision, or no git.
    """
    here = str(folder)
    _git(here, revision, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    differ = _git(
        here, revision, "diff", "--name-only", "-z", "--no-ext-diff", "--relative", revision, "--", "."
    )
    new = _git(here, revision, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
    return frozenset(folder / name for name in (*differ.split("\0"), *new.split("\0")) if name)


def _git(folder: str, revision: str, *args: str) -> str:
    try:
        done = subprocess.run(  # a fixed program, arguments as a list
            ["git", "-C", folder, *args],  # noqa: S607 - the user's own git
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        told = getattr(error, "stderr", "") or str(error)
        raise RevisionError(
            expected=f"a git revision {revision} that holds {folder}",
            found=told.strip().splitlines()[-1] if told.strip() else "git does not know it",
            hint="give a commit, tag or branch as `git rev-parse` takes it; in CI fetch enough history",
        ) from error
    return done.stdout


def read_hunks(diff: str) -> frozenset[int]:
    """Line numbers of the new side that a `-U0` diff changes; a pure deletion marks the lines around it.

    >>> sorted(read_hunks("@@ -3 +3 @@" + chr(10) + "@@ -9,2 +8,0 @@"))
    [3, 8, 9]
    """
    lines: set[int] = set()
    for found in _HUNK.finditer(diff):
        start, length = int(found[1]), int(found[2] or 1)
        lines.update(range(start, start + length) if length else (start, start + 1))
    return frozenset(lines)


def grow_to_functions(source: str, lines: Iterable[int]) -> frozenset[int]:
    """Lines of every outermost function or class that one of the lines is in, and the lines themselves."""
    grown = set(lines)
    for node in ast.parse(source).body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        span = range(first, (node.end_lineno or node.lineno) + 1)
        if any(line in grown for line in span):
            grown.update(span)
    return frozenset(grown)


def since(mutants: Iterable[Mutant], source: str, lines: frozenset[int] | None) -> tuple[Mutant, ...]:
    """Keep alternatives of changed functions; all of them where the file is new."""
    if lines is None:
        return tuple(mutants)
    wanted = grow_to_functions(source, lines)
    return tuple(each for each in mutants if each.site.line in wanted)

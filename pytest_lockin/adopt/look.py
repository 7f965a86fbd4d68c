"""What a repository holds, seen from its files' text: jobs, tests of them, conftests."""

from __future__ import annotations

import ast
import os
import warnings
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from pytest_lockin.adopt.base import AdoptError
from pytest_lockin.adopt.functions import JobFunction, find_jobs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_SKIPPED = frozenset(
    {"node_modules", "build", "dist", "site-packages", "__pycache__", "refs", "spark-warehouse"}
)
_IMPORT_ROOTS = frozenset({"src", "lib", "python"})
# Larger files are data or generated tables.
_MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """A test file that imports job functions.

    Attributes:
        path: from the repository's root.
        entry_points: `module:function` of each job it imports, the module named as it does.
    """

    path: str
    entry_points: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found in a repository.

    Attributes:
        root: its folder, absolute.
        jobs: PySpark job functions.
        tests: paths of all test files.
        tested: those that import one of the jobs.
        conftests: paths of the conftests.
        unreadable: Python files that could not be parsed.
        connect: whether a session is made with `.remote(...)`.
        github: whether it is kept on GitHub, as far as its files tell.
    """

    root: Path
    jobs: tuple[JobFunction, ...] = ()
    tests: tuple[str, ...] = ()
    tested: tuple[Tested, ...] = ()
    conftests: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    connect: bool = False
    github: bool = False


def look_at(folder: Path) -> Found:
    """Look at a repository.

    Folders of other people's code (virtual environments, `node_modules`, build output), hidden ones, `refs/`
    and symbolic links are not looked into.

    Raises:
        AdoptError: there is no such folder.
    """
    root = folder.absolute()
    if not root.is_dir():
        raise AdoptError(
            expected="a repository's folder",
            found=f"{folder}, which is {'a file' if root.exists() else 'not there'}",
            hint="give the folder in which pytest is run",
        )
    paths = sorted(_python_files(root))
    trees = {path: parse_file(root / path) for path in paths}
    tests = [path for path in paths if _is_test(path)]
    programs = [path for path in paths if path not in tests and PurePosixPath(path).name != "conftest.py"]
    jobs = tuple(job for path in programs if (tree := trees[path]) for job in find_jobs(tree, path))
    linked = (
        Tested(path=path, entry_points=tuple(_link(path, tree, jobs)))
        for path in tests
        if (tree := trees[path])
    )
    return Found(
        root=root,
        jobs=jobs,
        tests=tuple(tests),
        tested=tuple(each for each in linked if each.entry_points),
        conftests=tuple(path for path in paths if PurePosixPath(path).name == "conftest.py"),
        unreadable=tuple(path for path, tree in trees.items() if tree is None),
        connect=any(_makes_remote_session(tree) for tree in trees.values() if tree),
        github=_is_on_github(root),
    )


def find_tests(folder: Path, job: JobFunction) -> tuple[Tested, ...]:
    """Find the test files that import one function, whether or not it looks like a job."""
    root = folder.absolute()
    paths = sorted(_python_files(root))
    # Other files of its name may be what a test means.
    name = PurePosixPath(job.path).name
    rivals = [replace(job, path=path) for path in paths if PurePosixPath(path).name == name]
    found = []
    for test in paths:
        tree = parse_file(root / test) if _is_test(test) else None
        linked = _link(test, tree, rivals) if tree else {}
        meant = [entry_point for entry_point, path in linked.items() if path == job.path]
        if meant:
            found.append(Tested(path=test, entry_points=(meant[0],)))
    return tuple(found)


def find_program(folder: Path, module: str) -> tuple[str, ...]:
    """Find the files that can be imported by a dotted name, paths from the folder; nearest first."""
    root = folder.absolute()
    found = [path for path in _python_files(root) if module in module_names(path)]
    return tuple(sorted(found, key=lambda path: (path.count("/"), path)))


def module_names(path: str) -> tuple[str, ...]:
    """Names a file may be imported by, the longest first: `src.shop.jobs`, `shop.jobs`, `jobs`."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return tuple(".".join(parts[start:]) for start in range(len(parts)))


def parse_file(path: Path) -> ast.Module | None:
    """Parse a Python file; None where it cannot be read, or is not Python this interpreter knows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the parser, on other people's strings
            return ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _python_files(root: Path) -> Iterator[str]:
    for folder, below, files in os.walk(root):
        below[:] = [each for each in below if not _is_skipped(Path(folder, each))]
        for name in files:
            path = Path(folder, name)
            if name.endswith(".py") and not path.is_symlink() and path.stat().st_size <= _MOST_BYTES:
                yield path.relative_to(root).as_posix()


def _is_skipped(folder: Path) -> bool:
    return (
        folder.name.startswith(".")
        or folder.name in _SKIPPED
        or folder.is_symlink()
        or (folder / "pyvenv.cfg").exists()
    )


def _is_test(path: str) -> bool:
    name = PurePosixPath(path).name
    return name.startswith("test_") or name.endswith("_test.py")


def _link(test: str, tree: ast.Module, jobs: Iterable[JobFunction]) -> dict[str, str]:
    """The jobs a test file imports: `module:function` -> the job's file."""
    known: dict[tuple[str, str], list[str]] = {}
    for job in jobs:
        for module in module_names(job.path):
            known.setdefault((module, job.name), []).append(job.path)
    taken = dict.fromkeys(_taken(tree))
    meant = {(module, name): _meant(test, module, known.get((module, name), ())) for module, name in taken}
    return {f"{module}:{name}": path for (module, name), path in meant.items() if path}


def _meant(test: str, module: str, paths: Sequence[str]) -> str:
    """Which of these files a test that imports this module means; "" where it means none.

    Many folders may hold a `solution.py`: a test means the one beside or above it, else one below an import
    root, else the only one there is.
    """
    near = {path: _distance(test, module, path) for path in paths}
    close = [path for path in paths if near[path] is not None]
    if close:
        return min(close, key=lambda path: near[path] or 0)
    return paths[0] if len(paths) == 1 else ""


def _distance(test: str, module: str, path: str) -> int | None:
    """How far a test is below the folder a module is imported from; None where it is not below."""
    parts = PurePosixPath(path).with_suffix("").parts
    base = PurePosixPath(*parts[: len(parts) - len(module.split("."))])
    if PurePosixPath(test).is_relative_to(base):
        return len(PurePosixPath(test).parts) - len(base.parts)
    return len(PurePosixPath(test).parts) + 1 if base.name in _IMPORT_ROOTS else None


def _taken(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What a file takes from modules, as (module, name): imported by name, or read off an imported module."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield node.module, alias.name
                modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name: alias.name for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = modules.get(ast.unparse(node.value))
            if owner:
                yield owner, node.attr


def _makes_remote_session(tree: ast.Module) -> bool:
    """Whether somewhere `SparkSession.builder...remote(...)` is called."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(
        isinstance(each, ast.Attribute) and each.attr == "remote" and "builder" in ast.unparse(each.value)
        for each in calls
    )


def _is_on_github(root: Path) -> bool:
    if (root / ".github").is_dir():
        return True
    try:
        return "github.com" in (root / ".git" / "config").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False

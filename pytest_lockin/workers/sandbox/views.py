"""From a job to what its process sees: the task's folder, libraries, and the folders it answers through.

An allow-list: nothing of the project is visible but the suite's own folder, the conftests and settings file
above it, and what can be imported from the import path. References, `.git`, other suites and what the
installation knows of references (packages with the benchmark's own statements) are not.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest_lockin
from pytest_lockin.errors import SandboxError
from pytest_lockin.workers.sandbox.preflight import look_through
from pytest_lockin.workers.sandbox.view import View, is_inside

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.model.messages import ProgramJob, SuiteJob

_OWN = Path(pytest_lockin.__file__).parent
# Parts of this package that hold references, or say what is asked of them.
_KNOWING = ("taskbank", "studies", "_shipped")
# Packages that bring the benchmark's statements with them.
_TELLING = ("duckdb_extension_tpcds", "duckdb_extension_tpch")
_ABOVE = ("conftest.py", "__init__.py")
_FORBIDDEN_TREES = ("/", "/home", "/root", "/etc", "/proc", "/sys", "/dev", "/run", "/var", "/tmp")  # noqa: S108


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What views of one run have in common.

    Attributes:
        hidden: paths no untrusted process may see (the references, in every spelling).
        exposed: paths the user wants seen (`lockin_expose`).
        import_path: the import path of the controller.
        run_folder: the run's own folder.
        cwd: the folder pytest was called in.
    """

    hidden: tuple[str, ...] = ()
    exposed: tuple[str, ...] = ()
    import_path: tuple[str, ...] = ()
    run_folder: str = ""
    cwd: str = "/"


def view_suite(job: SuiteJob, around: Surroundings) -> View:
    """What the worker that runs a suite sees.

    Raises:
        SandboxError: the suite's folder holds what no candidate may see, or a path asked for does.
    """
    folder = str(Path(job.path).parent)
    inside = look_through(folder, around.hidden, Path(around.run_folder))
    settings = [job.ini_file, *([job.coverage.config_file] if job.coverage else [])]
    view = _with_libraries(around, own=folder)
    return replace(
        view,
        role="suite",
        owner=folder,
        ro=(*view.ro, *_above(folder, job.root), *(each for each in settings if each), folder),
        rw=(job.store,),
        empty=(str(Path(around.run_folder) / "cache"),),
        masked=(*view.masked, *inside.masked),
        shown=inside.shown,
        cwd=around.cwd,
    )


def view_program(job: ProgramJob, around: Surroundings) -> View:
    """What the worker that runs a candidate on data sees: its folder and the copied tables, nothing else.

    Raises:
        SandboxError: as `view_suite`.
    """
    inside = [look_through(path, around.hidden, Path(around.run_folder)) for path in job.visible]
    view = _with_libraries(around, own=job.visible[0] if job.visible else "")
    return replace(
        view,
        role="program",
        owner=job.visible[0] if job.visible else "",
        ro=(*view.ro, *job.visible),
        rw=(job.store,),
        masked=(*view.masked, *(path for each in inside for path in each.masked)),
        shown=tuple(pair for each in inside for pair in each.shown),
        cwd=around.cwd,
    )


def view_jvm(view: View, scratch: Path, readable: tuple[str, ...]) -> View:
    """What the JVM sees that serves a suite's workers: the same, what is named, and its own folder.

    The temporary folder is shared with the workers: programs write files that Spark reads, and back.
    """
    return replace(
        view,
        role="jvm",
        ro=(*view.ro, *readable),
        rw=(str(scratch),),
        tmp=str(scratch / "tmp"),
        cwd=str(scratch),
    )


def attach(view: View, scratch: Path, network: int) -> View:
    """What a worker sees that is attached to a JVM: its temporary folders, and its network."""
    return replace(view, rw=(*view.rw, str(scratch / "local")), tmp=str(scratch / "tmp"), network_of=network)


def clear_tmp(view: View, scratch: Path) -> None:
    """Empty the temporary folder a JVM shares with its workers, but for where other folders are mounted."""
    mounts = [Path(path).parts for path in (*view.ro, *view.rw, *view.empty, *view.masked)]
    kept = {parts[2] for parts in mounts if parts[:2] == ("/", "tmp") and len(parts) > 2}  # noqa: PLR2004
    for entry in (scratch / "tmp").iterdir():
        if entry.name in kept:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


def _with_libraries(around: Surroundings, *, own: str) -> View:
    """Interpreter, libraries and what the user exposes, less what knows of references."""
    trees = _interpreter()
    parts: list[str] = []
    for entry in around.import_path:
        if any(is_inside(entry, tree) for tree in trees) or not Path(entry).exists():
            continue
        parts += _importable(entry, around.hidden, own)
    exposed = [_checked(path, around.hidden) for path in around.exposed]
    visible = (*trees, *parts, str(_OWN), *exposed)
    masked = tuple(
        path for path in _knowing(around.import_path) if any(is_inside(path, tree) for tree in visible)
    )
    return View(role="", ro=visible, masked=masked)


def _interpreter() -> tuple[str, ...]:
    """The folders of the running interpreter, as they are named and as they are, but the system's own."""
    named = (sys.prefix, sys.base_prefix, sys.exec_prefix)
    found = dict.fromkeys((*named, *map(os.path.realpath, named)))
    executable = os.path.realpath(sys.executable)
    if not any(is_inside(executable, tree) for tree in (*found, "/usr")):
        found[executable] = None
    return tuple(tree for tree in found if not is_inside(tree, "/usr") and tree not in _FORBIDDEN_TREES)


def _importable(entry: str, hidden: Iterable[str], own: str) -> list[str]:
    """What of an entry of the import path may be seen: all of it, or only the modules and packages in it.

    A folder with a repository, with something hidden or with the suite in it (a project's root) is not shown
    whole: who imports from there gets the modules and packages that lie in it, and no data.
    """
    folder = Path(entry)
    if folder.is_file():
        return [entry]
    mixed = (
        entry in _FORBIDDEN_TREES
        or (folder / ".git").exists()
        or any(is_inside(path, folder) for path in hidden)
        or (own and is_inside(own, folder))
        or is_inside(Path.cwd(), folder)
    )
    if not mixed:
        return [entry]
    return [
        str(child) for child in sorted(folder.iterdir()) if _is_module(child) and not _tells(child, hidden)
    ]


def _is_module(path: Path) -> bool:
    if path.suffix in (".py", ".so"):
        return path.is_file() and not path.name.startswith("test_")
    return path.name.isidentifier() and (path / "__init__.py").is_file()


def _tells(path: Path, hidden: Iterable[str]) -> bool:
    suite = path.is_dir() and ((path / "task.yaml").exists() or (path / "test_solution.py").exists())
    return suite or any(is_inside(each, path) or is_inside(path, each) for each in hidden)


def _checked(path: str, hidden: Iterable[str]) -> str:
    if Path(path).exists() and not any(is_inside(each, path) or is_inside(path, each) for each in hidden):
        return path
    raise SandboxError(
        expected="paths in lockin_expose that are there and neither hold nor lie in the references",
        found=path,
        hint="expose the folder or file the tests need and nothing above it",
    )


def _knowing(import_path: Iterable[str]) -> tuple[str, ...]:
    own = [_OWN / name for name in _KNOWING]
    telling = [Path(entry) / name for entry in import_path for name in _TELLING]
    return tuple(str(path) for path in (*own, *telling) if path.exists())


def _above(folder: str, root: str) -> tuple[str, ...]:
    """Conftests and package files between the suite and pytest's root folder."""
    found = []
    for parent in Path(folder).parents:
        if not is_inside(parent, root):
            break
        found += [str(parent / name) for name in _ABOVE if (parent / name).is_file()]
    return tuple(found)

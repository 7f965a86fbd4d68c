"""References from installed packages into a folder (`lockin tasks build`): data, statements, programs.

A build is atomic for its readers: everything is made in a hidden folder beside its place and moved in when
complete. `build.json` says what was built and lists every file with its hash; what it does not list is the
user's and is never touched.

Versions of `build.json`:
    1  first.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import BuildError
from pytest_lockin.taskbank.data import tool_versions, write_tables
from pytest_lockin.taskbank.layout import TABLES, lay_task
from pytest_lockin.taskbank.lock import require_data, require_lock
from pytest_lockin.taskbank.statements import read_statement
from pytest_lockin.taskbank.tables import SCHEMA_FILE, read_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

RECORD = "build.json"
FORMAT = 1
SMALLEST_SCALE = 0.01
_WORK = ".building-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What a folder of references was built from, as `build.json` records it.

    Attributes:
        recipe: names the data beyond the scale: versions of its tools and the schemas' hash.
        statements: hash of each task's statement.
        fingerprints: of each table's data, as the lock knows them.
        files: hash of every file the build wrote, by path below the folder.
        locked: whether tasks and data were those of `tasks/lock.json`.
        finished: False while files are being moved in; a build interrupted there is redone by the next.
    """

    scale: float
    recipe: tuple[tuple[str, str], ...]
    tasks: tuple[str, ...]
    rows: Mapping[str, int] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    statements: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    locked: bool = True
    finished: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a call of `build` did: the record as it now stands, and the files it wrote or removed."""

    build: Build
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How to build.

    Attributes:
        scale: TPC-DS scale factor.
        force: overwrite built files that somebody edited.
        locked: ask that tasks, references and data are those of `tasks/lock.json`.
    """

    scale: float = 0.01
    force: bool = False
    locked: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """One call's wishes, beside what the folder holds already; `tasks` maps each to its files."""

    out: Path
    old: Build | None
    scale: float
    recipe: tuple[tuple[str, str], ...]
    tasks: Mapping[str, Mapping[str, bytes]]
    locked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Data:
    """The tables' part of a build record."""

    rows: Mapping[str, int]
    fingerprints: Mapping[str, str]
    files: Mapping[str, str]


def build(
    out: Path, tasks: Sequence[str], options: BuildOptions, say: Callable[[str], None] = lambda _: None
) -> Built:
    """Bring `out` to hold data at a scale and the references of `tasks`, beside those already built there.

    A second call with the same arguments changes nothing; another scale replaces the data. `say` is given
    lines of progress.

    Raises:
        LockError: something is not as locked, and `options.locked` asks for that.
        BuildError: an argument is wrong, the folder or a file in it is not ours, or a tool is missing. `out`
            is then as it was.
    """
    _check_scale(options.scale)
    if options.locked:
        require_lock()
    laid = {task: lay_task(task) for task in dict.fromkeys(tasks)}
    try:
        with _own(out):
            return _build(_order(out, laid, options), force=options.force, say=say)
    except OSError as error:
        raise BuildError(
            expected=f"to write in {out}",
            found=error.strerror or type(error).__name__,
            hint="make room or correct permissions there, or choose another folder with --out",
        ) from None


def _build(order: _Order, *, force: bool, say: Callable[[str], None]) -> Built:
    out = order.out
    with _workplace(out) as work:
        new = _make(work, order, say)
        changed = _changes(order, new)
        if not force:
            _refuse_foreign_files(order, changed)
        _move_in(work, out, new, changed)
    return Built(build=new, changed=changed)


def read_build(out: Path) -> Build | None:
    """Read a folder's `build.json`; None where there is none.

    Raises:
        BuildError: the file is damaged, or of a version this program does not know.
    """
    file = out / RECORD
    if not file.is_file():
        return None
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return _from_json(data)
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        raise BuildError(
            expected=f"a build record of format {FORMAT} at {file}",
            found="something else",
            hint="remove the folder, or build into another with --out",
        ) from None


def hash_file(path: Path) -> str:
    """Give a file's SHA-256."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _order(out: Path, laid: dict[str, dict[str, bytes]], options: BuildOptions) -> _Order:
    """Add to what is asked for what was built before and is still there."""
    _clear_abandoned_work(out)
    old = read_build(out)
    _refuse_foreign_folder(out, old)
    kept = [task for task in (old.tasks if old else ()) if task not in laid and (out / task).is_dir()]
    return _Order(
        out=out,
        old=old,
        scale=options.scale,
        recipe=(*sorted(tool_versions().items()), ("schemas", hash_file(SCHEMA_FILE))),
        tasks={**laid, **{task: lay_task(task) for task in kept}},
        locked=options.locked,
    )


def _check_scale(scale: float) -> None:
    # Below this the generator does not end (seen at 0.005, 0.002 and 0.001; DuckDB 1.5).
    if not (math.isfinite(scale) and scale >= SMALLEST_SCALE):
        raise BuildError(
            expected=f"a scale of {SMALLEST_SCALE} or more, for example 0.01 or 1",
            found=f"{scale:g}",
            hint="correct --scale",
        )


def _make(work: Path, order: _Order, say: Callable[[str], None]) -> Build:
    """Make everything that the folder lacks in `work`, and give the record of the whole."""
    data = _keep_data(order) or _make_data(work, order.scale, say)
    if order.locked:
        require_data(order.scale, data.fingerprints)
    files = dict(data.files)
    for task, laid in sorted(order.tasks.items()):
        for name, content in laid.items():
            target = work / task / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            files[f"{task}/{name}"] = hash_file(target)
    return Build(
        scale=order.scale,
        recipe=order.recipe,
        tasks=tuple(sorted(order.tasks)),
        rows=data.rows,
        fingerprints=data.fingerprints,
        statements={task: read_statement(task).sha256 for task in sorted(order.tasks)},
        files=files,
        locked=order.locked,
    )


def _make_data(work: Path, scale: float, say: Callable[[str], None]) -> _Data:
    facts = write_tables(work / TABLES, scale, say)
    return _Data(
        rows={name: fact.rows for name, fact in facts.items()},
        fingerprints={name: fact.fingerprint for name, fact in facts.items()},
        files={_table_file(name): hash_file(work / _table_file(name)) for name in facts},
    )


def _table_file(name: str) -> str:
    return f"{TABLES}/{name}.parquet"


def _keep_data(order: _Order) -> _Data | None:
    """Give the record of the tables in place, if they are what would be made; None if not."""
    old = order.old
    if old is None or not old.finished or (old.scale, old.recipe) != (order.scale, order.recipe):
        return None
    names = [_table_file(table.name) for table in read_tables()]
    hashes = {name: old.files.get(name, "") for name in names}
    if any(_hash_or_empty(order.out / name) != known for name, known in hashes.items()):
        return None
    return _Data(rows=old.rows, fingerprints=old.fingerprints, files=hashes)


def _hash_or_empty(path: Path) -> str:
    return hash_file(path) if path.is_file() else ""


def _changes(order: _Order, new: Build) -> tuple[str, ...]:
    """List the files to write or remove, by comparing the record with what lies there."""
    out, old = order.out, order.old
    write = [name for name, known in new.files.items() if _hash_or_empty(out / name) != known]
    drop = [name for name in (old.files if old else ()) if name not in new.files and (out / name).is_file()]
    return tuple(sorted([*write, *drop]))


def _refuse_foreign_folder(out: Path, old: Build | None) -> None:
    if old is not None:
        return
    there = sorted(path.name for path in out.iterdir() if not path.name.startswith(_WORK))
    if there:
        raise BuildError(
            expected=f"{out} to be empty, or built by lockin before",
            found=f"{there[0]}{f' and {len(there) - 1} more' if len(there) > 1 else ''}, but no {RECORD}",
            hint="choose another folder with --out; references of your own can be added after the build",
        )


def _refuse_foreign_files(order: _Order, changed: tuple[str, ...]) -> None:
    """Refuse to touch what somebody wrote or edited; an unfinished build's files are ours anyhow.

    Data is exempt: nobody edits Parquet by hand, and a damaged table must heal.
    """
    old = order.old
    if old is not None and not old.finished:
        return
    for name in changed:
        found = _hash_or_empty(order.out / name)
        known = old.files.get(name) if old else None
        if found and found != known and not name.startswith(f"{TABLES}/"):
            state = "changed since it was built" if known else "not built by lockin"
            raise BuildError(
                expected=f"to write {order.out / name}",
                found=f"a file there that was {state}",
                hint="move it away (another name in the same folder is fine), or overwrite it with --force",
            )


def _move_in(work: Path, out: Path, new: Build, changed: tuple[str, ...]) -> None:
    """Move finished files to their places, between an unfinished record and the finished one."""
    if not changed and read_build(out) == new:
        return
    _write_record(work, out, new, finished=False)
    for name in changed:
        target = out / name
        if name in new.files:
            target.parent.mkdir(parents=True, exist_ok=True)
            (work / name).replace(target)
        else:
            target.unlink()
    _write_record(work, out, new, finished=True)


def _write_record(work: Path, out: Path, new: Build, *, finished: bool) -> None:
    record = work / RECORD
    record.write_text(json.dumps(_to_json(new, finished=finished), indent=1) + "\n", encoding="utf-8")
    record.replace(out / RECORD)


def _to_json(record: Build, *, finished: bool) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "finished": finished,
        "locked": record.locked,
        "scale": record.scale,
        "recipe": dict(record.recipe),
        "tasks": list(record.tasks),
        "rows": dict(record.rows),
        "fingerprints": dict(record.fingerprints),
        "statements": dict(record.statements),
        "files": dict(sorted(record.files.items())),
    }


def _from_json(data: dict[str, Any]) -> Build:
    if data["format"] != FORMAT:
        raise ValueError(data["format"])
    return Build(
        scale=float(data["scale"]),
        recipe=tuple(data["recipe"].items()),
        tasks=tuple(data["tasks"]),
        rows=data["rows"],
        fingerprints=data["fingerprints"],
        statements=data["statements"],
        files=data["files"],
        locked=bool(data["locked"]),
        finished=bool(data["finished"]),
    )


@contextmanager
def _own(out: Path) -> Iterator[None]:
    """Hold the folder for one build at a time; a folder made for a build that fails goes away again."""
    made = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    with _lock(out):
        try:
            yield
        except BaseException:
            if made and not any(out.iterdir()):
                out.rmdir()
            raise


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Lock the folder itself: no lock file to leave behind, and the lock ends with its holder."""
    try:
        import fcntl
    except ImportError:  # Windows has no flock; two builds at once into one folder are then not kept apart
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _workplace(out: Path) -> Iterator[Path]:
    """Give a hidden folder on the same file system, gone afterwards."""
    work = Path(tempfile.mkdtemp(prefix=_WORK, dir=out))
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _clear_abandoned_work(out: Path) -> None:
    """Remove what a killed build left; the lock is ours, so nobody works there."""
    for folder in out.glob(f"{_WORK}*"):
        shutil.rmtree(folder, ignore_errors=True)

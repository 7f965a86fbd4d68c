"""`tasks/lock.json`: hashes of prompts, obligations, references and data, so that a run knows its tasks.

Versions of `lock.json`:
    1  first.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import LockError
from pytest_lockin.taskbank.bank import load_bank, load_hidden
from pytest_lockin.taskbank.data import tool_versions
from pytest_lockin.taskbank.shipped import dialect_file, hidden_file, program_file, tasks_root
from pytest_lockin.taskbank.statements import list_statement_ids, read_statement
from pytest_lockin.taskbank.tables import SCHEMA_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_lockin.model.task import Obligation, Task

LOCK_FILE = "lock.json"
FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One locked thing that is no longer what it was: where it lies, which part of it, what happened."""

    path: str
    part: str
    how: str

    def __str__(self) -> str:
        return f"{self.path}: {self.part} {self.how}"


def compute_lock(root: Path | None = None, fingerprints: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Compute the lock of the tree as it is now.

    `fingerprints` are those of data made at some scales (`lockin tasks lock --data`); they are taken over as
    they are, because making the data anew would take minutes.
    """
    tasks = load_bank(root)
    return {
        "format": FORMAT,
        "tools": tool_versions(),
        "schemas": _hash_file(SCHEMA_FILE),
        "data": dict(fingerprints or {}),
        "statements": {name: read_statement(name).sha256 for name in list_statement_ids()},
        "tasks": {task.id: _lock_task(task) for task in tasks},
    }


def read_lock(root: Path | None = None) -> dict[str, Any]:
    """Read `lock.json` of a folder of tasks.

    Raises:
        LockError: it is missing, damaged, or of a version this program does not know.
    """
    file = (root or tasks_root()) / LOCK_FILE
    try:
        data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if data["format"] == FORMAT:
            return data
        found = f"format {data['format']}"
    except OSError as error:
        found = error.strerror or "none"
    except (ValueError, KeyError, TypeError):
        found = "something else"
    raise LockError(
        expected=f"a lock of format {FORMAT} at {file}",
        found=found,
        hint="`lockin tasks lock` writes it anew, after you have looked at what changed",
    )


def write_lock(root: Path | None = None, fingerprints: Mapping[str, Any] | None = None) -> Path:
    """Write the lock of the tree as it is now; fingerprints of data already locked are kept."""
    folder = root or tasks_root()
    try:
        known = read_lock(folder)["data"]
    except LockError:
        known = {}
    text = json.dumps(compute_lock(folder, {**known, **(fingerprints or {})}), indent=1) + "\n"
    (folder / LOCK_FILE).write_text(text, encoding="utf-8")
    return folder / LOCK_FILE


def check_lock(root: Path | None = None) -> tuple[Moved, ...]:
    """Compare the tree with its lock; empty when nothing moved. Data is compared where it is made.

    Raises:
        LockError: the lock cannot be read.
        TaskFileError: a task cannot be read.
    """
    lock = read_lock(root)
    now = compute_lock(root)
    return (
        *_compare("tables of TPC-DS", {"schemas": lock.get("schemas")}, {"schemas": now["schemas"]}),
        *_compare_statements(lock["statements"], now["statements"]),
        *_compare_tasks(lock["tasks"], now["tasks"]),
    )


def require_lock(root: Path | None = None) -> None:
    """Refuse a tree that does not match its lock, naming what moved.

    Raises:
        LockError: something moved, or the lock cannot be read.
    """
    moved = check_lock(root)
    if moved:
        raise _refusal(moved)


def require_data(scale: float, fingerprint: Mapping[str, str], root: Path | None = None) -> None:
    """Refuse data that is not the locked data of that scale; a scale that is not locked passes.

    Raises:
        LockError: a table has other rows; the versions of the tools that made the locked data are named.
    """
    lock = read_lock(root)
    known = lock["data"].get(f"{scale:g}")
    if known is None:
        return
    differing = sorted(name for name in {*known, *fingerprint} if known.get(name) != fingerprint.get(name))
    if differing:
        tools = ", ".join(f"{name} {version}" for name, version in lock["tools"].items())
        raise LockError(
            expected=f"the locked rows of the TPC-DS tables at scale {scale:g}",
            found=f"others in {', '.join(differing)}",
            hint=f"the locked data was made by {tools}: install these versions",
        )


def _refusal(moved: Sequence[Moved]) -> LockError:
    more = f" (and {len(moved) - 1} more)" if len(moved) > 1 else ""
    return LockError(
        expected=f"tasks and references as {LOCK_FILE} records them",
        found=f"{moved[0]}{more}",
        hint="`lockin tasks check` lists all; undo the change, or accept it with `lockin tasks lock`",
    )


def _lock_task(task: Task) -> dict[str, str]:
    others = {
        "tables": [asdict(table) for table in task.tables],
        "rest": [task.title, task.engine, task.entry_point, task.artifacts],
    }
    return {
        "prompt": _hash_text(task.prompt),
        "obligations": _hash_obligations(task.obligations),
        "hidden": _hash_obligations(load_hidden(task.id)),
        "contract": _hash_text(json.dumps(others, sort_keys=True)),
        "program": _hash_file(program_file(task.id)),
        "dialect": _hash_file(dialect_file(task.id)),
    }


def _hash_obligations(obligations: Sequence[Obligation]) -> str:
    return _hash_text(json.dumps([asdict(item) for item in obligations], sort_keys=True))


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _hash_file(path: Path) -> str:
    """Hash a file's bytes; "" where there is none, so that a file that comes or goes is seen."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _compare_tasks(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Moved]:
    for task in sorted({*old, *new}):
        if task not in new or task not in old:
            yield Moved(path=f"tasks/{task}/task.yaml", part="the task", how=_how(task in old, task in new))
            continue
        for part in sorted({*old[task], *new[task]}):
            yield from _compare(_place(task, part), {part: old[task].get(part)}, {part: new[task].get(part)})


def _compare_statements(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Moved]:
    for name in sorted({*old, *new}):
        yield from _compare(
            f"statement {name} of the installed pysail", {"text": old.get(name)}, {"text": new.get(name)}
        )


def _compare(path: str, old: Mapping[str, str | None], new: Mapping[str, str | None]) -> Iterator[Moved]:
    for part, known in old.items():
        if known != new[part]:
            yield Moved(path=path, part=part, how=_how(bool(known), bool(new[part])))


def _how(was: bool, there: bool) -> str:  # noqa: FBT001 - two answers, always given by place
    return "changed" if was and there else ("is gone" if was else "is new")


def _place(task: str, part: str) -> str:
    """Name the file a part of a task lies in."""
    files = {"hidden": hidden_file(task), "program": program_file(task), "dialect": dialect_file(task)}
    if part in files:
        return "/".join(files[part].parts[-4:])
    return f"tasks/{task}/task.yaml"

"""`lockin new-task`: a task from a function and a folder of sample tables."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.adopt.base import AdoptError, Change
from pytest_lockin.adopt.entry import choose_tables, find_entry
from pytest_lockin.adopt.look import find_tests
from pytest_lockin.adopt.plan import exposed_lines, merge_lines, named_task, suite_lines
from pytest_lockin.adopt.settingsfile import add_lines, find_settings
from pytest_lockin.adopt.tables import copy_table, read_samples
from pytest_lockin.adopt.task import NewTask, write_reference, write_task
from pytest_lockin.adopt.writing import show_changes, write_changes

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_lockin.adopt.look import Tested
    from pytest_lockin.adopt.tables import SampleTable

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# Larger samples are not read for hints; they are copied all the same.
_MOST_ROWS = 1_000_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the task is made of, and where it goes."""
    add = parser.add_argument
    add("name", help="the task's id, which names its folders")
    add(
        "--from",
        dest="function",
        required=True,
        metavar="MODULE:FUNCTION",
        help="or path/to/file.py:function",
    )
    add(
        "--tables",
        type=Path,
        required=True,
        help="folder of sample tables: orders.parquet, customers.parquet",
    )
    add(
        "--sql",
        type=Path,
        metavar="FILE",
        help="the reference, one statement of Spark SQL (default: a skeleton)",
    )
    add("--root", type=Path, default=Path(), help="the repository's root (default: this folder)")
    add("--refs", type=Path, help="the references' folder (default: refs in the root)")


def run(arguments: argparse.Namespace) -> int:
    """Write `tasks/<name>/task.yaml` and `refs/<name>/`, and tell pytest's settings of the function's tests.

    Raises:
        LockinError: something of it is there already, or function, tables and statement do not fit together;
            nothing is written then.
    """
    root = arguments.root.absolute()
    refs = (arguments.refs or root / "refs").absolute()
    _check_free(arguments.name, root, refs)
    function = find_entry(root, arguments.function)
    samples = {table.name: table for table in read_samples(arguments.tables)}
    sql = _read_sql(arguments.sql) if arguments.sql else ""
    tables = choose_tables(function, samples, sql)
    tests = find_tests(root, function.job)
    module = tests[0].entry_points[0].rpartition(":")[0] if tests else function.module
    task = NewTask(
        id=arguments.name,
        entry_point=f"{module}:{function.job.name}",
        tables=tables,
        title=function.job.text.rstrip("."),
        derived=bool(sql),
        notes=tuple((table.name, tuple(_see(table))) for table in tables),
    )
    obligations = _derive(sql, tables)
    visible = (
        Change(path=f"tasks/{task.id}/task.yaml", before=None, after=write_task(task)),
        *_settings_change(root, tests, task),
    )
    hidden = (
        Change(path="reference.sql", before=None, after=sql or write_reference(tables)),
        *([Change(path="obligations.yaml", before=None, after=obligations)] if obligations else []),
    )
    _write(root, refs / task.id, visible, hidden, tables)
    _check(root / f"tasks/{task.id}/task.yaml", refs / task.id)
    shown = refs.relative_to(root).as_posix() if refs.is_relative_to(root) else str(refs)
    _tell_written(task, shown, visible, hidden)
    _tell_next(task, shown, tests, is_skeleton=not sql)
    return 0


def _check_free(name: str, root: Path, refs: Path) -> None:
    if not _ID.fullmatch(name):
        raise AdoptError(
            expected="letters, digits, dots, dashes and underscores in the task's id",
            found=f"`{name}`",
            hint="it is also a folder's name; write for example late_orders",
        )
    taken = next((each for each in (root / "tasks" / name, refs / name) if each.exists()), None)
    if taken is not None:
        raise AdoptError(
            expected=f"no task {name} yet",
            found=f"{taken}",
            hint="nothing is overwritten: give another id, or remove it first",
        )


# The tables.


def _see(table: SampleTable) -> Iterator[str]:
    """Say what the sample shows and nobody has promised yet."""
    from pyarrow import parquet

    from pytest_lockin.fixturegen.mining import SUPPORT, mine_facts

    if not SUPPORT <= table.rows <= _MOST_ROWS:
        yield f"{table.rows} rows in the sample: not looked through for keys. What always holds, say here:"
        yield "key: [...] are columns that together are unique; nullable: false, after a type, never NULL."
        return
    (facts,) = mine_facts({table.name: parquet.read_table(table.path)}).tables
    filled = [column.name for column in facts.columns if not column.nullable]
    yield f"In the {table.rows} rows of the sample (say so where it always holds):"
    if facts.unique:
        yield f"key: [{', '.join(facts.unique[0])}]"
    if filled:
        yield f"nullable: false, after the type, of: {', '.join(filled)}"


# The reference.


def _read_sql(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AdoptError(
            expected="a UTF-8 file with one statement of Spark SQL",
            found=f"--sql {path}: {getattr(error, 'strerror', None) or error}",
            hint="give its path, or leave --sql out for a skeleton",
        ) from None
    return text if text.endswith("\n") else f"{text}\n"


def _derive(sql: str, tables: tuple[SampleTable, ...]) -> str:
    """Give what the statement requires, as `obligations.yaml`; "" without a statement."""
    from pytest_lockin.obligations import derive_obligations, write_obligations

    if not sql:
        return ""
    return write_obligations(derive_obligations(sql, {table.name: table.schema for table in tables}))


# Writing.


def _settings_change(root: Path, tests: tuple[Tested, ...], task: NewTask) -> Iterator[Change]:
    """The lines of pytest's settings that make the function's tests suites of this task.

    Raises:
        AdoptError: the settings name another task for one of them.
    """
    settings = find_settings(root)
    parts: list[dict[str, tuple[str, ...]]] = []
    for test in tests:
        other = named_task(test.path, settings)
        if other and other != task.id:
            raise AdoptError(
                expected=f"{test.path} to be a suite of {task.id}",
                found=f"lockin_tasks in {settings.name}: {test.path} = {other}",
                hint=f"call the task {other}, or change that line",
            )
        lines_of = suite_lines(test.path, test.entry_points[0], task.id, settings)
        lines_of.pop("lockin_entry_points", None)  # task.yaml says it
        parts += [lines_of, exposed_lines(root, test.path, test.entry_points[0])]
    after = add_lines(settings, merge_lines(parts))
    if after != (settings.text or ""):
        yield Change(path=settings.name, before=settings.text, after=after)


def _write(
    root: Path,
    folder: Path,
    visible: tuple[Change, ...],
    hidden: tuple[Change, ...],
    tables: tuple[SampleTable, ...],
) -> None:
    """Write both sides, or neither."""
    made = next(each for each in (*reversed(folder.parents), folder) if not each.exists())
    try:
        for table in tables:
            copy_table(table, folder / "tables")
        write_changes(folder, hidden)
        write_changes(root, visible)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _check(path: Path, folder: Path) -> None:
    """Read back what was written: a task that cannot be loaded would be a fault of ours."""
    from pytest_lockin.taskbank.check import check_task
    from pytest_lockin.taskbank.loader import load_hidden_obligations, load_task

    for problem in check_task(load_task(path), load_hidden_obligations(folder)):
        print(f"look at {path.name}: {problem.text}")


def _tell_written(task: NewTask, shown: str, visible: tuple[Change, ...], hidden: tuple[Change, ...]) -> None:
    print(f"wrote {visible[0].path}; to fill in: the ticket, under `prompt`")
    names = [*(change.path for change in hidden), *(f"tables/{each.name}.parquet" for each in task.tables)]
    print(f"wrote {shown}/{task.id}/: {', '.join(names)}")
    for line in show_changes(visible[1:]):
        print(line)


def _tell_next(task: NewTask, shown: str, tests: tuple[Tested, ...], *, is_skeleton: bool) -> None:
    if is_skeleton:
        print(f"to fill in: {shown}/{task.id}/reference.sql, the statement that is held to be right")
    if not tests:
        print(f"no test file imports {task.entry_point}: say in lockin_tasks which one tests it")
    print("next:")
    print(f"  lockin fixtures build tasks/{task.id} --refs {shown}")
    print(
        " ".join((f"  pytest --lockin-reference={shown} --lockin-html report.html", *(t.path for t in tests)))
    )

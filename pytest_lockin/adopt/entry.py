"""The function a new task is about, found by its name and read as text; and the tables it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.adopt.base import AdoptError
from pytest_lockin.adopt.functions import JobFunction, find_function, read_signature, read_title
from pytest_lockin.adopt.look import find_program, module_names, parse_file
from pytest_lockin.adopt.tables import SampleTable
from pytest_lockin.adopt.task import mentioned
from pytest_lockin.engines.entry import bind_signature

if TYPE_CHECKING:
    import inspect
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry point: the function, its signature, and the name its module is imported by."""

    job: JobFunction
    signature: inspect.Signature
    module: str


def find_entry(root: Path, text: str) -> Entry:
    """Find the function that `module:function` or `path/to/file.py:function` names.

    Raises:
        AdoptError: the text is neither, or there is no such file or function.
    """
    where, colon, name = text.rpartition(":")
    if not colon or not where or not name.isidentifier():
        raise AdoptError(
            expected="MODULE:FUNCTION or FILE:FUNCTION after --from",
            found=f"`{text}`",
            hint="for example jobs.revenue:revenue_by_city or jobs/revenue.py:revenue_by_city",
        )
    path = _find_file(root, where)
    tree = parse_file(root / path)
    if tree is None:
        raise AdoptError(
            expected=f"Python in {path}", found="a file that cannot be parsed", hint="correct it"
        )
    node = find_function(tree, name)
    if node is None:
        raise AdoptError(
            expected=f"a function {name} at the top level of {path}",
            found="none",
            hint="methods and functions made by calls cannot be entry points; wrap it in a function",
        )
    job = JobFunction(path=path, name=name, line=node.lineno, text=read_title(node))
    names = module_names(path)
    module = where if where in names else _shortest_import(names)
    return Entry(job=job, signature=read_signature(node), module=module)


def _shortest_import(names: tuple[str, ...]) -> str:
    """The name from the root, or from `src` where the file lies there."""
    return names[1] if len(names) > 1 and names[0].startswith("src.") else names[0]


def _find_file(root: Path, where: str) -> str:
    path = (root / where).absolute()
    if where.endswith(".py") and path.is_file() and path.resolve().is_relative_to(root.resolve()):
        return path.resolve().relative_to(root.resolve()).as_posix()
    found = find_program(root, where)
    if not found:
        raise AdoptError(
            expected=f"a Python file below {root} for `{where}`",
            found="none",
            hint="give the module as tests import it, or the file's path; --root names another repository",
        )
    return found[0]


def choose_tables(entry: Entry, samples: dict[str, SampleTable], sql: str) -> tuple[SampleTable, ...]:
    """Those the function takes, or all where it takes them in one mapping; and those the statement reads.

    Raises:
        EntryPointError: a parameter is named after none of the tables.
    """
    bound = bind_signature(entry.job.name, entry.signature, object(), samples)
    taken = [each for each in bound.values() if isinstance(each, SampleTable)]
    if any(each is samples for each in bound.values()) or not taken:
        return tuple(samples.values())
    wanted = {table.name for table in taken} | mentioned(sql, samples)
    return tuple(table for name, table in samples.items() if name in wanted)

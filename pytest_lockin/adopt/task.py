"""The files of a new task: `task.yaml` with the tables' schemas, and the skeleton of a reference."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_lockin.adopt.tables import SampleTable

# What YAML reads as something else than a string.
_WORDS = frozenset({"y", "n", "yes", "no", "true", "false", "on", "off", "null"})
_KEY_ENDINGS = ("id", "key", "sk", "code", "number")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """What is known of a task that is being made.

    Attributes:
        title: one line; the function's own where it has one.
        notes: table -> what its sample shows, each a line for a comment.
        derived: whether a statement's obligations lie beside the reference; then none are guessed here.
    """

    id: str
    entry_point: str
    tables: tuple[SampleTable, ...]
    title: str = ""
    notes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    derived: bool = False


def write_task(task: NewTask) -> str:
    """Give the text of `task.yaml`: what the program's author may know, and places to fill in."""
    return "\n".join(_lines(task)) + "\n"


def _lines(task: NewTask) -> Iterator[str]:
    yield "# What whoever writes the program may know: the ticket, the tables, what the ticket asks for."
    yield f"id: {_quote(task.id)}"
    yield f"title: {_quote(task.title or task.id)}"
    yield "prompt: |"
    yield "  TO FILL IN: the ticket, as its author gave it, without SQL."
    yield f"entry_point: {task.entry_point}"
    yield "tables:"
    notes = dict(task.notes)
    for table in task.tables:
        yield f"- name: {_quote(table.name)}"
        yield from (f"  # {note}" for note in notes.get(table.name, ()))
        yield "  columns:"
        for column in table.columns:
            told = "" if column.nullable else ", nullable: false"
            yield f"  - {{name: {_quote(column.name)}, type: {_quote(column.type)}{told}}}"
    yield from _obligations(() if task.derived else task.tables)


def _obligations(tables: Sequence[SampleTable]) -> Iterator[str]:
    yield "# Requirements, one sentence each. Kinds: join, filter, metric, group, schema, type, order, limit,"
    yield "# 'null', literal, set-op, window. Sources: prompt (the ticket says it), schema (the tables do)."
    links = list(find_links(tables))
    yield "obligations:" if links else "obligations: []"
    for number, (left, right, column) in enumerate(links, start=1):
        yield f"- id: S{number}"
        yield "  kind: join"
        yield "  source: schema"
        yield "  fragment: join-on"
        yield f"  text: {_quote(f'{left} and {right} belong together by {column}.')}"
        yield f"  columns: [{_quote(f'{left}.{column}')}, {_quote(f'{right}.{column}')}]"


def _quote(text: str) -> str:
    """Write a string of YAML: as it is where that is one, else as JSON does."""
    plain = re.fullmatch(r"[A-Za-z_]\w*", text, re.ASCII) and text.lower() not in _WORDS
    return text if plain else json.dumps(text, ensure_ascii=False)


def find_links(tables: Sequence[SampleTable]) -> Iterator[tuple[str, str, str]]:
    """Find columns by which tables seem to belong together: one name, one type, and a name like a key's."""
    for left, right in combinations(tables, 2):
        for name, kind in left.schema.items():
            if name.lower().endswith(_KEY_ENDINGS) and right.schema.get(name) == kind:
                yield left.name, right.name, name


def write_reference(tables: Sequence[SampleTable]) -> str:
    """Give a reference to fill in: a comment that says what to write, over which tables, and no statement."""
    lines = [
        "-- What is held to be right, as one statement of Spark SQL.",
        "-- Write it from the ticket, not from the program.",
        "-- Tables:",
        *(
            f"--   {table.name}({', '.join(_column(item) for item in table.schema.items())})"
            for table in tables
        ),
    ]
    return "\n".join(lines) + "\n"


def _column(item: tuple[str, str]) -> str:
    return " ".join(item)


def mentioned(sql: str, tables: Mapping[str, SampleTable]) -> set[str]:
    """Give the tables whose names stand somewhere in a statement."""
    words = {word.lower() for word in re.findall(r"\w+", sql)}
    return {name for name in tables if name.lower() in words}

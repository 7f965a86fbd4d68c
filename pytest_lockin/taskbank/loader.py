"""`task.yaml` and `obligations.yaml` into `Task` and `Obligation` values.

The shapes below are the file format; `docs/schemas/` is generated from them (`json_schemas`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from pytest_lockin.errors import TaskFileError
from pytest_lockin.model.task import (
    ARTIFACTS,
    Column,
    Fragment,
    Kind,
    Obligation,
    Pointer,
    Rule,
    Source,
    Table,
    Task,
)
from pytest_lockin.taskbank.yamlfile import Document, complain, convert, read_document

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TASK_FILE = "task.yaml"
OBLIGATIONS_FILE = "obligations.yaml"

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ENTRY_POINT = re.compile(r"(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:)?[A-Za-z_]\w*")


def _whole(pattern: re.Pattern[str]) -> str:
    """Anchor a pattern for JSON Schema, where `$` alone would let a line feed follow."""
    return rf"^{pattern.pattern}$(?!\n)"


_ColumnName = Annotated[str, Meta(pattern=r"^(?:#[1-9]\d*|[^#\s].*)$")]


class _ColumnShape(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(description="Column name.", min_length=1)]
    type: Annotated[str, Meta(description="Spark type as DDL writes it, for example decimal(7,2).")] = ""
    nullable: Annotated[bool, Meta(description="False where NULL cannot occur.")] = True
    values: Annotated[list[str], Meta(description="The only values besides NULL, as text.")] = []
    low: Annotated[str, Meta(description="The least value, as text.")] = ""
    high: Annotated[str, Meta(description="The greatest value, as text.")] = ""


class _PointerShape(msgspec.Struct, forbid_unknown_fields=True):
    columns: Annotated[list[str], Meta(description="Columns that point elsewhere.", min_length=1)]
    table: Annotated[str, Meta(description="The table they point to.", min_length=1)]
    targets: Annotated[list[str], Meta(description="The columns there, in the same order.", min_length=1)]


class _TableShape(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(description="Table name: the key in `tables`.", min_length=1)]
    columns: Annotated[list[_ColumnShape], Meta(description="The columns in order.")] = []
    key: Annotated[list[str], Meta(description="Columns that together are unique.")] = []
    unique: Annotated[
        list[list[str]], Meta(description="Further sets of columns that together are unique.")
    ] = []
    foreign: Annotated[
        list[_PointerShape],
        Meta(description="Foreign keys; without one a key may lack its partner."),
    ] = []
    derived: Annotated[
        dict[str, str],
        Meta(description="Columns that follow from others of their row: expressions of Spark SQL."),
    ] = {}


class _ObligationShape(msgspec.Struct, forbid_unknown_fields=True):
    id: Annotated[str, Meta(description="Unique in its task, for example O3.", min_length=1)]
    kind: Annotated[Kind, Meta(description="What it is about.")]
    source: Annotated[Source, Meta(description="Where it can be read.")]
    text: Annotated[str, Meta(description="The requirement in one sentence.", min_length=1)]
    columns: Annotated[
        list[_ColumnName],
        Meta(
            description="`table.column` for input columns; for output columns the bare name, or '#3' for the "
            "third one where its name is not the ticket's to give."
        ),
    ] = []
    fragment: Annotated[Fragment | None, Meta(description="Where in a SQL statement it stands.")] = None


class _TaskShape(msgspec.Struct, forbid_unknown_fields=True):
    id: Annotated[str, Meta(description="Names the task's folder under the references.", pattern=_whole(_ID))]
    title: Annotated[str, Meta(description="One line.")] = ""
    prompt: Annotated[str, Meta(description="The ticket, as the author of the program gets it; no SQL.")] = ""
    engine: Annotated[str, Meta(description="The DataFrame library: pyspark.")] = "pyspark"
    entry_point: Annotated[
        str,
        Meta(description="Function under test, or module:function.", pattern=_whole(_ENTRY_POINT)),
    ] = "solve"
    artifacts: Annotated[tuple[str, ...], Meta(description="The files a candidate consists of.")] = ARTIFACTS
    tables: Annotated[
        list[str | _TableShape], Meta(description="Input tables: names, or names with schemas.")
    ] = []
    obligations: Annotated[
        list[_ObligationShape],
        Meta(description="What a candidate can know: source prompt or schema."),
    ] = []


class _HiddenShape(msgspec.Struct, forbid_unknown_fields=True):
    obligations: Annotated[
        list[_ObligationShape], Meta(description="Requirements only the reference shows: source hidden.")
    ]


def load_task(path: Path) -> Task:
    """Load one `task.yaml`; a folder stands for the file in it.

    Only `id` is required.

    Raises:
        TaskFileError: the file cannot be used; the message names file, line and cure.
    """
    file = path / TASK_FILE if path.is_dir() else path
    document = read_document(file)
    shape = convert(document, _TaskShape)
    _refuse_hidden(document, shape)
    return Task(
        id=shape.id,
        title=shape.title,
        prompt=shape.prompt,
        engine=shape.engine,
        entry_point=shape.entry_point,
        artifacts=shape.artifacts,
        tables=_tables(document, shape.tables),
        obligations=_obligations(document, shape.obligations),
        path=str(file),
    )


def load_obligations(path: Path) -> tuple[Obligation, ...]:
    """Load the hidden obligations of one task from `obligations.yaml`, which lies beside its references.

    Raises:
        TaskFileError: the file cannot be used, or one of them is not hidden.
    """
    document = read_document(path)
    shape = convert(document, _HiddenShape)
    for index, item in enumerate(shape.obligations):
        if item.source is not Source.HIDDEN:
            raise complain(
                document,
                ("obligations", index, "source"),
                expected=f"source hidden for {item.id}",
                found=item.source.value,
                hint="obligations that the ticket or the schemas show belong in task.yaml",
            )
    return _obligations(document, shape.obligations)


def load_hidden_obligations(folder: Path) -> tuple[Obligation, ...]:
    """Load the hidden obligations of a task from the folder of its references; empty where it has none.

    Raises:
        TaskFileError: as `load_obligations`.
    """
    file = folder / OBLIGATIONS_FILE
    return load_obligations(file) if file.is_file() else ()


def find_task_file(start: Path, stop: Path | None = None) -> Path | None:
    """Find the nearest `task.yaml` in `start` or above it, not above `stop`; None where there is none."""
    for folder in (start, *start.parents):
        if (folder / TASK_FILE).is_file():
            return folder / TASK_FILE
        if folder == stop:
            break
    return None


def json_schemas() -> dict[str, dict[str, Any]]:
    """Give the JSON Schemas of the files users write, by file name under `docs/schemas/`."""
    return {
        "task.schema.json": _publish(_TaskShape, "task.yaml", (Source.PROMPT, Source.SCHEMA)),
        "obligations.schema.json": _publish(_HiddenShape, "obligations.yaml", (Source.HIDDEN,)),
    }


def _publish(shape: type[msgspec.Struct], title: str, sources: tuple[Source, ...]) -> dict[str, Any]:
    (reference,), parts = msgspec.json.schema_components((shape,), ref_template="#/$defs/{name}")
    parts["Source"] = {"title": "Source", "enum": sorted(sources)}
    root = parts.pop(reference["$ref"].rpartition("/")[2])
    public = {name.strip("_").removesuffix("Shape"): part for name, part in parts.items()}
    dialect = "https://json-schema.org/draft/2020-12/schema"
    schema: dict[str, Any] = _rename({"$schema": dialect, **root, "title": title, "$defs": public})
    return schema


def _rename(value: Any) -> Any:
    """Give the private names of the shapes their public ones, wherever they are referred to."""
    if isinstance(value, dict):
        return {key: _rename(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rename(item) for item in value]
    if isinstance(value, str) and re.fullmatch(r"(#/\$defs/)?_\w+Shape", value):
        return value.replace("_", "").removesuffix("Shape")
    return value


def _refuse_hidden(document: Document, shape: _TaskShape) -> None:
    for index, item in enumerate(shape.obligations):
        if item.source is Source.HIDDEN:
            raise complain(
                document,
                ("obligations", index, "source"),
                expected=f"source prompt or schema for {item.id}",
                found="hidden",
                hint=f"whoever reads the ticket would see it: move it to refs/{shape.id}/{OBLIGATIONS_FILE}",
            )


def _tables(document: Document, shapes: Sequence[str | _TableShape]) -> tuple[Table, ...]:
    _refuse_twice(document, ("tables",), [item if isinstance(item, str) else item.name for item in shapes])
    return tuple(
        Table(name=item)
        if isinstance(item, str)
        else Table(
            name=item.name,
            columns=_columns(document, index, item),
            key=tuple(item.key),
            unique=tuple(tuple(names) for names in item.unique),
            foreign=tuple(
                Pointer(columns=tuple(each.columns), table=each.table, targets=tuple(each.targets))
                for each in item.foreign
            ),
            derived=tuple(Rule(column=name, expression=text) for name, text in item.derived.items()),
        )
        for index, item in enumerate(shapes)
    )


def _columns(document: Document, index: int, shape: _TableShape) -> tuple[Column, ...]:
    steps = ("tables", index, "columns")
    _refuse_twice(document, steps, [column.name for column in shape.columns])
    names = {column.name.lower() for column in shape.columns}
    for part, used in _columns_named(shape):
        unknown = [name for name in used if names and name.lower() not in names]
        if unknown:
            raise complain(
                document,
                ("tables", index, part),
                expected=f"{part} columns of {shape.name} to be among its columns",
                found=f"`{unknown[0]}`",
                hint="correct its spelling, or add the column",
            )
    return tuple(
        Column(
            name=item.name,
            type=item.type,
            nullable=item.nullable,
            values=tuple(item.values),
            low=item.low,
            high=item.high,
        )
        for item in shape.columns
    )


def _columns_named(shape: _TableShape) -> tuple[tuple[str, list[str]], ...]:
    """Give the parts of a table's schema that name its columns, with the names."""
    return (
        ("key", shape.key),
        ("unique", [name for names in shape.unique for name in names]),
        ("foreign", [name for pointer in shape.foreign for name in pointer.columns]),
        ("derived", list(shape.derived)),
    )


def _obligations(document: Document, shapes: Sequence[_ObligationShape]) -> tuple[Obligation, ...]:
    _refuse_twice(document, ("obligations",), [item.id for item in shapes])
    return tuple(
        Obligation(
            id=item.id,
            kind=item.kind,
            source=item.source,
            text=item.text,
            columns=tuple(item.columns),
            fragment=item.fragment,
        )
        for item in shapes
    )


def _refuse_twice(document: Document, steps: tuple[str | int, ...], names: list[str]) -> None:
    lowered = [name.lower() for name in names]
    for index, name in enumerate(lowered):
        if name in lowered[:index]:
            raise complain(
                document,
                (*steps, index),
                expected=f"each of the {steps[-1]} once",
                found=f"`{names[index]}` a second time",
                hint="rename one of the two, or remove it",
            )


__all__ = [
    "OBLIGATIONS_FILE",
    "TASK_FILE",
    "TaskFileError",
    "find_task_file",
    "json_schemas",
    "load_hidden_obligations",
    "load_obligations",
    "load_task",
]

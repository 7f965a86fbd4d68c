"""What input data is legal for a task: from its schemas, and from sample data where there is some."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.legal import Violation, check_legal
from pytest_lockin.fixturegen.mining import Facts, TableFacts, mine_facts
from pytest_lockin.fixturegen.rules import columns_of, read_rule
from pytest_lockin.model.fixture import (
    Basis,
    Cell,
    ColumnProfile,
    Derived,
    ForeignKey,
    Profile,
    TableProfile,
    UniqueKey,
)

if TYPE_CHECKING:
    from pytest_lockin.model.task import Column, Table, Task

__all__ = ["Facts", "TableFacts", "Violation", "check_legal", "make_profile", "mine_facts", "read_cell"]


def make_profile(task: Task, sample: Facts | None = None) -> Profile:
    """Say what data is legal for a task.

    The schemas in `task.yaml` count first. Facts mined from sample data fill what they leave open: columns
    and types where only a table's name is known, and, marked as mined, keys of tables without one and
    columns that are never NULL where the author listed no column that is.

    Raises:
        FixturesError: a table's columns are known neither from the task nor from the sample, or a rule or a
            value of the task cannot be read.
    """
    return Profile(tables=tuple(_table(table, sample) for table in task.tables))


def _table(table: Table, sample: Facts | None) -> TableProfile:
    mined = sample.table(table.name) if sample is not None else None
    columns = _columns(table, mined)
    unique = [UniqueKey(columns=table.key, basis=Basis.STATED)] if table.key else []
    unique += [UniqueKey(columns=names, basis=Basis.STATED) for names in table.unique]
    if not unique and mined is not None:
        unique = [UniqueKey(columns=names, basis=Basis.MINED) for names in mined.unique]
    return TableProfile(
        name=table.name,
        columns=columns,
        unique=tuple(unique),
        foreign=tuple(
            ForeignKey(columns=each.columns, table=each.table, targets=each.targets, basis=Basis.STATED)
            for each in table.foreign
        ),
        derived=_derived(table),
    )


def _columns(table: Table, mined: TableFacts | None) -> tuple[ColumnProfile, ...]:
    if table.columns:
        known = {column.name.lower(): column for column in mined.columns} if mined is not None else {}
        # An author who wrote nowhere that a column is never NULL may have left the question open.
        silent = all(column.nullable for column in table.columns) and not table.key
        return tuple(
            _column(table, column, known.get(column.name.lower()), silent=silent) for column in table.columns
        )
    if mined is not None:
        return mined.columns
    raise FixturesError(
        expected=f"the columns of table {table.name}",
        found="only its name",
        hint="list its columns with their types in task.yaml, or give sample data",
    )


def _column(table: Table, column: Column, mined: ColumnProfile | None, *, silent: bool) -> ColumnProfile:
    kind = column.type.lower() or (mined.type if mined is not None else "")
    if not kind:
        raise FixturesError(
            expected=f"the type of {table.name}.{column.name}",
            found="none",
            hint="write its Spark type in task.yaml, or give sample data",
        )
    assumed = silent and mined is not None and not mined.nullable
    never_null = not column.nullable or column.name.lower() in {name.lower() for name in table.key}
    return ColumnProfile(
        name=column.name,
        type=kind,
        nullable=not never_null and not assumed,
        domain=tuple(_read(table, column, kind, text) for text in column.values),
        low=_read(table, column, kind, column.low) if column.low else None,
        high=_read(table, column, kind, column.high) if column.high else None,
        basis=Basis.MINED if assumed else Basis.STATED,
    )


def _derived(table: Table) -> tuple[Derived, ...]:
    """Give the rules, each after those it reads."""
    waiting = {rule.column.lower(): rule for rule in table.derived}
    names = {column.name.lower() for column in table.columns}
    ordered: list[Derived] = []
    while waiting:
        ready = [r for r in waiting.values() if not set(columns_of(r.expression)) & set(waiting)]
        strange = [n for r in waiting.values() for n in columns_of(r.expression) if names and n not in names]
        if not ready or strange:
            raise FixturesError(
                expected=f"rules of {table.name} over its own columns, none of which needs itself",
                found=f"`{strange[0] if strange else next(iter(waiting.values())).expression}`",
                hint="correct `derived` in task.yaml",
            )
        for rule in ready:
            read_rule(rule.expression)
            ordered.append(Derived(column=rule.column, rule=rule.expression, basis=Basis.STATED))
            del waiting[rule.column.lower()]
    return tuple(ordered)


def _read(table: Table, column: Column, kind: str, text: str) -> Cell:
    try:
        return read_cell(text, kind)
    except (ValueError, InvalidOperation):
        raise FixturesError(
            expected=f"a value of type {kind} for {table.name}.{column.name}",
            found=f"`{text}`",
            hint="correct `values`, `low` or `high` in task.yaml",
        ) from None


def read_cell(text: str, kind: str) -> Cell:
    """Read a value from its text by a Spark type as DDL writes it; strings stay as they are."""
    family = re.match(r"\w*", kind.lower())
    readers: dict[str, Any] = {
        "bigint": int,
        "int": int,
        "smallint": int,
        "tinyint": int,
        "integer": int,
        "decimal": Decimal,
        "double": float,
        "float": float,
        "boolean": lambda value: value.lower() == "true",
        "date": date.fromisoformat,
        "timestamp": datetime.fromisoformat,
    }
    value: Cell = readers.get(family[0] if family else "", str)(text)
    return value

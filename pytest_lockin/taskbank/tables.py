"""The schemas of the 24 TPC-DS tables, as the project ships them."""

from __future__ import annotations

from functools import cache

from pytest_lockin.errors import BuildError
from pytest_lockin.model.task import Column, Rule, Table
from pytest_lockin.taskbank.shipped import PACKAGE

SCHEMA_FILE = PACKAGE / "tpcds_tables.yaml"


@cache
def read_tables() -> tuple[Table, ...]:
    """Read the schemas: Spark types, primary keys, nullability."""
    import yaml

    data = yaml.safe_load(SCHEMA_FILE.read_text(encoding="utf-8"))
    return tuple(_table(name, **item) for name, item in data.items())


def find_table(name: str) -> Table:
    """Find one table's schema.

    Raises:
        BuildError: TPC-DS has no such table.
    """
    for table in read_tables():
        if table.name == name:
            return table
    raise BuildError(
        expected="the name of a TPC-DS table",
        found=f"`{name}`",
        hint=f"one of: {', '.join(table.name for table in read_tables())}",
    )


def _table(
    name: str,
    *,
    columns: dict[str, str],
    key: list[str],
    never_null: list[str],
    unique: list[list[str]] | None = None,
    derived: dict[str, str] | None = None,
    bounds: dict[str, list[str]] | None = None,
) -> Table:
    limits = bounds or {}
    return Table(
        name=name,
        key=tuple(key),
        columns=tuple(
            Column(
                name=column,
                type=kind,
                nullable=column not in {*key, *never_null},
                low=limits.get(column, ["", ""])[0],
                high=limits.get(column, ["", ""])[1],
            )
            for column, kind in columns.items()
        ),
        unique=tuple(tuple(names) for names in unique or ()),
        derived=tuple(Rule(column=column, expression=text) for column, text in (derived or {}).items()),
    )

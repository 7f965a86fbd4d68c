"""What a statement returns on a small dataset, asked of DuckDB: only ever to look, never to decide."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.model.fixture import Cell, Dataset, Profile, Rows, TableProfile

RowTuple = tuple[Any, ...]


class Run(Protocol):
    """Runs a statement of Spark SQL on a dataset and gives its rows; None where it fails."""

    def __call__(self, sql: str, dataset: Dataset, /) -> tuple[RowTuple, ...] | None:
        """Run one statement."""


class DuckJudge:
    """Runs statements in DuckDB, which has to be installed; its tables are made once and emptied each time.

    Not seen: where DuckDB and Spark differ (scales of decimal division, text turned into numbers).
    """

    def __init__(self, profile: Profile) -> None:
        import duckdb

        self._profile = profile
        self._connection = duckdb.connect(config={"threads": 1})
        self._error = duckdb.Error
        self._texts: dict[str, tuple[str, re.Pattern[str] | None]] = {}
        self._full: set[str] = set()
        for table in profile.tables:
            self._connection.execute(_create(table))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the database back."""
        self._connection.close()

    def __call__(self, sql: str, dataset: Dataset, /) -> tuple[RowTuple, ...] | None:
        """Run one statement; None where DuckDB refuses it."""
        text, wanted = self._read(sql)
        try:
            self._fill(dataset, wanted)
            return tuple(self._connection.execute(text).fetchall())
        except self._error:
            return None

    def _read(self, sql: str) -> tuple[str, re.Pattern[str] | None]:
        """Give DuckDB's text, and a pattern of the names in it; None where a star may ask for any column."""
        if sql not in self._texts:
            import sqlglot

            text = sqlglot.transpile(sql, read="spark", write="duckdb", comments=False)[0]
            starred = re.search(r"(?<!\()\*\s*(,|from\b)|\.\*", text, re.IGNORECASE)
            names = sorted({name.lower() for name in re.findall(r"\w+", text)})
            self._texts[sql] = (text, None if starred else re.compile("|".join(names) or "$"))
        return self._texts[sql]

    def _fill(self, dataset: Dataset, wanted: re.Pattern[str] | None) -> None:
        parts = [f"DELETE FROM {_quote(name)}" for name in sorted(self._full)]
        filled = [rows for rows in dataset.tables if rows.rows]
        self._full = {rows.table for rows in filled}
        parts += [_insert(rows, wanted) for rows in filled]
        if parts:
            self._connection.execute("; ".join(parts))


def find_judge(profile: Profile) -> DuckJudge | None:
    """Give a judge in process, or None where DuckDB is not installed."""
    import importlib.util

    return DuckJudge(profile) if importlib.util.find_spec("duckdb") is not None else None


def _create(table: TableProfile) -> str:
    columns = ", ".join(f"{_quote(column.name)} {_type(column.type)}" for column in table.columns)
    return f"CREATE TABLE {_quote(table.name)} ({columns})"


def _type(spark: str) -> str:
    name = spark.lower()
    if name.startswith("decimal"):
        return name
    if name.startswith("timestamp"):
        return "TIMESTAMP"
    known = {"bigint", "smallint", "tinyint", "double", "float", "boolean", "date"}
    return name if name in known else {"int": "INTEGER", "integer": "INTEGER"}.get(name, "VARCHAR")


def _insert(rows: Rows, wanted: re.Pattern[str] | None) -> str:
    places = [i for i, name in enumerate(rows.columns) if wanted is None or wanted.fullmatch(name.lower())]
    places = places or [0]
    names = ", ".join(_quote(rows.columns[place]) for place in places)
    values = ", ".join(f"({', '.join(_literals(row, places))})" for row in rows.rows)
    return f"INSERT INTO {_quote(rows.table)} ({names}) VALUES {values}"


def _literals(row: tuple[Cell, ...], places: list[int]) -> Iterator[str]:
    return (_literal(row[place]) for place in places)


def _literal(cell: Cell) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, (bool, int, float, Decimal)):
        return str(cell)
    if isinstance(cell, (date, datetime)):
        return f"'{cell.isoformat()}'"
    return "'" + cell.replace("'", "''") + "'"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

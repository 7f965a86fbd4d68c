"""The statements on DuckDB: company for Spark that shares no code with it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import BuildError, UnfitReferenceError
from pytest_lockin.frames.frame import Frame
from pytest_lockin.taskbank.panel import COMPANY, Member, find_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def open_duckdb(tables: Path) -> Iterator[Any]:
    """Open DuckDB in memory with one view per Parquet file of the folder.

    Raises:
        BuildError: DuckDB is not installed, or there are no tables.
    """
    try:
        import duckdb
    except ImportError:
        raise BuildError(
            expected="the package duckdb",
            found="it is not installed",
            hint="pip install 'pytest-lockin[tpcds]'",
        ) from None
    files = sorted(tables.glob("*.parquet"))
    if not files:
        raise BuildError(
            expected=f"Parquet tables in {tables}",
            found="none",
            hint="make them with `lockin tasks build --out` and the folder above",
        )
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    try:
        connection.execute("SET enable_progress_bar = false")
        for file in files:
            connection.read_parquet(str(file)).create_view(file.stem)
        yield connection
    finally:
        connection.close()


def run_duckdb(connection: Any, sql: str) -> Frame:
    """Run one statement of DuckDB's SQL.

    Raises:
        UnfitReferenceError: DuckDB refuses it, or fails on the way.
    """
    import duckdb

    try:
        return Frame.of(connection.sql(sql).to_arrow_table())
    except duckdb.Error as error:
        raise UnfitReferenceError(
            expected="DuckDB to run the statement",
            found=str(error).splitlines()[0],
            hint="add a patch to the task's dialect file",
        ) from None


def duckdb_member(refs: Path, connection: Any) -> Member:
    """Give a built folder's DuckDB text of every task as a member of its panel."""

    def answer(task: str) -> Frame:
        return run_duckdb(connection, find_file(refs, task, COMPANY).read_text(encoding="utf-8"))

    return Member(name="duckdb", engine="duckdb", answer=answer)

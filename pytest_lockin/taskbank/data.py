"""TPC-DS data at a scale, as Parquet of exactly the shipped schemas; made offline by DuckDB's extension."""

from __future__ import annotations

import hashlib
import importlib.util
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import BuildError
from pytest_lockin.taskbank.tables import read_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_lockin.model.task import Column, Table

EXTRA = "pip install 'pytest-lockin[tpcds]'"
TOOLS = ("duckdb", "duckdb-extension-tpcds")

_DUCKDB_TYPES = {"bigint": "BIGINT", "int": "INTEGER", "string": "VARCHAR", "date": "DATE"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """What is known of one table's data: its row count, and a fingerprint that any order of rows gives.

    The fingerprint covers per column the number of values and their sum (of strings: lengths, first and last
    characters); it tells data made another way, not every change of a cell.
    """

    rows: int
    fingerprint: str


def write_tables(folder: Path, scale: float, say: Callable[[str], None]) -> dict[str, TableFacts]:
    """Write the 24 tables as `<folder>/<table>.parquet`; give the facts of each.

    The same scale gives the same rows. Needs no network. DuckDB works in a file beside the tables, so that
    memory stays small at any scale; the file is gone afterwards.

    Raises:
        BuildError: the extra is not installed, or its two packages do not fit together.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _database(folder / "dsdgen.duckdb") as connection:
        say(f"generating TPC-DS data at scale {scale:g}")
        connection.execute("CALL dsdgen(sf = ?)", [scale])
        return {table.name: _write_table(connection, folder, table, say) for table in read_tables()}


def tool_versions() -> dict[str, str]:
    """Give the versions of the packages that make the data; "" for one that is not installed."""
    return {name: _version(name) for name in TOOLS}


def _write_table(connection: Any, folder: Path, table: Table, say: Callable[[str], None]) -> TableFacts:
    columns = ", ".join(f'CAST("{c.name}" AS {_duckdb_type(c.type)}) AS "{c.name}"' for c in table.columns)
    target = str(folder / f"{table.name}.parquet").replace("'", "''")
    connection.execute(f"COPY (SELECT {columns} FROM {table.name}) TO '{target}' (FORMAT parquet)")  # noqa: S608
    facts = _read_facts(connection, table)
    say(f"  {table.name}: {facts.rows:,} rows")
    return facts


def _read_facts(connection: Any, table: Table) -> TableFacts:
    measures = ", ".join(f"count({c.name}), {_measure(c)}" for c in table.columns)
    row = connection.execute(f"SELECT count(*), {measures} FROM {table.name}").fetchone()  # noqa: S608
    text = " ".join(str(value) for value in row)
    return TableFacts(rows=int(row[0]), fingerprint=hashlib.sha256(text.encode()).hexdigest())


def _measure(column: Column) -> str:
    """Sum a column up, exactly: a sum of floats would depend on the order of rows."""
    name = column.name
    if column.type == "string":
        return f"sum(length({name})), sum(ascii({name})), sum(ascii(right({name}, 1)))"
    if column.type == "date":
        return f"sum(date_diff('day', DATE '1900-01-01', {name}))"
    return f"sum({name})"


def _duckdb_type(spark: str) -> str:
    return _DUCKDB_TYPES.get(spark, spark.upper())


@contextmanager
def _database(file: Path) -> Iterator[Any]:
    """Open a DuckDB database in a file of its own, with the extension loaded by path."""
    duckdb = _import_duckdb()
    extension = _find_extension(duckdb.__version__)
    settings = {
        "allow_unsigned_extensions": "true",
        # The wheel brings all that is needed: never ask the network for an extension.
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    connection = duckdb.connect(str(file), config=settings)
    try:
        connection.execute("SET enable_progress_bar = false")
        connection.load_extension(str(extension))
        yield connection
    except duckdb.Error as error:
        raise BuildError(
            expected="DuckDB to make TPC-DS data",
            found=str(error).splitlines()[0],
            hint=f"check the disk's free space, then the two packages: {EXTRA}",
        ) from None
    finally:
        connection.close()
        for leftover in file.parent.glob(f"{file.name}*"):
            leftover.unlink(missing_ok=True)


def _import_duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise BuildError(expected="the package duckdb", found="it is not installed", hint=EXTRA) from None
    return duckdb


def _find_extension(duckdb_version: str) -> Path:
    spec = importlib.util.find_spec("duckdb_extension_tpcds")
    if spec is None or spec.origin is None:
        raise BuildError(
            expected="the package duckdb-extension-tpcds", found="it is not installed", hint=EXTRA
        )
    folder = Path(spec.origin).parent / "extensions"
    file = folder / f"v{duckdb_version}" / "tpcds.duckdb_extension"
    if not file.is_file():
        there = ", ".join(sorted(path.name for path in folder.glob("v*"))) or "none"
        raise BuildError(
            expected=f"duckdb-extension-tpcds for DuckDB {duckdb_version}",
            found=f"extensions for {there}",
            hint=f"the two packages need the same version: {EXTRA} --upgrade",
        )
    return file


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""

"""What a build lays for one task: file names with their bytes, decided before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.taskbank.dialect.known import read_dialect
from pytest_lockin.taskbank.dialect.translate import to_duckdb
from pytest_lockin.taskbank.shipped import hidden_file, program_file
from pytest_lockin.taskbank.statements import read_statement

if TYPE_CHECKING:
    from pathlib import Path

TABLES = "tables"


def lay_task(task_id: str) -> dict[str, bytes]:
    """Give the files of one task's folder, by their path below it.

    The statement in Spark SQL always; the hand-written program and the hidden obligations where the project
    has them. The DuckDB text stands apart under `company/`: it is not Spark SQL and must not be taken for
    a reference of Spark.
    """
    statement = read_statement(task_id)
    files = {
        "reference.sql": f"{statement.text}\n".encode(),
        "company/duckdb.sql": f"{to_duckdb(statement.text, read_dialect(task_id))}\n".encode(),
    }
    files.update(_copy(program_file(task_id), "reference_dataframe.py"))
    files.update(_copy(hidden_file(task_id), "obligations.yaml"))
    return files


def _copy(source: Path, name: str) -> dict[str, bytes]:
    return {name: source.read_bytes()} if source.is_file() else {}

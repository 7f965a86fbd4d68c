"""A Spark SQL statement in another engine's SQL, with the task's patches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.errors import BuildError
from pytest_lockin.taskbank.dialect.known import Dialect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp


def to_duckdb(spark_sql: str, dialect: Dialect = Dialect()) -> str:  # noqa: B008
    """Translate one statement from Spark's SQL to DuckDB's, comments kept.

    Where NULLs sort is written out: Spark puts them first in ascending order, DuckDB last. Division by zero
    gives NULL, where Spark raises; a reference that divides by zero has no result on Spark to compare with.

    Raises:
        BuildError: the statement cannot be parsed, or a patch names a column it does not have.
    """
    import sqlglot

    try:
        tree = sqlglot.parse_one(spark_sql, read="spark")
    except sqlglot.errors.SqlglotError as error:
        raise BuildError(
            expected="a statement in Spark's SQL",
            found=str(error).splitlines()[0],
            hint="check the statement on Spark; if it runs there, report it to sqlglot",
        ) from None
    names = dialect.names_on("duckdb")
    if names:
        _name_columns(tree, names)
    text: str = tree.sql(dialect="duckdb", pretty=True)
    return text


def _name_columns(tree: exp.Expression, names: Mapping[int, str]) -> None:
    """Give output columns the names Spark would make up for them."""
    from sqlglot import exp

    columns = tree.selects if isinstance(tree, exp.Query) else []
    for place, name in names.items():
        if place >= len(columns):
            raise BuildError(
                expected=f"an output column at position {place} (from 0) to be named `{name}`",
                found=f"{len(columns)} columns",
                hint="correct `names` in the task's dialect file",
            )
        columns[place].replace(exp.alias_(columns[place].copy(), name, quoted=True))

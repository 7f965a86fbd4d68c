"""One statement on many small databases at once: every table carries the number of its dataset.

A lateral join runs the whole statement once for each dataset; DuckDB unnests it into one plan, whatever the
statement is made of (groups, rollups, windows, set operations, subqueries, limits).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.fulljoin import RANGE, WHOLE, has_full_join, spread_full_joins
from pytest_lockin.fixturegen.tables import DATASET_COLUMN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_lockin.model.fixture import Profile

DATASETS = "_datasets"
STORE = "_stack_"
_EACH = "_each"
_ROWS = "_rows"
_MARKS = re.compile(rf"\b(?:{WHOLE})?{STORE}\d+\b|\b{RANGE}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stackable:
    """A statement of Spark SQL in DuckDB's words, its tables named as they are in the stack.

    `whole` is the form for many datasets, `single` the one for one dataset.
    """

    sql: str
    whole: str
    single: str

    def spread(self, first: int, last: int) -> str:
        """Give the statement's rows for datasets `first` to `last`, the dataset's number before each."""
        between = f"{DATASET_COLUMN} BETWEEN {first} AND {last}"
        datasets = f"(SELECT {DATASET_COLUMN} FROM {DATASETS} WHERE {between})"

        def read(match: re.Match[str]) -> str:
            mark = match[0]
            if mark == RANGE:
                return datasets
            if mark.startswith(WHOLE):
                return f"(SELECT * FROM {mark.removeprefix(WHOLE)} WHERE {between})"
            # Rows of other datasets stay out of the scans too: they might raise before the join drops them.
            return _rows_of(mark, f"= {_EACH}.{DATASET_COLUMN} AND _s.{between}")

        lateral = f"LATERAL ({_MARKS.sub(read, self.whole)}) AS {_ROWS}"
        return f"SELECT {_EACH}.{DATASET_COLUMN}, {_ROWS}.* FROM {datasets} AS {_EACH}, {lateral}"

    def pin(self, number: int) -> str:
        """Give the statement for one dataset; its order of rows is kept."""
        return _MARKS.sub(lambda match: _rows_of(match[0], f"= {number}"), self.single)


def _rows_of(table: str, condition: str) -> str:
    return f"(SELECT * EXCLUDE ({DATASET_COLUMN}) FROM {table} AS _s WHERE _s.{DATASET_COLUMN} {condition})"


def stored_name(profile: Profile, table: str) -> str:
    """Name a table in the stack."""
    return f"{STORE}{[each.name for each in profile.tables].index(table)}"


def read_tree(sql: str) -> Any:
    """Parse a statement of Spark SQL.

    Raises:
        FixturesError: the text cannot be read.
    """
    import sqlglot

    try:
        return sqlglot.parse_one(sql, read="spark")
    except sqlglot.errors.SqlglotError as error:
        raise _unsayable(error) from None


def make_stackable(sql: str, profile: Profile, *, tree: Any = None) -> Stackable:
    """Rewrite a statement of Spark SQL for the stack; its tree, where it is given, is changed in place.

    Raises:
        FixturesError: the text cannot be read, or not be said in DuckDB's dialect.
    """
    import sqlglot

    tree = read_tree(sql) if tree is None else tree
    _redirect(tree, {table.name.lower(): stored_name(profile, table.name) for table in profile.tables})
    try:
        single = tree.sql(dialect="duckdb", comments=False)
        if not has_full_join(tree):
            return Stackable(sql=sql, whole=single, single=single)
        tree = spread_full_joins(tree, number=DATASET_COLUMN, each=_EACH, stored=STORE)
        return Stackable(sql=sql, whole=tree.sql(dialect="duckdb", comments=False), single=single)
    except sqlglot.errors.SqlglotError as error:
        raise _unsayable(error) from None


def _unsayable(error: Exception) -> FixturesError:
    return FixturesError(
        expected="a statement that can be read as Spark SQL and said in DuckDB's",
        found=str(error).splitlines()[0] if str(error) else type(error).__name__,
        hint="the statement is run on one dataset after the other instead",
    )


def _redirect(tree: Any, stored: Mapping[str, str]) -> None:
    """Let every input table be read under its name in the stack, in place."""
    from sqlglot import exp

    for table in list(tree.find_all(exp.Table)):
        name = stored.get(table.name.lower())
        if name is None or _is_shared(table):
            continue
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name)))
        table.set("this", exp.to_identifier(name))


def _is_shared(table: Any) -> bool:
    """Tell whether a name means a common table expression that is in sight, not an input table."""
    from sqlglot import exp

    inside: list[Any] = []
    node = table
    while node is not None:
        if isinstance(node, exp.CTE):
            inside.append(node)
        for shared in node.ctes if isinstance(node, exp.Query) else ():
            if shared in inside:
                # `WITH t AS (SELECT ... FROM t)` reads the table t; so do earlier expressions of the list.
                break
            if shared.alias_or_name.lower() == table.name.lower():
                return True
        node = node.parent
    return False

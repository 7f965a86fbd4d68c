"""What a reference's SQL says about order: its sort keys as output columns, its limit, and its clocks."""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.scope import traverse_scope

from pytest_lockin.model.rules import SortKey
from pytest_lockin.references.clocks import find_sql_clocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a statement ends.

    Attributes:
        keys: the leading sort keys that are output columns; `complete` when that is all of them.
        limit: rows kept, or None.
        unlimited: the statement without its LIMIT, or "" where it has none (used to see ties at the cut).
        tables: tables the statement reads, lower-cased, common table expressions left out.
        clocks: functions that depend on time or chance.
        parsed: False where the text could not be parsed; nothing is then known.
    """

    keys: tuple[SortKey, ...] = ()
    complete: bool = True
    limit: int | None = None
    unlimited: str = ""
    tables: tuple[str, ...] = ()
    clocks: tuple[str, ...] = ()
    parsed: bool = True


def read_ending(text: str) -> Ending:
    """Parse a Spark SQL statement far enough to know its order, limit, tables and clocks."""
    try:
        statement = sqlglot.parse_one(text, read="spark")
    except sqlglot.errors.SqlglotError:
        return Ending(parsed=False)
    keys, complete = _sort_keys(statement)
    limit = _limit(statement)
    return Ending(
        keys=keys,
        complete=complete,
        limit=limit,
        unlimited=_without_limit(statement) if limit is not None else "",
        tables=_tables(statement),
        clocks=find_sql_clocks(statement),
    )


def _limit(statement: exp.Expression) -> int | None:
    limit = statement.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    return int(count.this) if isinstance(count, exp.Literal) and count.is_int else None


def _without_limit(statement: exp.Expression) -> str:
    copy = statement.copy()
    copy.set("limit", None)
    return str(copy.sql(dialect="spark"))


def _sort_keys(statement: exp.Expression) -> tuple[tuple[SortKey, ...], bool]:
    order = statement.args.get("order")
    if not isinstance(order, exp.Order) or not isinstance(statement, exp.Query):
        return (), True
    outputs = _outputs(statement)
    keys: list[SortKey] = []
    for ordered in order.expressions:
        position = _position(ordered.this, outputs)
        if position is None:
            return tuple(keys), False
        descending = bool(ordered.args.get("desc"))
        nulls_first = ordered.args.get("nulls_first")
        # Spark's default: NULLs are the smallest value.
        first = bool(nulls_first) if nulls_first is not None else not descending
        keys.append(SortKey(position=position, descending=descending, nulls_first=first))
    return tuple(keys), True


def _outputs(statement: exp.Query) -> list[tuple[str, str]] | None:
    """Per output column: its lower-cased name ("" where it has none), and its expression as text.

    None where one item of the select list may stand for several columns.
    """
    if any(_may_be_many(column) for column in statement.selects):
        return None
    return [(_name(column), column.unalias().sql(dialect="spark").lower()) for column in statement.selects]


def _may_be_many(column: exp.Expression) -> bool:
    # A generator (`posexplode`, `stack`) gives several columns; sqlglot does not know them all by name.
    generators = (exp.Aliases, exp.UDTF, exp.Explode, exp.Anonymous)
    return bool(column.is_star) or isinstance(column, generators)


def _name(column: exp.Expression) -> str:
    # `CAST(a AS STRING)` without an alias is not the `a` that ORDER BY a means.
    return column.alias_or_name.lower() if isinstance(column, (exp.Alias, exp.Column)) else ""


def _position(key: exp.Expression, outputs: list[tuple[str, str]] | None) -> int | None:
    if isinstance(key, exp.Literal) and key.is_int:
        return int(key.this) - 1
    if outputs is None:
        return None
    if isinstance(key, exp.Column) and not key.table:
        named = [index for index, (name, _) in enumerate(outputs) if name == key.name.lower()]
        if len(named) >= 1:
            return named[0]
    text = key.sql(dialect="spark").lower()
    return next((index for index, (_, expression) in enumerate(outputs) if expression == text), None)


def _tables(statement: exp.Expression) -> tuple[str, ...]:
    shared = {cte.alias_or_name.lower() for cte in statement.find_all(exp.CTE)}
    names = {table.name.lower() for table in statement.find_all(exp.Table)} - shared
    return tuple(sorted((names | _shadowed(statement)) - {""}))


def _shadowed(statement: exp.Expression) -> set[str]:
    """Tables read by scope: `WITH t AS (SELECT ... FROM t)` reads a table t, whatever the CTE's name."""
    try:
        scopes = traverse_scope(statement)
    except sqlglot.errors.SqlglotError:
        return set()
    sources = [source for scope in scopes for source in scope.sources.values()]
    return {source.name.lower() for source in sources if isinstance(source, exp.Table)}

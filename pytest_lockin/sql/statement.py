"""One statement of Spark SQL, every column with its table: scopes, what columns are made of, tables read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlglot.optimizer.scope import Scope

    Schemas = Mapping[str, Mapping[str, str]]

DIALECT = "spark"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Statement:
    """A statement whose columns are qualified and whose stars are expanded; common table expressions stay.

    Sort keys that name an output column stay bare: they mean that output. Output columns without a name
    of their own are called `_col_0` and so on, where Spark would call them by their text.

    Attributes:
        text: the statement as it was given.
        tree: the qualified tree (sqlglot).
        scopes: one for each SELECT and set operation, inner before outer.
        schemas: table -> column -> type, lower-cased names.
    """

    text: str
    tree: Any
    scopes: tuple[Scope, ...]
    schemas: Mapping[str, Mapping[str, str]]

    @property
    def root(self) -> Scope:
        """The outermost query's scope."""
        return self.scopes[-1]

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the input tables read, each once, in order of appearance."""
        found = {
            source.name.lower(): None
            for scope in self.scopes
            for source in scope.sources.values()
            if isinstance(source, exp.Table)
        }
        return tuple(found)

    def scope_of(self, node: Any) -> Scope | None:
        """Find the scope of the query a node stands in; None for a node of another tree."""
        query = node if isinstance(node, exp.Query) else node.find_ancestor(exp.Select, exp.SetOperation)
        return next((scope for scope in self.scopes if scope.expression is query), None)

    def source_of(self, column: Any) -> Any:
        """Find what a column is read from: an `exp.Table`, a `Scope`, or None where it names an output."""
        scope = self.scope_of(column)
        while scope is not None and column.table:
            if column.table in scope.sources:
                return scope.sources[column.table]
            scope = scope.parent
        return None

    def lineage(self, column: Any) -> tuple[str, ...]:
        """List the input columns a column's value is made from, `table.column`, each once.

        Conditions, keys of groups and windows' frames count only where they stand inside the expression;
        `count(*)` and literals are made from none. A sort key that names an output means that output.
        """
        return tuple(dict.fromkeys(self._walk(column)))

    def origin(self, column: Any) -> str:
        """Give the one input column, `table.column`, that a column is an unchanged copy of; "" if computed.

        A column of a set operation is a copy only where all branches copy the same input column.
        """
        copied = {self._copied(node) for node in self.meanings(column)} or {self._base(column)}
        return next(iter(copied)) if len(copied) == 1 else ""

    def lineage_of(self, node: Any) -> tuple[str, ...]:
        """List the input columns of all columns inside a node, each once; see `lineage`."""
        found = [name for column in node.find_all(exp.Column) for name in self.lineage(column)]
        return tuple(dict.fromkeys(found))

    def outputs(self, source: Scope | None = None) -> tuple[str, ...]:
        """Name the output columns of a query (of the whole statement by default), in order."""
        return tuple(node.alias_or_name for node in _first_select((source or self.root).expression).selects)

    def _walk(self, column: Any) -> Iterator[str]:
        meanings = self.meanings(column)
        for node in meanings:
            for inner in node.find_all(exp.Column):
                yield from self._walk(inner)
        if not meanings and (base := self._base(column)):
            yield base

    def _base(self, column: Any) -> str:
        source = self.source_of(column)
        return f"{source.name}.{column.name}".lower() if isinstance(source, exp.Table) else ""

    def _copied(self, node: Any) -> str:
        inner = node.unalias().unnest()
        return self.origin(inner) if isinstance(inner, exp.Column) else ""

    def meanings(self, column: Any) -> list[Any]:
        """Give the select expressions a column stands for, one for each branch; none for an input column."""
        source = self.source_of(column)
        if isinstance(source, exp.Table):
            return []
        query = source.expression if source is not None else self._ordered(column)
        return list(expressions_of(query, column.name)) if query is not None else []

    def _ordered(self, column: Any) -> Any:
        """Give the query whose output a bare column names."""
        scope = self.scope_of(column)
        return scope.expression if scope is not None and not column.table else None


def read_statement(sql: str, schemas: Schemas) -> Statement:
    """Read one query of Spark SQL against its input tables' schemas (table -> column -> type).

    Raises:
        StatementError: the text is not one query, or names a table or column the schemas do not have.
    """
    import sqlglot
    from sqlglot.optimizer.qualify import qualify
    from sqlglot.optimizer.scope import traverse_scope

    known = {t.lower(): {c.lower(): kind for c, kind in columns.items()} for t, columns in schemas.items()}
    try:
        tree = sqlglot.parse_one(sql, read=DIALECT)
        if not isinstance(tree, exp.Query):
            raise _unreadable(f"a {tree.key} statement")
        tree = qualify(tree, schema=known, dialect=DIALECT, quote_identifiers=False)
    except sqlglot.errors.SqlglotError as error:
        raise _unreadable(str(error).splitlines()[0]) from None
    return Statement(text=sql, tree=tree, scopes=tuple(traverse_scope(tree)), schemas=known)


def expressions_of(query: Any, name: str) -> Iterator[Any]:
    """Give the select expressions behind a query's output column, one for each branch of a set operation."""
    selects = _first_select(query).selects
    place = next((i for i, node in enumerate(selects) if node.alias_or_name.lower() == name.lower()), None)
    if place is not None:
        yield from (select.selects[place] for select in branches_of(query))


def branches_of(query: Any) -> Iterator[Any]:
    """Give the SELECTs of a query, left to right: itself, or all branches of a set operation."""
    inner = query.unnest() if isinstance(query, exp.Subquery) else query
    if isinstance(inner, exp.SetOperation):
        yield from branches_of(inner.left)
        yield from branches_of(inner.right)
    else:
        yield inner


def conjuncts(node: Any) -> list[Any]:
    """Give the parts of an AND, parentheses looked through; of None, none."""
    inner = node.unnest() if isinstance(node, exp.Paren) else node
    if isinstance(inner, exp.And):
        return [*conjuncts(inner.this), *conjuncts(inner.expression)]
    return [] if inner is None else [inner]


def _first_select(query: Any) -> Any:
    return next(branches_of(query))


def _unreadable(found: str) -> Exception:
    from pytest_lockin.errors import StatementError

    return StatementError(
        expected="one query in Spark's SQL over the task's tables",
        found=found,
        hint="compare the statement's table and column names with the schemas in task.yaml",
    )

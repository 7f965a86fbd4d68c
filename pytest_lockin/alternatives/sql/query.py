"""A reference's statement as operators see it: its selects, what columns mean, which clause a node is in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from pytest_lockin.alternatives.base import SqlEdit
from pytest_lockin.alternatives.python import types
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_lockin.alternatives.base import Schemas

KINDS = {
    Fragment.JOIN_ON: Kind.JOIN,
    Fragment.WHERE: Kind.FILTER,
    Fragment.HAVING: Kind.FILTER,
    Fragment.GROUP_BY: Kind.GROUP,
    Fragment.SELECT: Kind.METRIC,
    Fragment.SET_OP: Kind.SET_OP,
    Fragment.WINDOW: Kind.WINDOW,
    Fragment.ORDER_BY: Kind.ORDER,
    Fragment.LIMIT: Kind.LIMIT,
    Fragment.TYPE: Kind.TYPE,
    Fragment.ALIAS: Kind.SCHEMA,
}
_CLAUSES: tuple[tuple[type[Any], Fragment], ...] = (
    (exp.Window, Fragment.WINDOW),
    (exp.Join, Fragment.JOIN_ON),
    (exp.Where, Fragment.WHERE),
    (exp.Having, Fragment.HAVING),
    (exp.Group, Fragment.GROUP_BY),
    (exp.Order, Fragment.ORDER_BY),
    (exp.Limit, Fragment.LIMIT),
)
DIALECT = "spark"


@dataclass(frozen=True, slots=True)
class SqlAttr:
    """A column a scope can read; `table` is the input table it comes from, or ""."""

    qualifier: str
    name: str
    type: str
    table: str

    @property
    def full(self) -> str:
        """`table.column` where the table is known."""
        return f"{self.table}.{self.name}" if self.table else self.name


class Query:
    """One parsed statement; `schemas` say what its tables hold."""

    def __init__(self, tree: Any, schemas: Schemas) -> None:
        self.tree = tree
        self.schemas = {
            name.lower(): {column.lower(): types.normal(kind) for column, kind in columns.items()}
            for name, columns in schemas.items()
        }
        self.scopes: list[Scope] = traverse_scope(tree)
        self._scope_of = {id(scope.expression): scope for scope in self.scopes}
        self._attrs: dict[tuple[int, bool], tuple[SqlAttr, ...]] = {}
        self._outputs: dict[int, tuple[SqlAttr, ...] | None] = {}

    # Sites

    def nodes(self, *kinds: type[Any]) -> Iterator[Any]:
        """Find nodes whose change can matter: what an EXISTS selects cannot."""
        for node in self.tree.find_all(*kinds, bfs=False):
            if not self._is_idle(node):
                yield node

    def _is_idle(self, node: Any) -> bool:
        child = node
        while child.parent is not None:
            parent = child.parent
            if isinstance(parent.parent, exp.Exists) and child.arg_key == "expressions":
                return True
            child = parent
        return False

    def select_of(self, node: Any) -> Any:
        """The nearest SELECT around a node."""
        return node.find_ancestor(exp.Select)

    def clause_of(self, node: Any) -> Fragment:
        """The clause a node stands in; a row predicate that relates two tables is a join condition."""
        child, parent = node, node.parent
        while parent is not None and not isinstance(child, exp.Query):
            for kind, clause in _CLAUSES:
                if isinstance(parent, kind):
                    return Fragment.JOIN_ON if clause is Fragment.WHERE and self.relates(node) else clause
            child, parent = parent, parent.parent
        return Fragment.SELECT

    def relates(self, node: Any) -> bool:
        """Whether the comparison at or around a node has columns of two tables on its two sides."""
        around = node if isinstance(node, (exp.EQ, exp.NullSafeEQ)) else node.find_ancestor(exp.EQ, exp.Where)
        if not isinstance(around, (exp.EQ, exp.NullSafeEQ)):
            return False
        sides = [self._qualifiers(side) for side in (around.this, around.expression)]
        return all(sides) and not sides[0] & sides[1]

    def _qualifiers(self, node: Any) -> set[str]:
        found = {
            attr.qualifier for column in node.find_all(exp.Column) for attr in [self.resolve(column)] if attr
        }
        return found if not node.find(exp.AggFunc) else set()

    # Meaning

    def visible(self, node: Any) -> tuple[SqlAttr, ...]:
        """Every column that can be read where a node stands, outer queries excluded."""
        scope = self._scope_of.get(id(self.select_of(node)))
        return self._visible(scope) if scope is not None else ()

    def _visible(self, scope: Scope, *, joined: bool = False) -> tuple[SqlAttr, ...]:
        """Columns of a scope's tables; those only asked for existence (semi-join) where `joined`."""
        key = (id(scope), joined)
        if key not in self._attrs:
            self._attrs[key] = tuple(
                SqlAttr(qualifier, attr.name, attr.type, attr.table)
                for qualifier, source in _sources(scope, joined=joined)
                for attr in self._columns(source) or ()
            )
        return self._attrs[key]

    def _columns(self, source: Any) -> tuple[SqlAttr, ...] | None:
        """Columns of a table or subquery; None where not known."""
        if isinstance(source, exp.Table):
            columns = self.schemas.get(source.name.lower())
            if columns is None:
                return None
            return tuple(SqlAttr("", name, kind, source.name.lower()) for name, kind in columns.items())
        if id(source) not in self._outputs:
            self._outputs[id(source)] = self._output(source)
        return self._outputs[id(source)]

    def _output(self, scope: Scope) -> tuple[SqlAttr, ...] | None:
        tree = scope.expression
        if isinstance(tree, exp.SetOperation):
            return self._columns(scope.set_operation_scopes[0]) if scope.set_operation_scopes else None
        if not isinstance(tree, exp.Select):
            return None
        found: list[SqlAttr] = []
        for node in tree.expressions:
            if isinstance(node, exp.Star) or (
                isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
            ):
                if any(self._columns(source) is None for _, source in _sources(scope)):
                    return None
                found += self._visible(scope)
                continue
            inner = node.unalias()
            known = self.resolve(inner) if isinstance(inner, exp.Column) else None
            name = node.alias_or_name or node.sql(DIALECT)
            found.append(SqlAttr("", name.lower(), self.type_of(inner), known.table if known else ""))
        names = tree.parent.alias_column_names if isinstance(tree.parent, (exp.Subquery, exp.CTE)) else []
        if names and len(names) == len(found):
            found = [SqlAttr("", name.lower(), f.type, f.table) for name, f in zip(names, found, strict=True)]
        return tuple(found)

    def resolve(self, column: Any) -> SqlAttr | None:
        """Find what a column means, in its own query or one around it; None where not known."""
        found = self.candidates(column)
        return found[0] if found else None

    def candidates(self, column: Any) -> list[SqlAttr]:
        """Everything a column could mean in the nearest query that knows the name."""
        name, qualifier = column.name.lower(), column.table.lower()
        joined = column.find_ancestor(exp.Join, exp.Select) is not self.select_of(column)
        select = self.select_of(column)
        while select is not None:
            scope = self._scope_of.get(id(select))
            found = [
                attr
                for attr in (self._visible(scope, joined=joined) if scope is not None else ())
                if attr.name == name and qualifier in ("", attr.qualifier.lower())
            ]
            if found:
                return found
            select = _outer(select)
        return []

    def is_open(self, column: Any) -> bool:
        """Whether some source a column may come from has columns that are not known."""
        select = self.select_of(column)
        while select is not None:
            scope = self._scope_of.get(id(select))
            if scope is None or any(
                self._columns(source) is None for _, source in _sources(scope, joined=True)
            ):
                return True
            select = _outer(select)
        return False

    def type_of(self, node: Any) -> str:
        """Type of an expression, as Spark's DDL writes it; "" where not known."""
        for kind, give in _TYPES:
            if isinstance(node, kind):
                return give(self, node)
        return ""

    def type_of_column(self, node: Any) -> str:
        """Type of a column reference."""
        attr = self.resolve(node)
        return attr.type if attr else ""

    def type_of_subquery(self, node: Any) -> str:
        """Type of the only column of a subquery."""
        scope = self._scope_of.get(id(node.this))
        output = self._output(scope) if scope is not None else None
        return output[0].type if output else ""

    def columns(self, *nodes: Any) -> tuple[str, ...]:
        """The columns read inside nodes, `table.column`, each once."""
        found: dict[str, None] = {}
        for node in nodes:
            for column in node.find_all(exp.Column):
                attr = self.resolve(column)
                found[attr.full if attr else column.name] = None
        return tuple(found)

    # Edits

    def edit(
        self,
        node: Any,
        replacement: Any,
        says: str,
        *,
        clause: Fragment | None = None,
        kind: Kind | None = None,
        columns: tuple[str, ...] | None = None,
    ) -> SqlEdit:
        """Put a tree in a node's place (None takes the node out); clause and kind follow from where it is."""
        where = clause or self.clause_of(node)
        return SqlEdit(
            node=node,
            replacement=replacement,
            kind=kind or KINDS[where],
            clause=where,
            text=says,
            columns=self.columns(node) if columns is None else columns,
        )


def _type_of_arithmetic(query: Query, node: Any) -> str:
    sign = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}[type(node)]
    return types.of_arithmetic(sign, query.type_of(node.this), query.type_of(node.expression))


def _type_of_function(query: Query, node: Any) -> str:
    inner = [each for each in (node.this, *node.expressions) if isinstance(each, exp.Expr)]
    return types.of_function(node.sql_name().lower(), [query.type_of(each) for each in inner])


def _type_of_literal(_: Query, node: Any) -> str:
    return "string" if node.is_string else ("int" if node.is_int else "decimal(4,2)")


_TYPES: tuple[tuple[Any, Callable[[Query, Any], str]], ...] = (
    (exp.Column, Query.type_of_column),
    ((exp.Paren, exp.Alias, exp.Window), lambda query, node: query.type_of(node.this)),
    (exp.Distinct, lambda query, node: query.type_of(node.expressions[0])),
    (exp.Literal, _type_of_literal),
    (exp.Cast, lambda _, node: types.normal(node.to.sql(DIALECT))),
    ((exp.Add, exp.Sub, exp.Mul, exp.Div), _type_of_arithmetic),
    (exp.Case, lambda query, node: next((query.type_of(each.args["true"]) for each in node.args["ifs"]), "")),
    (exp.Subquery, Query.type_of_subquery),
    (exp.Func, _type_of_function),
)


def _outer(select: Any) -> Any:
    """Give the query whose rows a subquery can see; None for one in FROM or WITH, which sees none."""
    child, parent = select, select.parent
    while parent is not None and not isinstance(parent, exp.Select):
        if isinstance(parent, (exp.CTE, exp.From)) or (
            isinstance(parent, exp.Join) and child.arg_key == "this"
        ):
            return None
        child, parent = parent, parent.parent
    return parent


def _sources(scope: Scope, *, joined: bool = False) -> list[tuple[str, Any]]:
    """Name the tables and subqueries of one SELECT."""
    joins = scope.expression.args.get("joins") or []
    asked = {join.alias_or_name for join in joins if join.args.get("kind") in ("SEMI", "ANTI")}
    return [
        (name, scope.sources[name])
        for name, _ in scope.references
        if name in scope.sources and (joined or name not in asked)
    ]


def with_args(node: Any, **args: Any) -> Any:
    """Copy a node with some of its parts replaced; parts handed in are copied too."""
    made = node.copy()
    for key, value in args.items():
        made.set(key, [v.copy() for v in value] if isinstance(value, list) else _copied(value))
    return made


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, exp.Expr) else value


def conjuncts(node: Any) -> list[Any]:
    """Give the parts of an AND, parentheses looked through."""
    inner = node.this if isinstance(node, exp.Paren) and isinstance(node.this, exp.And) else node
    if isinstance(inner, exp.And):
        return [*conjuncts(inner.this), *conjuncts(inner.expression)]
    return [node]


def all_of(parts: list[Any]) -> Any:
    """Join predicates with AND; None where there are none."""
    return exp.and_(*parts, dialect=DIALECT, copy=True) if parts else None

"""From a qualified statement to the queries proofs work on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from pytest_lockin.fixturegen.equivalence.expressions import Scope, UnsupportedError, check_parts, ordered
from pytest_lockin.fixturegen.equivalence.queries import (
    Derived,
    Group,
    Item,
    Join,
    Product,
    Query,
    Scan,
    Select,
    SetOperation,
    columns_of,
)
from pytest_lockin.fixturegen.equivalence.terms import Term, conjuncts, has_aggregate, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_lockin.fixturegen.equivalence.queries import From

_SELECT_PARTS = {
    "with_",
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "distinct",
    "order",
    "limit",
}
_SETOP_PARTS = {"with_", "this", "expression", "distinct", "order", "limit"}
_LEVELS = ("fn:rollup", "fn:cube", "fn:groupingsets", "fn:tuple")


class Reader:
    """Reads queries; a source's id is made of the aliases on the way to it, so that statements share them."""

    def read(self, tree: Any, path: str, ctes: Mapping[str, Any], outer: Mapping[str, str]) -> Query:
        """Read a query; `outer` are the aliases of the queries around it that it can see."""
        inner = _unwrap(tree)
        ctes = {**ctes}
        for cte in inner.args["with_"].expressions if inner.args.get("with_") else []:
            if inner.args["with_"].args.get("recursive") or cte.args["alias"].args.get("columns"):
                raise UnsupportedError("a recursive query")
            ctes[cte.alias.lower()] = (cte.this, dict(ctes))
        if isinstance(inner, exp.SetOperation):
            return self._set_operation(inner, path, ctes, outer)
        if not isinstance(inner, exp.Select):
            raise UnsupportedError(inner.key)
        return self._select(inner, path, ctes, outer)

    def _set_operation(
        self, tree: Any, path: str, ctes: Mapping[str, Any], outer: Mapping[str, str]
    ) -> SetOperation:
        check_parts(tree, _SETOP_PARTS)
        kind = {exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except"}[type(tree)]
        left = self.read(tree.this, f"{path}#0", ctes, outer)
        right = self.read(tree.expression, f"{path}#1", ctes, outer)
        scope = Scope(self, {}, path, ctes, outer)
        keys = tuple(scope.term(key) for key in ordered(tree))
        return SetOperation(kind, not tree.args.get("distinct"), (left, right), keys, _limit(scope, tree))

    def _select(self, tree: Any, path: str, ctes: Mapping[str, Any], outer: Mapping[str, str]) -> Select:
        check_parts(tree, _SELECT_PARTS)
        if tree.args.get("distinct") and tree.args["distinct"].args.get("on"):
            raise UnsupportedError("DISTINCT ON")
        scope = Scope(self, {}, path, ctes, outer)
        source = self._from(tree, scope)
        where = [scope.term(tree.args["where"].this)] if tree.args.get("where") else []
        items = tuple(Item(node.alias_or_name.lower(), scope.term(node)) for node in tree.expressions)
        scope.outputs = {item.name: item.term for item in items}
        group = self._group(tree, scope)
        having = conjuncts([scope.term(tree.args["having"].this)] if tree.args.get("having") else [])
        keys = tuple(scope.term(key) for key in ordered(tree))
        every = [item.term for item in items] + list(having) + list(keys)
        if group is None and any(map(has_aggregate, every)):
            group = Group("whole")
        if group is not None:
            _check_grouped(every, group, frozenset(scope.sources.values()))
        return Select(
            Product((source,), conjuncts(where)),
            items,
            group,
            having,
            bool(tree.args.get("distinct")),
            keys,
            _limit(scope, tree),
        )

    def _from(self, tree: Any, scope: Scope) -> From:
        if not tree.args.get("from_"):
            return Product(())
        made = self._source(tree.args["from_"].this, scope)
        for join in tree.args.get("joins") or []:
            made = self._join(made, join, scope)
        return made

    def _join(self, left: From, join: Any, scope: Scope) -> From:
        check_parts(join, {"this", "on", "side", "kind"})
        right = self._source(join.this, scope)
        on = conjuncts([scope.term(join.args["on"])] if join.args.get("on") else [])
        side, kind = (join.side or "").upper(), (join.kind or "").upper()
        if kind in ("SEMI", "ANTI"):
            return Join(kind.lower(), left, right, on)
        if kind not in ("", "INNER", "OUTER", "CROSS"):
            raise UnsupportedError(f"{kind} join")
        if side == "RIGHT":
            return Join("left", right, left, on)
        return Join(side.lower(), left, right, on) if side else Product((left, right), on)

    def _source(self, node: Any, scope: Scope) -> From:
        alias = node.alias_or_name.lower()
        source = f"{scope.path}/{alias}"
        if alias in scope.sources:
            raise UnsupportedError("an alias used twice")
        if isinstance(node, exp.Table):
            check_parts(node, {"this", "alias"})
            scope.sources[alias] = source
            if node.name.lower() in scope.ctes:
                query, known = scope.ctes[node.name.lower()]
                return Derived(source, self.read(query, source, known, {}))
            return Scan(source, node.name.lower())
        if not isinstance(node, exp.Subquery):
            raise UnsupportedError(node.key)
        check_parts(node, {"this", "alias"})
        if node.args.get("alias") and node.args["alias"].args.get("columns"):
            raise UnsupportedError("renamed columns")
        scope.sources[alias] = source
        return Derived(source, self.read(node.this, source, scope.ctes, {}))

    def _group(self, tree: Any, scope: Scope) -> Group | None:
        group = tree.args.get("group")
        if group is None:
            return None
        check_parts(group, {"expressions", "rollup", "cube", "grouping_sets"})
        levels = [
            scope.term(node)
            for node in (
                *(n for n in group.expressions if isinstance(n, exp.Rollup | exp.Cube | exp.GroupingSets)),
                *(n for key in ("rollup", "cube", "grouping_sets") for n in group.args.get(key) or []),
            )
        ]
        keys = [
            scope.term(node)
            for node in group.expressions
            if not isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets)
        ]
        return Group("levels", (*keys, *levels)) if levels else Group("plain", tuple(dict.fromkeys(keys)))


def read_expression(node: Any) -> Term:
    """Read an expression over one table's columns, which bear no table's name."""
    return Scope(Reader(), {}, "", {}, {}).term(node)


def _check_grouped(terms: list[Term], group: Group, own: frozenset[str]) -> None:
    """Refuse a column that is neither grouped nor aggregated, as Spark does."""
    keys = set(group.keys)
    for key in group.keys:
        keys.update(part for level in walk(key) if level.op in _LEVELS for part in level.args)
    waiting: list[Any] = list(terms)
    while waiting:
        part = waiting.pop()
        if part in keys or (isinstance(part, Term) and part.op == "agg"):
            continue
        read = columns_of(part) if not isinstance(part, Term) else [part] if part.op == "col" else []
        if any(column.source in own and column not in keys for column in read):
            raise UnsupportedError("a column that is neither grouped nor aggregated")
        waiting += part.args if isinstance(part, Term) else ()


def _unwrap(tree: Any) -> Any:
    while isinstance(tree, exp.Subquery | exp.Paren):
        if isinstance(tree, exp.Subquery):
            check_parts(tree, {"this", "alias"})
        tree = tree.this
    return tree


def _limit(scope: Scope, tree: Any) -> Term | None:
    limit = tree.args.get("limit")
    if limit is None:
        return None
    if not isinstance(limit, exp.Limit) or limit.args.get("limit_options") or limit.args.get("offset"):
        raise UnsupportedError("another form of LIMIT")
    return scope.term(limit.expression)

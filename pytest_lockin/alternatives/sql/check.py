"""Would Spark's analyser accept this statement? Notes what it surely would not."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlglot import exp

from pytest_lockin.alternatives.sql.query import DIALECT, Query


def find_errors(query: Query) -> set[str]:
    """List what cannot be resolved, is ambiguous, or is neither grouped nor aggregated."""
    errors: set[str] = set()
    for scope in query.scopes:
        tree = scope.expression
        if isinstance(tree, exp.SetOperation):
            errors |= _widths(query, tree)
        elif isinstance(tree, exp.Select):
            errors |= _unresolved(query, tree) | _mixed(query, tree) | _doubled(tree)
    return errors


def _own(node: Any, kind: type[Any]) -> list[Any]:
    """Find nodes of one SELECT, subqueries left out."""
    return [found for found in node.find_all(kind) if found.find_ancestor(exp.Select) is node]


def _unresolved(query: Query, select: Any) -> set[str]:
    aliases = {each.alias.lower() for each in select.expressions if isinstance(each, exp.Alias)}
    errors = set()
    for column in _own(select, exp.Column):
        found = query.candidates(column)
        named = (
            not column.table
            and column.name.lower() in aliases
            and column.find_ancestor(exp.Order, exp.Having, exp.Group)
        )
        if len(found) > 1 and not named and not column.find_ancestor(exp.Join):
            errors.add(f"ambiguous {column.sql()}")
        if not found and not named and not query.is_open(column) and not isinstance(column.this, exp.Star):
            errors.add(f"unresolved {column.sql()}")
    return errors


def _mixed(query: Query, select: Any) -> set[str]:
    """Note columns that are neither grouped nor aggregated."""
    del query
    group = select.args.get("group")
    if group is None and not any(_aggregates(each) for each in select.expressions):
        return {"having without groups"} if select.args.get("having") and group is None else set()
    keys = {_bare(key) for key in _keys(group)}
    if any(key.isdigit() for key in keys):
        return set()
    errors = _wrong_levels(select, group, keys)
    for node in (*select.expressions, *([select.args["having"].this] if select.args.get("having") else [])):
        errors |= _loose(node.unalias(), keys, select)
    return errors | _wrong_order(select, keys)


def _wrong_order(select: Any, keys: set[str]) -> set[str]:
    """Note sort keys of a grouped SELECT that are neither its keys, its measures nor names of its outputs."""
    order = select.args.get("order")
    shown = {each.alias_or_name.lower() for each in select.expressions if each.alias_or_name}
    outputs = {
        _bare(each.unalias()) for each in select.expressions if not isinstance(each.unalias(), exp.Column)
    }
    errors: set[str] = set()
    for item in order.expressions if order is not None else ():
        node = item.this if isinstance(item, exp.Ordered) else item
        named = isinstance(node, exp.Column) and not node.table and node.name.lower() in shown
        if not named:
            errors |= {
                f"{each} in ORDER BY" for each in _loose(node, keys | outputs | _plain_names(select), select)
            }
    return errors


def _plain_names(select: Any) -> set[str]:
    """Names of outputs, which stand in larger sort keys too (`CASE WHEN level = 0 THEN ... END`)."""
    return {each.alias.lower() for each in select.expressions if isinstance(each, exp.Alias)}


def _wrong_levels(select: Any, group: Any, keys: set[str]) -> set[str]:
    """Note GROUPING() of what is no key, or without subtotals."""
    asked = [each for node in _own(select, exp.Grouping) for each in node.expressions]
    levels = group is not None and (
        group.find(exp.Rollup, exp.Cube, exp.GroupingSets)
        or any(group.args.get(k) for k in ("rollup", "cube"))
    )
    return {f"GROUPING() of {each.sql()}" for each in asked if not levels or _bare(each) not in keys}


def _keys(group: Any) -> list[Any]:
    found: list[Any] = []
    if group is not None:
        for node in (
            *group.expressions,
            *(n for k in ("rollup", "cube", "grouping_sets") for n in group.args.get(k) or []),
        ):
            inner = isinstance(node, (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple))
            found += _keys(node) if inner else [node.unnest()]
            if isinstance(node, exp.GroupingSets):
                found += [each.unnest() for one in node.expressions for each in (one.expressions or [one])]
    return found


def _bare(node: Any) -> str:
    if isinstance(node, exp.Column):
        return str(node.name.lower())
    return str(node.sql(DIALECT, normalize=True))


def _aggregates(node: Any) -> bool:
    found = [agg for agg in node.find_all(exp.AggFunc) if not isinstance(agg.parent, exp.Window)]
    return any(
        not agg.find_ancestor(exp.Subquery) or agg.find_ancestor(exp.Select) is node.parent for agg in found
    )


def _loose(node: Any, keys: set[str], select: Any) -> set[str]:
    if _bare(node) in keys or isinstance(node, (exp.Subquery, exp.Exists, exp.Query)):
        return set()
    if isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window):
        return set()
    if isinstance(node, exp.Column):
        return {f"neither grouped nor aggregated {node.sql()}"}
    return {error for child in node.iter_expressions() for error in _loose(child, keys, select)}


def _widths(query: Query, tree: Any) -> set[str]:
    del query
    counts = set()
    for side in (tree.this, tree.expression):
        select = side.unnest()
        while isinstance(select, exp.SetOperation):
            select = select.this.unnest()
        if isinstance(select, exp.Select) and not any(each.is_star for each in select.expressions):
            counts.add(len(select.expressions))
    return {"sides of a set operation have different columns"} if len(counts) > 1 else set()


def _doubled(select: Any) -> set[str]:
    names = Counter(each.alias_or_name.lower() for each in select.expressions if each.alias_or_name)
    return {f"two columns named {name}" for name, count in names.items() if count > 1}

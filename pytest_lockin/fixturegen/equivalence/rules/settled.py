"""R3: keys of groups, windows and sorting that follow from the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.facts import (
    Closure,
    group_never_null,
    settles_group,
)
from pytest_lockin.fixturegen.equivalence.queries import Group, Item
from pytest_lockin.fixturegen.equivalence.terms import (
    Term,
    conjuncts,
    has_aggregate,
    has_query,
    has_window,
    rewrite,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.fixturegen.equivalence.context import Context
    from pytest_lockin.fixturegen.equivalence.facts import Facts
    from pytest_lockin.fixturegen.equivalence.queries import Select


def settle_groups(select: Select, context: Context) -> Select:
    """Name the keys of a plain GROUP BY by all that they settle: two lists that settle the same group alike.

    A key may then be a source's whole row. The least or greatest of a column that is one for each group is
    that column; conditions of HAVING on such columns are asked before grouping.
    """
    if select.group is None or select.group.kind != "plain":
        return select
    closure = context.facts(select).closure(select.group.keys)
    rows = [Term("row", (), (source,)) for source in sorted(closure.rows)]
    others = [key for key in closure.terms if key.op not in ("col", "row") and not _follows(key, closure)]
    keys = (*sorted(closure.columns, key=str), *rows, *sorted(others, key=repr))
    early = [term for term in select.having if _is_early(term)]
    where = conjuncts((*select.source.where, *early))
    return replace(
        select,
        source=replace(select.source, where=where),
        items=tuple(Item(item.name, _one_value(item.term, closure)) for item in select.items),
        group=Group("plain", keys),
        having=conjuncts(_one_value(term, closure) for term in select.having if term not in early),
        order=tuple(_one_value(key, closure) for key in select.order),
    )


def _follows(key: Term, closure: Closure) -> bool:
    return Closure(closure.columns, closure.rows, frozenset()).settles(key)


def _is_early(term: Term) -> bool:
    return not (has_aggregate(term) or has_window(term) or has_query(term))


def _one_value(term: Term, closure: Closure) -> Term:
    def change(part: Term) -> Term:
        least = part.op == "agg" and part.tag[0] in ("min", "max")
        return part.args[0] if least and closure.settles(part.args[0]) else part

    return rewrite(term, change)


def settle_order(select: Select, context: Context) -> Select:
    """Leave out sort keys that follow from earlier ones; where NULLs go matters only if there are any."""
    if not context.outermost and select.limit is None:
        return replace(select, order=())
    if select.group is not None and select.group.kind == "whole":
        limit = select.limit
        surely_one = limit is not None and limit.op == "lit" and limit.tag[0] == "int" and limit.tag[1] > 0
        return replace(select, order=(), limit=None if surely_one else limit)
    return replace(select, order=_keys(select, context, select.order, ()))


def settle_windows(select: Select, context: Context) -> Select:
    """Do the same to windows: partitions are named by all they settle, sort keys that follow are left out."""

    def change(part: Term) -> Term:
        if part.op != "window":
            return part
        function, by, keys, *frame = part.args
        if not _is_steady(frame, keys):
            return part
        made = _keys(select, context, keys.args, by.args)
        return Term("window", (function, _partition(select, context, by), Term("keys", made), *frame))

    def whole(term: Term) -> Term:
        return rewrite(term, change)

    return replace(
        select,
        items=tuple(Item(item.name, whole(item.term)) for item in select.items),
        order=tuple(whole(key) for key in select.order),
    )


def _is_steady(frame: list[Term], keys: Term) -> bool:
    """Whether dropping a sort key that changes nothing in the order cannot change the frame's meaning."""
    return not frame and all(key.op == "key" for key in keys.args)


def _partition(select: Select, context: Context, by: Term) -> Term:
    if any(has_aggregate(arg) or has_query(arg) for arg in by.args) or _has_levels(select):
        return by
    facts = context.facts(select)
    closure = facts.closure(by.args)
    rows = [Term("row", (), (source,)) for source in sorted(closure.rows)]
    others = [key for key in closure.terms if key.op not in ("col", "row") and not _follows(key, closure)]
    return Term("by", (*sorted(closure.columns, key=str), *rows, *sorted(others, key=repr)))


def _has_levels(select: Select) -> bool:
    return select.group is not None and select.group.kind == "levels"


def _keys(select: Select, context: Context, keys: Iterable[Term], before: Iterable[Term]) -> tuple[Term, ...]:
    facts = context.facts(select)
    seen: list[Term] = list(before)
    kept: list[Term] = []
    for key in keys:
        term = key.args[0]
        if term in seen or _is_settled(select, facts, term, seen):
            continue
        descending, nulls_first = key.tag
        if _never_null(select, context, term):
            nulls_first = not descending
        kept.append(Term("key", (term,), (descending, nulls_first)))
        seen.append(term)
    return tuple(kept)


def _is_settled(select: Select, facts: Facts, term: Term, seen: list[Term]) -> bool:
    if term.op in ("lit", "null"):
        return True
    if _has_levels(select):
        return False
    closure = facts.closure(seen)
    if select.group is None:
        one = facts.settles_row(closure) and not has_query(term)
        return one or closure.settles(term)
    if settles_group(select, closure):
        return not has_query(term)
    return closure.settles(term)


def _never_null(select: Select, context: Context, term: Term) -> bool:
    if select.group is not None:
        return group_never_null(select, term, context.knowledge)
    return context.facts(select).never_null(term)

"""A condition on the output of a query in FROM is asked inside; branches that cannot meet it are left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.facts import output_full, output_kind
from pytest_lockin.fixturegen.equivalence.queries import (
    Derived,
    Item,
    Product,
    Select,
    SetOperation,
    columns_in,
    outputs,
    selects,
)
from pytest_lockin.fixturegen.equivalence.rules.canon import canon
from pytest_lockin.fixturegen.equivalence.terms import (
    FALSE,
    Term,
    col,
    conjuncts,
    has_aggregate,
    has_query,
    has_window,
    rewrite,
)

if TYPE_CHECKING:
    from pytest_lockin.fixturegen.equivalence.context import Context
    from pytest_lockin.fixturegen.equivalence.queries import From, Query


def push_conditions(select: Select, context: Context) -> Select:
    """Move conditions into the queries in FROM they speak of; tell these which columns may not be NULL."""
    left = list(select.source.where)
    filled = context.facts(select).filled
    parts: list[From] = []
    for part in select.source.parts:
        if not isinstance(part, Derived):
            parts.append(part)
            continue
        query = part.query
        for term in tuple(left):
            if _speaks_of(term, part.id):
                made = _push(query, term, part.id, context)
                if made is not None:
                    query = made
                    left.remove(term)
        parts.append(Derived(part.id, _fill(query, part.id, filled, context)))
    return replace(select, source=Product(tuple(parts), conjuncts(left)))


def _speaks_of(term: Term, source: str) -> bool:
    read = list(columns_in(term))
    return bool(read) and not has_query(term) and all(column.source == source for column in read)


def _fill(query: Query, source: str, filled: frozenset[Term], context: Context) -> Query:
    """Say which outputs may not be NULL; of what is made of several rows it would say nothing of use."""
    for place, item in enumerate(outputs(query)):
        column = col(source, item.name)
        terms = [select.items[place].term for select in selects(query)]
        if any(has_aggregate(term) or has_window(term) for term in terms):
            continue
        if column in filled and not output_full(query, item.name, context.knowledge):
            wanted = Term("not", (Term("is-null", (column,)),))
            query = _push(query, wanted, source, context) or query
    return query


def _push(query: Query, term: Term, source: str, context: Context) -> Query | None:
    """Ask a condition inside a query; None where that could change what it gives."""
    if query.limit is not None:
        return None
    if isinstance(query, Select):
        return _push_into_select(query, term, source)
    if query.kind == "except" and query.keep:
        return None
    return _push_into_branches(query, term, source, context)


def _push_into_branches(query: SetOperation, term: Term, source: str, context: Context) -> Query | None:
    names = [item.name for item in outputs(query)]
    made: list[Query] = []
    for branch in query.branches:
        mine = {
            col(source, name): col(source, own.name) for name, own in zip(names, outputs(branch), strict=True)
        }
        asked = rewrite(term, lambda part, mine=mine: mine.get(part, part))  # type: ignore[misc]
        for column in columns_in(term):
            kind = output_kind(branch, mine[column].name, context.knowledge)
            if not kind or kind != output_kind(query, column.name, context.knowledge):
                return None
        inner = _push(branch, asked, source, context)
        if inner is None:
            return None
        made.append(inner)
    return replace(query, branches=tuple(made))


def _push_into_select(select: Select, term: Term, source: str) -> Select | None:
    meanings = {col(source, item.name): item.term for item in select.items}
    asked = rewrite(term, lambda part: canon(meanings.get(part, part)))
    windowed = any(has_window(item.term) for item in select.items)
    if has_window(asked) or has_query(asked) or (windowed and not _splits(select, asked)):
        return None
    if select.group is None:
        where = conjuncts((*select.source.where, asked))
        return replace(select, source=replace(select.source, where=where))
    return replace(select, having=conjuncts((*select.having, asked)))


def _splits(select: Select, term: Term) -> bool:
    """Whether every window stays within rows that answer a condition alike."""
    read = set(columns_in(term))
    if select.group is not None and (select.group.kind != "plain" or has_aggregate(term)):
        return False
    for item in select.items:
        stack = [item.term]
        while stack:
            part = stack.pop()
            stack += [arg for arg in part.args if isinstance(arg, Term)]
            if part.op == "window" and not read <= set(part.args[1].args):
                return False
    return True


def is_empty(query: Query) -> bool:
    """Whether a query surely gives no row."""
    if isinstance(query, SetOperation):
        return query.kind == "union" and all(map(is_empty, query.branches))
    impossible = FALSE in query.source.where or FALSE in query.having
    return impossible and (query.group is None or query.group.kind == "plain" or FALSE in query.having)


def drop_empty_branches(query: SetOperation, context: Context) -> Query:
    """Leave out branches of a UNION that give no row, where the others have the same types."""
    live = [branch for branch in query.branches if not is_empty(branch)]
    if query.kind != "union" or not live or len(live) == len(query.branches):
        return query
    for place, item in enumerate(outputs(query)):
        kinds = {output_kind(b, outputs(b)[place].name, context.knowledge) for b in live}
        if len(kinds) > 1 or kinds != {output_kind(query, item.name, context.knowledge)} or "" in kinds:
            return query
    first = _rename(live[0], [item.name for item in outputs(query)])
    if len(live) > 1:
        return replace(query, branches=(first, *live[1:]))
    if query.order or query.limit is not None:
        return query
    if query.keep:
        return first
    return replace(first, distinct=True) if isinstance(first, Select) and first.limit is None else query


def _rename(query: Query, names: list[str]) -> Query:
    if isinstance(query, SetOperation):
        return replace(query, branches=(_rename(query.branches[0], names), *query.branches[1:]))
    items = tuple(Item(name, item.term) for name, item in zip(names, query.items, strict=True))
    return replace(query, items=items)

"""Columns of a query in FROM that nobody reads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.queries import (
    Derived,
    Item,
    Join,
    Product,
    Select,
    SetOperation,
    columns_in,
    conditions_of,
    ids_of,
    outputs,
    sources_of,
    terms_of,
)
from pytest_lockin.fixturegen.equivalence.rules.outer import has_one_partner, nobody_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.fixturegen.equivalence.context import Context
    from pytest_lockin.fixturegen.equivalence.queries import From, Query
    from pytest_lockin.fixturegen.equivalence.terms import Term


def drop_unused(select: Select) -> Select:
    """Leave out output columns of queries in FROM that are read nowhere around them."""
    read = {
        (column.source, column.name)
        for term in (*terms_of(select), *conditions_of(select.source))
        for column in columns_in(term)
    }
    used = {
        source.id: frozenset(name for owner, name in read if owner == source.id)
        for source in sources_of(select.source)
        if isinstance(source, Derived)
    }
    source = _trim(select.source, used)
    return replace(select, source=source if isinstance(source, Product) else Product((source,)))


def drop_unused_joins(select: Select, context: Context) -> Select:
    """Leave out an outer join that adds no row and of which nothing is read."""
    parts = tuple(_without_idle(part, select, context) for part in select.source.parts)
    return replace(select, source=replace(select.source, parts=parts))


def _without_idle(part: From, select: Select, context: Context) -> From:
    if not isinstance(part, Join):
        return part
    part = replace(part, left=_without_idle(part.left, select, context))
    if part.kind != "left":
        return part
    read = {column.source for term in _terms_outside(select, part) for column in columns_in(term)}
    idle = not read & ids_of(part.right)
    return part.left if idle and (nobody_counts(select, context) or has_one_partner(part, context)) else part


def _terms_outside(select: Select, join: Join) -> Iterator[Term]:
    """Give all terms of a SELECT but a join's own condition and those inside its right side."""
    yield from terms_of(select)
    left = list(conditions_of(select.source))
    for term in (*join.on, *conditions_of(join.right)):
        left.remove(term)
    yield from left


def _trim(part: From, used: dict[str, frozenset[str]]) -> From:
    if isinstance(part, Derived):
        names = [item.name for item in outputs(part.query)]
        keep = [place for place, name in enumerate(names) if name in used[part.id]]
        whole = len(keep) == len(names) or not _may_lose(part.query)
        return part if whole else Derived(part.id, _keep(part.query, keep))
    if isinstance(part, Product):
        return replace(part, parts=tuple(_trim(inner, used) for inner in part.parts))
    if isinstance(part, Join):
        return replace(part, left=_trim(part.left, used), right=_trim(part.right, used))
    return part


def _may_lose(query: Query) -> bool:
    """Whether other columns and the number of rows stay as they are without one."""
    if isinstance(query, SetOperation):
        return (
            query.kind == "union" and query.keep and not query.order and all(map(_may_lose, query.branches))
        )
    return not query.distinct


def _keep(query: Query, places: list[int]) -> Query:
    if isinstance(query, SetOperation):
        return replace(query, branches=tuple(_keep(branch, places) for branch in query.branches))
    return replace(query, items=tuple(query.items[place] for place in places))


def sort_items(select: Select) -> Select:
    """Put the columns of a query in FROM in the order of their names: they are read by name."""
    items: tuple[Item, ...] = tuple(sorted(select.items, key=lambda item: item.name))
    return replace(select, items=items)

"""Queries as proofs see them: sources, conditions, groups, outputs; common table expressions put in place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.terms import Term, rewrite, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class Scan:
    """One reading of an input table."""

    id: str
    table: str


@dataclass(frozen=True, slots=True)
class Derived:
    """A query in FROM."""

    id: str
    query: Query


@dataclass(frozen=True, slots=True)
class Product:
    """Every combination of its parts' rows for which all of `where` is true."""

    parts: tuple[From, ...]
    where: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Join:
    """A join that is not inner: `left`, `full`, `semi` or `anti`; a right join has its sides changed."""

    kind: str
    left: From
    right: From
    on: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """What a group is: `whole` (all rows, one result even of none), `plain` or `levels` (ROLLUP, CUBE)."""

    kind: str
    keys: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """One output column."""

    name: str
    term: Term


@dataclass(frozen=True, slots=True)
class Select:
    """A SELECT. `order` and `limit` apply last; without a limit inside of another query, no order is kept."""

    source: Product
    items: tuple[Item, ...]
    group: Group | None = None
    having: tuple[Term, ...] = ()
    distinct: bool = False
    order: tuple[Term, ...] = ()
    limit: Term | None = None


@dataclass(frozen=True, slots=True)
class SetOperation:
    """`union`, `intersect` or `except` of two or more queries, by position; names are the first one's."""

    kind: str
    keep: bool
    branches: tuple[Query, ...]
    order: tuple[Term, ...] = ()
    limit: Term | None = None


From = Scan | Derived | Product | Join
Query = Select | SetOperation


def sources_of(part: From) -> Iterator[Scan | Derived]:
    """Give all sources in a FROM, left to right."""
    if isinstance(part, Product):
        for inner in part.parts:
            yield from sources_of(inner)
    elif isinstance(part, Join):
        yield from sources_of(part.left)
        yield from sources_of(part.right)
    else:
        yield part


def ids_of(part: From) -> frozenset[str]:
    """Give the ids of all sources in a FROM."""
    return frozenset(source.id for source in sources_of(part))


def conditions_of(part: From) -> Iterator[Term]:
    """Give all conditions in a FROM, those of joins included."""
    if isinstance(part, Product):
        yield from part.where
        for inner in part.parts:
            yield from conditions_of(inner)
    elif isinstance(part, Join):
        yield from part.on
        yield from conditions_of(part.left)
        yield from conditions_of(part.right)


def map_from(part: From, change: Callable[[Term], Term], enter: Callable[[Query], Query]) -> From:
    """Change all conditions in a FROM, and the queries that stand in it."""
    if isinstance(part, Product):
        parts = tuple(map_from(inner, change, enter) for inner in part.parts)
        return Product(parts, tuple(change(term) for term in part.where))
    if isinstance(part, Join):
        left, right = map_from(part.left, change, enter), map_from(part.right, change, enter)
        return Join(part.kind, left, right, tuple(change(term) for term in part.on))
    return Derived(part.id, enter(part.query)) if isinstance(part, Derived) else part


def map_select(
    select: Select, change: Callable[[Term], Term], enter: Callable[[Query], Query] = lambda query: query
) -> Select:
    """Change every term of one SELECT; queries in FROM are handed to `enter`."""
    source = map_from(select.source, change, enter)
    group = select.group and Group(select.group.kind, tuple(change(key) for key in select.group.keys))
    return replace(
        select,
        source=source if isinstance(source, Product) else Product((source,)),
        items=tuple(Item(item.name, change(item.term)) for item in select.items),
        group=group,
        having=tuple(change(term) for term in select.having),
        order=tuple(change(term) for term in select.order),
    )


def map_query(query: Query, change: Callable[[Term], Term]) -> Query:
    """Change every term of a query from the inside out, in all queries it contains."""

    def inside(term: Term) -> Term:
        if any(isinstance(arg, Select | SetOperation) for arg in term.args):
            args = tuple(a if isinstance(a, Term) else map_query(a, change) for a in term.args)
            term = Term(term.op, args, term.tag)
        return change(term)

    def whole(term: Term) -> Term:
        return rewrite(term, inside)

    if isinstance(query, SetOperation):
        branches = tuple(map_query(branch, change) for branch in query.branches)
        return replace(query, branches=branches, order=tuple(whole(key) for key in query.order))
    return map_select(query, whole, lambda inner: map_query(inner, change))


def substitute(query: Query, meanings: dict[Term, Term]) -> Query:
    """Put other terms in the place of columns, in all of a query."""
    return map_query(query, lambda term: meanings.get(term, term) if term.op == "col" else term)


def outputs(query: Query) -> tuple[Item, ...]:
    """Give a query's output columns; of a set operation, its first branch's."""
    while isinstance(query, SetOperation):
        query = query.branches[0]
    return query.items


def selects(query: Query) -> Iterator[Select]:
    """Give the SELECTs whose rows a query is made of: itself, or its branches'."""
    if isinstance(query, SetOperation):
        for branch in query.branches:
            yield from selects(branch)
    else:
        yield query


def columns_in(term: Term) -> Iterator[Term]:
    """Give the columns a term reads, those read inside its subqueries included."""
    for part in walk(term):
        if part.op == "col":
            yield part
        for arg in part.args:
            if isinstance(arg, Select | SetOperation):
                yield from columns_of(arg)


def columns_of(query: Query) -> Iterator[Term]:
    """Give all columns read anywhere in a query."""
    if isinstance(query, SetOperation):
        for branch in query.branches:
            yield from columns_of(branch)
        for key in query.order:
            yield from columns_in(key)
        return
    for term in (*conditions_of(query.source), *terms_of(query)):
        yield from columns_in(term)
    for source in sources_of(query.source):
        if isinstance(source, Derived):
            yield from columns_of(source.query)


def terms_of(select: Select) -> Iterator[Term]:
    """Give the terms of one SELECT besides FROM and WHERE."""
    yield from (item.term for item in select.items)
    yield from select.group.keys if select.group else ()
    yield from select.having
    yield from select.order

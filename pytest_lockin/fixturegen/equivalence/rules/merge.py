"""R1: one flat FROM. Inner joins, and queries in FROM that only filter and compute, are put in place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from pytest_lockin.fixturegen.equivalence.queries import (
    Derived,
    Join,
    Product,
    Select,
    ids_of,
    map_select,
    outputs,
    substitute,
)
from pytest_lockin.fixturegen.equivalence.rules.canon import canon
from pytest_lockin.fixturegen.equivalence.terms import (
    Term,
    col,
    conjuncts,
    has_aggregate,
    has_window,
    rewrite,
)

if TYPE_CHECKING:
    from pytest_lockin.fixturegen.equivalence.queries import From, Query


def flatten(select: Select) -> Select:
    """Put inner joins and mergeable queries into one product; conditions become one sorted list."""
    meanings: dict[Term, Term] = {}
    parts, where = _open(select.source, meanings)
    parts.sort(key=lambda part: min(ids_of(part), default=""))
    made = replace(select, source=Product(tuple(parts), conjuncts(where)))
    if meanings:
        made = replace_columns(made, meanings)
    return replace(made, source=replace(made.source, where=conjuncts(made.source.where)))


def replace_columns(select: Select, meanings: dict[Term, Term]) -> Select:
    """Put other terms in the place of columns, in correlated subqueries and in what was put in too."""
    for _ in range(len(meanings)):
        before = select

        def change(term: Term) -> Term:
            if any(not isinstance(arg, Term) for arg in term.args):
                args = tuple(a if isinstance(a, Term) else substitute(a, meanings) for a in term.args)
                term = Term(term.op, args, term.tag)
            return canon(meanings.get(term, term) if term.op == "col" else term)

        select = map_select(select, lambda term: rewrite(term, change))
        if select == before:
            break
    return select


def _open(part: From, meanings: dict[Term, Term], *, optional: bool = False) -> tuple[list[From], list[Term]]:
    """List a FROM's parts and conditions; `meanings` takes up what the columns of opened queries are.

    Where its rows may be missing (`optional`), a query that computes columns stays closed: they turn NULL.
    """
    if isinstance(part, Product):
        opened = [_open(inner, meanings, optional=optional) for inner in part.parts]
        where = [term for _, terms in opened for term in terms]
        return [each for parts, _ in opened for each in parts], [*part.where, *where]
    if isinstance(part, Join):
        return _open_join(part, meanings, optional=optional)
    if isinstance(part, Derived) and is_plain(part.query) and not (optional and _computes(part)):
        for item in part.query.items:
            meanings[col(part.id, item.name)] = item.term
        return _open(part.query.source, meanings, optional=optional)
    return [part], []


def _open_join(join: Join, meanings: dict[Term, Term], *, optional: bool) -> tuple[list[From], list[Term]]:
    """A condition on the side whose rows are kept may as well be asked after the join."""
    if join.kind == "full":
        sides = [_closed(*_open(side, meanings, optional=True)) for side in (join.left, join.right)]
        return [Join("full", sides[0], sides[1], conjuncts(join.on))], []
    left, where = _open(join.left, meanings, optional=optional)
    right, on = _open(join.right, meanings, optional=optional or join.kind == "left")
    return [Join(join.kind, _closed(left, []), _closed(right, []), conjuncts((*join.on, *on)))], where


def _computes(derived: Derived) -> bool:
    own = ids_of(derived.query.source) if isinstance(derived.query, Select) else frozenset()
    return any(item.term.op != "col" or item.term.source not in own for item in outputs(derived.query))


def _closed(parts: list[From], where: list[Term]) -> From:
    ordered = tuple(sorted(parts, key=lambda part: min(ids_of(part), default="")))
    return ordered[0] if len(ordered) == 1 and not where else Product(ordered, conjuncts(where))


def is_plain(query: Query) -> TypeGuard[Select]:
    """Whether a query only filters and computes row by row."""
    return (
        isinstance(query, Select)
        and query.group is None
        and not query.distinct
        and query.limit is None
        and not any(has_aggregate(item.term) or has_window(item.term) for item in query.items)
    )

"""The form of a query in which rules leave nothing to say: statements with one form give the same results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.queries import (
    Query,
    Select,
    SetOperation,
    map_select,
)
from pytest_lockin.fixturegen.equivalence.rules.canon import canon, first_keys
from pytest_lockin.fixturegen.equivalence.rules.defaults import drop_defaults
from pytest_lockin.fixturegen.equivalence.rules.derived import read_originals
from pytest_lockin.fixturegen.equivalence.rules.distinct import drop_distinct, settle_set_operation
from pytest_lockin.fixturegen.equivalence.rules.equated import read_first_of_equals
from pytest_lockin.fixturegen.equivalence.rules.merge import flatten
from pytest_lockin.fixturegen.equivalence.rules.nullsafe import settle_null_safe
from pytest_lockin.fixturegen.equivalence.rules.outer import settle_existence, settle_joins
from pytest_lockin.fixturegen.equivalence.rules.push import drop_empty_branches, push_conditions
from pytest_lockin.fixturegen.equivalence.rules.settled import settle_groups, settle_order, settle_windows
from pytest_lockin.fixturegen.equivalence.rules.unused import drop_unused, drop_unused_joins, sort_items
from pytest_lockin.fixturegen.equivalence.terms import QUERIES, Term, conjuncts, has_window, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_lockin.fixturegen.equivalence.context import Context

    Rule = Callable[[Select, Context], Select]

ROUNDS = 12
"""A form is nearly always reached in three; what takes longer is left as it is, and not proved by it."""

_RULES: tuple[tuple[str, Rule], ...] = (
    ("copied-column", read_originals),
    ("null-safe", settle_null_safe),
    ("outer-join", settle_joins),
    ("semi-join", settle_existence),
    ("equal-columns", read_first_of_equals),
    ("unused", lambda select, _: drop_unused(select)),
    ("unused", drop_unused_joins),
    ("pushed-condition", push_conditions),
    ("idle-default", drop_defaults),
    ("settled-key", settle_groups),
    ("settled-key", settle_windows),
    ("settled-key", settle_order),
    ("no-duplicates", drop_distinct),
)


def normal_form(query: Query, context: Context) -> Query:
    """Give the normal form of a query, with the rules the context allows."""
    where = (context.rules, context.counted, context.outermost, context.filled)
    form = context.knowledge.remember((query, where), lambda: _normal_form(query, context))
    return context.knowledge.remember((form, where), lambda: form)


def _normal_form(query: Query, context: Context) -> Query:
    if isinstance(query, SetOperation):
        return _of_set_operation(query, context)
    select = query
    for _ in range(ROUNDS):
        before = select
        select = _tidy(select, context)
        for name, rule in _RULES:
            if name in context.rules:
                select = rule(select, context)
        if select == before:
            break
    return select if context.outermost else sort_items(select)


def _of_set_operation(query: SetOperation, context: Context) -> Query:
    if "no-duplicates" in context.rules:
        query = settle_set_operation(query, context)
    counted = query.keep and (context.counted or query.kind != "union")
    inside = replace(context, counted=counted, outermost=False)
    order = query.order if context.outermost or query.limit is not None else ()
    branches = tuple(_in_place(branch, inside) for branch in query.branches)
    made: Query = replace(query, branches=branches, order=first_keys(order))
    if "pushed-condition" in context.rules and isinstance(made, SetOperation):
        made = drop_empty_branches(made, context)
    if isinstance(made, SetOperation):
        return settle_set_operation(made, context) if "no-duplicates" in context.rules else made
    return normal_form(made, context)


def _in_place(query: Query, context: Context) -> Query:
    """Give a branch's normal form; its columns keep their places."""
    if isinstance(query, SetOperation):
        return normal_form(query, context)
    form = normal_form(query, context)
    if not isinstance(form, Select):
        return form
    order = {item.name: place for place, item in enumerate(query.items)}
    if len(order) < len(query.items):
        return query
    return replace(form, items=tuple(sorted(form.items, key=lambda item: order[item.name])))


def _tidy(select: Select, context: Context) -> Select:
    """Write terms in one way, open what can be opened, and bring queries inside into their forms."""
    plain = select.group is None and not any(has_window(item.term) for item in select.items)
    counted = not plain or (context.counted and not select.distinct)

    def enter(term: Term) -> Term:
        if term.op in QUERIES:
            args = tuple(a if isinstance(a, Term) else _asked(term.op, a, select, context) for a in term.args)
            term = Term(term.op, args, term.tag)
        return canon(term)

    def form(query: Query) -> Query:
        return normal_form(query, context.inside(counted=counted))

    select = map_select(select, lambda term: rewrite(term, enter), form)
    select = replace(
        select,
        source=replace(select.source, where=conjuncts(select.source.where)),
        having=conjuncts(select.having),
        order=first_keys(select.order) if context.outermost or select.limit is not None else (),
    )
    return flatten(select)


def _asked(op: str, query: Query, select: Select, context: Context) -> Query:
    """Bring a query inside an expression into its form; EXISTS asks for no columns."""
    if op == "exists" and isinstance(query, Select):
        query = replace(query, items=(), distinct=False)
    return normal_form(query, context.asked(select, query, counted=op == "scalar"))

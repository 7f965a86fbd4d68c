"""R9: a default for a value that is never NULL, a count of what is never NULL, a cast to the type it has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.facts import facts_of, group_never_null
from pytest_lockin.fixturegen.equivalence.kinds import kind_of, same_kind
from pytest_lockin.fixturegen.equivalence.queries import Item, Product
from pytest_lockin.fixturegen.equivalence.rules.canon import canon
from pytest_lockin.fixturegen.equivalence.terms import FALSE, NULL, TRUE, Term, conjuncts, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_lockin.fixturegen.equivalence.context import Context
    from pytest_lockin.fixturegen.equivalence.queries import Select

    Test = Callable[[Term], bool]
    Kind = Callable[[Term], str]


def drop_defaults(select: Select, context: Context) -> Select:
    """Leave out of expressions what never comes to bear, where the type stays the same."""
    facts = context.facts(select)

    def grouped(term: Term) -> bool:
        return group_never_null(select, term, context.knowledge)

    def plain(term: Term) -> Term:
        return rewrite(term, lambda part: simplify(part, facts.never_null, facts.kind))

    def late(term: Term) -> Term:
        return _after_grouping(term, plain, grouped, facts.kind) if select.group is not None else plain(term)

    where = [_condition(select, term, context) for term in select.source.where]
    return replace(
        select,
        source=replace(select.source, where=conjuncts(where)),
        items=tuple(Item(item.name, late(item.term)) for item in select.items),
        having=conjuncts(late(term) for term in select.having),
        order=tuple(late(key) for key in select.order),
    )


def _after_grouping(term: Term, plain: Callable[[Term], Term], grouped: Test, kind: Kind) -> Term:
    """Simplify a term of a grouped SELECT: aggregates' arguments by the rows, the rest by the groups."""
    if term.op == "agg" and not any(part.op == "agg" for arg in term.args for part in _parts(arg)):
        args = tuple(plain(arg) for arg in term.args)
        return simplify(Term(term.op, args, term.tag), lambda part: _row_never_null(part, plain), kind)
    args = tuple(_after_grouping(a, plain, grouped, kind) if isinstance(a, Term) else a for a in term.args)
    return simplify(canon(Term(term.op, args, term.tag)), grouped, kind)


def _row_never_null(term: Term, plain: Callable[[Term], Term]) -> bool:
    return plain(Term("is-null", (term,))) == FALSE


def _parts(term: Term) -> list[Term]:
    return [term, *(part for arg in term.args if isinstance(arg, Term) for part in _parts(arg))]


def _condition(select: Select, term: Term, context: Context) -> Term:
    """Simplify a condition by what the others say."""
    others = tuple(each for each in select.source.where if each != term)
    facts = facts_of(Product(select.source.parts, others), context.knowledge)
    return rewrite(term, lambda part: simplify(part, facts.never_null, facts.kind))


def simplify(term: Term, never_null: Test, kind: Kind) -> Term:
    """Simplify one term whose parts are simple."""
    if term.op == "is-null" and never_null(term.args[0]):
        return FALSE
    if term.op == "agg" and term.tag == ("count", False) and len(term.args) == 1 and never_null(term.args[0]):
        return Term("agg", (), term.tag)
    if term.op == "cast" and kind_of(term.args[0], kind) == term.tag[0]:
        return Term(*_fields(term.args[0]))
    shorter = {"coalesce": _without_idle_defaults, "case": _without_dead_arms}.get(term.op)
    if shorter is None:
        return canon(term)
    made = shorter(term, never_null)
    return made if made == term or same_kind(made, term, kind) else term


def _fields(term: Term) -> tuple[str, tuple[object, ...], tuple[object, ...]]:
    return term.op, term.args, term.tag


def _without_idle_defaults(term: Term, never_null: Test) -> Term:
    kept: list[Term] = []
    for arg in term.args:
        if arg != NULL and arg not in kept:
            kept.append(arg)
        if never_null(arg):
            break
    return canon(Term("coalesce", tuple(kept))) if kept else NULL


def _without_dead_arms(term: Term, _: Test) -> Term:
    arms: list[tuple[Term, Term]] = []
    rest = term.args[-1]
    for when, then in zip(term.args[:-1:2], term.args[1::2], strict=True):
        if when == TRUE:
            rest = then
            break
        if when not in (FALSE, NULL):
            arms.append((when, then))
    while arms and arms[-1][1] == rest:
        arms.pop()
    return Term("case", (*(part for arm in arms for part in arm), rest)) if arms else rest

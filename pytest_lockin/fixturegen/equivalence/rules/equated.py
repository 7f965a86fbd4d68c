"""R8: columns that every row holds equal, of one type, are one column."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.kinds import family
from pytest_lockin.fixturegen.equivalence.queries import Group, Item, substitute
from pytest_lockin.fixturegen.equivalence.rules.canon import canon
from pytest_lockin.fixturegen.equivalence.terms import Term, conjuncts, rewrite

if TYPE_CHECKING:
    from pytest_lockin.fixturegen.equivalence.context import Context
    from pytest_lockin.fixturegen.equivalence.queries import Select


def read_first_of_equals(select: Select, context: Context) -> Select:
    """Read, of columns that WHERE makes equal, always the first by name.

    Joins' own conditions keep their columns: they are asked of rows that WHERE has not seen.
    """
    first = _first_of_each(select, context)
    if not first:
        return select

    def change(term: Term) -> Term:
        return rewrite(term, lambda part: _changed(part, first))

    where = [change(term) for term in select.source.where if not _links(term, first)]
    where += [canon(Term("eq", pair)) for pair in first.items()]
    return replace(
        select,
        source=replace(select.source, where=conjuncts(where)),
        items=tuple(Item(item.name, change(item.term)) for item in select.items),
        group=select.group and Group(select.group.kind, tuple(change(key) for key in select.group.keys)),
        having=conjuncts(change(term) for term in select.having),
        order=tuple(change(key) for key in select.order),
    )


def _changed(part: Term, first: dict[Term, Term]) -> Term:
    if any(not isinstance(arg, Term) for arg in part.args):
        args = tuple(arg if isinstance(arg, Term) else substitute(arg, first) for arg in part.args)
        part = Term(part.op, args, part.tag)
    return canon(first.get(part, part) if part.op == "col" else part)


def _links(term: Term, first: dict[Term, Term]) -> bool:
    return term.op == "eq" and len({first.get(arg, arg) for arg in term.args}) == 1


def _first_of_each(select: Select, context: Context) -> dict[Term, Term]:
    """Map each column to the first of those equal to it; the first itself is left out."""
    facts = context.facts(select)
    classes: dict[Term, set[Term]] = {}
    for term in select.source.where:
        if term.op != "eq" or any(arg.op != "col" or arg.source not in facts.sources for arg in term.args):
            continue
        kinds = {facts.kind(arg) for arg in term.args}
        if len(kinds) == 1 and family(kinds.pop()):
            merged = set().union(*(classes.get(arg, {arg}) for arg in term.args))
            classes |= dict.fromkeys(merged, merged)
    return {
        column: least
        for column, group in classes.items()
        for least in [min(group, key=str)]
        if column != least
    }

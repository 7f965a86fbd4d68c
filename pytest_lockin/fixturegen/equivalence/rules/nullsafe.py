"""R4: a comparison for which NULL equals NULL is a plain one where one side is never NULL."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.facts import facts_of
from pytest_lockin.fixturegen.equivalence.queries import Join, Product
from pytest_lockin.fixturegen.equivalence.terms import Term, conjuncts

if TYPE_CHECKING:
    from pytest_lockin.fixturegen.equivalence.context import Context
    from pytest_lockin.fixturegen.equivalence.facts import Facts
    from pytest_lockin.fixturegen.equivalence.queries import From, Select


def settle_null_safe(select: Select, context: Context) -> Select:
    """Write `=` for `<=>` in conditions of WHERE and ON where it is the same."""
    source = _settle(select.source, context)
    return replace(select, source=source) if isinstance(source, Product) else select


def _settle(part: From, context: Context) -> From:
    if isinstance(part, Product):
        facts = facts_of(part, context.knowledge)
        where = conjuncts(_plain(term, facts, context) for term in part.where)
        return Product(tuple(_settle(inner, context) for inner in part.parts), where)
    if isinstance(part, Join):
        facts = facts_of(Product((part.left, part.right)), context.knowledge)
        on = conjuncts(_plain(term, facts, context) for term in part.on)
        return Join(part.kind, _settle(part.left, context), _settle(part.right, context), on)
    return part


def _plain(term: Term, facts: Facts, context: Context) -> Term:
    if term.op == "same" and any(arg in context.filled or facts.never_null(arg) for arg in term.args):
        return Term("eq", term.args)
    return term

"""R5: an outer join whose unmatched rows are dropped later, or cannot exist, is an inner one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.facts import facts_of, rejected
from pytest_lockin.fixturegen.equivalence.queries import Join, Product, Scan, ids_of
from pytest_lockin.fixturegen.equivalence.terms import Term, conjuncts, has_window

if TYPE_CHECKING:
    from pytest_lockin.fixturegen.equivalence.context import Context
    from pytest_lockin.fixturegen.equivalence.queries import From, Select


def settle_joins(select: Select, context: Context) -> Select:
    """Write the narrowest join that gives the same rows once all conditions are applied."""
    source = _narrow(select.source, frozenset(), context)
    return replace(select, source=source if isinstance(source, Product) else Product((source,)))


def _narrow(part: From, refused: frozenset[str], context: Context) -> From:
    """Narrow joins in a FROM; rows in which a source named in `refused` is missing are dropped later."""
    if isinstance(part, Product):
        refused |= _sources(part.where)
        return Product(tuple(_narrow(inner, refused, context) for inner in part.parts), part.where)
    if not isinstance(part, Join):
        return part
    kind, left, right = part.kind, part.left, part.right
    if kind == "full" and ids_of(right) & refused:
        # Rows of the right side without a partner are all that stays besides the pairs.
        kind, left, right = ("left", right, left)
    elif kind == "full" and ids_of(left) & refused:
        kind = "left"
    if kind == "left" and (ids_of(right) & refused or _always_matched(left, right, part.on, context)):
        inner = Product((left, right), part.on)
        return _narrow(inner, refused, context)
    if kind == "full":
        return Join(kind, _narrow(left, frozenset(), context), _narrow(right, frozenset(), context), part.on)
    asked = _sources(part.on) if kind != "anti" else frozenset()
    kept = refused | (asked if kind == "semi" else frozenset())
    return Join(kind, _narrow(left, kept, context), _narrow(right, _sources(part.on), context), part.on)


def _sources(conditions: tuple[Term, ...]) -> frozenset[str]:
    return frozenset(column.source for term in conditions for column in rejected(term))


def _always_matched(left: From, right: From, on: tuple[Term, ...], context: Context) -> bool:
    """Whether a foreign key that is never NULL gives each row of the left side its partner."""
    if not isinstance(right, Scan) or not all(term.op == "eq" for term in on):
        return False
    pairs = {}
    for term in on:
        mine = [arg for arg in term.args if arg.op == "col" and arg.source != right.id]
        yours = [arg for arg in term.args if arg.op == "col" and arg.source == right.id]
        if len(mine) != 1 or len(yours) != 1:
            return False
        pairs[mine[0]] = yours[0].name
    facts = facts_of(left, context.knowledge)
    table = {source.table for source in facts.sources.values() if isinstance(source, Scan)
             and all(column.source == source.id for column in pairs)}  # fmt: skip
    if len(table) != 1 or len(pairs) != len(on) or not all(facts.never_null(column) for column in pairs):
        return False
    wanted = {column.name: target for column, target in pairs.items()}
    for key, says in context.knowledge.foreign(table.pop()):
        same = dict(zip((c.lower() for c in key.columns), (t.lower() for t in key.targets), strict=True))
        if key.table.lower() == right.table and same == wanted:
            context.knowledge.lean(says)
            return True
    return False


def settle_existence(select: Select, context: Context) -> Select:
    """Write an inner join for a semi join whose right side has at most one partner for each row.

    Where rows are not counted, any semi join is as good as an inner one.
    """
    parts: list[From] = []
    where = list(select.source.where)
    for part in select.source.parts:
        if isinstance(part, Join) and part.kind == "semi" and _counts_the_same(part, select, context):
            parts += [part.left, part.right]
            where += part.on
        else:
            parts.append(part)
    return replace(select, source=Product(tuple(parts), conjuncts(where)))


def _counts_the_same(join: Join, select: Select, context: Context) -> bool:
    return nobody_counts(select, context) or has_one_partner(join, context)


def nobody_counts(select: Select, context: Context) -> bool:
    """Whether it does not matter how often a row of FROM and WHERE occurs."""
    plain = select.group is None and select.limit is None
    counted = context.counted and not select.distinct
    return plain and not counted and not any(has_window(item.term) for item in select.items)


def has_one_partner(join: Join, context: Context) -> bool:
    """Whether each row of a join's left side has at most one partner."""
    facts = facts_of(Product((join.left, join.right), join.on), context.knowledge)
    whole = [Term("row", (), (source,)) for source in ids_of(join.left)]
    closure = facts.closure(whole)
    return all(source in closure.rows for source in facts.sources if source in ids_of(join.right))

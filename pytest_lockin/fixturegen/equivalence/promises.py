"""What a query in FROM promises of the rows it gives: its own conditions, in terms of its output columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.queries import Derived, Select, columns_in
from pytest_lockin.fixturegen.equivalence.terms import Term, col, has_aggregate, has_query, has_window

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.fixturegen.equivalence.queries import From


def find_promises(parts: Iterable[From]) -> tuple[Term, ...]:
    """Give conditions that all rows of queries in FROM meet; those of joins' sides are not looked at."""
    return tuple(
        promise
        for part in parts
        if isinstance(part, Derived) and isinstance(part.query, Select)
        for promise in _promises_of(part.id, part.query)
    )


def _promises_of(source: str, select: Select) -> list[Term]:
    """Give a SELECT's conditions that can be said of its outputs.

    Those of HAVING hold for each group; those of WHERE for a group's keys only where it is plain.
    """
    outputs = {item.term: col(source, item.name) for item in select.items}
    asked = list(select.having)
    if select.group is None or select.group.kind == "plain":
        asked += select.source.where
    said = [_say(term, outputs) for term in asked if not has_query(term)]
    return [
        term
        for term in said
        if not has_aggregate(term)
        and not has_window(term)
        and all(column.source == source for column in columns_in(term))
    ]


def _say(term: Term, outputs: dict[Term, Term]) -> Term:
    """Put output columns in the place of what they are, the largest parts first."""
    if term in outputs:
        return outputs[term]
    args = tuple(_say(arg, outputs) if isinstance(arg, Term) else arg for arg in term.args)
    return Term(term.op, args, term.tag)

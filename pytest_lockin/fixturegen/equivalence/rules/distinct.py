"""R6: DISTINCT and UNION over rows that occur once anyway, or whose number nobody asks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.facts import follow_query
from pytest_lockin.fixturegen.equivalence.queries import Select, SetOperation, outputs
from pytest_lockin.fixturegen.equivalence.rules.canon import value_of

if TYPE_CHECKING:
    from pytest_lockin.fixturegen.equivalence.context import Context
    from pytest_lockin.fixturegen.equivalence.queries import Query


def drop_distinct(select: Select, context: Context) -> Select:
    """Leave out a DISTINCT that changes nothing."""
    if not select.distinct:
        return select
    plain = replace(select, distinct=False)
    uncounted = not context.counted and select.limit is None
    return plain if uncounted or gives_no_row_twice(plain, context) else select


def settle_set_operation(query: SetOperation, context: Context) -> SetOperation:
    """Choose ALL or not where it is all the same: ALL where no row occurs twice, not where nobody counts."""
    query = _open_unions(query)
    if query.kind == "union":
        if not context.counted and query.limit is None:
            return _open_unions(replace(query, keep=False))
        return query if query.keep or not _all_differ(query, context) else replace(query, keep=True)
    once = [gives_no_row_twice(branch, context) for branch in query.branches]
    settled = any(once) if query.kind == "intersect" else once[0]
    return replace(query, keep=False) if query.keep and settled else query


def gives_no_row_twice(query: Query, context: Context) -> bool:
    """Whether a query surely gives no row twice."""
    names = frozenset(item.name for item in outputs(query))
    if len(names) < len(outputs(query)):
        return False
    if isinstance(query, SetOperation):
        return not query.keep or (query.kind == "union" and _all_differ(query, context))
    return follow_query(query, names, context.knowledge)[1]


def _open_unions(query: SetOperation) -> SetOperation:
    """Write a union of unions as one, where the outer one decides what is counted."""
    if query.kind != "union":
        return query
    branches: list[Query] = []
    for branch in query.branches:
        inner = isinstance(branch, SetOperation) and branch.kind == "union" and branch.limit is None
        if inner and isinstance(branch, SetOperation) and (branch.keep or not query.keep):
            branches += branch.branches
        else:
            branches.append(branch)
    return replace(query, branches=tuple(branches))


def _all_differ(query: SetOperation, context: Context) -> bool:
    """Whether each branch gives no row twice, and a constant column tells any two branches apart."""
    if not all(gives_no_row_twice(branch, context) for branch in query.branches):
        return False
    labels = [_labels(branch) for branch in query.branches]
    return all(
        any(map(_tell_apart, one, other)) for index, one in enumerate(labels) for other in labels[:index]
    )


def _tell_apart(one: tuple[str, object] | None, other: tuple[str, object] | None) -> bool:
    """Whether two literals differ whatever type the set operation gives them: only within one family."""
    return one is not None and other is not None and one[0] == other[0] and one != other


def _labels(query: Query) -> list[tuple[str, object] | None]:
    """Give the literal in each output column, by family and value; None where it is none."""
    if not isinstance(query, Select):
        return [None for _ in outputs(query)]
    return [_string(value_of(item.term)) for item in query.items]


def _string(value: tuple[str, object] | None) -> tuple[str, object] | None:
    return value if value is not None and value[0] in ("string", "number", "date") else None

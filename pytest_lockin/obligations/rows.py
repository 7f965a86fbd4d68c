"""Which rows count: obligations of joins and predicates."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from pytest_lockin.model.task import Fragment, Kind
from pytest_lockin.obligations.reading import Draft, own, say, say_list, short, unique
from pytest_lockin.sql import branches_of, conjuncts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.obligations.reading import Reader

_SUBQUERIES = (exp.Exists, exp.Subquery)


def derive_rows(reader: Reader, select: Any) -> Iterator[Draft]:
    """Derive what one SELECT requires of the rows it reads."""
    where = select.args.get("where")
    keys, predicates = _sort_conditions(reader, select, conjuncts(where.this if where else None))
    yield from _joins(reader, select, keys)
    for predicate in predicates:
        yield from _predicate(reader, predicate, Fragment.WHERE)
    having = select.args.get("having")
    for predicate in conjuncts(having.this if having else None):
        yield from _predicate(reader, predicate, Fragment.HAVING)
    yield from _nulls(reader, keys, predicates)


def _sort_conditions(reader: Reader, select: Any, conditions: list[Any]) -> tuple[list[Any], list[Any]]:
    """Tell conditions that join two sources from those that test rows; inner joins' ON clauses count too."""
    inner = [join for join in select.args.get("joins") or [] if not join.side]
    conditions = [*conditions, *(each for join in inner for each in conjuncts(join.args.get("on")))]
    shared = [each for condition in conditions for each in _in_every_branch(condition)]
    keys = [each for each in (*conditions, *shared) if is_key(reader, each)]
    return keys, [each for each in conditions if each not in keys]


def _in_every_branch(condition: Any) -> list[Any]:
    """Give the conditions that every branch of an OR repeats: they hold whichever branch does."""
    if not isinstance(condition, exp.Or):
        return []
    first, *others = [conjuncts(branch) for branch in condition.flatten()]
    return [each for each in first if all(each in other for other in others)]


def is_key(reader: Reader, condition: Any) -> bool:
    """Whether a condition equates a column of one source with a column of another one."""
    if not isinstance(condition, (exp.EQ, exp.NullSafeEQ)) or condition.find(*_SUBQUERIES):
        return False
    sides = [
        {reader.source(column) for column in side.find_all(exp.Column)}
        for side in (condition.left, condition.right)
    ]
    return all(len(side) == 1 for side in sides) and sides[0] != sides[1]


def _joins(reader: Reader, select: Any, keys: list[Any]) -> Iterator[Draft]:
    groups: dict[frozenset[str], list[Any]] = defaultdict(list)
    for key in keys:
        groups[frozenset(reader.source(column) for column in key.find_all(exp.Column))].append(key)
    for pair, conditions in groups.items():
        yield Draft(
            kind=Kind.JOIN,
            fragment=Fragment.JOIN_ON,
            text=f"The sources {say_list(sorted(pair))} are inner-joined on "
            f"{say_list(map(say, conditions))}; "
            "rows without a partner drop out.",
            columns=_with_outputs(reader, conditions),
        )
    yield from (_outer(reader, join) for join in select.args.get("joins") or [] if join.side)
    yield from _unkeyed(reader, select, groups)


def _outer(reader: Reader, join: Any) -> Draft:
    on = conjuncts(join.args.get("on"))
    kept = {"LEFT": "rows without a partner are kept", "RIGHT": "its rows without a partner are kept"}
    return Draft(
        kind=Kind.JOIN,
        fragment=Fragment.JOIN_ON,
        text=f"The source {join.alias_or_name} is {join.side.lower()}-joined on {say_list(map(say, on))}; "
        f"{kept.get(join.side, 'rows of both sides without a partner are kept')}.",
        columns=_with_outputs(reader, on),
    )


def _with_outputs(reader: Reader, conditions: list[Any]) -> tuple[str, ...]:
    return unique((*reader.lineage(*conditions), *_named_outputs(reader, conditions)))


def _named_outputs(reader: Reader, nodes: list[Any]) -> Iterator[str]:
    """Give the outputs fed by the columns in these nodes, or by what their own SELECT computes alike."""
    for node in nodes:
        select = node.find_ancestor(exp.Select)
        inside = {part.sql() for part in node.find_all(exp.AggFunc)}
        for place, item in enumerate(select.selects):
            if item.unalias().sql() in inside:
                yield from reader.fed_by(select, place)
        for column in node.find_all(exp.Column):
            source = reader.statement.source_of(column)
            if source is None or isinstance(source, exp.Table):
                continue
            for branch in branches_of(source.expression):
                names = [item.alias_or_name.lower() for item in branch.selects]
                if column.name.lower() in names:
                    yield from reader.fed_by(branch, names.index(column.name.lower()))


def _unkeyed(reader: Reader, select: Any, groups: dict[frozenset[str], list[Any]]) -> Iterator[Draft]:
    """Find sources that nothing relates to another: every row is paired with every row."""
    joins = [join for join in select.args.get("joins") or [] if not join.side]
    related = {source for pair in groups for source in pair}
    scope = reader.statement.scope_of(select)
    for join in joins:
        name = str(join.alias_or_name).lower()
        source = scope.sources.get(join.alias_or_name) if scope is not None else None
        if name in related or source is None or _is_one_row(source) or join.args.get("on"):
            continue
        yield Draft(
            kind=Kind.JOIN,
            fragment=Fragment.JOIN_ON,
            text=f"Every row is paired with every row of {name}, without any key.",
            columns=_group_keys(reader, scope),
        )


def _is_one_row(source: Any) -> bool:
    query = getattr(source, "expression", None)
    return isinstance(query, exp.Select) and query.args.get("group") is None and bool(own(query, exp.AggFunc))


def _group_keys(reader: Reader, scope: Any) -> tuple[str, ...]:
    found = []
    for _, source in scope.selected_sources.values():
        query = getattr(source, "expression", None)
        if isinstance(query, exp.Select) and query.args.get("group"):
            found.append(query.args["group"])
    return reader.lineage(*found)


def _predicate(reader: Reader, node: Any, fragment: Fragment) -> Iterator[Draft]:
    columns = unique((*reader.lineage(node), *_named_outputs(reader, [node])))
    inner = node.find(exp.Query)
    if inner is not None and fragment is Fragment.WHERE and _is_membership(node):
        yield from _membership(node, columns)
        return
    which = "groups" if fragment is Fragment.HAVING else "rows"
    yield Draft(
        kind=Kind.FILTER, fragment=fragment, text=f"Only {which} where {say(node)} count.", columns=columns
    )
    literals = [each for each in node.find_all(exp.Literal) if each.find_ancestor(exp.Query) is not inner]
    if literals:
        values = say_list(unique(each.sql() for each in literals))
        text = f"The constants in {say(node)} are exactly {values}."
        yield Draft(kind=Kind.LITERAL, fragment=fragment, text=text, columns=columns)


def _is_membership(node: Any) -> bool:
    return bool(node.find(exp.Exists)) or any(each.args.get("query") for each in node.find_all(exp.In))


def _membership(node: Any, columns: tuple[str, ...]) -> Iterator[Draft]:
    yield Draft(
        kind=Kind.FILTER,
        fragment=Fragment.WHERE,
        text=f"A row counts only where {say(node)}.",
        columns=columns,
    )
    text = (
        f"The test of {say_list(short(columns))} is an existence test; several matches do not multiply rows."
    )
    yield Draft(kind=Kind.JOIN, fragment=Fragment.WHERE, text=text, columns=columns)


def _nulls(reader: Reader, keys: list[Any], predicates: list[Any]) -> Iterator[Draft]:
    if keys:
        columns = _with_outputs(reader, keys)
        text = f"A row with a missing {_any_of(columns)} matches nothing and drops out."
        yield Draft(kind=Kind.NULL, fragment=Fragment.JOIN_ON, text=text, columns=columns)
    if predicates:
        columns = _with_outputs(reader, predicates)
        text = f"A row whose test of {say_list(short(columns))} comes out missing does not count."
        yield Draft(kind=Kind.NULL, fragment=Fragment.WHERE, text=text, columns=columns)


def _any_of(columns: tuple[str, ...]) -> str:
    *first, last = short(columns)
    return f"{', '.join(first)} or {last}" if first else last

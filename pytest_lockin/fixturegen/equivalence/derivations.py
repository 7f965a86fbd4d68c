"""What a profile's derived columns say: which are copies, and which columns settle which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_lockin.fixturegen.equivalence.queries import columns_in
from pytest_lockin.fixturegen.equivalence.terms import Term, has_query, rewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.fixturegen.equivalence.knowledge import Knowledge


_TOTAL = (
    *("col", "lit", "add", "sub", "mul", "div", "fn:year", "fn:month", "fn:quarter", "fn:day"),
    *("fn:dayofmonth", "fn:dayofweek", "fn:datediff", "fn:floor", "fn:tsordstodate"),
)


def find_copies(table: str, knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    """Give columns that are copies of another one of their table and type, with the original's name."""
    rules = dict(knowledge.remember(("derived", table), lambda: _read_rules(table, knowledge)))
    for name, rule in rules.items():
        original = rules.get(rule.name) if rule.op == "col" else None
        if rule.op == "col" and (original is None or original.op != "col"):
            yield name, rule.name


def find_dependencies(table: str, knowledge: Knowledge) -> tuple[tuple[frozenset[str], str], ...]:
    """Give which columns of a table settle which other one.

    A rule may be read in terms of other derived columns: a month number made of `year(d_date)` and
    `month(d_date)` follows from the columns that hold these.
    """
    return knowledge.remember(("dependencies", table), lambda: _find_dependencies(table, knowledge))


def find_filled(table: str, known: frozenset[str], knowledge: Knowledge) -> frozenset[str]:
    """Give the columns that are not NULL where some are not, by rules that give NULL for NULL and only then.

    A year that is not NULL comes of a date that is not, and so does the month beside it.
    """
    rules = knowledge.remember(("derived", table), lambda: _read_rules(table, knowledge))
    found = set(known)
    before = -1
    while before != len(found):
        before = len(found)
        for name, rule in rules:
            read = {column.name for column in columns_in(rule)}
            if _is_total(rule) and (name in found or read <= found):
                found |= {name, *read}
    return frozenset(found)


def _is_total(rule: Term) -> bool:
    """Whether a rule is NULL exactly where one of its columns is; a divisor is a literal other than 0."""
    if rule.op == "div" and (rule.args[1].op != "lit" or not rule.args[1].tag[1]):
        return False
    return rule.op in _TOTAL and all(_is_total(arg) for arg in rule.args)


def _find_dependencies(table: str, knowledge: Knowledge) -> tuple[tuple[frozenset[str], str], ...]:
    rules = dict(knowledge.remember(("derived", table), lambda: _read_rules(table, knowledge)))
    found: dict[tuple[frozenset[str], str], None] = {}
    for name, rule in rules.items():
        held = {other: Term("col", (), ("", by)) for by, other in rules.items() if by != name}
        shorter = rewrite(rule, lambda part, held=held: held.get(part, part))  # type: ignore[misc]
        for each in (rule, shorter):
            found[frozenset(column.name for column in columns_in(each)), name] = None
    return tuple(found)


def _read_rules(table: str, knowledge: Knowledge) -> tuple[tuple[str, Term], ...]:
    made = []
    for name, text, says in knowledge.derived(table):
        rule = _read(text)
        kind = knowledge.type_of(table, name)
        copies = rule is not None and rule.op == "col"
        if rule is None or has_query(rule) or (copies and knowledge.type_of(table, rule.name) != kind):
            continue
        knowledge.lean(says)
        made.append((name, rule))
    return tuple(made)


def _read(text: str) -> Term | None:
    """Read a rule; None where it has parts that proofs do not know."""
    import sqlglot

    from pytest_lockin.fixturegen.equivalence.expressions import UnsupportedError
    from pytest_lockin.fixturegen.equivalence.reading import read_expression

    try:
        tree: Any = sqlglot.parse_one(text, read="spark")
        return read_expression(tree)
    except (sqlglot.errors.SqlglotError, UnsupportedError):
        return None

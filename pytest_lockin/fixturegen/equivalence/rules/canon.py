"""R1: one form for the ways to write the same expression."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pytest_lockin.fixturegen.equivalence.terms import (
    COMPARISONS,
    FALSE,
    NULL,
    TRUE,
    Term,
    conjuncts,
    lit,
    mirrored,
    walk,
)

_ONE_VALUE = ("int", "decimal")
_WIDEST = 2**31


def canon(term: Term) -> Term:
    """Give the agreed form of a term whose parts have theirs. Value, type and NULLs stay as they are."""
    give = _FORMS.get(term.op)
    return give(term) if give else term


def _all(term: Term) -> Term:
    parts = conjuncts(term.args)
    return parts[0] if len(parts) == 1 else (Term("and", parts) if parts else TRUE)


def _any(term: Term) -> Term:
    parts: dict[Term, None] = {}
    for arg in term.args:
        parts |= dict.fromkeys(arg.args if arg.op == "or" else (arg,))
    parts.pop(FALSE, None)
    if TRUE in parts:
        return TRUE
    found = tuple(sorted(parts, key=str))
    return found[0] if len(found) == 1 else (Term("or", found) if found else FALSE)


def _not(term: Term) -> Term:
    inner = term.args[0]
    if inner in (TRUE, FALSE):
        return FALSE if inner == TRUE else TRUE
    if inner == NULL:
        return NULL
    if inner.op == "not":
        return Term(*_fields(inner.args[0]))
    if inner.op in COMPARISONS:
        return canon(mirrored(inner))
    if inner.op in ("and", "or"):
        args = tuple(canon(Term("not", (arg,))) for arg in inner.args)
        return canon(Term("or" if inner.op == "and" else "and", args))
    return term


def _fields(term: Term) -> tuple[str, tuple[Any, ...], tuple[Any, ...]]:
    return term.op, term.args, term.tag


def _equality(term: Term) -> Term:
    one, other = sorted(term.args, key=str)
    if term.op == "same" and one == other:
        return TRUE
    mine, yours = value_of(one), value_of(other)
    if mine is not None and yours is not None and mine[0] == yours[0]:
        return TRUE if (mine == yours) == (term.op != "ne") else FALSE
    return Term(term.op, (one, other))


def _order(term: Term) -> Term:
    mine, yours = (value_of(arg) for arg in term.args)
    if mine is None or yours is None or mine[0] != yours[0] or mine[0] == "bool":
        return term
    return TRUE if (mine[1] < yours[1] if term.op == "lt" else mine[1] <= yours[1]) else FALSE


def value_of(term: Term) -> tuple[str, Any] | None:
    """Give a literal's family and value; None for other terms, and for doubles."""
    if term.op != "lit" or term.tag[0] == "double":
        return None
    kind, value = term.tag
    return ("number", Decimal(value)) if kind in _ONE_VALUE else (kind, value)


def _list(term: Term) -> Term:
    value, *others = term.args
    wanted = tuple(sorted(dict.fromkeys(others), key=str))
    if len(wanted) == 1:
        return canon(Term("eq", (value, wanted[0])))
    mine, listed = value_of(value), [value_of(each) for each in wanted]
    if mine is not None and all(each is not None and each[0] == mine[0] for each in listed):
        return TRUE if mine in listed else FALSE
    return Term("in", (value, *wanted))


def _sum(term: Term) -> Term:
    one, other = term.args
    if one.op == "lit" and one.tag[0] == "date":
        days = _days(other)
        if days is not None:
            return lit("date", one.tag[1] + (days if term.op == "add" else -days))
    both = [arg.tag[1] for arg in term.args if arg.op == "lit" and arg.tag[0] == "int"]
    if len(both) == len(term.args):
        made = {"add": both[0] + both[1], "sub": both[0] - both[1], "mul": both[0] * both[1]}[term.op]
        if all(-_WIDEST <= value < _WIDEST for value in (*both, made)):
            return lit("int", made)
    return term if term.op == "sub" else Term(term.op, tuple(sorted(term.args, key=str)))


def _days(term: Term) -> int | None:
    if term.op == "interval" and term.tag[0] == "day" and term.tag[1].removeprefix("-").isdigit():
        return int(term.tag[1])
    return int(term.tag[1]) if term.op == "lit" and term.tag[0] == "int" else None


def _null_test(term: Term) -> Term:
    inner = term.args[0]
    if inner == NULL:
        return TRUE
    return FALSE if inner.op == "lit" else term


def _aggregate(term: Term) -> Term:
    name, distinct = term.tag
    if name in ("min", "max") and distinct:
        return Term("agg", term.args, (name, False))
    if name == "count" and not distinct and len(term.args) == 1 and term.args[0].op == "lit":
        return Term("agg", (), term.tag)
    return term


def _partition(term: Term) -> Term:
    return Term("by", tuple(sorted({arg for arg in term.args if arg.op != "lit"}, key=str)))


def _window_order(term: Term) -> Term:
    return Term("keys", first_keys(term.args))


def first_keys(keys: tuple[Term, ...]) -> tuple[Term, ...]:
    """Leave out sort keys that are literals or came before."""
    found: dict[Term, Term] = {}
    for key in keys:
        if key.args[0].op not in ("lit", "null"):
            found.setdefault(key.args[0], key)
    return tuple(found.values())


def _default(term: Term) -> Term:
    return term.args[0] if len(term.args) == 1 else term


def _size(term: Term) -> Term:
    """Write a distance between numbers from the one that comes first: its type is the same both ways."""
    inner = term.args[0]
    if inner.op != "sub" or any(part.op in ("interval", "cast") for part in walk(inner)):
        return term
    return Term(term.op, (Term("sub", tuple(sorted(inner.args, key=str))),), term.tag)


def _part_of_text(term: Term) -> Term:
    """Count from 1 where counted from 0: Spark takes the two for the same place."""
    args = tuple(
        lit("int", 1) if at == 1 and arg == lit("int", 0) else arg for at, arg in enumerate(term.args)
    )
    return Term(term.op, args, term.tag)


_FORMS = {
    "fn:substring": _part_of_text,
    "fn:abs": _size,
    "and": _all,
    "or": _any,
    "not": _not,
    "eq": _equality,
    "ne": _equality,
    "same": _equality,
    "lt": _order,
    "le": _order,
    "in": _list,
    "add": _sum,
    "sub": _sum,
    "mul": _sum,
    "is-null": _null_test,
    "agg": _aggregate,
    "by": _partition,
    "keys": _window_order,
    "coalesce": _default,
}

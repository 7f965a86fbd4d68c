"""Types of expressions as Spark gives them, as far as proofs need them; "" where not known.

Sources: Spark's `Sum`, `Average`, `Coalesce` and `DecimalPrecision` rules (4.x, ANSI mode).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.terms import COMPARISONS, Term, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
INTEGERS = ("tinyint", "smallint", "int", "bigint")
WHOLE = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
MOST = 38
_TRUTHS = (*COMPARISONS, "same", "and", "or", "not", "in", "is-null", "exists", "in-query")


def kind_of(term: Term, column: Callable[[Term], str]) -> str:
    """Give the type of a term; `column` gives those of columns."""
    give = _KINDS.get(term.op)
    if term.op == "col":
        return column(term)
    if term.op in _TRUTHS:
        return "boolean"
    return give(term, column) if give else ""


def same_kind(one: Term, other: Term, column: Callable[[Term], str]) -> bool:
    """Whether two terms surely have one type: it is known, or they are built alike of the same types."""
    mine, yours = kind_of(one, column), kind_of(other, column)
    if mine and yours:
        return mine == yours
    left, right = skeleton(one, column), skeleton(other, column)
    return left == right and not any(part == Term("kind", (), ("",)) for part in _parts(left))


def skeleton(term: Term, column: Callable[[Term], str]) -> Term:
    """Give a term with types in its columns' places: alike skeletons have alike types."""

    def change(part: Term) -> Term:
        if part.op == "col":
            return Term("kind", (), (column(part),))
        return Term("lit", (), (part.tag[0],)) if part.op == "lit" and part.tag[0] != "decimal" else part

    return rewrite(term, change)


def family(kind: str) -> str:
    """Group types within which equal values are one value: not floats, whose zeros differ."""
    if kind in INTEGERS or _DECIMAL.fullmatch(kind):
        return "number"
    return kind if kind in ("string", "date", "boolean") else ""


def widest(kinds: Iterable[str]) -> str:
    """Give the type that COALESCE, CASE and the like make of several."""
    found = list(dict.fromkeys(kinds))
    if not found or "" in found:
        return ""
    while len(found) > 1:
        found[:2] = [_wider(found[0], found[1])]
        if not found[0]:
            return ""
    return found[0]


def _wider(one: str, other: str) -> str:
    if one == other:
        return one
    if one in INTEGERS and other in INTEGERS:
        return max(one, other, key=INTEGERS.index)
    mine, yours = _digits(one), _digits(other)
    if mine is None or yours is None:
        return ""
    scale = max(mine[1], yours[1])
    digits = max(mine[0] - mine[1], yours[0] - yours[1])
    return f"decimal({digits + scale},{scale})" if digits + scale <= MOST else ""


def _digits(kind: str) -> tuple[int, int] | None:
    match = _DECIMAL.fullmatch(kind)
    if match:
        return int(match[1]), int(match[2])
    return (WHOLE[kind], 0) if kind in WHOLE else None


def _parts(term: Term) -> list[Term]:
    return [term, *(part for arg in term.args if isinstance(arg, Term) for part in _parts(arg))]


def _of_literal(term: Term, _: Callable[[Term], str]) -> str:
    kind, value = term.tag
    if kind == "int":
        return "int" if -(2**31) <= value < 2**31 else "bigint"
    if kind == "decimal":
        whole, _dot, part = str(value).lstrip("-").partition(".")
        digits = whole.lstrip("0") + part
        return f"decimal({max(len(digits), len(part), 1)},{len(part)})"
    return "boolean" if kind == "bool" else str(kind)


def _of_aggregate(term: Term, column: Callable[[Term], str]) -> str:
    name = term.tag[0]
    if name == "count":
        return "bigint"
    inner = kind_of(term.args[0], column) if term.args else ""
    if name in ("min", "max"):
        return inner
    digits = _DECIMAL.fullmatch(inner)
    if name == "sum":
        if digits:
            return f"decimal({min(int(digits[1]) + 10, MOST)},{digits[2]})"
        return "bigint" if inner in INTEGERS else ("double" if inner in ("float", "double") else "")
    if name == "avg" and digits and int(digits[1]) + 4 <= MOST:
        return f"decimal({int(digits[1]) + 4},{int(digits[2]) + 4})"
    return "double" if name == "avg" and inner in (*INTEGERS, "float", "double") else ""


def _of_values(values: Iterable[Term], column: Callable[[Term], str]) -> str:
    return widest(kind_of(value, column) for value in values if value.op != "null")


def _of_arithmetic(term: Term, column: Callable[[Term], str]) -> str:
    kinds = [kind_of(arg, column) for arg in term.args]
    if all(kind in INTEGERS for kind in kinds):
        return widest(kinds) if term.op != "div" else "double"
    sides = [_operand(arg, kind) for arg, kind in zip(term.args, kinds, strict=True)]
    if any(side is None for side in sides):
        return ""
    (p1, s1), (p2, s2) = (side for side in sides if side is not None)
    scale = {"add": max(s1, s2), "sub": max(s1, s2), "mul": s1 + s2}.get(term.op, max(6, s1 + p2 + 1))
    digits = {"mul": p1 + p2 + 1 - scale, "div": p1 - s1 + s2}.get(term.op, max(p1 - s1, p2 - s2) + 1)
    if digits + scale > MOST:
        scale = max(MOST - digits, min(scale, 6))
        digits = min(digits, MOST - scale)
    return f"decimal({digits + scale},{scale})"


def _operand(term: Term, kind: str) -> tuple[int, int] | None:
    """Give the digits and places of an operand beside a decimal: a literal takes as few as it needs."""
    if term.op == "lit" and term.tag[0] == "int":
        return len(str(abs(term.tag[1]))), 0
    return _digits(kind)


def _string_of(term: Term, column: Callable[[Term], str]) -> str:
    """Give `string` where an argument is one: the functions that may also take and give bytes then do not."""
    return "string" if kind_of(term.args[0], column) == "string" else ""


_KINDS: dict[str, Callable[[Term, Callable[[Term], str]], str]] = {
    "lit": _of_literal,
    "agg": _of_aggregate,
    "over": _of_aggregate,
    "window": lambda term, column: kind_of(term.args[0], column),
    "fn:rank": lambda _, __: "int",
    "fn:denserank": lambda _, __: "int",
    "fn:rownumber": lambda _, __: "int",
    "fn:abs": lambda term, column: kind_of(term.args[0], column),
    "fn:substring": _string_of,
    "fn:upper": _string_of,
    "fn:lower": _string_of,
    "fn:dpipe": _string_of,
    "grouping": lambda _, __: "tinyint",
    "cast": lambda term, _: str(term.tag[0]),
    "coalesce": lambda term, column: _of_values(term.args, column),
    "case": lambda term, column: _of_values((*term.args[1::2], term.args[-1]), column),
    "add": _of_arithmetic,
    "sub": _of_arithmetic,
    "mul": _of_arithmetic,
    "div": _of_arithmetic,
    "neg": lambda term, column: kind_of(term.args[0], column),
}

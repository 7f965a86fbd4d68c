"""Expressions as proofs see them: small frozen trees, equal when they are the same expression."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Term:
    """An expression. Terms are compared, hashed and sorted by their text, which is made once: they are many.

    Attributes:
        op: what it is: `col`, `lit`, `null`, `and`, `eq`, `agg`, `window`, or the name of a function.
        args: its parts: terms, and for `exists`, `in-query` and `scalar` a query.
        tag: what is not an expression: a column's source and name, a literal's kind and value, flags.
    """

    op: str
    args: tuple[Any, ...] = ()
    tag: tuple[Any, ...] = ()
    text: str = field(init=False)

    def __post_init__(self) -> None:
        parts = ",".join(map(repr, self.args))
        object.__setattr__(self, "text", f"{self.op}{self.tag!r}({parts})")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Term) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return self.text

    @property
    def source(self) -> str:
        """The id of the source a column is read from."""
        return str(self.tag[0])

    @property
    def name(self) -> str:
        """A column's name."""
        return str(self.tag[1])


NULL = Term("null")
TRUE = Term("lit", tag=("bool", True))
FALSE = Term("lit", tag=("bool", False))
COMPARISONS = ("eq", "ne", "lt", "le")
QUERIES = ("exists", "in-query", "scalar")


def col(source: str, name: str) -> Term:
    """Give a column of a source."""
    return Term("col", tag=(source, name))


def lit(kind: str, value: object) -> Term:
    """Give a literal; kinds are `int`, `decimal`, `double`, `string`, `bool` and `date` (days)."""
    return Term("lit", tag=(kind, value))


def walk(term: Any) -> Iterator[Term]:
    """Give a term and all terms in it; queries inside are not entered."""
    if isinstance(term, Term):
        yield term
        for arg in term.args:
            yield from walk(arg)


def rewrite(term: Term, change: Callable[[Term], Term]) -> Term:
    """Change a term from the inside out; queries inside are left as they are."""
    args = tuple(rewrite(arg, change) if isinstance(arg, Term) else arg for arg in term.args)
    return change(term if args == term.args else Term(term.op, args, term.tag))


def has_aggregate(term: Term) -> bool:
    """Whether it is computed from a group of rows."""
    return any(part.op == "agg" for part in walk(term))


def has_window(term: Term) -> bool:
    """Whether it is computed from neighbouring rows."""
    return any(part.op == "window" for part in walk(term))


def has_query(term: Term) -> bool:
    """Whether it reads other rows through a subquery."""
    return any(part.op in QUERIES for part in walk(term))


def conjuncts(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Give the parts of an AND of terms, each once, in a fixed order; those that are TRUE are left out."""
    found: dict[Term, None] = {}
    for term in terms:
        for part in _parts(term):
            if part != TRUE:
                found[part] = None
    return (FALSE,) if FALSE in found else tuple(sorted(found, key=str))


def _parts(term: Term) -> Iterator[Term]:
    if term.op == "and":
        for arg in term.args:
            yield from _parts(arg)
    else:
        yield term


def mirrored(term: Term) -> Term:
    """Give the opposite of a comparison; the same NULLs make both unknown."""
    left, right = term.args
    if term.op in ("eq", "ne"):
        return Term("ne" if term.op == "eq" else "eq", term.args)
    return Term("le" if term.op == "lt" else "lt", (right, left))

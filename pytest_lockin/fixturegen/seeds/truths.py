"""Conditions of SQL as terms: comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, NULL tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import z3
from sqlglot import exp

from pytest_lockin.fixturegen.seeds.strings import matches
from pytest_lockin.fixturegen.seeds.terms import Truth, Value, both, either, known, never

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_lockin.fixturegen.seeds.scalars import Scalars
    from pytest_lockin.fixturegen.seeds.strings import Strings

_SIGNS: dict[Any, Callable[[Any, Any], Any]] = {
    exp.EQ: lambda a, b: a == b,
    exp.NEQ: lambda a, b: a != b,
    exp.LT: lambda a, b: a < b,
    exp.LTE: lambda a, b: a <= b,
    exp.GT: lambda a, b: a > b,
    exp.GTE: lambda a, b: a >= b,
}


class Truths:
    """Translates conditions.

    Args:
        subquery: translates `exists` and `in (select ...)`: node -> truth.
        noted: is told of each OR and each comparison of two computed numbers, for goals.
    """

    def __init__(
        self,
        *,
        strings: Strings,
        subquery: Callable[[Any], Truth],
        noted: Callable[[str, Any, tuple[Any, ...]], None],
    ) -> None:
        self.strings = strings
        self.subquery = subquery
        self.noted = noted
        self.scalars: Scalars

    def truth(self, node: Any) -> Truth:
        """Translate one condition; what cannot be said is free to be either."""
        if isinstance(node, (exp.Paren, exp.Alias)):
            return self.truth(node.this)
        if isinstance(node, exp.And):
            return self._and(self.truth(node.this), self.truth(node.expression))
        if isinstance(node, exp.Or):
            return self._or(node)
        if isinstance(node, exp.Not):
            inner = self.truth(node.this)
            return Truth(true=inner.false, false=inner.true, hard=inner.hard)
        if isinstance(node, (exp.Exists, exp.In)) and (
            isinstance(node, exp.Exists) or node.args.get("query")
        ):
            return self.subquery(node)
        return self._plain(node)

    def _plain(self, node: Any) -> Truth:
        if type(node) in _SIGNS:
            return self.compare(node, self.scalars.value(node.this), self.scalars.value(node.expression))
        known_kinds: dict[Any, Callable[[Any], Truth]] = {
            exp.NullSafeEQ: self._null_safe,
            exp.Between: self._between,
            exp.In: self._in,
            exp.Is: self._is_null,
            exp.Like: self._like,
        }
        if type(node) in known_kinds:
            return known_kinds[type(node)](node)
        free = self.scalars.names.boolean("some")
        return Truth(true=free, false=z3.Not(free), hard=True)

    def _null_safe(self, node: Any) -> Truth:
        same = self.same(self.scalars.value(node.this), self.scalars.value(node.expression))
        return Truth(true=same, false=z3.Not(same))

    def _between(self, node: Any) -> Truth:
        low = exp.GTE(this=node.this, expression=node.args["low"])
        high = exp.LTE(this=node.this, expression=node.args["high"])
        return self._and(self.truth(low), self.truth(high))

    def _and(self, left: Truth, right: Truth) -> Truth:
        return Truth(
            true=z3.And(left.true, right.true),
            false=z3.Or(left.false, right.false),
            hard=left.hard or right.hard,
        )

    def _or(self, node: Any) -> Truth:
        parts = [self.truth(part) for part in node.flatten()]
        self.noted("or", node, tuple(part.true for part in parts))
        return Truth(
            true=z3.Or(*(part.true for part in parts)),
            false=z3.And(*(part.false for part in parts)),
            hard=any(part.hard for part in parts),
        )

    def compare(self, node: Any, left: Value, right: Value) -> Truth:
        """Compare two values by the sign of a node."""
        left, right = self._alike(left, right)
        sign = _SIGNS[type(node)]
        there = known(left.null, right.null)
        found = sign(left.term, right.term)
        if left.constant is None and right.constant is None and "num" in (left.kind, right.kind):
            self.noted("compare", node, (left.term, right.term))
        return Truth(true=both(found, there), false=both(z3.Not(found), there), hard=left.hard or right.hard)

    def _alike(self, left: Value, right: Value) -> tuple[Value, Value]:
        kinds = {left.kind, right.kind}
        for kind in ("date", "num", "int"):
            if kind in kinds and "str" in kinds:
                return self.scalars.as_kind(left, kind), self.scalars.as_kind(right, kind)
        return left, right

    def same(self, left: Value, right: Value) -> Any:
        """Give the condition that two values are equal or both NULL."""
        left, right = self._alike(left, right)
        if left.null is None and right.null is None:
            return left.term == right.term
        no = never()
        nulls = [value.null if value.null is not None else no for value in (left, right)]
        return z3.Or(z3.And(*nulls), z3.And(z3.Not(z3.Or(*nulls)), left.term == right.term))

    def _in(self, node: Any) -> Truth:
        value = self.scalars.value(node.this)
        parts = [self.compare(exp.EQ(), value, self.scalars.value(each)) for each in node.expressions]
        return Truth(
            true=z3.Or(*(part.true for part in parts)),
            false=z3.And(*(part.false for part in parts)),
            hard=value.hard,
        )

    def _is_null(self, node: Any) -> Truth:
        value = self.scalars.value(node.this)
        null = value.null if value.null is not None else never()
        return Truth(true=null, false=z3.Not(null))

    def _like(self, node: Any) -> Truth:
        value = self.scalars.value(node.this)
        pattern = node.expression.name
        numbers = [self.strings.numbers[text] for text in value.texts if matches(pattern, text)]
        found = either(*(value.term == number for number in numbers))
        if found is None:
            found = never()
        there = known(value.null)
        return Truth(true=both(found, there), false=both(z3.Not(found), there), hard=value.hard)

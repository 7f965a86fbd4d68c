"""Aggregates and windows over a group of one symbolic row, or set free where a group needs several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import z3
from sqlglot import exp

from pytest_lockin.fixturegen.seeds.terms import Value

if TYPE_CHECKING:
    from pytest_lockin.fixturegen.seeds.building import Builder, Instance, Several

_SAME = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.First, exp.Last, exp.AnyValue)
_RANKS = (exp.Rank, exp.RowNumber, exp.DenseRank, exp.PercentRank, exp.Ntile)
_MOST_ROWS = 40
_MOST_RANK = 5


class Aggregates:
    """Translates aggregates and windows; remembers which SELECTs count their rows."""

    def __init__(self, builder: Builder, *, loose: bool) -> None:
        self.builder = builder
        self.loose = loose
        self.counts: list[Several] = []
        self._counted: dict[int, Any] = {}
        self._ranks: dict[int, Value] = {}

    def value(self, node: Any, instance: Instance | None) -> Value | None:
        """Translate an aggregate or a window; None for another node."""
        if isinstance(node, exp.Window):
            return self._window(node, instance)
        if isinstance(node, exp.Grouping):
            return self.builder.scalars.constant(0)
        if isinstance(node, exp.Count):
            return self._count(instance)
        if isinstance(node, exp.Distinct):
            return self.builder.scalars.value(node.expressions[0])
        if isinstance(node, _SAME):
            inner = self.builder.scalars.value(node.this)
            return self._free(inner) if self.loose and isinstance(node, (exp.Sum, exp.Avg)) else inner
        return self.builder.scalars.unknown("num") if isinstance(node, exp.AggFunc) else None

    def _free(self, inner: Value) -> Value:
        """Give what several rows may add up to: anything of the same sign."""
        made = self.builder.scalars.unknown("num")
        return Value(term=made.term, kind="num", null=inner.null, hard=True)

    def _count(self, instance: Instance | None) -> Value:
        """Give how many rows the SELECT's group has."""
        from pytest_lockin.fixturegen.seeds.building import Several

        if instance is None:
            return self.builder.scalars.unknown("num")
        key = id(instance)
        if key not in self._counted:
            count = self.builder.names.integer("rows")
            self.builder.say(z3.And(count >= 1, count <= _MOST_ROWS))
            self.counts.append(Several(count=count, rows=tuple(instance.rows)))
            self._counted[key] = (count, instance)
        return Value(term=self._counted[key][0], kind="int")

    def _window(self, node: Any, instance: Instance | None) -> Value:
        inner = node.this
        if isinstance(inner, _RANKS):
            return self._rank()
        if isinstance(inner, (exp.Lag, exp.Lead)):
            return self.builder.scalars.unknown("num")
        found = self.value(inner, instance)
        if found is None:
            return self.builder.scalars.unknown("num")
        return self._free(found) if self.loose and not isinstance(inner, exp.Count) else found

    def _rank(self) -> Value:
        if not self.loose:
            return self.builder.scalars.constant(1)
        made = self.builder.names.integer("rank")
        self.builder.say(z3.And(made >= 1, made <= _MOST_RANK))
        return Value(term=made, kind="int", hard=True)

"""Scalar expressions of SQL as terms: columns, arithmetic, CASE, functions of dates and strings."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import z3
from sqlglot import exp

from pytest_lockin.fixturegen.constants import days_of, fold, to_date
from pytest_lockin.fixturegen.days import to_days
from pytest_lockin.fixturegen.seeds.strings import apply_function
from pytest_lockin.fixturegen.seeds.terms import Truth, Value, always, both, either, never, split_date

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_lockin.fixturegen.seeds.strings import Strings
    from pytest_lockin.fixturegen.seeds.terms import Names

_WRAPPERS = (exp.Paren, exp.Alias, exp.Round, exp.TsOrDsToDate)


class Scalars:
    """Translates scalar expressions; whatever it cannot say becomes a free, hard value.

    Args:
        column: gives the value of a column node.
        truth: translates a condition.
        other: translates aggregates, windows and subqueries; None for what it does not know either.
        say: takes a condition that must hold.
    """

    def __init__(
        self,
        *,
        names: Names,
        strings: Strings,
        column: Callable[[Any], Value],
        truth: Callable[[Any], Truth],
        other: Callable[[Any], Value | None],
        say: Callable[[Any], None],
    ) -> None:
        self.names = names
        self.strings = strings
        self.column = column
        self.truth = truth
        self.other = other
        self.say = say

    def value(self, node: Any) -> Value:
        """Translate one expression."""
        constant = fold(node)
        if constant is not None:
            return self.constant(constant)
        if isinstance(node, exp.Null):
            return Value(term=z3.IntVal(0), kind="null", null=always())
        if isinstance(node, _WRAPPERS):
            return self.value(node.this)
        for kinds, make in self._makers():
            if isinstance(node, kinds):
                return make(node)
        return self.other(node) or self.unknown("num")

    def _makers(self) -> tuple[tuple[Any, Callable[[Any], Value]], ...]:
        return (
            (exp.Column, self.column),
            (exp.Cast, self._cast),
            (exp.Neg, lambda node: self._computed(lambda x: -x, self.value(node.this))),
            (exp.Abs, lambda node: self._computed(lambda x: z3.If(x < 0, -x, x), self.value(node.this))),
            ((exp.Add, exp.Sub), self._sum),
            (exp.Mul, self._product),
            (exp.Div, self._ratio),
            (exp.Mod, lambda node: self._divided(node, lambda x, n: x % n)),
            (exp.Floor, self._floor),
            ((exp.Year, exp.Month, exp.Day, exp.DayOfMonth, exp.Quarter), self._date_part),
            (exp.DayOfWeek, self._weekday),
            (exp.DateDiff, self._days_between),
            (exp.Case, self._case),
            (exp.Coalesce, self._coalesce),
            ((exp.Substring, exp.Upper, exp.Lower, exp.Trim), self._text),
            ((exp.DPipe, exp.Concat), lambda _: self.unknown("str")),
        )

    def constant(self, value: Any) -> Value:
        """Give a known value; a text nobody else mentions has no number of its own."""
        if isinstance(value, str):
            number = self.strings.numbers.get(value, -1)
            return Value(term=z3.IntVal(number), kind="str", constant=value, texts=(value,))
        if isinstance(value, date):
            return Value(term=z3.IntVal(to_days(value)), kind="date", constant=value)
        if isinstance(value, Decimal):
            return Value(term=z3.RealVal(str(value)), kind="num", constant=value)
        return Value(term=z3.IntVal(value), kind="int", constant=value)

    def unknown(self, kind: str) -> Value:
        """Give a free value that stands in for what cannot be said."""
        term = self.names.real("some") if kind == "num" else self.names.integer("some")
        return Value(term=term, kind=kind, hard=True)

    def as_kind(self, value: Value, kind: str) -> Value:
        """Read a constant text as a date where it meets one; other values stay."""
        if kind == "date" and value.kind == "str" and (day := to_date(value.constant)) is not None:
            return self.constant(day)
        if kind in ("int", "num") and value.kind == "str" and value.constant is not None:
            try:
                return self.constant(Decimal(value.constant))
            except ArithmeticError:
                return self.unknown("num")
        if kind == "str" and value.kind in ("int", "num", "date"):
            return self.unknown("str")
        return value

    def _cast(self, node: Any) -> Value:
        inner = self.value(node.this)
        return self.as_kind(inner, "date") if node.to.is_type("date") else inner

    def _computed(self, function: Callable[..., Any], *values: Value, kind: str = "") -> Value:
        if any(value.kind == "str" for value in values):
            return self.unknown("num")
        return Value(
            term=function(*(value.term for value in values)),
            kind=kind or ("num" if any(value.kind == "num" for value in values) else "int"),
            null=either(*(value.null for value in values)),
            hard=any(value.hard for value in values),
        )

    def _sum(self, node: Any) -> Value:
        sign = 1 if isinstance(node, exp.Add) else -1
        left = self.value(node.this)
        days = days_of(node.expression)
        if days is not None:
            day = self.as_kind(left, "date")
            return Value(term=day.term + sign * days, kind="date", null=day.null, hard=day.hard)
        right = self.value(node.expression)
        kind = "date" if left.kind == "date" and right.kind == "int" else ""
        return self._computed(lambda a, b: a + sign * b, left, right, kind=kind)

    def _product(self, node: Any) -> Value:
        left, right = self.value(node.this), self.value(node.expression)
        if left.constant is None and right.constant is None:
            return self._beyond(either(left.null, right.null))
        return self._computed(lambda a, b: a * b, left, right)

    def _beyond(self, null: Any) -> Value:
        """Give a free number for a product or ratio of two variables: solvers lose themselves in these.

        Runs of the statement decide then which values do.
        """
        free = self.unknown("num")
        return Value(term=free.term, kind="num", null=null, hard=True)

    def _ratio(self, node: Any) -> Value:
        left, right = self.value(node.this), self.value(node.expression)
        if "str" in (left.kind, right.kind):
            return self.unknown("num")
        if not isinstance(right.constant, (int, Decimal)) or not right.constant:
            return self._beyond(either(left.null, right.null, right.term == 0))
        above = z3.ToReal(left.term) if z3.is_int(left.term) else left.term
        return Value(term=above / z3.RealVal(str(right.constant)), kind="num", null=left.null, hard=left.hard)

    def _divided(self, node: Any, function: Callable[[Any, Any], Any]) -> Value:
        left, right = self.value(node.this), self.value(node.expression)
        if left.kind != "int" or not isinstance(right.constant, int) or right.constant <= 0:
            return self.unknown("num")
        # Whole division rounds down here and towards zero in SQL: the same from zero up.
        return Value(term=function(left.term, right.constant), kind="int", null=left.null, hard=left.hard)

    def _floor(self, node: Any) -> Value:
        inner = node.this.unnest()
        if isinstance(inner, exp.Div):
            return self._divided(inner, lambda x, n: x / n)
        value = self.value(inner)
        whole = value.term if z3.is_int(value.term) else z3.ToInt(value.term)
        return Value(term=whole, kind="int", null=value.null, hard=value.hard)

    def _date_part(self, node: Any) -> Value:
        day = self.as_kind(self.value(node.this), "date")
        if day.kind != "date":
            return self.unknown("int")
        parts, conditions = split_date(day.term, self.names)
        for condition in conditions:
            self.say(condition)
        if isinstance(node, exp.Year):
            term = parts.year
        elif isinstance(node, exp.Month):
            term = parts.month
        else:
            term = (parts.month + 2) / 3 if isinstance(node, exp.Quarter) else parts.day
        return Value(term=term, kind="int", null=day.null, hard=day.hard)

    def _weekday(self, node: Any) -> Value:
        """Sunday is 1; the day dates are counted from was a Wednesday."""
        day = self.as_kind(self.value(node.this), "date")
        return Value(term=(day.term + 3) % 7 + 1, kind="int", null=day.null, hard=day.hard)

    def _days_between(self, node: Any) -> Value:
        left, right = (self.as_kind(self.value(side), "date") for side in (node.this, node.expression))
        return self._computed(lambda a, b: a - b, left, right, kind="int")

    def _case(self, node: Any) -> Value:
        arms = [(self._arm(node, arm), self.value(arm.args["true"])) for arm in node.args["ifs"]]
        default = node.args.get("default")
        found = self.value(default if default is not None else exp.Null())
        for test, value in reversed(arms):
            found = self.choose(test.true, value, found, hard=test.hard)
        return found

    def _arm(self, node: Any, arm: Any) -> Truth:
        return self.truth(arm.this if node.this is None else exp.EQ(this=node.this, expression=arm.this))

    def choose(self, test: Any, this: Value, that: Value, *, hard: bool = False) -> Value:
        """Give `this` where the test is true, else `that`."""
        kind = that.kind if this.kind == "null" else this.kind
        this, that = self.as_kind(this, kind), self.as_kind(that, kind)
        null = None
        if this.null is not None or that.null is not None:
            null = z3.If(test, *(never() if each.null is None else each.null for each in (this, that)))
        return Value(
            term=z3.If(test, this.term, that.term),
            kind=kind,
            null=null,
            hard=hard or this.hard or that.hard,
            column=this.column if this.column == that.column else "",
            texts=(*this.texts, *that.texts) if this.texts and that.texts else (),
        )

    def _coalesce(self, node: Any) -> Value:
        values = [self.value(each) for each in (node.this, *node.expressions)]
        found = values[-1]
        for value in reversed(values[:-1]):
            if value.null is None:
                found = value
                continue
            found = self.choose(value.null, found, Value(term=value.term, kind=value.kind, hard=value.hard))
        nulls = [value.null for value in values]
        return replace(found, null=None if None in nulls else both(*nulls))

    def _text(self, node: Any) -> Value:
        inner = self.value(node.this)
        if inner.constant is not None:
            return self.constant(apply_function(node, str(inner.constant)))
        if not inner.texts or inner.kind != "str":
            return self.unknown("str")
        term = z3.IntVal(-1)
        images: dict[str, None] = {}
        for text in dict.fromkeys(inner.texts):
            image = apply_function(node, text)
            images[image] = None
            number = self.strings.numbers.get(image, -1)
            term = z3.If(inner.term == self.strings.numbers.get(text, -1), number, term)
        return Value(term=term, kind="str", null=inner.null, hard=inner.hard, texts=tuple(images))

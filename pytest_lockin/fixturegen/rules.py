"""Rules of derived columns, worked out for one row: a small part of Spark's SQL, with its NULLs."""

from __future__ import annotations

import calendar
import math
import operator
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

from pytest_lockin.errors import FixturesError
from pytest_lockin.model.fixture import Cell

Row = Mapping[str, Cell]
Rule = Callable[[Row], Any]


@cache
def read_rule(text: str) -> Rule:
    """Make a function of a row (lower-cased column names) out of an expression; NULL is None.

    Knows columns, literals, arithmetic, comparisons, CASE, BETWEEN, IN, COALESCE, IS NULL and the common
    functions of dates and strings.

    Raises:
        FixturesError: the expression does not parse, or uses something else.
    """
    import sqlglot

    try:
        return _compile(sqlglot.parse_one(text, read="spark"))
    except (sqlglot.errors.SqlglotError, KeyError, AttributeError, ValueError):
        raise FixturesError(
            expected="a rule of columns, literals, arithmetic, CASE and common functions",
            found=f"`{text}`",
            hint="simplify the rule under `derived` in task.yaml, or leave it out",
        ) from None


@cache
def columns_of(text: str) -> tuple[str, ...]:
    """Name the columns a rule reads, lower-cased, each once."""
    import sqlglot
    from sqlglot import exp

    found = sqlglot.parse_one(text, read="spark").find_all(exp.Column)
    return tuple(dict.fromkeys(node.name.lower() for node in found))


def _compile(node: Any) -> Rule:
    return _MAKERS[node.key](node)


def _column(node: Any) -> Rule:
    name = node.name.lower()
    return lambda row: row.get(name)


def _literal(node: Any) -> Rule:
    value: Cell = node.this if node.is_string else (int(node.this) if node.is_int else Decimal(node.this))
    return lambda _: value


def _through(node: Any) -> Rule:
    return _compile(node.this)


def _date(node: Any) -> Rule:
    inner = _compile(node.this)
    return lambda row: _to_date(inner(row))


def _cast(node: Any) -> Rule:
    kinds: dict[str, Callable[[Any], Any]] = {
        "date": _to_date,
        "text": str,
        "varchar": str,
        "int": int,
        "bigint": int,
    }
    return _strict(kinds[node.to.this.value.lower()], node.this)


def _strict(function: Callable[..., Any], *parts: Any) -> Rule:
    """Apply a function to the parts' values; NULL where one of them is."""
    rules = [_compile(part) for part in parts]

    def work(row: Row) -> Any:
        values = [rule(row) for rule in rules]
        return None if None in values else function(*values)

    return work


def _unary(function: Callable[[Any], Any]) -> Callable[[Any], Rule]:
    return lambda node: _strict(function, node.this)


def _binary(function: Callable[[Any, Any], Any]) -> Callable[[Any], Rule]:
    return lambda node: _strict(function, node.this, node.expression)


def _case(node: Any) -> Rule:
    base = node.args.get("this")
    arms = [
        (
            _strict(operator.eq, base, arm.this) if base is not None else _compile(arm.this),
            _compile(arm.args["true"]),
        )
        for arm in node.args["ifs"]
    ]
    default = node.args.get("default")
    otherwise = _compile(default) if default is not None else _null
    return lambda row: next((value for test, value in arms if test(row) is True), otherwise)(row)


def _in(node: Any) -> Rule:
    values = [_compile(each) for each in node.expressions]
    inner = _compile(node.this)

    def work(row: Row) -> bool | None:
        found, known = inner(row), [value(row) for value in values]
        if found is None:
            return None
        return True if found in known else (None if None in known else False)

    return work


def _between(node: Any) -> Rule:
    return _strict(lambda v, low, high: low <= v <= high, node.this, node.args["low"], node.args["high"])


def _and(node: Any) -> Rule:
    left, right = _compile(node.this), _compile(node.expression)

    def work(row: Row) -> bool | None:
        values = (left(row), right(row))
        return False if False in values else (None if None in values else True)

    return work


def _or(node: Any) -> Rule:
    left, right = _compile(node.this), _compile(node.expression)

    def work(row: Row) -> bool | None:
        values = (left(row), right(row))
        return True if True in values else (None if None in values else False)

    return work


def _is(node: Any) -> Rule:
    inner = _compile(node.this)
    return lambda row: inner(row) is None


def _coalesce(node: Any) -> Rule:
    rules = [_compile(each) for each in (node.this, *node.expressions)]
    return lambda row: next((value for rule in rules if (value := rule(row)) is not None), None)


def _concat(node: Any) -> Rule:
    return _strict(lambda *parts: "".join(str(part) for part in parts), *node.expressions)


def _substring(node: Any) -> Rule:
    length = node.args.get("length")
    parts = [node.this, node.args["start"], *([length] if length is not None else [])]
    return _strict(lambda text, start, size=None: text[start - 1 :][:size], *parts)


def _null(_: Any) -> None:
    return None


def _to_date(value: Any) -> date | None:
    return date.fromisoformat(value) if isinstance(value, str) else value


def _divide(left: Any, right: Any) -> Decimal | float | None:
    if right == 0:
        return None
    return (
        left / right
        if isinstance(left, float) or isinstance(right, float)
        else Decimal(left) / Decimal(right)
    )


def _modulo(left: Any, right: Any) -> Any:
    return None if right == 0 else left - right * math.trunc(_divide(left, right) or 0)


def _weekday(value: date) -> int:
    """Give the day of the week as Spark counts: Sunday is 1."""
    return value.isoweekday() % 7 + 1


def _last_day(value: date) -> date:
    return value.replace(day=calendar.monthrange(value.year, value.month)[1])


_MAKERS: dict[str, Callable[[Any], Rule]] = {
    "column": _column,
    "literal": _literal,
    "null": lambda _: _null,
    "boolean": lambda node: lambda _: bool(node.this),
    "paren": _through,
    "tsordstodate": _date,
    "cast": _cast,
    "trycast": _cast,
    "neg": _unary(operator.neg),
    "not": _unary(operator.not_),
    "add": _binary(operator.add),
    "sub": _binary(operator.sub),
    "mul": _binary(operator.mul),
    "div": _binary(_divide),
    "mod": _binary(_modulo),
    "eq": _binary(operator.eq),
    "neq": _binary(operator.ne),
    "lt": _binary(operator.lt),
    "lte": _binary(operator.le),
    "gt": _binary(operator.gt),
    "gte": _binary(operator.ge),
    "and": _and,
    "or": _or,
    "is": _is,
    "in": _in,
    "between": _between,
    "case": _case,
    "coalesce": _coalesce,
    "concat": _concat,
    "dpipe": lambda node: _strict(lambda a, b: f"{a}{b}", node.this, node.expression),
    "substring": _substring,
    "upper": _unary(str.upper),
    "lower": _unary(str.lower),
    "trim": _unary(str.strip),
    "length": _unary(len),
    "abs": _unary(abs),
    "floor": _unary(math.floor),
    "ceil": _unary(math.ceil),
    "year": _unary(lambda value: value.year),
    "month": _unary(lambda value: value.month),
    "day": _unary(lambda value: value.day),
    "dayofmonth": _unary(lambda value: value.day),
    "dayofweek": _unary(_weekday),
    "quarter": _unary(lambda value: (value.month + 2) // 3),
    "lastday": _unary(_last_day),
    "datediff": _binary(lambda left, right: (left - right).days),
}

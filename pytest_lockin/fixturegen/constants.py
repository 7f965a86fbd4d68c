"""Constant expressions of a statement worked out: `2000 + 1`, a date plus an interval of days."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from sqlglot import exp

Constant = int | Decimal | str | date | None


def fold(node: Any) -> Constant:
    """Give a constant's value; None where it is not one, or NULL."""
    if isinstance(node, (exp.Paren, exp.Alias)):
        return fold(node.this)
    if isinstance(node, exp.Literal):
        return _literal(node)
    if isinstance(node, exp.Neg):
        inner = fold(node.this)
        return -inner if isinstance(inner, (int, Decimal)) else None
    if isinstance(node, exp.Cast):
        return _cast(fold(node.this), node.to)
    if isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Div)):
        return _arithmetic(node)
    return None


def _literal(node: Any) -> Constant:
    if node.is_string:
        return str(node.this)
    return int(node.this) if node.is_int else Decimal(node.this)


def _cast(value: Constant, kind: Any) -> Constant:
    if kind.is_type("date"):
        return to_date(value)
    if isinstance(value, str) and kind.is_type("int", "bigint", "smallint"):
        return int(value) if value.lstrip("-").isdigit() else None
    return value


def to_date(value: Constant) -> date | None:
    """Read a date from its text; None for what is none."""
    if isinstance(value, date):
        return value
    try:
        parts = [int(part) for part in str(value).split("-")]
        return date(*parts) if len(parts) == len("ymd") else None
    except ValueError:
        return None


def days_of(node: Any) -> int | None:
    """Give the length of an interval in days; None for other nodes and units."""
    if not isinstance(node, exp.Interval) or node.this is None:
        return None
    unit = str(node.args.get("unit") or "").lower().rstrip("s")
    each = {"day": 1, "week": 7}.get(unit)
    count = str(node.this.name).strip()
    return int(count) * each if each is not None and count.lstrip("-").isdigit() else None


def _arithmetic(node: Any) -> Constant:
    left, right = fold(node.this), fold(node.expression)
    days = days_of(node.expression)
    if days is not None and isinstance(left, (date, str)):
        start = to_date(left)
        sign = -1 if isinstance(node, exp.Sub) else 1
        return start + timedelta(days=sign * days) if start is not None else None
    if isinstance(left, date) and isinstance(right, int):
        return left + timedelta(days=-right if isinstance(node, exp.Sub) else right)
    if isinstance(left, (int, Decimal)) and isinstance(right, (int, Decimal)):
        return _numbers(node, left, right)
    return None


def _numbers(node: Any, left: int | Decimal, right: int | Decimal) -> Constant:
    if isinstance(node, exp.Add):
        return left + right
    if isinstance(node, exp.Sub):
        return left - right
    if isinstance(node, exp.Mul):
        return left * right
    return Decimal(left) / Decimal(right) if right else None

"""Another value where a value is written.

What it does:
    Moves a literal by one unit of its type: a number by one (or by its last digit), a date by one day, a
    text by its last digit or its upper and lower case; leaves one value out of a list.

The mistake it imitates:
    An off-by-one year, month or threshold; a period that ends a day early; a category forgotten; a label
    spelled otherwise.

Example:
    `orders.where(F.col("status").isin("paid", "sent"))` becomes `orders.where(F.col("status").isin("paid"))`.

When it changes nothing:
    No value lies between the old and the new one. A label that nothing shows or compares.

Which obligation it serves:
    literal; filter for a number or date that bounds a range.
"""

from __future__ import annotations

import ast
import datetime as dt
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.python.program import quote
from pytest_lockin.alternatives.python.values import Day
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DIGITS = re.compile(r"\d+(?!.*\d)")
# Roles of other families: a limit, a window's bounds, a rounding.
_OTHERS = ("limit", "frame", "argument of")
_SHAPES = ("argument of substring", "argument of substr", "argument of lpad")


def move_text(text: str) -> list[str]:
    """Give the texts one unit away: a day earlier and later, the last number one up, or another case.

    >>> move_text("2001-08-04"), move_text("1999Q1"), move_text("paid")
    (['2001-08-03', '2001-08-05'], ['1999Q2'], ['PAID'])
    """
    if _DATE.fullmatch(text):
        try:
            day = dt.date.fromisoformat(text)
        except ValueError:
            return []
        return [str(day - dt.timedelta(1)), str(day + dt.timedelta(1))]
    if match := _DIGITS.search(text):
        return [f"{text[: match.start()]}{int(match[0]) + 1:0{len(match[0])}}{text[match.end() :]}"]
    return [other for other in (text.upper(), text.lower()) if other != text][:1]


def move_number(text: str) -> list[str]:
    """Give the numbers one unit of the last digit away.

    >>> move_number("10"), move_number("0.95"), move_number("100.0")
    (['9', '11'], ['0.94', '0.96'], ['99.0', '101.0'])
    """
    plain = text.replace("_", "")
    if re.fullmatch(r"\d+", plain):
        return [str(int(plain) - 1), str(int(plain) + 1)]
    if re.fullmatch(r"\d+\.0*", plain):
        whole, dot, zeros = plain.partition(".")
        return [f"{int(whole) - 1}{dot}{zeros}", f"{int(whole) + 1}{dot}{zeros}"]
    if re.fullmatch(r"\d*\.\d+", plain):
        places = len(plain.partition(".")[2])
        unit = 10.0**-places
        return [f"{float(plain) - unit:.{places}f}", f"{float(plain) + unit:.{places}f}"]
    return []


class Literal:
    """Moves values by one unit and shortens lists."""

    name = "literal"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit every literal that is a value in DataFrame code, wherever it is written."""
        for node in program.nodes:
            roles = program.roles(node)
            if not roles or all(role.startswith(_OTHERS) and role not in _SHAPES for role in roles):
                continue
            kind, columns = Kind.LITERAL, program.columns_beside(node)
            for text, shown in self._moves(program, node):
                yield program.replace(node, text, kind=kind, says=shown, columns=columns)
            yield from self._shorten(program, node)

    def _moves(self, program: Program, node: ast.expr) -> Iterator[tuple[str, str]]:
        old = program.layout.text(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for new in move_text(node.value):
                yield quote(new, old), f"{new!r} is written where {node.value!r} is meant"
        elif isinstance(node, ast.Constant):
            for new in move_number(old):
                yield new, f"{new} is written where {old} is meant"
        elif isinstance(node, ast.Call):
            yield from self._days(program, node)

    def _days(self, program: Program, node: ast.Call) -> Iterator[tuple[str, str]]:
        day = next((value for value in program.values(node) if isinstance(value, Day)), None)
        if day is None or not all(isinstance(arg, ast.Constant) for arg in node.args):
            return
        callee = program.layout.text(node.func)
        for step in (-1, 1):
            try:
                moved = day.value + dt.timedelta(step)
            except OverflowError:
                continue
            yield (
                f"{callee}({moved.year}, {moved.month}, {moved.day})",
                f"{moved} is written where {day.value} is meant",
            )

    def _shorten(self, program: Program, node: ast.expr) -> Iterator[PythonEdit]:
        found = program.siblings(node)
        parent = program.parents.get(node)
        listed = isinstance(parent, (ast.List, ast.Tuple, ast.Set))
        member = isinstance(parent, ast.Call) and getattr(parent.func, "attr", "") == "isin"
        if found is None or not (listed or member) or "compare" not in program.roles(node):
            return
        says = f"{program.layout.text(node)} is not in the list"
        edit = program.take_out(node, kind=Kind.LITERAL, says=says)
        if edit is not None:
            yield replace(edit, columns=program.columns_beside(node))

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit literals of predicates, of the select list and of dates; limits are another family's."""
        from sqlglot import exp

        for node in query.nodes(exp.Literal):
            if self._is_elsewhere(query, node):
                continue
            moves = move_text(node.this) if node.is_string else move_number(node.this)
            clause = query.clause_of(node)
            for new in moves:
                made = exp.Literal(this=new, is_string=node.is_string)
                yield query.edit(
                    node,
                    made,
                    f"{new} is written where {node.this} is meant",
                    clause=clause,
                    kind=Kind.LITERAL,
                    columns=_beside(query, node),
                )
        for listed in query.nodes(exp.In):
            for value in listed.expressions if len(listed.expressions) > 1 else []:
                made = listed.copy()
                made.set("expressions", [v.copy() for v in listed.expressions if v is not value])
                says = f"{value.sql('spark')} is not in the list"
                yield query.edit(listed, made, says, kind=Kind.LITERAL)

    def _is_elsewhere(self, query: Query, node: Any) -> bool:
        from sqlglot import exp

        others = (exp.DataTypeParam, exp.WindowSpec, exp.Round, exp.Interval, exp.TsOrDsAdd, exp.Ordered)
        clauses = (Fragment.LIMIT, Fragment.GROUP_BY, Fragment.ORDER_BY)
        return query.clause_of(node) in clauses or isinstance(
            node.parent, (*others, exp.Count, exp.Lag, exp.Lead, exp.Ntile)
        )

    def examples(self) -> tuple[Example, ...]:
        """Show a list, a date, and SQL."""
        return (
            Example(
                before='orders.where(F.col("status").isin("paid", "sent"))',
                after=(
                    'orders.where(F.col("status").isin("PAID", "sent"))',
                    'orders.where(F.col("status").isin("sent"))',
                    'orders.where(F.col("status").isin("paid", "SENT"))',
                    'orders.where(F.col("status").isin("paid"))',
                ),
            ),
            Example(
                before='orders.where(F.col("placed") >= "2001-08-04")',
                after=(
                    'orders.where(F.col("placed") >= "2001-08-03")',
                    'orders.where(F.col("placed") >= "2001-08-05")',
                ),
            ),
            Example(
                before="SELECT amount * 0.5 AS half FROM orders WHERE status = 'paid'",
                language="sql",
                after=(
                    "SELECT amount * 0.4 AS half FROM orders WHERE status = 'paid'",
                    "SELECT amount * 0.6 AS half FROM orders WHERE status = 'paid'",
                    "SELECT amount * 0.5 AS half FROM orders WHERE status = 'PAID'",
                ),
            ),
        )


def _beside(query: Query, node: Any) -> tuple[str, ...]:
    from sqlglot import exp

    around = node.find_ancestor(exp.Predicate)
    return query.columns(around) if around is not None else ()


OPERATOR = Literal()

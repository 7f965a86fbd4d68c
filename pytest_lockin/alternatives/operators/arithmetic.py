"""Another calculation.

What it does:
    Swaps plus and minus, times and divided by; trades the operands of a difference or quotient; leaves an
    operand out; moves date arithmetic by one unit, or turns it round.

The mistake it imitates:
    Profit plus loss; the inverse of a ratio; quantity forgotten in a value; thirty days that are 31.

Example:
    `F.col("amount") - F.col("cost")` becomes `F.col("amount") + F.col("cost")`.

When it changes nothing:
    An operand that is always 0 (or 1). Commutations of plus and times are not made.

Which obligation it serves:
    metric; that of the clause it stands in where that is another one.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.predicates import short
from pytest_lockin.alternatives.python.values import Day, Span
from pytest_lockin.model.task import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

_SWAPPED: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}
_DATES = {"date_add": "date_sub", "date_sub": "date_add", "add_months": "add_months", "dateadd": "dateadd"}


class Arithmetic:
    """Swaps operators and operands."""

    name = "arithmetic"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit arithmetic over columns, and over days."""
        for node in program.nodes:
            if isinstance(node, ast.BinOp) and type(node.op) in _SWAPPED:
                if program.is_column(node):
                    yield from self._operation(program, node)
                elif any(isinstance(value, Day) for value in program.values(node)):
                    yield from self._days(program, node)
        for call, name in program.functions(*_DATES):
            yield from self._date(program, call, name)
        for call, _ in program.functions("datediff", "date_diff", "months_between"):
            if len(call.args) > 1:
                yield from self._trade(program, call, call.args[0], call.args[1])

    def _operation(self, program: Program, node: ast.BinOp) -> Iterator[PythonEdit]:
        layout = program.layout
        shown = short(layout.text(node))
        kind = program.kind_of(node, Kind.METRIC)
        columns = program.columns(node)
        sign = _SWAPPED[type(node.op)]
        span = layout.between(node.left, node.right)
        yield program.swap_span(
            span, sign, kind=kind, says=f"{shown} is computed with {sign}", columns=columns
        )
        if isinstance(node.op, (ast.Sub, ast.Div)):
            yield from self._trade(program, node, node.left, node.right)
        for gone, kept in ((node.right, node.left), (node.left, node.right)):
            if program.is_column(kept) and not (
                isinstance(node.op, (ast.Sub, ast.Div)) and kept is node.right
            ):
                says = f"{short(layout.text(gone))} is left out of {shown}"
                yield program.replace(node, layout.grouped(kept), kind=kind, says=says, columns=columns)

    def _trade(
        self, program: Program, node: ast.expr, one: ast.expr, other: ast.expr
    ) -> Iterator[PythonEdit]:
        source = program.source
        first, second = program.layout.outer(one), program.layout.outer(other)
        text = source[second[0] : second[1]] + source[first[1] : second[0]] + source[first[0] : first[1]]
        says = f"the operands of {short(program.layout.text(node))} trade places"
        if all(program.is_column(side) or not isinstance(node, ast.BinOp) for side in (one, other)):
            yield program.swap_span(
                (first[0], second[1]),
                text,
                kind=program.kind_of(node, Kind.METRIC),
                says=says,
                columns=program.columns(node),
            )

    def _days(self, program: Program, node: ast.BinOp) -> Iterator[PythonEdit]:
        span = program.layout.between(node.left, node.right)
        shown = short(program.layout.text(node))
        says = f"{shown} goes the other way in time"
        yield program.swap_span(span, _SWAPPED[type(node.op)], kind=Kind.FILTER, says=says)
        for value in program.values(node.right):
            for each in value.nodes if isinstance(value, Span) else ():
                if isinstance(each, ast.Constant) and isinstance(each.value, int):
                    for step in (-1, 1):
                        moved = str(each.value + step)
                        yield program.replace(
                            each, moved, kind=Kind.FILTER, says=f"{shown} takes {moved} days"
                        )

    def _date(self, program: Program, call: ast.Call, name: str) -> Iterator[PythonEdit]:
        if len(call.args) < 2:  # noqa: PLR2004 - date and number
            return
        kind = program.kind_of(call, Kind.FILTER)
        other = program.function_text(call, _DATES[name])
        if other is not None and _DATES[name] != name:
            span = program.layout.span(call.func)
            says = f"{short(program.layout.text(call))} goes the other way in time"
            yield program.swap_span(span, other, kind=kind, says=says, columns=program.columns(call))
        number = call.args[1]
        if isinstance(number, ast.Constant) and isinstance(number.value, int):
            for step in (-1, 1):
                moved = str(number.value + step)
                says = f"{moved} stands for {number.value} in {name}"
                yield program.replace(number, moved, kind=kind, says=says, columns=program.columns(call))

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit arithmetic, intervals and date functions."""
        from sqlglot import exp

        swapped: dict[type[Any], tuple[type[Any], str]] = {
            exp.Add: (exp.Sub, "-"),
            exp.Sub: (exp.Add, "+"),
            exp.Mul: (exp.Div, "/"),
            exp.Div: (exp.Mul, "*"),
        }
        for node in query.nodes(*swapped):
            kind, sign = swapped[type(node)]
            sides = [node.this.copy(), node.expression.copy()]
            shown = short(node.sql("spark"))
            closed = [_closed(side) for side in sides] if kind in (exp.Mul, exp.Div) else sides
            made: Any = kind(this=closed[0], expression=_closed(closed[1]))
            if isinstance(node.parent, exp.Binary) and not isinstance(
                node.parent, (exp.Predicate, exp.Connector)
            ):
                made = exp.Paren(this=made)
            yield query.edit(node, made, f"{shown} is computed with {sign}")
            dated = query.type_of(node.this) == "date" or isinstance(node.expression, exp.Interval)
            if dated:
                continue
            if isinstance(node, (exp.Sub, exp.Div)):
                turned = type(node)(this=_closed(sides[1]), expression=_closed(sides[0]))
                yield query.edit(node, turned, f"the operands of {shown} trade places")
            if node.find(exp.Column):
                yield query.edit(
                    node, node.this.copy(), f"{short(sides[1].sql('spark'))} is left out of {shown}"
                )
        for interval in query.nodes(exp.Interval, exp.TsOrDsAdd, exp.DateAdd, exp.DateSub):
            number = interval.this if isinstance(interval, exp.Interval) else interval.expression
            if isinstance(number, exp.Literal) and str(number.this).isdigit():
                for step in (-1, 1):
                    moved = exp.Literal(this=str(int(number.this) + step), is_string=number.is_string)
                    says = f"{moved.this} stands for {number.this} in {short(interval.sql('spark'))}"
                    yield query.edit(number, moved, says)

    def examples(self) -> tuple[Example, ...]:
        """Show a difference, in both languages."""
        a, b = 'F.col("list_amount")', 'F.col("amount")'
        return (
            Example(
                before=f'orders.select(({a} - {b}).alias("d"))',
                after=(
                    f'orders.select(({a} + {b}).alias("d"))',
                    f'orders.select(({b} - {a}).alias("d"))',
                    f'orders.select(({a}).alias("d"))',
                ),
            ),
            Example(
                before="SELECT list_amount - amount AS d FROM orders",
                language="sql",
                after=(
                    "SELECT list_amount + amount AS d FROM orders",
                    "SELECT amount - list_amount AS d FROM orders",
                    "SELECT list_amount AS d FROM orders",
                ),
            ),
        )


def _closed(node: Any) -> Any:
    from sqlglot import exp

    wide = isinstance(node, (exp.Binary, exp.Case)) and not isinstance(node, exp.Dot)
    return exp.Paren(this=node.copy()) if wide else node.copy()


OPERATOR = Arithmetic()

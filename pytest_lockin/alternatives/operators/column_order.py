"""Other columns in the result, or the same ones in another order.

What it does:
    Lets two neighbours of the output's select list trade places; leaves one out.

The mistake it imitates:
    Columns in the order the program computes them; one the ticket asks for that is missing.

Example:
    `orders.select("status", "amount")` becomes `orders.select("amount", "status")`.

When it changes nothing:
    Select lists whose order does not reach the result: those are not edited.

Which obligation it serves:
    schema.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.predicates import short
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query


class ColumnOrder:
    """Swaps and drops output columns."""

    name = "column-order"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit select lists; the front end keeps what changes the result's columns."""
        for call in program.methods("frame", "select"):
            listed = (
                call.args[0].elts if len(call.args) == 1 and isinstance(call.args[0], ast.List) else call.args
            )
            for one, other in pairwise(listed):
                yield self._trade(program, one, other)
            for node in listed:
                shown = short(program.layout.text(node))
                edit = program.take_out(node, kind=Kind.SCHEMA, says=f"{shown} is missing from the result")
                if edit is not None:
                    yield edit

    def _trade(self, program: Program, one: ast.expr, other: ast.expr) -> PythonEdit:
        source, layout = program.source, program.layout
        first, second = layout.whole(one), layout.whole(other)
        text = source[second[0] : second[1]] + source[first[1] : second[0]] + source[first[0] : first[1]]
        says = f"{short(layout.text(one))} and {short(layout.text(other))} trade places in the result"
        columns = program.columns(one) + program.columns(other)
        return program.swap_span((first[0], second[1]), text, kind=Kind.SCHEMA, says=says, columns=columns)

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit the outermost select list."""
        from sqlglot import exp

        select = query.tree
        if not isinstance(select, exp.Select):
            return
        listed = select.expressions
        for place, (one, other) in enumerate(pairwise(listed)):
            made = [*listed[:place], other, one, *listed[place + 2 :]]
            says = f"{one.alias_or_name} and {other.alias_or_name} trade places in the result"
            yield self._selecting(query, select, made, says)
        for node in listed if len(listed) > 1 else []:
            says = f"{node.alias_or_name} is missing from the result"
            yield self._selecting(query, select, [each for each in listed if each is not node], says)

    def _selecting(self, query: Query, select: Any, listed: list[Any], says: str) -> SqlEdit:
        made = select.copy()
        made.set("expressions", [node.copy() for node in listed])
        return query.edit(select, made, says, clause=Fragment.SELECT, kind=Kind.SCHEMA, columns=())

    def examples(self) -> tuple[Example, ...]:
        """Show two columns, in both languages."""
        return (
            Example(
                before='orders.select("status", "amount")',
                after=(
                    'orders.select("amount", "status")',
                    'orders.select("amount")',
                    'orders.select("status")',
                ),
            ),
            Example(
                before="SELECT status, amount FROM orders",
                language="sql",
                after=(
                    "SELECT amount, status FROM orders",
                    "SELECT amount FROM orders",
                    "SELECT status FROM orders",
                ),
            ),
        )


OPERATOR = ColumnOrder()

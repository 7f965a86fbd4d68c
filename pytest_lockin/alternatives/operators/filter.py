"""Another row filter.

What it does:
    Leaves a filter out, or one of its conditions; moves the boundary of a comparison; turns a condition
    round; swaps AND and OR; leaves the first or last value of a range out.

The mistake it imitates:
    "At least 10" read as "more than 10"; a condition of the ticket that nobody wrote; conditions joined by
    the wrong word.

Example:
    `orders.where(F.col("amount") >= 10)` becomes `orders.where(F.col("amount") > 10)`.

When it changes nothing:
    No row stands on the boundary, by contract (a flag that is never 1.5); the condition follows from
    another one, or from a join. Double negations and commutations are not made.

Which obligation it serves:
    filter; join where the condition relates two tables; metric where it stands in a computed column.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_lockin.alternatives import predicates
from pytest_lockin.alternatives.base import Example
from pytest_lockin.model.task import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query


class Filter:
    """Drops, moves and turns row filters."""

    name = "filter"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit every filter that reads a column of an input table, then comparisons wherever they stand."""
        for call in program.methods("frame", "filter", "where"):
            node = predicates.condition_of(program, call)
            if node is None or not predicates.is_on_totals(program, node):
                shown = predicates.short(program.layout.text(call.args[0])) if call.args else ""
                says = f"the filter {shown} is left out"
                yield program.unlink(call, kind=Kind.FILTER, says=says)
                if node is not None:
                    yield from predicates.edit_predicate(program, node, Kind.FILTER)
        for node in program.nodes:
            if isinstance(node, (ast.Compare, ast.Call)) and program.is_column(node):
                yield from self._elsewhere(program, node)

    def _elsewhere(self, program: Program, node: ast.expr) -> Iterator[PythonEdit]:
        kind = program.kind_of(node, Kind.FILTER)
        if kind is Kind.FILTER and predicates.is_on_totals(program, node):
            return
        if isinstance(node, ast.Compare):
            yield from predicates.move(program, node, kind)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "between":
                yield from predicates.narrow_between(program, node, kind)
            if node.func.attr in ("isin", "between", "like", "contains", "startswith", "isNull", "isNotNull"):
                yield from predicates.negate(program, node, kind)

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit every WHERE."""
        from sqlglot import exp

        for where in query.nodes(exp.Where):
            yield from predicates.edit_sql_predicate(query, where)
        for join in query.nodes(exp.Join):
            for part in predicates.sql_parts(join.args["on"]) if join.args.get("on") else []:
                if not query.relates(part):
                    yield from predicates.change_sql(query, part.unnest())

    def examples(self) -> tuple[Example, ...]:
        """Show two conditions in Python, and a range in SQL."""
        paid, large = '(F.col("status") == "paid")', '(F.col("amount") >= 10)'
        return (
            Example(
                before=f"orders.where({large} & {paid})",
                after=(
                    "orders",
                    f"orders.where({paid})",
                    f'orders.where((F.col("amount") > 10) & {paid})',
                    f'orders.where((F.col("amount") < 10) & {paid})',
                    f"orders.where({large})",
                    f'orders.where({large} & (F.col("status") != "paid"))',
                    f"orders.where({large} | {paid})",
                ),
            ),
            Example(
                before="SELECT amount FROM orders WHERE amount BETWEEN 1 AND 9",
                language="sql",
                after=(
                    "SELECT amount FROM orders",
                    "SELECT amount FROM orders WHERE NOT amount BETWEEN 1 AND 9",
                    "SELECT amount FROM orders WHERE (amount > 1 AND amount <= 9)",
                    "SELECT amount FROM orders WHERE (amount >= 1 AND amount < 9)",
                ),
            ),
        )


OPERATOR = Filter()

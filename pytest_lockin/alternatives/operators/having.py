"""Another filter of groups.

What it does:
    Leaves a filter on totals out, or one of its conditions; moves its boundary; turns it round.

The mistake it imitates:
    "More than three orders" read as "at least three"; a threshold on the total that was forgotten, or
    applied to rows.

Example:
    `totals.where(F.col("n") > 3)` becomes `totals.where(F.col("n") >= 3)`.

When it changes nothing:
    No total stands on the boundary, or the filter repeats what a later one asks.

Which obligation it serves:
    filter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.alternatives import predicates
from pytest_lockin.alternatives.base import Example
from pytest_lockin.model.task import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query


class Having:
    """Drops, moves and turns filters on totals."""

    name = "having"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit every filter that reads computed columns only."""
        for call in program.methods("frame", "filter", "where"):
            node = predicates.condition_of(program, call)
            if node is not None and predicates.is_on_totals(program, node):
                says = f"the filter {predicates.short(program.layout.text(node))} is left out"
                yield program.unlink(call, kind=Kind.FILTER, says=says)
                yield from predicates.edit_predicate(program, node, Kind.FILTER)

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit every HAVING."""
        from sqlglot import exp

        for having in query.nodes(exp.Having):
            yield from predicates.edit_sql_predicate(query, having)

    def examples(self) -> tuple[Example, ...]:
        """Show a threshold on a count."""
        before = 'orders.groupBy("status").agg(F.count("order_id").alias("n"))'
        return (
            Example(
                before=f'{before}.where(F.col("n") > 3)',
                after=(before, f'{before}.where(F.col("n") >= 3)', f'{before}.where(F.col("n") <= 3)'),
            ),
            Example(
                before="SELECT status FROM orders GROUP BY status HAVING COUNT(*) > 3",
                language="sql",
                after=(
                    "SELECT status FROM orders GROUP BY status",
                    "SELECT status FROM orders GROUP BY status HAVING COUNT(*) >= 3",
                    "SELECT status FROM orders GROUP BY status HAVING COUNT(*) <= 3",
                ),
            ),
        )


OPERATOR = Having()

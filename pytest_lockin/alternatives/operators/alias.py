"""Another name for an output column.

What it does:
    Renames a column of the result.

The mistake it imitates:
    `total` where the ticket says `total_sales`.

Example:
    `F.sum("amount").alias("total")` becomes `F.sum("amount").alias("total_x")`.

When it changes nothing:
    Names that never reach the result: those are not renamed. A change of case only is not made: Spark does
    not tell upper from lower.

Which obligation it serves:
    schema.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.python.program import quote
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

_ENDING = "_x"


class Alias:
    """Renames output columns."""

    name = "alias"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit every literal that names a column; the front end keeps those that reach the result."""
        for node in program.nodes:
            if node in program.trace.names and isinstance(node, ast.Constant) and isinstance(node.value, str):
                new = quote(f"{node.value}{_ENDING}", program.layout.text(node))
                says = f"a column is named {node.value}{_ENDING} where {node.value} is meant"
                yield program.replace(node, new, kind=Kind.SCHEMA, says=says, columns=(node.value,))

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Rename the columns of the outermost select list."""
        from sqlglot import exp

        select = query.tree
        while isinstance(select, exp.SetOperation):
            select = select.this.unnest()
        for node in select.expressions if isinstance(select, exp.Select) else []:
            name = node.alias_or_name
            if not name or node.is_star:
                continue
            made = exp.alias_(node.unalias().copy(), f"{name}{_ENDING}")
            says = f"a column is named {name}{_ENDING} where {name} is meant"
            yield query.edit(node, made, says, clause=Fragment.ALIAS, columns=(name,))

    def examples(self) -> tuple[Example, ...]:
        """Show an aggregate, in both languages."""
        return (
            Example(
                before='orders.agg(F.sum("amount").alias("total"))',
                after=('orders.agg(F.sum("amount").alias("total_x"))',),
            ),
            Example(
                before="SELECT SUM(amount) AS total FROM orders",
                language="sql",
                after=("SELECT SUM(amount) AS total_x FROM orders",),
            ),
        )


OPERATOR = Alias()

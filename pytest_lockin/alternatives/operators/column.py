"""Another column of the same table.

What it does:
    Replaces a column by one of the same table and type, the most alike names first (list price, extended
    list price, sales price). Where the name is needed further on, the other column takes it.

The mistake it imitates:
    The line's amount taken for the unit price, the net for the gross, the sold date for the shipped date.

Example:
    `orders.agg(F.sum("amount").alias("total"))` becomes `orders.agg(F.sum("list_amount").alias("total"))`.

When it changes nothing:
    Two columns hold the same values in every row, by contract.

Which obligation it serves:
    metric, filter, group, order: that of the clause which reads the column.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.operators.join_key import renamed, write_name
from pytest_lockin.alternatives.python.program import sibling_names
from pytest_lockin.alternatives.siblings import rank_siblings
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.python.values import Use
    from pytest_lockin.alternatives.sql.query import Query

_PASSED_ON = ("select", "group")
_LISTS = ("select", "groupBy", "groupby", "rollup", "cube")


class OtherColumn:
    """Replaces columns by their siblings."""

    name = "column"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit every literal that names a column, but for the keys of joins."""
        for node in program.nodes:
            uses = program.uses(node)
            if not uses or any(use.role == "join" for use in uses):
                continue
            use = uses[0]
            same = [
                a.name for a in use.visible if (a.table, a.type) == (use.attr.table, use.attr.type) and a.type
            ]
            for name in rank_siblings(use.attr.name, same):
                yield from self._replace(program, node, use, name)

    def _replace(self, program: Program, node: ast.expr, use: Use, name: str) -> Iterator[PythonEdit]:
        says = f"{name} is read where {use.attr.name} is meant"
        columns = sibling_names(use, name)
        kind = program.kind_of(node, Kind.METRIC)
        passing = self._passing(program, node, use)
        column = program.col(name)
        if passing is not None and column is not None:
            text = f'{column}.alias("{use.attr.name}")'
            yield program.swap_span(program.layout.span(passing), text, kind=kind, says=says, columns=columns)
            return
        written = write_name(program, node, name)
        if written is not None:
            yield program.swap_span(written[0], written[1], kind=kind, says=says, columns=columns)

    def _passing(self, program: Program, node: ast.expr, use: Use) -> ast.expr | None:
        """Give the element of a select or group list that passes a column on under its own name."""
        if use.role not in _PASSED_ON or not isinstance(node, ast.Constant):
            return None
        parent = program.parents.get(node)
        element: ast.expr = node
        if isinstance(parent, ast.Call) and program.function_name(parent) in ("col", "column"):
            element, parent = parent, program.parents.get(parent)
        if (
            not isinstance(parent, ast.Call)
            or element not in parent.args
            or not isinstance(parent.func, ast.Attribute)
        ):
            return None
        lists = parent.func.attr in _LISTS and bool(program.frames(parent.func.value))
        named = isinstance(element, ast.Call) and program.next_method(element)
        return element if lists and not named else None

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit every column that is in no join condition; a bare one in a select list keeps its name."""
        from sqlglot import exp

        for node in query.nodes(exp.Column):
            attr = query.resolve(node)
            clause = query.clause_of(node)
            if attr is None or not attr.type or clause is Fragment.JOIN_ON:
                continue
            same = [
                other.name
                for other in query.visible(node)
                if (other.qualifier, other.type, other.table) == (attr.qualifier, attr.type, attr.table)
            ]
            for name in rank_siblings(attr.name, same):
                made = renamed(node, name)
                if isinstance(node.parent, exp.Select) and node.arg_key == "expressions":
                    made = exp.alias_(made, node.name)
                says = f"{name} is read where {attr.name} is meant"
                columns = (attr.full, f"{attr.table}.{name}".lstrip("."))
                yield query.edit(node, made, says, clause=clause, columns=columns)

    def examples(self) -> tuple[Example, ...]:
        """Show a measure, a selected column and SQL."""
        return (
            Example(
                before='orders.agg(F.sum("amount").alias("total"))',
                after=('orders.agg(F.sum("list_amount").alias("total"))',),
            ),
            Example(
                before='orders.select("amount")',
                after=('orders.select(F.col("list_amount").alias("amount"))',),
            ),
            Example(
                before="SELECT SUM(amount) AS total FROM orders",
                language="sql",
                after=("SELECT SUM(list_amount) AS total FROM orders",),
            ),
        )


OPERATOR = OtherColumn()

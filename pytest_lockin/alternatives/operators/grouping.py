"""Another set of subtotals.

What it does:
    Swaps rollup, cube, plain grouping and (in SQL) grouping sets; turns the order of a rollup's keys round.

The mistake it imitates:
    Subtotals that the ticket asks for and the program does not make, or the other way; subtotals of the
    wrong level.

Example:
    `orders.rollup("customer_id", "status")` becomes `orders.groupBy("customer_id", "status")`.

When it changes nothing:
    A later filter takes the subtotals out.

Which obligation it serves:
    group.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

_SAYS = {
    "groupBy": "there are no subtotals",
    "rollup": "there are subtotals for each level of the keys",
    "cube": "there are subtotals for every combination of the keys",
}


class Grouping:
    """Swaps rollup, cube and plain grouping."""

    name = "grouping"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Rename the grouping method; turn the keys of a rollup round."""
        for call in program.methods("frame", "groupBy", "groupby", "rollup", "cube"):
            if not call.args or not isinstance(call.func, ast.Attribute):
                continue
            for method, says in _SAYS.items():
                # One key has the same subtotals either way.
                same = {method, call.func.attr} == {"rollup", "cube"} or method == "cube"
                if method.lower() != call.func.attr.lower() and not (same and self._is_single(program, call)):
                    yield program.rename(call, method, kind=Kind.GROUP, says=says)
            if call.func.attr == "rollup":
                yield from self._turn(program, call)

    def _is_single(self, program: Program, call: ast.Call) -> bool:
        return (
            len(call.args) == 1
            and not isinstance(call.args[0], ast.Starred)
            and len(program.keys(call.args)) == 1
        )

    def _turn(self, program: Program, call: ast.Call) -> Iterator[PythonEdit]:
        if len(call.args) < 2 or any(isinstance(arg, ast.Starred) for arg in call.args):  # noqa: PLR2004 - two keys
            return
        spans = [program.layout.whole(arg) for arg in call.args]
        text = ", ".join(program.source[start:end] for start, end in reversed(spans))
        says = "the subtotals are those of the keys in reverse"
        columns = tuple(column for arg in call.args for column in program.columns(arg))
        yield program.swap_span(
            (spans[0][0], spans[-1][1]), text, kind=Kind.GROUP, says=says, columns=columns
        )

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Swap ROLLUP, CUBE and plain keys; drop single grouping sets."""
        from sqlglot import exp

        for node in query.nodes(exp.Rollup, exp.Cube):
            if not node.expressions:
                continue
            other = exp.Cube if isinstance(node, exp.Rollup) else exp.Rollup
            made = other(expressions=[each.copy() for each in node.expressions])
            yield query.edit(node, made, _SAYS[other.__name__.lower()], clause=Fragment.GROUP_BY)
            yield query.edit(node.parent, _plain(node), _SAYS["groupBy"], clause=Fragment.GROUP_BY)
            if isinstance(node, exp.Rollup) and len(node.expressions) > 1:
                turned = exp.Rollup(expressions=[each.copy() for each in reversed(node.expressions)])
                says = "the subtotals are those of the keys in reverse"
                yield query.edit(node, turned, says, clause=Fragment.GROUP_BY)
        for node in query.nodes(exp.GroupingSets):
            for one in node.expressions if len(node.expressions) > 1 else []:
                kept = exp.GroupingSets(
                    expressions=[each.copy() for each in node.expressions if each is not one]
                )
                says = f"there are no totals by {one.sql('spark')}"
                yield query.edit(node, kept, says, clause=Fragment.GROUP_BY)
        for group in query.nodes(exp.Group):
            if group.expressions and all(isinstance(each, exp.Column) for each in group.expressions):
                rolled = group.copy()
                rolled.set(
                    "expressions", [exp.Rollup(expressions=[each.copy() for each in group.expressions])]
                )
                yield query.edit(group, rolled, _SAYS["rollup"], clause=Fragment.GROUP_BY)

    def examples(self) -> tuple[Example, ...]:
        """Show a rollup, in both languages."""
        total = '.agg(F.sum("amount").alias("t"))'
        keys = '"customer_id", "status"'
        return (
            Example(
                before=f"orders.rollup({keys}){total}",
                after=(
                    f"orders.groupBy({keys}){total}",
                    f"orders.cube({keys}){total}",
                    f'orders.rollup("status", "customer_id"){total}',
                ),
            ),
            Example(
                before="SELECT SUM(amount) AS t FROM orders GROUP BY ROLLUP (customer_id, status)",
                language="sql",
                after=(
                    "SELECT SUM(amount) AS t FROM orders GROUP BY CUBE (customer_id, status)",
                    "SELECT SUM(amount) AS t FROM orders GROUP BY customer_id, status",
                    "SELECT SUM(amount) AS t FROM orders GROUP BY ROLLUP (status, customer_id)",
                ),
            ),
        )


def _plain(node: Any) -> Any:
    """Copy a GROUP BY with the keys of a rollup or cube laid out."""
    made = node.parent.copy()
    keys: list[Any] = []
    for old in node.parent.expressions:
        keys += [each.copy() for each in old.expressions] if old is node else [old.copy()]
    made.set("expressions", keys)
    for name in ("rollup", "cube"):
        made.set(name, None)
    return made


OPERATOR = Grouping()

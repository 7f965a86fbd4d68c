"""Another number of rows.

What it does:
    Leaves a limit out, or moves it by one either way; an offset as well.

The mistake it imitates:
    The top ten that holds nine or eleven; a limit forgotten because the test data never reaches it.

Example:
    `orders.limit(10)` becomes `orders.limit(9)`.

When it changes nothing:
    The result has fewer rows than the limit.

Which obligation it serves:
    limit.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_lockin.alternatives.base import Example
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query


class Limit:
    """Drops and moves limits."""

    name = "limit"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit every limit and offset; one named by a constant is moved where it is used."""
        for call in program.methods("frame", "limit", "offset"):
            yield program.unlink(call, kind=Kind.LIMIT, says="all rows are returned")
            number = program.argument(call, 0, "num")
            for step in (-1, 1) if number is not None else ():
                assert number is not None  # noqa: S101 - for the type checker; the loop is empty then
                text = _moved(program.layout.text(number), step, number)
                says = "one row less is returned" if step < 0 else "one row more is returned"
                yield program.replace(number, text, kind=Kind.LIMIT, says=says)

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit every LIMIT."""
        from sqlglot import exp

        for limit in query.nodes(exp.Limit, exp.Offset):
            yield query.edit(limit, None, "all rows are returned", clause=Fragment.LIMIT)
            number = limit.expression
            for step in (-1, 1) if isinstance(number, exp.Literal) and number.is_int else ():
                says = "one row less is returned" if step < 0 else "one row more is returned"
                moved = exp.Literal.number(int(number.this) + step)
                yield query.edit(number, moved, says, clause=Fragment.LIMIT)

    def examples(self) -> tuple[Example, ...]:
        """Show a limit, in both languages."""
        return (
            Example(before="orders.limit(10)", after=("orders", "orders.limit(9)", "orders.limit(11)")),
            Example(
                before="SELECT status FROM orders LIMIT 10",
                language="sql",
                after=(
                    "SELECT status FROM orders",
                    "SELECT status FROM orders LIMIT 9",
                    "SELECT status FROM orders LIMIT 11",
                ),
            ),
        )


def _moved(text: str, step: int, node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return str(node.value + step)
    return f"{text} {'+' if step > 0 else '-'} 1"


OPERATOR = Limit()

"""Another window.

What it does:
    Leaves out a partition key, an order key or the frame; turns the order round; swaps the rank functions,
    lag and lead; moves an offset or a frame's bound by one; counts rows by range.

The mistake it imitates:
    A rank over all rows where one per region was asked for; ties ranked with or without gaps; the month
    after taken for the month before.

Example:
    `F.rank().over(w)` becomes `F.dense_rank().over(w)`.

When it changes nothing:
    No ties (rank family); one partition only; a frame that the data never fills.

Which obligation it serves:
    window.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.operators.sort import edit_key, edit_sql_order
from pytest_lockin.alternatives.predicates import short
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

RANKS = {
    "rank": ("dense_rank", "row_number"),
    "dense_rank": ("rank", "row_number"),
    "row_number": ("rank", "dense_rank"),
    "percent_rank": ("cume_dist",),
    "cume_dist": ("percent_rank",),
    "lag": ("lead",),
    "lead": ("lag",),
    "first_value": ("last_value",),
    "last_value": ("first_value",),
}
_SHIFTS = ("lag", "lead")


class OtherWindow:
    """Edits window specifications and functions."""

    name = "window"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit partitionBy, orderBy, frames and window functions."""
        for call in program.methods("window", "partitionBy"):
            says = "the window covers all rows"
            if program.next_method(call):
                yield program.unlink(call, kind=Kind.WINDOW, says=says)
            elif call.args:
                span = (program.layout.whole(call.args[0])[0], program.layout.whole(call.args[-1])[1])
                columns = tuple(c for arg in call.args for c in program.columns(arg))
                yield program.swap_span(span, "", kind=Kind.WINDOW, says=says, columns=columns)
            for key in program.keys(call.args):
                says = f"the window is not split by {short(program.layout.text(key))}"
                edit = program.take_out(key, kind=Kind.WINDOW, says=says)
                if edit is not None:
                    yield edit
        for call in program.methods("window", "orderBy"):
            for key in program.keys(call.args):
                yield from edit_key(program, key, Kind.WINDOW)
        yield from self._frames(program)
        yield from self._functions(program)

    def _frames(self, program: Program) -> Iterator[PythonEdit]:
        for call in program.methods("window", "rowsBetween", "rangeBetween"):
            rows = isinstance(call.func, ast.Attribute) and call.func.attr == "rowsBetween"
            other = "rangeBetween" if rows else "rowsBetween"
            says = "rows of equal order count together" if rows else "rows count one by one"
            yield program.rename(call, other, kind=Kind.WINDOW, says=says)
            yield program.unlink(call, kind=Kind.WINDOW, says="the frame is the default one")
            for bound in call.args:
                for step in (-1, 1):
                    text = _shifted(program, bound, step)
                    yield program.replace(bound, text, kind=Kind.WINDOW, says=f"the frame's bound is {text}")

    def _functions(self, program: Program) -> Iterator[PythonEdit]:
        for call, name in program.functions(*RANKS):
            for other in RANKS[name]:
                text = program.function_text(call, other)
                if text is not None:
                    span = program.layout.span(call.func)
                    says = f"{other} is taken where {name} is meant"
                    yield program.swap_span(
                        span, text, kind=Kind.WINDOW, says=says, columns=program.columns(call)
                    )
            if name in _SHIFTS:
                yield from self._offset(program, call, name)

    def _offset(self, program: Program, call: ast.Call, name: str) -> Iterator[PythonEdit]:
        offset = program.argument(call, 1, "offset")
        says = f"{name} looks one row further"
        if offset is not None:
            yield program.replace(offset, _shifted(program, offset, 1), kind=Kind.WINDOW, says=says)
        elif call.args:
            yield program.append(call.args[0], ", 2", kind=Kind.WINDOW, says=says)

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit every OVER."""
        from sqlglot import exp

        for window in query.nodes(exp.Window):
            keys = window.args.get("partition_by") or []
            for key in keys:
                made = window.copy()
                made.set("partition_by", [each.copy() for each in keys if each is not key])
                says = f"a window is not split by {key.sql('spark')}"
                yield query.edit(window, made, says, clause=Fragment.WINDOW, columns=query.columns(key))
            if window.args.get("spec") is not None:
                made = window.copy()
                made.set("spec", None)
                yield query.edit(window, made, "a window's frame is the default one", clause=Fragment.WINDOW)
            if window.args.get("order") is not None:
                yield from edit_sql_order(query, window.args["order"], Fragment.WINDOW)
            yield from self._sql_function(query, window.this)

    def _sql_function(self, query: Query, node: Any) -> Iterator[SqlEdit]:
        from sqlglot import exp

        ranks: dict[type[Any], tuple[type[Any], ...]] = {
            exp.Rank: (exp.DenseRank, exp.RowNumber),
            exp.DenseRank: (exp.Rank, exp.RowNumber),
            exp.RowNumber: (exp.Rank, exp.DenseRank),
            exp.Lag: (exp.Lead,),
            exp.Lead: (exp.Lag,),
            exp.FirstValue: (exp.LastValue,),
            exp.LastValue: (exp.FirstValue,),
        }
        for other in ranks.get(type(node), ()):
            shift = isinstance(node, (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue))
            args = {key: value.copy() for key, value in node.args.items() if isinstance(value, exp.Expr)}
            made = other(**args) if shift else other()
            says = f"{other.sql_name().lower()} is taken where {node.sql_name().lower()} is meant"
            yield query.edit(node, made, says, clause=Fragment.WINDOW)
        if isinstance(node, (exp.Lag, exp.Lead)):
            offset = node.args.get("offset")
            made = node.copy()
            known = offset is not None and offset.is_int
            made.set("offset", exp.Literal.number((int(offset.this) if known else 1) + 1))
            says = f"{node.sql_name().lower()} looks one row further"
            yield query.edit(node, made, says, clause=Fragment.WINDOW)

    def examples(self) -> tuple[Example, ...]:
        """Show a rank."""
        spec = 'Window.partitionBy("status").orderBy("amount")'
        turned = 'Window.partitionBy("status").orderBy(F.col("amount").desc())'
        return (
            Example(
                before=f'orders.withColumn("r", F.rank().over({spec}))',
                after=(
                    'orders.withColumn("r", F.rank().over(Window.orderBy("amount")))',
                    f'orders.withColumn("r", F.rank().over({turned}))',
                    f'orders.withColumn("r", F.dense_rank().over({spec}))',
                    f'orders.withColumn("r", F.row_number().over({spec}))',
                ),
            ),
            Example(
                before="SELECT LAG(amount) OVER (PARTITION BY status ORDER BY placed) AS p FROM orders",
                language="sql",
                after=(
                    "SELECT LAG(amount) OVER (ORDER BY placed) AS p FROM orders",
                    "SELECT LAG(amount) OVER (PARTITION BY status ORDER BY placed DESC) AS p FROM orders",
                    "SELECT LEAD(amount) OVER (PARTITION BY status ORDER BY placed) AS p FROM orders",
                    "SELECT LAG(amount, 2) OVER (PARTITION BY status ORDER BY placed) AS p FROM orders",
                ),
            ),
        )


def _shifted(program: Program, node: ast.expr, step: int) -> str:
    text = program.layout.grouped(node)
    number = text.lstrip("-").strip()
    if number.isdigit():
        return str((-1 if text.startswith("-") else 1) * int(number) + step)
    return f"{text} {'+' if step > 0 else '-'} {abs(step)}"


OPERATOR = OtherWindow()

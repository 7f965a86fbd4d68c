"""Another aggregate function.

What it does:
    Replaces an aggregate function by its relatives; puts DISTINCT into one, or takes it out; counts rows
    for values, and values for rows.

The mistake it imitates:
    An average taken for a sum; orders counted where customers were to be; NULLs counted, or not.

Example:
    `F.count("order_id")` becomes `F.countDistinct("order_id")`.

When it changes nothing:
    Groups of one row; a column without NULLs (count); one without repeated values (DISTINCT).

Which obligation it serves:
    metric; null for the choice of what is counted.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.predicates import short
from pytest_lockin.model.task import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

RELATIVES: dict[str, tuple[str, ...]] = {
    "sum": ("avg", "max", "sum_distinct"),
    "avg": ("sum", "max"),
    "mean": ("sum", "max"),
    "min": ("max",),
    "max": ("min", "sum"),
    "count": ("countDistinct",),
    "countDistinct": ("count",),
    "count_distinct": ("count",),
    "sum_distinct": ("sum",),
    "sumDistinct": ("sum",),
    "stddev_samp": ("stddev_pop", "var_samp"),
    "stddev": ("stddev_pop", "variance"),
    "stddev_pop": ("stddev_samp",),
    "var_samp": ("var_pop",),
    "variance": ("var_pop", "stddev"),
    "first": ("last",),
    "last": ("first",),
    "collect_list": ("collect_set",),
    "collect_set": ("collect_list",),
}
_SHORT = {
    "sum": ("avg", "max"),
    "avg": ("sum", "max"),
    "mean": ("sum", "max"),
    "min": ("max",),
    "max": ("min",),
}
_ROWS = ("1", "*")


class Aggregate:
    """Swaps aggregate functions."""

    name = "aggregate"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit calls of aggregate functions, and the shortcuts of grouped data."""
        for call, name in program.functions(*RELATIVES):
            rows = name == "count" and _counts_rows(program, call)
            for other in RELATIVES[name] if not rows else ():
                text = program.function_text(call, other)
                if text is not None and not (other == "count" and len(call.args) > 1):
                    span = program.layout.span(call.func)
                    kind = program.kind_of(call, Kind.METRIC)
                    says = f"{other} is taken where {name} of {_inside(program, call)} is meant"
                    yield program.swap_span(span, text, kind=kind, says=says, columns=program.columns(call))
            if name == "count":
                yield from self._count(program, call, rows=rows)
        for call in program.methods("grouped", *_SHORT):
            method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            for other in _SHORT.get(method, ()):
                yield program.rename(
                    call, other, kind=Kind.METRIC, says=f"{other} is taken where {method} is meant"
                )

    def _count(self, program: Program, call: ast.Call, *, rows: bool) -> Iterator[PythonEdit]:
        if not call.args:
            return
        if rows:
            column = _nullable(program, call)
            if column:
                yield program.replace(
                    call.args[0], f'"{column}"', kind=Kind.NULL, says=f"rows without {column} are not counted"
                )
            return
        text = program.function_text(call, "lit")
        if text is not None:
            says = f"rows without {_inside(program, call)} are counted too"
            columns = program.columns(call)
            yield program.replace(call.args[0], f"{text}(1)", kind=Kind.NULL, says=says, columns=columns)

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit aggregate functions, DISTINCT and COUNT(*)."""
        from sqlglot import exp

        relatives: dict[type[Any], tuple[type[Any], ...]] = {
            exp.Sum: (exp.Avg, exp.Max),
            exp.Avg: (exp.Sum, exp.Max),
            exp.Min: (exp.Max,),
            exp.Max: (exp.Min, exp.Sum),
            exp.StddevSamp: (exp.StddevPop,),
            exp.Stddev: (exp.StddevPop,),
        }
        for node in query.nodes(*relatives):
            inner = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
            for other in relatives[type(node)]:
                if not (other is exp.Sum and query.type_of(inner) in ("string", "date")):
                    meant = f"{node.sql_name().lower()} of {short(inner.sql())}"
                    says = f"{other.sql_name().lower()} is taken where {meant} is meant"
                    yield query.edit(node, other(this=node.this.copy()), says)
        for node in query.nodes(exp.Sum, exp.Avg, exp.Count):
            yield from _distinct(query, node)

    def examples(self) -> tuple[Example, ...]:
        """Show a sum and a count, and SQL."""
        return (
            Example(
                before='orders.agg(F.sum("amount").alias("t"))',
                after=(
                    'orders.agg(F.avg("amount").alias("t"))',
                    'orders.agg(F.max("amount").alias("t"))',
                    'orders.agg(F.sum_distinct("amount").alias("t"))',
                ),
            ),
            Example(
                before='orders.agg(F.count("status").alias("n"))',
                after=(
                    'orders.agg(F.countDistinct("status").alias("n"))',
                    'orders.agg(F.count(F.lit(1)).alias("n"))',
                ),
            ),
            Example(
                before="SELECT COUNT(status) AS n FROM orders",
                language="sql",
                after=("SELECT COUNT(DISTINCT status) AS n FROM orders", "SELECT COUNT(*) AS n FROM orders"),
            ),
        )


def _inside(program: Program, call: ast.Call) -> str:
    return short(program.layout.text(call.args[0]), 40) if call.args else ""


def _counts_rows(program: Program, call: ast.Call) -> bool:
    if not call.args:
        return True
    node = call.args[0]
    return program.function_name(node) == "lit" or (
        isinstance(node, ast.Constant) and str(node.value) in _ROWS
    )


def _nullable(program: Program, call: ast.Call) -> str:
    """Give a column that may be NULL where rows are counted: the last one that joins brought."""
    for grouped in _around(program, call):
        names = [attr.name for frame in program.frames(grouped) for attr in frame.attrs or () if attr.table]
        if names:
            return names[-1]
    return ""


def _around(program: Program, call: ast.Call) -> Iterator[ast.expr]:
    """Give the frame an aggregation starts from, for calls that stand in `agg`."""
    found: ast.AST | None = call
    while found is not None:
        found = program.parents.get(found)
        if isinstance(found, ast.Call) and isinstance(found.func, ast.Attribute) and found.func.attr == "agg":
            grouped = found.func.value
            if isinstance(grouped, ast.Call) and isinstance(grouped.func, ast.Attribute):
                yield grouped.func.value
            yield grouped


def _distinct(query: Query, node: Any) -> Iterator[SqlEdit]:
    from sqlglot import exp

    shown = short(node.sql("spark"))
    if isinstance(node.this, exp.Distinct):
        if len(node.this.expressions) == 1:
            made = node.copy()
            made.set("this", node.this.expressions[0].copy())
            yield query.edit(node, made, f"repeated values count each time in {shown}")
        return
    if isinstance(node.parent, exp.Window):
        return
    rows = isinstance(node.this, (exp.Star, exp.Literal))
    if not rows:
        made = node.copy()
        made.set("this", exp.Distinct(expressions=[node.this.copy()]))
        yield query.edit(node, made, f"repeated values count once in {shown}")
    if isinstance(node, exp.Count):
        yield from _rows(query, node, rows=rows)


def _rows(query: Query, node: Any, *, rows: bool) -> Iterator[SqlEdit]:
    from sqlglot import exp

    made = node.copy()
    if not rows:
        made.set("this", exp.Star())
        yield query.edit(
            node, made, f"rows without a value count in {short(node.sql('spark'))}", kind=Kind.NULL
        )
        return
    known = [attr for attr in query.visible(node) if attr.table]
    if known:
        made.set("this", exp.column(known[-1].name, table=known[-1].qualifier))
        says = f"rows without {known[-1].name} do not count"
        yield query.edit(node, made, says, kind=Kind.NULL, columns=(known[-1].full,))


OPERATOR = Aggregate()

"""Another order of rows.

What it does:
    Leaves the sort out, or one of its keys; turns a key's direction round; puts NULLs at the other end.

The mistake it imitates:
    Smallest first where the largest were asked for; a tie-break forgotten; another engine's place for
    NULLs.

Example:
    `orders.orderBy(F.col("amount").desc())` becomes `orders.orderBy(F.col("amount").asc())`.

When it changes nothing:
    A later step does not keep the order (a group, a join, another sort): where that follows in the same
    chain, no edit is made. The key has no ties, or no NULLs.

Which obligation it serves:
    order; window for the order inside of one.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.predicates import short
from pytest_lockin.alternatives.python.values import Text
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

# Method -> its opposite direction, its other place of NULLs (Spark: first when ascending, last when not).
TURNED = {
    "asc": ("desc", "asc_nulls_last"),
    "desc": ("asc", "desc_nulls_first"),
    "asc_nulls_first": ("desc_nulls_last", "asc_nulls_last"),
    "asc_nulls_last": ("desc_nulls_first", "asc_nulls_first"),
    "desc_nulls_first": ("asc_nulls_last", "desc_nulls_last"),
    "desc_nulls_last": ("asc_nulls_first", "desc_nulls_first"),
}
_FORGETS = ("groupBy", "groupby", "rollup", "cube", "agg", "join", "orderBy", "sort", "distinct", "count")


class Sort:
    """Drops, turns and shortens sorts."""

    name = "sort"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit every sort of a frame whose order can be seen."""
        for call in program.methods("frame", "orderBy", "sort"):
            if program.next_method(call) in _FORGETS:
                continue
            yield program.unlink(call, kind=Kind.ORDER, says="the result is not sorted")
            for key in program.keys(call.args):
                yield from edit_key(program, key, Kind.ORDER)
            yield from self._starred(program, call)
            ascending = program.keyword(call, "ascending")
            if isinstance(ascending, ast.Constant) and isinstance(ascending.value, bool):
                text = str(not ascending.value)
                yield program.replace(ascending, text, kind=Kind.ORDER, says="the sort is turned round")

    def _starred(self, program: Program, call: ast.Call) -> Iterator[PythonEdit]:
        """Edit keys that a comprehension makes of a list."""
        for arg in call.args:
            made = arg.value if isinstance(arg, ast.Starred) else arg
            if isinstance(made, (ast.ListComp, ast.GeneratorExp)):
                yield from turn(program, made.elt, Kind.ORDER)
                made = made.generators[0].iter
            if not isinstance(made, ast.Name) or not any(
                len(v) > 1 for v in program.values(made) if isinstance(v, list)
            ):
                continue
            name = program.layout.text(made)
            for piece, says in (
                ("[:-1]", "the last sort key is left out"),
                ("[1:]", "the first sort key is left out"),
            ):
                yield program.replace(made, f"{name}{piece}", kind=Kind.ORDER, says=says)

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit every ORDER BY of a query."""
        from sqlglot import exp

        for order in query.nodes(exp.Order):
            if isinstance(order.parent, exp.Query):
                yield query.edit(order, None, "the result is not sorted", clause=Fragment.ORDER_BY)
                yield from edit_sql_order(query, order, Fragment.ORDER_BY)

    def examples(self) -> tuple[Example, ...]:
        """Show two keys, and SQL."""
        return (
            Example(
                before='orders.orderBy(F.col("amount").desc(), "status")',
                after=(
                    "orders",
                    'orders.orderBy("status")',
                    'orders.orderBy(F.col("amount").asc(), "status")',
                    'orders.orderBy(F.col("amount").desc_nulls_first(), "status")',
                    'orders.orderBy(F.col("amount").desc())',
                    'orders.orderBy(F.col("amount").desc(), F.col("status").desc())',
                    'orders.orderBy(F.col("amount").desc(), F.col("status").asc_nulls_last())',
                ),
            ),
            Example(
                before="SELECT status FROM orders ORDER BY status",
                language="sql",
                after=(
                    "SELECT status FROM orders",
                    "SELECT status FROM orders ORDER BY status DESC",
                    "SELECT status FROM orders ORDER BY status NULLS LAST",
                ),
            ),
        )


def edit_key(program: Program, key: ast.expr, kind: Kind) -> Iterator[PythonEdit]:
    """Leave a sort key out, turn it round, move its NULLs."""
    shown = short(program.layout.text(key))
    edit = program.take_out(key, kind=kind, says=f"{shown} is no sort key")
    if edit is not None:
        yield edit
    yield from turn(program, key, kind)


def turn(program: Program, key: ast.expr, kind: Kind) -> Iterator[PythonEdit]:
    """Turn a sort key round; and, but for windows, move its NULLs."""
    shown = short(program.layout.text(key))
    says = (f"{shown} sorts the other way", f"NULLs of {shown} stand at the other end")
    most = 1 if kind is Kind.WINDOW else 2
    method = key.func.attr if isinstance(key, ast.Call) and isinstance(key.func, ast.Attribute) else ""
    function = program.function_name(key)
    if isinstance(key, ast.Call) and (function or method) in TURNED:
        for name, text in zip(TURNED[function or method][:most], says, strict=False):
            written = program.function_text(key, name) if function else name
            span = program.layout.span(key.func) if function else program.layout.name_of_call(key)
            if written is not None:
                yield program.swap_span(span, written, kind=kind, says=text, columns=program.columns(key))
        return
    owner = _as_column(program, key)
    if owner is not None and not _is_listed(program, key):
        for name, text in zip(("desc", "asc_nulls_last")[:most], says, strict=False):
            yield program.replace(key, f"{owner}.{name}()", kind=kind, says=text)


def _is_listed(program: Program, key: ast.expr) -> bool:
    """Whether a key stands in a list of names that others read too."""
    return not isinstance(
        program.parents.get(key), (ast.Call, ast.ListComp, ast.GeneratorExp)
    ) and isinstance(key, ast.Constant)


def _as_column(program: Program, key: ast.expr) -> str | None:
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return program.col(key.value)
    if any(isinstance(value, Text) for value in program.values(key)):
        text = program.spark_name("col")
        return f"{text}({program.layout.text(key)})" if text else None
    return program.layout.grouped(key) if program.is_column(key) else None


def edit_sql_order(query: Query, order: Any, clause: Fragment) -> Iterator[SqlEdit]:
    """Leave each key of an ORDER BY out, turn it round, move its NULLs."""
    from sqlglot import exp

    keys = order.expressions
    for key in keys:
        shown = short(key.this.sql("spark"))
        if len(keys) > 1:
            made = exp.Order(expressions=[each.copy() for each in keys if each is not key])
            yield query.edit(
                order, made, f"{shown} is no sort key", clause=clause, columns=query.columns(key)
            )
        descending = bool(key.args.get("desc"))
        first = bool(key.args.get("nulls_first"))
        turned = exp.Ordered(this=key.this.copy(), desc=None if descending else True, nulls_first=not first)
        yield query.edit(key, turned, f"{shown} sorts the other way", clause=clause)
        if clause is Fragment.ORDER_BY:
            moved = key.copy()
            moved.set("nulls_first", not first)
            yield query.edit(key, moved, f"NULLs of {shown} stand at the other end", clause=clause)


OPERATOR = Sort()

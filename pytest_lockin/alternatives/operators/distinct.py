"""Repeated rows kept or dropped.

What it does:
    Leaves out `distinct` and `dropDuplicates`, or one column of its subset; drops repeated rows before an
    aggregation, repeated partners before a join, repeated rows of a select list.

The mistake it imitates:
    Buyers counted once per purchase; two equal lines of an order counted as one; a join that multiplies
    rows where the key is not unique.

Example:
    `orders.select("customer_id").distinct()` becomes `orders.select("customer_id")`.

When it changes nothing:
    Rows are unique by a key; the result is only asked for existence (semi-join, IN).

Which obligation it serves:
    group; join for the partners of a join.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.operators.group_key import METHODS
from pytest_lockin.alternatives.operators.join_type import normalise
from pytest_lockin.alternatives.python.program import names_in
from pytest_lockin.alternatives.python.values import Expr, Frame
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query


class Distinct:
    """Keeps repeated rows, or drops them."""

    name = "distinct"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit distinct and dropDuplicates; put one before aggregations and joins."""
        for call in program.methods("frame", "distinct", "dropDuplicates", "drop_duplicates"):
            yield program.unlink(call, kind=Kind.GROUP, says="repeated rows stay")
            for key in program.keys(call.args):
                says = f"rows that differ in {program.layout.text(key)} count as repeated"
                edit = program.take_out(key, kind=Kind.GROUP, says=says)
                if edit is not None:
                    yield edit
        for call in program.methods("frame", *METHODS):
            yield from self._before_totals(program, call)
        for call in program.methods("frame", "join"):
            yield from self._before_join(program, call)

    def _before_totals(self, program: Program, call: ast.Call) -> Iterator[PythonEdit]:
        parent = program.parents.get(call)
        outer = program.parents.get(parent) if parent is not None else None
        if not isinstance(outer, ast.Call) or not isinstance(call.func, ast.Attribute):
            return
        frames = program.frames(call.func.value)
        names = [*_reads(program, call.args), *_reads(program, outer.args)]
        known = {attr.name for attr in (frames[0].attrs or ())} if frames else set()
        subset = [name for name in dict.fromkeys(names) if name in known]
        if subset and len(frames) == 1:
            listed = ", ".join(f'"{name}"' for name in subset)
            says = "lines that are equal in keys and measures count once"
            text = f".dropDuplicates([{listed}])"
            yield program.append(
                call.func.value, text, kind=Kind.GROUP, says=says, columns=names_in(frames[0], subset)
            )

    def _before_join(self, program: Program, call: ast.Call) -> Iterator[PythonEdit]:
        other, on = program.argument(call, 0, "other"), program.argument(call, 1, "on")
        how = program.argument(call, 2, "how")
        kinds = [normalise(v) for v in program.values(how) if isinstance(v, str)] if how is not None else []
        if other is None or on is None or any(kind in ("left_semi", "left_anti") for kind in kinds):
            return
        frames = program.frames(other)
        if not frames:
            return
        names = _keys_in(program, on, frames)
        if names:
            listed = ", ".join(f'"{name}"' for name in names)
            says = "a row that has several partners in this join gets one of them"
            yield program.append(
                other,
                f".dropDuplicates([{listed}])",
                kind=Kind.JOIN,
                says=says,
                columns=names_in(frames[0], names),
            )

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Drop DISTINCT from a select list, or put it there where nothing is aggregated."""
        from sqlglot import exp

        for select in query.nodes(exp.Select):
            made = select.copy()
            if select.args.get("distinct"):
                made.set("distinct", None)
                yield query.edit(
                    select, made, "repeated rows stay", clause=Fragment.SELECT, kind=Kind.GROUP, columns=()
                )
            elif not select.args.get("group") and not any(e.find(exp.AggFunc) for e in select.expressions):
                if isinstance(select.parent, (exp.Exists, exp.In)):
                    continue
                made.set("distinct", exp.Distinct())
                says = "repeated rows count once"
                yield query.edit(select, made, says, clause=Fragment.SELECT, kind=Kind.GROUP, columns=())

    def examples(self) -> tuple[Example, ...]:
        """Show distinct, an aggregation, a join, and SQL."""
        total = 'groupBy("status").agg(F.sum("amount").alias("t"))'
        return (
            Example(before='orders.select("status").distinct()', after=('orders.select("status")',)),
            Example(
                before=f"orders.{total}", after=(f'orders.dropDuplicates(["status", "amount"]).{total}',)
            ),
            Example(
                before='orders.join(customers, "customer_id")',
                after=('orders.join(customers.dropDuplicates(["customer_id"]), "customer_id")',),
            ),
            Example(
                before="SELECT DISTINCT status FROM orders",
                language="sql",
                after=("SELECT status FROM orders",),
            ),
        )


def _reads(program: Program, nodes: list[ast.expr]) -> list[str]:
    found: list[str] = []
    for node in nodes:
        inner = node.value if isinstance(node, ast.Starred) else node
        for value in program.values(inner):
            for each in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(each, Expr):
                    found += [str(read.name) for read in each.reads]
                elif isinstance(each, str):
                    found.append(str(each))
    return found


def _keys_in(program: Program, on: ast.expr, frames: list[Frame]) -> list[str]:
    """Names of the join's keys on its right side, the same each time the call is read."""
    held = [{attr.name for attr in frame.attrs or ()} for frame in frames]
    names = [name for name in dict.fromkeys(_reads(program, [on])) if all(name in known for known in held)]
    return names if len(frames) == 1 or names else []


OPERATOR = Distinct()

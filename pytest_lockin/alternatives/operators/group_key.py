"""Another grain of a grouping.

What it does:
    Leaves a group key out (where the output still needs it, its smallest value is shown), or adds one.

The mistake it imitates:
    Totals by name where two customers share one; totals split by a column the ticket does not mention.

Example:
    `orders.groupBy("customer_id", "status").agg(...)` becomes `orders.groupBy("customer_id").agg(...)`.

When it changes nothing:
    The key follows from the others (a name from its id), or holds one value in all rows.

Which obligation it serves:
    group.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.python.program import names_in
from pytest_lockin.alternatives.python.values import Expr, Frame
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query, SqlAttr

METHODS = ("groupBy", "groupby", "rollup", "cube")
_FEW = 2


class GroupKey:
    """Drops and adds group keys."""

    name = "group-key"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit the arguments of groupBy, rollup and cube."""
        for call in program.methods("frame", *METHODS):
            keys = program.keys(call.args)
            for key in keys if len(keys) > 1 else []:
                shown = program.layout.text(key)
                edit = program.take_out(key, kind=Kind.GROUP, says=f"{shown} is no group key")
                if edit is not None:
                    yield edit
                yield from self._show_smallest(program, call, key)
            yield from self._add(program, call)

    def _show_smallest(self, program: Program, call: ast.Call, key: ast.expr) -> Iterator[PythonEdit]:
        """Drop a plain key, but keep its column: totals get coarser, the schema stays."""
        parent = program.parents.get(call)
        outer = program.parents.get(parent) if parent is not None else None
        found = program.siblings(key)
        plain = isinstance(key, ast.Constant) and key in call.args
        least = program.spark_name("min")
        if not (
            isinstance(outer, ast.Call) and program.next_method(call) == "agg" and plain and found and least
        ):
            return
        first = outer.args[0] if outer.args else None
        if first is None or isinstance(first, ast.Starred):
            return
        start, end = program.layout.without(*found)
        begin = program.layout.whole(first)[0]
        name = program.layout.text(key)
        text = f"{program.source[end:begin]}{least}({name}).alias({name}), "
        says = f"{name} is no group key (its smallest value is shown)"
        yield program.swap_span(
            (start, begin), text, kind=Kind.GROUP, says=says, columns=program.columns(key)
        )

    def _add(self, program: Program, call: ast.Call) -> Iterator[PythonEdit]:
        if not call.args or not isinstance(call.func, ast.Attribute):
            return
        taken = {use.attr.name for key in program.keys(call.args) for use in program.uses(key)}
        for frame in program.frames(call.func.value)[:1]:
            taken |= _read_by_agg(program, call)
            for name in _other_keys(frame, taken):
                says, columns = f"{name} splits the groups", names_in(frame, [name])
                yield program.append(
                    call.args[-1], f', "{name}"', kind=Kind.GROUP, says=says, columns=columns
                )

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit GROUP BY; a dropped key that is selected is shown by its smallest value."""
        from sqlglot import exp

        for group in query.nodes(exp.Group):
            select = group.parent
            for key in _keys(group):
                if len(_keys(group)) > 1:
                    says = f"{key.sql('spark')} is no group key"
                    yield query.edit(
                        select,
                        _coarser(query, select, key),
                        says,
                        clause=Fragment.GROUP_BY,
                        columns=query.columns(key),
                    )
            taken = {column.name.lower() for column in select.find_all(exp.Column)}
            for attr in _other_attrs(query, select, taken):
                made = group.copy()
                made.append("expressions", exp.column(attr.name, table=attr.qualifier))
                if group.expressions and not group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
                    yield query.edit(
                        group,
                        made,
                        f"{attr.name} splits the groups",
                        clause=Fragment.GROUP_BY,
                        columns=(attr.full,),
                    )

    def examples(self) -> tuple[Example, ...]:
        """Show two keys, and SQL."""
        total = '.agg(F.sum("amount").alias("t"))'
        select = "SELECT status, SUM(amount) AS t FROM orders GROUP BY status"
        shown = '.agg(F.min("{0}").alias("{0}"), F.sum("amount").alias("t"))'.format
        return (
            Example(
                before=f'orders.groupBy("customer_id", "status"){total}',
                after=(
                    f'orders.groupBy("status"){total}',
                    f'orders.groupBy("status"){shown("customer_id")}',
                    f'orders.groupBy("customer_id"){total}',
                    f'orders.groupBy("customer_id"){shown("status")}',
                    f'orders.groupBy("customer_id", "status", "order_id"){total}',
                    f'orders.groupBy("customer_id", "status", "placed"){total}',
                ),
            ),
            Example(
                before=f"{select}, customer_id",
                language="sql",
                after=(
                    "SELECT MIN(status) AS status, SUM(amount) AS t FROM orders GROUP BY customer_id",
                    "SELECT status, SUM(amount) AS t FROM orders GROUP BY status",
                    f"{select}, customer_id, orders.order_id",
                    f"{select}, customer_id, orders.placed",
                ),
            ),
        )


def _read_by_agg(program: Program, call: ast.Call) -> set[str]:
    parent = program.parents.get(call)
    outer = program.parents.get(parent) if parent is not None else None
    arguments = outer.args if isinstance(outer, ast.Call) else []
    values = [value for node in arguments for value in program.values(node)]
    return {read.name for value in values if isinstance(value, Expr) for read in value.reads}


def _other_keys(frame: Frame, taken: set[str]) -> list[str]:
    """Choose columns that could be keys: texts and dates first, amounts never."""
    attrs = [
        a for a in frame.attrs or () if a.name not in taken and not a.type.startswith(("decimal", "double"))
    ]
    texts = [a.name for a in attrs if a.type in ("string", "date")]
    others = [a.name for a in attrs if a.name not in texts]
    return [*others[:1], *texts[: _FEW - len(others[:1])]] if texts else others[:_FEW]


def _other_attrs(query: Query, select: Any, taken: set[str]) -> list[SqlAttr]:
    scope_attrs = query.visible(select.expressions[0]) if select.expressions else ()
    attrs = [a for a in scope_attrs if a.name not in taken and not a.type.startswith(("decimal", "double"))]
    texts = [a for a in attrs if a.type in ("string", "date")]
    others = [a for a in attrs if a not in texts]
    return [*others[:1], *texts[: _FEW - len(others[:1])]] if texts else others[:_FEW]


def _keys(group: Any) -> list[Any]:
    from sqlglot import exp

    found: list[Any] = []
    for node in group.expressions:
        found += list(node.expressions) if isinstance(node, (exp.Rollup, exp.Cube)) else [node]
    return [node for node in found if isinstance(node, exp.Column)]


def _coarser(query: Query, select: Any, key: Any) -> Any:
    """Copy a select without one of its group keys."""
    from sqlglot import exp

    made = select.copy()
    place = [id(node) for node in _keys(select.args["group"])].index(id(key))
    _keys(made.args["group"])[place].pop()
    for old, new in zip(select.expressions, made.expressions, strict=True):
        inner = old.unalias()
        if isinstance(inner, exp.Column) and query.resolve(inner) == query.resolve(key):
            new.replace(exp.alias_(exp.Min(this=inner.copy()), old.alias_or_name))
    return made


OPERATOR = GroupKey()

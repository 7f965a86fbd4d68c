"""Another type, precision or rounding.

What it does:
    Leaves a cast or a rounding out; casts to a neighbour type; moves the scale of a decimal, or the places
    of a rounding, by one; cuts a total to whole numbers.

The mistake it imitates:
    Cents lost in a whole number; a ratio computed in integers; two places where four were asked for.

Example:
    `F.round("amount", 2)` becomes `F.round("amount", 1)`.

When it changes nothing:
    Values that fit the narrower type; a type that a later step widens again.

Which obligation it serves:
    type; metric for a rounding.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.predicates import short
from pytest_lockin.alternatives.python import types
from pytest_lockin.alternatives.python.program import quote
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

_NEIGHBOURS = {
    "int": ("bigint", "double"),
    "bigint": ("int", "double"),
    "smallint": ("int",),
    "float": ("double", "int"),
    "double": ("float", "int"),
    "date": ("timestamp",),
    "timestamp": ("date",),
}
_TOTALS = ("sum", "avg", "mean", "sum_distinct")


def neighbours(type_name: str) -> list[str]:
    """Give the types that are taken for one.

    >>> neighbours("decimal(12,2)"), neighbours("double")
    (['decimal(12,1)', 'decimal(12,3)', 'int'], ['float', 'int'])
    """
    shape = types.decimal_of(types.normal(type_name))
    if shape is None:
        return list(_NEIGHBOURS.get(types.normal(type_name), ()))
    precision, scale = shape
    near = [f"decimal({precision},{place})" for place in (scale - 1, scale + 1) if 0 <= place <= precision]
    return [*near, "int"]


class Cast:
    """Drops and changes casts and roundings."""

    name = "cast"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit casts and roundings, and cast totals of fractions to whole numbers."""
        for call in program.methods("column", "cast", "astype"):
            says = f"the cast to {short(program.layout.text(call.args[0])) if call.args else ''} is left out"
            yield program.unlink(call, kind=Kind.TYPE, says=says, columns=self._owner(program, call))
            target = call.args[0] if call.args else None
            if isinstance(target, ast.Constant) and isinstance(target.value, str):
                for name in neighbours(target.value):
                    text = quote(name, program.layout.text(target))
                    says = f"a cast to {name} stands for one to {target.value}"
                    yield program.replace(
                        target, text, kind=Kind.TYPE, says=says, columns=self._owner(program, call)
                    )
        for call, _ in program.functions("round", "bround"):
            yield from self._round(program, call)
        yield from self._whole(program)

    def _owner(self, program: Program, call: ast.Call) -> tuple[str, ...]:
        return program.columns(call.func.value) if isinstance(call.func, ast.Attribute) else ()

    def _round(self, program: Program, call: ast.Call) -> Iterator[PythonEdit]:
        if not call.args:
            return
        first = call.args[0]
        named = isinstance(first, ast.Constant) and isinstance(first.value, str)
        text = program.col(str(getattr(first, "value", ""))) if named else program.layout.grouped(first)
        if text is not None:
            yield program.replace(call, text, kind=Kind.METRIC, says="a value is not rounded")
        places = program.argument(call, 1, "scale")
        if isinstance(places, ast.Constant) and isinstance(places.value, int):
            for step in (-1, 1):
                moved = str(places.value + step)
                yield program.replace(
                    places, moved, kind=Kind.METRIC, says=f"a value is rounded to {moved} places"
                )

    def _whole(self, program: Program) -> Iterator[PythonEdit]:
        for call, _ in program.functions(*_TOTALS):
            if program.next_method(call) in ("cast", "over"):
                continue
            says = f"{short(program.layout.text(call))} is cut to a whole number"
            yield program.append(call, '.cast("int")', kind=Kind.TYPE, says=says)

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit CAST and ROUND, and cast totals of fractions to whole numbers."""
        from sqlglot import exp

        for node in query.nodes(exp.Cast):
            target = node.to.sql("spark").lower()
            says = f"the cast to {target} is left out"
            if not isinstance(node.this, exp.Literal):
                yield query.edit(node, node.this.copy(), says, clause=Fragment.TYPE)
            for name in neighbours(target) if not isinstance(node.this, exp.Literal) else []:
                made = node.copy()
                made.set("to", exp.DataType.build(name, dialect="spark"))
                says = f"a cast to {name} stands for one to {target}"
                yield query.edit(node, made, says, clause=Fragment.TYPE)
        for node in query.nodes(exp.Round):
            yield from _sql_round(query, node)
        for node in query.nodes(exp.Sum, exp.Avg):
            fraction = types.decimal_of(query.type_of(node.this)) or query.type_of(node.this) == "double"
            if isinstance(node.parent, (exp.Alias, exp.Select)) and (fraction or isinstance(node, exp.Avg)):
                made = exp.TryCast(this=node.copy(), to=exp.DataType.build("int", dialect="spark"))
                says = f"{short(node.sql('spark'))} is cut to a whole number"
                yield query.edit(node, made, says, clause=Fragment.TYPE)

    def examples(self) -> tuple[Example, ...]:
        """Show a cast and a rounding, and SQL."""
        return (
            Example(
                before='orders.select(F.col("amount").cast("double").alias("a"))',
                after=(
                    'orders.select(F.col("amount").alias("a"))',
                    'orders.select(F.col("amount").cast("float").alias("a"))',
                    'orders.select(F.col("amount").cast("int").alias("a"))',
                ),
            ),
            Example(
                before='orders.select(F.round("amount", 1).alias("a"))',
                after=(
                    'orders.select(F.col("amount").alias("a"))',
                    'orders.select(F.round("amount", 0).alias("a"))',
                    'orders.select(F.round("amount", 2).alias("a"))',
                ),
            ),
            Example(
                before="SELECT SUM(amount) AS t FROM orders",
                language="sql",
                after=("SELECT CAST(SUM(amount) AS INT) AS t FROM orders",),
            ),
        )


def _sql_round(query: Query, node: Any) -> Iterator[SqlEdit]:
    from sqlglot import exp

    yield query.edit(node, node.this.copy(), "a value is not rounded")
    places = node.args.get("decimals")
    if isinstance(places, exp.Literal) and places.is_int:
        for step in (-1, 1):
            made = node.copy()
            made.set("decimals", exp.Literal.number(int(places.this) + step))
            yield query.edit(node, made, f"a value is rounded to {int(places.this) + step} places")


OPERATOR = Cast()

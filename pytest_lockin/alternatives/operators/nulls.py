"""Another treatment of NULL.

What it does:
    Leaves out coalesce, fillna and dropna; makes a NULL-safe comparison a plain one, and the other way;
    drops rows whose key is NULL; shows an empty total as 0.

The mistake it imitates:
    NULL taken for 0, or for nothing; rows of an unknown region that vanish; two unknowns taken for equal.

Example:
    `F.coalesce("amount", F.lit(0))` becomes `F.col("amount")`.

When it changes nothing:
    The column is never NULL, by contract or after a filter; a sum that skips NULLs anyway.

Which obligation it serves:
    null.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.operators.group_key import METHODS
from pytest_lockin.alternatives.predicates import short
from pytest_lockin.alternatives.python.program import names_in
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

_DEFAULTS = ("coalesce", "ifnull", "nvl")


class Nulls:
    """Drops and adds what handles NULL."""

    name = "nulls"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit coalesce, fillna, dropna, comparisons, keys and totals."""
        for call, _ in program.functions(*_DEFAULTS):
            yield from self._coalesce(program, call)
        for call in program.methods("frame", "fillna", "dropna"):
            yield program.unlink(call, kind=Kind.NULL, says="NULLs stay as they are")
            yield from self._subset(program, call)
        yield from self._through_na(program)
        for call in program.methods("column", "eqNullSafe"):
            if call.args and isinstance(call.func, ast.Attribute):
                text = (
                    f"({program.layout.grouped(call.func.value)} == {program.layout.grouped(call.args[0])})"
                )
                yield program.replace(call, text, kind=Kind.NULL, says="NULL no longer equals NULL")
        yield from self._equalities(program)
        yield from self._keys(program)
        yield from self._totals(program)

    def _coalesce(self, program: Program, call: ast.Call) -> Iterator[PythonEdit]:
        if not call.args or isinstance(call.args[0], ast.Starred):
            return
        first = call.args[0]
        plain = isinstance(first, ast.Constant) and isinstance(first.value, str)
        text = (
            program.col(str(first.value))
            if isinstance(first, ast.Constant) and plain
            else program.layout.grouped(first)
        )
        if text is not None:
            says = f"NULL stays NULL in {short(program.layout.text(call))}"
            yield program.replace(call, text, kind=Kind.NULL, says=says)

    def _subset(self, program: Program, call: ast.Call) -> Iterator[PythonEdit]:
        subset = program.keyword(call, "subset")
        for key in program.keys([subset]) if subset is not None else []:
            says = f"NULLs of {program.layout.text(key)} stay as they are"
            edit = program.take_out(key, kind=Kind.NULL, says=says)
            if edit is not None:
                yield edit

    def _through_na(self, program: Program) -> Iterator[PythonEdit]:
        for call in program.calls:
            func = call.func
            if not (
                isinstance(func, ast.Attribute)
                and func.attr in ("drop", "fill")
                and isinstance(func.value, ast.Attribute)
            ):
                continue
            if func.value.attr == "na" and program.frames(func.value.value):
                span = (program.layout.outer(func.value.value)[1], program.layout.span(call)[1])
                yield program.swap_span(span, "", kind=Kind.NULL, says="NULLs stay as they are")

    def _equalities(self, program: Program) -> Iterator[PythonEdit]:
        for node in program.nodes:
            if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq):
                continue
            if program.is_column(node) and all(
                program.is_column(side) for side in (node.left, node.comparators[0])
            ):
                left, right = (program.layout.grouped(side) for side in (node.left, node.comparators[0]))
                text = f"{left}.eqNullSafe({right})"
                yield program.replace(node, text, kind=Kind.NULL, says="NULL equals NULL")

    def _keys(self, program: Program) -> Iterator[PythonEdit]:
        for call in program.methods("frame", *METHODS):
            if not isinstance(call.func, ast.Attribute):
                continue
            frames = program.frames(call.func.value)
            known = [attr.name for attr in (frames[0].attrs or ())] if frames else []
            names = [str(k.value) for k in call.args if isinstance(k, ast.Constant) and k.value in known]
            for name in names:
                text, says = f'.dropna(subset=["{name}"])', f"rows without {name} are dropped"
                yield program.append(
                    call.func.value, text, kind=Kind.NULL, says=says, columns=names_in(frames[0], [name])
                )

    def _totals(self, program: Program) -> Iterator[PythonEdit]:
        coalesce, literal = program.spark_name("coalesce"), program.spark_name("lit")
        for call, _ in program.functions("sum"):
            if coalesce and literal and program.next_method(call) != "over":
                text = f"{coalesce}({program.layout.text(call)}, {literal}(0))"
                yield program.replace(call, text, kind=Kind.NULL, says="a total of nothing shows as 0")

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit COALESCE, comparisons and totals."""
        from sqlglot import exp

        for node in query.nodes(exp.Coalesce):
            says = f"NULL stays NULL in {short(node.sql('spark'))}"
            yield query.edit(node, node.this.copy(), says, kind=Kind.NULL)
        for node in query.nodes(exp.NullSafeEQ):
            made = exp.EQ(this=node.this.copy(), expression=node.expression.copy())
            yield query.edit(node, made, "NULL no longer equals NULL", kind=Kind.NULL)
        for node in query.nodes(exp.EQ):
            if query.relates(node):
                made = exp.NullSafeEQ(this=node.this.copy(), expression=node.expression.copy())
                yield query.edit(node, made, "NULL equals NULL", clause=Fragment.JOIN_ON, kind=Kind.NULL)
        for node in query.nodes(exp.Sum):
            if not isinstance(node.parent, (exp.Window, exp.Coalesce)) and _is_shown(node):
                made = exp.Coalesce(this=node.copy(), expressions=[exp.Literal.number(0)])
                yield query.edit(node, made, "a total of nothing shows as 0", kind=Kind.NULL)

    def examples(self) -> tuple[Example, ...]:
        """Show a default, in both languages."""
        return (
            Example(
                before='orders.select(F.coalesce("amount", F.lit(0)).alias("a"))',
                after=('orders.select(F.col("amount").alias("a"))',),
            ),
            Example(before='orders.dropna(subset=["status"])', after=("orders",)),
            Example(
                before="SELECT COALESCE(amount, 0) AS a FROM orders",
                language="sql",
                after=("SELECT amount AS a FROM orders",),
            ),
        )


def _is_shown(node: Any) -> bool:
    from sqlglot import exp

    found = node.parent
    while found is not None and not isinstance(found, exp.Select):
        if isinstance(found, (exp.Having, exp.Order)):
            return False
        found = found.parent
    return True


OPERATOR = Nulls()

"""Another set operation.

What it does:
    Drops repeated rows of a UNION ALL, or keeps them in a UNION; leaves one side out; swaps union,
    intersection and difference, and each with its ALL form; matches columns by place for by name.

The mistake it imitates:
    UNION for UNION ALL; a channel forgotten; customers of both channels where either was asked for.

Example:
    `a.union(b)` becomes `a.union(b).distinct()`.

When it changes nothing:
    The sides have no row in common and none twice; a later aggregation does not see repetitions.

Which obligation it serves:
    set-op.
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
    "union": "the rows of both sides are kept",
    "intersect": "only rows of both sides are kept",
    "intersectAll": "rows of both sides are kept as often as both have them",
    "subtract": "only rows that the second side lacks are kept",
    "exceptAll": "rows are kept as often as the first side has more of them",
}
_OTHERS = {
    "union": ("intersect",),
    "unionAll": ("intersect",),
    "unionByName": ("union",),
    "intersect": ("union", "subtract", "intersectAll"),
    "intersectAll": ("intersect", "exceptAll"),
    "subtract": ("intersect", "exceptAll"),
    "exceptAll": ("subtract", "intersectAll"),
}


class SetOperation:
    """Swaps set operations and leaves sides out."""

    name = "set-operation"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit every union, intersection and difference."""
        for call in program.methods("frame", *_OTHERS):
            other = program.argument(call, 0, "other")
            if other is None or not isinstance(call.func, ast.Attribute):
                continue
            method = call.func.attr
            for name in _OTHERS[method]:
                says = "columns are matched by place" if method == "unionByName" else _SAYS[name]
                yield program.rename(call, name, kind=Kind.SET_OP, says=says)
            if method.startswith("union"):
                says = "rows that occur twice are kept once"
                yield program.append(call, ".distinct()", kind=Kind.SET_OP, says=says)
            yield program.unlink(call, kind=Kind.SET_OP, says="the second side is left out")
            text = program.layout.grouped(other)
            yield program.replace(call, text, kind=Kind.SET_OP, says="the first side is left out")

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit every UNION, INTERSECT and EXCEPT."""
        from sqlglot import exp

        kinds: dict[type[Any], str] = {exp.Union: "union", exp.Intersect: "intersect", exp.Except: "subtract"}
        for node in query.nodes(exp.SetOperation):
            distinct = bool(node.args.get("distinct"))
            made = node.copy()
            made.set("distinct", not distinct)
            says = "rows that occur twice stay" if distinct else "rows that occur twice are kept once"
            yield query.edit(node, made, says, clause=Fragment.SET_OP, columns=())
            for kind, name in kinds.items():
                if not isinstance(node, kind):
                    swapped = kind(**{key: _copied(value) for key, value in node.args.items()})
                    yield query.edit(node, swapped, _SAYS[name], clause=Fragment.SET_OP, columns=())
            yield from self._sides(query, node)

    def _sides(self, query: Query, node: Any) -> Iterator[SqlEdit]:
        for side, says in (
            (node.this, "the second side is left out"),
            (node.expression, "the first side is left out"),
        ):
            made = side.unnest().copy()
            for clause in ("order", "limit", "with_", "with"):
                if node.args.get(clause) is not None and made.args.get(clause) is None:
                    made.set(clause, node.args[clause].copy())
            yield query.edit(node, made, says, clause=Fragment.SET_OP, columns=())

    def examples(self) -> tuple[Example, ...]:
        """Show a union, in both languages."""
        a, b = 'orders.select("customer_id")', 'customers.select("customer_id")'
        one, two = "SELECT customer_id FROM orders", "SELECT customer_id FROM customers"
        return (
            Example(
                before=f"{a}.union({b})",
                after=(f"{a}.intersect({b})", f"{a}.union({b}).distinct()", a, b),
            ),
            Example(
                before=f"{one} UNION ALL {two}",
                language="sql",
                after=(
                    f"{one} UNION {two}",
                    f"{one} INTERSECT ALL {two}",
                    f"{one} EXCEPT ALL {two}",
                    one,
                    two,
                ),
            ),
        )


def _copied(value: Any) -> Any:
    from sqlglot import exp

    if isinstance(value, list):
        return [each.copy() for each in value]
    return value.copy() if isinstance(value, exp.Expr) else value


OPERATOR = SetOperation()

"""Another key in a join.

What it does:
    Drops one of several keys, replaces one by a column of the same table and type, swaps the partners of
    two keys, asks for one of several keys only.

The mistake it imitates:
    A join by order number alone where lines are known by order and item; by the shipping customer in place
    of the billing customer; by keys whose partners were mixed up.

Example:
    `(F.col("a_id") == F.col("b_id")) & (F.col("a_no") == F.col("b_no"))` becomes `(F.col("a_id") ==
    F.col("b_id"))`.

When it changes nothing:
    The dropped key follows from the others (a functional dependency), or the sibling always holds the same
    value.

Which obligation it serves:
    join.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.predicates import swap_words
from pytest_lockin.alternatives.python.program import quote, sibling_names
from pytest_lockin.alternatives.siblings import rank_siblings
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

_FEW = 2


class JoinKey:
    """Drops, replaces and swaps join keys."""

    name = "join-key"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit the conditions of joins, and the literals that name their keys."""
        done: set[ast.expr] = set()
        for call in program.methods("frame", "join"):
            on = program.argument(call, 1, "on")
            if on is None:
                continue
            parts = _parts(on)
            yield from self._drop(program, on, parts)
            yield from self._swap(program, parts)
            yield from swap_words(program, on, Kind.JOIN)
        for node in program.nodes:
            if node not in done and any(use.role == "join" for use in program.uses(node)):
                done.add(node)
                yield from self._replace(program, node)

    def _drop(self, program: Program, on: ast.expr, parts: list[ast.expr]) -> Iterator[PythonEdit]:
        listed = on.elts if isinstance(on, (ast.List, ast.Tuple)) else []
        for node in listed:
            edit = program.take_out(node, kind=Kind.JOIN, says="this join does not compare this key")
            if edit is not None:
                yield edit
        for part in parts if len(parts) > 1 else []:
            yield from drop_operand(program, part, Kind.JOIN, "this join does not compare this key")

    def _swap(self, program: Program, parts: list[ast.expr]) -> Iterator[PythonEdit]:
        pairs = [part for part in parts if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.Eq)]
        for one, other in pairwise(pairs):
            ends = [_type(program, part.comparators[0]) for part in (one, other)]
            if ends[0] != ends[1]:
                continue
            first, second = (program.layout.outer(part.comparators[0]) for part in (one, other))
            source = program.source
            text = source[second[0] : second[1]] + source[first[1] : second[0]] + source[first[0] : first[1]]
            columns = program.columns(one) + program.columns(other)
            yield program.swap_span(
                (first[0], second[1]),
                text,
                kind=Kind.JOIN,
                says="two keys of this join trade partners",
                columns=columns,
            )

    def _replace(self, program: Program, node: ast.expr) -> Iterator[PythonEdit]:
        use = next(use for use in program.uses(node) if use.role == "join")
        same = [
            a.name for a in use.visible if (a.table, a.type) == (use.attr.table, use.attr.type) and a.type
        ]
        for name in rank_siblings(use.attr.name, same, _FEW):
            text = write_name(program, node, name)
            if text is not None:
                says = f"this join compares {name} where it should compare {use.attr.name}"
                columns = sibling_names(use, name)
                yield program.swap_span(text[0], text[1], kind=Kind.JOIN, says=says, columns=columns)

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit conditions that relate two tables, in ON and in WHERE."""
        from sqlglot import exp

        found: list[Any] = [node for node in query.nodes(exp.EQ, exp.NullSafeEQ) if query.relates(node)]
        for node in found:
            for side in (node.this, node.expression):
                if isinstance(side, exp.Column):
                    yield from _siblings(query, side)
            yield from _dropped(query, node)
        for one, other in pairwise(found):
            if one.parent is other.parent and query.type_of(one.expression) == query.type_of(
                other.expression
            ):
                made = one.parent.copy()
                made.this.set("expression", other.expression.copy())
                made.expression.set("expression", one.expression.copy())
                if isinstance(one.parent, exp.And):
                    yield query.edit(
                        one.parent, made, "two keys of a join trade partners", clause=Fragment.JOIN_ON
                    )

    def examples(self) -> tuple[Example, ...]:
        """Show two keys in Python, and one in SQL."""
        tables = {
            "a": {"a_id": "int", "a_no": "int", "a_x": "string"},
            "b": {"b_id": "int", "b_no": "int", "b_y": "string"},
        }
        one, two = '(F.col("a_id") == F.col("b_id"))', '(F.col("a_no") == F.col("b_no"))'
        return (
            Example(
                before=f"a.join(b, {one} & {two})",
                schemas=tables,
                after=(
                    f"a.join(b, {two})",
                    f"a.join(b, {one})",
                    'a.join(b, (F.col("a_id") == F.col("b_no")) & (F.col("a_no") == F.col("b_id")))',
                    f"a.join(b, {one} | {two})",
                    f'a.join(b, (F.col("a_no") == F.col("b_id")) & {two})',
                    f'a.join(b, (F.col("a_id") == F.col("b_no")) & {two})',
                    f'a.join(b, {one} & (F.col("a_id") == F.col("b_no")))',
                    f'a.join(b, {one} & (F.col("a_no") == F.col("b_id")))',
                ),
            ),
            Example(
                before="SELECT a.a_x FROM a, b WHERE a.a_id = b.b_id AND a.a_x = 'z'",
                language="sql",
                schemas=tables,
                after=(
                    "SELECT a.a_x FROM a, b WHERE a.a_no = b.b_id AND a.a_x = 'z'",
                    "SELECT a.a_x FROM a, b WHERE a.a_id = b.b_no AND a.a_x = 'z'",
                    "SELECT a.a_x FROM a, b WHERE a.a_x = 'z'",
                ),
            ),
        )


def _parts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        return [*_parts(node.left), *_parts(node.right)]
    return list(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else [node]


def _type(program: Program, node: ast.expr) -> str:
    return next((use.attr.type for each in ast.walk(node) for use in program.uses(each)), "")


def drop_operand(program: Program, node: ast.expr, kind: Kind, says: str) -> Iterator[PythonEdit]:
    """Leave the other side of an `&` or `|` in its place."""
    parent = program.parents.get(node)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.BitAnd, ast.BitOr)):
        other = parent.right if parent.left is node else parent.left
        yield program.replace(
            parent, program.layout.grouped(other), kind=kind, says=says, columns=program.columns(node)
        )


def write_name(program: Program, node: ast.expr, name: str) -> tuple[tuple[int, int], str] | None:
    """Write another column name in a literal's place: its span and the new text; None where it cannot be."""
    layout = program.layout
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        head, dot, _ = node.value.rpartition(".")
        return layout.span(node), quote(f"{head}{dot}{name}", layout.text(node))
    if isinstance(node, ast.Attribute) and name.isidentifier():
        end = layout.span(node)[1]
        return (end - len(node.attr), end), name
    return _write_tail(program, node, name) if isinstance(node, ast.JoinedStr) else None


def _write_tail(program: Program, node: ast.JoinedStr, name: str) -> tuple[tuple[int, int], str] | None:
    """Write the fixed end of an f-string anew, where every table it is put together for has that column."""
    last = node.values[-1]
    if not isinstance(last, ast.Constant) or not isinstance(last.value, str):
        return None
    tail = last.value
    use = program.uses(node)[0]
    head = use.attr.name[: len(use.attr.name) - len(tail)]
    if not name.startswith(head) or not head:
        return None
    new = name[len(head) :]
    for each in program.uses(node):
        wanted = each.attr.name[: len(each.attr.name) - len(tail)] + new
        if all(attr.name != wanted for attr in each.visible):
            return None
    start, end = program.layout.span(node)
    text = program.source[start:end]
    place = text.rfind(tail)
    return ((start + place, start + place + len(tail)), new) if place > 0 else None


def _siblings(query: Query, column: Any) -> Iterator[SqlEdit]:
    attr = query.resolve(column)
    if attr is None or not attr.type:
        return
    same = [
        other.name
        for other in query.visible(column)
        if (other.qualifier, other.type, other.table) == (attr.qualifier, attr.type, attr.table)
    ]
    for name in rank_siblings(attr.name, same, _FEW):
        says = f"a join compares {name} where it should compare {attr.name}"
        columns = (attr.full, f"{attr.table}.{name}".lstrip("."))
        yield query.edit(column, renamed(column, name), says, clause=Fragment.JOIN_ON, columns=columns)


def renamed(column: Any, name: str) -> Any:
    """Copy a column of SQL under another name."""
    from sqlglot import exp

    made = column.copy()
    made.set("this", exp.to_identifier(name, quoted=column.this.args.get("quoted")))
    return made


def _dropped(query: Query, node: Any) -> Iterator[SqlEdit]:
    from sqlglot import exp

    outer = node
    while isinstance(outer.parent, exp.Paren):
        outer = outer.parent
    parent = outer.parent
    says = "a join does not compare this key"
    if isinstance(parent, exp.And):
        other = parent.expression if parent.this is outer else parent.this
        yield query.edit(parent, other.copy(), says, clause=Fragment.JOIN_ON, columns=query.columns(node))
    elif isinstance(parent, exp.Where):
        yield query.edit(parent, None, says, clause=Fragment.JOIN_ON, columns=query.columns(node))


OPERATOR = JoinKey()

"""What filter and having have in common: edits of one predicate."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query
    from pytest_lockin.model.task import Kind

# Comparison -> the comparisons that move its boundary or turn it round.
MOVED: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.GtE: (">", "<"),
    ast.Gt: (">=", "<="),
    ast.LtE: ("<", ">"),
    ast.Lt: ("<=", ">="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
}
_BOUNDS = {(">=", ">"), (">", ">="), ("<=", "<"), ("<", "<=")}
_SIGNS = {ast.GtE: ">=", ast.Gt: ">", ast.LtE: "<=", ast.Lt: "<", ast.Eq: "==", ast.NotEq: "!="}


def says_moved(old: str, new: str, condition: str) -> str:
    """Say what a changed comparison means."""
    if (old, new) in _BOUNDS:
        verb = "no longer includes" if "=" in old else "includes"
        return f"the condition {condition} {verb} its boundary"
    return f"the condition {condition} is turned round ({new} for {old})"


def short(text: str, most: int = 60) -> str:
    """Put a text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def condition_of(program: Program, call: ast.Call) -> ast.expr | None:
    """Give the condition of a `filter`, if it is a column expression."""
    node = program.argument(call, 0, "condition")
    return node if node is not None and program.is_column(node) else None


def is_on_totals(program: Program, node: ast.AST) -> bool:
    """Whether a condition reads computed columns only: then it filters groups, or what became of rows."""
    uses = [use for each in ast.walk(node) for use in program.uses(each)]
    return bool(uses) and not any(use.attr.table for use in uses)


def conjuncts(node: ast.expr) -> list[ast.expr]:
    """Give the operands of `&` and `|`, through all levels."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        return [*conjuncts(node.left), *conjuncts(node.right)]
    return [node]


def move(program: Program, node: ast.Compare, kind: Kind) -> Iterator[PythonEdit]:
    """Move the boundary of a comparison, and turn it round."""
    old = _SIGNS.get(type(node.ops[0]), "")
    for new in MOVED.get(type(node.ops[0]), ()):
        span = program.layout.between(node.left, node.comparators[0])
        says = says_moved(old, new, short(program.layout.text(node)))
        yield program.swap_span(span, new, kind=kind, says=says, columns=program.columns(node))


def negate(program: Program, node: ast.expr, kind: Kind) -> Iterator[PythonEdit]:
    """Turn a condition round that is not a comparison."""
    says = f"the condition {short(program.layout.text(node))} is turned round"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        yield program.replace(node, program.layout.grouped(node.operand), kind=kind, says=says)
        return
    opposite = {"isNull": "isNotNull", "isNotNull": "isNull"}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in opposite:
        yield program.rename(node, opposite[node.func.attr], kind=kind, says=says)
    elif isinstance(node, (ast.Call, ast.Name)):
        yield program.replace(node, f"~{program.layout.text(node)}", kind=kind, says=says)


def narrow_between(program: Program, call: ast.Call, kind: Kind) -> Iterator[PythonEdit]:
    """Leave one end of a `between` out."""
    low, high = program.argument(call, 0, "lowerBound"), program.argument(call, 1, "upperBound")
    if low is None or high is None or not isinstance(call.func, ast.Attribute):
        return
    layout = program.layout
    owner, first, last = layout.grouped(call.func.value), layout.grouped(low), layout.grouped(high)
    for text, says in (
        (f"(({owner} > {first}) & ({owner} <= {last}))", "the range leaves its first value out"),
        (f"(({owner} >= {first}) & ({owner} < {last}))", "the range leaves its last value out"),
    ):
        yield program.replace(call, text, kind=kind, says=f"{says} ({short(layout.text(call))})")


def edit_predicate(program: Program, node: ast.expr, kind: Kind) -> Iterator[PythonEdit]:
    """Edit a condition: each part of it dropped, moved, turned round; `&` and `|` swapped."""
    parts = conjuncts(node)
    for part in parts:
        if len(parts) > 1:
            yield from _drop(program, part, kind)
        if isinstance(part, ast.Compare):
            yield from move(program, part, kind)
        else:
            yield from negate(program, part, kind)
        if (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Attribute)
            and part.func.attr == "between"
        ):
            yield from narrow_between(program, part, kind)
    yield from swap_words(program, node, kind)


def _drop(program: Program, node: ast.expr, kind: Kind) -> Iterator[PythonEdit]:
    parent = program.parents.get(node)
    if not isinstance(parent, ast.BinOp):
        return
    other = parent.right if parent.left is node else parent.left
    says = f"the condition {short(program.layout.text(node))} is left out"
    text = program.layout.grouped(other)
    yield program.replace(parent, text, kind=kind, says=says, columns=program.columns(node))


def swap_words(program: Program, node: ast.expr, kind: Kind) -> Iterator[PythonEdit]:
    """Swap `&` and `|`, at each place."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        return
    span = program.layout.between(node.left, node.right)
    both = isinstance(node.op, ast.BitAnd)
    says = "one of two conditions is enough" if both else "two conditions must hold where one is enough"
    yield program.swap_span(span, "|" if both else "&", kind=kind, says=says, columns=program.columns(node))
    for side in (node.left, node.right):
        yield from swap_words(program, side, kind)


def sql_parts(root: Any) -> list[Any]:
    """Give the operands of AND and OR below a WHERE or HAVING, through all levels and parentheses."""
    from sqlglot import exp

    node = root.unnest() if isinstance(root, exp.Paren) else root
    if isinstance(node, (exp.And, exp.Or)):
        return [*sql_parts(node.this), *sql_parts(node.expression)]
    return [root]


def edit_sql_predicate(query: Query, root: Any) -> Iterator[SqlEdit]:
    """Edit a WHERE or HAVING the same way; conditions that relate two tables are another family's."""
    from sqlglot import exp

    parts = [part for part in sql_parts(root.this) if not query.relates(part)]
    for part in parts:
        yield from _drop_sql(query, part)
        yield from change_sql(query, part.unnest())
    for node in root.find_all(exp.And, exp.Or):
        if node.find_ancestor(exp.Where, exp.Having) is root and not any(map(query.relates, sql_parts(node))):
            both = isinstance(node, exp.And)
            made = (exp.Or if both else exp.And)(this=_closed(node.this), expression=_closed(node.expression))
            says = (
                "one of two conditions is enough" if both else "two conditions must hold where one is enough"
            )
            outer = isinstance(node.parent, (exp.Where, exp.Having, exp.Paren))
            yield query.edit(node, made if outer else exp.Paren(this=made), says)


def _closed(node: Any) -> Any:
    from sqlglot import exp

    return exp.Paren(this=node.copy()) if isinstance(node, (exp.And, exp.Or)) else node.copy()


def _drop_sql(query: Query, part: Any) -> Iterator[SqlEdit]:
    from sqlglot import exp

    says = f"the condition {short(part.sql('spark'))} is left out"
    parent = part.parent
    clause, columns = query.clause_of(part), query.columns(part)
    if isinstance(parent, (exp.And, exp.Or)):
        other = parent.expression if parent.this is part else parent.this
        yield query.edit(parent, other.copy(), says, clause=clause, columns=columns)
    elif isinstance(parent, (exp.Where, exp.Having)):
        yield query.edit(parent, None, says, clause=clause, columns=columns)


def change_sql(query: Query, part: Any) -> Iterator[SqlEdit]:
    """Move the boundary of a comparison, or turn a condition round."""
    from sqlglot import exp

    signs: dict[type[Any], tuple[str, tuple[tuple[type[Any], str], ...]]] = {
        exp.GTE: (">=", ((exp.GT, ">"), (exp.LT, "<"))),
        exp.GT: (">", ((exp.GTE, ">="), (exp.LTE, "<="))),
        exp.LTE: ("<=", ((exp.LT, "<"), (exp.GT, ">"))),
        exp.LT: ("<", ((exp.LTE, "<="), (exp.GTE, ">="))),
        exp.EQ: ("=", ((exp.NEQ, "<>"),)),
        exp.NEQ: ("<>", ((exp.EQ, "="),)),
    }
    condition = short(part.sql("spark"))
    if type(part) in signs:
        old, others = signs[type(part)]
        for kind, new in others:
            made = kind(this=part.this.copy(), expression=part.expression.copy())
            yield query.edit(part, made, says_moved(old, new, condition))
        return
    says = f"the condition {condition} is turned round"
    if isinstance(part, exp.Not):
        yield query.edit(part, part.this.unnest().copy(), says)
    elif isinstance(part, (exp.In, exp.Between, exp.Like, exp.Exists, exp.Is)):
        yield query.edit(part, exp.Not(this=part.copy()), says)
    if isinstance(part, exp.Between):
        yield from _narrow_sql(query, part)


def _narrow_sql(query: Query, part: Any) -> Iterator[SqlEdit]:
    from sqlglot import exp

    low, high = part.args["low"], part.args["high"]
    for first, last, says in (
        (exp.GT, exp.LTE, "the range leaves its first value out"),
        (exp.GTE, exp.LT, "the range leaves its last value out"),
    ):
        made = exp.And(
            this=first(this=part.this.copy(), expression=low.copy()),
            expression=last(this=part.this.copy(), expression=high.copy()),
        )
        yield query.edit(part, exp.Paren(this=made), f"{says} ({short(part.sql('spark'))})")

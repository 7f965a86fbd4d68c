"""SQL inside of a Python program: conditions, expressions and statements given as text.

The text is parsed, edited by the SQL side of the operators, and put back with only the changed tokens
replaced.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import PythonEdit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import Operator, Schemas
    from pytest_lockin.alternatives.python.program import Program

_FRAME = "lockin_frame"
# What a part becomes a whole query with; it is parsed, never run.
_WRAPPED = {
    "condition": ("SELECT * FROM lockin_frame WHERE ", ""),
    "list": ("SELECT ", " FROM lockin_frame"),
    "statement": ("", ""),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlText:
    """A literal that holds SQL: where its characters start, and the query it was parsed into."""

    start: int
    text: str
    query: Any
    part: str

    def render(self) -> str:
        """Write the part that stands in the program; "" where an edit took it out."""
        tree = self.query.tree
        if self.part == "statement":
            return str(tree.sql(dialect="spark", comments=False))
        if self.part == "condition":
            where = tree.args.get("where")
            return str(where.this.sql(dialect="spark", comments=False)) if where is not None else ""
        return ", ".join(node.sql(dialect="spark", comments=False) for node in tree.expressions)


def propose_in_text(operator: Operator, program: Program) -> Iterator[PythonEdit]:
    """Propose an operator's edits of every SQL text in a program."""
    if not program.has_sql:
        return
    from pytest_lockin.alternatives.variants import apply

    for found in program.sql_texts:
        original = found.render()
        for edit in list(operator.sql(found.query)):
            undo = apply(edit)
            changed = found.render()
            undo()
            if changed in ("", original):
                continue
            start, end, replacement = put_back(found.text, original, changed)
            yield PythonEdit(
                start=found.start + start,
                end=found.start + end,
                replacement=replacement,
                kind=edit.kind,
                text=edit.text,
                columns=edit.columns,
            )


def find_texts(program: Program) -> list[SqlText]:
    """Find the literals that hold SQL and can be edited character by character."""
    found = []
    for call in program.calls:
        for node, part in _texts_of(program, call):
            made = _read(program, call, node, part)
            if made is not None:
                found.append(made)
    return found


def _texts_of(program: Program, call: ast.Call) -> Iterator[tuple[ast.Constant, str]]:
    """Give the arguments of a call that are SQL, and what they are: condition, list or statement."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    part = {"filter": "condition", "where": "condition", "selectExpr": "list", "sql": "statement"}.get(
        name, ""
    )
    if program.function_name(call) == "expr":
        part = "list"
    for node in call.args if part else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node, part


def _read(program: Program, call: ast.Call, node: ast.Constant, part: str) -> SqlText | None:
    import sqlglot
    from sqlglot import exp

    from pytest_lockin.alternatives.sql.query import Query

    written = program.layout.text(node)
    text = str(node.value)
    place = written.find(text)
    if place < 0 or written.count(text) != 1:
        return None
    head, tail = _WRAPPED[part]
    try:
        tree = sqlglot.parse_one(f"{head}{text}{tail}", read="spark")
    except sqlglot.errors.SqlglotError:
        return None
    if not isinstance(tree, exp.Query):
        return None
    schemas = program.schemas if part == "statement" else _frame_schemas(program, call)
    start = program.layout.span(node)[0] + place
    return SqlText(start=start, text=text, query=Query(tree, schemas), part=part)


def _frame_schemas(program: Program, call: ast.Call) -> Schemas:
    """Give the columns the text can read: those of the nearest frame whose method takes it."""
    found: ast.AST | None = call
    while found is not None:
        if isinstance(found, ast.Call) and isinstance(found.func, ast.Attribute):
            for frame in program.frames(found.func.value):
                return {_FRAME: {attr.name: attr.type for attr in frame.attrs or ()}}
        found = program.parents.get(found)
    return {}


def put_back(text: str, original: str, changed: str) -> tuple[int, int, str]:
    """Give the span of a text to replace, and by what, so that only changed tokens differ.

    `original` and `changed` are renderings; where the text is not written as its rendering is, token by
    token, all of it is replaced.

    >>> put_back("a  >= 5 and b=1", "a >= 5 AND b = 1", "a > 5 AND b = 1")
    (3, 5, '>')
    """
    mine, old, new = _tokens(text), _tokens(original), _tokens(changed)
    if [token[0] for token in mine] != [token[0] for token in old]:
        return 0, len(text), changed
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    first, last = mine[head:][:1], mine[: len(mine) - tail][-1:]
    cut = changed[new[head][1] : new[len(new) - tail - 1][2]] if head < len(new) - tail else ""
    if head < len(mine) - tail:
        return first[0][1], last[0][2], cut
    place = mine[head - 1][2] if head else 0
    return place, place, f" {cut}" if head else f"{cut} "


def _tokens(text: str) -> list[tuple[str, int, int]]:
    import sqlglot

    # Words compare without case, as SQL reads them; what stands in quotes is taken as it is.
    return [
        (t.text if text[t.start] in "'\"`" else t.text.lower(), t.start, t.end + 1)
        for t in sqlglot.tokenize(text, read="spark")
    ]


def _shared(left: list[tuple[str, int, int]], right: list[tuple[str, int, int]]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one[0] != other[0]:
            break
        count += 1
    return count

"""A control: the candidate with an edit that changes its code and nothing it does.

A suite that notices it notices that there was an edit, not what the edit does: the program looks at its own
code (or the tests do), and behaves only where it finds it untouched. No kill by such a suite says anything.
"""

from __future__ import annotations

import ast
from itertools import takewhile

from pytest_lockin.alternatives.diffs import write_diff
from pytest_lockin.model.alternative import Mutant, Site

OPERATOR = "control"
# Other instructions, constants and names than before; a name no program has.
_NOTHING = '_lockin_control = (len, "an edit that does nothing")'


def make_control(source: str, module: str) -> Mutant | None:
    """Put a statement that does nothing into every function, on lines that are there, where that can be done.

    None where there is no function, or the source cannot be read. Lambdas stay as they are.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    lines = source.splitlines(keepends=True)
    for function in sorted(functions, key=lambda node: _first(node).lineno, reverse=True):
        _insert(lines, function)
    edited = "".join(lines)
    if not functions or not _is_whole(edited):
        return None
    return Mutant(
        id=f"{OPERATOR}-{module}",
        operator=OPERATOR,
        kind=None,
        text="an edit that does nothing",
        diff=write_diff(source, edited, module),
        site=Site(line=1, column=0, end_line=1, end_column=0),
        before="",
        after=_NOTHING,
        module=module,
        source=edited,
    )


def _first(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    """The first statement of a function that is no text about it; the text where there is nothing else."""
    body = function.body
    return body[1] if ast.get_docstring(function, clean=False) is not None and len(body) > 1 else body[0]


def _insert(lines: list[str], function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    first = _first(function)
    place = min((each.lineno for each in getattr(first, "decorator_list", ())), default=first.lineno) - 1
    line = lines[place]
    # Columns of the tree are bytes.
    before = line.encode()[: first.col_offset].decode()
    if isinstance(first, ast.Expr) and first is function.body[0] and len(function.body) == 1:
        # Behind it, should it be the function's text.
        _append(lines, first)
    elif hasattr(first, "body") or hasattr(first, "cases"):
        indent = "".join(takewhile(str.isspace, line))
        lines[place] = f"{indent}{_NOTHING}\n{line}"
    else:
        lines[place] = f"{before}{_NOTHING}; {line[len(before) :]}"


def _append(lines: list[str], statement: ast.stmt) -> None:
    place = (statement.end_lineno or statement.lineno) - 1
    line = lines[place].encode()
    end = statement.end_col_offset or len(line)
    lines[place] = f"{line[:end].decode()}; {_NOTHING}{line[end:].decode()}"


def _is_whole(source: str) -> bool:
    try:
        compile(source, "<control>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


__all__ = ["OPERATOR", "make_control"]

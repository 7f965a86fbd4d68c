"""What each word of an enum means: the docstring below its member, read from the source."""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from enum import StrEnum


def read_meanings(words: type[StrEnum]) -> dict[str, str]:
    """Each member's value, in order, with the docstring that follows it in the source; "" where none does.

    Python keeps no docstrings of members, so that the class's source is read; where there is none (an
    installation of compiled files alone) every meaning is "".
    """
    found = {str(member): "" for member in words}
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(words))).body
    except OSError:
        return found
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for member, below in itertools.pairwise(body):
        name = getattr(member.targets[0], "id", "") if isinstance(member, ast.Assign) else ""
        if (
            name in words.__members__
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
        ):
            found[str(words[name])] = inspect.cleandoc(str(below.value.value))
    return found

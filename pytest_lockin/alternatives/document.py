"""The operators' reference page, from their docstrings and examples.

`python -m pytest_lockin.alternatives.document docs/reference/operators.md` renews it.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.alternatives.registry import list_operators

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.alternatives.base import Example, Operator

_HEAD = """# Operators

An alternative is the candidate (a mutant) or the reference's SQL (a variant) with one edit. Each operator
family below proposes edits; what cannot compile, cannot be analysed by Spark as far as the observed schemas
tell, or comes to the same program as another edit, is left out. Commutations, double negations and changes
of upper and lower case in names are never made. What remains equivalent is said under "when it changes
nothing".

This page is made from the operators' docstrings:
`python -m pytest_lockin.alternatives.document docs/reference/operators.md`.
"""


def describe_operators(operators: Iterable[Operator] | None = None) -> str:
    """Write the page: one section a family, in the order in which they propose."""
    listed = list_operators() if operators is None else operators
    return "\n".join([_HEAD, *(_describe(operator) for operator in listed)])


def _describe(operator: Operator) -> str:
    text = inspect.cleandoc(sys.modules[type(operator).__module__].__doc__ or "")
    title, _, body = text.partition("\n")
    lines = [f"## {operator.name}", "", title, ""]
    for line in body.strip().splitlines():
        heading = re.fullmatch(r"(\S.*):", line)
        lines.append(f"**{heading[1]}.**" if heading else line.strip())
    return "\n".join([*lines, "", *(_show(example) for example in operator.examples())])


def _show(example: Example) -> str:
    return "\n".join(
        (f"```{example.language}", example.before, *(f"    {text}" for text in example.after), "```", "")
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(describe_operators(), encoding="utf-8")

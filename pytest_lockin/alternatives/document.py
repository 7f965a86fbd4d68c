"""The operators' reference page, from their docstrings and examples.

`python -m pytest_lockin.alternatives.document docs/reference/operators.md` renews it.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.alternatives import generic
from pytest_lockin.alternatives.registry import list_operators
from pytest_lockin.model.alternative import OperatorText

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

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


def explain_operators(operators: Iterable[Operator]) -> tuple[OperatorText, ...]:
    """What each family says of itself in its module's docstring, and then the generic edits of Python.

    A family of another plugin whose module says nothing has its name alone.
    """
    told = [_explain(operator.name, sys.modules[type(operator).__module__]) for operator in operators]
    return (*told, _explain(generic.GENERIC, generic))


def _explain(name: str, module: ModuleType) -> OperatorText:
    title, _, text = inspect.cleandoc(module.__doc__ or "").partition("\n")
    return OperatorText(name=name, title=title, text=text.strip())


def _describe(operator: Operator) -> str:
    told = _explain(operator.name, sys.modules[type(operator).__module__])
    lines = [f"## {told.name}", "", told.title, ""]
    for line in told.text.splitlines():
        heading = re.fullmatch(r"(\S.*):", line)
        lines.append(f"**{heading[1]}.**" if heading else line.strip())
    return "\n".join([*lines, "", *(_show(example) for example in operator.examples())])


def _show(example: Example) -> str:
    return "\n".join(
        (f"```{example.language}", example.before, *(f"    {text}" for text in example.after), "```", "")
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(describe_operators(), encoding="utf-8")

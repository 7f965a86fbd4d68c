"""Generic edits of Python: mutmut's operators, used as a library.

`MutationVisitor` over a libcst module needs no configuration (mutmut's other entrances read the working
folder's). Left out are the operators whose edits cannot matter in DataFrame code, or only crash it: strings
in another case, removed arguments, assignments and lambdas of None, renamed keywords of `dict`. What our own
families make already is dropped by the caller, which compares what two sources compile to.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import PythonEdit
from pytest_lockin.alternatives.predicates import short
from pytest_lockin.alternatives.python.values import Day

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.python.program import Program

# The family's name in reports.
GENERIC = "python"
_LEFT_OUT = frozenset(
    (
        "operator_string",
        "operator_arg_removal",
        "operator_assignment",
        "operator_lambda",
        "operator_dict_arguments",
    )
)


def propose_generic(program: Program) -> Iterator[PythonEdit]:
    """Propose mutmut's edits of a program; their kind is None, for no obligation asks for them."""
    import libcst as cst
    from libcst.metadata import MetadataWrapper, PositionProvider
    from mutmut.mutation.file_mutation import MutationVisitor
    from mutmut.mutation.mutators import mutation_operators
    from mutmut.mutation.pragma_handling import IgnoredCode

    kept = [(node, operator) for node, operator in mutation_operators if operator.__name__ not in _LEFT_OUT]
    wrapper = MetadataWrapper(cst.parse_module(program.source), unsafe_skip_copy=True)
    visitor = MutationVisitor(kept, IgnoredCode(set(), set(), set()))
    module = wrapper.visit(visitor)
    places = wrapper.resolve(PositionProvider)
    starts = _line_starts(program.source)
    for mutation in visitor.mutations:
        place = places[mutation.original_node]
        start = starts[place.start.line - 1] + place.start.column
        end = starts[place.end.line - 1] + place.end.column
        before, after = program.source[start:end], _write(module, mutation.mutated_node)
        if after != before and not _is_part_of_a_day(program, start, end):
            says = f"`{short(before, 40)}` becomes `{short(after, 40)}`"
            yield PythonEdit(start=start, end=end, replacement=after, kind=None, text=says)


def _line_starts(source: str) -> list[int]:
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _write(module: Any, node: Any) -> str:
    """Write a node without the parentheses around it, which stay in the source."""
    if getattr(node, "lpar", ()):
        node = node.with_changes(lpar=(), rpar=())
    text: str = module.code_for_node(node)
    return text.strip()


def _is_part_of_a_day(program: Program, start: int, end: int) -> bool:
    """Whether an edit stands in a date: those are moved by days, by another family."""
    for node in program.nodes:
        if isinstance(node, ast.Call) and any(isinstance(value, Day) for value in program.values(node)):
            span = program.layout.span(node)
            if span[0] <= start and end <= span[1]:
                return True
    return False

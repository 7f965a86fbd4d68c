"""Mutants of a candidate: every operator's edits of its source, each once, none that cannot analyse."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from dataclasses import dataclass, field
from types import CodeType
from typing import TYPE_CHECKING

from pytest_lockin.alternatives.diffs import make_id, write_diff
from pytest_lockin.alternatives.generic import GENERIC, propose_generic
from pytest_lockin.alternatives.python.interpret import Interpreter
from pytest_lockin.alternatives.python.program import Program
from pytest_lockin.alternatives.python.sqltext import propose_in_text
from pytest_lockin.alternatives.python.values import Frame
from pytest_lockin.alternatives.registry import list_operators
from pytest_lockin.errors import AlternativesError
from pytest_lockin.model.alternative import MUTANT_SAYS, Mutant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_lockin.alternatives.base import Operator, PythonEdit, Schemas


def make_mutants(
    source: str,
    schemas: Schemas,
    *,
    module: str,
    function: str,
    operators: Iterable[Operator] | None = None,
    generic: bool = True,
) -> tuple[Mutant, ...]:
    """Make every mutant of a candidate's source, in source order.

    Assumes that `schemas` holds the tables the entry point was seen to be given; with none, column and
    key operators have nothing to choose from, and nothing can be checked for analysis.

    Every mutant compiles, differs from the source and from every other mutant in more than layout, and is
    one edit at one place. Those that surely fail Spark's analysis are left out; what cannot be known
    statically (a UDF's result, a table made on the way) is given the benefit of the doubt.

    Args:
        source: text of the candidate's module.
        schemas: table -> column -> type.
        module: name of the module, for the diff's heading.
        function: the entry point in it.
        operators: the operators to use, `list_operators(others)` for other plugins' too; ours by default.
        generic: whether mutmut's operators for plain Python are used too.

    Raises:
        AlternativesError: the source is not Python.
    """
    tree = _parse(source, module)
    program = Program(source, schemas, function, tree)
    maker = _Maker(program=program, module=module)
    proposed = [
        (operator.name, edit)
        for operator in (list_operators() if operators is None else operators)
        for edit in (*operator.python(program), *propose_in_text(operator, program))
    ]
    maker.take(proposed)
    if generic:
        maker.take((GENERIC, edit) for edit in propose_generic(program))
    return tuple(sorted(maker.made, key=lambda mutant: (mutant.site.line, mutant.site.column)))


def _parse(source: str, module: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            # A mutant may hold what the compiler warns of (`5 is 5`); so may the source.
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise AlternativesError(
            expected=f"Python source in {module}",
            found=f"{error}",
            hint="run the module once; alternatives are made of programs that can be imported",
        ) from None


# Edits of DataFrame code that leave names alone (a generic one may move what a name is put together of), and
# links of a chain that pass every column on, need no second reading.
_NAMELESS = re.compile(r"[\s\d.<>=!&|+*/~()-]*")
_PASSING = re.compile(
    r"\s*\.(?:filter|where|limit|orderBy|sort|distinct|dropDuplicates|drop_duplicates|dropna|fillna|otherwise)\("
)


@dataclass(slots=True, kw_only=True)
class _Maker:
    """Turns edits into mutants and keeps out what is no mutant.

    Only the statement of the module that an edit stands in is parsed again; the others are shared.
    """

    program: Program
    module: str
    made: list[Mutant] = field(default_factory=list)
    _known: set[tuple[int, object]] = field(default_factory=set)
    _places: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _spans: list[tuple[int, int]] = field(default_factory=list)
    _statements: list[tuple[int, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        layout = self.program.layout
        for place, statement in enumerate(self.program.tree.body):
            start = min([layout.span(statement)[0], *(layout.span(d)[0] - 1 for d in _decorators(statement))])
            self._spans.append((start, layout.span(statement)[1]))
            self._known.add((place, _meaning_of(statement)))
        for node in ast.walk(self.program.tree):
            if isinstance(node, ast.stmt) and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self._statements.append((node.lineno, node.end_lineno or node.lineno, ast.unparse(node)))

    def take(self, edits: Iterable[tuple[str, PythonEdit]]) -> None:
        """Make the mutants of edits; the first of two that come to the same stays."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for operator, edit in edits:
                self.made += self._make(operator, edit)

    def _make(self, operator: str, edit: PythonEdit) -> Iterator[Mutant]:
        place = next(
            (i for i, (start, end) in enumerate(self._spans) if start <= edit.start and edit.end <= end), None
        )
        if place is None:
            return
        start, end = self._spans[place]
        original = self.program.source
        try:
            body = ast.parse(original[start : edit.start] + edit.replacement + original[edit.end : end]).body
            meaning = _meaning_of(body[0]) if len(body) == 1 else None
        except (SyntaxError, ValueError, RecursionError):
            return
        if meaning is None or (place, meaning) in self._known:
            return
        self._known.add((place, meaning))
        if self._analyses(ast.Module(body=self._with(place, body[0]), type_ignores=[]), operator, edit):
            yield self._finish(
                operator, edit, original[: edit.start] + edit.replacement + original[edit.end :]
            )

    def _with(self, place: int, statement: ast.stmt) -> list[ast.stmt]:
        body = self.program.tree.body
        return [*body[:place], statement, *body[place + 1 :]]

    def _analyses(self, tree: ast.Module, operator: str, edit: PythonEdit) -> bool:
        before = self.program.source[edit.start : edit.end]
        nameless = (
            edit.kind is not None and _NAMELESS.fullmatch(before) and _NAMELESS.fullmatch(edit.replacement)
        )
        if nameless or (not edit.replacement and _PASSING.match(before)):
            return True
        reading = Interpreter(self.program.schemas, like=self.program.reading)
        reading.read(tree, self.program.function)
        if reading.trace.errors - self.program.trace.errors:
            return False
        return _is_sound(operator, names_of(self.program.result), names_of(reading.result))

    def _finish(self, operator: str, edit: PythonEdit, source: str) -> Mutant:
        original = self.program.source
        before, after = original[edit.start : edit.end], edit.replacement
        site = self.program.layout.site(edit.start + len(before) - len(before.lstrip()), edit.end)
        key = (operator, *self._around(site.line), before, after)
        self._places[key] += 1
        return Mutant(
            id=make_id(*key, str(self._places[key])),
            operator=operator,
            kind=edit.kind,
            text=f"{MUTANT_SAYS}{edit.text}",
            diff=write_diff(original, source, f"{self.module.replace('.', '/')}.py"),
            site=site,
            before=before.strip(),
            after=after.strip(),
            columns=edit.columns,
            module=self.module,
            source=source,
        )

    def _around(self, line: int) -> tuple[str, str]:
        """Name the function and the statement of a line, so that equal edits get ids of their own."""
        inside = [each for each in self._statements if each[0] <= line <= each[1]]
        closest = min(inside, key=lambda each: each[1] - each[0])[2] if inside else ""
        return self.program.function_at(line), closest


def _is_sound(operator: str, before: list[str] | None, after: list[str] | None) -> bool:
    """Whether the result's columns can be compared; and differ, for edits that are about them."""
    if before is None or after is None:
        return True
    if len(set(after)) < len(after) and len(set(before)) == len(before):
        return False
    return before != after or operator not in _SHAPING


_SHAPING = ("alias", "column-order")


def _decorators(statement: ast.stmt) -> list[ast.expr]:
    return statement.decorator_list if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else []


def _meaning_of(statement: ast.stmt) -> object:
    """Give what a statement compiles to, layout and line numbers aside; a SyntaxError where it does not."""
    return _key_of(compile(ast.Module(body=[statement], type_ignores=[]), "<mutant>", "exec"))


def _key_of(code: CodeType) -> tuple[object, ...]:
    constants = tuple(
        _key_of(each) if isinstance(each, CodeType) else (type(each).__name__, repr(each))
        for each in code.co_consts
    )
    return (code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_name)


def names_of(result: object) -> list[str] | None:
    """Column names of a result, lower-cased; None where not known."""
    if not isinstance(result, Frame) or result.attrs is None:
        return None
    return [attr.name.lower() for attr in result.attrs]

"""PySpark job functions in a file, read off its text: which functions take DataFrames and give some."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.engines.entry import MAPPING_NAMES, SESSION_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FRAME_ENDINGS = ("_df", "_sdf", "_dataframe")
# What a function may return, by the last name in its annotation; others make no table.
_RESULTS = ("DataFrame", "tuple", "list", "dict", "Tuple", "List", "Dict", "Mapping", "Any")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFunction:
    """A function at the top level of a file that makes DataFrames of DataFrames.

    Attributes:
        path: the file, from the repository's root.
        frames: its parameters that hold one table each.
        text: the first line of its docstring, or "".
    """

    path: str
    name: str
    line: int
    frames: tuple[str, ...] = ()
    text: str = ""


def find_jobs(tree: ast.Module, path: str) -> tuple[JobFunction, ...]:
    """Find the job functions of a file.

    A job is a public function, in a file that imports pyspark, with a parameter annotated as PySpark's
    DataFrame, or named like one (`orders_df`), or with a session and a mapping of tables (`spark, tables`).
    One that is annotated to return something else (None, a number) is none. Methods and nested functions are
    not seen.
    """
    names = _imported(tree)
    if not any(each.partition(".")[0] == "pyspark" for each in names.values()):
        return ()
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return tuple(
        JobFunction(
            path=path,
            name=node.name,
            line=node.lineno,
            frames=tuple(_frames(node, names)),
            text=read_title(node),
        )
        for node in functions
        if not node.name.startswith(("_", "test_")) and _is_job(node, names)
    )


def find_function(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    """Find a function at the top level by its name."""
    return next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name), None)


def read_title(node: ast.FunctionDef) -> str:
    """Give the first line of a function's docstring; "" where it has none."""
    return (ast.get_docstring(node) or "").strip().partition("\n")[0]


def read_signature(node: ast.FunctionDef) -> inspect.Signature:
    """Give a function's signature without importing it; annotations are their text, defaults a mark."""
    parameters = [
        inspect.Parameter(
            each.arg,
            kind,
            default=inspect.Parameter.empty if default is None else ...,
            annotation=ast.unparse(each.annotation) if each.annotation else inspect.Parameter.empty,
        )
        for each, default, kind in _parameters(node)
    ]
    return inspect.Signature(parameters)


def _parameters(
    node: ast.FunctionDef,
) -> Iterator[tuple[ast.arg, ast.expr | None, inspect._ParameterKind]]:
    given = node.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(plain) - len(given.defaults)), *given.defaults]
    for number, (each, default) in enumerate(zip(plain, defaults, strict=True)):
        only = number < len(given.posonlyargs)
        kind = inspect.Parameter.POSITIONAL_ONLY if only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        yield each, default, kind
    for each, named in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield each, named, inspect.Parameter.KEYWORD_ONLY


def _is_job(node: ast.FunctionDef, names: Mapping[str, str]) -> bool:
    if node.returns is not None and not _may_be_result(node.returns):
        return False
    parameters = {each.arg.lower() for each, _, _ in _parameters(node)}
    return bool(any(_frames(node, names)) or (parameters & SESSION_NAMES and parameters & MAPPING_NAMES))


def _may_be_result(annotation: ast.expr) -> bool:
    text = ast.unparse(annotation).strip("'\"")
    return text.partition("[")[0].rpartition(".")[2] in _RESULTS


def _frames(node: ast.FunctionDef, names: Mapping[str, str]) -> Iterator[str]:
    for each, _, _ in _parameters(node):
        if each.annotation is not None:
            is_frame = _is_spark_frame(each.annotation, names)
        else:
            is_frame = each.arg == "df" or each.arg.endswith(_FRAME_ENDINGS)
        if is_frame:
            yield each.arg


def _is_spark_frame(annotation: ast.expr, names: Mapping[str, str]) -> bool:
    """Tell PySpark's DataFrame from another library's of the same name."""
    text = ast.unparse(annotation).strip("'\"").removesuffix(" | None")
    first, dot, rest = text.partition(".")
    whole = f"{names.get(first, first)}{dot}{rest}"
    return whole.startswith("pyspark.") and whole.endswith(".DataFrame")


def _imported(tree: ast.Module) -> dict[str, str]:
    """Name -> dotted name of everything a file imports, also for type checking alone."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found

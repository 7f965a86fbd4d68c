"""Alternatives: mutants of a candidate, variants of a reference."""

from pytest_lockin.alternatives.base import Example, Operator, PythonEdit, Schemas, SqlEdit
from pytest_lockin.alternatives.mutants import make_mutants
from pytest_lockin.alternatives.registry import list_operators
from pytest_lockin.alternatives.variants import make_variants

__all__ = [
    "Example",
    "Operator",
    "PythonEdit",
    "Schemas",
    "SqlEdit",
    "list_operators",
    "make_mutants",
    "make_variants",
]

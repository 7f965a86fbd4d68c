"""What an operator is, and what it yields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from sqlglot import exp

    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query
    from pytest_lockin.model.task import Fragment, Kind

# Table -> column -> type as Spark's DDL writes it; what the observed inputs had.
Schemas = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonEdit:
    """Source characters `start` to `end` replaced by `replacement`."""

    start: int
    end: int
    replacement: str
    kind: Kind | None
    text: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlEdit:
    """The node at `node` replaced by `replacement`, or taken out where that is None."""

    node: exp.Expression
    replacement: exp.Expression | None
    kind: Kind
    clause: Fragment
    text: str
    columns: tuple[str, ...] = ()


_TABLES: Schemas = {
    "orders": {
        "order_id": "int",
        "customer_id": "int",
        "amount": "decimal(7,2)",
        "list_amount": "decimal(7,2)",
        "status": "string",
        "placed": "date",
    },
    "customers": {"customer_id": "int", "region": "string", "segment": "string"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What an operator makes of one expression of Python, or one statement of SQL.

    A Python expression may use `orders`, `customers`, `F` and `Window`; its value is the program's result.
    `after` lists everything the operator makes of it.
    """

    before: str
    after: tuple[str, ...]
    language: str = "python"
    schemas: Schemas = field(default_factory=lambda: _TABLES)


@runtime_checkable
class Operator(Protocol):
    """One family of edits.

    Both methods propose; the front ends drop what changes nothing, cannot compile or cannot be analysed.
    """

    @property
    def name(self) -> str:
        """The family's name, as reports show it."""
        ...

    def python(self, program: Program) -> Iterable[PythonEdit]:
        """Propose edits of a candidate."""
        ...

    def sql(self, query: Query) -> Iterable[SqlEdit]:
        """Propose edits of a reference's statement."""
        ...

    def examples(self) -> tuple[Example, ...]:
        """Show what the operator makes of small pieces of code; a test runs them."""
        ...

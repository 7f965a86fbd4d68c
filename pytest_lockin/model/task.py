"""A task: the ticket, its tables and its obligations, as `task.yaml` states them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

ARTIFACTS = ("plan.md", "solution.py", "test_solution.py")


class Kind(StrEnum):
    """What an obligation is about."""

    JOIN = "join"
    FILTER = "filter"
    METRIC = "metric"
    GROUP = "group"
    SCHEMA = "schema"
    TYPE = "type"
    ORDER = "order"
    LIMIT = "limit"
    NULL = "null"
    LITERAL = "literal"
    SET_OP = "set-op"
    WINDOW = "window"


class Source(StrEnum):
    """Where an obligation can be read: the ticket, the input schemas or only the reference (PAPERS A1.9)."""

    PROMPT = "prompt"
    SCHEMA = "schema"
    HIDDEN = "hidden"


class Fragment(StrEnum):
    """The kind of statement fragment an obligation comes from.

    `join-on` is any condition that relates two tables, wherever it is written; `where` any other row
    predicate, a semi-join or an EXISTS among them; `select` an expression of the select list; `alias` the
    name it is given; `type` the type it ends up with, an explicit CAST included.
    """

    JOIN_ON = "join-on"
    WHERE = "where"
    HAVING = "having"
    GROUP_BY = "group-by"
    SELECT = "select"
    SET_OP = "set-op"
    WINDOW = "window"
    ORDER_BY = "order-by"
    LIMIT = "limit"
    TYPE = "type"
    ALIAS = "alias"


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation:
    """One requirement of a task, in one sentence.

    Attributes:
        id: unique in its task (`O3`).
        columns: what it concerns: `table.column` for input columns; for output columns the bare name, or
            `#3` for the third one where its name is not the ticket's to give.
        fragment: where in a SQL statement it stands; None where the author did not say.
    """

    id: str
    kind: Kind
    source: Source
    text: str
    columns: tuple[str, ...] = ()
    fragment: Fragment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of an input table; `type` is a Spark type as DDL writes it (`decimal(7,2)`).

    Attributes:
        type: "" where the author did not say.
        values: the only values it holds besides NULL, as text; empty where any value of its type will do.
        low: the least value it holds, as text; "" where there is none.
        high: the greatest.
    """

    name: str
    type: str = ""
    nullable: bool = True
    values: tuple[str, ...] = ()
    low: str = ""
    high: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """A foreign key: `columns`, where none is NULL, hold values of the columns `targets` of `table`."""

    columns: tuple[str, ...]
    table: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A column that follows from others of its row by an expression of Spark SQL (`year(d_date)`)."""

    column: str
    expression: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """An input table. `columns` is empty where only the name is known; `key` is its primary key, if any.

    Attributes:
        unique: further sets of columns whose values together occur once.
        foreign: its foreign keys. Without one a key may well lack its partner.
        derived: columns that follow from others.
    """

    name: str
    columns: tuple[Column, ...] = ()
    key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign: tuple[Pointer, ...] = ()
    derived: tuple[Rule, ...] = ()

    def column(self, name: str) -> Column | None:
        """Find a column by name, case ignored as Spark does; None where the schema does not have it."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One piece of work.

    Attributes:
        id: names the task's folder under the references.
        entry_point: the function under test, `solve`, or with its module, `solution:solve`.
        artifacts: the files a candidate consists of.
        obligations: those a candidate can know; hidden ones live with the references.
        path: the file this came from, as text; "" for a task without a file.
    """

    id: str
    title: str = ""
    prompt: str = ""
    engine: str = "pyspark"
    entry_point: str = "solve"
    artifacts: tuple[str, ...] = ARTIFACTS
    tables: tuple[Table, ...] = ()
    obligations: tuple[Obligation, ...] = ()
    path: str = ""

    @property
    def function(self) -> str:
        """The entry point's function name."""
        return self.entry_point.rpartition(":")[2]

    @property
    def module(self) -> str:
        """The entry point's module name; "" where the task leaves it open."""
        return self.entry_point.rpartition(":")[0]

    @property
    def schemas(self) -> dict[str, dict[str, str]]:
        """Table -> column -> type."""
        return {table.name: {column.name: column.type for column in table.columns} for table in self.tables}

    def table(self, name: str) -> Table | None:
        """Find a table by name, case ignored as Spark does; None where the task does not list it."""
        return next((table for table in self.tables if table.name.lower() == name.lower()), None)

"""Fixtures: what input data is legal, the small tables made from that, and what they tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum

Cell = bool | int | float | str | Decimal | date | datetime | None


class Basis(StrEnum):
    """How a fact about the input data is known. What was mined is *assumed*, and shown where it decides."""

    STATED = "stated"
    SCHEMA = "schema"
    MINED = "mined"


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueKey:
    """Columns whose values together occur once in their table; rows with a NULL among them are exempt."""

    columns: tuple[str, ...]
    basis: Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey:
    """Columns whose values, where none is NULL, occur in other columns of `table`."""

    columns: tuple[str, ...]
    table: str
    targets: tuple[str, ...]
    basis: Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A column that follows from others of its row: `rule` is an expression of Spark SQL (`year(d_date)`)."""

    column: str
    rule: str
    basis: Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """One column's legal values.

    Attributes:
        type: a Spark type as DDL writes it, in lower case.
        domain: the only values it may hold besides NULL; empty where any value of its type will do.
        low: the least legal value, or None.
        high: the greatest legal value, or None.
        basis: how nullability, domain and bounds are known.
    """

    name: str
    type: str
    nullable: bool = True
    domain: tuple[Cell, ...] = ()
    low: Cell = None
    high: Cell = None
    basis: Basis = Basis.STATED


@dataclass(frozen=True, slots=True, kw_only=True)
class TableProfile:
    """One table's legal rows."""

    name: str
    columns: tuple[ColumnProfile, ...]
    unique: tuple[UniqueKey, ...] = ()
    foreign: tuple[ForeignKey, ...] = ()
    derived: tuple[Derived, ...] = ()

    def column(self, name: str) -> ColumnProfile | None:
        """Find a column by name, case ignored as Spark does; None where there is none."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What input data is legal for a task: no fixture steps outside of it."""

    tables: tuple[TableProfile, ...]

    @property
    def schemas(self) -> dict[str, dict[str, str]]:
        """Table -> column -> type."""
        return {table.name: {column.name: column.type for column in table.columns} for table in self.tables}

    def table(self, name: str) -> TableProfile | None:
        """Find a table by name, case ignored as Spark does; None where there is none."""
        return next((table for table in self.tables if table.name.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A table's rows; `columns` names the cells of each, in the order of the table's profile."""

    table: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A small database: every table of the task, with all its columns, most of them of a few rows.

    Attributes:
        id: names it among the others of its task.
        purpose: what its rows are for, in a reader's words (`the join key of store is NULL`).
    """

    id: str
    purpose: str
    tables: tuple[Rows, ...]

    def table(self, name: str) -> Rows | None:
        """Find a table by name; None where there is none."""
        return next((rows for rows in self.tables if rows.table == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureTable:
    """One input table of a fixture: typed columns, rows, and what each row is for.

    Attributes:
        columns: (name, Spark type) in the table's order.
        rows: cells in the order of the columns.
        uses: for each row, in a reader's words, why it is there.
    """

    name: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Cell, ...], ...] = ()
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A frozen small database on which wrong programs show that they are wrong.

    Attributes:
        name: unique in its task; its file is named after it.
        separates: ids of the variants whose result is not the reference's here, confirmed by plain runs.
        post_hoc: made after a candidate was read: shown, never scored.
    """

    task: str
    name: str
    purpose: str
    tables: tuple[FixtureTable, ...]
    separates: tuple[str, ...] = ()
    post_hoc: bool = False

    def to_dataset(self) -> Dataset:
        """Give the rows alone, as a dataset of the fixture's name."""
        tables = tuple(
            Rows(table=t.name, columns=tuple(name for name, _ in t.columns), rows=t.rows) for t in self.tables
        )
        return Dataset(id=self.name, purpose=self.purpose, tables=tables)


class Standing(StrEnum):
    """What is known of a variant besides the reference. Never merged: only the first two are certain."""

    DISTINGUISHED = "distinguished"
    PROVED = "equivalent-proved"
    BOUNDED = "bounded"
    AGREED = "equivalent-on-all-tried"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantStanding:
    """One variant's standing, with the reason.

    Attributes:
        kind: the kind of obligation it breaks.
        text: the variant in an analyst's words.
        reason: how it differs, the rule that proves it equivalent, or why nothing is known.
        fixture: the first fixture that tells it from the reference, or "".
        tried: how many small databases it was run on without a difference that counts.
        assumed: mined facts that a proof rests on.
    """

    id: str
    kind: str
    text: str
    standing: Standing
    reason: str = ""
    fixture: str = ""
    tried: int = 0
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTable:
    """A table as a reader is shown it: cells as text, `NULL` for none, columns that are all NULL left out."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """The few rows on which a program shows that it is wrong.

    Attributes:
        inputs: the input tables that have rows, of a fixture or of what is left of it.
        expected: what the reference returns on them.
        found: what the candidate returned; None where it raised, and `raised` says what.
        shrunk: no row can be left out and no value made simpler without the difference going away.
    """

    inputs: tuple[ShownTable, ...]
    expected: ShownTable
    found: ShownTable | None = None
    raised: str = ""
    shrunk: bool = False

"""Facts of sample data: types, columns without NULL, unique columns. They hold in the sample, no more."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from pytest_lockin.model.fixture import Basis, ColumnProfile

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

# Fewer rows support nothing: in two rows almost every column is unique.
SUPPORT = 20
_WIDEST_KEY = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """What the sample of one table shows; `unique` holds the smallest sets of columns found unique."""

    name: str
    columns: tuple[ColumnProfile, ...]
    unique: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What sample data shows, table by table."""

    tables: tuple[TableFacts, ...]

    def table(self, name: str) -> TableFacts | None:
        """Find a table by name, case ignored; None where the sample lacks it."""
        return next((table for table in self.tables if table.name.lower() == name.lower()), None)


def mine_facts(sample: Mapping[str, pa.Table]) -> Facts:
    """Read facts off sample tables.

    Types always; that a column is never NULL, or unique, only from at least 20 rows. Keys are looked for
    among single columns, then pairs that start with a column whose name ends like a key (`id`, `sk`, `key`).
    """
    return Facts(tables=tuple(_mine(name, table) for name, table in sample.items()))


def _mine(name: str, table: pa.Table) -> TableFacts:
    enough = table.num_rows >= SUPPORT
    columns = tuple(
        ColumnProfile(
            name=field.name,
            type=spark_type(field.type),
            nullable=not enough or table.column(field.name).null_count > 0,
            basis=Basis.MINED,
        )
        for field in table.schema
    )
    return TableFacts(name=name, columns=columns, unique=_unique(table) if enough else ())


def _unique(table: pa.Table) -> tuple[tuple[str, ...], ...]:
    names = [name for name in table.column_names if table.column(name).null_count == 0]
    single = tuple((name,) for name in names if _is_unique(table, (name,)))
    if single:
        return single[:1]
    likely = [name for name in names if name.lower().endswith(("id", "sk", "key", "number"))]
    return tuple(pair for pair in combinations(likely, _WIDEST_KEY) if _is_unique(table, pair))[:1]


def _is_unique(table: pa.Table, names: tuple[str, ...]) -> bool:
    groups = table.select(list(names)).group_by(list(names)).aggregate([])
    return bool(groups.num_rows == table.num_rows)


def spark_type(kind: pa.DataType) -> str:
    """Give Spark's name for an Arrow type; types Spark writes otherwise keep Arrow's name."""
    import pyarrow as pa

    names = {
        pa.int64(): "bigint",
        pa.int32(): "int",
        pa.int16(): "smallint",
        pa.int8(): "tinyint",
        pa.float64(): "double",
        pa.float32(): "float",
        pa.bool_(): "boolean",
        pa.string(): "string",
        pa.large_string(): "string",
        pa.date32(): "date",
    }
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    return names.get(kind, str(kind))

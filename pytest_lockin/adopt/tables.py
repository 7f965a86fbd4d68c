"""A folder of sample Parquet: tables, their columns as Spark types, and copies for the references."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_lockin.adopt.base import AdoptError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow as pa

_SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
# Unsigned numbers as Spark reads them from Parquet: each in the next wider signed type.
_UNSIGNED = {"uint8": "smallint", "uint16": "int", "uint32": "bigint", "uint64": "decimal(20,0)"}
_UNKNOWN = ("void", "month_day_nano_interval", "time", "halffloat")


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleColumn:
    """A column; `type` as Spark's DDL writes it."""

    name: str
    type: str
    nullable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTable:
    """One table: a Parquet file, or a folder of part files.

    Attributes:
        rows: how many there are.
        nanoseconds: names of columns whose timestamps Spark cannot read as they are.
    """

    name: str
    path: Path
    columns: tuple[SampleColumn, ...]
    rows: int
    nanoseconds: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, str]:
        """Column -> type."""
        return {column.name: column.type for column in self.columns}


def read_samples(folder: Path) -> tuple[SampleTable, ...]:
    """Read the tables' names and schemas: `orders.parquet`, or a folder `orders` of part files.

    Types come from the schema Spark wrote into the file where it did, else from Arrow's.

    Raises:
        AdoptError: there are no tables, one cannot be read, or a type is none of Spark's.
    """
    if not folder.is_dir():
        what = "a file" if folder.exists() else "not there"
        raise _refuse("a folder of sample tables, one Parquet file each", f"{folder}, which is {what}")
    found = [path for path in sorted(folder.iterdir()) if _is_table(path)]
    if not found:
        raise _refuse("Parquet files (orders.parquet), or folders of them", f"none in {folder}")
    names = [path.stem if path.suffix == ".parquet" else path.name for path in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _refuse("each table once", f"{twice} as a file and as a folder in {folder}")
    return tuple(_read(path, name) for path, name in zip(found, names, strict=True))


def copy_table(table: SampleTable, folder: Path) -> Path:
    """Copy a table as `folder/<name>.parquet`; timestamps become microseconds where Spark needs that.

    Raises:
        AdoptError: it cannot be copied, or a timestamp has nanoseconds that would be lost.
    """
    target = folder / f"{table.name}.parquet"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if table.nanoseconds:
            _write_in_microseconds(table, target)
        elif table.path.is_dir():
            shutil.copytree(table.path, target)
        else:
            shutil.copyfile(table.path, target)
    except OSError as error:
        raise _refuse(
            f"a place for {target}", error.strerror or str(error), "look at its permissions"
        ) from None
    return target


def _refuse(expected: str, found: str, hint: str = "give --tables FOLDER") -> AdoptError:
    return AdoptError(expected=expected, found=found, hint=hint)


def _is_table(path: Path) -> bool:
    # Names that begin so are leftovers of a writer, as Spark and Parquet readers take them.
    if path.name.startswith((".", "_")):
        return False
    return path.suffix == ".parquet" or (path.is_dir() and any(_parts(path)))


def _parts(path: Path) -> Iterable[Path]:
    return (part for part in sorted(path.rglob("*.parquet")) if not part.name.startswith((".", "_")))


def _read(path: Path, name: str) -> SampleTable:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        files = list(_parts(path)) if path.is_dir() else [path]
        read = [parquet.ParquetFile(file) for file in files]
        schema, rows = read[0].schema_arrow, sum(file.metadata.num_rows for file in read)
    except (OSError, IndexError, pa.ArrowException) as error:
        raise _refuse(
            f"a table of Parquet at {path}", str(error).partition("\n")[0] or "no part files"
        ) from None
    return SampleTable(
        name=name,
        path=path,
        columns=tuple(_columns(schema, name)),
        rows=rows,
        nanoseconds=tuple(field.name for field in schema if str(field.type).startswith("timestamp[ns")),
    )


def _columns(schema: pa.Schema, table: str) -> Iterable[SampleColumn]:
    from pytest_lockin.frames.types import from_arrow, short_name

    written = json.loads((schema.metadata or {}).get(_SPARK_SCHEMA, b"{}"))
    known: dict[str, Any] = {field["name"]: field["type"] for field in written.get("fields", ())}
    for field in schema:
        kind = short_name(known.get(field.name) or from_arrow(field.type))
        kind = _UNSIGNED.get(kind, kind)
        if kind.startswith(_UNKNOWN) and not kind.startswith("timestamp"):
            raise _refuse(
                f"a type Spark can read for {table}.{field.name}", str(field.type), "write it in another type"
            )
        yield SampleColumn(name=field.name, type=kind, nullable=field.nullable)


def _write_in_microseconds(table: SampleTable, target: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    read = parquet.read_table(table.path)
    fields = [
        field.with_type(pa.timestamp("us", field.type.tz)) if field.name in table.nanoseconds else field
        for field in read.schema
    ]
    try:
        parquet.write_table(read.cast(pa.schema(fields)), target)
    except pa.ArrowInvalid:
        raise _refuse(
            f"timestamps of at most microseconds in {table.name}",
            f"nanoseconds in {', '.join(table.nanoseconds)}, which Spark has not",
            "round them before you write the sample",
        ) from None

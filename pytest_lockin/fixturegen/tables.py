"""A dataset's tables as engines take them: typed columns of Arrow, one table or many datasets in one."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pytest_lockin.errors import FixturesError
from pytest_lockin.model.fixture import ColumnProfile, Profile, TableProfile
from pytest_lockin.model.messages import TableFile

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.model.fixture import Dataset, Fixture

DATASET_COLUMN = "_db"
_JSON_NAMES = {
    "bigint": "long",
    "int": "integer",
    "smallint": "short",
    "tinyint": "byte",
    "real": "float",
    "timestamp_ltz": "timestamp",
}
_PLAIN = frozenset(
    {"long", "integer", "short", "byte", "float", "double", "boolean", "string", "date"}
    | {"timestamp", "timestamp_ntz", "binary"}
)


def spark_type(column: ColumnProfile) -> str:
    """Give a column's type as Spark's JSON schemas write it; lengths of char and varchar are left out.

    Raises:
        FixturesError: a type that fixtures cannot hold (nested values, intervals).
    """
    kind = ddl_type(column)
    if re.fullmatch(r"decimal(\(\d+,\d+\))?", kind):
        return kind if "(" in kind else "decimal(10,0)"
    if re.fullmatch(r"(var)?char\(\d+\)", kind):
        return "string"
    name = _JSON_NAMES.get(kind, kind)
    if name not in _PLAIN:
        raise FixturesError(
            expected=f"a type without parts for column {column.name}",
            found=f"`{column.type}`",
            hint="fixtures hold numbers, strings, dates, timestamps, booleans and binary values",
        )
    return name


def ddl_type(column: ColumnProfile) -> str:
    """Give a column's type as DDL writes it, in lower case, without blanks."""
    return re.sub(r"\s+", "", column.type.lower())


def write_schema(table: TableProfile) -> str:
    """Give a table's Spark schema as JSON text.

    Every column is nullable there, as in data read from files: what may be NULL is the profile's to say.
    """
    fields = [
        {"name": column.name, "type": spark_type(column), "nullable": True, "metadata": {}}
        for column in table.columns
    ]
    return json.dumps({"type": "struct", "fields": fields})


def build_frames(dataset: Dataset, profile: Profile) -> dict[str, Frame]:
    """Give every table of the profile as a frame; a table the dataset does not have is empty."""
    from pytest_lockin.engines.rows import build_frame

    frames = {}
    for table in profile.tables:
        rows = dataset.table(table.name)
        ordered = rows.rows if rows is not None else ()
        frames[table.name] = build_frame(ordered, write_schema(table))
    return frames


def keep_tables(
    dataset: Dataset, profile: Profile, folder: Path, names: Collection[str] | None = None
) -> tuple[TableFile, ...]:
    """Store a dataset's tables under the hash of their content, for programs to read.

    `names` (in lower case) are those wanted; all where it is None.
    """
    from pytest_lockin.engines.serve import NO_CAP
    from pytest_lockin.frames.keep import FrameStore

    store = FrameStore(folder, NO_CAP)
    return tuple(
        TableFile(name=name, path=str(store.path(store.keep(frame).digest)))
        for name, frame in build_frames(dataset, profile).items()
        if names is None or name.lower() in names
    )


def read_frames(fixture: Fixture) -> dict[str, Frame]:
    """Give every table of a frozen fixture as a frame, typed as its file says.

    Raises:
        FixturesError: a type that fixtures cannot hold.
    """
    tables = tuple(
        TableProfile(
            name=table.name,
            columns=tuple(ColumnProfile(name=name, type=kind) for name, kind in table.columns),
        )
        for table in fixture.tables
    )
    return build_frames(fixture.to_dataset(), Profile(tables=tables))


def stack_tables(
    datasets: Sequence[Dataset], profile: Profile, columns: Mapping[str, Collection[str]]
) -> dict[str, pa.Table]:
    """Put each table's rows of all datasets into one Arrow table, led by the dataset's number.

    `columns` says which columns of a table are of use; a table that is not named there is left out.
    """
    import pyarrow as pa

    from pytest_lockin.engines.rows import arrow_type

    stacked = {}
    for table in profile.tables:
        if table.name not in columns:
            continue
        wanted = [place for place, c in enumerate(table.columns) if c.name in columns[table.name]]
        numbers: list[int] = []
        cells: list[list[object]] = [[] for _ in wanted]
        for number, dataset in enumerate(datasets):
            rows = dataset.table(table.name)
            for row in rows.rows if rows is not None else ():
                numbers.append(number)
                for values, place in zip(cells, wanted, strict=True):
                    values.append(row[place])
        arrays = [pa.array(numbers, pa.int32())]
        for values, place in zip(cells, wanted, strict=True):
            arrays.append(pa.array(values, arrow_type(spark_type(table.columns[place]))))
        names = [DATASET_COLUMN, *(table.columns[place].name for place in wanted)]
        stacked[table.name] = pa.table(arrays, names=names)
    return stacked

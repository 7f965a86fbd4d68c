"""What all Spark-shaped engines share: Arrow in and out, views, SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pytest_lockin.engines.base import EngineOptions, Needs
from pytest_lockin.engines.exchange import Passage, has_unique_names, is_restorable, plan_passage
from pytest_lockin.engines.patches import Patches
from pytest_lockin.engines.rebuild import data_type, export_column, restore_column
from pytest_lockin.errors import EngineError, FrameError
from pytest_lockin.frames.frame import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from types import ModuleType


class SparkShapedEngine(ABC):
    """An engine behind the PySpark DataFrame API; subclasses say how it starts, hides and resets."""

    name = ""

    def __init__(self) -> None:
        self._options = EngineOptions()
        self._patches = Patches()
        self._session: Any = None
        self._shown = False
        self._needs: dict[str, Needs] = {}

    # What a subclass brings.

    @abstractmethod
    def _show(self) -> None:
        """Let user code see the session."""

    @abstractmethod
    def _hide(self) -> None:
        """Make user code unable to see the session."""

    @abstractmethod
    def _functions(self) -> Any:
        """Return the module of functions (col, to_json, ...) for this engine's columns."""

    @abstractmethod
    def _fetch(self, dataframe: Any) -> pa.Table:
        """Run a DataFrame whose types Arrow carries; the table has the schema's Arrow types."""

    # The interface.

    def session(self) -> Any:
        """Return the warm session and let user code see it from now on."""
        if self._session is None:
            raise EngineError(
                expected=f"a started {self.name} engine",
                found="one that is not running",
                hint="call start() first",
            )
        if not self._shown:
            self._show()
            self._shown = True
        return self._session

    def hide(self) -> None:
        """Hide the session until user code asks for it again."""
        if self._shown:
            self._hide()
            self._shown = False

    def is_frame(self, value: object) -> bool:
        """Tell whether the value is a DataFrame (Connect's and classic's share one base class)."""
        from pyspark.sql import DataFrame

        return isinstance(value, DataFrame)

    def ship_module(self, module: ModuleType) -> None:
        """Send functions of this module to Spark's Python processes by value: they cannot import it."""
        from pyspark.cloudpickle import register_pickle_by_value

        register_pickle_by_value(module)

    def refresh_module(self, module: ModuleType) -> None:
        """Make UDFs of this module use its functions as they are now, after code was swapped in."""
        # Connect sends the code of a UDF each time it is called; classic Spark keeps it.
        del module

    def needs(self) -> tuple[Needs, ...]:
        """What user code asked for since the last reset that this engine lacks, in that order."""
        return tuple(self._needs.values())

    def to_frame(self, dataframe: Any) -> Frame:
        """Materialise a DataFrame. Errors of the program (lazy analysis too) leave as pyspark's own."""
        with self._borrowed():
            schema_json = dataframe.schema.json()
            passages = plan_passage(schema_json)
            if not passages:
                return Frame(table=pa.table({}), rows=int(dataframe.count()), schema_json=schema_json)
            table = self._fetch(self._export(dataframe, passages))
            table = table.rename_columns([passage.name for passage in passages])
            return Frame(table=table, rows=table.num_rows, schema_json=schema_json)

    def from_frame(self, frame: Frame) -> Any:
        """Build a DataFrame with exactly that schema and those rows.

        A field whose data break its nullability becomes nullable, and so may one of a type that Arrow
        does not carry; nothing else of the schema changes.

        Raises:
            FrameError: a type that cannot be made again from a stored table.
        """
        with self._borrowed():
            if not frame.schema_json:
                return self._session.createDataFrame(frame.table)
            passages = plan_passage(frame.schema_json)
            if not passages:
                return self._session.range(frame.rows).select()
            _refuse_lost_types(passages)
            return self._restore(self._create(frame.table, passages), passages)

    def read_parquet(self, path: Path) -> Any:
        """Read one Parquet file or folder."""
        with self._borrowed():
            return self._session.read.parquet(str(path))

    def register(self, tables: Mapping[str, Any]) -> None:
        """Register DataFrames as temporary views under their names."""
        with self._borrowed():
            for name, dataframe in tables.items():
                dataframe.createOrReplaceTempView(name)

    def sql(self, text: str) -> Any:
        """Run Spark SQL text in the warm session."""
        with self._borrowed():
            return self._session.sql(text)

    # Helpers.

    @contextmanager
    def _borrowed(self) -> Iterator[None]:
        """Show the session for our own use, and leave it as it was."""
        was_shown = self._shown
        self.session()
        try:
            yield
        finally:
            if not was_shown:
                self.hide()

    def _record(self, what: str) -> None:
        self._needs.setdefault(what, Needs(what=what))

    def _record_needs(self, needs: tuple[Needs, ...]) -> None:
        for need in needs:
            self._needs.setdefault(need.what, need)

    def _export(self, dataframe: Any, passages: tuple[Passage, ...]) -> Any:
        if all(passage.leaves_as_is for passage in passages):
            return dataframe
        functions = self._functions()
        names = [f"c{number}" for number in range(len(passages))]
        columns = [
            export_column(functions, functions.col(name), passage.type).alias(name)
            for name, passage in zip(names, passages, strict=True)
        ]
        return dataframe.toDF(*names).select(*columns)

    def _create(self, table: pa.Table, passages: tuple[Passage, ...]) -> Any:
        unique = has_unique_names(passages)
        fields = []
        for number, passage in enumerate(passages):
            kind, nullable = _relax(passage.carried, passage.nullable, table.column(number))
            name = passage.name if unique else f"c{number}"
            # Metadata comes with the select that follows: Sail takes only text in a schema's.
            fields.append({"name": name, "type": kind, "nullable": nullable, "metadata": {}})
        schema = data_type({"type": "struct", "fields": fields})
        return self._session.createDataFrame(table.rename_columns(schema.names), schema=schema)

    def _restore(self, dataframe: Any, passages: tuple[Passage, ...]) -> Any:
        if has_unique_names(passages) and not any(_is_touched(passage) for passage in passages):
            return dataframe
        functions = self._functions()
        numbered = [f"c{number}" for number in range(len(passages))]
        columns = [
            restore_column(functions, functions.col(name), passage.type).alias(
                name, metadata=passage.metadata
            )
            for name, passage in zip(numbered, passages, strict=True)
        ]
        return dataframe.toDF(*numbered).select(*columns).toDF(*(passage.name for passage in passages))


def _is_touched(passage: Passage) -> bool:
    return bool(passage.metadata) or not passage.comes_as_is


def _refuse_lost_types(passages: tuple[Passage, ...]) -> None:
    for passage in passages:
        if not is_restorable(passage.type):
            raise FrameError(
                expected="column types that can be made again from a stored table",
                found=f"column {passage.name!r} of type {passage.type}",
                hint="cast the column to a plain type before it is stored",
            )


def _relax(kind: Any, nullable: bool, data: Any) -> tuple[Any, bool]:  # noqa: FBT001
    """Make nullable whatever holds a NULL against its own schema, and nothing else."""
    nullable = nullable or data.null_count > 0
    if isinstance(kind, str) or len(data) == 0:
        return kind, nullable
    array: Any = data.combine_chunks() if isinstance(data, pa.ChunkedArray) else data
    array = array.drop_null()
    relaxed = dict(kind)
    if kind["type"] == "struct":
        relaxed["fields"] = []
        for field, child in zip(kind["fields"], array.flatten(), strict=True):
            inner, may_be_null = _relax(field["type"], field["nullable"], child)
            relaxed["fields"].append({**field, "type": inner, "nullable": may_be_null})
    elif kind["type"] == "array":
        relaxed["elementType"], relaxed["containsNull"] = _relax(
            kind["elementType"], kind["containsNull"], array.flatten()
        )
    elif kind["type"] == "map":
        relaxed["keyType"], _ = _relax(kind["keyType"], False, array.keys)  # noqa: FBT003
        relaxed["valueType"], relaxed["valueContainsNull"] = _relax(
            kind["valueType"], kind["valueContainsNull"], array.items
        )
    return relaxed, nullable


def first_line(error: BaseException) -> str:
    """Say an error on one line: its type, and the first line of its message."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[0] if text else ''}"

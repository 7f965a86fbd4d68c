"""A table as it left an engine: Arrow data, with what Arrow loses kept beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """An Arrow table, the Spark schema (as its JSON text) and the row count.

    The row count stands beside the table because a table with no columns loses it; the schema because an
    Arrow round trip turns TIMESTAMP_NTZ into TIMESTAMP and forgets char and varchar lengths. `schema_json`
    is "" where a table did not come from Spark; its types are then named after the Arrow types.
    """

    table: pa.Table
    rows: int
    schema_json: str = ""

    @classmethod
    def of(cls, table: pa.Table, schema_json: str = "") -> Frame:
        """Wrap a table that has at least one column, so that its own row count is right."""
        return cls(table=table, rows=table.num_rows, schema_json=schema_json)

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in order; duplicates kept."""
        return tuple(self.table.column_names)

    @property
    def fields(self) -> list[dict[str, Any]]:
        """The Spark schema's fields as JSON objects; empty where there is no Spark schema."""
        return list(json.loads(self.schema_json)["fields"]) if self.schema_json else []

"""Column expressions that turn what Arrow cannot carry into what it can, and back.

The functions module is passed in: classic and Connect each have their own.
"""

from __future__ import annotations

import json
from typing import Any

from pytest_lockin.engines.exchange import allow_void, carry, is_carried, is_narrowed, loosen, number_names


def export_column(functions: Any, column: Any, kind: Any) -> Any:
    """Turn a column of type `kind` into one of type `carry(kind)`."""
    loose = loosen(kind)
    if loose != kind:  # fields of one name cannot be told apart; a cast goes by position
        column = column.cast(data_type(loose))
    return _Outward(functions).convert(column, loose)


def restore_column(functions: Any, column: Any, kind: Any) -> Any:
    """Turn a column of type `carry(kind)` back into one of type `kind`."""
    return _Inward(functions).convert(column, kind)


def data_type(kind: Any) -> Any:
    """Build the pyspark type for a type's JSON value."""
    from pyspark.sql.types import _parse_datatype_json_string

    return _parse_datatype_json_string(json.dumps(kind))


class _Outward:
    """Walks down a type and converts the leaves that need it."""

    def __init__(self, functions: Any) -> None:
        self._functions = functions

    def is_done(self, kind: Any) -> bool:
        """Whether nothing below needs converting."""
        return bool(carry(kind) == kind)

    def convert_leaf(self, column: Any, kind: str) -> Any:
        """Render a leaf as text."""
        return self._functions.to_json(column) if kind == "variant" else column.cast("string")

    def name_pairs(self, kind: Any) -> list[tuple[str, str]]:
        """Return names to read fields by and names to give them."""
        return [(field["name"], field["name"]) for field in kind["fields"]]

    def convert(self, column: Any, kind: Any) -> Any:
        """Convert a value of any type."""
        if self.is_done(kind):
            return column
        if isinstance(kind, str) or (kind["type"] == "map" and kind["keyType"] == "void"):
            return self.convert_leaf(column, kind if isinstance(kind, str) else "void")
        if kind["type"] == "struct":
            return self._convert_struct(column, kind)
        if kind["type"] == "array":
            return self._functions.transform(column, lambda value: self.convert(value, kind["elementType"]))
        if not self.is_done(kind["keyType"]):
            column = self._functions.transform_keys(
                column, lambda key, _value: self.convert(key, kind["keyType"])
            )
        if not self.is_done(kind["valueType"]):
            column = self._functions.transform_values(
                column, lambda _key, value: self.convert(value, kind["valueType"])
            )
        return column

    def _convert_struct(self, column: Any, kind: Any) -> Any:
        parts = [
            self.convert(column.getField(read), field["type"]).alias(given)
            for (read, given), field in zip(self.name_pairs(kind), kind["fields"], strict=True)
        ]
        return self._functions.when(column.isNotNull(), self._functions.struct(*parts))


class _Inward(_Outward):
    """The way back."""

    def is_done(self, kind: Any) -> bool:
        return bool(carry(kind) == allow_void(kind)) and not is_narrowed(kind)

    def convert_leaf(self, column: Any, kind: str) -> Any:
        if kind == "variant":
            return self._functions.parse_json(column)
        if is_carried(kind):  # a day-time interval of fewer fields
            return column.cast(data_type("interval day to second")).cast(data_type(kind))
        return column.cast(data_type(kind))

    def name_pairs(self, kind: Any) -> list[tuple[str, str]]:
        read = [field["name"] for field in number_names(kind)["fields"]]
        return [(name, field["name"]) for name, field in zip(read, kind["fields"], strict=True)]

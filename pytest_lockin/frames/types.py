"""Spark's short type names for both sides of a comparison, and how two types relate.

A type is held as Spark's own schema JSON holds it: a string for a simple type, a dict for array, map and
struct. An Arrow type is brought to the same form, so that one walk names and compares both.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pytest_lockin.frames.frame import Frame

JsonType = str | dict[str, Any]

_SHORT = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}
_CHAR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING"
_WIDTHS = {"tinyint", "smallint", "int", "bigint"}


class Relation(IntEnum):
    """How far apart two types are; the larger, the farther."""

    SAME = 0
    PRECISION = 1
    """Another width, precision, scale, zone or length; values compare as they are."""
    CAST = 2
    """Exact number against floating point: comparable once both are doubles."""
    STRUCTURE = 3
    """Another kind of thing."""


def json_types(left: Frame, right: Frame) -> tuple[list[JsonType], list[JsonType]]:
    """Give the column types of both frames, from the Spark schemas where both have one, else from Arrow.

    One Spark schema alone is not used: against Arrow it would find differences that only the round trip
    made (TIMESTAMP_NTZ comes back as TIMESTAMP).
    """
    if left.schema_json and right.schema_json:
        return [f["type"] for f in left.fields], [f["type"] for f in right.fields]
    return [from_arrow(t) for t in left.table.schema.types], [from_arrow(t) for t in right.table.schema.types]


def short_name(kind: JsonType) -> str:
    """Render a type as `DataFrame.dtypes` does: `decimal(10,2)`, `array<int>`, `struct<a:bigint>`."""
    if isinstance(kind, str):
        return _SHORT.get(kind, kind)
    tag = kind["type"]
    if tag == "array":
        return f"array<{short_name(kind['elementType'])}>"
    if tag == "map":
        return f"map<{short_name(kind['keyType'])},{short_name(kind['valueType'])}>"
    if tag == "udt":
        return str(kind.get("class") or kind.get("pyClass") or short_name(kind["sqlType"]))
    return "struct<" + ",".join(f"{f['name']}:{short_name(f['type'])}" for f in kind["fields"]) + ">"


def from_arrow(kind: pa.DataType) -> JsonType:
    """Bring an Arrow type to the form of Spark's schema JSON; a type Spark lacks keeps its Arrow name."""
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return from_arrow(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return from_arrow(kind.storage_type)
    if pa.types.is_map(kind):
        return {"type": "map", "keyType": from_arrow(kind.key_type), "valueType": from_arrow(kind.item_type)}
    if pa.types.is_struct(kind):
        return {
            "type": "struct",
            "fields": [{"name": f.name, "type": from_arrow(f.type)} for f in kind.fields],
        }
    if is_list(kind):
        return {"type": "array", "elementType": from_arrow(kind.value_type)}
    return _flat_from_arrow(kind)


def is_list(kind: pa.DataType) -> bool:
    """Tell whether the Arrow type is any of the list layouts (not a map)."""
    kinds = pa.types
    return bool(
        kinds.is_list(kind)
        or kinds.is_large_list(kind)
        or kinds.is_fixed_size_list(kind)
        or kinds.is_list_view(kind)
        or kinds.is_large_list_view(kind)
    )


def is_nested(kind: pa.DataType) -> bool:
    """Tell whether the Arrow type is a list, a map or a struct."""
    return is_list(kind) or pa.types.is_map(kind) or pa.types.is_struct(kind)


def _flat_from_arrow(kind: pa.DataType) -> str:
    simple = {
        pa.int8(): "byte",
        pa.int16(): "short",
        pa.int32(): "integer",
        pa.int64(): "long",
        pa.float32(): "float",
        pa.float64(): "double",
        pa.bool_(): "boolean",
        pa.null(): "void",
        pa.date32(): "date",
        pa.date64(): "date",
    }.get(kind)
    if simple:
        return simple
    types = pa.types
    if types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if types.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    if is_text(kind) or is_bytes(kind):
        return "string" if is_text(kind) else "binary"
    return "interval day to second" if types.is_duration(kind) else str(kind)


def relate(left: JsonType, right: JsonType, *, field_order: bool = True) -> Relation:
    """Tell how two types relate; nested types relate as their farthest parts do."""
    if isinstance(left, dict) and isinstance(right, dict):
        return _relate_nested(left, right, field_order=field_order)
    if isinstance(left, dict) or isinstance(right, dict):
        return Relation.PRECISION if "void" in (left, right) else Relation.STRUCTURE
    return _relate_flat(short_name(left), short_name(right))


def _relate_flat(left: str, right: str) -> Relation:
    if left == right:
        return Relation.SAME
    families = {_family(left), _family(right)}
    if "void" in families or len(families) == 1:
        return Relation.PRECISION
    return Relation.CAST if families == {"exact", "floating"} else Relation.STRUCTURE


def _family(name: str) -> str:
    if name in _WIDTHS or name.startswith(("decimal", "uint")):
        return "exact"
    if name in {"float", "double", "halffloat"}:
        return "floating"
    head = re.split(r"[( \[]", name, maxsplit=1)[0]
    return {
        "char": "string",
        "varchar": "string",
        "timestamp_ntz": "timestamp",
        "time32": "time",
        "time64": "time",
    }.get(head, head)


def _relate_nested(left: dict[str, Any], right: dict[str, Any], *, field_order: bool) -> Relation:
    if left["type"] != right["type"]:
        return Relation.STRUCTURE
    if left["type"] == "udt":
        return Relation.SAME if short_name(left) == short_name(right) else Relation.STRUCTURE
    if left["type"] == "struct":
        return _relate_structs(left["fields"], right["fields"], field_order=field_order)
    keys = ("elementType",) if left["type"] == "array" else ("keyType", "valueType")
    return max(relate(left[key], right[key], field_order=field_order) for key in keys)


def _relate_structs(left: list[Any], right: list[Any], *, field_order: bool) -> Relation:
    if not field_order:
        left, right = sorted(left, key=_field_name), sorted(right, key=_field_name)
    if [_field_name(f) for f in left] != [_field_name(f) for f in right]:
        return Relation.STRUCTURE
    pairs = zip(left, right, strict=True)
    relations = [relate(a["type"], b["type"], field_order=field_order) for a, b in pairs]
    if [f["name"] for f in left] != [f["name"] for f in right]:
        relations.append(Relation.PRECISION)
    return max(relations, default=Relation.SAME)


def _field_name(field: dict[str, Any]) -> str:
    return str(field["name"]).lower()


def char_columns(frame: Frame) -> frozenset[int]:
    """Give the positions of CHAR(n) columns, by type or by the mark Spark leaves in the metadata."""
    return frozenset(
        place
        for place, field in enumerate(frame.fields)
        if str(field["type"]).startswith("char(")
        or str(field.get("metadata", {}).get(_CHAR_VARCHAR, "")).startswith("char(")
    )


def json_columns(frame: Frame) -> frozenset[int]:
    """Give the positions of columns that stand as JSON text for a type Arrow cannot carry.

    These are variants, and nested types with a variant or a year-month interval in them.
    """
    return frozenset(
        place
        for place, (field, kind) in enumerate(zip(frame.fields, frame.table.schema.types, strict=False))
        if (field["type"] == "variant" or isinstance(field["type"], dict)) and is_text(kind)
    )


def is_text(kind: pa.DataType) -> bool:
    """Tell whether the Arrow type is a string in any layout."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_bytes(kind: pa.DataType) -> bool:
    """Tell whether the Arrow type is binary in any layout."""
    kinds = pa.types
    return bool(
        kinds.is_binary(kind)
        or kinds.is_large_binary(kind)
        or kinds.is_binary_view(kind)
        or kinds.is_fixed_size_binary(kind)
    )

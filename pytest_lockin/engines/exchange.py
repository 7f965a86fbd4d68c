"""Decide how each column of a Spark schema travels through Arrow and back.

Pure functions over the schema's JSON. Arrow cannot carry year-month intervals, variants and structs with two
fields of one name: such a leaf travels as text, such a struct with numbered names, and the engine makes the
value again on the way in (`rebuild.py`). The Frame's `schema_json` always names the true types.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

# JSON names of atomic types that an Arrow table brings back exactly; parametrised ones are prefixes.
_CARRIED = {
    "void",
    "boolean",
    "byte",
    "short",
    "integer",
    "long",
    "float",
    "double",
    "string",
    "binary",
    "date",
    "timestamp",
    "timestamp_ntz",
}
_CARRIED_PREFIXES = (
    "decimal",
    "interval day",
    "interval hour",
    "interval minute",
    "interval second",
    "time(",
    "char(",
    "varchar(",
    "string collate",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """How one column travels.

    Attributes:
        name: the column's name as the user sees it.
        type: the column's Spark type (JSON value).
        carried: the Spark type of the column in Arrow (JSON value); the same where nothing is done.
        metadata: the field's metadata.
        nullable: the field's nullability.
    """

    name: str
    type: Any
    carried: Any
    metadata: dict[str, Any]
    nullable: bool

    @property
    def leaves_as_is(self) -> bool:
        """Whether Arrow carries the column's type."""
        return bool(self.carried == self.type)

    @property
    def comes_as_is(self) -> bool:
        """Whether a DataFrame made from the Arrow column has the column's type at once."""
        return bool(self.carried == allow_void(self.type)) and not is_narrowed(self.type)


def plan_passage(schema_json: str) -> tuple[Passage, ...]:
    """Plan all columns of a schema, in order."""
    return tuple(
        Passage(
            name=field["name"],
            type=field["type"],
            carried=carry(field["type"]),
            metadata=field.get("metadata") or {},
            nullable=bool(field.get("nullable", True)),
        )
        for field in json.loads(schema_json)["fields"]
    )


def has_unique_names(passages: tuple[Passage, ...]) -> bool:
    """Tell whether the columns can be addressed by name."""
    return len({passage.name for passage in passages}) == len(passages)


def carry(kind: Any) -> Any:
    """Return the type a value of this type has in Arrow.

    >>> carry("interval year to month")
    'string'
    >>> carry({"type": "array", "elementType": "variant", "containsNull": True})["elementType"]
    'string'
    """
    if isinstance(kind, str):
        return kind if is_carried(kind) else "string"
    if kind["type"] == "struct":
        fields = [
            {
                **field,
                "type": carry(field["type"]),
                "nullable": _may_be_null(field["type"], field["nullable"]),
            }
            for field in number_names(kind)["fields"]
        ]
        return {**kind, "fields": fields}
    if kind["type"] == "array":
        contains_null = _may_be_null(kind["elementType"], kind["containsNull"])
        return {**kind, "elementType": carry(kind["elementType"]), "containsNull": contains_null}
    if kind["type"] == "map":
        if kind["keyType"] == "void":  # only the empty map has it; Arrow has no such key
            return "string"
        contains_null = _may_be_null(kind["valueType"], kind["valueContainsNull"])
        keys, values = carry(kind["keyType"]), carry(kind["valueType"])
        return {**kind, "keyType": keys, "valueType": values, "valueContainsNull": contains_null}
    return kind


def _may_be_null(kind: Any, nullable: bool) -> bool:  # noqa: FBT001
    """Arrow's null type holds nothing but NULL, so it cannot be declared free of them."""
    return nullable or kind == "void"


def is_carried(kind: str) -> bool:
    """Tell whether Arrow carries this atomic type."""
    return kind in _CARRIED or kind.startswith(_CARRIED_PREFIXES)


def is_restorable(kind: Any) -> bool:
    """Tell whether a value of this type can be made again from what travelled."""
    if isinstance(kind, str):
        return is_carried(kind) or kind == "variant" or kind.startswith("interval")
    if kind["type"] == "struct":
        return all(is_restorable(field["type"]) for field in kind["fields"])
    if kind["type"] == "array":
        return is_restorable(kind["elementType"])
    if kind["type"] == "map":
        return kind["keyType"] != "void" and all(
            is_restorable(part) for part in (kind["keyType"], kind["valueType"])
        )
    return True


def is_narrowed(kind: Any) -> bool:
    """Tell whether it holds a day-time interval of fewer fields: Arrow's duration knows one kind only.

    >>> is_narrowed("interval day"), is_narrowed("interval day to second")
    (True, False)
    """
    if isinstance(kind, str):
        return kind.startswith("interval") and is_carried(kind) and kind != "interval day to second"
    if kind["type"] == "struct":
        return any(is_narrowed(field["type"]) for field in kind["fields"])
    return any(is_narrowed(kind[key]) for key in ("elementType", "keyType", "valueType") if key in kind)


def number_names(kind: Any) -> Any:
    """Number the fields of a struct that have a name twice: `a, a` becomes `a_0, a_1`."""
    if kind["type"] != "struct":
        return kind
    names = [field["name"] for field in kind["fields"]]
    fields = [
        {**field, "name": f"{field['name']}_{number}" if names.count(field["name"]) > 1 else field["name"]}
        for number, field in enumerate(kind["fields"])
    ]
    return {**kind, "fields": fields}


def loosen(kind: Any) -> Any:
    """Return the type after the one cast that a column may need before its parts can be addressed."""
    return allow_void(_everywhere(kind, number_names))


def allow_void(kind: Any) -> Any:
    """Allow NULL wherever the type is void: Arrow's null type cannot be declared free of it."""
    return _everywhere(kind, _allow_void_parts)


def _allow_void_parts(kind: Any) -> Any:
    changed = dict(kind)
    if kind["type"] == "struct":
        changed["fields"] = [
            {**field, "nullable": field["nullable"] or field["type"] == "void"} for field in kind["fields"]
        ]
    for part, contains_null in (("elementType", "containsNull"), ("valueType", "valueContainsNull")):
        if part in kind:
            changed[contains_null] = kind[contains_null] or kind[part] == "void"
    return changed


def _everywhere(kind: Any, change: Callable[[Any], Any]) -> Any:
    """Apply a change to a nested type and to all nested types below it."""
    if isinstance(kind, str):
        return kind
    changed = change(kind)
    parts = {
        key: _everywhere(kind[key], change) for key in ("elementType", "keyType", "valueType") if key in kind
    }
    if kind["type"] == "struct":
        parts["fields"] = [
            {**field, "type": _everywhere(field["type"], change)} for field in changed["fields"]
        ]
    return {**changed, **parts}

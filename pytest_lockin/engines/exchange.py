"""Decide how each column of a Spark schema travels through Arrow and back.

Pure functions over the schema's JSON: what Arrow cannot carry (year-month intervals, variants, structs with
two fields of one name) is rendered by the engine in a select, and made again from that text on the way in.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

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
)
_TEXT_PREFIXES = ("char(", "varchar(", "string collate")

How = Literal["plain", "renamed", "text", "json", "variant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """How one column travels.

    Attributes:
        name: the column's name as the user sees it.
        how: `plain`; `renamed` (struct fields made unique, by position); `text` (cast to string and back);
            `json` (a nested value as JSON text); `variant` (JSON text, parsed back as a variant).
        type: the column's Spark type (JSON value).
        carried: the Spark type of the column in Arrow (JSON value).
        metadata: the field's metadata.
        nullable: the field's nullability.
    """

    name: str
    how: How
    type: Any
    carried: Any
    metadata: dict[str, Any]
    nullable: bool


def plan_passage(schema_json: str) -> tuple[Passage, ...]:
    """Plan all columns of a schema, in order."""
    return tuple(_plan_field(field) for field in json.loads(schema_json)["fields"])


def is_plain(passages: tuple[Passage, ...]) -> bool:
    """Tell whether the columns can travel without a select: nothing to render and no name twice."""
    names = [passage.name for passage in passages]
    return len(set(names)) == len(names) and all(passage.how == "plain" for passage in passages)


def carried_schema(passages: tuple[Passage, ...]) -> dict[str, Any]:
    """Build the schema (JSON value) of the Arrow table, with names made unique by position."""
    plain = is_plain(passages)
    return {
        "type": "struct",
        "fields": [
            {
                "name": passage.name if plain else f"c{number}",
                "type": passage.carried,
                "nullable": passage.nullable,
                "metadata": passage.metadata,
            }
            for number, passage in enumerate(passages)
        ],
    }


def _plan_field(field: dict[str, Any]) -> Passage:
    how, carried = _plan_type(field["type"])
    return Passage(
        name=field["name"],
        how=how,
        type=field["type"],
        carried=carried,
        metadata=field.get("metadata") or {},
        nullable=bool(field.get("nullable", True)),
    )


def _plan_type(kind: Any) -> tuple[How, Any]:
    if kind == "variant":
        return "variant", "string"
    if isinstance(kind, str):
        if is_carried(kind):
            return "plain", kind
        return ("plain" if kind.startswith(_TEXT_PREFIXES) else "text"), "string"
    if not is_carried(kind):
        return "json", "string"
    unique = make_names_unique(kind)
    return ("plain" if unique == kind else "renamed"), unique


def is_carried(kind: Any) -> bool:
    """Tell whether Arrow carries this type (JSON value), all the way down."""
    if isinstance(kind, str):
        return kind in _CARRIED or kind.startswith(_CARRIED_PREFIXES)
    if kind["type"] == "struct":
        return all(is_carried(field["type"]) for field in kind["fields"])
    if kind["type"] == "array":
        return is_carried(kind["elementType"])
    if kind["type"] == "map":
        return is_carried(kind["keyType"]) and is_carried(kind["valueType"])
    return kind["type"] == "udt" and is_carried(kind["sqlType"])


def make_names_unique(kind: Any) -> Any:
    """Number the fields of structs that have a name twice: `a, a` becomes `a_0, a_1`."""
    if isinstance(kind, str):
        return kind
    changed = dict(kind)
    for key in ("elementType", "keyType", "valueType"):
        if key in changed:
            changed[key] = make_names_unique(changed[key])
    if kind["type"] == "struct":
        names = [field["name"] for field in kind["fields"]]
        changed["fields"] = [
            {
                **field,
                "name": f"{field['name']}_{number}" if names.count(field["name"]) > 1 else field["name"],
                "type": make_names_unique(field["type"]),
            }
            for number, field in enumerate(kind["fields"])
        ]
    return changed


# Without it Spark writes timestamps into JSON with three digits only.
JSON_OPTIONS = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}

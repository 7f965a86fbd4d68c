"""What a statement asks to be absent, asked for: `NOT EXISTS`, `NOT IN (SELECT ...)`, `LEFT ANTI JOIN`.

A database on which a statement returns rows has nothing where it asks for nothing, and so says nothing about
the conditions in there. Its seeds come from the statement with one absence turned into a presence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 4


def turn_absences(statement: str) -> Iterator[str]:
    """Give the statement once for each absence it asks for, with that one turned round; at most four."""
    number = len(_absences(sqlglot.parse_one(statement, read="spark")))
    for place in range(min(number, _MOST)):
        tree = sqlglot.parse_one(statement, read="spark")
        _turn(_absences(tree)[place])
        yield str(tree.sql(dialect="spark"))


def _absences(tree: Any) -> list[Any]:
    return [node for node in tree.find_all(exp.Not, exp.Join) if _asks_for_nothing(node)]


def _asks_for_nothing(node: Any) -> bool:
    if isinstance(node, exp.Join):
        return str(node.args.get("kind") or "").upper() == "ANTI" or node.side.upper() == "ANTI"
    inner = node.this.unnest()
    return isinstance(inner, exp.Exists) or (isinstance(inner, exp.In) and bool(inner.args.get("query")))


def _turn(node: Any) -> None:
    if isinstance(node, exp.Join):
        node.set("kind", "SEMI")
    else:
        node.replace(node.this.unnest())

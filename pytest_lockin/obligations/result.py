"""What comes out: obligations of columns, names, types, order and limit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from pytest_lockin.model.task import Fragment, Kind
from pytest_lockin.obligations.reading import Draft, own, say, say_list, unique
from pytest_lockin.sql import branches_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.obligations.reading import Reader

_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")
_WIDEST = 38


def derive_result(reader: Reader) -> Iterator[Draft]:
    """Derive what the outermost query requires of the result's shape, order and length."""
    select = next(branches_of(reader.statement.root.expression))
    yield from _columns(reader, select)
    yield from _types(reader, select)
    root = reader.statement.root.expression
    if (order := root.args.get("order")) is not None:
        yield _order(reader, select, order)
    if (limit := root.args.get("limit")) is not None:
        text = f"At most {say(limit.expression)} rows are returned, taken after sorting."
        yield Draft(kind=Kind.LIMIT, fragment=Fragment.LIMIT, text=text, columns=_keys(reader, select, order))


def _columns(reader: Reader, select: Any) -> Iterator[Draft]:
    labels = reader.labels
    plain = [item.unalias() for item in select.selects if isinstance(item.unalias(), exp.Column)]
    levels = [each for node in own(select, exp.Grouping) for each in node.find_all(exp.Column)]
    yield Draft(
        kind=Kind.SCHEMA,
        fragment=Fragment.SELECT,
        text=f"The result has {len(labels)} columns, in this order: {', '.join(labels)}.",
        columns=unique((*labels, *reader.lineage(*plain, *levels))),
    )
    named = [label for label in labels if not label.startswith("#")]
    unnamed = [label for label in labels if label.startswith("#")]
    rest = f"; {say_list(unnamed)} carry the engine's names" if unnamed else ""
    text = f"The columns are named {say_list(named)}{rest}." if named else "The engine names the columns."
    yield Draft(kind=Kind.SCHEMA, fragment=Fragment.ALIAS, text=text, columns=labels)


def _types(reader: Reader, select: Any) -> Iterator[Draft]:
    for place, item in enumerate(select.selects):
        value = item.unalias()
        if isinstance(value, exp.Column) and reader.statement.origin(value):
            continue
        kind = type_of(reader, value)
        what = f"of type {kind}" if kind else f"of the type Spark gives to {say(value)}"
        yield Draft(
            kind=Kind.TYPE,
            fragment=Fragment.TYPE,
            text=f"The column {reader.label(place)} is {what}.",
            columns=(reader.label(place),),
        )


def type_of(reader: Reader, node: Any) -> str:
    """Spark's type of an expression where a simple rule gives it; "" elsewhere.

    The rules are those of Spark's `Sum`, `Average` and `Count`: a sum of decimals is ten digits wider, an
    average four wider with four more places; a sum of integers is a bigint, other averages are doubles.
    """
    if isinstance(node, (exp.Paren, exp.Alias, exp.Window)):
        return type_of(reader, node.this)
    if isinstance(node, exp.Column):
        return _type_of_column(reader, node)
    if isinstance(node, (exp.Sum, exp.Avg)):
        return _type_of_aggregate(node, type_of(reader, node.this))
    return _stated_type(node)


def _stated_type(node: Any) -> str:
    if isinstance(node, exp.Cast):
        return str(node.to.sql("spark")).lower()
    if isinstance(node, exp.Literal):
        return "string" if node.is_string else "int" if node.is_int else ""
    return "bigint" if isinstance(node, exp.Count) else ""


def _type_of_aggregate(node: Any, inner: str) -> str:
    decimal = _DECIMAL.fullmatch(inner)
    if decimal is None:
        whole = isinstance(node, exp.Sum) and inner in ("tinyint", "smallint", "int", "bigint")
        return "bigint" if whole else "double" if inner else ""
    width, places = int(decimal[1]), int(decimal[2])
    if isinstance(node, exp.Sum):
        return f"decimal({min(width + 10, _WIDEST)},{places})"
    return f"decimal({min(width + 4, _WIDEST)},{min(places + 4, _WIDEST)})"


def _type_of_column(reader: Reader, column: Any) -> str:
    source = reader.statement.source_of(column)
    if isinstance(source, exp.Table):
        return reader.statement.schemas.get(source.name.lower(), {}).get(column.name.lower(), "").lower()
    if source is None:
        return ""
    found = set()
    for branch in branches_of(source.expression):
        for item in branch.selects:
            if item.alias_or_name.lower() == column.name.lower():
                found.add(type_of(reader, item.unalias()))
    return found.pop() if len(found) == 1 else ""


def _order(reader: Reader, select: Any, order: Any) -> Draft:
    words = []
    for key in order.expressions:
        descending = "descending" if key.args.get("desc") else "ascending"
        nulls = "first" if key.args.get("nulls_first") else "last"
        words.append(f"{say(key.this)} {descending} (missing values {nulls})")
    return Draft(
        kind=Kind.ORDER,
        fragment=Fragment.ORDER_BY,
        text=f"Sorted by {', then '.join(words)}.",
        columns=_keys(reader, select, order),
    )


def _keys(reader: Reader, select: Any, order: Any) -> tuple[str, ...]:
    """Name the sort keys: the outputs they are, and the input columns they are made from."""
    if order is None:
        return ()
    found: list[str] = []
    items = [item.unalias().sql() for item in select.selects]
    names = [item.alias_or_name.lower() for item in select.selects]
    for key in order.expressions:
        for node in key.this.walk():
            if node.sql() in items:
                found.append(reader.label(items.index(node.sql())))
            elif isinstance(node, exp.Column) and not node.table and node.name.lower() in names:
                found.append(reader.label(names.index(node.name.lower())))
        found += reader.lineage(key.this)
    return unique(found)

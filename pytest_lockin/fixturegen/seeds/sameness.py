"""When two symbolic rows are one row: equal keys mean equal cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import z3

from pytest_lockin.fixturegen.seeds.terms import both

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.fixturegen.seeds.rows import SymbolicRow
    from pytest_lockin.fixturegen.seeds.terms import Value


def key_columns(row: SymbolicRow) -> Iterator[str]:
    """Give columns a row needs in any case: keys of which a part is used."""
    for key in row.table.unique:
        names = [name.lower() for name in key.columns]
        if any(name in row.columns for name in names):
            yield from names


def same_rows(rows: Sequence[SymbolicRow]) -> Iterator[Any]:
    """Say that two rows of one table with equal keys are one row: what the two both have is equal."""
    for place, one in enumerate(rows):
        for other in rows[:place]:
            if one.table is other.table:
                yield from _same_if_equal(one, other)


def _same_if_equal(one: SymbolicRow, other: SymbolicRow) -> Iterator[Any]:
    shared = sorted(set(one.columns) & set(other.columns))
    together = both(*one.guard, *other.guard)
    for key in one.table.unique:
        names = [name.lower() for name in key.columns]
        if not all(name in one.columns and name in other.columns for name in names):
            continue
        equal = [one.columns[name].term == other.columns[name].term for name in names]
        same = [
            condition
            for name in shared
            if name not in names
            for condition in _alike(one.columns[name], other.columns[name])
        ]
        if same:
            yield z3.Implies(z3.And(together, *equal), z3.And(*same))


def _alike(one: Value, other: Value) -> list[Any]:
    nulls = [one.null == other.null] if one.null is not None and other.null is not None else []
    return [one.term == other.term, *nulls]

"""Several small databases in one: rows they share stand once, keys that clash are given anew."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_lockin.fixturegen.legal import check_legal
from pytest_lockin.model.fixture import Dataset, Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_lockin.model.fixture import Cell, Profile, TableProfile, UniqueKey
    from pytest_lockin.sql.statement import Statement

    Class = frozenset[tuple[str, str]]

CAP = 20
_TRIES = 4

Place = tuple[str, str]
Links = tuple[tuple[Place, Place], ...]


def merge_datasets(
    first: Dataset, second: Dataset, profile: Profile, *, links: Links = (), cap: int = CAP
) -> Dataset | None:
    """Put the second database's rows beside the first's.

    Rows that both have stand once. Where two rows of one key differ, the second's key is given a value of
    its own, everywhere it is referred to. None where a table would have more than `cap` rows, or where the
    result is not legal: a key that follows from other columns cannot be given anew. `links` are the
    pairs of columns that a statement compares (`link_columns`): they refer to keys where the profile does not
    say so.
    """
    classes = key_classes(profile, links)
    renewed = second
    for _ in range(_TRIES):
        clashes = _find_clashes(first, renewed, profile, classes)
        if not clashes:
            break
        renewed = _renew(first, renewed, clashes)
    merged = Dataset(
        id=f"{first.id}+{second.id}",
        purpose=f"{first.purpose}; {second.purpose}",
        tables=tuple(_unite(first, renewed, table) for table in profile.tables),
    )
    fits = all(len(rows.rows) <= cap for rows in merged.tables)
    return merged if fits and not check_legal(merged, profile) else None


def _unite(first: Dataset, second: Dataset, table: TableProfile) -> Rows:
    """Give the rows of both; a row stands as often as in the database that has it most often."""
    mine, yours = rows_of(first, table.name), rows_of(second, table.name)
    left = list(mine)
    added = [row for row in yours if row not in left or not _took(left, row)]
    return Rows(table=table.name, columns=tuple(c.name for c in table.columns), rows=(*mine, *added))


def _took(left: list[tuple[Cell, ...]], row: tuple[Cell, ...]) -> bool:
    left.remove(row)
    return True


def largest_table(dataset: Dataset) -> int:
    """Count the rows of the table that has most."""
    return max((len(rows.rows) for rows in dataset.tables), default=0)


def rows_of(dataset: Dataset, table: str) -> tuple[tuple[Cell, ...], ...]:
    """Give a table's rows; none where the dataset leaves the table out."""
    rows = dataset.table(table)
    return rows.rows if rows is not None else ()


def link_columns(statement: Statement) -> Links:
    """List the pairs of input columns that a statement holds equal, as (table, column) pairs."""
    from sqlglot import exp

    pairs: dict[tuple[Place, Place], None] = {}
    for node in statement.tree.find_all(exp.EQ, exp.NullSafeEQ, exp.In):
        query = node.args.get("query")
        right = (
            query.this.selects[0].unalias() if query is not None and query.this.selects else node.expression
        )
        found = [_origin(statement, side) for side in (node.this, right)]
        if found[0][0] and found[1][0]:
            pairs[found[0], found[1]] = None
    return tuple(pairs)


def _origin(statement: Statement, node: Any) -> Place:
    from sqlglot import exp

    origin = statement.origin(node) if isinstance(node, exp.Column) else ""
    table, _, column = origin.partition(".")
    return (table, column) if column else ("", "")


def key_classes(profile: Profile, links: Links) -> dict[Place, Class]:
    """Group columns that hold the same keys: those of unique keys, and all that refer to them."""
    group: dict[Place, set[Place]] = {}

    def join(one: Place, other: Place) -> None:
        joined = group.get(one, {one}) | group.get(other, {other})
        group.update(dict.fromkeys(joined, joined))

    for table in profile.tables:
        for key in table.unique:
            for column in key.columns:
                join((table.name, column), (table.name, column))
        for pointer in table.foreign:
            for column, target in zip(pointer.columns, pointer.targets, strict=True):
                join((table.name, column), (pointer.table, target))
    for one, other in links:
        join(one, other)
    derived = {(table.name, each.column) for table in profile.tables for each in table.derived}
    bounded = {(table.name, c.name) for table in profile.tables for c in table.columns if c.domain}
    return {place: frozenset(places) for place, places in group.items() if not places & (derived | bounded)}


def _find_clashes(
    first: Dataset, second: Dataset, profile: Profile, classes: Mapping[Place, Class]
) -> dict[Class, set[Cell]]:
    """Give, for each class of keys, the values of the second database that need to be others."""
    clashes: dict[Class, set[Cell]] = {}
    for table in profile.tables:
        names = [column.name for column in table.columns]
        for key in table.unique:
            renewable = _renewable(table, key, classes)
            if renewable is None:
                continue
            places = [names.index(column) for column in key.columns]
            known = {tuple(row[p] for p in places): row for row in rows_of(first, table.name)}
            for row in rows_of(second, table.name):
                held = known.get(tuple(row[p] for p in places))
                value = row[names.index(renewable)]
                if held is not None and held != row and value is not None:
                    clashes.setdefault(classes[table.name, renewable], set()).add(value)
    return clashes


def _renewable(table: TableProfile, key: UniqueKey, classes: Mapping[Place, Class]) -> str | None:
    """Choose the column of a key whose values may be others: one that few other tables refer to."""
    free = [column for column in key.columns if (table.name, column) in classes]
    return min(free, key=lambda column: len(classes[table.name, column]), default=None)


def _renew(first: Dataset, second: Dataset, clashes: Mapping[Class, set[Cell]]) -> Dataset:
    names: dict[Place, dict[Cell, Cell]] = {}
    for places, values in clashes.items():
        taken = {cell for dataset in (first, second) for place in places for cell in _column(dataset, place)}
        fresh = {value: _fresh(value, taken) for value in sorted(values, key=repr)}
        names.update(dict.fromkeys(places, fresh))
    return replace(second, tables=tuple(_rename(rows, names) for rows in second.tables))


def _rename(rows: Rows, names: Mapping[Place, Mapping[Cell, Cell]]) -> Rows:
    maps = [names.get((rows.table, column), {}) for column in rows.columns]
    renamed = tuple(
        tuple(new.get(cell, cell) for new, cell in zip(maps, row, strict=True)) for row in rows.rows
    )
    return replace(rows, rows=renamed)


def _column(dataset: Dataset, place: Place) -> Iterator[Cell]:
    rows = dataset.table(place[0])
    if rows is not None and place[1] in rows.columns:
        at = rows.columns.index(place[1])
        yield from (row[at] for row in rows.rows)


def _fresh(value: Cell, taken: set[Cell]) -> Cell:
    """Give a value of the same type that no row of either database has, and take it."""
    fresh: Cell = value
    step = 1
    while fresh in taken:
        if isinstance(value, str):
            fresh = f"{value[: -len(str(step))]}{step}" if len(value) > len(str(step)) else f"{value}{step}"
        elif isinstance(value, int) and not isinstance(value, bool):
            fresh = value + step
        else:
            return value
        step += 1
    taken.add(fresh)
    return fresh


def merge_with_uses(
    datasets: Sequence[Dataset], profile: Profile, *, links: Links = (), cap: int = CAP
) -> tuple[Dataset, dict[str, tuple[str, ...]]] | None:
    """Merge several databases from left to right; say for each row of a table which of them brought it.

    None as soon as one does not fit.
    """
    merged = datasets[0]
    uses = {rows.table: (merged.purpose,) * len(rows.rows) for rows in merged.tables}
    for dataset in datasets[1:]:
        more = merge_datasets(merged, dataset, profile, links=links, cap=cap)
        if more is None:
            return None
        # What is added stands at the end.
        for rows in more.tables:
            known = uses.get(rows.table, ())
            uses[rows.table] = (*known, *(dataset.purpose,) * (len(rows.rows) - len(known)))
        merged = more
    return merged, uses

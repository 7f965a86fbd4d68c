"""Two seeds made one: rows of tables they share become the same, so that branches meet in groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.cloning import full_name, merge, rename
from pytest_lockin.fixturegen.filling import bases_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.fixturegen.drafts import Draft, Placed
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.model.fixture import Cell


def fuse(one: Draft, other: Draft, form: Form) -> Draft:
    """Give both drafts' rows, the second's pointing to the first's wherever both have one of a table.

    Rows of a table are paired in order where there are equally many. Whether the second draft still means
    what it did is not looked at: a statement's branches mostly ask the same of the tables they share.
    """
    renaming: dict[tuple[frozenset[str], Cell], Cell] = {}
    for mine, theirs in _pairs(one, other):
        for column in _identifying(mine, form):
            group = form.class_of(full_name(mine, column))
            renaming[group, theirs.cells[column]] = mine.cells[column]
    return merge(one, tuple(rename(row, form, renaming) for row in other))


def _pairs(one: Draft, other: Draft) -> Iterator[tuple[Placed, Placed]]:
    for name in dict.fromkeys(row.table.name for row in one):
        mine, theirs = ([row for row in draft if row.table.name == name] for draft in (one, other))
        if len(mine) == len(theirs):
            yield from zip(mine, theirs, strict=True)


def _identifying(row: Placed, form: Form) -> tuple[str, ...]:
    """Name the columns others find a row by: keys of one column, their bases, what groups are named by."""
    keys = [key.columns[0].lower() for key in row.table.unique if len(key.columns) == 1]
    groups = [name for name in row.cells if full_name(row, name) in form.groups]
    return tuple(dict.fromkeys((*keys, *bases_of(row.table), *(groups if keys else ()))))

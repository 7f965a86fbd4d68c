"""One change of one row: what points to a changed key follows, or is left without a partner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.cloning import full_name, move

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_lockin.fixturegen.drafts import Draft, Placed
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.model.fixture import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A changed draft, and in a reader's words what was changed."""

    draft: Draft
    purpose: str


def change(draft: Draft, place: int, cells: Mapping[str, Cell], form: Form, *, follow: bool) -> Draft:
    """Give a draft with some cells of one row changed.

    With `follow`, other rows that hold a changed key's old value, in a column compared with it, get the new
    one; else they lose their partner.
    """
    old = draft[place]
    new = move(old, cells)
    moved = _moved(old, new, form) if follow else {}
    return tuple(new if index == place else _follow(row, moved, form) for index, row in enumerate(draft))


def _moved(old: Placed, new: Placed, form: Form) -> dict[tuple[frozenset[str], Cell], Cell]:
    keys = {name.lower() for key in old.table.unique for name in key.columns}
    return {
        (form.class_of(full_name(old, name)), old.cells[name]): new.cells[name]
        for name in keys
        if old.cells[name] != new.cells[name]
    }


def _follow(row: Placed, moved: Mapping[tuple[frozenset[str], Cell], Cell], form: Form) -> Placed:
    derived = {each.column.lower() for each in row.table.derived}
    changed = {
        name: moved[form.class_of(full_name(row, name)), cell]
        for name, cell in row.cells.items()
        if name not in derived and (form.class_of(full_name(row, name)), cell) in moved
    }
    return row.changed(changed) if changed else row


def without(draft: Draft, place: int) -> Draft:
    """Give a draft that lacks one row."""
    return tuple(row for index, row in enumerate(draft) if index != place)


def name_row(row: Placed) -> str:
    """Name a row as the statement does."""
    names = [name for name in row.aliases if name != row.table.name]
    return f"{row.table.name} ({', '.join(names)})" if names else row.table.name

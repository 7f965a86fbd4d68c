"""A small database as text: tables of a few columns, the rest named as NULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.cells import write_cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.model.fixture import Cell, Dataset, Fixture

_WIDEST = 28


def show_tables(fixture: Fixture) -> Iterator[str]:
    """Give a fixture's tables as lines, each row with what it is for."""
    for table in fixture.tables:
        names = [name for name, _ in table.columns]
        notes = list(dict.fromkeys(table.uses))
        yield from show_rows(table.name, names, table.rows, [f"({notes.index(u) + 1})" for u in table.uses])
        yield from (f"    ({number}) {note}" for number, note in enumerate(notes, 1))


def show_dataset(dataset: Dataset) -> Iterator[str]:
    """Give a database's tables as lines."""
    for rows in dataset.tables:
        if rows.rows:
            yield from show_rows(rows.table, rows.columns, rows.rows)
    empty = [rows.table for rows in dataset.tables if not rows.rows]
    if empty:
        yield f"  empty: {', '.join(empty)}"


def show_rows(
    name: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], notes: Sequence[str] = ()
) -> Iterator[str]:
    """Give one table's rows as lines; columns that are NULL in all of them are left out."""
    if not rows:
        yield f"  {name}: no rows"
        return
    shown = [place for place in range(len(columns)) if any(row[place] is not None for row in rows)]
    cells = [[columns[place] for place in shown]]
    cells += [[_show(row[place]) for place in shown] for row in rows]
    widths = [max(len(line[at]) for line in cells) for at in range(len(shown))]
    yield f"  {name}:"
    for line, note in zip(cells, ["", *(notes or [""] * len(rows))], strict=True):
        text = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield f"    {text}  {note}".rstrip()


def _show(cell: Cell) -> str:
    text = "NULL" if cell is None else str(write_cell(cell))
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."

"""A table as data, laid out as text or as Markdown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A titled table of texts; every row has a text for every column. Notes stand below."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def render_text(table: Table) -> tuple[str, ...]:
    """Lay the table out for a terminal, the first column to the left; without rows, title and notes."""
    notes = (f"  {note}" for note in table.notes)
    if not table.rows:
        return (table.title, *notes)
    lines = [table.columns, *table.rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(table.columns))]
    head, *body = (_align(line, widths) for line in lines)
    rule = "-" * len("  ".join("-" * width for width in widths))
    return (table.title, rule, head, rule, *body, rule, *notes)


def _align(line: tuple[str, ...], widths: list[int]) -> str:
    first, *rest = zip(line, widths, strict=True)
    cells = [first[0].ljust(first[1]), *(text.rjust(width) for text, width in rest)]
    return "  ".join(cells).rstrip()


def render_markdown(table: Table) -> tuple[str, ...]:
    """Lay the table out as GitHub's Markdown; without rows, title and notes."""
    rule = "|".join(["", ":---", *("---:" for _ in table.columns[1:]), ""])
    rows = (_join_cells(row) for row in table.rows)
    notes = ("", *(f"- {note}" for note in table.notes)) if table.notes else ()
    if not table.rows:
        return (f"**{table.title}**", *notes)
    return (f"**{table.title}**", "", _join_cells(table.columns), rule, *rows, *notes)


def _join_cells(cells: tuple[str, ...]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"

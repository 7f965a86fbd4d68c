"""Differences as a few lines of text: expected, found, hint."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import TYPE_CHECKING

from pytest_lockin.frames.showing import clip
from pytest_lockin.model.agreement import (
    CellSample,
    ColumnCountDiffers,
    ColumnsReordered,
    Difference,
    NameDiffers,
    NotComparable,
    OrderDiffers,
    RowCountDiffers,
    RowsDiffer,
    TypeDiffers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_LINES = 15
_NAMES_LISTED = 4
_SCHEMA_LINES = 4
_CELLS = 4
_LEAST_LABEL = 16


def render_differences(differences: Sequence[Difference], width: int = 100) -> tuple[str, ...]:
    """Render differences in at most 15 lines of at most `width` characters; none, no lines.

    Counts are those of all rows. Only columns that differ are shown, a few cells and rows of each kind.
    The last lines are hints: the tolerance in force, rounding, padding.
    """
    lines = [
        *_render_schema(differences),
        *(line for d in differences for line in _render_other(d)),
        *(line for d in differences if isinstance(d, RowsDiffer) for line in _render_rows(d, width)),
    ]
    hints = [f"hint: {hint}" for hint in _hints(differences)]
    room = MAX_LINES - len(hints[:3])
    if len(lines) > room:
        lines = [*lines[: room - 1], f"... {len(lines) - room + 1} more lines"]
    return tuple(clip(_on_one_line(line), width) for line in (*lines, *hints[:3]))


def _on_one_line(text: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _render_schema(differences: Sequence[Difference]) -> list[str]:
    lines = [line for d in differences for line in _render_column(d)]
    if len(lines) <= _SCHEMA_LINES:
        return lines
    return [
        *lines[: _SCHEMA_LINES - 1],
        f"... {len(lines) - _SCHEMA_LINES + 1} more columns differ in name or type",
    ]


def _render_column(difference: Difference) -> Iterator[str]:
    match difference:
        case NameDiffers():
            case = " (case only)" if difference.case_only else ""
            yield (
                f"column {difference.position + 1}: expected name {difference.expected!r}, "
                f"found {difference.found!r}{case}"
            )
        case TypeDiffers():
            yield (
                f"column {difference.position + 1} {difference.column!r}: "
                f"expected type {difference.expected}, found {difference.found}"
            )
        case _:
            return


def _render_other(difference: Difference) -> Iterator[str]:
    match difference:
        case ColumnCountDiffers():
            yield f"expected {_count(difference.expected, 'column')}, found {difference.found}"
            if difference.missing:
                yield f"  missing: {_list_names(difference.missing)}"
            if difference.extra:
                yield f"  extra: {_list_names(difference.extra)}"
        case ColumnsReordered():
            yield f"expected columns in the order {_list_names(difference.expected)}"
            yield f"found {_list_names(difference.found)}"
        case RowCountDiffers():
            yield f"expected {_count(difference.expected, 'row')}, found {difference.found}"
        case OrderDiffers():
            yield (
                f"row {difference.at_row + 1} is out of order by {', '.join(difference.keys)}: "
                f"expected {difference.expected}, found {difference.found}"
            )
        case NotComparable():
            yield f"not comparable: {difference.reason}"
        case _:
            return


def _list_names(names: Sequence[str]) -> str:
    more = f", ... ({len(names)} in all)" if len(names) > _NAMES_LISTED else ""
    return ", ".join(repr(n) for n in names[:_NAMES_LISTED]) + more


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _render_rows(rows: RowsDiffer, width: int) -> Iterator[str]:
    yield "rows: " + ", ".join(_say_counts(rows))
    if rows.columns:
        shown = ", ".join(f"{name!r} ({count})" for _, name, count in rows.columns[:_NAMES_LISTED])
        more = f" and {len(rows.columns) - _NAMES_LISTED} more" if len(rows.columns) > _NAMES_LISTED else ""
        yield f"  differing cells by column: {shown}{more}"
    yield from (f"  {_render_cell(cell, width - 2)}" for cell in rows.cells[:_CELLS])
    some = 2 if rows.cells else 3
    yield from (f"  missing: {row}" for row in rows.missing_rows[:some])
    yield from (f"  extra: {row}" for row in rows.extra_rows[:some])


def _say_counts(rows: RowsDiffer) -> list[str]:
    parts = [(rows.changed, "changed"), (rows.missing, "missing"), (rows.extra, "extra")]
    return [f"{count} {word}" for count, word in parts if count]


def _render_cell(cell: CellSample, width: int) -> str:
    """The two values come whole where they can: it is the row's label that is cut."""
    values = f"{cell.column!r} expected {cell.expected}, found {cell.found}"
    label = clip(_on_one_line(cell.row), max(_LEAST_LABEL, width - len(values) - len("at : ")))
    return f"at {label}: {values}" if cell.row else values


def _hints(differences: Sequence[Difference]) -> Iterator[str]:
    for difference in differences:
        if isinstance(difference, RowsDiffer):
            yield from _row_hints(difference)
        elif isinstance(difference, NameDiffers) and difference.case_only:
            yield "names that differ in case only: Rules(names=...) says whether that counts"
            return


def _row_hints(rows: RowsDiffer) -> Iterator[str]:
    if rows.tolerance:
        yield f"floats compared within {rows.tolerance}"
    for _, name, _ in rows.columns:
        cells = [c for c in rows.cells if c.column == name]
        places = guess_rounding(cells)
        if places is not None:
            yield f"{name!r}: expected looks like found rounded to {_count(places, 'place')}"
        elif cells and all(_is_padding(c) for c in cells):
            yield f"{name!r} differs in trailing blanks only: CHAR(n) padding?"


def guess_rounding(cells: Sequence[CellSample]) -> int | None:
    """Give the number of places to which found seems to have been rounded, if that explains every cell."""
    pairs = [(_number(c.expected), _number(c.found)) for c in cells]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    if not known or len(known) < len(pairs):
        return None
    places = max(_places(a) for a, _ in known)
    if places >= min(_places(b) for _, b in known):
        return None
    step = Decimal(1).scaleb(-places)
    both = (ROUND_HALF_UP, ROUND_HALF_EVEN)
    return places if all(any(b.quantize(step, mode) == a for mode in both) for a, b in known) else None


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 20 else None  # noqa: PLR2004


def _places(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _is_padding(cell: CellSample) -> bool:
    texts = cell.expected, cell.found
    if not all(t.startswith(("'", '"')) for t in texts):
        return False
    one, other = (t[1:-1] for t in texts)
    return one != other and one.rstrip(" ") == other.rstrip(" ")

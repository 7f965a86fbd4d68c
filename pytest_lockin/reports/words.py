"""Short sentences for findings; used by every renderer, so that all say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from pytest_lockin.model.agreement import (
    Category,
    ColumnCountDiffers,
    ColumnsReordered,
    NameDiffers,
    NotComparable,
    OrderDiffers,
    Relaxation,
    RowCountDiffers,
    RowsDiffer,
    TypeDiffers,
)

if TYPE_CHECKING:
    from pytest_lockin.model.agreement import Agreement, Difference

_CATEGORY = {
    Category.ALIAS: "column names differ",
    Category.COLUMN_ORDER: "columns stand in another order",
    Category.STRUCTURE: "another set of columns",
    Category.PRECISION: "types or precision differ",
    Category.ROW_COUNT: "another number of rows",
    Category.VALUES: "values differ",
    Category.RUNTIME: "the program raises",
}
_RUNG = {
    Relaxation.COLUMN_ORDER: "column order",
    Relaxation.NAMES: "column names",
    Relaxation.TYPES: "types and precision",
    Relaxation.FLOAT_CAST: "a float cast",
}


def describe_difference(difference: Difference) -> str:
    """One line about one difference: what was expected, what was found."""
    match difference:
        case ColumnCountDiffers():
            names = "".join(f"; missing {name}" for name in difference.missing)
            names += "".join(f"; extra {name}" for name in difference.extra)
            return f"expected {difference.expected} columns, found {difference.found}{names}"
        case ColumnsReordered():
            return f"expected columns {', '.join(difference.expected)}; found {', '.join(difference.found)}"
        case NameDiffers():
            only = " (only upper and lower case)" if difference.case_only else ""
            return f"column {difference.position + 1}: expected name {difference.expected}, found {difference.found}{only}"
        case TypeDiffers():
            return (
                f"column {difference.column}: expected type {difference.expected}, found {difference.found}"
            )
        case RowCountDiffers():
            return f"expected {difference.expected} rows, found {difference.found}"
        case RowsDiffer():
            return describe_rows(difference)
        case OrderDiffers():
            return (
                f"row {difference.at_row + 1} is out of order by {', '.join(difference.keys)}: "
                f"expected {difference.expected}, found {difference.found}"
            )
        case NotComparable():
            return difference.reason
    assert_never(difference)


def describe_rows(difference: RowsDiffer) -> str:
    """Count the rows and name the columns that differ."""
    counts = [
        f"{number} {word}"
        for number, word in (
            (difference.changed, "changed"),
            (difference.missing, "missing"),
            (difference.extra, "extra"),
        )
        if number
    ]
    columns = ", ".join(name for _, name, _ in difference.columns[:4])
    return f"rows: {', '.join(counts)}" + (f" (columns {columns})" if columns else "")


def summarise_agreement(agreement: Agreement) -> str:
    """One line for the verdict: the category, how much of it, and what would recover agreement."""
    if agreement.agrees:
        return "reference agrees"
    assert agreement.category is not None  # noqa: S101 - a disagreement has one
    words = _CATEGORY[agreement.category]
    rows = next((each for each in agreement.differences if isinstance(each, RowsDiffer)), None)
    if agreement.category is Category.RUNTIME:
        words += f": {describe_difference(agreement.differences[0])}" if agreement.differences else ""
    elif agreement.category is Category.ROW_COUNT:
        words += f" ({agreement.rows_found} instead of {agreement.rows_expected})"
    elif agreement.category is Category.VALUES and rows is not None:
        wrong = rows.changed + max(rows.missing, rows.extra)
        columns = ", ".join(str(position + 1) for position, _, _ in rows.columns[:4])
        where = f", column {columns}" if columns else ""
        words += f" from the reference ({wrong} of {agreement.rows_expected} rows{where})"
    if agreement.recovered_by:
        words += "; would agree up to " + " and ".join(_RUNG[rung] for rung in agreement.recovered_by)
    return words

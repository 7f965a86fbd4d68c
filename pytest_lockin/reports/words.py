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
from pytest_lockin.model.alternative import MUTANT_SAYS, VARIANT_SAYS

if TYPE_CHECKING:
    from pytest_lockin.model.agreement import Agreement, Difference
    from pytest_lockin.model.report import VerdictKind

_CATEGORY = {
    Category.ALIAS: "column names differ",
    Category.COLUMN_ORDER: "columns stand in another order",
    Category.PRECISION: "types or precision differ",
    Category.ROW_COUNT: "another number of rows",
    Category.VALUES: "values differ",
    Category.RUNTIME: "the program raises",
}
# More are counted, not named.
_COLUMNS_NAMED = 4
_RUNG = {
    Relaxation.COLUMN_ORDER: "column order",
    Relaxation.NAMES: "column names",
    Relaxation.TYPES: "types and precision",
    Relaxation.FLOAT_CAST: "a float cast",
}


def count(number: int, noun: str) -> str:
    """A number and its noun: `1 case`, `2 cases`, `2 false passes`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('s') else 's'}"


def say_verdict(verdict: VerdictKind) -> str:
    """A verdict in words: `false pass`."""
    return str(verdict).replace("_", " ")


def count_verdicts(verdict: VerdictKind, number: int) -> str:
    """How many of a verdict: `1 false pass`, `2 false passes`, `3 unverified`."""
    word = say_verdict(verdict)
    return f"{number} {word}" if word == "unverified" else count(number, word)


def describe_difference(difference: Difference) -> str:  # noqa: PLR0911 - one for each class
    """One line about one difference: what was expected, what was found."""
    match difference:
        case ColumnCountDiffers():
            names = "".join(f"; missing {name}" for name in difference.missing)
            names += "".join(f"; extra {name}" for name in difference.extra)
            return f"expected {count(difference.expected, 'column')}, found {difference.found}{names}"
        case ColumnsReordered():
            return f"expected columns {', '.join(difference.expected)}; found {', '.join(difference.found)}"
        case NameDiffers():
            only = " (only upper and lower case)" if difference.case_only else ""
            return (
                f"column {difference.position + 1}: expected name {difference.expected}, "
                f"found {difference.found}{only}"
            )
        case TypeDiffers():
            return (
                f"column {difference.position + 1} ({difference.column}): "
                f"expected type {difference.expected}, found {difference.found}"
            )
        case RowCountDiffers():
            return f"expected {count(difference.expected, 'row')}, found {difference.found}"
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
    columns = _columns([name for _, name, _ in difference.columns])
    return f"rows: {', '.join(counts)}" + (f" ({columns})" if columns else "")


def _columns(names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _COLUMNS_NAMED} more" if len(names) > _COLUMNS_NAMED else ""
    return f"column{'' if len(names) == 1 else 's'} {', '.join(names[:_COLUMNS_NAMED])}{more}"


def say_edit(text: str) -> str:
    """What an alternative or a wrong program does: its line without what is said of all of them."""
    return text.removeprefix(MUTANT_SAYS).removeprefix(VARIANT_SAYS)


def name_case(case_id: str) -> str:
    """A case as its file names it: `test_a[x]`."""
    return case_id.partition("::")[2] or case_id


def say_category(category: str) -> str:
    """What a category of disagreement says, without its numbers."""
    return _CATEGORY.get(Category(category), "another set of columns")


def summarise_agreement(agreement: Agreement) -> str:
    """One line for the verdict: the category, how much of it, and what would recover agreement."""
    if agreement.agrees:
        return "reference agrees"
    assert agreement.category is not None  # noqa: S101 - a disagreement has one
    words = _say_category(agreement, agreement.category)
    if agreement.recovered_by:
        words += "; would agree up to " + " and ".join(_RUNG[rung] for rung in agreement.recovered_by)
    return words


def _say_category(agreement: Agreement, category: Category) -> str:
    if category is Category.STRUCTURE:
        return _say_structure(agreement)
    words = _CATEGORY[category]
    rows = next((each for each in agreement.differences if isinstance(each, RowsDiffer)), None)
    if category is Category.RUNTIME and agreement.differences:
        return f"{words}: {describe_difference(agreement.differences[0])}"
    if category is Category.ROW_COUNT:
        return f"{words} ({agreement.rows_found} instead of {agreement.rows_expected})"
    if category is Category.VALUES and rows is not None:
        wrong = rows.changed + max(rows.missing, rows.extra)
        columns = _columns([str(position + 1) for position, _, _ in rows.columns])
        where = f", {columns}" if columns else ""
        return f"{words} from the reference ({wrong} of {count(agreement.rows_expected, 'row')}{where})"
    return words


def _say_structure(agreement: Agreement) -> str:
    for difference in agreement.differences:
        if isinstance(difference, ColumnCountDiffers):
            return f"another set of columns ({difference.found} instead of {difference.expected})"
        if isinstance(difference, NotComparable):
            return f"another structure: {difference.reason}"
    return "a column of another kind"

"""Small tables: a witness's inputs, and what the reference and the candidate make of them, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.reports.html.element import Html, element, join, scrolling, unseen
from pytest_lockin.reports.html.pairing import Marks, mark_differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.model.agreement import CellSample
    from pytest_lockin.model.fixture import ShownTable
    from pytest_lockin.reports.document import Witness

_ROWS_SHOWN = 40
_NO_MARKS = Marks()


def show_witness(witness: Witness) -> Html:
    """Inputs, then both outputs with the cells marked that differ."""
    words = "The smallest input known to show it" if witness.shrunk else "An input that shows it"
    inputs = [show_table(table, table.name) for table in witness.inputs]
    return element(
        "div",
        element("p", f"{words}, and what becomes of it. Cells that differ carry a ≠.", class_="quiet"),
        element("div", inputs or element("p", "All input tables are empty."), class_="tables"),
        element("div", _outputs(witness), class_="tables outputs"),
        class_="witness",
    )


def _outputs(witness: Witness) -> Html:
    if witness.found is None:
        raised = element(
            "figure",
            element("figcaption", "the candidate"),
            element("p", "raised ", element("code", witness.raised or "nothing that was kept"), class_="ne"),
        )
        return join((show_table(witness.expected, "the reference returns"), raised))
    expected, found = mark_differences(witness.expected, witness.found)
    return join(
        (
            show_table(witness.expected, "the reference returns", expected),
            show_table(witness.found, "the candidate returns", found),
        )
    )


def show_table(table: ShownTable, caption: str, marks: Marks = _NO_MARKS) -> Html:
    """One table; of many rows those that differ, and as many of the others as there is room for."""
    title = element("figcaption", caption)
    if not table.columns:
        return element("figure", title, element("p", "no columns", class_="quiet"))
    names = (_head(name, at in marks.columns) for at, name in enumerate(table.columns))
    chosen = _choose(table.rows, marks)
    body = (_row(table.rows[at], marks, at) for at in chosen)
    grid = element("table", element("thead", element("tr", names)), element("tbody", body), class_="data")
    left = len(table.rows) - len(chosen)
    more = f"and {left} more" if left else "no rows" if not table.rows else ""
    return element(
        "figure", title, scrolling(caption, grid), element("p", more, class_="quiet") if more else None
    )


def _choose(rows: Sequence[tuple[str, ...]], marks: Marks) -> list[int]:
    """Positions of the rows shown, in their order."""
    telling = [at for at in range(len(rows)) if at in marks.cells or at in marks.alone]
    others = [at for at in range(len(rows)) if at not in marks.cells and at not in marks.alone]
    return sorted([*telling, *others][:_ROWS_SHOWN])


def _head(name: str, differs: bool) -> Html:  # noqa: FBT001 - what is said of the cell, like the others
    return element("th", _differs(differs), name, scope="col", class_="ne" if differs else None)


def _row(row: Sequence[str], marks: Marks, at: int) -> Html:
    alone = at in marks.alone
    wrong = marks.cells.get(at, frozenset())
    cells = (_cell(text, place in wrong or alone) for place, text in enumerate(row))
    return element("tr", cells, class_="alone" if alone else None)


def _cell(text: str, differs: bool) -> Html:  # noqa: FBT001
    return element("td", _differs(differs), text, class_="ne" if differs else None)


def _differs(differs: bool) -> Html | None:  # noqa: FBT001
    return join((unseen("differs: "), element("span", "≠ ", aria_hidden="true"))) if differs else None


def show_cells(cells: Sequence[CellSample]) -> Html:
    """Examples of differing cells."""
    head = (element("th", text, scope="col") for text in ("Row", "Column", "Reference", "Candidate"))
    body = (
        element(
            "tr",
            element("td", each.row),
            element("td", each.column),
            element("td", each.expected),
            element("td", _differs(differs=True), each.found, class_="ne"),
        )
        for each in cells
    )
    table = element("table", element("thead", element("tr", head)), element("tbody", body), class_="data")
    return scrolling("examples of differing cells", table)

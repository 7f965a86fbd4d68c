"""What frozen fixtures said of a candidate: as JSON, in words, and as the few rows that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_lockin.reports.words import count, summarise_agreement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.model.agreement import FixtureFinding
    from pytest_lockin.model.fixture import ShownTable, Witness

_ROWS_SHOWN = 3
_WIDEST_CELL = 24


def fixtures_to_json(findings: Sequence[FixtureFinding]) -> list[dict[str, Any]]:
    """Lay out one entry a fixture; differences are in words, the data's agreement has them in full."""
    return [
        {
            "name": each.name,
            "purpose": each.purpose,
            "engine": each.engine,
            "post_hoc": each.post_hoc,
            "agrees": each.agreement.agrees if each.agreement else None,
            "category": str(each.agreement.category) if each.agreement and each.agreement.category else None,
            "text": summarise_agreement(each.agreement) if each.agreement else "",
            "dropped": each.dropped,
            "witness": msgspec.to_builtins(each.witness) if each.witness else None,
        }
        for each in findings
    ]


def say_fixtures(findings: Sequence[FixtureFinding], *, verbose: bool) -> Iterator[str]:
    """Say on which fixtures the candidate is wrong, and which said nothing."""
    for each in findings:
        if each.agreement is not None and not each.agreement.agrees:
            late = " (made after a candidate was read: no part of the verdict)" if each.post_hoc else ""
            yield f"fixture {each.name}: {summarise_agreement(each.agreement)}{late}"
    dropped = [each for each in findings if each.agreement is None]
    if dropped and verbose:
        yield from (f"fixture {each.name} says nothing: {each.dropped}" for each in dropped)
    elif dropped:
        yield f"{count(len(dropped), 'fixture')} could not be used (-v)"


def summarise_witness(witness: Witness) -> str:
    """The witness in one line: how many rows of which tables."""
    tables = ", ".join(f"{table.name} {count(len(table.rows), 'row')}" for table in witness.inputs)
    return f"witness: {tables or 'empty tables'}"


def show_witness(witness: Witness, *, verbose: bool) -> Iterator[str]:
    """Lay out a witness: inputs, what the reference makes of them and what the candidate does."""
    yield summarise_witness(witness)
    if verbose or (witness.shrunk and all(len(each.rows) <= _ROWS_SHOWN for each in witness.inputs)):
        for table in witness.inputs:
            yield from show_table(table, verbose=verbose)
    yield from show_table(witness.expected, verbose=verbose)
    if witness.found is not None:
        yield from show_table(witness.found, verbose=verbose)
    else:
        yield f"found: {witness.raised}"


def show_table(table: ShownTable, *, verbose: bool) -> Iterator[str]:
    """One line a row, the table's name and its columns before them."""
    if not table.rows:
        yield f"{table.name}: no rows"
        return
    if not table.columns:  # columns without any value are left out
        yield f"{table.name}: {count(len(table.rows), 'row')} of NULLs"
        return
    rows = table.rows if verbose else table.rows[:_ROWS_SHOWN]
    lines = [[_clip(cell) for cell in row] for row in (table.columns, *rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(table.columns))]
    lead = f"{table.name}: "
    for number, line in enumerate(lines):
        text = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield f"{lead if number == 0 else ' ' * len(lead)}{text}".rstrip()
    if len(rows) < len(table.rows):
        yield f"{' ' * len(lead)}... {len(table.rows) - len(rows)} more"


def _clip(cell: str) -> str:
    return cell if len(cell) <= _WIDEST_CELL else f"{cell[: _WIDEST_CELL - 3]}..."

"""Two tables in, their differences out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pytest_lockin.frames.aligning import pair_rows
from pytest_lockin.frames.columns import Column, Digest, digest, join_columns, take_rows
from pytest_lockin.frames.encoding import mark
from pytest_lockin.frames.matching import chain_codes
from pytest_lockin.frames.ordering import find_disorder
from pytest_lockin.frames.rows import Residue, subtract_rows
from pytest_lockin.frames.showing import show_rows, show_values
from pytest_lockin.frames.types import Relation, json_types, relate, short_name
from pytest_lockin.model.agreement import (
    CellSample,
    ColumnCountDiffers,
    ColumnsReordered,
    Difference,
    NameDiffers,
    NotComparable,
    RowCountDiffers,
    RowsDiffer,
    TypeDiffers,
)
from pytest_lockin.model.rules import DEFAULT_RULES, CaseOfNames, Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.frames.encoding import Ints
    from pytest_lockin.frames.frame import Frame

    Pairs = tuple[tuple[int, int], ...]

_SAMPLES = 8
_CELLS_PER_ROW = 4
_ROWS_SHOWN = 3
_ROW_LABEL_COLUMNS = 3

ENTANGLED = (
    "too many rows have floats within the tolerance of each other to be matched one to one; "
    "a smaller tolerance, or an exact column beside the floats, would decide"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Which found column stands against which expected one, and what is said about names and count."""

    pairs: Pairs
    differences: tuple[Difference, ...]


def compare(left: Frame, right: Frame, rules: Rules = DEFAULT_RULES) -> tuple[Difference, ...]:
    """Give all differences between the expected table (left) and the found one; empty when there are none.

    Columns go by position. Only where the found table has the very same names in another order, or has
    other columns beside the expected ones, the columns of equal names are held against each other, so
    that a value finding is one about values. A column whose two types have no common ground (a string
    against a number) is named in a `TypeDiffers` and left out of the rows.

    Never raises for odd data: what cannot be compared is a `NotComparable` with the reason. Does not
    change its inputs.
    """
    layout = lay_out(left, right, rules)
    differences = [*layout.differences, *find_type_differences(left, right, layout.pairs, rules)]
    if left.rows != right.rows:
        differences.append(RowCountDiffers(expected=left.rows, found=right.rows))
    return (*differences, *_compare_content(left, right, layout.pairs, rules, tuple(differences)))


def _compare_content(
    left: Frame, right: Frame, pairs: Pairs, rules: Rules, known: tuple[Difference, ...]
) -> tuple[Difference, ...]:
    try:
        columns, refused = join_columns(left, right, pairs, rules)
        out = [*_refusals(left, right, pairs, refused, known)]
        if columns:
            rows = compare_rows(columns, left.rows, right.rows)
            out += [rows] if rows else []
            disorder = find_disorder(columns, rules.order)
            out += [disorder] if disorder else []
    except (pa.ArrowException, NotImplementedError, ValueError, TypeError, OverflowError) as error:
        return (NotComparable(reason=f"the values cannot be compared: {error}"),)
    return tuple(out)


def _refusals(
    left: Frame, right: Frame, pairs: Pairs, refused: tuple[int, ...], known: tuple[Difference, ...]
) -> list[Difference]:
    """Name columns that the types call equal but whose Arrow forms have nothing in common."""
    told = {d.position for d in known if isinstance(d, TypeDiffers)}
    partner = dict(pairs)
    mine, yours = left.table.schema.types, right.table.schema.types
    return [
        NotComparable(
            reason=f"column {left.names[place]!r} arrives as {mine[place]} on the expected side "
            f"and as {yours[partner[place]]} on the found side"
        )
        for place in refused
        if place not in told
    ]


def lay_out(left: Frame, right: Frame, rules: Rules) -> Layout:
    """Decide which columns stand against each other, and give the findings on names and number."""
    mine, yours = left.names, right.names
    if len(mine) != len(yours):
        return _lay_out_uneven(mine, yours)
    lower = [n.lower() for n in mine], [n.lower() for n in yours]
    if lower[0] != lower[1] and Counter(lower[0]) == Counter(lower[1]):
        return Layout(
            pairs=pair_by_name(mine, yours), differences=(ColumnsReordered(expected=mine, found=yours),)
        )
    found = [
        NameDiffers(position=i, expected=a, found=b, case_only=a.lower() == b.lower())
        for i, (a, b) in enumerate(zip(mine, yours, strict=True))
        if a != b and not (a.lower() == b.lower() and rules.names is CaseOfNames.IGNORE)
    ]
    return Layout(pairs=tuple((i, i) for i in range(len(mine))), differences=tuple(found))


def _lay_out_uneven(mine: tuple[str, ...], yours: tuple[str, ...]) -> Layout:
    pairs = pair_by_name(mine, yours)
    left_over = [n for i, n in enumerate(mine) if i not in {a for a, _ in pairs}]
    added = [n for i, n in enumerate(yours) if i not in {b for _, b in pairs}]
    count = ColumnCountDiffers(
        expected=len(mine), found=len(yours), missing=tuple(left_over), extra=tuple(added)
    )
    return Layout(pairs=pairs, differences=(count,))


def pair_by_name(mine: Sequence[str], yours: Sequence[str]) -> Pairs:
    """Pair columns of equal lower-cased names, the k-th of a repeated name with the k-th."""
    places = {key: i for i, key in enumerate(_numbered(yours))}
    return tuple((i, places[key]) for i, key in enumerate(_numbered(mine)) if key in places)


def _numbered(names: Sequence[str]) -> list[tuple[str, int]]:
    seen: Counter[str] = Counter()
    out = []
    for name in names:
        out.append((name.lower(), seen[name.lower()]))
        seen[name.lower()] += 1
    return out


def find_type_differences(left: Frame, right: Frame, pairs: Pairs, rules: Rules) -> list[Difference]:
    """Name the pairs of columns whose Spark types differ; nullability is not looked at, at no depth."""
    mine, yours = json_types(left, right)
    return [
        TypeDiffers(
            position=i, column=left.names[i], expected=short_name(mine[i]), found=short_name(yours[j])
        )
        for i, j in pairs
        if relate(mine[i], yours[j], field_order=rules.field_order) is not Relation.SAME
    ]


def compare_rows(
    columns: tuple[Column, ...], rows_left: int, rows_right: int
) -> RowsDiffer | NotComparable | None:
    """Tell how the rows differ as multisets, or None."""
    residue = subtract_rows(columns, rows_left, rows_right)
    if not residue:
        return None
    if not residue.complete:
        return NotComparable(reason=ENTANGLED)
    return _describe(columns, residue)


def _describe(columns: tuple[Column, ...], residue: Residue) -> RowsDiffer:
    some = take_rows(columns, residue.left, residue.right)
    cut = len(residue.left)
    digests = [digest(c) for c in some]
    codes = np.stack([chain_codes(d) for d in digests], axis=1)
    pairs = pair_rows(codes[:cut], codes[cut:]) if cut and len(residue.right) else np.zeros((0, 2), np.int64)
    differs = np.stack([~d.agree(pairs[:, 0], pairs[:, 1] + cut) for d in digests], axis=1)
    missing = np.flatnonzero(~mark(pairs[:, 0], cut))
    extra = np.flatnonzero(~mark(pairs[:, 1], len(residue.right)))
    names = [c.name for c in columns]
    return RowsDiffer(
        missing=len(missing),
        extra=len(extra),
        changed=len(pairs),
        columns=_count_columns(columns, differs),
        cells=_sample_cells(some, digests, pairs, differs),
        missing_rows=tuple(show_rows(names, [c.left for c in some], missing[:_ROWS_SHOWN])),
        extra_rows=tuple(show_rows(names, [c.right for c in some], extra[:_ROWS_SHOWN])),
        tolerance=say_tolerance(columns),
    )


def _count_columns(columns: tuple[Column, ...], differs: np.ndarray) -> tuple[tuple[int, str, int], ...]:
    counts = differs.sum(axis=0).tolist()
    found = [(c.position, c.name, int(n)) for c, n in zip(columns, counts, strict=True) if n]
    return tuple(sorted(found, key=lambda entry: (-entry[2], entry[0])))


def _sample_cells(
    some: tuple[Column, ...], digests: list[Digest], pairs: Ints, differs: np.ndarray
) -> tuple[CellSample, ...]:
    cells: list[CellSample] = []
    for (mine, yours), row in zip(pairs[:_SAMPLES].tolist(), differs[:_SAMPLES], strict=True):
        label = _label_row(some, digests, mine, row)
        for place in np.flatnonzero(row)[:_CELLS_PER_ROW].tolist():
            column = some[place]
            expected = show_values(column.left, np.array([mine]))[0]
            found = show_values(column.right, np.array([yours]))[0]
            cells.append(CellSample(row=label, column=column.name, expected=expected, found=found))
    return tuple(cells[:_SAMPLES])


def _label_row(some: tuple[Column, ...], digests: list[Digest], mine: int, differs: np.ndarray) -> str:
    """Name a row by the values it agrees in, those first that tell the most rows apart."""
    agreed = [i for i in range(len(some)) if not differs[i]]
    agreed.sort(key=lambda i: -int(digests[i].codes.max()) if not digests[i].leaves.shape[1] else 0)
    chosen = [some[i] for i in sorted(agreed[:_ROW_LABEL_COLUMNS])]
    return (
        show_rows([c.name for c in chosen], [c.left for c in chosen], np.array([mine]))[0] if chosen else ""
    )


def say_tolerance(columns: Sequence[Column]) -> str:
    """Say which tolerance held for which columns; "" where every value had to be equal."""
    tolerances = {str(c.tolerance): c.tolerance for c in columns if c.tolerance}
    if len(tolerances) == 1:
        return next(iter(tolerances))
    return ", ".join(f"{c.name}: {c.tolerance}" for c in columns if c.tolerance)

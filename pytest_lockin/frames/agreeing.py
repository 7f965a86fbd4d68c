"""Strict agreement (PAPERS A1.20), the ladder of relaxations and the category of a disagreement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from pytest_lockin.frames.columns import join_columns
from pytest_lockin.frames.comparing import compare, pair_by_name, say_tolerance
from pytest_lockin.frames.guessing import match_columns
from pytest_lockin.frames.ordering import is_legal_choice
from pytest_lockin.frames.rows import subtract_rows
from pytest_lockin.frames.types import Relation, json_types, relate
from pytest_lockin.model.agreement import (
    Agreement,
    Category,
    ColumnCountDiffers,
    ColumnsReordered,
    Difference,
    NameDiffers,
    NotComparable,
    OrderDiffers,
    Relaxation,
    RowsDiffer,
)
from pytest_lockin.model.rules import DEFAULT_RULES, CaseOfNames, Rules, Tolerance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_lockin.frames.columns import Column
    from pytest_lockin.frames.comparing import Pairs
    from pytest_lockin.frames.frame import Frame

_DOUBLE_DIGITS = Tolerance(relative=1e-15)
LEGAL_TIE = "the LIMIT cuts through a tie: the found rows are another legal choice among the tied ones"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """The two tables and what is allowed between them."""

    expected: Frame
    found: Frame
    rules: Rules
    pool: Frame | None


def agree(
    expected: Frame,
    found: Frame,
    rules: Rules = DEFAULT_RULES,
    pool: Frame | None = None,
) -> Agreement:
    """Tell whether the found table agrees with the expected one, and if not, what kind of difference it is.

    Strict: lower-cased names and Spark types in declared order, row count, row multiset. Row order never
    decides; a difference of case alone decides only under `CaseOfNames.DIFFERENT`. With a `pool` (the
    expected statement's result without its LIMIT, or the rows tied at the cut) a legal choice of other
    rows of the cut block agrees, and a note says so.

    `recovered_by` are the rungs of the ladder that are needed, in the ladder's order: column order, names,
    types (widths, precision and scale; compared at the coarser precision), cast of numbers to double.
    Empty when all of them together do not make the tables agree.

    The category, one only, is decided thus. A different number of columns, or a column of another kind
    (string against number, array against struct), is `structure`. Else, if the ladder recovers agreement,
    the first needed rung names it: `column_order`, `alias` (names), `precision` (types or cast). Else
    the rows themselves differ: `row_count` when the counts do, otherwise `values`.
    """
    case = _Case(expected=expected, found=found, rules=rules, pool=pool)
    differences = compare(expected, found, rules)
    deciding = [d for d in differences if decides(d, rules)]
    if deciding and all(isinstance(d, RowsDiffer) for d in deciding) and _is_tie(case):
        kept = tuple(d for d in differences if not isinstance(d, RowsDiffer))
        return _agreement(case, agrees=True, differences=kept, notes=(LEGAL_TIE,))
    if not deciding:
        return _agreement(case, agrees=True, differences=differences)
    rungs, notes = _climb(case, differences)
    category = _categorise(case, differences, rungs)
    return replace(
        _agreement(case, agrees=False, differences=differences, notes=notes),
        category=category,
        recovered_by=rungs,
    )


def decides(difference: Difference, rules: Rules = DEFAULT_RULES) -> bool:
    """Tell whether a difference makes two tables disagree: all do but order and case of names."""
    if isinstance(difference, NameDiffers) and difference.case_only:
        return rules.names is CaseOfNames.DIFFERENT
    return not isinstance(difference, OrderDiffers)


def _agreement(
    case: _Case, *, agrees: bool, differences: tuple[Difference, ...], notes: tuple[str, ...] = ()
) -> Agreement:
    return Agreement(
        agrees=agrees,
        rows_expected=case.expected.rows,
        rows_found=case.found.rows,
        differences=differences,
        notes=(*notes, *_tolerance_note(case)),
    )


def _tolerance_note(case: _Case) -> tuple[str, ...]:
    width = min(len(case.expected.names), len(case.found.names))
    columns, _ = join_columns(case.expected, case.found, tuple((i, i) for i in range(width)), case.rules)
    said = say_tolerance(columns)
    return (f"floats compared within {said}",) if said else ()


def _is_tie(case: _Case) -> bool:
    return case.pool is not None and _rows_agree(case, _identity(case), case.rules)


def _identity(case: _Case) -> Pairs:
    return tuple((i, i) for i in range(len(case.expected.names)))


def _rows_agree(case: _Case, pairs: Pairs, rules: Rules) -> bool:
    try:
        columns, refused = join_columns(case.expected, case.found, pairs, rules)
        return not refused and _columns_agree(case, columns, rules)
    except (pa.ArrowException, NotImplementedError, ValueError, TypeError, OverflowError):
        return False


def _columns_agree(case: _Case, columns: tuple[Column, ...], rules: Rules) -> bool:
    if case.expected.rows != case.found.rows:
        return False
    if not subtract_rows(columns, case.expected.rows, case.found.rows):
        return True
    return case.pool is not None and is_legal_choice(case.expected, case.found, case.pool, columns, rules)


def _climb(
    case: _Case, differences: tuple[Difference, ...]
) -> tuple[tuple[Relaxation, ...], tuple[str, ...]]:
    """Give the rungs that recover agreement, fewest first; and a note where a tie had to be judged."""
    if case.expected.rows != case.found.rows or len(case.expected.names) != len(case.found.names):
        return (), ()
    reordered = any(isinstance(d, ColumnsReordered) for d in differences)
    for rungs, pairs in _pairings(case, reordered=reordered):
        relation = _relation(case, pairs)
        if relation is Relation.STRUCTURE:
            continue
        for more in _value_rungs(case, pairs, relation):
            return (*rungs, *more), ()
    return (), ()


def _pairings(case: _Case, *, reordered: bool) -> Iterator[tuple[tuple[Relaxation, ...], Pairs]]:
    """Yield ways to put the columns side by side, the least relaxed first."""
    names = case.expected.names, case.found.names
    if reordered:
        yield (Relaxation.COLUMN_ORDER,), pair_by_name(*names)
    same = [n.lower() for n in names[0]] == [n.lower() for n in names[1]]
    strict = case.rules.names is CaseOfNames.DIFFERENT and names[0] != names[1]
    renamed = not same or strict
    yield (Relaxation.NAMES,) if renamed else (), _identity(case)
    if not same:
        guessed = match_columns(case.expected, case.found, case.rules)
        if guessed is not None:
            yield (Relaxation.COLUMN_ORDER, Relaxation.NAMES), guessed


def _relation(case: _Case, pairs: Pairs) -> Relation:
    mine, yours = json_types(case.expected, case.found)
    order = case.rules.field_order
    return max((relate(mine[i], yours[j], field_order=order) for i, j in pairs), default=Relation.SAME)


def _value_rungs(case: _Case, pairs: Pairs, relation: Relation) -> Iterator[tuple[Relaxation, ...]]:
    """Yield, once at most, what has to be overlooked about types for the rows to agree."""
    mine, yours = json_types(case.expected, case.found)
    order = case.rules.field_order
    kinds = {relate(mine[i], yours[j], field_order=order) for i, j in pairs}
    types = (Relaxation.TYPES,) if Relation.PRECISION in kinds else ()
    cast = (Relaxation.FLOAT_CAST,) if relation is Relation.CAST else ()
    if _rows_agree(case, pairs, case.rules):
        yield (*types, *cast)
        return
    rounded = _at_coarser_precision(case, pairs)
    if rounded is not None and _rows_agree(rounded, pairs, case.rules):
        yield (*types, *cast)
        return
    if _rows_agree(case, pairs, _cast_rules(case, pairs)):
        yield (*types, Relaxation.FLOAT_CAST)


def _cast_rules(case: _Case, pairs: Pairs) -> Rules:
    """Give rules that read decimals as doubles: what lies beyond a double's digits is overlooked.

    No more than that: a cent in a sum of billions stays a difference.
    """
    left, right = case.expected.table.schema.types, case.found.table.schema.types
    places = [i for i, j in pairs if pa.types.is_decimal(left[i]) or pa.types.is_decimal(right[j])]
    floating = {i for i, j in pairs if pa.types.is_floating(left[i]) or pa.types.is_floating(right[j])}
    cast = {str(i): _DOUBLE_DIGITS for i in places if i not in floating}
    return replace(case.rules, per_column=tuple({**cast, **dict(case.rules.per_column)}.items()))


def _at_coarser_precision(case: _Case, pairs: Pairs) -> _Case | None:
    """Round decimals of two scales, and floats of two widths, to the coarser; None where there are none."""
    left, right = case.expected.table, case.found.table
    changed = False
    for i, j in pairs:
        kinds = left.schema.types[i], right.schema.types[j]
        coarser = _coarser(*kinds)
        if coarser is not None:
            changed = True
            left = left.set_column(i, left.schema.names[i], coarser(left.column(i)))
            right = right.set_column(j, right.schema.names[j], coarser(right.column(j)))
    if not changed:
        return None
    expected, found = replace(case.expected, table=left), replace(case.found, table=right)
    return replace(case, expected=expected, found=found, pool=None)


def _coarser(one: pa.DataType, other: pa.DataType) -> Callable[[pa.ChunkedArray], pa.ChunkedArray] | None:
    """Give what brings both columns to the precision of the coarser one."""
    if pa.types.is_decimal(one) and pa.types.is_decimal(other) and one.scale != other.scale:
        scale = min(one.scale, other.scale)
        return lambda column: pc.round(column, ndigits=scale, round_mode="half_towards_infinity")
    if {one, other} == {pa.float32(), pa.float64()}:
        return lambda column: pc.cast(column, pa.float32(), safe=False)
    return None


def _categorise(case: _Case, differences: tuple[Difference, ...], rungs: tuple[Relaxation, ...]) -> Category:
    if any(isinstance(d, ColumnCountDiffers) for d in differences):
        return Category.STRUCTURE
    if rungs:
        return {Relaxation.COLUMN_ORDER: Category.COLUMN_ORDER, Relaxation.NAMES: Category.ALIAS}.get(
            rungs[0], Category.PRECISION
        )
    if _relation(case, _told_pairs(case, differences)) is Relation.STRUCTURE:
        return Category.STRUCTURE
    if case.expected.rows != case.found.rows:
        return Category.ROW_COUNT
    if any(isinstance(d, (RowsDiffer, NotComparable)) for d in differences):
        return Category.VALUES
    return Category.PRECISION


def _told_pairs(case: _Case, differences: tuple[Difference, ...]) -> Pairs:
    if any(isinstance(d, ColumnsReordered) for d in differences):
        return pair_by_name(case.expected.names, case.found.names)
    return _identity(case)

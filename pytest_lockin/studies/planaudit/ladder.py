"""The published normalisation ladder, rung upon rung (PAPERS A1.28): what would have to be overlooked.

0 exact, 1 names taken by position, 2 numbers as 64-bit floats, 3 rows sorted. The paper does not say
whether rungs 0 to 2 look at row order; its evaluator does not (A1.20), and then sorting can add nothing.
Both readings are computed: `recovered` by the evaluator's rule, `recovered_in_order` row by row, where the
last rung matters.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from pytest_lockin.frames import Frame, agree
from pytest_lockin.model.rules import Rules, Tolerance

if TYPE_CHECKING:
    from collections.abc import Callable


class Rung(StrEnum):
    """One rung; each includes those before it."""

    EXACT = "exact"
    NAMES = "names by position"
    FLOATS = "numbers as doubles"
    SORTED = "rows sorted"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRecovered:
    """No rung makes the output equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderResult:
    """The lowest rung on which an output equals its reference, without and with row order."""

    recovered: Rung | NotRecovered
    recovered_in_order: Rung | NotRecovered


# Exact on every rung: what a cast to double keeps apart is different.
_EXACT = Rules(floats=Tolerance(relative=0.0))


def climb_ladder(expected: Frame, found: Frame) -> LadderResult:
    """Compare under each rung, through the production comparator, until both readings are answered."""
    return LadderResult(
        recovered=_find_rung(expected, found, _agree_unordered),
        recovered_in_order=_find_rung(expected, found, _agree_in_order),
    )


def _find_rung(
    expected: Frame, found: Frame, agrees: Callable[[Frame, Frame, Rung], bool]
) -> Rung | NotRecovered:
    for rung in Rung:
        if agrees(normalise(expected, rung), normalise(found, rung), rung):
            return rung
    return NotRecovered()


def _agree_unordered(expected: Frame, found: Frame, _rung: Rung) -> bool:
    return agree(expected, found, _EXACT).agrees


def _agree_in_order(expected: Frame, found: Frame, rung: Rung) -> bool:
    """Compare row by row; once rows are sorted, equal multisets are equal sequences."""
    if rung is Rung.SORTED:
        return _agree_unordered(expected, found, rung)
    return agree(_number_rows(expected), _number_rows(found), _EXACT).agrees


def _number_rows(frame: Frame) -> Frame:
    """Append the row's number, so that a multiset of rows knows their order."""
    numbers = pa.array(range(frame.rows), pa.int64())
    arrays: list[pa.ChunkedArray[Any] | pa.Array[Any]] = [*frame.table.columns, numbers]
    return Frame.of(pa.Table.from_arrays(arrays, names=[*frame.names, "row number"]))


def normalise(frame: Frame, rung: Rung) -> Frame:
    """Give the frame as this rung sees it. The input is left as it is."""
    if rung is Rung.EXACT:
        return frame
    names = [f"column {position}" for position in range(len(frame.names))]
    if rung is Rung.NAMES:
        return _rename(frame, names)
    arrays = [_cast_number(column) for column in frame.table.columns]
    return Frame(table=pa.Table.from_arrays(arrays, names=names), rows=frame.rows)


def _rename(frame: Frame, names: list[str]) -> Frame:
    table = pa.Table.from_arrays(frame.table.columns, names=names)
    return Frame(table=table, rows=frame.rows, schema_json=_rename_schema(frame, names))


def _rename_schema(frame: Frame, names: list[str]) -> str:
    if not frame.schema_json:
        return ""
    fields = [field | {"name": name} for field, name in zip(frame.fields, names, strict=True)]
    return json.dumps({"type": "struct", "fields": fields})


def _cast_number(column: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_floating(kind):
        # Not a safe cast: a bigint beyond 2^53 loses digits here, which is what the rung overlooks.
        return pc.cast(column, pa.float64(), safe=False)
    return column

"""Wrecked outputs, given to a case in place of the real one: does it look at rows, values, schema, order?"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pytest_lockin.engines.entry import split_result
from pytest_lockin.errors import LockinError
from pytest_lockin.frames import Frame
from pytest_lockin.frames.store import digest_frame
from pytest_lockin.model.trial import Wreckage

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_lockin.engines.base import Engine


class SabotageError(RuntimeError):
    """Raised in the entry point's place."""

    def __init__(self) -> None:
        super().__init__("lockin control: a broken program")


class Wrecker:
    """Wrecks whatever an entry point returned; `made` says whether the last wreck could be made."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[tuple[str, Wreckage], Frame | None] = {}
        self.made = False

    def wreck_with(self, wreckage: Wreckage) -> Callable[[Any], Any]:
        """Give the function that wrecks in this way; it returns its argument where that cannot be done."""
        self.made = False

        def wreck(value: Any) -> Any:
            if wreckage is Wreckage.RAISES:
                raise SabotageError
            return self._wreck(value, wreckage)

        return wreck

    def _wreck(self, value: Any, wreckage: Wreckage) -> Any:
        parts = split_result(self._engine, value)
        if parts is None:
            return value
        wrecked = {name: self._wreck_part(part, wreckage) for name, part in parts}
        if all(each is None for each in wrecked.values()):
            return value
        self.made = True
        filled = {name: part if wrecked[name] is None else wrecked[name] for name, part in parts}
        if self._engine.is_frame(value):
            return filled[""]
        if isinstance(value, dict):
            return dict(zip(value, filled.values(), strict=True))
        if hasattr(value, "_fields"):
            return type(value)(*filled.values())
        return type(value)(filled.values())

    def _wreck_part(self, part: Any, wreckage: Wreckage) -> Any:
        try:
            frame = self._engine.to_frame(part)
            key = digest_frame(frame), wreckage
            if key not in self._known:
                self._known[key] = wreck_frame(frame, wreckage)
            wrecked = self._known[key]
            return None if wrecked is None else self._engine.from_frame(wrecked)
        except (LockinError, pa.ArrowException, ArithmeticError, ValueError, TypeError):
            return None
        except Exception:  # noqa: BLE001 - the output itself fails, or its types cannot be built again
            return None


def wreck_frame(frame: Frame, wreckage: Wreckage) -> Frame | None:
    """Wreck a table in one way; None where the result would be the same, or the way does not apply."""
    maker = _MAKERS.get(wreckage)
    wrecked = maker(frame) if maker is not None else None
    return None if wrecked is None or digest_frame(wrecked) == digest_frame(frame) else wrecked


def _with_table(frame: Frame, table: pa.Table) -> Frame:
    return Frame(table=table, rows=table.num_rows, schema_json=frame.schema_json)


def _empty(frame: Frame) -> Frame | None:
    return _with_table(frame, frame.table.slice(0, 0)) if frame.table.num_columns else None


def _doubled(frame: Frame) -> Frame:
    return _with_table(frame, pa.concat_tables([frame.table, frame.table]))


def _row_less(frame: Frame) -> Frame | None:
    return _with_table(frame, frame.table.slice(0, frame.rows - 1)) if frame.rows else None


def _reversed(frame: Frame) -> Frame:
    return _with_table(frame, frame.table.take(list(range(frame.rows - 1, -1, -1))))


def _renamed(frame: Frame) -> Frame | None:
    fields = frame.fields
    if not fields:
        return None
    fields[-1] = {**fields[-1], "name": f"{fields[-1]['name']}_x"}
    return _with_fields(frame, frame.table.rename_columns([str(each["name"]) for each in fields]), fields)


def _retyped(frame: Frame) -> Frame | None:
    """Make the measure, or else the last column, text."""
    place = find_measure(frame)
    place = frame.table.num_columns - 1 if place is None else place
    if place < 0 or not frame.fields:
        return None
    values = [None if value is None else str(value) for value in frame.table.column(place).to_pylist()]
    fields = frame.fields
    kind = "string" if fields[place]["type"] != "string" else "binary"
    array = pa.array([v.encode() if v is not None and kind == "binary" else v for v in values])
    if not values:
        array = pa.array([], pa.string() if kind == "string" else pa.binary())
    fields[place] = {**fields[place], "type": kind}
    return _with_fields(frame, _set(frame.table, place, array), fields)


def _with_fields(frame: Frame, table: pa.Table, fields: list[dict[str, Any]]) -> Frame:
    import json

    schema = {"type": "struct", "fields": fields}
    return Frame(table=table, rows=frame.rows, schema_json=json.dumps(schema, separators=(",", ":")))


def _null_measure(frame: Frame) -> Frame | None:
    return _change_measure(frame, lambda _value: None)


def _doubled_measure(frame: Frame) -> Frame | None:
    return _change_measure(frame, lambda value: value * 2)


def _last_digit(frame: Frame) -> Frame | None:
    return _change_measure(frame, _next)


def _next(value: Any) -> Any:
    """The nearest other value of the type: one unit in the last place a reader would write."""
    if isinstance(value, Decimal):
        return value + Decimal(1).scaleb(value.as_tuple().exponent)  # type: ignore[arg-type]
    return value * (1 + 1e-6) + 1e-9 if isinstance(value, float) else value + 1


def _change_measure(frame: Frame, change: Any) -> Frame | None:
    place = find_measure(frame)
    if place is None:
        return None
    column = frame.table.column(place)
    values = [None if value is None else change(value) for value in column.to_pylist()]
    fields = frame.fields
    if fields:
        fields[place] = {**fields[place], "nullable": True}
    table = _set(frame.table, place, pa.array(values, column.type))
    return _with_fields(frame, table, fields) if fields else _with_table(frame, table)


def _scrambled(frame: Frame) -> Frame | None:
    """Move every value of one column to the next row: each column keeps its values, the rows are wrong."""
    if frame.rows < 2 or frame.table.num_columns < 2:  # noqa: PLR2004
        return None
    place = find_measure(frame)
    place = frame.table.num_columns - 1 if place is None else place
    turned = [*range(1, frame.rows), 0]
    return _with_table(frame, _set(frame.table, place, frame.table.column(place).take(turned)))


def _set(table: pa.Table, place: int, values: Any) -> pa.Table:
    return table.set_column(place, pa.field(table.column_names[place], values.type), values)


def find_measure(frame: Frame) -> int | None:
    """The column that looks most like a measure: the last decimal or float one, else the last integer."""
    types = frame.table.schema.types
    for suits in (
        lambda kind: pa.types.is_decimal(kind) or pa.types.is_floating(kind),
        pa.types.is_integer,
    ):
        places = [place for place, kind in enumerate(types) if suits(kind)]
        if places:
            return places[-1]
    return None


_MAKERS: dict[Wreckage, Callable[[Frame], Frame | None]] = {
    Wreckage.EMPTY: _empty,
    Wreckage.DOUBLED_ROWS: _doubled,
    Wreckage.ROW_LESS: _row_less,
    Wreckage.NULL_MEASURE: _null_measure,
    Wreckage.DOUBLED_MEASURE: _doubled_measure,
    Wreckage.LAST_DIGIT: _last_digit,
    Wreckage.SCRAMBLED: _scrambled,
    Wreckage.RENAMED: _renamed,
    Wreckage.RETYPED: _retyped,
    Wreckage.REVERSED: _reversed,
}

__all__ = ["SabotageError", "Wrecker", "find_measure", "wreck_frame"]

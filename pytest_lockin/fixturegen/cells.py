"""A cell as JSON and back: plain where JSON has the type, else its text."""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.legal import fits
from pytest_lockin.fixturegen.profile import read_cell

if TYPE_CHECKING:
    from pytest_lockin.model.fixture import Cell

_FLOATS = ("double", "float", "real")

JsonCell = bool | int | float | str | None


def write_cell(cell: Cell) -> JsonCell:
    """Give a cell as JSON holds it: decimals, dates, timestamps and numbers without a value as text."""
    if isinstance(cell, Decimal):
        return str(cell)
    if isinstance(cell, date | datetime):
        return cell.isoformat()
    if isinstance(cell, float) and not math.isfinite(cell):
        return str(cell)
    return cell


def parse_cell(value: object, kind: str) -> Cell:
    """Read a cell of a Spark type back.

    Raises:
        ValueError: it is not a value of that type.
    """
    if value is None:
        return None
    cell = _read(value, kind.lower())
    if not fits(cell, kind):
        message = f"{value!r} is no {kind}"
        raise ValueError(message)
    return cell


def _read(value: object, kind: str) -> Cell:
    if isinstance(value, str):
        try:
            return read_cell(value, kind)
        except (ValueError, InvalidOperation):
            message = f"{value!r} is no {kind}"
            raise ValueError(message) from None
    if isinstance(value, int | float) and not isinstance(value, bool) and kind in _FLOATS:
        return float(value)
    if isinstance(value, bool | int):
        return value
    message = f"{value!r} is no {kind}"
    raise ValueError(message)

"""The one function that raises: for tests of users who compare tables themselves."""

from __future__ import annotations

import warnings
from typing import Any

import pyarrow as pa

from pytest_lockin.errors import FrameError
from pytest_lockin.frames.agreeing import decides
from pytest_lockin.frames.comparing import compare
from pytest_lockin.frames.frame import Frame
from pytest_lockin.frames.rendering import render_differences
from pytest_lockin.model.agreement import OrderDiffers
from pytest_lockin.model.rules import Rules


def assert_frames_equal(left: Any, right: Any, **rules: Any) -> None:
    """Raise AssertionError with a short message unless found (right) equals expected (left).

    Takes Spark DataFrames (classic and Connect), PyArrow tables, `Frame`s and whatever exports itself as
    Arrow (Polars, pandas 2.2 or later, DuckDB relations). The keywords are the fields of `Rules`. Row
    order counts only where `order=` is given. Nothing is sorted, renamed or cast in the caller's tables.

    A finding that the rules do not let decide (a name in another case) is a warning, never silent.

        assert_frames_equal(expected, solve(spark, tables), floats=Tolerance(relative=1e-6))
    """
    __tracebackhide__ = True
    chosen = _rules(rules)
    differences = compare(to_frame(left), to_frame(right), chosen)
    fatal = [d for d in differences if decides(d, chosen) or isinstance(d, OrderDiffers)]
    if fatal:
        raise AssertionError("\n".join(("frames differ", *render_differences(differences))))
    if differences:
        warnings.warn("; ".join(render_differences(differences)), UserWarning, stacklevel=2)


def _rules(given: dict[str, Any]) -> Rules:
    unknown = [name for name in given if name not in Rules.__slots__]
    if unknown:
        raise FrameError(
            expected=f"rules among {', '.join(Rules.__slots__)}",
            found=unknown[0],
            hint="see `pytest_lockin.model.rules.Rules`",
        )
    return Rules(**given)


def to_frame(value: Any) -> Frame:
    """Read a table of any of the supported kinds; the value itself is left as it is.

    Raises:
        FrameError: it is none of them.
    """
    if isinstance(value, Frame):
        return value
    if isinstance(value, pa.Table):
        return Frame.of(value)
    if hasattr(value, "toArrow") and hasattr(value, "schema"):
        return _from_spark(value)
    if hasattr(value, "__arrow_c_stream__"):
        return Frame.of(pa.table(value))
    raise FrameError(
        expected="a Spark DataFrame, a PyArrow table, a Frame or an object that exports Arrow",
        found=f"{type(value).__module__}.{type(value).__qualname__}",
        hint="convert it to a PyArrow table first",
    )


def _from_spark(value: Any) -> Frame:
    table = value.toArrow()
    rows = table.num_rows if table.num_columns else int(value.count())
    return Frame(table=table, rows=rows, schema_json=value.schema.json())

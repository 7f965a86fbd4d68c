"""Calling an entry point with tables, and taking what it returns: shared by candidates and references."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import LockinError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_lockin.engines.base import Engine

SESSION_NAMES = frozenset({"spark", "session", "spark_session", "sparksession", "ss", "sc_session"})
MAPPING_NAMES = frozenset({"tables", "dfs", "frames", "dataframes", "inputs", "sources", "data"})
_SUFFIXES = ("_df", "_dataframe", "_frame", "_table", "_sdf")


class EntryPointError(LockinError):
    """The entry point cannot be called with the task's tables, or there is no such function."""

    slug = "entry-point"


def bind_tables(function: Callable[..., Any], session: Any, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Work out the keyword arguments for an entry point from its parameters' names.

    A parameter named like a session gets the session; one named like a table (also `orders_df` for
    `orders`) gets that table; `tables` and its like, or the only parameter left, gets the whole mapping.
    Parameters with a default that fit nothing keep it.

    Raises:
        EntryPointError: a parameter without default fits nothing; all such are named.
    """
    name = getattr(function, "__name__", "entry point")
    return bind_signature(name, inspect.signature(function), session, tables)


def bind_signature(
    function: str, signature: inspect.Signature, session: Any, tables: Mapping[str, Any]
) -> dict[str, Any]:
    """Do as `bind_tables` does for a function known by its name and signature, which need not be imported.

    Raises:
        EntryPointError: as there.
    """
    bound: dict[str, Any] = {}
    open_: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        name = parameter.name
        table = table_named(name, tables)
        if table is not None:
            bound[name] = tables[table]
        elif _is_session(parameter):
            bound[name] = session
        elif name.lower() in MAPPING_NAMES:
            bound[name] = tables
        else:
            open_.append(parameter)
    required = [parameter for parameter in open_ if parameter.default is parameter.empty]
    took_table = any(value is not session for value in bound.values())
    if len(required) == 1 and not took_table:
        bound[required[0].name] = tables
        required = []
    if required:
        names = ", ".join(parameter.name for parameter in required)
        raise EntryPointError(
            expected=f"parameters named after tables ({', '.join(sorted(tables))}), `spark` or `tables`",
            found=f"{function} needs {names}",
            hint="rename the parameters, or name the tables in task.yaml as the function does",
        )
    return bound


def _is_session(parameter: inspect.Parameter) -> bool:
    annotation = getattr(parameter.annotation, "__name__", str(parameter.annotation))
    return parameter.name.lower() in SESSION_NAMES or annotation.rpartition(".")[2] == "SparkSession"


def table_named(name: str, tables: Iterable[str]) -> str | None:
    """The table a parameter of this name stands for: `orders` for `orders`, `orders_df` or `df_orders`."""
    folded = {table.lower(): table for table in tables}
    lowered = name.lower()
    candidates = [lowered, *(lowered.removesuffix(suffix) for suffix in _SUFFIXES)]
    candidates += [lowered.removeprefix("df_")]
    return next((folded[candidate] for candidate in candidates if candidate in folded), None)


def split_result(engine: Engine, result: Any) -> tuple[tuple[str, Any], ...] | None:
    """Name the DataFrames in what an entry point returned.

    One DataFrame is named ""; a tuple's or list's by position, a dict's by key. None where the result is
    anything else, or holds anything else.
    """
    if engine.is_frame(result):
        return (("", result),)
    if isinstance(result, Mapping):
        parts = tuple((str(key), value) for key, value in result.items())
    elif isinstance(result, (tuple, list)):
        names = getattr(result, "_fields", None) or [str(index) for index in range(len(result))]
        parts = tuple(zip(names, result, strict=True))
    else:
        return None
    return parts if parts and all(engine.is_frame(value) for _, value in parts) else None


def call_entry_point(function: Callable[..., Any], session: Any, tables: Mapping[str, Any]) -> Any:
    """Call an entry point with the session and the tables, bound by name (see `bind_tables`)."""
    return function(**bind_tables(function, session, tables))

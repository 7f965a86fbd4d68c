"""Engines: sail, spark and connect behind one interface. Importing this imports no pyspark."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from pytest_lockin.errors import EngineError

if TYPE_CHECKING:
    from pytest_lockin.engines.base import Engine

ENGINES = {
    "sail": "pytest_lockin.engines.sail:SailEngine",
    "spark": "pytest_lockin.engines.spark:SparkEngine",
    "connect": "pytest_lockin.engines.connect:ConnectEngine",
}


def create_engine(name: str) -> Engine:
    """Make an engine, not yet started, from its name or the dotted name (`module:Class`) of its class.

    Raises:
        EngineError: there is no such engine, or its class cannot be imported.
    """
    dotted = ENGINES.get(name, name)
    module, _, attribute = dotted.partition(":")
    if not attribute:
        raise EngineError(
            expected=f"an engine: {', '.join(ENGINES)}, or module:Class",
            found=repr(name),
            hint="plugins add engines with the hook pytest_lockin_engines",
        )
    try:
        made = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise EngineError(
            expected=f"an engine class at {dotted}", found=str(error), hint="check the dotted name"
        ) from error
    return cast("Engine", made())


__all__ = ["ENGINES", "create_engine"]

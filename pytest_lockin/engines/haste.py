"""What pyspark does for people and for far servers, left out where thousands of small calls are made."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_lockin.engines.base import Engine


def hasten(engine: Engine) -> None:
    """Switch off call-site capture and reattachable execution for this process's started engine.

    Call-site capture walks the stack and tries to import IPython on every column operation, to show a line of
    the user's program below an error's first line; reattaching guards a call over an unsteady network with
    threads and second calls. Results and the first lines of errors are the same without.
    """
    from pyspark.errors import utils

    if hasattr(utils, "_enable_debugging_cache"):
        utils._enable_debugging_cache = False
    session: Any = getattr(engine, "_session", None)
    if engine.name == "sail":
        session.client.disable_reattachable_execute()


def keep_answers(engine: Engine) -> None:
    """Ask a Sail session only once for a conf value and for the meaning of a schema string.

    `createDataFrame` asks for both each time. Setting or unsetting any conf forgets the values. Not for
    programs that may set conf by SQL: there the server is the only one to know.
    """
    if engine.name == "sail":
        client: Any = engine._session._client  # type: ignore[attr-defined]
        _keep_conf(client)
        _keep_schemas(client)


def _keep_schemas(client: Any) -> None:
    ask: Any = client._analyze
    known: dict[str, Any] = {}

    def analyze(method: str, **given: Any) -> Any:
        if method != "ddl_parse":
            return ask(method, **given)
        text = given["ddl_string"]
        if text not in known:
            known[text] = ask(method, **given)
        # A schema can be added to; each caller gets one of its own.
        return copy.deepcopy(known[text])

    client._analyze = analyze


def _keep_conf(client: Any) -> None:
    ask: Any = client.config
    known: dict[bytes, Any] = {}

    def config(operation: Any) -> Any:
        if operation.WhichOneof("op_type") not in ("get", "get_with_default"):
            known.clear()
            return ask(operation)
        key = operation.SerializeToString(deterministic=True)
        if key not in known:
            known[key] = ask(operation)
        return known[key]

    client.config = config


__all__ = ["hasten", "keep_answers"]

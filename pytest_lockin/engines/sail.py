"""The embedded engine: Sail, a Spark Connect server that runs inside the worker process. No JVM."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.engines.connect import ConnectEngine
from pytest_lockin.errors import EngineError

if TYPE_CHECKING:
    from pytest_lockin.engines.base import EngineOptions


class SailEngine(ConnectEngine):
    """Fast enough to look at everything; its word is provisional until classic Spark confirms it."""

    name = "sail"

    def __init__(self) -> None:
        super().__init__()
        self._server: Any = None

    def version(self) -> str:
        """Return Sail's version, and the Spark version it speaks."""
        from importlib.metadata import version

        return f"Sail {version('pysail')} (Spark {self._session.version})"

    def _open_server(self, options: EngineOptions) -> str:
        os.environ.update(_environment(options))
        try:
            from pysail.spark import SparkConnectServer
        except ImportError as error:
            raise EngineError(
                expected="the package pysail",
                found=str(error),
                hint="pip install pysail, or run with --lockin-engine spark",
            ) from error
        try:
            self._server = SparkConnectServer(port=0)
            self._server.start(background=True)
            port = self._server.listening_address[1]
        except Exception as error:
            raise EngineError(
                expected="Sail to start",
                found=f"{type(error).__name__}: {error}",
                hint="run `lockin doctor`, or use --lockin-engine spark",
            ) from error
        return f"sc://127.0.0.1:{port}"

    def _close_server(self) -> None:
        if self._server is not None:
            self._server.stop()
            self._server = None


def _environment(options: EngineOptions) -> dict[str, str]:
    """Sail reads its settings from the environment, once, before it starts."""
    settings = {
        "RUST_LOG": "off",
        # More than one partition makes the order of rows vary from run to run.
        "SAIL_EXECUTION__DEFAULT_PARALLELISM": str(options.partitions),
    }
    if options.scratch:
        checkpoints = Path(options.scratch) / "checkpoints"
        checkpoints.mkdir(parents=True, exist_ok=True)
        settings["SAIL_EXECUTION__CHECKPOINT__PATH"] = checkpoints.as_uri()
    return settings

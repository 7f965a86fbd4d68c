"""The embedded engine: Sail, a Spark Connect server that runs inside the worker process. No JVM."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.engines.conf import find_ignored
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
        self._scratch = Path()
        self._owns_scratch = False

    def reset(self) -> None:
        """Take a new server session, and remove the files of tables the program saved."""
        super().reset()
        self._remove_saved()

    def _remove_saved(self) -> None:
        shutil.rmtree(self._scratch / "warehouse", ignore_errors=True)

    def repartition(self, partitions: int) -> None:
        """Go on with another number of partitions; nothing is left of the server session before.

        Sail reads the number once, when its server starts: this starts another one. The session object that
        programs hold stays what it is.
        """
        server, self._server = self._server, None
        self._options = replace(self._options, partitions=partitions)
        with self._borrowed():
            self._session.move(self._start_server(self._options), partitions)
            server.stop()
            self._apply_conf()
        self._remove_saved()
        self._needs.clear()

    def version(self) -> str:
        """Return Sail's version, and the Spark version it speaks."""
        from importlib.metadata import version

        return f"Sail {version('pysail')} (Spark {self._session.version})"

    def _open_server(self, options: EngineOptions) -> str:
        self._make_scratch(options)
        return self._start_server(options)

    def _start_server(self, options: EngineOptions) -> str:
        os.environ.update(_environment(options, self._scratch))
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
        if self._owns_scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _make_scratch(self, options: EngineOptions) -> None:
        self._owns_scratch = not options.scratch
        self._scratch = Path(options.scratch or tempfile.mkdtemp(prefix="lockin-sail-"))

    def _apply_conf(self) -> None:
        # Else Sail saves tables under the current folder.
        self._session.conf.set("spark.sql.warehouse.dir", str(self._scratch / "warehouse"))
        super()._apply_conf()

    def _watch_conf(self, conf: dict[str, str]) -> None:
        super()._watch_conf(conf)
        self._record_needs(find_ignored(conf))

    def _patch_frames(self) -> None:
        super()._patch_frames()
        self._patch_caching()

    def _patch_caching(self) -> None:
        """Sail calls every DataFrame cached, and never is one; remember what the program asked for."""
        from pyspark.sql.connect.dataframe import DataFrame
        from pyspark.storagelevel import StorageLevel

        def persist(self: Any, storageLevel: Any = StorageLevel.MEMORY_AND_DISK_DESER) -> Any:  # noqa: N803
            self.schema  # noqa: B018 - Spark analyses the plan when it is cached
            self.__dict__["_lockin_level"] = storageLevel
            return self

        def unpersist(self: Any, blocking: bool = False) -> Any:  # noqa: ARG001, FBT001, FBT002
            self.__dict__["_lockin_level"] = StorageLevel.NONE
            return self

        def storage_level(self: Any) -> Any:
            return self.__dict__.get("_lockin_level", StorageLevel.NONE)

        self._patches.set(DataFrame, "persist", persist)
        self._patches.set(DataFrame, "unpersist", unpersist)
        self._patches.set(DataFrame, "storageLevel", property(storage_level))


def _environment(options: EngineOptions, scratch: Path) -> dict[str, str]:
    """Sail reads its settings from the environment, once, before it starts."""
    checkpoints = scratch / "checkpoints"
    checkpoints.mkdir(parents=True, exist_ok=True)
    return {
        "RUST_LOG": "off",
        # More than one partition makes the order of rows vary from run to run.
        "SAIL_EXECUTION__DEFAULT_PARALLELISM": str(options.partitions),
        # Without a path Sail refuses checkpoints, which need none on a local Spark once it is set there.
        "SAIL_EXECUTION__CHECKPOINT__PATH": checkpoints.resolve().as_uri(),
    }

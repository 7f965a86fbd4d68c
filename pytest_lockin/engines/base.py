"""The one interface of all engines. An engine lives in a worker process and holds one warm session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import ModuleType

    from pytest_lockin.frames.frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """What an engine needs to start.

    Attributes:
        conf: Spark conf of the warm session, before user code asks for its own.
        partitions: shuffle partitions and default parallelism; the second baseline uses another number.
        url: address of a Spark Connect server (`sc://...`), for the `connect` engine only.
        gateway_port: Py4J port of a running JVM, for the `spark` engine; 0 starts one.
        gateway_secret: secret of that gateway.
        scratch: a folder of the worker's own, for warehouse, logs and local files.
        aids: planning aids for tiny data (no adaptive execution, no code generation, no broadcast).
    """

    conf: tuple[tuple[str, str], ...] = ()
    partitions: int = 1
    url: str = ""
    gateway_port: int = 0
    gateway_secret: str = ""
    scratch: str = ""
    aids: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Something user code asked for that this engine lacks (an RDD, `_jdf`, static conf, jars).

    `what` is shown to the user as the reason why a suite moves to classic Spark; `classic_conf` is the
    static conf a classic worker must be started with.
    """

    what: str
    classic_conf: tuple[tuple[str, str], ...] = ()


class Engine(Protocol):
    """Start, warm session, reset, Arrow in and out. All methods run in the worker's main thread.

    Methods work while the session is hidden and leave it hidden; the DataFrames they return are of use only
    while it is shown, so call `session()` before user code gets one.
    """

    name: str

    def start(self, options: EngineOptions) -> None:
        """Boot and warm the engine, and patch the session builders. User code cannot see a session yet.

        Raises:
            EngineError: it cannot start; the message names the cause in one line.
        """

    def session(self) -> Any:
        """Return the warm session as user code gets it, revealing it (from now on functions work)."""

    def hide(self) -> None:
        """Hide the session again: code that needs one without asking fails as it does without lockin."""

    def reset(self) -> None:
        """Give the warm session a clean state: no views, tables, caches, UDFs, conf of the user's.

        Raises:
            EngineError: something was left behind (the reset is verified).
        """

    def is_frame(self, value: object) -> bool:
        """Tell whether the value is a DataFrame of this engine."""

    def to_frame(self, dataframe: Any) -> Frame:
        """Materialise a DataFrame: its rows as Arrow, its Spark schema and its row count.

        Year-month intervals and variants (also nested ones) stand in the table as text, repeated field names
        of a struct as `a_0`, `a_1`; `schema_json` keeps the true types. Errors of the program, lazy analysis
        included, leave as pyspark's own.
        """

    def from_frame(self, frame: Frame) -> Any:
        """Build a DataFrame with exactly that schema and those rows (zero rows included).

        Nullability is relaxed where the rows break it, and may be where Arrow cannot carry the type.

        Raises:
            FrameError: a type that cannot be made again from a stored table.
        """

    def read_parquet(self, path: Path) -> Any:
        """Read one Parquet file or folder."""

    def register(self, tables: Mapping[str, Any]) -> None:
        """Register DataFrames as temporary views under their names."""

    def sql(self, text: str) -> Any:
        """Run Spark SQL text in the warm session."""

    def ship_module(self, module: ModuleType) -> None:
        """Send functions of this module to the engine's Python processes by value.

        Those processes cannot import the candidate, its tests or their helpers; call it once a module.
        """

    def refresh_module(self, module: ModuleType) -> None:
        """Make UDFs of this module use its functions as they are now; call it after code was swapped in."""

    def needs(self) -> tuple[Needs, ...]:
        """What user code asked for since the last reset that this engine lacks."""

    def version(self) -> str:
        """The engine's name and version as shown to users, for example `Spark 4.2.1`."""

    def stop(self) -> None:
        """End the engine; called once, when the worker ends."""

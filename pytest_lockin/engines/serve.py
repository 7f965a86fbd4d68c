"""Run programs on tables in one engine, on request: the references' own process, and a candidate's on data.

Handler of a worker (`pytest_lockin.engines.serve:main`). The same code serves trusted references and
untrusted candidates, each in processes of its own.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.engines import create_engine
from pytest_lockin.engines.base import EngineOptions
from pytest_lockin.engines.entry import EntryPointError, call_entry_point, split_result
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.frames.store import read_frame
from pytest_lockin.model.messages import (
    Finish,
    Finished,
    ProgramJob,
    ProgramRaised,
    ProgramReturned,
    RunProgram,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_lockin.engines.base import Engine
    from pytest_lockin.model.messages import EngineSpec, TableFile

HANDLER = "pytest_lockin.engines.serve:main"
_SHUFFLE_SEED = 20261130
_SHUFFLE_PARTITIONS = 3
# Results are the controller's to compare whole; only observations have a byte cap.
NO_CAP = 1 << 62


def open_engine(spec: EngineSpec, scratch: Path) -> Engine:
    """Start the engine a job names."""
    engine = create_engine(spec.implementation or spec.name)
    engine.start(
        EngineOptions(
            conf=spec.conf,
            partitions=spec.partitions,
            url=spec.url,
            gateway_port=spec.gateway_port,
            gateway_secret=spec.gateway_secret,
            scratch=str(scratch),
            aids=spec.aids,
        )
    )
    return engine


def main(wire: Any, scratch: Path) -> None:
    """Serve `RunProgram` requests until `Finish` or the controller hangs up."""
    job: ProgramJob = wire.receive()
    engine = open_engine(job.engine, scratch)
    store = FrameStore(Path(job.store), NO_CAP)
    while not isinstance(request := wire.receive(), Finish):
        wire.send(run_program(engine, store, request))
    wire.send(Finished())


def run_program(engine: Engine, store: FrameStore, request: RunProgram) -> ProgramReturned | ProgramRaised:
    """Run one program in a clean session; whatever it raises is the answer, not an error of ours."""
    engine.reset()
    begun = time.perf_counter()
    try:
        session = engine.session()
        tables, completed = _load_tables(engine, request)
        result = _sql(engine, request, tables) if request.kind == "sql" else _python(session, request, tables)
        parts = split_result(engine, result)
        if parts is None:
            return ProgramRaised(
                type=type(result).__name__,
                message=f"the entry point returned {type(result).__name__}, not a DataFrame",
                returned=True,
                needs=_needs(engine),
            )
        frames = [(name, engine.to_frame(part)) for name, part in parts]
    except Exception as error:  # noqa: BLE001 - the program's failure is a finding
        return _raised(error, _needs(engine))
    # Where there is no room for the result the program has not failed: we have.
    stored = tuple((name, store.keep(frame)) for name, frame in frames)
    return ProgramReturned(
        parts=stored, completed=completed, needs=_needs(engine), seconds=time.perf_counter() - begun
    )


def _needs(engine: Engine) -> tuple[str, ...]:
    return tuple(need.what for need in engine.needs())


def _raised(error: Exception, needs: tuple[str, ...]) -> ProgramRaised:
    if isinstance(error, EntryPointError):
        return ProgramRaised(type=EntryPointError.__name__, message=error.one_line, needs=needs)
    lines = str(error).strip().splitlines()
    return ProgramRaised(type=type(error).__name__, message=lines[0][:500] if lines else "", needs=needs)


def _load_tables(engine: Engine, request: RunProgram) -> tuple[dict[str, Any], tuple[str, ...]]:
    tables = {table.name: _load(engine, table) for table in request.tables}
    completed = _complete(engine.session(), tables, request.schemas)
    if request.shuffled:
        from pyspark.sql import functions as F  # noqa: N812 - everyone's name for it

        tables = {
            name: table.orderBy(F.rand(_SHUFFLE_SEED)).repartition(_SHUFFLE_PARTITIONS)
            for name, table in tables.items()
        }
    return tables, completed


def _load(engine: Engine, table: TableFile) -> Any:
    path = Path(table.path)
    if path.suffix == ".arrow":
        return engine.from_frame(read_frame(path))
    return engine.read_parquet(path)


def _complete(
    session: Any, tables: dict[str, Any], schemas: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
) -> tuple[str, ...]:
    """Add missing tables (empty) and missing columns (typed NULLs) in place; return what was added."""
    from pyspark.sql import functions as F  # noqa: N812 - everyone's name for it

    completed: list[str] = []
    for name, columns in schemas:
        if name not in tables:
            ddl = ", ".join(f"`{column}` {kind}" for column, kind in columns)
            tables[name] = session.createDataFrame([], ddl)
            completed.append(name)
            continue
        have = {column.lower() for column in tables[name].columns}
        missing = [(column, kind) for column, kind in columns if column.lower() not in have]
        if missing:
            nulls = [F.lit(None).cast(kind).alias(column) for column, kind in missing]
            tables[name] = tables[name].select("*", *nulls)
            completed.extend(f"{name}.{column}" for column, _ in missing)
    return tuple(completed)


def _sql(engine: Engine, request: RunProgram, tables: Mapping[str, Any]) -> Any:
    engine.register(tables)
    # The one thing done to the text: a statement's closing semicolon is not part of it.
    return engine.sql(request.text.rstrip().removesuffix(";"))


def _python(session: Any, request: RunProgram, tables: Mapping[str, Any]) -> Any:
    with _importable(request.folder):
        function = _find_function(request)
        return call_entry_point(function, session, tables)


def _find_function(request: RunProgram) -> Callable[..., Any]:
    """Import the program: by path where one is given (a reference), else as the tests import it."""
    if request.path:
        spec = importlib.util.spec_from_file_location(
            f"lockin_program_{Path(request.path).stem}", request.path
        )
        assert spec is not None  # noqa: S101 - a `.py` path always has a loader
        assert spec.loader is not None  # noqa: S101
        module = importlib.util.module_from_spec(spec)
        sys.modules[module.__name__] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(request.entry_point.module)
    function = getattr(module, request.entry_point.function, None)
    if not callable(function):
        raise EntryPointError(
            expected=f"a function {request.entry_point.function} in {module.__name__}",
            found="none",
            hint="set entry_point in task.yaml, or lockin_entry_points",
        )
    return function  # type: ignore[no-any-return]


@contextlib.contextmanager
def _importable(folder: str) -> Iterator[None]:
    """The program's folder is importable while it runs: it may import neighbours late."""
    if folder:
        sys.path.insert(0, folder)
    try:
        yield
    finally:
        if folder:
            sys.path.remove(folder)

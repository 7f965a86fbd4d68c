"""Outputs of built references on an engine: what panels, controls and the re-execution check are fed with.

The work of `lockin tasks panel`, `lockin tasks freeze`, `lockin tasks reexecute` and `lockin study controls`.
Programs run in a worker of their own, as they do under pytest.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from pytest_lockin.errors import UnfitReferenceError
from pytest_lockin.frames.frame import Frame
from pytest_lockin.frames.store import digest_frame
from pytest_lockin.model.messages import ProgramRaised, RunProgram, TableFile
from pytest_lockin.model.suite import EntryPoint
from pytest_lockin.references.order import read_ending
from pytest_lockin.references.run import ProgramRunner
from pytest_lockin.references.vet import read_stored
from pytest_lockin.settings import Settings
from pytest_lockin.studies.reexecution import check_reexecution
from pytest_lockin.taskbank.build import read_build
from pytest_lockin.taskbank.dialect.company import duckdb_member, open_duckdb
from pytest_lockin.taskbank.panel import STATEMENT, Member, find_file, list_members, measure_panels
from pytest_lockin.workshop import Workshop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_lockin.studies.reexecution import Drift
    from pytest_lockin.taskbank.panel import PanelReport, TaskPanel

FROZEN = "frozen.parquet"
FROZEN_RECORD = "frozen.json"
_SPARK_METADATA = b"org.apache.spark.sql.parquet.row.metadata"


@contextlib.contextmanager
def open_runner(engine: str) -> Iterator[ProgramRunner]:
    """Give a process that runs trusted programs on one engine (`sail`, `spark`); it is gone afterwards.

    Raises:
        JavaMissingError: classic Spark was asked for, and there is no Java.
    """
    workshop = Workshop(Settings(engine=engine), hidden=(), cwd=str(Path.cwd()))
    runner = ProgramRunner(workshop, workshop.looking_engine, workshop.folder / "outputs", partitions=2)
    try:
        workshop.engine(workshop.looking_engine)
        yield runner
    finally:
        runner.close()
        workshop.close()


def run_reference(runner: ProgramRunner, refs: Path, file: Path) -> Frame:
    """Run one built reference (`.sql` or `.py`) on the folder's tables.

    Raises:
        UnfitReferenceError: it raised, or returned anything but one DataFrame.
    """
    sql = file.suffix == ".sql"
    text = file.read_text(encoding="utf-8") if sql else ""
    names = read_ending(text).tables if sql else ()
    request = RunProgram(
        kind="sql" if sql else "python",
        text=text,
        path="" if sql else str(file),
        entry_point=EntryPoint(),
        tables=list_tables(refs, names),
    )
    answer = runner.run(request)
    if isinstance(answer, ProgramRaised):
        raise UnfitReferenceError(
            expected=f"{file.parent.name}/{file.name} to run on {runner.engine}",
            found=f"{answer.type}: {answer.message}",
            hint="build the references anew with `lockin tasks build`",
        )
    parts = runner.load(answer)
    if len(parts) != 1:
        raise UnfitReferenceError(
            expected="one DataFrame",
            found=f"{len(parts)} parts",
            hint=f"correct {file.parent.name}/{file.name}",
        )
    return parts[0][1]


def list_tables(refs: Path, names: Sequence[str] = ()) -> tuple[TableFile, ...]:
    """The folder's tables, all or those named."""
    found = sorted((refs / "tables").glob("*.parquet"))
    return tuple(
        TableFile(name=path.stem, path=str(path)) for path in found if not names or path.stem in names
    )


def compare_panels(
    refs: Path, tasks: Sequence[str], engine: str, say: Callable[[TaskPanel], None]
) -> PanelReport:
    """Run each task's three references (two on the engine, one on DuckDB) and compare every pair."""
    build = read_build(refs)
    scale = str(build.scale) if build is not None else "unknown"
    with open_runner(engine) as runner, open_duckdb(refs / "tables") as connection:
        members: list[Member] = [
            *list_members(refs, runner.engine, lambda file: run_reference(runner, refs, file)),
            duckdb_member(refs, connection),
        ]
        return measure_panels(tasks, members, scale=scale, versions=_versions(), say=say)


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {name: version(name) for name in ("pyspark", "pysail", "duckdb", "sqlglot")}


def compute_outputs(refs: Path, tasks: Sequence[str], engine: str) -> dict[str, Frame]:
    """Run each task's statement; give its output by task id."""
    with open_runner(engine) as runner:
        return {task: run_reference(runner, refs, find_file(refs, task, STATEMENT)) for task in tasks}


def freeze_outputs(refs: Path, tasks: Sequence[str], engine: str) -> tuple[str, ...]:
    """Store each statement's output as Parquet with its hash beside it; give the tasks stored."""
    for task, frame in compute_outputs(refs, tasks, engine).items():
        path = refs / task / FROZEN
        draft = path.with_suffix(".draft")
        pq.write_table(_with_schema(frame), draft)
        draft.replace(path)
        record = {
            "format": 1,
            "engine": engine,
            "rows": frame.rows,
            "digest": digest_frame(read_stored(path)),
        }
        path.with_name(FROZEN_RECORD).write_text(json.dumps(record, indent=1) + "\n")
    return tuple(tasks)


def _with_schema(frame: Frame) -> object:
    if not frame.schema_json:
        return frame.table
    return frame.table.replace_schema_metadata({_SPARK_METADATA: frame.schema_json.encode()})


def reexecute(refs: Path, tasks: Sequence[str], engine: str) -> dict[str, Drift]:
    """Rebuild each frozen output in a fresh session and compare by hash and by content (PAPERS A1.29).

    Raises:
        UnfitReferenceError: an output was never frozen, or its record cannot be read.
    """
    stored = {
        task: (read_stored(find_file(refs, task, FROZEN)), _locked_digest(refs, task)) for task in tasks
    }
    rebuilt = compute_outputs(refs, tasks, engine)
    return {
        task: check_reexecution(task, frame, _through_parquet(rebuilt[task]), locked_digest=digest)
        for task, (frame, digest) in stored.items()
    }


def _locked_digest(refs: Path, task: str) -> str:
    path = find_file(refs, task, FROZEN_RECORD)
    try:
        return str(json.loads(path.read_text())["digest"])
    except (ValueError, KeyError, OSError) as error:
        raise UnfitReferenceError(
            expected=f"a record of the frozen output in {path}",
            found=str(error),
            hint="`lockin tasks freeze`",
        ) from error


def _through_parquet(frame: Frame) -> Frame:
    """The frame as it would come back from storage: only content may differ, not the way it was kept."""
    import io

    buffer = io.BytesIO()
    pq.write_table(_with_schema(frame), buffer)
    buffer.seek(0)
    table = pq.read_table(buffer)
    return Frame(table=table, rows=table.num_rows, schema_json=frame.schema_json)

"""Is a reference fit to judge? It runs, is not empty, is stable, reads no clock, and its panel agrees."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from pytest_lockin.errors import FrameError, UnfitReferenceError
from pytest_lockin.frames.frame import Frame
from pytest_lockin.frames.ipcfile import InflatingError
from pytest_lockin.frames.parquetfile import read_parquet
from pytest_lockin.model.messages import ProgramRaised, ProgramReturned, RunProgram, TableFile
from pytest_lockin.references.clocks import find_python_clocks
from pytest_lockin.references.compare import agree_parts
from pytest_lockin.references.order import Ending, read_ending
from pytest_lockin.references.run import OURS

if TYPE_CHECKING:
    from pytest_lockin.model.agreement import Agreement
    from pytest_lockin.model.rules import Rules
    from pytest_lockin.model.task import Task
    from pytest_lockin.references.load import Panel, Reference
    from pytest_lockin.references.run import Parts, ProgramRunner

_SPARK_METADATA = b"org.apache.spark.sql.parquet.row.metadata"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vetted:
    """A panel that was looked at on one engine.

    Attributes:
        unfit: why it judges nobody; "" when it is fit.
        output: what the first reference returned, by part.
        pool: its rows without its LIMIT, when the cut could fall into a tie; else None.
        ending: how its SQL ends.
    """

    panel: Panel
    engine: str
    unfit: str = ""
    output: Parts = ()
    pool: Frame | None = None
    ending: Ending = field(default_factory=Ending)
    notes: tuple[str, ...] = ()

    @property
    def rules(self) -> Rules:
        """The panel's rules, with the first reference's order."""
        keys = self.ending.keys if self.ending.complete else ()
        return replace(self.panel.rules, order=keys)


def vet_panel(
    panel: Panel,
    task: Task | None,
    runner: ProgramRunner,
    *,
    thorough: bool = True,
    may_be_empty: bool = False,
) -> Vetted:
    """Run every reference of a panel and say whether it may judge.

    `thorough` runs the first a second time on shuffled, repartitioned input; an engine that only confirms
    what another has vetted does without. On data a result without rows proves nothing; on a fixture that
    was made for it, it does (`may_be_empty`).
    """
    first = panel.references[0]
    ending = read_ending(first.text) if first.kind == "sql" else Ending()
    vetted = Vetted(panel=panel, engine=runner.engine, ending=ending)
    vetting = _Vetting(panel, task, runner)
    try:
        vetting.refuse_clocks()
        vetted = replace(vetted, output=vetting.output(first))
        vetted = replace(vetted, pool=vetting.pool(vetted))
        if not may_be_empty:
            vetting.refuse_empty(vetted)
        vetting.check_first(vetted, thorough=thorough)
        vetting.check_company(vetted)
    except UnfitReferenceError as error:
        return replace(vetted, unfit=error.found)
    return vetted


class _Vetting:
    """One panel being looked at on one engine; every doubt is raised as an `UnfitReferenceError`."""

    def __init__(self, panel: Panel, task: Task | None, runner: ProgramRunner) -> None:
        self._panel = panel
        self._task = task
        self._runner = runner

    def refuse_clocks(self) -> None:
        for each in self._panel.references:
            clocks = find_clocks(each)
            if clocks:
                raise _unfit(f"{each.name} depends on time or chance: {', '.join(clocks)}")

    def output(self, reference: Reference, *, shuffled: bool = False) -> Parts:
        if reference.kind == "stored":
            return (("", read_stored(Path(reference.path))),)
        if not self._panel.tables:
            raise _unfit(f"{reference.name} has no tables to run on (tables/*.parquet)")
        answer = self._runner.run(replace(self._request(reference), shuffled=shuffled))
        if isinstance(answer, ProgramRaised):
            raised = "could not be run" if answer.type in OURS else f"raised {answer.type}"
            raise _unfit(f"{reference.name} {raised}: {answer.message}")
        return self._load(answer)

    def _request(self, reference: Reference) -> RunProgram:
        return request_for(reference, tables_for(self._panel, self._task), self._task)

    def _load(self, answer: ProgramReturned) -> Parts:
        try:
            return self._runner.load(answer)
        except FrameError as error:
            raise _unfit(error.one_line) from error

    def pool(self, vetted: Vetted) -> Frame | None:
        """The rows without the LIMIT, where it was reached and all sort keys (or none) are known."""
        ending = vetted.ending
        if ending.limit is None or vetted.output[0][1].rows < ending.limit or not ending.complete:
            return None
        request = replace(self._request(self._panel.references[0]), text=ending.unlimited)
        answer = self._runner.run(request)
        return None if isinstance(answer, ProgramRaised) else self._load(answer)[0][1]

    def refuse_empty(self, vetted: Vetted) -> None:
        if not any(frame.rows for _, frame in vetted.output):
            raise _unfit(f"{self._panel.references[0].name} returns no rows on this data")

    def check_first(self, vetted: Vetted, *, thorough: bool) -> None:
        first = self._panel.references[0]
        if not _agrees(vetted, vetted.output).agrees:
            raise _unfit(f"{first.name} does not agree with itself")
        if not thorough or first.kind == "stored":
            return
        if not _agrees(vetted, self.output(first, shuffled=True)).agrees:
            again = _agrees(vetted, self.output(first))
            when = "on shuffled, repartitioned input" if again.agrees else "from run to run"
            raise _unfit(f"{first.name} is unstable: its result changes {when}")

    def check_company(self, vetted: Vetted) -> None:
        first, *others = self._panel.references
        for other in others:
            agreement = _agrees(vetted, self.output(other))
            if not agreement.agrees:
                raise _unfit(f"the panel disagrees: {first.name} and {other.name} ({agreement.category})")


def tables_for(panel: Panel, task: Task | None, extra: tuple[str, ...] = ()) -> tuple[TableFile, ...]:
    """The tables a program of this task is given: those the task names and those its SQL reads, else all."""
    wanted = {table.name.lower() for table in task.tables} if task else set()
    for reference in panel.references:
        if reference.kind == "sql":
            wanted |= set(read_ending(reference.text).tables)
    wanted |= {name.lower() for name in extra}
    chosen = [(name, path) for name, path in panel.tables if name.lower() in wanted]
    return tuple(TableFile(name=name, path=path) for name, path in chosen or panel.tables)


def request_for(reference: Reference, tables: tuple[TableFile, ...], task: Task | None) -> RunProgram:
    """Say how a reference is run on these tables."""
    if reference.kind == "sql":
        return RunProgram(kind="sql", text=reference.text, tables=tables)
    from pytest_lockin.model.suite import EntryPoint

    function = task.function if task else EntryPoint().function
    return RunProgram(
        kind="python",
        path=reference.path,
        folder=str(Path(reference.path).parent),
        entry_point=EntryPoint(function=function),
        tables=tables,
    )


def _unfit(reason: str) -> UnfitReferenceError:
    return UnfitReferenceError(
        expected="a reference that is fit to judge", found=reason, hint="correct it, or leave it out"
    )


def find_clocks(reference: Reference) -> tuple[str, ...]:
    """Name what in a reference depends on time or chance, as far as its text shows it."""
    if reference.kind == "sql":
        return read_ending(reference.text).clocks
    if reference.kind == "python":
        return find_python_clocks(Path(reference.path).read_text(encoding="utf-8", errors="replace"))
    return ()


def read_stored(path: Path) -> Frame:
    """Read a stored output; Spark's own schema is taken from the file when Spark wrote it.

    Raises:
        UnfitReferenceError: it is no Parquet file or folder, or takes more memory than one table may.
    """
    try:
        table = read_parquet(path)
    except (OSError, InflatingError, pa.ArrowException) as error:
        raise _unfit(f"{path.name} cannot be read: {str(error).splitlines()[0]}") from error
    metadata = table.schema.metadata or {}
    schema_json = metadata.get(_SPARK_METADATA, b"").decode()
    return Frame(table=table, rows=table.num_rows, schema_json=schema_json)


def _agrees(vetted: Vetted, found: Parts) -> Agreement:
    return agree_parts(vetted.output, found, vetted.rules, pool=vetted.pool, by_name=vetted.panel.by_name)

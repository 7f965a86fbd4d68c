"""Is the candidate right? It is run on the references' tables in a worker of its own and compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from pytest_lockin.errors import FrameError
from pytest_lockin.model.agreement import Judgement
from pytest_lockin.model.messages import ProgramRaised, RunProgram
from pytest_lockin.references.compare import agree_parts, raised
from pytest_lockin.references.run import ProgramRunner
from pytest_lockin.references.stage import stage_tables
from pytest_lockin.references.vet import tables_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.model.suite import Suite
    from pytest_lockin.model.task import Task
    from pytest_lockin.references.run import Answer, Parts
    from pytest_lockin.references.vet import Vetted
    from pytest_lockin.workshop import Workshop


# Failures of ours, not of the program: they judge nobody.
_OURS = frozenset({"WorkerCrashedError", "WorkerTimedOutError", "WorkerError", "WorkerFailedError"})


def judge_candidate(
    workshop: Workshop,
    suite: Suite,
    task: Task | None,
    vetted: Vetted,
    data_folder: Path,
    *,
    conf: tuple[tuple[str, str], ...] = (),
) -> Judgement:
    """Run the candidate once on the panel's tables and compare with the vetted output."""
    with CandidateRuns(workshop, suite, task, vetted, data_folder, conf=conf) as runs:
        return runs.judge(vetted)[0]


class CandidateRuns:
    """A candidate in a worker of its own, judged on one set of tables after the other.

    The worker is fresh, is told nothing of the references, and reads tables under neutral paths.

    Args:
        vetted: the panel with the data that suites of the task share, on the engine to run on.
        data_folder: where input tables are staged: those all suites share once, others for this suite alone.
        conf: static conf its JVM is started with.
    """

    def __init__(
        self,
        workshop: Workshop,
        suite: Suite,
        task: Task | None,
        vetted: Vetted,
        data_folder: Path,
        *,
        conf: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._suite = suite
        self._task = task
        name = workshop.store_of(suite.id).name
        tables = tables_for(vetted.panel, task)
        shared = stage_tables(((table.name, table.path) for table in tables), data_folder)
        self._shared = {table.path: staged for table, staged in zip(tables, shared, strict=True)}
        self._own = data_folder / f"for-{name}-{vetted.engine}"
        self._own.mkdir(parents=True, exist_ok=True)
        folders = dict.fromkeys(str(Path(table.path).parent) for table in shared)
        self._runner = ProgramRunner(
            workshop,
            vetted.engine,
            data_folder.parent / f"candidate-{vetted.engine}" / name,
            conf=conf,
            visible=(suite.folder, str(self._own), *folders),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.close()

    def run(self, tables: Iterable[tuple[str, str]]) -> Parts | ProgramRaised:
        """Run the candidate on tables, given as (name, path); say what it returned or raised.

        Raises:
            FrameError: what it returned cannot be read back.
        """
        answer = self._ask(tables)
        return answer if isinstance(answer, ProgramRaised) else self._runner.load(answer)

    def _ask(self, tables: Iterable[tuple[str, str]], path: str = "") -> Answer:
        staged = tuple(
            self._shared.get(path) or stage_tables([(name, path)], self._own)[0] for name, path in tables
        )
        request = RunProgram(
            kind="python",
            path=path,
            folder=self._suite.folder,
            entry_point=self._suite.entry_point,
            tables=staged,
        )
        return self._runner.run(request)

    def agrees(self, vetted: Vetted, source: str, name: str) -> bool:
        """Whether the candidate with another text in place of its module agrees on the panel's tables.

        `name` tells this text from others. A text that raises does not agree.
        """
        path = self._own / f"{name}.py"
        if not path.exists():
            path.write_text(source, encoding="utf-8")
        tables = tables_for(vetted.panel, self._task)
        answer = self._ask(((table.name, table.path) for table in tables), path=str(path))
        if isinstance(answer, ProgramRaised):
            return False
        try:
            found = self._runner.load(answer)
        except FrameError:
            return False
        return agree_parts(
            vetted.output, found, vetted.rules, pool=vetted.pool, by_name=vetted.panel.by_name
        ).agrees

    def judge(self, vetted: Vetted) -> tuple[Judgement, Parts]:
        """Run the candidate on the panel's tables and compare with the vetted output; give its own too."""
        tables = tables_for(vetted.panel, self._task)
        try:
            answer = self._ask((table.name, table.path) for table in tables)
            if isinstance(answer, ProgramRaised):
                rows = sum(frame.rows for _, frame in vetted.output)
                return _without_output(vetted.engine, answer, rows), ()
            found = self._runner.load(answer)
        except FrameError as error:
            return Judgement(engine=vetted.engine, agreement=None, reason=error.one_line), ()
        agreement = agree_parts(
            vetted.output, found, vetted.rules, pool=vetted.pool, by_name=vetted.panel.by_name
        )
        return Judgement(engine=vetted.engine, agreement=agreement, needs=answer.needs), found


def _without_output(engine: str, answer: ProgramRaised, rows: int) -> Judgement:
    if answer.returned or answer.type in _OURS or answer.type == "EntryPointError":
        return Judgement(engine=engine, agreement=None, reason=answer.message, needs=answer.needs)
    return Judgement(engine=engine, agreement=raised(answer.type, answer.message, rows), needs=answer.needs)

"""Is the candidate right? It is run on the references' tables in a worker of its own and compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from pytest_lockin.errors import FrameError
from pytest_lockin.model.agreement import Judgement
from pytest_lockin.model.messages import ProgramRaised, RunProgram
from pytest_lockin.references.compare import agree_parts, raised
from pytest_lockin.references.run import OURS, ProgramRunner
from pytest_lockin.references.stage import stage_tables
from pytest_lockin.references.vet import tables_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.model.agreement import Agreement
    from pytest_lockin.model.alternative import Mutant
    from pytest_lockin.model.messages import TableFile
    from pytest_lockin.model.suite import Suite
    from pytest_lockin.model.task import Task
    from pytest_lockin.references.run import Answer, Parts
    from pytest_lockin.references.vet import Vetted
    from pytest_lockin.workshop import Workshop


class CandidateRuns:
    """A candidate in a worker of its own, judged on one set of tables after the other.

    The worker is fresh, is told nothing of the references, and reads tables under neutral paths.

    Args:
        data_folder: where input tables are staged: those all suites share once, others for this suite alone.
        shared: the tables that suites of the task share.
        conf: static conf its JVM is started with.
    """

    def __init__(
        self,
        workshop: Workshop,
        suite: Suite,
        engine: str,
        data_folder: Path,
        *,
        shared: tuple[TableFile, ...] = (),
        conf: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._suite = suite
        self._engine = engine
        name = workshop.store_of(suite.id).name
        staged = stage_tables(((table.name, table.path) for table in shared), data_folder)
        self._shared = dict(zip(shared, staged, strict=True))
        self._own = data_folder / f"for-{name}-{engine}"
        self._own.mkdir(parents=True, exist_ok=True)
        folders = dict.fromkeys(str(Path(table.path).parent) for table in staged)
        self._runner = ProgramRunner(
            workshop,
            engine,
            data_folder.parent / f"candidate-{engine}" / name,
            conf=conf,
            visible=(suite.folder, str(self._own), *folders),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.close()

    def run(self, tables: Iterable[TableFile], mutant: Mutant | None = None) -> Parts | ProgramRaised:
        """Run the candidate on tables; say what it returned or raised.

        With `mutant`, of the entry point's own module, its text is run in place of the module's.

        Raises:
            FrameError: what it returned cannot be read back.
        """
        answer = self._ask(tables, self._write(mutant) if mutant is not None else "")
        return answer if isinstance(answer, ProgramRaised) else self._runner.load(answer)

    def _write(self, mutant: Mutant) -> str:
        path = self._own / f"{mutant.id}.py"
        if not path.exists():
            path.write_text(mutant.source, encoding="utf-8")
        return str(path)

    def _ask(self, tables: Iterable[TableFile], program: str) -> Answer:
        staged = tuple(
            self._shared.get(each) or stage_tables([(each.name, each.path)], self._own)[0] for each in tables
        )
        request = RunProgram(
            kind="python",
            path=program,
            folder=self._suite.folder,
            entry_point=self._suite.entry_point,
            tables=staged,
        )
        return self._runner.run(request)

    def agrees(self, vetted: Vetted, task: Task | None, mutant: Mutant) -> bool:
        """Whether a mutant agrees on the panel's tables; one that raises does not."""
        try:
            found = self.run(tables_for(vetted.panel, task), mutant)
        except FrameError:
            return False
        return not isinstance(found, ProgramRaised) and _compare(vetted, found).agrees

    def judge(self, vetted: Vetted, task: Task | None) -> tuple[Judgement, Parts]:
        """Run the candidate on the panel's tables and compare with the vetted output; give its own too."""
        try:
            answer = self._ask(tables_for(vetted.panel, task), "")
            if isinstance(answer, ProgramRaised):
                rows = sum(frame.rows for _, frame in vetted.output)
                return _without_output(vetted.engine, answer, rows), ()
            found = self._runner.load(answer)
        except FrameError as error:
            return Judgement(engine=vetted.engine, agreement=None, reason=error.one_line), ()
        agreement = _compare(vetted, found)
        return Judgement(engine=vetted.engine, agreement=agreement, needs=answer.needs), found


def _compare(vetted: Vetted, found: Parts) -> Agreement:
    return agree_parts(vetted.output, found, vetted.rules, pool=vetted.pool, by_name=vetted.panel.by_name)


def _without_output(engine: str, answer: ProgramRaised, rows: int) -> Judgement:
    if answer.returned or answer.type in OURS or answer.type == "EntryPointError":
        return Judgement(engine=engine, agreement=None, reason=answer.message, needs=answer.needs)
    return Judgement(engine=engine, agreement=raised(answer.type, answer.message, rows), needs=answer.needs)

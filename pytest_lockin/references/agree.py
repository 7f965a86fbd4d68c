"""Is the candidate right? It is run on the references' tables in a worker of its own and compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import FrameError
from pytest_lockin.model.agreement import Judgement
from pytest_lockin.model.messages import ProgramRaised, RunProgram
from pytest_lockin.references.compare import agree_parts, raised
from pytest_lockin.references.run import ProgramRunner
from pytest_lockin.references.stage import stage_tables
from pytest_lockin.references.vet import tables_for

if TYPE_CHECKING:
    from pytest_lockin.model.suite import Suite
    from pytest_lockin.model.task import Task
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
    """Run the candidate once on the panel's tables and compare with the vetted output.

    The candidate's worker is fresh, is told nothing of the references, and reads tables under neutral paths.
    """
    tables = stage_tables(((table.name, table.path) for table in tables_for(vetted.panel, task)), data_folder)
    store = data_folder.parent / f"candidate-{vetted.engine}" / workshop.store_of(suite.id).name
    visible = (suite.folder, *dict.fromkeys(str(Path(table.path).parent) for table in tables))
    runner = ProgramRunner(workshop, vetted.engine, store, conf=conf, visible=visible)
    try:
        answer = runner.run(
            RunProgram(kind="python", folder=suite.folder, entry_point=suite.entry_point, tables=tables)
        )
        rows = sum(frame.rows for _, frame in vetted.output)
        if isinstance(answer, ProgramRaised):
            return _without_output(vetted.engine, answer, rows)
        found = runner.load(answer)
    except FrameError as error:
        return Judgement(engine=vetted.engine, agreement=None, reason=error.one_line)
    finally:
        runner.close()
    agreement = agree_parts(
        vetted.output, found, vetted.rules, pool=vetted.pool, by_name=vetted.panel.by_name
    )
    return Judgement(engine=vetted.engine, agreement=agreement, needs=answer.needs)


def _without_output(engine: str, answer: ProgramRaised, rows: int) -> Judgement:
    if answer.returned or answer.type in _OURS or answer.type == "EntryPointError":
        return Judgement(engine=engine, agreement=None, reason=answer.message, needs=answer.needs)
    return Judgement(engine=engine, agreement=raised(answer.type, answer.message, rows), needs=answer.needs)

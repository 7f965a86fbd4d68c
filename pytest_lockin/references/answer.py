"""The reference in the candidate's place: answers a stubbed entry point from the references' own process."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from pytest_lockin.engines.entry import table_named
from pytest_lockin.frames.types import from_arrow, short_name
from pytest_lockin.model.messages import AskReference, ProgramRaised, ProgramReturned, TableFile
from pytest_lockin.references.order import read_ending
from pytest_lockin.references.vet import request_for

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lockin.model.suite import Argument
    from pytest_lockin.model.task import Task
    from pytest_lockin.references.load import Panel, Reference
    from pytest_lockin.references.run import ProgramRunner

Schemas = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


class ReferenceAnswers:
    """Answers the calls of one stubbed run with one reference.

    Tables a case leaves out, and columns the reference may read and the case's tables lack, are completed
    with typed NULLs; `completed` collects their names. Results are copied into the run's own folder: the
    references' store stays out of every other worker's reach.
    """

    def __init__(
        self, panel: Panel, task: Task | None, reference: Reference, runner: ProgramRunner, exchange: Path
    ) -> None:
        self.reference = reference
        self.completed: dict[str, None] = {}
        self._task = task
        self._runner = runner
        self._exchange = exchange
        self._secret = runner.folder
        self._schemas = describe_tables(panel, task, reference)
        self._known = [*(table.name for table in (task.tables if task else ())), *dict(panel.tables)]

    def __call__(self, question: AskReference) -> ProgramReturned | ProgramRaised:
        """Run the reference on the tables of one call."""
        lost = next((each.table for each in question.arguments if not each.frame.kept), None)
        if lost is not None:
            return ProgramRaised(type="FrameError", message=f"table {lost} is larger than the byte cap")
        tables = tuple(
            TableFile(name=self._name(each), path=str(self._exchange / f"{each.frame.digest}.arrow"))
            for each in question.arguments
        )
        request = request_for(self.reference, tables, self._task)
        answer = self._runner.run(replace(request, schemas=self._schemas))
        if isinstance(answer, ProgramReturned):
            self.completed.update(dict.fromkeys(answer.completed))
            for _, stored in answer.parts:
                self._hand_over(f"{stored.digest}.arrow")
        return answer

    def _name(self, argument: Argument) -> str:
        """The table's own name where a parameter carries it under another (`orders_df`)."""
        return argument.key or table_named(argument.parameter, self._known) or argument.parameter

    def _hand_over(self, name: str) -> None:
        target = self._exchange / name
        if target.exists():
            return
        draft = target.with_suffix(f".{os.getpid()}.draft")
        shutil.copyfile(self._secret / name, draft)
        draft.replace(target)


def describe_tables(panel: Panel, task: Task | None, reference: Reference) -> Schemas:
    """The columns of every table the reference may read: from the task's schemas, else from the data."""
    wanted = set(read_ending(reference.text).tables) if reference.kind == "sql" else None
    known: dict[str, tuple[tuple[str, str], ...]] = {}
    for table in task.tables if task else ():
        columns = tuple((column.name, column.type) for column in table.columns if column.type)
        if columns:
            known[table.name] = columns
    named = {table.name.lower() for table in task.tables} if task else set()
    for name, path in panel.tables:
        if name not in known and (name.lower() in (wanted or named) or not (wanted or named)):
            schema = pq.ParquetDataset(path).schema
            known[name] = tuple((field.name, short_name(from_arrow(field.type))) for field in schema)
    return tuple(
        (name, columns) for name, columns in sorted(known.items()) if wanted is None or name.lower() in wanted
    )

"""The reference in the candidate's place: answers a stubbed entry point from the references' own process."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from pytest_lockin.engines.entry import table_named
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.frames.types import from_arrow, short_name
from pytest_lockin.frames.whole import open_whole
from pytest_lockin.model.messages import AskReference, ProgramRaised, ProgramReturned, TableFile
from pytest_lockin.references.order import read_ending
from pytest_lockin.references.vet import request_for

if TYPE_CHECKING:
    from pytest_lockin.model.suite import Argument
    from pytest_lockin.model.task import Task
    from pytest_lockin.references.load import Panel, Reference
    from pytest_lockin.references.run import ProgramRunner

Schemas = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


class ReferenceAnswers:
    """Answers the calls of one stubbed run with one reference.

    Tables a case leaves out, and columns its tables lack, are completed with typed NULLs; `completed` names
    those the reference's text mentions. Results are copied into the run's own folder: the references' store
    stays out of every other worker's reach.
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
        self._words = frozenset(re.findall(r"\w+", read_text(reference).lower()))
        self._schemas = describe_tables(panel, task, reference)
        self._known = [*(table.name for table in (task.tables if task else ())), *dict(panel.tables)]

    def __call__(self, question: AskReference) -> ProgramReturned | ProgramRaised:
        """Run the reference on the tables of one call."""
        lost = next((each.table for each in question.arguments if not each.frame.kept), None)
        if lost is not None:
            message = f"table {lost} is larger than the byte cap, or had no room on the disk"
            return ProgramRaised(type="FrameError", message=message)
        store = FrameStore(self._exchange, 0)
        tables = tuple(
            TableFile(name=self._name(each), path=str(store.checked(each.frame)))
            for each in question.arguments
        )
        request = request_for(self.reference, tables, self._task)
        answer = self._runner.run(replace(request, schemas=self._schemas))
        if isinstance(answer, ProgramReturned):
            self.completed.update(dict.fromkeys(filter(self._mentions, answer.completed)))
            for _, stored in answer.parts:
                self._hand_over(f"{stored.digest}.arrow")
        return answer

    def _mentions(self, completed: str) -> bool:
        """Whether the reference's text has this table or `table.column`: the rest cannot matter."""
        return completed.rpartition(".")[2].lower() in self._words

    def _name(self, argument: Argument) -> str:
        """The table's own name where a parameter carries it under another (`orders_df`)."""
        return argument.key or table_named(argument.parameter, self._known) or argument.parameter

    def _hand_over(self, name: str) -> None:
        target = self._exchange / name
        if target.exists() and not target.is_symlink():
            return
        # The folder is the worker's too: a name it can guess might be a link that leads out of it.
        with (self._secret / name).open("rb") as source, open_whole(target) as copy:
            shutil.copyfileobj(source, copy)


def describe_tables(panel: Panel, task: Task | None, reference: Reference) -> Schemas:
    """The columns of every table the reference may read: from the task's schemas, else from the data."""
    wanted = _tables_read(panel, task, reference)
    known: dict[str, tuple[tuple[str, str], ...]] = {}
    for table in task.tables if task else ():
        columns = tuple((column.name, column.type) for column in table.columns if column.type)
        if columns:
            known[table.name] = columns
    for name, path in panel.tables:
        if name not in known and (not wanted or name.lower() in wanted):
            schema = pq.ParquetDataset(path).schema
            known[name] = tuple((field.name, short_name(from_arrow(field.type))) for field in schema)
    return tuple(
        (name, columns) for name, columns in sorted(known.items()) if not wanted or name.lower() in wanted
    )


def _tables_read(panel: Panel, task: Task | None, reference: Reference) -> set[str]:
    """Tables a reference reads: its SQL says it, else the task does, else the panel's SQL; empty: unknown."""
    if reference.kind == "sql":
        return set(read_ending(reference.text).tables)
    if task is not None and task.tables:
        return {table.name.lower() for table in task.tables}
    return {name for each in panel.references if each.kind == "sql" for name in read_ending(each.text).tables}


def read_text(reference: Reference) -> str:
    """The text of a program; "" for a stored output."""
    if reference.kind == "python":
        return Path(reference.path).read_text(encoding="utf-8", errors="replace")
    return reference.text

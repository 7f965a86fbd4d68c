"""The few rows on which a candidate shows that it is wrong: a fixture made smaller while it still does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from pytest_lockin.errors import LockinError
from pytest_lockin.fixturegen.cells import write_cell
from pytest_lockin.fixturegen.shrink import shrink_dataset
from pytest_lockin.frames.showing import show_values
from pytest_lockin.model.agreement import Category
from pytest_lockin.model.fixture import ShownTable, Witness
from pytest_lockin.model.messages import ProgramRaised
from pytest_lockin.references.vet import tables_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.model.agreement import Agreement
    from pytest_lockin.model.fixture import Dataset, Profile, Rows
    from pytest_lockin.model.task import Task
    from pytest_lockin.references.agree import CandidateRuns
    from pytest_lockin.references.run import Parts
    from pytest_lockin.references.vet import Vetted

    Vet = Callable[[Dataset], Vetted]

# What a reader waits for per false pass; a witness that is not the smallest is one all the same.
_SHRINKING = 8.0
_MOST_ROWS = 20


def find_witness(
    dataset: Dataset, profile: Profile, vet: Vet, runs: CandidateRuns, task: Task | None, *, shrink: bool
) -> Witness | None:
    """Shrink a database on which candidate and reference differ, and lay out what both make of it.

    `vet` runs the reference on a database. None where the two do not differ when they are run again.
    """
    oracle = _Oracle(vet, runs, task)
    if not oracle.differ(dataset):
        return None
    oracle.begin()
    smallest = shrink_dataset(dataset, profile, oracle.differ_each) if shrink else dataset
    return oracle.show(smallest, shrunk=shrink and not oracle.late)


class _Oracle:
    """Whether candidate and reference differ on a database, as they did on the first one."""

    def __init__(self, vet: Vet, runs: CandidateRuns, task: Task | None) -> None:
        self._task = task
        self._vet = vet
        self._runs = runs
        self._raises: bool | None = None
        self._deadline = float("inf")
        self.late = False

    def begin(self) -> None:
        """From here on only so much time is spent; after it nothing differs any more."""
        self._deadline = time.monotonic() + _SHRINKING

    def differ_each(self, datasets: Sequence[Dataset]) -> list[bool]:
        return [self.differ(dataset) for dataset in datasets]

    def differ(self, dataset: Dataset) -> bool:
        if time.monotonic() > self._deadline:
            self.late = True
            return False
        agreement = self._compare(dataset)
        if agreement is None or agreement.agrees:
            return False
        raises = agreement.category is Category.RUNTIME
        if self._raises is None:
            self._raises = raises
        # A program that gave wrong rows and raises on fewer of them shows something else.
        return raises is self._raises

    def _compare(self, dataset: Dataset) -> Agreement | None:
        try:
            vetted = self._vet(dataset)
            return None if vetted.unfit else self._runs.judge(vetted, self._task)[0].agreement
        except LockinError:
            return None

    def show(self, dataset: Dataset, *, shrunk: bool) -> Witness | None:
        """Lay out a database with what both programs make of it."""
        try:
            vetted = self._vet(dataset)
            found = self._runs.run(tables_for(vetted.panel, self._task))
        except LockinError:
            return None
        raised = f"{found.type}: {found.message}" if isinstance(found, ProgramRaised) else ""
        return Witness(
            inputs=tuple(show_table(rows) for rows in dataset.tables if rows.rows),
            expected=show_output("expected", vetted.output),
            found=None if isinstance(found, ProgramRaised) else show_output("found", found),
            raised=raised,
            shrunk=shrunk,
        )


def show_table(rows: Rows) -> ShownTable:
    """Give an input table as text; columns that are NULL throughout are left out."""
    places = [place for place in range(len(rows.columns)) if any(row[place] is not None for row in rows.rows)]
    return ShownTable(
        name=rows.table,
        columns=tuple(rows.columns[place] for place in places),
        rows=tuple(
            tuple("NULL" if row[place] is None else str(write_cell(row[place])) for place in places)
            for row in rows.rows
        ),
    )


def show_output(name: str, parts: Parts) -> ShownTable:
    """Give what a program returned as text, the first part of several, its first rows."""
    frame: Frame = parts[0][1]
    rows = np.arange(min(frame.rows, _MOST_ROWS))
    columns = [show_values(frame.table.column(at), rows) for at in range(frame.table.num_columns)]
    return ShownTable(
        name=name,
        columns=tuple(frame.table.column_names),
        rows=tuple(tuple(column[int(row)] for column in columns) for row in rows),
    )


__all__ = ["find_witness", "show_output", "show_table"]

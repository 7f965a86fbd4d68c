"""What is wrong with tasks beyond their files' shape; findings are values, one line each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.taskbank.bank import load_hidden
from pytest_lockin.taskbank.eligibility import Choice, load_eligibility
from pytest_lockin.taskbank.statements import list_statement_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.model.task import Obligation, Task

# PAPERS A1.8: 8 to 12 obligations a task.
FEWEST, MOST = 8, 12

_INPUT_COLUMN = re.compile(r"(?P<table>\w+)\.(?P<column>\w+)")
_SQL = re.compile(r"\bselect\b.+\bfrom\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing to correct in a task."""

    task: str
    text: str

    def __str__(self) -> str:
        return f"{self.task}: {self.text}"


def check_task(task: Task, hidden: Sequence[Obligation] = ()) -> tuple[Problem, ...]:
    """Check one task's parts against each other.

    Looks at input columns of obligations that the tables do not have, and at ids used twice across visible
    and hidden obligations. It does not judge whether an obligation is true.
    """
    texts = (*_unknown_columns(task, hidden), *_repeated_ids(task, hidden))
    return tuple(Problem(task=task.id, text=text) for text in texts)


def check_bank(tasks: Sequence[Task]) -> tuple[Problem, ...]:
    """Check the project's own tasks: the rules of `check_task`, and those that only they must keep."""
    own = (problem for task in tasks for problem in _check_own(task, load_hidden(task.id)))
    return (*own, *_choices(tasks))


def _choices(tasks: Sequence[Task]) -> Iterator[Problem]:
    """Find tasks that `eligibility.yaml` does not keep, and kept statements without a task."""
    kept = {entry.id for entry in load_eligibility() if entry.choice is Choice.KEPT}
    there = {task.id for task in tasks}
    for task_id in sorted(kept ^ there):
        text = (
            "kept in eligibility.yaml, but has no task" if task_id in kept else "not kept in eligibility.yaml"
        )
        yield Problem(task=task_id, text=text)


def _check_own(task: Task, hidden: Sequence[Obligation]) -> Iterator[Problem]:
    yield from check_task(task, hidden)
    yield from (Problem(task=task.id, text=text) for text in _own_rules(task, hidden))


def _own_rules(task: Task, hidden: Sequence[Obligation]) -> Iterator[str]:
    if task.id not in list_statement_ids():
        yield "no TPC-DS statement has this id"
    if f"/{task.id}/task.yaml" not in task.path.replace("\\", "/"):
        yield f"its folder has another name: {task.path}"
    yield from _missing_parts(task, hidden)
    if _SQL.search(task.prompt):
        yield "the prompt contains SQL; a ticket says what is wanted, not the statement"
    count = len(task.obligations) + len(hidden)
    if not FEWEST <= count <= MOST:
        yield f"{count} obligations, hidden ones included; {FEWEST} to {MOST} are wanted"


def _missing_parts(task: Task, hidden: Sequence[Obligation]) -> Iterator[str]:
    for name in ("title", "prompt", "tables"):
        if not getattr(task, name):
            yield f"`{name}` is missing"
    for table in task.tables:
        if not table.columns:
            yield f"table {table.name} has no schema"
    for obligation in (*task.obligations, *hidden):
        if obligation.fragment is None:
            yield f"{obligation.id}: `fragment` is missing"


def _unknown_columns(task: Task, hidden: Sequence[Obligation]) -> Iterator[str]:
    for obligation in (*task.obligations, *hidden):
        for name in obligation.columns:
            match = _INPUT_COLUMN.fullmatch(name)
            if not match or not task.tables:
                continue
            table = task.table(match["table"])
            if table is None:
                yield f"{obligation.id}: `{name}` names a table the task does not list"
            elif table.columns and table.column(match["column"]) is None:
                yield f"{obligation.id}: table {table.name} has no column `{match['column']}`"


def _repeated_ids(task: Task, hidden: Sequence[Obligation]) -> Iterator[str]:
    visible = {obligation.id for obligation in task.obligations}
    for obligation in hidden:
        if obligation.id in visible:
            yield f"{obligation.id}: the id of a hidden obligation is taken by a visible one"

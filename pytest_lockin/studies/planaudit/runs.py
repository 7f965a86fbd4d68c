"""The runs of a study: one task under one condition, with artifacts, outcome and labels."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.errors import StudyError
from pytest_lockin.model.report import TestCounts, VerdictKind
from pytest_lockin.studies.planaudit.labels import LABELS_FILE, RunLabels, read_labels
from pytest_lockin.studies.planaudit.numbers import Undefined
from pytest_lockin.studies.planaudit.outcomes import Outcome, ReportedTask, Unjudged, find_outcome
from pytest_lockin.studies.planaudit.scores import Scores, find_omissions, labels_say_executed, score_labels
from pytest_lockin.studies.planaudit.setup import ARTIFACTS, find_run_folders

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_lockin.studies.planaudit.setup import Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One file a run delivered, by its SHA-256."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One task under one condition. `folder` is relative to the folder of runs."""

    condition: str
    task: str
    folder: str
    artifacts: tuple[Artifact, ...]
    outcome: Outcome
    labels: RunLabels | Undefined

    @property
    def executed(self) -> bool:
        """Whether the program ran: neither the report nor the final labels say that it failed to."""
        said = isinstance(self.labels, Undefined) or labels_say_executed(self.labels.final)
        return said and self.outcome.executed

    @property
    def scores(self) -> Scores | Undefined:
        """Scores from the final labels; `Undefined` for a run nobody labelled."""
        if isinstance(self.labels, Undefined):
            return self.labels
        return score_labels(self.labels.final, executed=self.executed)

    @property
    def omissions(self) -> tuple[str, ...]:
        """Self-confirming omissions, from the final labels; none in a run that did not execute."""
        if isinstance(self.labels, Undefined) or not self.executed:
            return ()
        return find_omissions(self.labels.final)


def read_runs(runs: Path, setup: Setup, reported: Sequence[ReportedTask]) -> tuple[Run, ...]:
    """Read every assigned run, condition by condition, tasks by name.

    Raises:
        StudyError: a label file or a report cannot be used.
    """
    found: list[Run] = []
    for condition in setup.conditions:
        folders = find_run_folders(runs, condition.folder)
        read = [_read_run(runs, folder, reported) for folder in folders]
        _check_tasks(read)
        present = {run.task for run in read}
        read += [_make_empty(condition.folder, task) for task in setup.tasks if task not in present]
        found += sorted(read, key=lambda run: run.task)
    return tuple(found)


def _check_tasks(read: list[Run]) -> None:
    for task, count in Counter(run.task for run in read).items():
        if count > 1:
            folders = ", ".join(run.folder for run in read if run.task == task)
            raise StudyError(
                expected=f"one run of {task} per condition",
                found=folders,
                hint="give each variant of a ticket a condition of its own",
            )


def _read_run(runs: Path, folder: Path, reported: Sequence[ReportedTask]) -> Run:
    relative = folder.relative_to(runs)
    entry = find_outcome(reported, folder.parent.name, folder.name, str(folder))
    labels = folder / LABELS_FILE
    return Run(
        condition=folder.parent.name,
        task=folder.name if isinstance(entry, Unjudged) else entry.task,
        folder=relative.as_posix(),
        artifacts=_hash_artifacts(folder),
        outcome=_make_unjudged(entry.reason) if isinstance(entry, Unjudged) else entry.outcome,
        labels=read_labels(labels) if labels.is_file() else Undefined(reason=f"no {LABELS_FILE}"),
    )


def _hash_artifacts(folder: Path) -> tuple[Artifact, ...]:
    paths = [folder / name for name in ARTIFACTS if (folder / name).is_file()]
    return tuple(
        Artifact(name=path.name, digest=hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths
    )


def _make_empty(condition: str, task: str) -> Run:
    return Run(
        condition=condition,
        task=task,
        folder=f"{condition}/{task}",
        artifacts=(),
        outcome=_make_unjudged("no run folder"),
        labels=Undefined(reason="no run folder"),
    )


def _make_unjudged(reason: str) -> Outcome:
    return Outcome(cases=TestCounts(), verdict=VerdictKind.UNVERIFIED, judgement=Unjudged(reason=reason))

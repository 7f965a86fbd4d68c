"""How a study is laid out: its conditions in order, cohorts, alignment keys (file `study.json`, optional).

    {"format": 1,
     "title": "...",
     "conditions": [{"folder": "one-pass", "title": "One-Pass", "baseline": true,
                     "permissions": {"plan.md": "frozen", "solution.py": "frozen",
                                     "test_solution.py": "frozen"}}],
     "tasks": ["q02", "q04"],
     "cohorts": [{"title": "SQL-reproduced", "exclude": ["q02", "q35"]}],
     "alignment": {"q17": ["i_item_id", "s_state"]}}

Without the file, every folder that holds runs is a condition. `tasks` makes a missing run folder an
assigned run that delivered nothing, instead of one that was never assigned.

Formats: 1 is the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from pytest_lockin.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

STUDY_FILE = "study.json"
FORMAT = 1
ARTIFACTS = ("plan.md", "solution.py", "test_solution.py")
# Known pipelines come in the published order; folders of other names follow by name.
KNOWN_CONDITIONS = {
    "one-pass": "One-Pass",
    "test-guided": "Test-Guided",
    "planaudit": "PlanAudit",
    "planaudit-guided": "PlanAudit",
}


class Permission(StrEnum):
    """What a condition may do to an artifact after the shared first call."""

    FROZEN = "frozen"
    LIMITED = "limited"
    REVISE = "revise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One pipeline of the study, in one folder of runs; the baseline is what branches inherit from."""

    folder: str
    title: str
    is_baseline: bool = False
    permissions: tuple[tuple[str, Permission], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """The tasks a table is restricted to: all but the excluded ones. Pairing stays as it is."""

    title: str
    exclude: tuple[str, ...] = ()


ALL_ASSIGNED = Cohort(title="All assigned")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A study's conditions (one is the baseline), cohorts (the first is everyone), keys of alignment."""

    title: str
    conditions: tuple[Condition, ...]
    tasks: tuple[str, ...] = ()
    cohorts: tuple[Cohort, ...] = (ALL_ASSIGNED,)
    alignment: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def baseline(self) -> Condition:
        """The condition whose artifacts the others inherit."""
        return next(one for one in self.conditions if one.is_baseline)

    @property
    def branches(self) -> tuple[Condition, ...]:
        """Every other condition."""
        return tuple(one for one in self.conditions if not one.is_baseline)


class _StudyFile(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    title: str = "Study"
    conditions: tuple[_ConditionEntry, ...] = ()
    tasks: tuple[str, ...] = ()
    cohorts: tuple[_CohortEntry, ...] = ()
    alignment: dict[str, tuple[str, ...]] = {}


class _ConditionEntry(msgspec.Struct, forbid_unknown_fields=True):
    folder: str
    title: str = ""
    baseline: bool = False
    permissions: dict[str, Permission] = {}


class _CohortEntry(msgspec.Struct, forbid_unknown_fields=True):
    title: str
    exclude: tuple[str, ...]


def read_setup(runs: Path) -> Setup:
    """Read `study.json` in a folder of runs, or derive the setup from the folders themselves.

    Raises:
        StudyError: no such folder, no runs in it, or a study file that does not fit the folders.
    """
    if not runs.is_dir():
        raise StudyError(
            expected=f"a folder of runs at {runs}",
            found="no such folder",
            hint="lay runs as <condition>/<task>/{plan.md,solution.py,test_solution.py}",
        )
    path = runs / STUDY_FILE
    entry = _decode(path) if path.is_file() else _StudyFile(format=FORMAT)
    conditions = _make_conditions(entry, runs)
    return Setup(
        title=entry.title,
        conditions=conditions,
        tasks=entry.tasks,
        cohorts=(ALL_ASSIGNED, *(Cohort(title=one.title, exclude=one.exclude) for one in entry.cohorts)),
        alignment=tuple(sorted(entry.alignment.items())),
    )


def _decode(path: Path) -> _StudyFile:
    try:
        entry = msgspec.json.decode(path.read_bytes(), type=_StudyFile)
    except (msgspec.DecodeError, OSError) as error:
        raise StudyError(
            expected=f"a study file of format {FORMAT} in {path}",
            found=str(error),
            hint="the format is described at the top of pytest_lockin/studies/planaudit/setup.py",
        ) from error
    if entry.format != FORMAT:
        raise StudyError(
            expected=f"format {FORMAT} in {path}", found=f"format {entry.format}", hint="update pytest-lockin"
        )
    return entry


def _make_conditions(entry: _StudyFile, runs: Path) -> tuple[Condition, ...]:
    listed = entry.conditions or tuple(_ConditionEntry(folder=name) for name in _find_conditions(runs))
    if not listed:
        raise StudyError(
            expected=f"runs in {runs}",
            found="no <condition>/<task> folder with an artifact or labels in it",
            hint="lay runs as <condition>/<task>/{plan.md,solution.py,test_solution.py}",
        )
    _check_conditions(listed, runs)
    chosen = [one.folder for one in listed if one.baseline] or [listed[0].folder]
    return tuple(
        Condition(
            folder=one.folder,
            title=one.title or KNOWN_CONDITIONS.get(one.folder, one.folder),
            is_baseline=one.folder == chosen[0],
            permissions=tuple(sorted(one.permissions.items())),
        )
        for one in listed
    )


def _check_conditions(listed: tuple[_ConditionEntry, ...], runs: Path) -> None:
    names = [one.folder for one in listed]
    absent = [name for name in names if not (runs / name).is_dir()]
    if absent or len(set(names)) < len(names) or sum(one.baseline for one in listed) > 1:
        raise StudyError(
            expected=f"conditions with a folder of their own in {runs}, at most one of them the baseline",
            found=f"{', '.join(names)}" + (f"; no folder for {', '.join(absent)}" if absent else ""),
            hint=f"correct `conditions` in {runs / STUDY_FILE}",
        )
    unknown = {name for one in listed for name in one.permissions} - set(ARTIFACTS)
    if unknown:
        raise StudyError(
            expected=f"permissions for {', '.join(ARTIFACTS)}",
            found=", ".join(sorted(unknown)),
            hint=f"correct `permissions` in {runs / STUDY_FILE}",
        )


def _find_conditions(runs: Path) -> list[str]:
    names = {folder.parent.name for folder in find_run_folders(runs, "*")}
    known = [name for name in KNOWN_CONDITIONS if name in names]
    return known + sorted(names - set(known))


def find_run_folders(runs: Path, condition: str) -> list[Path]:
    """Return the folders with a run of a condition, by name: an artifact or a label file lies in them."""
    marks = (*ARTIFACTS, "labels.json")
    return [folder for folder in sorted(runs.glob(f"{condition}/*")) if _holds_any(folder, marks)]


def _holds_any(folder: Path, names: Iterable[str]) -> bool:
    return any((folder / name).is_file() for name in names)

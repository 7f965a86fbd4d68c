"""The labels of one run: what plan, code and tests do about each obligation, by everyone who labelled.

File `labels.json` beside the run's artifacts, format 1:

    {"format": 1,
     "sets": [{"name": "final", "role": "adjudicated", "by": "both authors",
               "labels": [{"obligation": "O1", "plan": "present", "code": "violated", "test": "covered",
                           "mechanism": "nondiscriminating_data"}]}],
     "scores": {"plan": 0.958, "code": 0.75, "test": 0.9}}

Roles are `automated`, `human` (a rater's own labels, before adjudication) and `adjudicated`. Raw sets stay
in the file beside the adjudicated one, so that agreement between raters can always be computed.
`mechanism` and `scores` (of an export, to be checked against) are optional.

Formats: 1 is the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from pytest_lockin.errors import StudyError
from pytest_lockin.model.finding import Mechanism  # noqa: TC001 - msgspec reads the annotations

if TYPE_CHECKING:
    from pathlib import Path

LABELS_FILE = "labels.json"
FORMAT = 1


class PlanLabel(StrEnum):
    """What the plan says about an obligation."""

    PRESENT = "present"
    PARTIAL = "partial"
    AMBIGUOUS = "ambiguous"
    ABSENT = "absent"
    CONTRADICTED = "contradicted"


class CodeLabel(StrEnum):
    """What the program does about an obligation."""

    SATISFIED = "satisfied"
    PARTIAL = "partial"
    VIOLATED = "violated"
    EXECUTION_FAILED = "execution_failed"


class CoverageLabel(StrEnum):
    """What the tests check of an obligation."""

    COVERED = "covered"
    PARTIALLY_COVERED = "partially_covered"
    NOT_COVERED = "not_covered"


class Role(StrEnum):
    """Who made a set of labels."""

    AUTOMATED = "automated"
    HUMAN = "human"
    ADJUDICATED = "adjudicated"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObligationLabel:
    """One obligation's labels in plan, code and tests; the mechanism where the labeller named one."""

    obligation: str
    plan: PlanLabel
    code: CodeLabel
    test: CoverageLabel
    mechanism: Mechanism | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSet:
    """All labels that one labeller gave one run."""

    name: str
    role: Role
    by: str = ""
    labels: tuple[ObligationLabel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedScores:
    """The scores a run export claims, as fractions of one; checked against the labels."""

    plan: float
    code: float
    test: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLabels:
    """Every label set of one run, raw ones kept beside the adjudicated one."""

    sets: tuple[LabelSet, ...]
    scores: ExportedScores | None = None

    @property
    def final(self) -> LabelSet:
        """The set scores come from: the adjudicated one, else the only human, else the only automated one."""
        for role in (Role.ADJUDICATED, Role.HUMAN, Role.AUTOMATED):
            found = [one for one in self.sets if one.role is role]
            if found:
                return found[0]
        raise AssertionError  # check_labels refuses a run without sets


class _LabelsFile(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    sets: tuple[_SetEntry, ...]
    scores: ExportedScores | None = None


class _SetEntry(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    role: Role
    labels: tuple[_LabelEntry, ...]
    by: str = ""


class _LabelEntry(msgspec.Struct, forbid_unknown_fields=True):
    obligation: str
    plan: PlanLabel
    code: CodeLabel
    test: CoverageLabel
    mechanism: Mechanism | None = None


def read_labels(path: Path) -> RunLabels:
    """Read one `labels.json`.

    Raises:
        StudyError: the file is not of this format, a label is not in the vocabulary, two sets label other
            obligations, or it cannot be told which set is final.
    """
    try:
        entry = msgspec.json.decode(path.read_bytes(), type=_LabelsFile)
    except (msgspec.DecodeError, OSError) as error:
        raise StudyError(
            expected=f"label sets of format {FORMAT} in {path}",
            found=str(error),
            hint="the format is described at the top of pytest_lockin/studies/planaudit/labels.py",
        ) from error
    if entry.format != FORMAT:
        raise StudyError(
            expected=f"format {FORMAT} in {path}",
            found=f"format {entry.format}",
            hint="update pytest-lockin, or write the labels in this format",
        )
    labels = RunLabels(sets=tuple(_make_set(one) for one in entry.sets), scores=entry.scores)
    check_labels(labels, str(path))
    return labels


def _make_set(entry: _SetEntry) -> LabelSet:
    labels = tuple(
        ObligationLabel(
            obligation=one.obligation, plan=one.plan, code=one.code, test=one.test, mechanism=one.mechanism
        )
        for one in entry.labels
    )
    return LabelSet(name=entry.name, role=entry.role, by=entry.by, labels=labels)


def check_labels(labels: RunLabels, where: str) -> None:
    """Refuse label sets that cannot be scored; `where` names them in the message.

    Raises:
        StudyError: see `read_labels`.
    """
    if not labels.sets:
        raise StudyError(
            expected=f"at least one label set in {where}", found="none", hint="add a set, or delete the file"
        )
    _check_names(labels, where)
    _check_finality(labels, where)
    first = labels.sets[0]
    for one in labels.sets:
        _check_obligations(one, first, where)


def _check_names(labels: RunLabels, where: str) -> None:
    names = [one.name for one in labels.sets]
    if len(set(names)) < len(names):
        raise StudyError(
            expected=f"label sets with names of their own in {where}",
            found=", ".join(names),
            hint="name each set after who made it",
        )


def _check_finality(labels: RunLabels, where: str) -> None:
    for role in (Role.ADJUDICATED, Role.HUMAN, Role.AUTOMATED):
        found = [one.name for one in labels.sets if one.role is role]
        if len(found) > 1:
            raise StudyError(
                expected=f"one set of final labels in {where}",
                found=f"{len(found)} {role} sets ({', '.join(found)}) and none above them",
                hint="add the adjudicated set; the raw sets stay beside it",
            )
        if found:
            return


def _check_obligations(one: LabelSet, first: LabelSet, where: str) -> None:
    ids = [label.obligation for label in one.labels]
    if not ids or len(set(ids)) < len(ids):
        raise StudyError(
            expected=f"each obligation labelled once in set {one.name!r} of {where}",
            found=", ".join(ids) or "no labels",
            hint="one entry per obligation of the task",
        )
    missing = {label.obligation for label in first.labels} ^ set(ids)
    if missing:
        raise StudyError(
            expected=f"the same obligations in sets {first.name!r} and {one.name!r} of {where}",
            found=f"{', '.join(sorted(missing))} in one of them only",
            hint="label every obligation of the task in every set",
        )

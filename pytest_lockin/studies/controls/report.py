"""What the controls came to: one record each, a table by kind, and the line that counts them.

Saved as JSON. Formats: 1 is the first.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from pytest_lockin.errors import StudyError
from pytest_lockin.studies.controls.kinds import Answer  # noqa: TC001 - msgspec reads the annotation
from pytest_lockin.studies.tables import Table, render_text

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1


class Group(StrEnum):
    """The paper's own controls, and ours on every reference."""

    PAPER = "paper"
    EXTENDED = "extended"


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlRecord:
    """One control.

    `fault` is "" for a perturbation that was verified to be one; else the control is a no-op, and an error.
    `observed` is the comparator's answer in words; `added` what the reference was extended by.
    """

    group: Group
    kind: str
    title: str
    task: str
    answer: Answer
    observed: str
    right: bool
    fault: str = ""
    added: tuple[str, ...] = ()

    @property
    def is_no_op(self) -> bool:
        """Whether the perturbation was none."""
        return bool(self.fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindCount:
    """The controls of one kind in one group."""

    group: Group
    kind: str
    title: str
    answer: Answer
    right: int
    wrong: int
    no_op: int
    extended: int

    @property
    def total(self) -> int:
        """All controls of the kind."""
        return self.right + self.wrong + self.no_op


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlReport:
    """Every control that was run."""

    records: tuple[ControlRecord, ...]

    @property
    def total(self) -> int:
        """Controls run."""
        return len(self.records)

    @property
    def right(self) -> int:
        """Controls answered rightly; a no-op is never one."""
        return sum(one.right for one in self.records)

    @property
    def no_ops(self) -> int:
        """Controls whose perturbation was none."""
        return sum(one.is_no_op for one in self.records)

    @property
    def all_right(self) -> bool:
        """Whether there are controls, and every one was real and answered rightly."""
        return 0 < self.total == self.right

    def count_kinds(self, group: Group) -> tuple[KindCount, ...]:
        """Count by kind, in the order they were run."""
        kinds = dict.fromkeys(one.kind for one in self.records if one.group is group)
        return tuple(self._count_kind(group, kind) for kind in kinds)

    def _count_kind(self, group: Group, kind: str) -> KindCount:
        chosen = [one for one in self.records if one.group is group and one.kind == kind]
        no_op = sum(one.is_no_op for one in chosen)
        right = sum(one.right for one in chosen)
        return KindCount(
            group=group,
            kind=kind,
            title=chosen[0].title,
            answer=chosen[0].answer,
            right=right,
            wrong=len(chosen) - right - no_op,
            no_op=no_op,
            extended=sum(bool(one.added) for one in chosen),
        )


def tabulate_controls(report: ControlReport) -> tuple[Table, ...]:
    """Give a table per group: kind by right, wrong, no-op."""
    titles = {Group.PAPER: "The paper's controls", Group.EXTENDED: "Every kind on every reference"}
    return tuple(
        Table(
            title=titles[group],
            columns=("control", "expected", "right", "wrong", "no-op", "extended reference"),
            rows=tuple(_make_row(count) for count in report.count_kinds(group)),
        )
        for group in Group
        if report.count_kinds(group)
    )


def _make_row(count: KindCount) -> tuple[str, ...]:
    numbers = (count.right, count.wrong, count.no_op, count.extended)
    return (count.title, str(count.answer), *(str(number) for number in numbers))


def render_controls(report: ControlReport) -> tuple[str, ...]:
    """Give the lines to print: the tables, what went wrong, and the count."""
    lines: list[str] = []
    for table in tabulate_controls(report):
        lines += [*render_text(table), ""]
    lines += [_describe_fault(one) for one in report.records if not one.right]
    for group in Group:
        lines += _count_group(report, group)
    lines.append(f"controls: {report.right} of {report.total} right, {report.no_ops} no-op")
    return tuple(lines)


def _count_group(report: ControlReport, group: Group) -> list[str]:
    chosen = [one for one in report.records if one.group is group]
    return [f"  {group}: {sum(one.right for one in chosen)} of {len(chosen)}"] if chosen else []


def _describe_fault(record: ControlRecord) -> str:
    what = f"NO-OP: {record.fault}" if record.is_no_op else f"WRONG: {record.observed}"
    return f"{what} - {record.title} on {record.task}, expected {record.answer}"


class _ReportFile(msgspec.Struct):
    format: int
    records: tuple[ControlRecord, ...]


def dump_controls(report: ControlReport) -> str:
    """Write the report as JSON text."""
    data = {"format": FORMAT, "records": [asdict(one) for one in report.records]}
    return msgspec.json.format(msgspec.json.encode(data)).decode() + "\n"


def read_controls(path: Path) -> ControlReport:
    """Read a report that `dump_controls` wrote.

    Raises:
        StudyError: not such a file.
    """
    try:
        entry = msgspec.json.decode(path.read_bytes(), type=_ReportFile)
    except (msgspec.DecodeError, OSError) as error:
        raise StudyError(
            expected=f"a report of controls in {path}",
            found=str(error),
            hint="write one with `lockin study controls --json FILE`",
        ) from error
    if entry.format != FORMAT:
        raise StudyError(
            expected=f"format {FORMAT} in {path}",
            found=f"format {entry.format}",
            hint="run the controls again",
        )
    return ControlReport(records=entry.records)

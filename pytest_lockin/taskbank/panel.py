"""The references of a task compared with each other: every pair, and a reason for every difference.

A panel is fit to judge when each pair agrees strictly, or differs only in columns, and only so far, as the
task's dialect file says beforehand and explains. A task whose panel is not fit judges nobody.

Members come as callables that give a frame for a task, so this module knows no engine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import pyarrow as pa

from pytest_lockin.errors import LockinError, UnfitReferenceError
from pytest_lockin.frames.agreeing import agree
from pytest_lockin.frames.frame import Frame
from pytest_lockin.frames.types import json_types, short_name
from pytest_lockin.model.agreement import Agreement, NameDiffers, Relaxation, RowsDiffer, TypeDiffers
from pytest_lockin.model.rules import Rules, Tolerance
from pytest_lockin.taskbank.dialect.known import Known, Rung, read_dialect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

STATEMENT = "reference.sql"
PROGRAM = "reference_dataframe.py"
COMPANY = "company/duckdb.sql"

_DECIMAL = re.compile(r"decimal\(\d+,(\d+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One way to answer every task: a kind of reference on an engine.

    Attributes:
        name: as the report shows it, for example `dataframe`.
        engine: `spark`, `sail` or `duckdb`; members of one engine have no known differences.
        answer: gives the frame of a task id; raises a LockinError where it cannot.
    """

    name: str
    engine: str
    answer: Callable[[str], Frame]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a member gave for one task: a frame, or why there is none."""

    member: str
    engine: str
    frame: Frame | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNote:
    """One column in which a pair differs, and the reason known beforehand; "" where there is none."""

    column: str
    left: str
    right: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """How two members compare on one task.

    Attributes:
        rung: the least that has to be overlooked for them to agree.
        columns: every column that differs, with both types.
        unexplained: what no dialect file explains; a pair with any is not fit.
    """

    left: str
    right: str
    rung: Rung
    rows: tuple[int, int]
    columns: tuple[ColumnNote, ...] = ()
    unexplained: tuple[str, ...] = ()

    @property
    def fit(self) -> bool:
        """Ask whether the pair agrees, or differs only as known beforehand."""
        return self.rung is not Rung.NONE and not self.unexplained


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPanel:
    """All pairs of one task."""

    task: str
    pairs: tuple[Pair, ...]

    @property
    def fit(self) -> bool:
        """Ask whether the task's references may judge; no pair at all is no company."""
        return bool(self.pairs) and all(pair.fit for pair in self.pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelReport:
    """The panels of many tasks on one data set."""

    scale: str
    versions: tuple[tuple[str, str], ...]
    members: tuple[tuple[str, str], ...]
    tasks: tuple[TaskPanel, ...]

    @property
    def unfit(self) -> tuple[str, ...]:
        """Name the tasks that may judge nobody."""
        return tuple(panel.task for panel in self.tasks if not panel.fit)


def list_members(refs: Path, engine: str, run: Callable[[Path], Frame]) -> tuple[Member, Member]:
    """Give a built folder's two references of every task on an engine that can `run` a `.sql` or `.py` file.

    On Spark they are called `spark-sql` and `dataframe`; elsewhere the engine's name is in front of both.
    """
    program = "dataframe" if engine == "spark" else f"{engine}-dataframe"
    return (
        Member(
            name=f"{engine}-sql", engine=engine, answer=lambda task: run(find_file(refs, task, STATEMENT))
        ),
        Member(name=program, engine=engine, answer=lambda task: run(find_file(refs, task, PROGRAM))),
    )


def find_file(refs: Path, task: str, name: str) -> Path:
    """Find one file of a task below the references.

    Raises:
        UnfitReferenceError: it is not there.
    """
    file = refs / task / name
    if not file.is_file():
        raise UnfitReferenceError(
            expected=str(file), found="no such file", hint=f"run `lockin tasks build --out {refs} {task}`"
        )
    return file


def measure_panels(
    tasks: Sequence[str],
    members: Sequence[Member],
    *,
    scale: str,
    versions: Mapping[str, str],
    say: Callable[[TaskPanel], None] = lambda _: None,
) -> PanelReport:
    """Ask every member for every task, and compare; a member that fails is a pair that does not agree."""
    panels = []
    for task in tasks:
        panel = compare_panel(task, [_ask(member, task) for member in members])
        say(panel)
        panels.append(panel)
    return PanelReport(
        scale=scale,
        versions=tuple(sorted(versions.items())),
        members=tuple((member.name, member.engine) for member in members),
        tasks=tuple(panels),
    )


def compare_panel(task: str, answers: Sequence[Answer], known: Sequence[Known] | None = None) -> TaskPanel:
    """Compare every two answers of a task, in the order given (the earlier one is the expected side).

    `known` are the differences known beforehand; those of the task's dialect file where none are given.
    """
    known = read_dialect(task).known if known is None else known
    return TaskPanel(
        task=task, pairs=tuple(_compare(left, right, known) for left, right in combinations(answers, 2))
    )


def _ask(member: Member, task: str) -> Answer:
    try:
        return Answer(member=member.name, engine=member.engine, frame=member.answer(task))
    except LockinError as error:
        return Answer(member=member.name, engine=member.engine, frame=None, reason=error.one_line)


def _compare(left: Answer, right: Answer, known: Sequence[Known]) -> Pair:
    if left.frame is None or right.frame is None:
        missing = [f"{answer.member}: {answer.reason}" for answer in (left, right) if answer.frame is None]
        counts = tuple(answer.frame.rows if answer.frame else 0 for answer in (left, right))
        return Pair(
            left=left.member,
            right=right.member,
            rung=Rung.NONE,
            rows=(counts[0], counts[1]),
            unexplained=tuple(missing),
        )
    expected = _known_of(left, right, known)
    rung, agreement = _climb(left.frame, right.frame, expected)
    columns = tuple(_note_columns(left.frame, right.frame, agreement, expected))
    return Pair(
        left=left.member,
        right=right.member,
        rung=rung,
        rows=(left.frame.rows, right.frame.rows),
        columns=columns,
        unexplained=tuple(_find_unexplained(agreement, rung, columns)),
    )


def _known_of(left: Answer, right: Answer, known: Sequence[Known]) -> dict[str, Known]:
    """Give what is known about a pair, by lower-cased column; of two entries the farther rung."""
    found: dict[str, Known] = {}
    if left.engine == right.engine:
        return found
    for entry in known:
        if entry.engine in (left.engine, right.engine):
            for column in entry.columns:
                name = column.lower()
                if name not in found or found[name].rung.rank < entry.rung.rank:
                    found[name] = entry
    return found


def _climb(left: Frame, right: Frame, known: Mapping[str, Known]) -> tuple[Rung, Agreement]:
    """Find the least rung. Two decimals stay exact, unless the column is known to need more."""
    strict = agree(left, right)
    plain = _rung_of(strict)
    if plain in (Rung.STRICT, Rung.TYPES):
        return plain, strict
    cast = {name for name, entry in known.items() if entry.rung.rank >= Rung.FLOAT_CAST.rank}
    cast |= {name.lower() for name, *kinds in _typed_columns(left, right) if "double" in kinds}
    if _agrees_once_cast(left, right, cast, ()):
        return Rung.FLOAT_CAST, strict
    rounded = {name for name, entry in known.items() if entry.rung is Rung.LAST_PLACE}
    if _agrees_once_cast(left, right, cast, rounded):
        return Rung.LAST_PLACE, strict
    return Rung.NONE, strict


def _rung_of(agreement: Agreement) -> Rung:
    if agreement.agrees:
        return Rung.STRICT
    needed = set(agreement.recovered_by)
    if not needed or Relaxation.COLUMN_ORDER in needed:
        return Rung.NONE
    return Rung.FLOAT_CAST if Relaxation.FLOAT_CAST in needed else Rung.TYPES


def _agrees_once_cast(left: Frame, right: Frame, cast: Collection[str], rounded: Collection[str]) -> bool:
    """Compare with some columns as doubles, and of these some within their last place."""
    rules = Rules(per_column=tuple(_last_places(left, right, rounded)))
    agreement = agree(_cast(left, cast), _cast(right, cast), rules)
    return _rung_of(agreement).rank <= Rung.TYPES.rank


def _cast(frame: Frame, names: Collection[str]) -> Frame:
    """Give the frame with the named columns as doubles; its types are then Arrow's."""
    table = frame.table
    for place, field in enumerate(table.schema):
        if field.name.lower() in names and pa.types.is_decimal(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.float64()))
    return Frame.of(table)


def _last_places(left: Frame, right: Frame, names: Collection[str]) -> Iterator[tuple[str, Tolerance]]:
    """Give each named column one unit in the last place of its coarser decimal."""
    for name, one, other in _typed_columns(left, right):
        scales = [int(match[1]) for match in map(_DECIMAL.fullmatch, (one, other)) if match]
        if name.lower() in names and scales:
            yield name.lower(), Tolerance(absolute=10.0 ** -min(scales))


def _typed_columns(left: Frame, right: Frame) -> Iterator[tuple[str, str, str]]:
    mine, yours = json_types(left, right)
    for name, one, other in zip(left.names, mine, yours, strict=False):
        yield name, short_name(one), short_name(other)


def _note_columns(
    left: Frame, right: Frame, agreement: Agreement, known: Mapping[str, Known]
) -> Iterator[ColumnNote]:
    """Note each column whose type or values differ, with the reason known for it."""
    positions = {place for difference in agreement.differences for place in _places(difference)}
    for place, (name, one, other) in enumerate(_typed_columns(left, right)):
        if place in positions:
            entry = known.get(name.lower())
            yield ColumnNote(column=name, left=one, right=other, why=entry.why if entry else "")


def _places(difference: object) -> tuple[int, ...]:
    if isinstance(difference, TypeDiffers):
        return (difference.position,)
    if isinstance(difference, RowsDiffer):
        return tuple(place for place, _, _ in difference.columns)
    return ()


def _find_unexplained(agreement: Agreement, rung: Rung, columns: Sequence[ColumnNote]) -> Iterator[str]:
    """Name what nobody expected: a name, a column without a reason, or rows that no reason covers."""
    if rung is Rung.STRICT:
        return
    for difference in agreement.differences:
        if isinstance(difference, NameDiffers) and not difference.case_only:
            yield f"column {difference.position} is named {difference.found} for {difference.expected}"
    for note in columns:
        if not note.why:
            yield f"column {note.column}: {note.left} against {note.right}"
    if rung is Rung.NONE:
        yield "the rows differ"

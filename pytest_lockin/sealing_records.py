"""Builds the sealed benchmark: for each misreading and mechanism a suite in which exactly that holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.model.finding import Mechanism
from pytest_lockin.obligations.distance import measure_distance, read_content
from pytest_lockin.obligations.wreck import edit_cells
from pytest_lockin.sealed import Rows, World, answer_record, read_cells, read_names
from pytest_lockin.studies.mechanisms.records import (
    NULL,
    Answer,
    CaseSpec,
    Check,
    Label,
    Record,
    load_misreadings,
    split_tasks,
)
from pytest_lockin.studies.mechanisms.scores import (
    Benchmark,
    compare_exactly,
    fit_length,
    measure_length,
    score,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.studies.mechanisms.records import Misreading

    Labelled = tuple[Record, Label]

# Single-cell changes tried on a database before it is given up.
_MOST_CELLS = 40
# Databases tried for rows that cannot show it.
_MOST_BLIND = 6


def build_records(world: World) -> Iterator[Labelled]:
    """Build a task's records with their labels: violated ones by mechanism, and clean ones."""
    for misreading in load_misreadings()[world.task.id]:
        builder = _Builder(world, misreading)
        yield from builder.named() if misreading.name else builder.valued()
    yield from _clean(world)


class _Builder:
    """The records of one misreading."""

    def __init__(self, world: World, misreading: Misreading) -> None:
        self._world, self._misreading = world, misreading
        self._program = misreading.apply(world.statement)
        pairs = enumerate(map(self._pair, world.datasets))
        self._pairs = {number: pair for number, pair in pairs if pair is not None}
        self._apart = [n for n, pair in self._pairs.items() if _differ(*pair) and pair[1].rows]
        self._same = [n for n, pair in self._pairs.items() if not _differ(*pair) and pair[0].rows]

    def _pair(self, rows: Rows) -> tuple[Frame, Frame] | None:
        mine, theirs = self._world.run(self._world.base, rows), self._world.run(self._program, rows)
        if mine is None or theirs is None or max(mine.rows, theirs.rows) >= self._world.limit:
            return None
        return mine, theirs

    def valued(self) -> Iterator[Labelled]:
        """Every mechanism that a wrong value can go unnoticed by."""
        if not self._apart:
            return
        yield self._label(Mechanism.SAME_INCORRECT_LOGIC, self._rows(self._apart[0], found=True))
        blind = next(filter(self._nearly_shows, self._same[:_MOST_BLIND]), None)
        if blind is not None:
            yield self._label(Mechanism.NONDISCRIMINATING_DATA, self._rows(blind, found=False))
        coarse = next((case for n in self._apart if (case := self._coarse(n)) is not None), None)
        if coarse is not None:
            yield self._label(Mechanism.PARTIAL_COVERAGE, coarse)
        unseeing = self._names(self._apart[0])
        yield self._label(Mechanism.GAP_DESPITE_PLAN, unseeing)
        yield self._label(Mechanism.SELF_CONFIRMING_OMISSION, unseeing, planned=False)

    def named(self) -> Iterator[Labelled]:
        """A suite that pins the candidate's own column names."""
        number = next((n for n, pair in self._pairs.items() if pair[1].rows), None)
        if number is not None:
            yield self._label(Mechanism.CANDIDATE_SCHEMA, self._names(number))
            exact = self._rows(number, found=True)
            yield self._label(Mechanism.GAP_DESPITE_PLAN, exact)
            yield self._label(Mechanism.SELF_CONFIRMING_OMISSION, exact, planned=False)

    def _label(self, mechanism: Mechanism, case: CaseSpec, *, planned: bool = True) -> Labelled:
        plan = write_plan(self._world, "" if planned else self._misreading.obligation)
        record = Record(task=self._world.task.id, program=self._program, plan=plan, cases=(case,))
        return record, Label(obligation=self._misreading.obligation, mechanism=str(mechanism))

    # Cases.

    def _rows(self, number: int, *, found: bool) -> CaseSpec:
        frame = self._pairs[number][1 if found else 0]
        return CaseSpec(name="case 1", dataset=number, check=Check(kind="rows", rows=read_cells(frame)))

    def _names(self, number: int) -> CaseSpec:
        check = Check(kind="names", names=read_names(self._pairs[number][1]))
        return CaseSpec(name="case 1", dataset=number, check=check)

    def _coarse(self, number: int) -> CaseSpec | None:
        """A check that looks at what is wrong, and passes for the right program too."""
        right, wrong = self._pairs[number]
        if wrong.rows != right.rows:
            kind = "at_most" if wrong.rows > right.rows else "at_least"
            return CaseSpec(name="case 1", dataset=number, check=Check(kind=kind, number=wrong.rows))
        names = tuple(name for place, name in enumerate(read_names(wrong)) if self._filled(number, place))
        if not names:
            return None
        return CaseSpec(name="case 1", dataset=number, check=Check(kind="filled", names=names))

    def _filled(self, number: int, place: int) -> bool:
        """Whether a column differs and is without NULL in both results."""
        mine, theirs = ([row[place] for row in read_cells(frame)] for frame in self._pairs[number])
        return sorted(mine) != sorted(theirs) and NULL not in (*mine, *theirs)

    def _nearly_shows(self, number: int) -> bool:
        """Whether one changed cell of some column would show the mistake on these rows."""
        tables = self._world.datasets[number].frames
        for name, frame in tables.items():
            columns = [each.lower() for each in frame.names if each.lower() in self._world.statement.lower()]
            for _, edited in edit_cells(frame, columns, _MOST_CELLS):
                pair = self._pair(Rows({**tables, name: edited}))
                if pair is not None and _differ(*pair):
                    return True
        return False


def _differ(mine: Frame, theirs: Frame) -> bool:
    return measure_distance(read_content(mine), read_content(theirs)) > 0


def write_plan(world: World, without: str = "") -> str:
    """Write a plan: a sentence for each obligation, but for one that is left out."""
    said = [each.text for each in world.obligations if each.id != without]
    return "# Plan\n\n" + "".join(f"- {text}\n" for text in said)


def _clean(world: World) -> Iterator[Labelled]:
    """Right programs with strong suites and with weak ones, planned well and badly."""
    full = [
        (number, frame)
        for number, rows in enumerate(world.datasets)
        if (frame := world.run(world.base, rows)) is not None and frame.rows
    ]
    for place, (number, frame) in enumerate(full[:2]):
        checks = (
            Check(kind="rows", rows=read_cells(frame)),
            Check(kind="names", names=read_names(frame)),
            Check(kind="at_least", number=frame.rows),
        )
        for check in checks:
            case = CaseSpec(name="case 1", dataset=number, check=check)
            plan = write_plan(world, world.obligations[place].id if place else "")
            record = Record(task=world.task.id, program=world.statement, plan=plan, cases=(case,))
            yield record, Label()


def run_benchmark(tasks: Sequence[str], say: Callable[[str], None] = lambda _: None) -> Benchmark:
    """Build, answer and score every record of some tasks; every second task is held out."""
    records: dict[str, Record] = {}
    labels: dict[str, Label] = {}
    answers: dict[str, Answer] = {}
    for task in tasks:
        world = World(task)
        made = list(build_records(world))
        records.update({record.id: record for record, _ in made})
        labels.update({record.id: label for record, label in made})
        answers.update({record.id: answer_record(record, world) for record, _ in made})
        say(f"{task}: {len(made)} records")
    return _sum_up(tuple(tasks), records, labels, answers)


def _sum_up(
    tasks: tuple[str, ...],
    records: Mapping[str, Record],
    labels: Mapping[str, Label],
    answers: Mapping[str, Answer],
) -> Benchmark:
    halves = [
        {name: label for name, label in labels.items() if records[name].task in half}
        for half in split_tasks(tasks)
    ]
    development, held_out = halves
    threshold = fit_length([records[name] for name in development], labels)
    something = Answer(found=(("", ""),))
    always = dict.fromkeys(held_out, something)
    short = {name: something if measure_length(records[name]) < threshold else Answer() for name in held_out}
    right = [answers[name].issue == label.issue for name, label in held_out.items()]
    return Benchmark(
        development=score(development, answers),
        held_out=score(held_out, answers),
        always=score(held_out, always),
        length=score(held_out, short),
        against_always=compare_exactly(right, [label.issue for label in held_out.values()]),
        against_length=compare_exactly(
            right, [short[name].issue == label.issue for name, label in held_out.items()]
        ),
        missed=tuple(
            _say_missed(records[name], labels[name], answers[name])
            for name in labels
            if _missed(labels[name], answers[name])
        ),
    )


def _missed(label: Label, answer: Answer) -> bool:
    return answer.found[:1] != (((label.obligation, label.mechanism),) if label.issue else ())


def _say_missed(record: Record, label: Label, answer: Answer) -> str:
    true = f"{label.obligation} {label.mechanism}" if label.issue else "clean"
    said = " ".join(answer.found[0]) if answer.found else "clean"
    return f"{record.task}: {true}, answered {said}"


__all__ = ["build_records", "run_benchmark", "write_plan"]

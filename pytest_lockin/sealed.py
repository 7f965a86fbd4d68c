"""The sealed benchmark of mechanisms: records made wrong on purpose, and the evaluator run on them.

Puts together what `studies`, `alternatives`, `fixturegen`, `obligations` and `taskbank` bring. Programs are
statements, run by DuckDB on small databases; a suite is a list of checks. Builder and evaluator share the
statement, the databases and the engine, and nothing else: labels stay with the builder.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives import make_variants
from pytest_lockin.errors import FixturesError, StudyError
from pytest_lockin.fixturegen.make import make_datasets
from pytest_lockin.fixturegen.profile import make_profile
from pytest_lockin.fixturegen.tables import build_frames
from pytest_lockin.frames.frame import Frame
from pytest_lockin.obligations.diagnose import Found, Suspect, diagnose
from pytest_lockin.obligations.distance import measure_distance, read_content
from pytest_lockin.obligations.edits import read_variant, render
from pytest_lockin.obligations.findings import Seen, conclude_findings
from pytest_lockin.obligations.gather import Prober, list_violations
from pytest_lockin.obligations.link import Linker
from pytest_lockin.obligations.misreading import make_misreadings
from pytest_lockin.obligations.wreck import edit_cells
from pytest_lockin.references.order import read_ending
from pytest_lockin.studies.mechanisms.records import NULL, Answer, Cells, Record
from pytest_lockin.taskbank.bank import find_task, load_hidden
from pytest_lockin.taskbank.statements import read_statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_lockin.model.finding import CaseEvidence
    from pytest_lockin.obligations.gather import Program, Violation
    from pytest_lockin.studies.mechanisms.records import CaseSpec

DATASETS = 80
_TOLD_ON, _SAME_ON = 40, 40


@dataclass(slots=True, eq=False)
class Rows:
    """A small database: its tables, opened when it is first asked. Answers of `kept` ones are remembered."""

    frames: dict[str, Frame]
    kept: bool = False
    _connection: Any = None

    def ask(self, statement: str) -> Frame | None:
        """Run a statement in DuckDB's SQL; None where it raises."""
        import duckdb

        if self._connection is None:
            self._connection = duckdb.connect()
            for name, frame in self.frames.items():
                self._connection.register(name, frame.table)
        try:
            return Frame.of(self._connection.execute(statement).to_arrow_table())
        except duckdb.Error:
            return None


class World:
    """One task: statement, obligations, variants and small databases; what was run is kept."""

    def __init__(self, task_id: str) -> None:
        task = find_task(task_id)
        if task is None:
            raise StudyError(
                expected="one of the project's tasks", found=task_id, hint="`lockin tasks list` names them"
            )
        self.task = task
        self.statement = read_statement(task_id).text
        self.schemas = task.schemas
        self.obligations = (*task.obligations, *load_hidden(task_id))
        self.base = render(self.statement)
        limit = read_ending(self.statement).limit
        self.limit = limit if limit is not None else 1 << 62
        self._answers: dict[tuple[str, Rows], Frame | None] = {}
        self._duck: dict[str, str | None] = {}

    @cached_property
    def datasets(self) -> tuple[Rows, ...]:
        """The task's small databases."""
        try:
            profile = make_profile(self.task)
            made = make_datasets(self.statement, profile, most=DATASETS)
        except FixturesError as error:
            raise StudyError(
                expected="DuckDB", found=error.found, hint="pip install 'pytest-lockin[tpcds]'"
            ) from error
        return tuple(Rows(build_frames(each, profile), kept=True) for each in made)

    @cached_property
    def linker(self) -> Linker:
        """Links edits to the task's obligations."""
        return Linker(self.statement, self.schemas, self.obligations)

    @cached_property
    def edits(self) -> tuple[Any, ...]:
        """Every variant of the statement, as an edit."""
        variants = make_variants(self.statement, self.schemas)
        return tuple(read_variant(self.base, each) for each in variants)

    def run(self, sql: str, rows: Rows) -> Frame | None:
        """Run a statement in Spark's SQL; None where it raises or cannot be translated."""
        key = (sql, rows)
        if key in self._answers:
            return self._answers[key]
        duck = self._translate(sql)
        frame = rows.ask(duck) if duck is not None else None
        if rows.kept:
            self._answers[key] = frame
        return frame

    def _translate(self, sql: str) -> str | None:
        if sql not in self._duck:
            import sqlglot

            try:
                self._duck[sql] = sqlglot.transpile(sql, read="spark", write="duckdb")[0]
            except sqlglot.errors.SqlglotError:
                self._duck[sql] = None
        return self._duck[sql]


def read_cells(frame: Frame) -> Cells:
    """Give a result's rows as text; equal numbers read the same, whatever their types."""
    columns = [[_write(cell) for cell in each] for each in read_content(frame).columns]
    return tuple(zip(*columns, strict=True)) if columns else ()


def _write(cell: Any) -> str:
    if cell is None:
        return NULL
    if isinstance(cell, (int, float, Decimal)):
        return f"{float(cell):.7g}"
    return str(cell)


def read_names(frame: Frame) -> tuple[str, ...]:
    """Give a result's column names, in lower case."""
    return tuple(name.lower() for name in frame.names)


class CheckLab:
    """A `Lab` whose suite is a list of checks."""

    def __init__(self, world: World, cases: Sequence[CaseSpec]) -> None:
        self._world, self._cases = world, cases

    @property
    def inputs(self) -> Mapping[str, Sequence[Rows]]:
        """The small database of each case."""
        return {case.name: (self._world.datasets[case.dataset],) for case in self._cases}

    def run(self, sql: str, tables: Rows) -> Frame | None:
        """Run a statement on a database."""
        return self._world.run(sql, tables)

    def reject(self, program: Program) -> frozenset[str]:
        """Give the cases whose check a program does not pass."""
        return frozenset(case.name for case in self._cases if not self._passes(case, program))

    def _passes(self, case: CaseSpec, program: Program) -> bool:
        frame = program(self._world.datasets[case.dataset])
        return frame is not None and case.check.holds(read_names(frame), read_cells(frame))

    def sharpen(self, tables: Rows, columns: Sequence[str], most: int) -> Iterator[tuple[str, Rows]]:
        """Change one cell of these columns after the other."""
        for name, frame in tables.frames.items():
            for said, edited in edit_cells(frame, columns, most):
                yield f"in {name}, {said}", Rows({**tables.frames, name: edited})


def answer_record(record: Record, world: World) -> Answer:
    """Diagnose a record: which obligations its program violates, and why its suite did not notice."""
    inputs = _choose_inputs(record, world)
    outputs = {name: world.run(record.program, rows) for name, rows in inputs.items()}
    edits = (*world.edits, *make_misreadings(world.base, world.schemas, record.program))
    suspect = Suspect(base=world.base, edits=edits, outputs=outputs, source=record.program)
    found = diagnose(suspect, lambda sql, name: world.run(sql, inputs[name]), world.linker, engine="duckdb")
    evidence = _gather(record, world, found)
    seen = Seen(found=found, plan=record.plan, evidence=evidence)
    findings = {each.id: each for each in conclude_findings(world.obligations, seen)}
    broken = [findings[name] for name in found.diagnosis.broken if name in findings]
    return Answer(found=tuple((each.id, str(each.mechanism or "")) for each in broken))


def _choose_inputs(record: Record, world: World) -> dict[str, Rows]:
    """Choose databases on which program and reference differ, some on which they do not, and the cases'."""
    apart: list[int] = []
    same: list[int] = []
    for number, rows in enumerate(world.datasets):
        mine, theirs = world.run(world.base, rows), world.run(record.program, rows)
        # A LIMIT that is reached may cut a tie, and then rows differ from run to run.
        if mine is not None and theirs is not None and max(mine.rows, theirs.rows) < world.limit:
            different = measure_distance(read_content(mine), read_content(theirs)) > 0
            (apart if different else same).append(number)
    full = sorted(same, key=lambda number: -_count_rows(world, number))
    chosen = [*apart[:_TOLD_ON], *full[:_SAME_ON], *(case.dataset for case in record.cases)]
    return {f"rows {number}": world.datasets[number] for number in dict.fromkeys(chosen)}


def _count_rows(world: World, number: int) -> int:
    frame = world.run(world.base, world.datasets[number])
    return frame.rows if frame is not None else 0


def _gather(
    record: Record, world: World, found: Found
) -> tuple[tuple[Violation, tuple[CaseEvidence, ...]], ...]:
    violations = [each for each in list_violations(found) if each.obligation]
    if not violations or not found.diagnosis.explained or found.pair is None:
        return ()
    prober = Prober(world.base, found, found.pair, CheckLab(world, record.cases))
    return tuple((each, prober.gather(each)) for each in violations)


__all__ = ["CheckLab", "Rows", "World", "answer_record", "read_cells", "read_names"]

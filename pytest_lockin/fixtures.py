"""Fixtures of tasks from end to end: variants, small databases, plain runs, files.

Beside the pipeline, for `lockin fixtures`: it needs several stages at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.alternatives.variants import make_variants
from pytest_lockin.fixturegen.build import Making, build_fixtures
from pytest_lockin.fixturegen.confirm import Confirmation
from pytest_lockin.fixturegen.equivalence import Prover
from pytest_lockin.fixturegen.lock import make_seal, write_fixtures
from pytest_lockin.fixturegen.make import make_datasets
from pytest_lockin.fixturegen.merge import link_columns
from pytest_lockin.fixturegen.profile import make_profile
from pytest_lockin.fixturegen.tables import build_frames
from pytest_lockin.frames import limit_cuts_tie
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.agreement import OrderDiffers
from pytest_lockin.model.messages import ProgramRaised, RunProgram, TableFile
from pytest_lockin.model.rules import Rules
from pytest_lockin.references.compare import agree_parts
from pytest_lockin.references.order import read_ending
from pytest_lockin.sql import read_statement

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from pytest_lockin.fixturegen.build import Made
    from pytest_lockin.fixturegen.evaluate import Programs
    from pytest_lockin.fixturegen.lock import Seal
    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.model.agreement import Agreement
    from pytest_lockin.model.fixture import Dataset, Profile
    from pytest_lockin.model.messages import ProgramReturned
    from pytest_lockin.model.task import Task
    from pytest_lockin.references.order import Ending
    from pytest_lockin.references.run import Parts, ProgramRunner

_KEPT = 1 << 40
# A program on twenty rows takes milliseconds; a variant without its join condition stays small too.
_RUN_LIMIT = 60.0


class PlainRuns:
    """Runs a task's reference and variants one by one on an engine, and compares as a verdict does."""

    def __init__(self, runner: ProgramRunner, profile: Profile, reference: str) -> None:
        self._runner = runner
        self._profile = profile
        self._ending = read_ending(reference)
        self._store = FrameStore(runner.folder, _KEPT)

    def __call__(self, dataset: Dataset, programs: Programs, names: Collection[str]) -> Confirmation:
        """Say how the reference and the named variants compare on a dataset."""
        tables = self._keep(dataset)
        bench = _Bench(self._runner, tables, self._ending)
        unfit = bench.take_reference(programs)
        if unfit:
            return Confirmation(unfit=unfit)
        differs: dict[str, str] = {}
        raised: dict[str, str] = {}
        for name in sorted(names):
            outcome = bench.try_variant(programs, name)
            if isinstance(outcome, ProgramRaised):
                raised[name] = f"{outcome.type}: {outcome.message}"
            elif outcome:
                differs[name] = outcome
        return Confirmation(differs=differs, raised=raised, rows=bench.rows)

    def _keep(self, dataset: Dataset) -> tuple[TableFile, ...]:
        frames = build_frames(dataset, self._profile)
        wanted = self._ending.tables
        return tuple(
            TableFile(name=name, path=str(self._store.path(self._store.keep(frame).digest)))
            for name, frame in frames.items()
            if name.lower() in wanted
        )


class _Bench:
    """One dataset's runs."""

    def __init__(self, runner: ProgramRunner, tables: tuple[TableFile, ...], ending: Ending) -> None:
        self._runner = runner
        self._tables = tables
        self._ending = ending
        self._rules = Rules(order=ending.keys)
        self._expected: Parts = ()
        self._sequence: Parts = ()
        self._pool: Frame | None = None
        self.rows = 0

    def _run(self, sql: str, *, shuffled: bool = False) -> Parts | ProgramRaised:
        request = RunProgram(kind="sql", text=sql, tables=self._tables, shuffled=shuffled)
        answer: ProgramReturned | ProgramRaised = self._runner.run(request, _RUN_LIMIT)
        return answer if isinstance(answer, ProgramRaised) else self._runner.load(answer)

    def take_reference(self, programs: Programs) -> str:
        """Run the reference, twice; say why it decides nothing here, or ""."""
        sql = programs.reference.sql
        first = self._run(sql)
        if isinstance(first, ProgramRaised):
            return f"the reference raises {first.type}: {first.message}"
        self._expected = first
        self.rows = first[0][1].rows
        again = self._run(sql, shuffled=True)
        if isinstance(again, ProgramRaised) or not self._agree(again).agrees:
            return "the reference is not stable on it"
        if self._is_cut():
            return "the reference's LIMIT cuts a tie on it"
        if programs.sequence is not None:
            ordered = self._run(programs.sequence.sql)
            self._sequence = () if isinstance(ordered, ProgramRaised) else ordered
        return ""

    def _is_cut(self) -> bool:
        ending = self._ending
        if ending.limit is None or self.rows < ending.limit or not ending.complete:
            return False
        whole = self._run(ending.unlimited)
        return not isinstance(whole, ProgramRaised) and limit_cuts_tie(whole[0][1], ending.keys, ending.limit)

    def _agree(self, found: Parts) -> Agreement:
        return agree_parts(self._expected, found, self._rules)

    def try_variant(self, programs: Programs, name: str) -> ProgramRaised | str:
        """Run a variant; say how it differs, "" where it does not, or what it raised."""
        found = self._run(programs.statements[name])
        if isinstance(found, ProgramRaised):
            return found
        agreement = self._agree(found)
        if not agreement.agrees:
            return f"{agreement.category} differ" if agreement.category else "differs"
        if any(isinstance(each, OrderDiffers) for each in agreement.differences):
            return "order differs"
        return self._try_order(programs, name)

    def _try_order(self, programs: Programs, name: str) -> str:
        """Run a variant's worst legal order, as rows of (place, sort keys)."""
        sequence = programs.sequences.get(name)
        if sequence is None or not self._sequence:
            return ""
        found = self._run(sequence.sql)
        if isinstance(found, ProgramRaised):
            return ""
        return "" if agree_parts(self._sequence, found, Rules()).agrees else "order may differ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A task and the statement that is its reference."""

    task: Task
    reference: str

    @property
    def schemas(self) -> dict[str, dict[str, str]]:
        """Table -> column -> type."""
        return {
            table.name: {column.name: column.type for column in table.columns} for table in self.task.tables
        }


def prepare(
    source: Source, runner: ProgramRunner, say: Callable[[str], None] = lambda _: None
) -> tuple[Making, Seal]:
    """Make variants and small databases of a task; what is left is to choose."""
    profile = make_profile(source.task)
    statement = read_statement(source.reference, source.schemas)
    variants = make_variants(source.reference, source.schemas)
    datasets = make_datasets(source.reference, profile)
    making = Making(
        task=source.task.id,
        profile=profile,
        reference=source.reference,
        variants=variants,
        datasets=datasets,
        confirm=PlainRuns(runner, profile, source.reference),
        links=link_columns(statement),
        prove=Prover(source.reference, profile).prove,
        say=say,
    )
    return making, make_seal(profile, source.reference)


def build_task(
    source: Source, runner: ProgramRunner, folder: Path, say: Callable[[str], None] = lambda _: None
) -> Made:
    """Make a task's fixtures and write them, locked."""
    making, seal = prepare(source, runner, say)
    made = build_fixtures(making)
    write_fixtures(folder, source.task.id, made.fixtures, made.standings, seal)
    return made

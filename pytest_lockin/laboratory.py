"""Where an explained candidate's stand-ins are run: on the rows its cases saw, and in its suite.

Statements run in the references' own process; the suite in a worker whose entry point is a stub that asks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.engines.entry import table_named
from pytest_lockin.engines.serve import NO_CAP
from pytest_lockin.errors import FrameError, LockinError
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.frames.store import read_frame
from pytest_lockin.model.messages import (
    AskReference,
    ProgramRaised,
    ProgramReturned,
    RunProgram,
    TableFile,
)
from pytest_lockin.model.suite import Outcome, Returned
from pytest_lockin.obligations.wreck import edit_cells
from pytest_lockin.references.agree import CandidateRuns
from pytest_lockin.references.answer import describe_tables
from pytest_lockin.suite.drive import SuiteSession, run_pass
from pytest_lockin.suite.jobs import make_job

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.judging import Bench
    from pytest_lockin.model.baseline import Baseline
    from pytest_lockin.model.suite import Argument, Observation, SuiteRun
    from pytest_lockin.model.task import Task
    from pytest_lockin.obligations.gather import Program
    from pytest_lockin.references.load import Panel, Reference

    Tables = tuple[TableFile, ...]

_MOST_INPUTS = 12


class SuiteLab:
    """A `Lab` on one engine for one suite; `close` ends its worker."""

    def __init__(
        self, bench: Bench, baseline: Baseline, panel: Panel, task: Task | None, reference: Reference
    ) -> None:
        self._bench, self._baseline, self._suite = bench, baseline, baseline.live.suite
        self._runner = bench.runner(baseline.engine)
        self._schemas = describe_tables(panel, task, reference)
        self._words = frozenset(re.findall(r"\w+", reference.text.lower()))
        self._known = [*(table.name for table in (task.tables if task else ())), *dict(panel.tables)]
        self._exchange = bench.workshop.folder / "exchange" / f"{self._suite.id.replace('/', '_')}-stand-in"
        self._store = FrameStore(self._exchange, NO_CAP)
        self._edited = FrameStore(bench.secrets / "edited", NO_CAP)
        self._session: SuiteSession | None = None
        self._answers: dict[tuple[str, Tables], Frame | None] = {}
        self.outputs: dict[Tables, Frame] = {}
        self._inputs = self._find_inputs()

    def close(self) -> None:
        """End the suite's worker."""
        if self._session is not None:
            self._session.finish()

    # What the cases saw.

    @property
    def inputs(self) -> Mapping[str, Sequence[Tables]]:
        """What each green case was seen to give the entry point."""
        return self._inputs

    def _find_inputs(self) -> dict[str, list[Tables]]:
        found: dict[str, list[Tables]] = defaultdict(list)
        runs = [run for run in self._baseline.live.runs if run.engine == self._baseline.engine]
        green = set(self._baseline.green_cases)
        for run in runs:
            seen = {each.number: each for each in run.observations}
            for case in run.cases:
                for number in case.observations:
                    tables = self._tables(run, seen[number].arguments) if number in seen else None
                    if case.case_id in green and tables and tables not in found[case.case_id]:
                        found[case.case_id].append(tables)
                        self._remember(run, seen[number], tables)
        return dict(found)

    def _tables(self, run: SuiteRun, arguments: Iterable[Argument]) -> Tables | None:
        arguments = tuple(arguments)
        if not arguments or not all(each.frame.kept for each in arguments):
            return None
        try:
            return self._find_files(FrameStore(Path(run.store), 0), arguments)
        except FrameError:
            return None

    def _find_files(self, store: FrameStore, arguments: Iterable[Argument]) -> Tables:
        """Find the tables that a worker named; its names are not trusted.

        Raises:
            FrameError: one is no stored table of this folder.
        """
        return tuple(
            TableFile(name=self._name(each), path=str(store.checked(each.frame))) for each in arguments
        )

    def _name(self, argument: Argument) -> str:
        return argument.key or table_named(argument.parameter, self._known) or argument.parameter

    def _remember(self, run: SuiteRun, seen: Observation, tables: Tables) -> None:
        """Keep what the candidate returned there: it need not run again."""
        if not isinstance(seen.outcome, Returned) or len(seen.outcome.parts) != 1:
            return
        try:
            self.outputs[tables] = FrameStore(Path(run.store), 0).load(seen.outcome.parts[0][1])
        except LockinError:
            return

    def list_telling(self) -> dict[str, Tables]:
        """Name the inputs that references can be compared on: recorded output, no column made up."""
        named = {f"rows {number}": tables for number, tables in enumerate(self.outputs, start=1)}
        return dict(list(named.items())[:_MOST_INPUTS])

    # Running.

    def run(self, sql: str, tables: Tables) -> Frame | None:
        """Run a statement on tables in the references' process; None where it raises."""
        return self._run(sql, tables, complete=True)

    def run_exactly(self, sql: str, tables: Tables) -> Frame | None:
        """Run a statement; None also where it reads a column that the tables lack."""
        return self._run(sql, tables, complete=False)

    def _run(self, sql: str, tables: Tables, *, complete: bool) -> Frame | None:
        key = (f"{sql}\n{complete}", tables)
        if key not in self._answers:
            request = RunProgram(kind="sql", text=sql, tables=tables, schemas=self._schemas)
            answer = self._runner.run(request)
            made_up = isinstance(answer, ProgramReturned) and any(map(self._mentions, answer.completed))
            useless = isinstance(answer, ProgramRaised) or (made_up and not complete)
            self._answers[key] = None if useless else self._load(answer)
        return self._answers[key]

    def _mentions(self, completed: str) -> bool:
        return "." in completed and completed.rpartition(".")[2].lower() in self._words

    def _load(self, answer: ProgramReturned | ProgramRaised) -> Frame | None:
        if isinstance(answer, ProgramRaised):
            return None
        try:
            return self._runner.load(answer)[0][1]
        except FrameError:
            return None

    def sharpen(self, tables: Tables, columns: Sequence[str], most: int) -> Iterator[tuple[str, Tables]]:
        """Change one cell of these input columns after the other."""
        for place, table in enumerate(tables):
            try:
                frame = read_frame(Path(table.path))
            except FrameError:
                continue
            for said, edited in edit_cells(frame, columns, most):
                path = self._edited.path(self._edited.keep(edited).digest)
                changed = replace(table, path=str(path))
                yield f"in {table.name}, {said}", (*tables[:place], changed, *tables[place + 1 :])

    def run_candidate(self, inputs: Mapping[str, Tables]) -> dict[str, Frame | None]:
        """Run the candidate on inputs, in a worker of its own that sees copies; None where it raises."""
        if not inputs:
            return {}
        shared = tuple(dict.fromkeys(each for tables in inputs.values() for each in tables))
        with CandidateRuns(
            self._bench.workshop,
            self._suite,
            self._baseline.engine,
            self._bench.data,
            shared=shared,
            conf=self._baseline.live.static_conf,
        ) as runs:
            return {name: _first_part(runs, tables) for name, tables in inputs.items()}

    # The suite.

    def reject(self, program: Program) -> frozenset[str]:
        """Run the suite with a program in the candidate's place; give the green cases that fail."""
        session = self._open()
        session.answer = lambda question: self._answer(program, question)
        run = run_pass(session)
        if run.errors:
            self._session = None
            session.kill()
            raise LockinError(
                expected="the suite to run with a stand-in", found=run.errors[0], hint="run it once more"
            )
        ended = {each.case_id: each.outcome for each in run.cases}
        red = (Outcome.FAILED, Outcome.ERROR)
        return frozenset(case for case in self._baseline.green_cases if ended.get(case) in red)

    def _open(self) -> SuiteSession:
        if self._session is None:
            engine = self._bench.workshop.engine(self._baseline.engine, conf=self._baseline.live.static_conf)
            job = make_job(self._bench.world, self._suite, engine, self._exchange, observe="none", stub=True)
            self._session = SuiteSession(self._bench.workshop, job, limit=self._bench.settings.timeout)
        return self._session

    def _answer(self, program: Program, question: AskReference) -> ProgramReturned | ProgramRaised:
        try:
            frame = program(self._find_files(self._store, question.arguments))
        except FrameError as error:
            return ProgramRaised(type=type(error).__name__, message=error.one_line)
        if frame is None:
            return ProgramRaised(type="StandInError", message="the stand-in cannot run on these tables")
        return ProgramReturned(parts=(("", self._store.keep(frame)),))


def _first_part(runs: CandidateRuns, tables: Tables) -> Frame | None:
    try:
        found = runs.run(tables)
    except FrameError:
        return None
    return None if isinstance(found, ProgramRaised) else found[0][1]


__all__ = ["SuiteLab"]

"""Is the candidate right? Data and frozen fixtures put to references and candidate, engine after engine.

Puts together what `references` and `fixturegen` bring; has no rule of its own.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_lockin.errors import FixturesError, LockinError
from pytest_lockin.fixturegen.freeze import load_fixtures
from pytest_lockin.fixturegen.lock import check_lock
from pytest_lockin.fixturegen.profile import make_profile
from pytest_lockin.fixturegen.tables import keep_tables
from pytest_lockin.model.agreement import FixtureFinding, Judgement
from pytest_lockin.references.agree import CandidateRuns
from pytest_lockin.references.run import ProgramRunner
from pytest_lockin.references.vet import Vetted, tables_for, vet_panel
from pytest_lockin.witnessing import find_witness

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lockin.model.baseline import Baseline
    from pytest_lockin.model.fixture import Dataset, Fixture, Profile
    from pytest_lockin.model.task import Task
    from pytest_lockin.references.load import Panel
    from pytest_lockin.settings import Settings
    from pytest_lockin.suite.jobs import SuiteWorld
    from pytest_lockin.workshop import Workshop


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """A task's fixtures, as far as they are to be used, and what data is legal for the task."""

    profile: Profile
    fixtures: tuple[Fixture, ...]


class Bench:
    """What suites share while they are examined: reference processes, and panels vetted once per engine."""

    def __init__(self, settings: Settings, workshop: Workshop, world: SuiteWorld) -> None:
        self.settings = settings
        self.workshop = workshop
        self.world = world
        self.secrets = workshop.folder / "references"
        self.data = workshop.folder / "data"
        self.fixture_store = self.secrets / "fixtures"
        self._runners: dict[str, ProgramRunner] = {}
        self._vetted: dict[tuple[str, str, str], Vetted] = {}
        self._frozen: dict[Task, Frozen | None] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def runner(self, engine: str) -> ProgramRunner:
        """The references' own process on this engine."""
        with self._lock:
            if engine not in self._runners:
                self._runners[engine] = ProgramRunner(self.workshop, engine, self.secrets / engine)
            return self._runners[engine]

    def vetted(self, panel: Panel, task: Task | None, engine: str, fixture: str = "") -> Vetted:
        """The panel's vetting on this engine, done once however many suites share the task.

        `fixture` names the one whose tables the panel holds, "" for the data.
        """
        with self._lock:
            lock = self._locks.setdefault(panel.task_id, threading.Lock())
        with lock:
            key = (panel.task_id, engine, fixture)
            if key not in self._vetted:
                looking = (panel.task_id, self.workshop.looking_engine, fixture)
                thorough = engine == self.workshop.looking_engine or looking not in self._vetted
                self._vetted[key] = vet_panel(
                    panel, task, self.runner(engine), thorough=thorough, may_be_empty=bool(fixture)
                )
            return self._vetted[key]

    def vetted_on(
        self, fixture: Fixture, profile: Profile, panel: Panel, task: Task | None, engine: str
    ) -> Vetted:
        """The panel's vetting on a fixture, done once.

        Raises:
            FixturesError: no reference is a program, or a column's type cannot be made.
        """
        there = panel_on(panel, fixture.to_dataset(), profile, self.fixture_store)
        return self.vetted(there, task, engine, fixture.name)

    def frozen(self, task: Task | None) -> Frozen | None:
        """The task's frozen fixtures, read once; None where there are none, or they are not to be used.

        Raises:
            FixturesError: they are damaged, or not as they were locked.
        """
        if task is None:
            return None
        with self._lock:
            if task not in self._frozen:
                self._frozen[task] = self._load_frozen(task)
            return self._frozen[task]

    def _load_frozen(self, task: Task) -> Frozen | None:
        folder = self.settings.fixtures_folder
        if folder is None or self.settings.fixtures == "off":
            return None
        found = load_fixtures(folder, task.id)
        wanted = tuple(each for each in found if self.settings.fixtures == "all" or not each.post_hoc)
        if not wanted:
            return None
        problems = [each for each in check_lock(folder) if each.startswith((f"{task.id}:", f"{task.id}/"))]
        if problems:
            raise FixturesError(
                expected=f"the fixtures of {task.id} as they were locked",
                found=problems[0],
                hint="undo the change, or make them again with `lockin fixtures build`",
            )
        return Frozen(profile=make_profile(task), fixtures=wanted)

    def close(self) -> None:
        """End the reference processes."""
        for runner in self._runners.values():
            runner.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the last engine asked said of the candidate, on the data and on each fixture."""

    judgement: Judgement
    vetted: Vetted
    fixtures: tuple[FixtureFinding, ...] = ()


def judge_suite(
    bench: Bench, baseline: Baseline, panel: Panel, task: Task | None, frozen: Frozen | None
) -> Judged:
    """Agreement on the engine that looks, then on the judge: its word stands."""
    judging = bench.workshop.judging_engine
    engines = [baseline.engine, *([judging] if judging and judging != baseline.engine else [])]
    judged = Judged(
        judgement=Judgement(engine=baseline.engine, agreement=None),
        vetted=Vetted(panel=panel, engine=baseline.engine),
    )
    for engine in engines:
        with bench.workshop.lease(engine):
            vetted = bench.vetted(panel, task, engine)
            if vetted.unfit:
                return replace(judged, vetted=vetted)
            judged = _judge_on(bench, baseline, vetted, task, frozen)
    return judged


def _judge_on(
    bench: Bench, baseline: Baseline, vetted: Vetted, task: Task | None, frozen: Frozen | None
) -> Judged:
    suite, conf = baseline.live.suite, baseline.live.static_conf
    tables = tables_for(vetted.panel, task)
    with CandidateRuns(bench.workshop, suite, vetted.engine, bench.data, shared=tables, conf=conf) as runs:
        judgement, _ = runs.judge(vetted, task)
        findings: tuple[FixtureFinding, ...] = ()
        if frozen is not None and task is not None and judgement.agreement is not None:
            asking = _Asking(bench, vetted, task, frozen.profile, runs)
            findings = tuple(asking.judge(fixture) for fixture in frozen.fixtures)
            findings = asking.add_witness(findings, frozen.fixtures)
    return Judged(judgement=judgement, vetted=vetted, fixtures=findings)


class _Asking:
    """One candidate and its references on small databases, on one engine."""

    def __init__(
        self, bench: Bench, vetted: Vetted, task: Task, profile: Profile, runs: CandidateRuns
    ) -> None:
        self._bench = bench
        self._vetted = vetted
        self._task = task
        self._profile = profile
        self._runs = runs

    def judge(self, fixture: Fixture) -> FixtureFinding:
        finding = FixtureFinding(
            name=fixture.name,
            purpose=fixture.purpose,
            engine=self._vetted.engine,
            post_hoc=fixture.post_hoc,
        )
        try:
            vetted = self._bench.vetted_on(
                fixture, self._profile, self._vetted.panel, self._task, self._vetted.engine
            )
            if vetted.unfit:
                return replace(finding, dropped=vetted.unfit)
            judgement, _ = self._runs.judge(vetted, self._task)
        except LockinError as error:
            return replace(finding, dropped=error.one_line)
        return replace(finding, agreement=judgement.agreement, dropped=judgement.reason)

    def add_witness(
        self, findings: tuple[FixtureFinding, ...], fixtures: tuple[Fixture, ...]
    ) -> tuple[FixtureFinding, ...]:
        """Show the smallest of the fixtures that accuse, shrunk where that can be afforded."""
        sizes = {each.name: sum(len(table.rows) for table in each.tables) for each in fixtures}
        accusing = [each for each in findings if each.agreement is not None and not each.agreement.agrees]
        if not accusing:
            return findings
        shown = min(accusing, key=lambda each: (each.post_hoc, sizes[each.name]))
        fixture = next(each for each in fixtures if each.name == shown.name)
        witness = find_witness(
            fixture.to_dataset(),
            self._profile,
            self._vet_quickly,
            self._runs,
            self._task,
            # A run on classic Spark takes half a second, and shrinking a hundred of them.
            shrink=self._vetted.engine != "spark",
        )
        return tuple(replace(each, witness=witness) if each is shown else each for each in findings)

    def _vet_quickly(self, dataset: Dataset) -> Vetted:
        panel = panel_on(self._vetted.panel, dataset, self._profile, self._bench.fixture_store)
        return vet_panel(
            replace(panel, references=panel.references[:1]),
            self._task,
            self._bench.runner(self._vetted.engine),
            thorough=False,
            may_be_empty=True,
        )


def panel_on(panel: Panel, dataset: Dataset, profile: Profile, store: Path) -> Panel:
    """The panel with a dataset's tables in place of the data's; stored outputs say nothing of them.

    Raises:
        FixturesError: no reference is a program, or a column's type cannot be made.
    """
    programs = tuple(each for each in panel.references if each.kind != "stored")
    if not programs:
        raise FixturesError(
            expected="a reference that is a program",
            found="stored output only",
            hint="a fixture has no stored output: add reference.sql or reference.py",
        )
    tables = keep_tables(dataset, profile, store)
    return replace(panel, tables=tuple((each.name, each.path) for each in tables), references=programs)


__all__ = ["Bench", "Frozen", "Judged", "judge_suite"]

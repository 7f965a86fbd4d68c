"""One suite's trials from end to end: make alternatives, try them where it is fast, confirm on the judge.

Puts together what the stages `alternatives`, `suite` and `trials` bring; has no rule of its own.
"""

from __future__ import annotations

import ast
import datetime as dt
import importlib.metadata
import platform
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest_lockin
from pytest_lockin.alternatives.kept import keep_mutants
from pytest_lockin.alternatives.neutral import make_control
from pytest_lockin.errors import AlternativesError, LockinError
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.frames.types import short_name
from pytest_lockin.model.report import ProgramFile
from pytest_lockin.model.trial import AlternativeResult, TrialOutcome, TrialSummary
from pytest_lockin.sealing.base import Base
from pytest_lockin.suite.jobs import make_trial_job
from pytest_lockin.suite.observe import candidate_file
from pytest_lockin.suite.reach import takes_more
from pytest_lockin.suite.touched import only_program
from pytest_lockin.suite.trial_worker import TrialWorker
from pytest_lockin.trials import TrialPlan, summarise
from pytest_lockin.trials.cache import TrialCache, take_fingerprint
from pytest_lockin.trials.cases import report_cases
from pytest_lockin.trials.confirm import apply_confirmation, choose_to_confirm
from pytest_lockin.trials.kept import run_kept
from pytest_lockin.trials.plan import spread
from pytest_lockin.trials.since import changed_files, changed_lines, since
from pytest_lockin.trials.waive import FILE_NAME, apply_waivers, load_waivers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_lockin.alternatives import Operator
    from pytest_lockin.model.alternative import Mutant
    from pytest_lockin.model.baseline import Baseline
    from pytest_lockin.model.suite import Observation, StoredFrame, Suite, SuiteRun
    from pytest_lockin.model.trial import CaseReport, Tried
    from pytest_lockin.suite.baseline import Warm
    from pytest_lockin.suite.jobs import SuiteWorld
    from pytest_lockin.trials.run import TrialRun
    from pytest_lockin.workshop import Workshop


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSettings:
    """What the user asked of the trials of every suite.

    Attributes:
        since: only functions changed since this git revision, or "".
        survivors: only alternatives that survived the last run.
        cache: folder where answers are kept, or None to keep none.
        root: the root folder; the waiver file is there.
        base: whose waivers count, where a change is judged by a base.
        operators: others' operators beside ours.
        progress: called with (suite id, done, all, outcome word) as answers come.
    """

    plan: TrialPlan
    since: str = ""
    survivors: bool = False
    cache: Path | None = None
    root: Path = Path()
    base: Base = field(default_factory=Base)
    operators: tuple[Operator, ...] = ()
    progress: Callable[[str, int, int, str], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteTrials:
    """What came of a suite's trials, and the alternatives that were to be tried."""

    summary: TrialSummary
    mutants: tuple[Mutant, ...] = ()


def try_suite(
    workshop: Workshop,
    world: SuiteWorld,
    baseline: Baseline,
    settings: TrialSettings,
    *,
    limit: float,
    warm: Warm | None = None,
) -> SuiteTrials:
    """Try every alternative of a suite's candidate; where that cannot be believed, the refusal says why.

    The worker kept in `warm`, if any, serves the first trials.
    """
    refusal = find_refusal(baseline)
    if refusal:
        return SuiteTrials(summary=TrialSummary(refusal=refusal))
    begun = time.perf_counter()
    try:
        with settings.base.stand_in(settings.root / FILE_NAME) as place:
            waivers = load_waivers(place)
        trials = _SuiteTrials(workshop, world, baseline, settings, limit=limit, warm=warm)
        results, notes = trials.run()
    except _RefusedError as refused:
        return SuiteTrials(summary=TrialSummary(refusal=str(refused)))
    results, waiver_notes = apply_waivers(results, waivers, dt.datetime.now(tz=dt.UTC).date())
    summary = summarise(
        results,
        engine=baseline.engine,
        cases=trials.cases,
        notes=(*notes, *waiver_notes),
        seconds=time.perf_counter() - begun,
    )
    return SuiteTrials(summary=summary, mutants=trials.mutants)


def find_refusal(baseline: Baseline) -> str:
    """Why no trial of this suite could be believed; "" when one can."""
    if baseline.live.partial:
        return "only part of the suite was run"
    if baseline.trouble:
        return baseline.trouble[0]
    if not baseline.counts.green:
        return "the suite does not pass"
    if not baseline.green_cases:
        return "no case passes twice"
    if not baseline.live.observations:
        return "no case calls the entry point"
    return ""


class _RefusedError(Exception):
    """No trial of this suite can be believed."""


class _SuiteTrials:
    def __init__(
        self,
        workshop: Workshop,
        world: SuiteWorld,
        baseline: Baseline,
        settings: TrialSettings,
        *,
        limit: float,
        warm: Warm | None,
    ) -> None:
        self._warm = warm
        self._workshop = workshop
        self._world = world
        self._baseline = baseline
        self._suite = baseline.live.suite
        self._settings = settings
        self._limit = limit
        self._sources = find_sources(baseline)
        self._cached: frozenset[str] = frozenset()
        self.cases: tuple[CaseReport, ...] = ()
        self.mutants: tuple[Mutant, ...] = ()

    def run(self) -> tuple[tuple[AlternativeResult, ...], tuple[str, ...]]:
        engine = self._baseline.engine
        cache = self._cache(engine)
        self.mutants = self._make()
        mutants = spread(self.mutants)
        if self._settings.survivors and cache is not None:
            mutants = tuple(mutant for mutant in mutants if cache.survived_before(mutant.id))
        tried, run = self._try(mutants, engine, cache)
        by_id = {mutant.id: mutant for mutant in mutants}
        results = tuple(self._describe(by_id[name], each, engine) for name, each in tried.items())
        results, notes = self._confirm(results, by_id)
        return results, (*_say_trouble(run), *notes)

    # Making them.

    def _make(self) -> tuple[Mutant, ...]:
        """Every mutant of the candidate, of all its files, in their order."""
        schemas = read_schemas(self._baseline)
        made: list[Mutant] = []
        for name, path in self._sources:
            source = path.read_text(encoding="utf-8")
            try:
                mutants = keep_mutants(
                    self._settings.cache,
                    source,
                    schemas,
                    module=name,
                    function=self._suite.entry_point.function,
                    operators=self._settings.operators,
                )
            except AlternativesError as error:
                raise _RefusedError(error.one_line) from error
            if self._settings.since and self._tests_unchanged():
                mutants = since(mutants, source, changed_lines(path, self._settings.since))
            made += mutants
        return tuple(made)

    def _tests_unchanged(self) -> bool:
        changed = changed_files(Path(self._suite.folder), self._settings.since)
        return only_program(self._suite, changed, [path for _, path in self._sources])

    # Trying them.

    def _try(
        self, mutants: Sequence[Mutant], engine: str, cache: TrialCache | None
    ) -> tuple[dict[str, Tried], TrialRun]:
        plan = self._settings.plan

        controls = self._make_controls() if mutants else ()

        def note(done: int, tried: Tried) -> None:
            if self._settings.progress is not None:
                everything = len(controls) + len(mutants)
                self._settings.progress(self._suite.id, done, everything, str(tried.outcome))

        if engine == "spark":
            # One JVM: a second worker on it would only wait.
            plan = replace(plan, workers=1)
        with self._workshop.lease(engine):
            everything = (*controls, *mutants)
            kept = run_kept(everything, lambda cases: self._worker(engine, cases), plan, cache, note)
        if kept.run.refusal:
            raise _RefusedError(kept.run.refusal)
        for control in controls:
            _refuse_noticed(kept.tried.pop(control.id))
        self._cached = kept.cached - {control.id for control in controls}
        self.cases = self._report_cases(kept.run, cache)
        return kept.tried, kept.run

    def _make_controls(self) -> tuple[Mutant, ...]:
        """One for each file: an edit that does nothing, which no case may notice."""
        made = (make_control(_read(str(path)), name) for name, path in self._sources)
        return tuple(control for control in made if control is not None)

    def _report_cases(self, run: TrialRun, cache: TrialCache | None) -> tuple[CaseReport, ...]:
        """What is known of each case, from this run's controls or an earlier one's."""
        fresh: tuple[CaseReport, ...] = ()
        if run.prepared is not None:
            fresh = report_cases(run.prepared, run.probed, _read(self._suite.path))
        known = {report.case_id: report for report in cache.find_cases()} if cache else {}
        known |= {report.case_id: report for report in fresh}
        if cache is not None and fresh:
            cache.keep_cases(fresh)
        return tuple(known[case] for case in self._baseline.green_cases if case in known)

    def _worker(self, engine: str, cases: tuple[str, ...] = ()) -> TrialWorker:
        spec = self._workshop.engine(engine, conf=self._baseline.live.static_conf)
        job = make_trial_job(self._workshop, self._world, self._suite, spec)
        warm = self._warm.take() if self._warm is not None and engine == self._baseline.engine else None
        wanted = cases or self._baseline.green_cases
        return TrialWorker(self._workshop, job, wanted, limit=self._limit, warm=warm)

    def _cache(self, engine: str) -> TrialCache | None:
        if self._settings.cache is None:
            return None
        versions = [f"{name} {importlib.metadata.version(name)}" for name in ("pyspark", "pyarrow", "pytest")]
        world = [
            engine,
            self._baseline.engine_version,
            pytest_lockin.__version__,
            platform.python_version(),
            str(self._suite.entry_point),
            self._suite.id,
            *versions,
            *self._said_to_pytest(),
        ]
        taken = take_fingerprint(
            Path(self._suite.path),
            self._settings.root,
            [path for _, path in self._sources],
            self._baseline.green_cases,
            world,
            inputs=read_inputs(self._baseline),
            entry_only=self._entry_only(),
        )
        return TrialCache(self._settings.cache, taken)

    def _entry_only(self) -> bool:
        """Whether the suite takes nothing of the candidate but its entry point."""
        test_file = Path(self._suite.path)
        files = [test_file, *test_file.parent.glob("conftest.py")]
        modules = {name for name, _ in self._sources}
        function = self._suite.entry_point.function
        return not any(takes_more(_read(str(path)), modules, function) for path in files)

    def _said_to_pytest(self) -> tuple[str, ...]:
        """What the workers' pytest is told, without the run's own paths; of a settings file, what it says."""
        ini = self._world.ini_file
        inside = ini and Path(ini).is_relative_to(self._settings.root)
        own = str(self._workshop.folder)
        args = (arg for arg in self._world.pytest_args if arg != ini and own not in arg)
        return (*args, _read(ini) if inside else "", self._world.options_json)

    # What came of it.

    def _describe(self, mutant: Mutant, tried: Tried, engine: str) -> AlternativeResult:
        return AlternativeResult(
            id=mutant.id,
            operator=mutant.operator,
            kind=str(mutant.kind) if mutant.kind else "",
            text=mutant.text,
            module=mutant.module,
            line=mutant.site.line,
            column=mutant.site.column,
            end_line=mutant.site.end_line,
            end_column=mutant.site.end_column,
            before=mutant.before,
            after=mutant.after,
            diff=mutant.diff,
            outcome=tried.outcome,
            kill=tried.kill,
            detail=tried.detail,
            engine=engine,
            confirmed=engine == "spark",
            order_only=tried.order_only,
            equivalent=tried.same_plan,
            killers=tried.killers,
            only_killer=tried.killers[0] if self._settings.plan.matrix and len(tried.killers) == 1 else "",
            cached=mutant.id in self._cached,
            seconds=tried.seconds,
        )

    def _confirm(
        self, results: tuple[AlternativeResult, ...], by_id: dict[str, Mutant]
    ) -> tuple[tuple[AlternativeResult, ...], tuple[str, ...]]:
        judge = self._workshop.judging_engine
        plan = self._settings.plan
        chosen = choose_to_confirm(results, plan.confirm)
        if not judge or judge == self._baseline.engine or not chosen:
            return results, ()
        with self._workshop.lease(judge):
            kept = run_kept(
                [by_id[name] for name in chosen],
                lambda cases: self._worker(judge, cases),
                replace(plan, workers=1, probes=False),
                self._cache(judge),
            )
        if kept.run.refusal:
            return results, (f"not confirmed on {judge}: {kept.run.refusal}",)
        results = apply_confirmation(results, kept.tried, judge)
        return results, _say_disagreement(results, judge)


def _refuse_noticed(tried: Tried) -> None:
    """Refuse to count where an edit that does nothing is noticed: then any edit is, whatever it does.

    Raises:
        _RefusedError: it was.
    """
    if tried.outcome not in (TrialOutcome.KILLED, TrialOutcome.CRASHED):
        return
    kill = tried.kill
    how = f"{kill.case_id.rpartition('::')[2]}: {kill.message}" if kill is not None else tried.detail
    message = (
        f"an edit that does nothing is noticed ({how}): the program or its tests look at the program's own "
        "code, so to notice an edit proves nothing"
    )
    raise _RefusedError(message)


def find_sources(baseline: Baseline) -> tuple[tuple[str, Path], ...]:
    """The candidate's files as (module, path): the entry point's, and those of its folder that it imports.

    Of a program that does not lie beside the suite, the entry point's file alone.

    Raises:
        _RefusedError: the entry point's module lies neither beside the suite nor elsewhere below the root.
    """
    suite = baseline.live.suite
    folder = Path(suite.path).parent
    first = candidate_file(suite.entry_point, folder)
    if first is None:
        return ((suite.entry_point.module, _find_elsewhere(suite)),)
    found: dict[str, Path] = {}
    waiting = [(suite.entry_point.module, first)]
    while waiting:
        name, path = waiting.pop(0)
        if name in found:
            continue
        found[name] = path
        waiting += _imports(name, path, folder)
    return tuple(found.items())


def _find_elsewhere(suite: Suite) -> Path:
    """Find a program in the project's other folders, by the import path that pytest's settings made."""
    root = Path(suite.path.removesuffix(suite.id))
    for entry in dict.fromkeys(Path(each or ".").absolute() for each in sys.path):
        found = candidate_file(suite.entry_point, entry) if entry.is_relative_to(root) else None
        if found is not None:
            return found
    message = f"{suite.entry_point.module} lies neither beside the suite nor on the project's import path"
    raise _RefusedError(message)


def read_program(baseline: Baseline, root: Path) -> tuple[ProgramFile, ...]:
    """The candidate's files, paths from `root`; none where its module is not found."""
    try:
        sources = find_sources(baseline)
    except _RefusedError:
        return ()
    return tuple(
        ProgramFile(
            module=name,
            path=path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix(),
            text=_read(str(path)),
        )
        for name, path in sources
    )


def _imports(name: str, path: Path, folder: Path) -> list[tuple[str, Path]]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return []
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".") if package else []
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            names += [module, *(f"{module}.{alias.name}".lstrip(".") for alias in node.names)]
    return [(each, file) for each in names if each and (file := _file_of(each, folder)) is not None]


def _file_of(module: str, folder: Path) -> Path | None:
    path = folder.joinpath(*module.split("."))
    if path.name.startswith("test_") or path.name == "conftest":
        return None
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def read_schemas(baseline: Baseline) -> dict[str, dict[str, str]]:
    """Table -> column -> type, of the tables that the entry point was seen to be given."""
    schemas: dict[str, dict[str, str]] = defaultdict(dict)
    seen: set[tuple[str, str]] = set()
    for run in baseline.live.runs:
        for observation in run.observations:
            for argument in observation.arguments:
                key = argument.table, argument.frame.digest
                if argument.frame.kept and key not in seen:
                    seen.add(key)
                    schemas[argument.table].update(_read_schema(run, argument.frame))
    return dict(schemas)


def read_inputs(baseline: Baseline) -> dict[str, str]:
    """By case what the entry point was given in the ordinary run, as text; "" where that cannot be told.

    Values that have no text of their own, and tables too large to keep, cannot be told.
    """
    found: dict[str, str] = {}
    for run in baseline.live.runs:
        if run.engine != baseline.engine:
            continue
        given = {seen.number: _write_inputs(seen) for seen in run.observations}
        for case in run.cases:
            texts = [given[number] for number in case.observations]
            found[case.case_id] = "" if "" in texts else "|".join(sorted(set(texts)))
    return found


def _write_inputs(seen: Observation) -> str:
    if "?" in seen.others or not all(each.frame.kept for each in seen.arguments):
        return ""
    tables = (f"{each.parameter}.{each.key}={each.frame.digest}" for each in seen.arguments)
    return " ".join((*tables, seen.others))


def _read_schema(run: SuiteRun, stored: StoredFrame) -> dict[str, str]:
    try:
        frame = FrameStore(Path(run.store), 0).load(stored)
    except LockinError:
        return {}
    return {str(field["name"]): short_name(field["type"]) for field in frame.fields}


def _read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def _say_trouble(run: TrialRun) -> tuple[str, ...]:
    not_run = sum(tried.outcome is TrialOutcome.NOT_RUN for tried in run.tried.values())
    spent = (f"{not_run} alternatives were not run: the budget was spent",) if not_run else ()
    return (*run.trouble, *spent)


def _say_disagreement(results: Sequence[AlternativeResult], judge: str) -> tuple[str, ...]:
    number = sum(bool(each.disagreement) for each in results)
    return (f"{number} ended otherwise on {judge}, whose word stands",) if number else ()


__all__ = ["SuiteTrials", "TrialSettings", "find_refusal", "find_sources", "read_schemas", "try_suite"]

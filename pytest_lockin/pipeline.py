"""The stages in order, per suite; no rule of its own.

Baseline, reference, agreement, fidelity, verdict, then one gate. Suites are examined side by side; each
stage takes values and gives values.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest_lockin
from pytest_lockin.alternatives.document import explain_operators
from pytest_lockin.alternatives.registry import list_operators
from pytest_lockin.deciding import mark_undecided
from pytest_lockin.diagnosing import Question, report_diagnosis
from pytest_lockin.errors import DiskError, LockinError
from pytest_lockin.gate import decide_gate, find_findings
from pytest_lockin.gate.known import Known
from pytest_lockin.judging import Bench, judge_suite
from pytest_lockin.model.baseline import count_outcomes
from pytest_lockin.model.report import Fidelity, Report, TaskReport, VerdictKind
from pytest_lockin.references.answer import ReferenceAnswers
from pytest_lockin.references.load import load_panel
from pytest_lockin.reports.fixtures import summarise_witness
from pytest_lockin.righting import Case, mark_right_making
from pytest_lockin.sealing.policy import Policy
from pytest_lockin.sealing.tamper import Before, find_tampering, look_before
from pytest_lockin.suite.baseline import Warm, measure_baseline
from pytest_lockin.suite.fidelity import measure_fidelity
from pytest_lockin.suite.touched import is_touched
from pytest_lockin.taskbank.loader import load_task
from pytest_lockin.trials import TrialPlan
from pytest_lockin.trials.since import changed_files
from pytest_lockin.trying import SuiteTrials, TrialSettings, read_program, try_suite
from pytest_lockin.verdict import conclude, describe_baseline, find_doubt, unverified

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_lockin.alternatives.base import Operator
    from pytest_lockin.model.alternative import OperatorText
    from pytest_lockin.model.baseline import Baseline
    from pytest_lockin.model.isolation import Isolation
    from pytest_lockin.model.suite import LiveResult
    from pytest_lockin.model.task import Task
    from pytest_lockin.model.trial import TrialSummary
    from pytest_lockin.references.load import Panel
    from pytest_lockin.sealing.base import Base
    from pytest_lockin.settings import Settings
    from pytest_lockin.suite.jobs import SuiteWorld
    from pytest_lockin.workshop import Workshop


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What the ordinary pytest run leaves for the stages.

    Attributes:
        results: one per suite.
        without_task: test files that match `lockin_suites` and have no task.
        task_errors: (suite id, reason) for task files that cannot be read.
        in_process: suites ran in pytest's own process (a debugger): nothing is concluded.
        operators: operators of alternatives that other plugins add.
        ini_in_suite: pytest's settings file lies in a suite's folder: nothing is believed.
        cache: folder where answers of trials are kept between runs, or "".
        progress: called with (suite id, done, all, outcome) as answers of trials come, from any thread.
        before: by suite id how its files were before anything of it ran.
        policy: what was compared with the base that a change is judged by.
        known: findings that were there before.
    """

    settings: Settings
    results: tuple[LiveResult, ...]
    without_task: tuple[str, ...] = ()
    task_errors: tuple[tuple[str, str], ...] = ()
    in_process: bool = False
    ini_in_suite: bool = False
    root: str = ""
    operators: tuple[Operator, ...] = ()
    cache: str = ""
    progress: Callable[[str, int, int, str], None] | None = None
    before: tuple[tuple[str, Before], ...] = ()
    policy: Policy = field(default_factory=Policy)
    known: Known = field(default_factory=Known)


def examine(examination: Examination, workshop: Workshop, world: SuiteWorld) -> Report:
    """Examine every suite and decide the gate."""
    begun = time.perf_counter()
    settings = examination.settings
    befores = _before(examination, workshop)
    bench = Bench(settings, workshop, world)
    try:
        with ThreadPoolExecutor(max_workers=settings.workers) as threads:
            futures = [
                threads.submit(_examine_suite, bench, live, examination) for live in examination.results
            ]
            try:
                tasks = tuple(future.result() for future in futures)
            except BaseException:
                # Ctrl-C: threads that wait for a worker end with it, and none of them starts another.
                threads.shutdown(wait=False, cancel_futures=True)
                workshop.stop_workers()
                raise
    finally:
        bench.close()
    isolation = workshop.isolation()
    tasks = tuple(
        _with_findings(replace(_without_tampering(task, before), isolated=isolation.isolated), settings)
        for task, before in zip(tasks, befores, strict=True)
    )
    notes = ("run with a debugger: suites ran in pytest's own process and were not examined",)
    return Report(
        version=pytest_lockin.__version__,
        with_references=bool(settings.reference),
        engine=settings.engine,
        java=workshop.java,
        tasks=tasks,
        gate=decide_gate(
            tasks,
            settings,
            findings=_about_the_run(isolation, examination.policy),
            known_before=examination.known,
        ),
        listed=examination.without_task,
        notes=notes if examination.in_process else (),
        seconds=time.perf_counter() - begun,
        isolation=isolation,
        policy=examination.policy.base,
        policy_changes=examination.policy.changes,
        operators=_explain_operators(tasks, examination.operators),
    )


def _explain_operators(
    tasks: tuple[TaskReport, ...], others: tuple[Operator, ...]
) -> tuple[OperatorText, ...]:
    """What the families say that alternatives of this run belong to, so that a report can be read alone."""
    named = {each.operator for task in tasks if task.trials for each in task.trials.alternatives}
    if not named:
        return ()
    return tuple(each for each in explain_operators(list_operators(others)) if each.name in named)


def _with_findings(task: TaskReport, settings: Settings) -> TaskReport:
    return replace(task, findings=find_findings(task, with_references=bool(settings.reference)))


def _about_the_run(isolation: Isolation, policy: Policy) -> tuple[str, ...]:
    changed = tuple(f"policy: {change} (base {policy.base})" for change in policy.changes)
    return (
        *changed,
        *(f"a token planted beside the references was seen: {each}" for each in isolation.leaks),
    )


def _before(examination: Examination, workshop: Workshop) -> tuple[Before, ...]:
    """How suites' files were before: where nobody looked (xdist), as they are now."""
    own = not workshop.sealed
    seen = dict(examination.before)
    suites = [live.suite for live in examination.results]
    return tuple(seen.get(suite.id) or look_before(Path(suite.folder), own=own) for suite in suites)


def _without_tampering(task: TaskReport, before: Before) -> TaskReport:
    """A suite that changed what it is judged by has no verdict."""
    tampered = find_tampering(before)
    if not tampered:
        return task
    task = replace(task, tampered=tampered)
    return unverified(task, f"tampering: {tampered[0]}") if task.verdict is not None else task


def _examine_suite(bench: Bench, live: LiveResult, examination: Examination) -> TaskReport:
    """One suite through all stages; what cannot be known ends `unverified` with the reason."""
    report = TaskReport(id=live.suite.task_id, suite=live.suite.id, engine=live.engine, moved=live.moved)
    try:
        if _is_untouched(live, examination):
            tests = count_outcomes(case.outcome for case in live.told)
            return replace(report, unchanged=examination.settings.trials.since, tests=tests)
        return _run_stages(bench, live, examination, report)
    except LockinError as error:
        return unverified(report, error.one_line)
    except Exception as error:
        if os.environ.get("LOCKIN_DEBUG"):
            raise
        if isinstance(error, OSError) and DiskError.explains(error):
            return unverified(report, DiskError.of(error).one_line)
        reason = f"lockin itself failed: {type(error).__name__}: {error} (LOCKIN_DEBUG=1 shows where)"
        return unverified(report, reason)


def _is_untouched(live: LiveResult, examination: Examination) -> bool:
    """Whether the change since the revision named, if any is, cannot have to do with this suite."""
    settings = examination.settings
    if not settings.trials.since:
        return False
    changed = changed_files(Path(examination.root), settings.trials.since)
    suites = [Path(each.suite.folder) for each in examination.results]
    return not is_touched(live.suite, changed, suites, settings)


def _run_stages(bench: Bench, live: LiveResult, examination: Examination, report: TaskReport) -> TaskReport:
    baseline, trials = _baseline_and_trials(bench, live, examination)
    report = replace(
        describe_baseline(report, baseline), program=read_program(baseline, Path(examination.root))
    )
    if trials is not None:
        report = replace(report, trials=_without_undecided(trials, bench, baseline, examination))
    if not bench.settings.reference:
        return report
    task_error = dict(examination.task_errors).get(live.suite.id, "")
    doubt = find_doubt(baseline, task_error=task_error, ini_in_suite=examination.ini_in_suite)
    if doubt:
        return unverified(report, doubt)
    task = _load_task(baseline, examination.policy.files)
    panel = load_panel(Path(bench.settings.reference), live.suite.task_id)
    report = replace(report, references=tuple(reference.name for reference in panel.references))
    frozen = bench.frozen(task)
    judged = judge_suite(bench, baseline, panel, task, frozen)
    if judged.vetted.unfit:
        return unverified(report, judged.vetted.unfit)
    report = conclude(replace(report, fixtures=judged.fixtures), baseline, judged.judgement)
    if report.verdict is VerdictKind.UNVERIFIED:
        return report
    mutants = trials.mutants if trials is not None else ()
    if report.trials is not None and mutants and report.verdict is VerdictKind.FALSE_PASS:
        case = Case(bench=bench, baseline=baseline, judged=judged, task=task, frozen=frozen)
        marked = mark_right_making(report.trials, mutants, case)
        report = replace(report, trials=marked)
    report = replace(report, fidelity=_fidelity(bench, baseline, panel, task))
    question = Question(
        bench=bench,
        baseline=baseline,
        task=task,
        vetted=bench.vetted(panel, task, baseline.engine),
        frozen=frozen,
        trials=report.trials,
        mutants=mutants,
        witness=_say_witness(report),
    )
    return report_diagnosis(report, question)


def _say_witness(report: TaskReport) -> str:
    """Name the fixture whose rows show what the candidate does wrong."""
    shown = next((each for each in report.fixtures if each.witness is not None), None)
    return f"fixture {shown.name}: {summarise_witness(shown.witness)}" if shown and shown.witness else ""


def _load_task(baseline: Baseline, base: Base) -> Task | None:
    task_file = baseline.live.suite.task_file
    if not task_file:
        return None
    with base.stand_in(Path(task_file), new=True) as place:
        return replace(load_task(place), path=task_file)


def _without_undecided(
    trials: SuiteTrials, bench: Bench, baseline: Baseline, examination: Examination
) -> TrialSummary:
    """Survivors that no fixture tells from the program say nothing of the tests."""
    if not trials.mutants:
        return trials.summary
    try:
        frozen = bench.frozen(_load_task(baseline, examination.policy.files))
    except LockinError:
        # The verdict says so; trials stand without.
        return trials.summary
    if frozen is None:
        return trials.summary
    return mark_undecided(trials.summary, trials.mutants, bench, baseline, frozen)


def _baseline_and_trials(
    bench: Bench, live: LiveResult, examination: Examination
) -> tuple[Baseline, SuiteTrials | None]:
    """What the suite does, and which other programs it accepts; one worker may serve both."""
    warm = Warm()
    wanted = bench.settings.trials.run
    try:
        baseline = measure_baseline(
            bench.workshop,
            bench.world,
            live,
            judging=bench.workshop.judging_engine,
            limit=bench.settings.timeout,
            warm=warm if wanted else None,
        )
        return baseline, _trials(bench, baseline, examination, warm) if wanted else None
    finally:
        warm.close()


def _trials(bench: Bench, baseline: Baseline, examination: Examination, warm: Warm) -> SuiteTrials:
    """Which other programs would these tests have accepted? Before anything of a reference is near them."""
    return try_suite(
        bench.workshop,
        bench.world,
        baseline,
        _trial_settings(bench, examination),
        limit=bench.settings.timeout,
        warm=warm,
    )


def _trial_settings(bench: Bench, examination: Examination) -> TrialSettings:
    asked = bench.settings.trials
    # Suites are examined side by side already: the cores are shared out between them.
    workers = max(1, bench.settings.workers // max(1, len(examination.results)))
    plan = TrialPlan(
        exhaustive=asked.exhaustive,
        matrix=asked.matrix,
        budget=asked.budget,
        workers=workers,
        confirm=asked.confirm,
        probes=asked.matrix,
    )
    return TrialSettings(
        plan=plan,
        since=asked.since,
        survivors=asked.survivors,
        cache=Path(examination.cache) if examination.cache else None,
        root=Path(examination.root),
        base=examination.policy.files,
        operators=examination.operators,
        progress=examination.progress,
    )


def _fidelity(bench: Bench, baseline: Baseline, panel: Panel, task: Task | None) -> Fidelity:
    """The suite with each reference in the candidate's place; cases that reject any are named."""
    programs = [reference for reference in panel.references if reference.kind != "stored"]
    if not programs:
        return Fidelity(reason="stored output only: there is no program to put in the candidate's place")
    if not baseline.live.observations:
        return Fidelity(reason="no case calls the entry point")
    suite = baseline.live.suite
    exchange = bench.workshop.folder / "exchange" / suite.id.replace("/", "_")
    exchange.mkdir(parents=True, exist_ok=True)
    runner = bench.runner(baseline.engine)
    answers = [ReferenceAnswers(panel, task, reference, runner, exchange) for reference in programs]
    with bench.workshop.lease(baseline.engine):
        found = measure_fidelity(
            bench.workshop,
            bench.world,
            suite,
            engine=bench.workshop.engine(baseline.engine, conf=baseline.live.static_conf),
            green_cases=baseline.green_cases,
            exchange=exchange,
            answers=answers,
            limit=bench.settings.timeout,
        )
    completed = dict.fromkeys(name for answer in answers for name in answer.completed)
    return replace(found, completed=tuple(completed))

"""The plugin object: hooks in session order; hands items in, prints lines out, decides nothing of frames."""

from __future__ import annotations

import contextlib
import os
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_lockin.configuring import read_settings
from pytest_lockin.errors import BaselineFileError, LockinError, PolicyError, SandboxError, SettingsError
from pytest_lockin.gate.known import Known, read_known
from pytest_lockin.model.suite import LiveResult
from pytest_lockin.pipeline import Examination, examine
from pytest_lockin.reports.document import make_document
from pytest_lockin.reports.formats import write_formats
from pytest_lockin.reports.isolation import isolation_to_json
from pytest_lockin.reports.jsonfile import write_json
from pytest_lockin.reports.progress import TrialProgress
from pytest_lockin.sealing.base import Base
from pytest_lockin.sealing.lock import make_lock, write_lock
from pytest_lockin.sealing.policy import Policy, compare_policy, read_base
from pytest_lockin.sealing.tamper import Before, look_before
from pytest_lockin.suite.carry import unpack_report
from pytest_lockin.suite.coverage import add_coverage, describe_coverage
from pytest_lockin.suite.drive import SuiteSession, case_run, uncollected
from pytest_lockin.suite.exchange import read_results, write_result
from pytest_lockin.suite.find import SuiteFinder
from pytest_lockin.suite.guard import keep_out_conftests
from pytest_lockin.suite.jobs import SuiteWorld, describe_world, make_job
from pytest_lockin.suite.live import LiveSuite, StaticConf
from pytest_lockin.suite.proxies import SuiteCase, SuiteClass, SuiteModule, cases_after, restore_order
from pytest_lockin.taskbank.loader import load_task
from pytest_lockin.telling import add_to_junit, annotate, print_report, remove_old
from pytest_lockin.workers.sandbox.choose import describe_choice
from pytest_lockin.workshop import Workshop, decide_for

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_lockin.engines.preflight import Finding
    from pytest_lockin.model.messages import Collected, Finished, PhaseDone, Warned
    from pytest_lockin.model.report import Report
    from pytest_lockin.model.suite import Suite
    from pytest_lockin.model.task import Task
    from pytest_lockin.reports.document import Document
    from pytest_lockin.settings import Settings
    from pytest_lockin.workers.sandbox.choose import SandboxChoice

# With fewer, a worker warmed up in advance costs more than the waiting it saves.
_FEW_SUITES = 2
_RUN_DIR = "lockin_run_dir"
_INTERRUPTED = "the run was interrupted: no verdict"


def make_session(config: pytest.Config) -> LockinSession:
    """Read the settings and keep suites' conftests out of this process.

    Raises:
        pytest.UsageError: a setting cannot be used; the message says why.
    """
    try:
        settings = read_settings(config)
        base = read_base(settings.policy, config.rootpath) if settings.policy else Base()
        known = _read_known(settings.baseline, base)
        choice = decide_for(settings)
    except (SettingsError, SandboxError, BaselineFileError, PolicyError) as error:
        raise pytest.UsageError(str(error)) from error

    def read_task(path: Path) -> Task:
        with base.stand_in(path, new=True) as place:
            return load_task(place)

    finder = SuiteFinder(settings, config.rootpath, read_task)
    session = LockinSession(settings, finder, choice, known)
    session.check_policy(base)
    if session.in_process(config) and choice.required:
        message = "--pdb and --trace run suites where the references are known: not with CI=true"
        raise pytest.UsageError(message)
    if not session.in_process(config):
        keep_out_conftests(config.pluginmanager, finder)
    return session


def _read_known(path: Path | None, base: Base) -> Known:
    """What is known from a baseline; of one that the base has not, nothing."""
    if path is None:
        return Known()
    with base.stand_in(path) as place:
        missing = place != path and not place.exists()
        return Known() if missing else read_known(place)


class LockinSession:
    """One pytest session that examines suites. State that hooks share has its home here."""

    def __init__(self, settings: Settings, finder: SuiteFinder, choice: SandboxChoice, known: Known) -> None:
        self._settings = settings
        self._known = known
        self._choice = choice
        self._policy = Policy()
        self._before: dict[str, Before] = {}
        self._finder = finder
        self._lives: dict[str, LiveSuite] = {}
        self._modules: dict[str, SuiteModule] = {}
        self._told: dict[str, dict[str, list[dict[str, Any]]]] = {}
        self._homes: dict[str, str] = {}
        self._trouble: dict[str, list[str]] = {}
        self._running = ""
        self._unwritten: set[str] = set()
        self._workshop: Workshop | None = None
        self._world: SuiteWorld | None = None
        self._report: Report | None = None
        self._document: Document | None = None
        self._failure = ""
        self._progress: TrialProgress | None = None
        self._detail = ""
        self._left_out: set[Path] = set()

    def check_policy(self, base: Base) -> None:
        """Compare what decides a verdict with the base that a change is judged by, where one is named."""
        if base.named:
            is_suites = self._finder.in_suite_folder
            self._policy = compare_policy(self._settings.policy, base.root, is_suites, base)

    # Configuration

    def configure(self, config: pytest.Config) -> None:
        """Remember the configuration; called once, after every plugin has seen it."""
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._distributes = bool(getattr(config.option, "tx", None)) and not self._is_worker
        self._off = self.in_process(config)
        # A change that is judged by a base is not trusted where the references are known.
        self._suites_only = bool(self._settings.policy and self._settings.reference) and not self._off
        # Fixtures say what the reference looks at.
        fixtures = str(self._settings.fixtures_folder or "")
        self._hidden = (*_spellings(self._settings.reference), *_spellings(fixtures))

    @staticmethod
    def in_process(config: pytest.Config) -> bool:
        """Whether suites run in pytest's own process: only for a debugger; nothing is examined then."""
        option = config.known_args_namespace
        return bool(getattr(option, "usepdb", False) or getattr(option, "trace", False))

    @property
    def workshop(self) -> Workshop:
        """The workshop of this process, made when the first suite needs it."""
        if self._workshop is None:
            self._workshop = Workshop(
                self._settings,
                hidden=self._hidden,
                cwd=str(self._config.invocation_params.dir),
                live_output=self._config.option.capture == "no",
                shared=self._shared_folder(),
                choice=self._choice,
            )
        return self._workshop

    def _shared_folder(self) -> Path | None:
        given = getattr(self._config, "workerinput", {}).get(_RUN_DIR)
        return Path(given) if given else None

    @property
    def world(self) -> SuiteWorld:
        """What all workers' pytest is told."""
        if self._world is None:
            measurement = self._measurement()
            self._world = describe_world(
                self._config,
                hidden=self._hidden,
                empty_ini=self.workshop.empty_ini,
                coverage=describe_coverage(measurement) if measurement is not None else None,
            )
        return self._world

    def _measurement(self) -> Any:
        """The coverage measurement that runs in this process: pytest-cov's, or that of `coverage run`."""
        plugin = self._config.pluginmanager.get_plugin("_cov")
        controller = getattr(plugin, "cov_controller", None)
        if controller is not None:
            return controller.cov
        import sys

        if "coverage" not in sys.modules:
            return None
        import coverage

        return coverage.Coverage.current()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell xdist's workers where to leave what they saw."""
        node.workerinput[_RUN_DIR] = str(self.workshop.folder)

    def pytest_report_header(self) -> list[str]:
        """Name the engines in pytest's header, and what of this installation will not work."""
        where = "hidden references" if self._settings.reference else "no references"
        findings = [f"lockin: {each.text}; {each.hint}" for each in self._preflight()]
        return [
            f"lockin: engine {self._settings.engine}, {where}, {describe_choice(self._choice)}",
            *findings,
        ]

    def _preflight(self) -> list[Finding]:
        """Failed checks of the installation; Java matters only where classic Spark may be asked."""
        from pytest_lockin.engines.preflight import check_environment

        java_matters = self._settings.engine in ("auto", "spark")
        failed = [finding for finding in check_environment() if not finding.ok]
        return [each for each in failed if java_matters or not each.slug.startswith("java")]

    def pytest_sessionstart(self) -> None:
        """Remove the last run's report: should this run end without a verdict, none may be read."""
        if self._is_worker or self._config.option.collectonly:
            return
        for name, path in (("json", self._settings.json_file), *self._settings.files):
            if path:
                remove_old(name, path)

    # Collection

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(self, module_path: Path, parent: Any) -> Any:
        """Stand in for a suite's module; every other file is pytest's own business."""
        suite = None if self._off else self._finder.suite_at(module_path)
        return None if suite is None else self._make_module(suite, parent, module_path)

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path, parent: Any) -> Generator[None, list[Any], list[Any]]:
        """Collect a suite whose file name pytest's own patterns would pass over.

        Where a change is judged, what is no suite is left out: it would run where the references are known.
        """
        found = yield
        suite = None if self._off or file_path.suffix != ".py" else self._finder.suite_at(file_path)
        if self._suites_only and suite is None:
            self._left_out |= {file_path} if found else set()
            return []
        if suite is None or parent.session.isinitpath(file_path):
            return found
        if any(file_path.match(pattern) for pattern in self._config.getini("python_files")):
            return found
        return [*found, self._make_module(suite, parent, file_path)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path, parent: Any) -> pytest.Dir | None:
        """Take a suite's folder for a plain one: of a package pytest would run the `__init__.py` here."""
        if self._off or not (self._suites_only or self._finder.in_suite_folder(path / "__init__.py")):
            return None
        return pytest.Dir.from_parent(parent, path=path)

    def pytest_report_collectionfinish(self) -> list[str]:
        """Say what was left out."""
        if not self._left_out:
            return []
        return [f"lockin: left out {len(self._left_out)} test files that are no suites (--lockin-policy)"]

    def _make_module(self, suite: Suite, parent: Any, path: Path) -> SuiteModule:
        module: SuiteModule = SuiteModule.from_parent(
            parent, path=path, suite=suite, ask=self._collect_suite, run_phase=self._run_phase
        )
        self._modules[suite.id] = module
        return module

    def _live(self, suite: Suite) -> LiveSuite:
        if suite.id not in self._lives:
            shop = self.workshop

            def open_session(engine: str, conf: StaticConf) -> SuiteSession:
                job = make_job(self.world, suite, shop.engine(engine, conf=conf), shop.store_of(suite.id))
                return SuiteSession(shop, job)

            self._before[suite.id] = look_before(Path(suite.folder), own=not shop.sealed)
            self._lives[suite.id] = LiveSuite(
                open_session, looking=shop.looking_engine, judging=shop.judging_engine
            )
        return self._lives[suite.id]

    def _collect_suite(self, suite: Suite) -> Collected:
        try:
            collected = self._live(suite).collect()
        except LockinError as error:
            self._trouble.setdefault(suite.id, []).append(error.one_line)
            raise
        self._record_warnings(collected.warnings)
        self._trouble.setdefault(suite.id, []).extend(uncollected(collected))
        return collected

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Report a failed collection in the words the worker's pytest found for it."""
        report = yield
        failure = collector.failure if isinstance(collector, (SuiteModule, SuiteClass)) else ""
        if not failure or not report.passed:
            return report
        told: pytest.CollectReport = unpack_report(self._config, failure)
        told.result = report.result
        return told

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the order that wider fixtures gave the cases in the worker."""
        restore_order(items)

    # Running

    def _run_phase(self, item: SuiteCase, when: str) -> PhaseDone:
        suite = item.suite_module.suite
        live = self._live(suite)
        self._finish_others(suite.id)
        self.workshop.keep_spares(wanted=len(self._modules) > _FEW_SUITES)
        try:
            done = live.run_phase(item.case.id, when, item.next_case)
        except LockinError as error:
            self._trouble.setdefault(suite.id, []).append(f"{item.name}: {error.one_line}")
            raise
        except BaseException:
            # A time-out or Ctrl-C while the worker was busy: it cannot be asked anything any more.
            live.kill()
            self._trouble.setdefault(suite.id, []).append(f"{item.name}: stopped while it ran")
            raise
        self._record_warnings(done.warnings)
        return done

    def _finish_others(self, running: str) -> None:
        """End the workers of the suite that ran before: only one suite is live at a time."""
        if self._running and self._running != running:
            self._finish(self._running)
            self._leave_result()
        self._running = running

    def _leave_result(self) -> None:
        """In xdist's worker: write results as they come, since an ordinary test may end this process."""
        if self._is_worker and self._running in self._unwritten:
            self._unwritten.discard(self._running)
            write_result(self.workshop.shared, self._result(self._running, self._modules[self._running]))

    def _finish(self, suite_id: str) -> None:
        live = self._lives.get(suite_id)
        if live is not None:
            for finished in live.finish():
                self._take_last_words(finished)

    def _take_last_words(self, finished: Finished) -> None:
        self._record_warnings(finished.warnings)
        measurement = self._measurement()
        if finished.coverage and measurement is not None:
            add_coverage(measurement, finished.coverage)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """Tell the case which case of its suite comes next, so that wider fixtures live as usual."""
        if not isinstance(item, SuiteCase):
            return
        following = next(cases_after(item, item.session.items), None)
        if self._is_worker:
            # xdist knows one item ahead only; what it does not tell is torn down at the next setup.
            same = isinstance(nextitem, SuiteCase) and nextitem.suite_module is item.suite_module
            following = nextitem if same else None  # type: ignore[assignment]
        item.next_case = following.case.id if following is not None else ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport | None:
        """Put in the worker's report for a phase; None where the worker has none (it crashed)."""
        if not isinstance(item, SuiteCase):
            return None
        done = item.pending.pop(call.when, None)
        if call.excinfo is not None:
            return _told_in_words(item, call)
        if done is None:
            return None
        hook = item.ihook
        for extra in done.extra_reports:
            report = unpack_report(self._config, extra)
            if report is not None:
                hook.pytest_runtest_logreport(report=report)
        return unpack_report(self._config, done.report)  # type: ignore[no-any-return]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Start each run of a case (a rerun too) with a clean record of what pytest was told."""
        if isinstance(item, SuiteCase):
            suite_id = item.suite_module.suite.id
            self._homes[item.nodeid] = suite_id
            self._told.setdefault(suite_id, {})[item.nodeid] = []
            self._unwritten.add(suite_id)
        else:
            self._leave_result()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Keep what pytest was told about each case; of its sub-tests only the failures count."""
        yield
        told = self._told.get(self._homes.get(report.nodeid, ""), {}).get(report.nodeid)
        if told is None or (hasattr(report, "context") and not report.failed):
            return
        if report.outcome == "rerun":  # type: ignore[comparison-overlap]
            told.clear()
            return
        told.append(_brief(report))

    def _record_warnings(self, warned: tuple[Warned, ...]) -> None:
        for each in warned:
            category = _category(each.category)
            message = warnings.WarningMessage(category(each.message), category, each.filename, each.line)
            self._config.hook.pytest_warning_recorded.call_historic(
                kwargs={
                    "warning_message": message,
                    "when": each.when,
                    "nodeid": each.case_id,
                    "location": None,
                }
            )

    # Ending

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """End the last suite's workers while coverage is still measured."""
        try:
            return (yield)
        finally:
            with contextlib.suppress(LockinError):
                self._finish_others("")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Examine what was seen, write the reports, and let the gate change a zero exit status."""
        try:
            self._conclude(session, int(exitstatus))
            add_to_junit(self._config, self._document, self._failure)
        finally:
            if self._workshop is not None:
                self._workshop.close()

    def _conclude(self, session: pytest.Session, exitstatus: int) -> None:
        for suite_id in self._lives:
            self._finish(suite_id)
        if self._config.option.collectonly:
            return
        if self._is_worker:
            for result in self._results():
                write_result(self.workshop.shared, result)
            return
        if (
            exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
            and not session.shouldfail
        ):
            self._failure = _INTERRUPTED
        elif exitstatus == pytest.ExitCode.USAGE_ERROR:
            self._failure = "pytest could not start: no verdict"
        else:
            self._examine()
        failed = self._failure or (self._report is not None and not self._report.gate.passed)
        if self._failure == _INTERRUPTED:
            session.exitstatus = max(exitstatus, pytest.ExitCode.INTERRUPTED)
        elif failed and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _examine(self) -> None:
        """Run every stage that follows; an error of ours ends without a verdict, never with a pass."""
        try:
            results = read_results(self.workshop.folder) if self._distributes else self._results()
            self._report = examine(
                Examination(
                    settings=self._settings,
                    results=results,
                    without_task=tuple(sorted(set(self._finder.without_task))),
                    task_errors=tuple(
                        (suite_id, error.one_line) for suite_id, error in self._finder.task_errors.items()
                    ),
                    in_process=self._off,
                    ini_in_suite=bool(
                        self._config.inipath and self._finder.in_suite_folder(self._config.inipath)
                    ),
                    root=str(self._config.rootpath),
                    operators=tuple(
                        operator
                        for operators in self._config.hook.pytest_lockin_operators()
                        for operator in operators
                    ),
                    cache=self._cache_folder(),
                    before=tuple(self._before.items()),
                    policy=self._policy,
                    known=self._known,
                    progress=self._start_progress().note,
                ),
                self.workshop,
                self.world,
            )
            if self._settings.json_file:
                write_json(self._report, Path(self._settings.json_file))
            self._document = make_document(self._report)
            write_formats(self._document, [(name, Path(path)) for name, path in self._settings.files])
            if self._settings.lock_file:
                self._write_lock(self._report)
            self._config.hook.pytest_lockin_report(report=self._report)
        except LockinError as error:
            self._failure = f"no verdict: {error.one_line}"
        except Exception as error:  # noqa: BLE001 - whatever it is, there is no verdict
            self._failure = f"no verdict: lockin itself failed with {type(error).__name__}: {error}"
            self._detail = traceback.format_exc()
        except KeyboardInterrupt:
            self._failure = _INTERRUPTED

    def _start_progress(self) -> TrialProgress:
        """Show trials as they come, where somebody watches: on a terminal, and not when quiet."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")

        def write(line: str) -> None:
            reporter.rewrite(line[: reporter._tw.fullwidth - 1], erase=True)  # noqa: SLF001

        watched = reporter is not None and reporter.isatty and self._config.option.verbose >= 0
        self._progress = TrialProgress(write if watched else None)
        return self._progress

    def _write_lock(self, report: Report) -> None:
        """Write down what this run rested on."""
        suites = [Path(module.suite.path).parent for module in self._modules.values()]
        tasks = [Path(module.suite.task_file) for module in self._modules.values() if module.suite.task_file]
        fixtures = [self._settings.fixtures_folder] if self._settings.fixtures_folder else []
        asked = ("engine", "fail_on", "suites", "sandbox", "expose", "policy")
        lock = make_lock(
            self._config.rootpath,
            dict.fromkeys((*suites, *tasks, *fixtures)),
            references=Path(self._settings.reference) if self._settings.reference else None,
            settings={name: getattr(self._settings, name) for name in asked},
            isolation=isolation_to_json(report.isolation),
            version=report.version,
        )
        write_lock(lock, Path(self._settings.lock_file))

    def _cache_folder(self) -> str:
        """Where answers of trials are kept between runs; "" keeps none (`-p no:cacheprovider`)."""
        cache = getattr(self._config, "cache", None)
        if cache is None:
            return ""
        try:
            folder = cache.mkdir("lockin-trials")
        except OSError:
            # Nowhere to keep answers: every trial is run again next time, and pytest has warned already.
            return ""
        # The judged change may bring a cache along: where nobody would notice, one of its own is not read.
        forged = self._choice.required and Path(folder).resolve().is_relative_to(
            self._config.rootpath.resolve()
        )
        return "" if forged else str(folder)

    def _results(self) -> tuple[LiveResult, ...]:
        return tuple(self._result(suite_id, module) for suite_id, module in self._modules.items())

    def _result(self, suite_id: str, module: SuiteModule) -> LiveResult:
        live = self._lives.get(suite_id)
        told = self._told.get(suite_id, {})
        runs = live.runs() if live else ()
        used = {run.case_id: run.observations for each in runs for run in each.cases}
        engine = live.engine if live else ""
        cases = tuple(
            case_run(case_id, engine, reports, used.get(case_id, ()))
            for case_id, reports in told.items()
            if reports
        )
        return LiveResult(
            suite=module.suite,
            told=cases,
            case_ids=live.case_ids if live else (),
            meant=live.meant if live else (),
            runs=runs,
            engine=engine,
            moved=live.moved if live else "",
            trouble=(
                *self._trouble.get(suite_id, ()),
                *((live.judge_trouble,) if live and live.judge_trouble else ()),
            ),
        )

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the `lockin` section."""
        if self._is_worker or self._config.option.collectonly:
            return
        if self._report is None and not self._failure:
            return
        terminalreporter.write_sep("=", "lockin")
        if self._failure:
            if self._config.option.verbose > 0 or os.environ.get("LOCKIN_DEBUG"):
                terminalreporter.write(self._detail)
            if self._failure == _INTERRUPTED and self._progress is not None:
                terminalreporter.write_line("\n".join(self._progress.known()))
            terminalreporter.write_line(f"lockin gate: FAILED  {self._failure}", red=True)
            return
        assert self._report is not None  # noqa: S101 - one of the two is there
        print_report(terminalreporter, self._config, self._report, on_github=self._settings.github)

    def pytest_unconfigure(self) -> None:
        """Annotate where that was asked for; leave nothing behind, however the session ended."""
        if self._settings.github:
            annotate(self._config, self._document, self._failure)
        if self._workshop is not None:
            self._workshop.close()


def _told_in_words(item: SuiteCase, call: pytest.CallInfo[None]) -> pytest.TestReport | None:
    """A worker that crashed is told in words, not by a traceback of ours."""
    assert call.excinfo is not None  # noqa: S101 - the caller looked
    if not isinstance(call.excinfo.value, LockinError):
        return None
    report = pytest.TestReport.from_item_and_call(item, call)
    report.longrepr = str(call.excinfo.value)
    return report


def _brief(report: pytest.TestReport) -> dict[str, Any]:
    brief: dict[str, Any] = {"when": report.when, "outcome": report.outcome}
    if hasattr(report, "wasxfail"):
        brief["wasxfail"] = report.wasxfail
    crash = getattr(report.longrepr, "reprcrash", None)
    brief["longrepr"] = str(crash.message if crash is not None else report.longrepr or "")
    return brief


def _category(name: str) -> type[Warning]:
    import builtins

    for home in (builtins, pytest):
        category = getattr(home, name, None)
        if isinstance(category, type) and issubclass(category, Warning):
            return category
    return type(name, (UserWarning,), {})


def _spellings(reference: str) -> tuple[str, ...]:
    if not reference:
        return ()
    return tuple(dict.fromkeys((reference, os.path.realpath(reference))))


__all__ = ["LockinSession", "make_session"]

"""The worker's side of a suite: one pytest session that collects the suite and runs phases on request.

The whole protocol of an item (`pytest_runtest_protocol` with all its wrappers) stays open between the three
requests that run its phases, so that plugins which wrap it see what they always see. Wider fixtures live as
usual because the controller names the next case at teardown.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import call_and_report

from pytest_lockin import hookspecs
from pytest_lockin.engines.serve import open_engine
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.messages import (
    AskReference,
    Collected,
    Failed,
    Finished,
    PhaseDone,
    ProgramRaised,
    RunPhase,
    SuiteJob,
    Warned,
)
from pytest_lockin.model.suite import Case, MarkData
from pytest_lockin.suite.carry import pack_report
from pytest_lockin.suite.coverage import start_coverage
from pytest_lockin.suite.observe import Recorder, watch_candidate
from pytest_lockin.suite.standins import FIXTURES_BY_MARKER, QuietReporter

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_lockin.engines.base import Engine
    from pytest_lockin.model.suite import Argument
    from pytest_lockin.workers.wire import Wire

# These marks are carried out here; in the controller's pytest they would be carried out a second time.
_WORKER_MARKS = frozenset({"skip", "skipif", "xfail", "usefixtures", "parametrize", "filterwarnings"})
BLOCKED_PLUGINS = (
    "lockin",
    "xdist",
    "xdist.looponfail",
    "randomly",
    "pytest_cov",
    "timeout",
    "rerunfailures",
)


_LOG_PATIENCE = 1.0


def _usage_error(scratch: Path) -> str:
    """What pytest said when it could not even start: its line `ERROR: ...`."""
    _flush()
    # What this process prints comes into the file by way of the controller.
    deadline = time.monotonic() + _LOG_PATIENCE
    while True:
        try:
            lines = (scratch / "output.log").read_text(errors="replace").splitlines()
        except OSError:
            lines = []
        told = next((line.partition("ERROR: ")[2] for line in reversed(lines) if "ERROR: " in line), "")
        if told or time.monotonic() > deadline:
            return told
        time.sleep(0.02)


class ReferenceAnswerError(Exception):
    """The reference raised on a case's tables; stands for whatever it raised."""


def main(wire: Wire, scratch: Path) -> None:
    """Serve one suite until the controller says `Finish` or hangs up."""
    job: SuiteJob = wire.receive()
    coverage = start_coverage(job.coverage, scratch)
    engine = open_engine(job.engine, scratch)
    store = FrameStore(Path(job.store), job.byte_cap)
    answer = _ask_through(wire, engine, store) if job.stub else None
    recorder = Recorder(
        engine, store, job.entry_point, inputs=job.observe == "all" or job.stub, answer=answer
    )
    if job.observe != "none" or job.stub:
        watch_candidate(recorder, job.entry_point, Path(job.path).parent)
    # The test's folder is importable whatever the import mode: generated tests import their neighbours.
    sys.path.insert(0, str(Path(job.path).parent))
    sys.dont_write_bytecode = True
    host = SuiteHost(wire, engine, job, recorder)
    host.coverage = coverage
    status = pytest.main([*job.pytest_args, job.path], plugins=[host, AfterOthers(job)])
    if not host.served:
        reason = host.internal_error or _usage_error(scratch) or f"pytest ended with status {int(status)}"
        wire.send(Failed(reason=reason, slug="suite-did-not-start"))
        return
    if not host.finished:
        wire.send(Finished(errors=(host.internal_error or "pytest ended early",)))


def _ask_through(wire: Wire, engine: Engine, store: FrameStore) -> Any:
    def answer(arguments: tuple[Argument, ...]) -> Any:
        wire.send(AskReference(arguments=arguments))
        reply = wire.receive()
        if isinstance(reply, ProgramRaised):
            message = f"the reference raised {reply.type}: {reply.message}"
            raise ReferenceAnswerError(message)
        frames = {name: engine.from_frame(store.load(stored)) for name, stored in reply.parts}
        if set(frames) == {""}:
            return frames[""]
        if all(name.isdigit() for name in frames):
            return tuple(frames.values())
        return frames

    return answer


class SuiteHost:
    """The pytest plugin of the worker's session."""

    def __init__(self, wire: Wire, engine: Engine, job: SuiteJob, recorder: Recorder) -> None:
        self._wire = wire
        self._engine = engine
        self._job = job
        self._recorder = recorder
        self.coverage: Any = None
        self.served = False
        self.finished = False
        self.internal_error = ""
        self._collect_reports: list[str] = []
        self._extra_reports: list[str] = []
        self._warnings: list[Warned] = []
        self._sent = 0
        self._fixture_calls: dict[int, list[int]] = {}
        self._current: pytest.Item | None = None
        self._in_phase = ""

    # Configuration

    def pytest_addhooks(self, pluginmanager: pytest.PytestPluginManager) -> None:
        """Know the hooks of the plugin that is off here: a conftest of the project may implement them."""
        pluginmanager.add_hookspecs(hookspecs)

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        """Know the ini keys of plugins that are off, which pytest would warn of (or fail on)."""
        known = parser._inidict  # noqa: SLF001 - there is no public way to ask
        # The folder of the stand-in cache is an override of ours, also where the controller has no such key.
        for name in (*self._job.ini_keys, "cache_dir"):
            if name not in known:
                parser.addini(name, "of a plugin that is off in this worker", default=None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Take over the controller's plain option values, before any plugin looks."""
        options = json.loads(self._job.options_json)
        for name, value in options.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)

    @pytest.hookimpl(tryfirst=True)
    def pytest_internalerror(self, excrepr: Any) -> None:
        """Keep the first internal error's last line, to be told to the controller."""
        self.internal_error = self.internal_error or str(excrepr).strip().splitlines()[-1]

    # Collection

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep failed and skipped collections; the controller reports them as its own."""
        if not report.passed:
            self._collect_reports.append(self._serialise(report))

    def _serialise(self, report: Any) -> str:
        return pack_report(self._config, report)

    def pytest_collection(self, session: pytest.Session) -> None:
        """Remember the session; collection itself is pytest's."""
        self._config = session.config

    # Running

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Tell what was collected, then serve requests until the controller is done."""
        self.served = True
        self._items = {item.nodeid: item for item in session.items}
        self._wire.send(
            Collected(
                cases=tuple(describe_case(item) for item in session.items),
                reports=tuple(self._collect_reports),
                warnings=self._take_warnings(),
                engine_version=self._engine.version(),
            )
        )
        request = self._wire.receive()
        while isinstance(request, RunPhase):
            request = self._run_item(request)
        session._setupstate.teardown_exact(None)  # noqa: SLF001 - as pytest's own loop does at its end
        self._finish()
        return True

    def _run_item(self, request: RunPhase) -> Any:
        """Run one whole item, its phases on request; return the request that follows."""
        self._current = self._items[request.case_id]
        self._request: Any = request
        self._current.config.hook.pytest_runtest_protocol(item=self._current, nextitem=None)
        return self._request

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool:
        """Run setup, call and teardown as the controller asks for them."""
        # As `runtestprotocol` begins and ends an item: a rerun needs a fresh request.
        if getattr(item, "_request", True) is False:
            item._initrequest()  # type: ignore[attr-defined] # noqa: SLF001
        request = self._request
        own: list[int] = []
        while isinstance(request, RunPhase) and request.case_id == item.nodeid:
            when = request.when
            self._wire.send(self._run_phase(item, request, own))
            request = self._wire.receive()
            if when == "teardown":
                break
        if hasattr(item, "_request"):
            item._request = False  # noqa: SLF001
            item.funcargs = None  # type: ignore[attr-defined]
        self._request = request
        return True

    def _run_phase(self, item: pytest.Item, request: RunPhase, own: list[int]) -> PhaseDone:
        before = len(self._recorder.observations)
        if request.when == "setup":
            # Where the controller could not name the next case (xdist), what is left over goes now.
            item.session._setupstate.teardown_exact(item)  # noqa: SLF001
        self._recorder.place = self._in_phase = request.when
        keywords: dict[str, Any] = {}
        if request.when == "teardown":
            keywords["nextitem"] = self._items.get(request.next_case)
        report = call_and_report(item, request.when, log=False, **keywords)  # type: ignore[arg-type]
        self._recorder.place = self._in_phase = ""
        # Asked for what it does, not what it answers: pytest fails a test with failed sub-tests in here.
        item.config.hook.pytest_report_teststatus(report=report, config=item.config)
        made = self._recorder.observations[before:]
        own.extend(seen.number for seen in made if not seen.fixture)
        fresh = tuple(self._recorder.observations[self._sent :])
        self._sent = len(self._recorder.observations)
        extra, self._extra_reports = tuple(self._extra_reports), []
        needs = self._engine.needs()
        _flush()
        return PhaseDone(
            report=self._serialise(report),
            extra_reports=extra,
            warnings=self._take_warnings(),
            observations=fresh,
            used=self._used(item, own),
            needs=tuple(need.what for need in needs),
            static_conf=tuple(sorted({pair for need in needs for pair in need.classic_conf})),
        )

    def _used(self, item: pytest.Item, own: list[int]) -> tuple[int, ...]:
        """Numbers of the calls a case rests on: its own, its fixtures', and those made at import."""
        imported = [seen.number for seen in self._recorder.observations if seen.place == "import"]
        definitions = getattr(getattr(item, "_request", None), "_fixture_defs", {}).values()
        shared = [number for each in definitions for number in self._fixture_calls.get(id(each), ())]
        return tuple(sorted({*imported, *own, *shared}))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        """Attribute calls made while a fixture is set up to the fixture, and so to all who use it."""
        outer, first = self._recorder.fixture, len(self._recorder.observations)
        self._recorder.fixture, place = fixturedef.argname, self._recorder.place
        self._recorder.place = "fixture"
        try:
            return (yield)
        finally:
            self._recorder.fixture, self._recorder.place = outer, place
            numbers = [seen.number for seen in self._recorder.observations[first:]]
            self._fixture_calls[id(fixturedef)] = numbers

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep reports logged inside a phase: those of sub-tests."""
        if self._in_phase:
            self._extra_reports.append(self._serialise(report))

    def pytest_warning_recorded(self, warning_message: Any, when: str, nodeid: str) -> None:
        """Keep the suite's warnings for the controller; it has those about configuration itself."""
        if when == "config":
            return
        self._warnings.append(
            Warned(
                message=str(warning_message.message),
                category=warning_message.category.__name__,
                when=when,
                case_id=nodeid,
                filename=warning_message.filename,
                line=warning_message.lineno,
            )
        )

    def _take_warnings(self) -> tuple[Warned, ...]:
        taken, self._warnings = tuple(self._warnings), []
        return taken

    def _finish(self) -> None:
        data = self.coverage.finish() if self.coverage is not None else b""
        _flush()
        self._wire.send(Finished(coverage=data, warnings=self._take_warnings()))
        self.finished = True


def _flush() -> None:
    """With `-s` the controller prints next, and may end this process; what the case said comes first."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


class AfterOthers:
    """What must wait until every other plugin of the worker's pytest is configured."""

    def __init__(self, job: SuiteJob) -> None:
        self._job = job

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Stand in for plugins that are off; quieten the terminal reporter before it prints anything.

        What a user reads is printed by the controller's.
        """
        known = {marker_name(line) for line in config.getini("markers")}
        for name in self._job.markers:
            if name not in known:
                config.addinivalue_line("markers", f"{name}: of a plugin that is off in this worker")
                fixtures = FIXTURES_BY_MARKER.get(name)
                if fixtures is not None:
                    config.pluginmanager.register(fixtures, f"lockin-{name}")
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            config.pluginmanager.unregister(reporter)
            config.pluginmanager.register(QuietReporter(config), "terminalreporter")


def describe_case(item: pytest.Item) -> Case:
    """Say what the controller needs to stand in for this item."""
    path, line, domain = item.location
    names = tuple(node.name for node in item.listchain() if _below_module(node))
    marks = tuple(_describe_marks(item))
    carried = {mark.name for mark in item.iter_markers()}
    keywords = tuple(sorted({str(word) for word in item.extra_keyword_matches} | carried))
    return Case(
        id=item.nodeid,
        names=names,
        line=-1 if line is None else line,
        domain=domain,
        path=path,
        marks=marks,
        keywords=keywords,
        fixtures=tuple(getattr(item, "fixturenames", ())),
    )


def marker_name(line: str) -> str:
    """The name in a registered marker's line: `name(args): text` or `name: text`."""
    return line.partition(":")[0].partition("(")[0].strip()


def _below_module(node: Any) -> bool:
    return not isinstance(node, (pytest.Session, pytest.Dir, pytest.File))


def _describe_marks(item: pytest.Item) -> Generator[MarkData, None, None]:
    for mark in item.iter_markers():
        if mark.name in _WORKER_MARKS:
            continue
        try:
            yield MarkData(
                name=mark.name, args_json=json.dumps(mark.args), kwargs_json=json.dumps(mark.kwargs)
            )
        except (TypeError, ValueError):
            yield MarkData(name=mark.name)

"""The worker's side of trials: a warm suite in which one alternative after the other is put in place.

Handler of a worker (`pytest_lockin.suite.trial_child:main`). `Prepare` runs the suite clean, replays what it
saw and proves that a broken program goes red; each `Try` is one alternative, from swap to restore. The loop
lives here: one request, one reply, and the controller's clock outside.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.machinery
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import call_and_report

from pytest_lockin.engines.answers import remember_answers
from pytest_lockin.engines.haste import hasten, keep_answers
from pytest_lockin.engines.serve import open_engine
from pytest_lockin.errors import FrameError
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.messages import Collected, Failed, Finished, RunPhase
from pytest_lockin.model.suite import Raised, RaisedAt, Returned, ReturnedOther
from pytest_lockin.model.trial import (
    TRIAL_REQUESTS,
    CaseCalls,
    CaseEnd,
    CaseProbe,
    Kill,
    Prepare,
    Prepared,
    Probe,
    Probed,
    RanFresh,
    RunFresh,
    TrialOutcome,
    Tried,
    Try,
    Wreckage,
)
from pytest_lockin.suite.child import AfterOthers, SuiteHost, describe_case
from pytest_lockin.suite.observe import watch_candidate
from pytest_lockin.suite.reach import Line, LineTrace, Statements, takes_more, touches_state
from pytest_lockin.suite.replay import (
    Call,
    Change,
    Failure,
    Input,
    Mode,
    Opaque,
    Output,
    Replayer,
    TrialRecorder,
    find_change,
    first_line,
    materialise,
    settle,
)
from pytest_lockin.suite.swap import ImportRaised, Misfit, Swapper
from pytest_lockin.suite.wreck import SabotageError, Wrecker

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator
    from types import ModuleType

    from pytest_lockin.engines.base import Engine
    from pytest_lockin.model.messages import SuiteJob
    from pytest_lockin.model.suite import CallOutcome
    from pytest_lockin.model.trial import CaseStatus
    from pytest_lockin.workers.wire import Wire

_STUDIED = 12
_GONE_TYPES = frozenset({"Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError"})
# Another worker that attaches to the shared JVM cancels jobs it finds running.
_GONE_WORDS = (
    "cancelled as part of cancellation of all jobs",
    "SparkContext was shut down",
    "StatusCode.UNAVAILABLE",
    "Answer from Java side is empty",
)
_CONTROL = '\n\ndef {name}(*_args, **_kwargs):\n    raise RuntimeError("lockin control: a broken program")\n'


def main(wire: Wire, scratch: Path) -> None:
    """Serve one suite's trials until the controller says `Finish` or hangs up."""
    job: SuiteJob = wire.receive()
    serve_sources(dict(job.sources))
    engine = open_engine(job.engine, scratch)
    hasten(engine)
    store = FrameStore(Path(job.store), job.byte_cap)
    recorder = TrialRecorder(engine, store, job.entry_point)
    watch_candidate(recorder, job.entry_point, Path(job.path).parent)
    # As in an ordinary run of the suite.
    sys.path.insert(0, str(Path(job.path).parent))
    sys.dont_write_bytecode = True
    server = TrialServer(engine, store, job, recorder)
    host = TrialHost(wire, engine, job, recorder)
    host.server = server
    status = pytest.main([*job.pytest_args, job.path], plugins=[host, AfterOthers(job), server])
    if not host.served:
        reason = host.internal_error or f"pytest ended with status {int(status)} before it ran anything"
        wire.send(Failed(reason=reason, slug="suite-did-not-start"))
    elif not host.finished:
        wire.send(Finished(errors=(host.internal_error or "pytest ended early",)))


def serve_sources(texts: dict[str, str]) -> None:
    """Have these files imported as these texts; the files are not touched and no bytecode is involved."""
    if not texts:
        return
    loader = importlib.machinery.SourceFileLoader
    original = loader.get_code

    @functools.wraps(original)
    def get_code(self: Any, fullname: str) -> Any:
        path = self.get_filename(fullname)
        if path not in texts:
            return original(self, fullname)
        return compile(texts[path], path, "exec", dont_inherit=True)

    loader.get_code = get_code  # type: ignore[method-assign]


class TrialHost(SuiteHost):
    """The pytest plugin of a trial worker's session: collects as ever, then serves trials, not phases."""

    server: TrialServer

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Tell what was collected, then answer trial requests until the controller is done."""
        self.served = True
        self._wire.send(
            Collected(
                cases=tuple(describe_case(item) for item in session.items),
                reports=tuple(self._collect_reports),
                engine_version=self._engine.version(),
            )
        )
        self._items = {item.nodeid: item for item in session.items}
        request = self._wire.receive()
        if isinstance(request, RunPhase):
            request = self._run_before(session, request)
        while isinstance(request, TRIAL_REQUESTS):
            self._wire.send(self.server.serve(session, request))
            # A thousand alternatives' warnings are nobody's.
            self._take_warnings()
            request = self._wire.receive()
        session._setupstate.teardown_exact(None)  # noqa: SLF001 - as pytest's own loop does at its end
        self._finish()
        return True

    def _run_before(self, session: pytest.Session, first: RunPhase) -> Any:
        """Run cases phase by phase, as in an ordinary run; return the request that follows."""
        request: Any = first
        with self.server.unrecorded(session):
            while isinstance(request, RunPhase):
                request = self._run_item(request)
        return request


@dataclass(slots=True, kw_only=True)
class FixtureUse:
    """What a wider fixture did with the candidate while it was set up."""

    definition: Any
    request: Any
    calls: list[Call] = field(default_factory=list)
    lines: set[Line] = field(default_factory=set)
    narrow: bool = False


@dataclass(slots=True, kw_only=True)
class CaseRunning:
    """One run of one case: how it ended, and the calls it rests on."""

    case_id: str
    status: CaseStatus = "passed"
    error: BaseException | None = None
    message: str = ""
    calls: list[Call] = field(default_factory=list)
    fixtures: list[FixtureUse] = field(default_factory=list)
    lines: set[Line] = field(default_factory=set)

    @property
    def all_calls(self) -> list[Call]:
        """Its own calls, and those of the fixtures it uses."""
        shared = [call for use in self.fixtures if not use.narrow for call in use.calls]
        return [*shared, *(call for call in self.calls if not any(call is other for other in shared))]


@dataclass(slots=True, kw_only=True)
class SourceFile:
    """One of the candidate's files: live modules, text, statements, and how to swap it."""

    path: str
    statements: Statements
    swapper: Swapper
    stale: list[range] = field(default_factory=list)


class TrialServer:
    """Answers `Prepare`, `Try` and `Probe` in a suite's worker."""

    def __init__(self, engine: Engine, store: FrameStore, job: SuiteJob, recorder: TrialRecorder) -> None:
        self._engine = engine
        self._store = store
        self._job = job
        self._folder = Path(job.path).parent
        self._recorder = recorder
        self._replayer = Replayer(engine, store)
        self._uses: dict[int, FixtureUse] = {}
        self._running: CaseRunning | None = None
        self._raised: list[BaseException] = []
        self._items: dict[str, pytest.Item] = {}
        self._inputs: list[Input] = []
        self._clean: dict[str, CaseRunning] = {}
        self._by_call: dict[int, Input] = {}
        self._static_readers: tuple[str, ...] = ()
        self._files: dict[str, SourceFile] = {}
        self._stateful = False
        self._import_calls: list[Call] = []
        self._imported_hidden = True
        self._imports_noted = False
        self._candidates: list[ModuleType] = []

    # The session.

    def serve(self, session: pytest.Session, request: Any) -> Any:
        """Answer one request; whatever goes wrong in here is the trial's harness error, never a kill."""
        self._items = {item.nodeid: item for item in session.items}
        session.config.option.tbstyle = "value"
        if isinstance(request, Prepare):
            return self._prepare(request)
        if isinstance(request, Try):
            return self._try(request)
        if isinstance(request, Probe):
            return self._probe(request)
        return self._run_fresh(request)

    @contextlib.contextmanager
    def unrecorded(self, session: pytest.Session) -> Iterator[None]:
        """Let cases run that are no trial's: afterwards it is as if none had."""
        self._note_imports()
        self._recorder.mode = Mode.WATCH
        try:
            yield
        finally:
            self._recorder.mode = Mode.RECORD
            self._items = {item.nodeid: item for item in session.items}
            self._tear_down()
            self._uses.clear()
            del self._recorder.calls[len(self._import_calls) :]

    def _note_imports(self) -> None:
        """Once, before any case has run: what was called, and whether a session was asked for, on import."""
        if not self._imports_noted:
            self._imports_noted = True
            self._ship_modules()
            self._import_calls = list(self._recorder.calls)
            self._imported_hidden = not getattr(self._engine, "_shown", False)

    # Running cases.

    def run_case(self, case_id: str) -> CaseRunning:
        """Run one case whole; wider fixtures stay set up for the next one."""
        item = self._items[case_id]
        run = self._running = CaseRunning(case_id=case_id)
        first = len(self._recorder.calls)
        trace = self._recorder.trace
        if trace is not None:
            trace.bucket = run.lines
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=item.parent)
        finally:
            self._running = None
        run.calls = self._recorder.calls[first:]
        return run

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: Any) -> bool | None:
        """Run the phases of a case of ours; the controller asks for nothing in between."""
        if self._running is None:
            return None
        setup_state = item.session._setupstate  # noqa: SLF001
        try:
            # What the case before left set up and this one does not share goes now.
            setup_state.teardown_exact(item)
        except BaseException as error:  # noqa: BLE001 - the earlier case's, told as this one's harness trouble
            self._running.message = f"tearing down what came before: {first_line(error)}"
        if getattr(item, "_request", True) is False:
            item._initrequest()  # type: ignore[attr-defined] # noqa: SLF001
        self._phase(item, "setup")
        if self._running.status == "passed":
            self._phase(item, "call")
        self._note_fixtures(item)
        self._phase(item, "teardown", nextitem=nextitem)
        if hasattr(item, "_request"):
            item._request = False  # noqa: SLF001
            item.funcargs = None  # type: ignore[attr-defined]
        return True

    def _phase(self, item: pytest.Item, when: Any, **keywords: Any) -> None:
        run = self._running
        assert run is not None  # noqa: S101 - only called while one is
        self._raised.clear()
        report = call_and_report(item, when, log=False, **keywords)
        if run.status != "passed":
            return
        if report.failed:
            run.status, run.error = "failed", self._raised[-1] if self._raised else None
            run.message = first_line(run.error) if run.error else str(report.longrepr or "")[:300]
        elif report.skipped or (when == "call" and hasattr(report, "wasxfail")):
            run.status = "skipped"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        """Keep the exception itself: where it came from decides the outcome."""
        del item
        report = yield
        # Only now: pytest puts a TestCase's failure into the call on the way.
        if self._running is not None and call.excinfo is not None:
            self._raised.append(call.excinfo.value)
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A failed sub-test fails its case, whatever the case's own report says."""
        run = self._running
        if run is not None and report.failed and run.status == "passed":
            run.status, run.error = "failed", self._raised[-1] if self._raised else None
            run.message = str(getattr(report, "longreprtext", ""))[:300]

    def _note_fixtures(self, item: pytest.Item) -> None:
        definitions = getattr(getattr(item, "_request", None), "_fixture_defs", {}).values()
        assert self._running is not None  # noqa: S101
        self._running.fixtures = [self._uses[id(each)] for each in definitions if id(each) in self._uses]

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
        """Know which fixtures hold what the candidate computed."""
        first = len(self._recorder.calls)
        trace, lines = self._recorder.trace, set[Line]()
        outer = trace.bucket if trace else None
        if trace is not None:
            trace.bucket = lines
        try:
            return (yield)
        finally:
            if trace is not None and outer is not None:
                trace.bucket = outer
            calls = self._recorder.calls[first:]
            known = self._uses.get(id(fixturedef))
            if calls or lines or known:
                self._uses[id(fixturedef)] = FixtureUse(
                    definition=fixturedef,
                    request=request,
                    calls=calls,
                    lines=lines | (known.lines if known else set()),
                    narrow=fixturedef.scope == "function",
                )

    def _drop_outputs(self) -> None:
        """Finish every wider fixture that holds what the candidate computed, with what depends on it."""
        for use in list(self._uses.values()):
            use.calls = []
            if use.narrow:
                continue
            try:
                use.definition.finish(use.request)
            except BaseException:  # noqa: BLE001 - a teardown that fails: everything is set up anew
                self._tear_down()
                return

    def _tear_down(self) -> None:
        session = next(iter(self._items.values())).session
        try:
            session._setupstate.teardown_exact(None)  # noqa: SLF001
        except BaseException:  # noqa: BLE001 - the suite's own teardown error; the stack is empty now
            return

    def _begin(self) -> None:
        """A clean start for a trial or a control: nothing computed by other code is left."""
        self._recorder.calls.clear()
        if self._stateful:
            self._tear_down()
            self._uses.clear()
            self._reset()
        else:
            self._drop_outputs()

    def _reset(self) -> None:
        self._engine.reset()
        self._replayer.forget()

    # Prepare.

    def _prepare(self, request: Prepare) -> Prepared:
        cases = [case for case in self._items if not request.cases or case in request.cases]
        missing = [case for case in request.cases if case not in self._items]
        self._note_imports()
        if request.partitions:
            # Asked of Sail's own engine only.
            engine: Any = self._engine
            engine.repartition(request.partitions)
            hasten(engine)
        if missing or not cases:
            return Prepared(refusal=f"not collected here: {missing[0]}" if missing else "no case to run")
        begun = time.perf_counter()
        self._record_clean(cases)
        seconds = time.perf_counter() - begun
        red = tuple(case for case, run in self._clean.items() if run.status != "passed")
        if red:
            run = self._clean[red[0]]
            why = f"{red[0]} passes in the baseline and is {run.status} in the trial worker: {run.message}"
            return Prepared(refusal=why, red=red, seconds=seconds)
        self._gather_inputs()
        self._replay_original(request.replays)
        self._find_stale()
        blind = self._sabotage(cases)
        if not self._stateful:
            # Not before: replays of the original have to be runs, or they would prove nothing.
            remember_answers(self._engine)
        refusal = ""
        if blind is None:
            refusal = "a broken program cannot be put in place: " + self._sabotage_trouble
        elif len(blind) == len(cases):
            refusal = "every case passes although the entry point raises: no case runs it"
        return Prepared(
            refusal=refusal,
            inputs=len(self._inputs),
            replayable=sum(each.replayable for each in self._inputs),
            seconds=seconds,
            blind=tuple(blind or ()),
            stateful=self._stateful,
            calls=tuple(self._tell_calls(case) for case in cases),
        )

    def _record_clean(self, cases: Collection[str]) -> None:
        self._note_imports()
        modules = [*self._candidate_modules(), *self._test_modules()]
        self._stateful = touches_state([_read(module) for module in modules])
        if not self._stateful:
            keep_answers(self._engine)
        trace = self._recorder.trace = LineTrace([str(m.__file__) for m in self._candidate_modules()])
        trace.start()
        try:
            for case in cases:
                self._clean[case] = self.run_case(case)
        finally:
            trace.stop()
            self._recorder.trace = None
            self._recorder.mode = Mode.WATCH
        self._candidates = self._candidate_modules()
        self._static_readers = self._find_static_readers()

    def _gather_inputs(self) -> None:
        """Distinct inputs, each with the lines it ran and the cases that rest on it."""
        by_key: dict[str, Input] = {}
        for case, run in self._clean.items():
            for call in (*self._import_calls, *run.all_calls):
                key = call.key or f"call@{id(call)}"
                known = by_key.setdefault(key, Input(call=call))
                known.lines |= call.lines
                self._by_call[id(call)] = known
                if case not in known.cases:
                    known.cases.append(case)
        self._inputs = list(by_key.values())

    def _replay_original(self, times: int) -> None:
        if self._stateful:
            self._tear_down()
            self._uses.clear()
        studied: list[Input] = []
        for known in self._inputs:
            if known.call.arguments is None or isinstance(known.call.result, Opaque):
                continue
            results = []
            # One program makes all outputs: where the first are the same each time, one look is enough.
            steady = len(studied) >= _STUDIED and all(each.exact for each in studied)
            for _ in range(1 if steady else times):
                if self._stateful:
                    self._reset()
                results.append(self._replay(known))
            settle(known, results)
            studied.append(known)

    def _replay(self, known: Input) -> Any:
        try:
            return self._replayer.replay(known.call)
        except FrameError as error:
            return Failure(type=type(error).__name__, message=error.one_line, at=RaisedAt.CALL, error=error)

    def _sabotage(self, cases: Collection[str]) -> list[str] | None:
        """The cases that pass although the entry point raises, by the very path trials take."""
        entry = self._job.entry_point
        source = self._source_of(entry.module)
        self._sabotage_trouble = "" if source else f"{entry.module} was not imported from a file"
        text = _read_path(source.path) + _CONTROL.format(name=entry.function) if source else ""
        self._begin()
        try:
            if source is None:
                return None
            self._swap(source, text)
        except (Misfit, ImportRaised):
            # A decorated entry point has another shape: break it in the recorder instead.
            self._recorder.mode, self._recorder.wreck = Mode.WRECK, _raise_sabotage
        try:
            return [case for case in cases if self.run_case(case).status == "passed"]
        finally:
            if source is not None:
                self._restore(source)
            self._recorder.mode, self._recorder.wreck = Mode.WATCH, None
            self._begin()

    # The files.

    def _candidate_modules(self) -> list[ModuleType]:
        """Modules of the suite's folder that are neither tests nor conftests, and the entry point's own.

        Looked up once all cases have run: what is imported later is imported by none of them.
        """
        if self._candidates:
            return self._candidates
        entry = sys.modules.get(self._job.entry_point.module)
        found = [m for m in self._local_modules() if not self._is_test(m)]
        if entry is not None and entry not in found and getattr(entry, "__file__", None):
            found.append(entry)
        return found

    def _test_modules(self) -> list[ModuleType]:
        return [module for module in self._local_modules() if self._is_test(module)]

    def _is_test(self, module: ModuleType) -> bool:
        path = Path(str(module.__file__))
        return path == Path(self._job.path) or path.name == "conftest.py" or path.name.startswith("test_")

    def _local_modules(self) -> list[ModuleType]:
        folder = str(self._folder) + "/"
        items = [getattr(item, "module", None) for item in self._items.values()]
        modules = {id(m): m for m in (*list(sys.modules.values()), *items) if m is not None}
        return [
            module
            for module in modules.values()
            if str(getattr(module, "__file__", None) or "").startswith(folder)
        ]

    def _ship_modules(self) -> None:
        for module in (*self._candidate_modules(), *self._test_modules()):
            if sys.modules.get(module.__name__) is module:
                self._engine.ship_module(module)

    def _source_of(self, name: str) -> SourceFile | None:
        module = sys.modules.get(name)
        path = str(getattr(module, "__file__", "") or "")
        if not path.endswith(".py"):
            return None
        if path not in self._files:
            text = _read_path(path)
            local = self._local_modules()
            twins = [module, *(m for m in local if m.__file__ == path and m is not module)]
            readers = [m for m in local if m.__file__ != path]
            self._files[path] = SourceFile(
                path=path,
                statements=Statements(text),
                swapper=Swapper([m for m in twins if m is not None], text, readers),
            )
        return self._files[path]

    def _find_static_readers(self) -> tuple[str, ...]:
        """Cases of test files that take more from the candidate than its entry point."""
        entry = self._job.entry_point
        names = {module.__name__ for module in self._candidate_modules()}
        readers = [
            module for module in self._test_modules() if takes_more(_read(module), names, entry.function)
        ]
        if any(Path(str(m.__file__)).name == "conftest.py" for m in readers):
            return tuple(self._clean)
        found = {id(module) for module in readers}
        return tuple(c for c in self._clean if id(getattr(self._items[c], "module", None)) in found)

    # Trials.

    def _try(self, request: Try) -> Tried:
        begun = time.perf_counter()
        tried = self._decide(request)
        return replace(tried, seconds=time.perf_counter() - begun)

    def _decide(self, request: Try) -> Tried:
        source = self._source_of(request.module)
        if source is None:
            return Tried(id=request.id, outcome=TrialOutcome.UNREACHED, detail="never imported")
        thorough = request.exhaustive or request.matrix
        inputs, cases = self._reach(source, request.source)
        if request.only:
            inputs = [each for each in inputs if set(each.cases) & set(request.only)]
            cases &= set(request.only)
        reached = bool(inputs or cases)
        if not reached and not thorough:
            return Tried(id=request.id, outcome=TrialOutcome.UNREACHED)
        by_input = {case for each in inputs for case in each.cases}
        reaching = tuple(case for case in self._clean if case in by_input or case in cases)
        if thorough:
            inputs, cases = self._inputs, set(self._clean)
        touched = source.statements.touched(request.source)
        if any(line in body for body in source.stale for line in touched):
            detail = "a function of Spark's Python workers that does not show swapped code"
            return Tried(id=request.id, outcome=TrialOutcome.NOT_RUN, reimport=True, detail=detail)
        self._begin()
        try:
            self._swap(source, request.source)
        except Misfit as error:
            return Tried(id=request.id, outcome=TrialOutcome.NOT_RUN, reimport=True, detail=str(error))
        except ImportRaised as error:
            return Tried(id=request.id, outcome=TrialOutcome.CRASHED, detail=f"raised when imported: {error}")
        try:
            tried = self._look(request, inputs, cases, reached=reached)
            return replace(tried, reached=reaching if reached else ())
        finally:
            self._restore(source)
            self._begin()

    def _swap(self, source: SourceFile, text: str) -> None:
        """Put text in place; it is executed as the original was: with or without a session to see."""
        if self._imported_hidden:
            self._engine.hide()
        try:
            source.swapper.swap(text)
        finally:
            self._engine.session()
        self._refresh()

    def _restore(self, source: SourceFile) -> None:
        source.swapper.restore()
        self._refresh()

    def _refresh(self) -> None:
        for module in self._candidate_modules():
            self._engine.refresh_module(module)

    def _reach(self, source: SourceFile, edited: str) -> tuple[list[Input], set[str]]:
        """Inputs whose replay runs what was changed, and cases that run it past the entry point."""
        lines = source.statements.touched(edited)
        touched = {(source.path, line) for line in lines}
        everywhere = source.statements.at_import(lines) or any(
            line in body for body in self._unseen(source) for line in lines
        )
        inputs = [each for each in self._inputs if everywhere or each.lines & touched]
        cases = {case for case, run in self._clean.items() if self._outside(run) & touched}
        if everywhere:
            cases |= {case for case, run in self._clean.items() if self._outside(run)}
            cases |= set(self._static_readers)
        for known in inputs:
            if not known.replayable:
                cases |= set(known.cases)
        return inputs, cases

    def _unseen(self, source: SourceFile) -> tuple[range, ...]:
        executed = {line for each in self._inputs for line in each.lines}
        executed |= {line for run in self._clean.values() for line in self._outside(run)}
        return source.statements.unseen({line for path, line in executed if path == source.path})

    def _find_stale(self) -> None:
        """UDFs that do not run swapped code, or never run: a canary in each, and no replay that meets it."""
        for module in self._candidate_modules():
            source = self._source_of(module.__name__)
            for body in self._unseen(source) if source else ():
                assert source is not None  # noqa: S101 - else there was no body
                if not self._meets_canary(source, source.statements.with_canary(body)):
                    source.stale.append(body)

    def _meets_canary(self, source: SourceFile, text: str) -> bool:
        self._begin()
        try:
            self._swap(source, text)
            replayable = [each for each in self._inputs if each.replayable]
            return any(find_change(each, self._replay(each)) is not Change.NONE for each in replayable)
        except (Misfit, ImportRaised):
            return False
        finally:
            self._restore(source)
            self._begin()

    def _outside(self, run: CaseRunning) -> set[Line]:
        return run.lines.union(*(use.lines for use in run.fixtures))

    def _look(self, request: Try, inputs: list[Input], cases: set[str], *, reached: bool) -> Tried:
        """Replay input by input; run the cases that saw a changed one, and those no replay can decide."""
        trial = Trial(self, request, reached=reached)
        thorough = request.exhaustive or request.matrix
        for known in inputs:
            if not known.replayable:
                continue
            if self._stateful:
                self._reset()
            found = self._replay(known)
            if isinstance(found, Failure) and is_engine_trouble(found.error):
                return trial.give_up(found.error)
            change = find_change(known, found)
            trial.note(change, known.cases)
            if change is not Change.NONE and not thorough and trial.run(known.cases):
                return trial.conclude()
        trial.run([case for case in self._clean if case in cases], unsure=True)
        return trial.conclude()

    # Read by a Trial.

    def prepare_cases(self) -> None:
        """Before the first case of a trial: replays may have changed the session's state."""
        if self._stateful:
            self._reset()

    @property
    def called_at_import(self) -> bool:
        """Whether the suite holds outputs that were computed when it was imported."""
        return bool(self._import_calls)

    def clean_run(self, case_id: str) -> CaseRunning:
        """The case's clean run."""
        return self._clean[case_id]

    def is_crash(self, run: CaseRunning) -> bool:
        """Whether a case failed because the program did: its call raised, or its output did."""
        error = run.error
        if error is None:
            return False
        if any(call.error is not None for call in self._clean[run.case_id].all_calls):
            # The case expects an exception; another one is a difference that it noticed.
            return False
        chain = _chain(error)
        calls = [*self._import_calls, *run.all_calls]
        if any(call.error is each for call in calls for each in chain):
            return True
        if isinstance(error, (AssertionError, pytest.fail.Exception)):
            return False
        kinds = {type(each) for each in chain}
        results = (materialise(self._engine, call) for call in calls)
        return any(isinstance(each, Failure) and type(each.error) in kinds for each in results)

    def changed_in(self, run: CaseRunning) -> bool:
        """Whether a call of this run that no replay can decide gave something else than in the clean run."""
        before = self._clean[run.case_id].all_calls
        if len(before) != len(run.all_calls):
            return True
        for mine, theirs in zip(before, run.all_calls, strict=True):
            known = self._by_call.get(id(mine))
            if known is None or known.replayable:
                continue
            probe = Input(call=mine)
            found = materialise(self._engine, theirs)
            if isinstance(found, Opaque) or find_change(probe, found) >= Change.ORDER:
                return True
        return False

    # Probes.

    def _probe(self, request: Probe) -> Probed:
        cases = [case for case in self._clean if not request.cases or case in request.cases]
        wrecker = Wrecker(self._engine)
        ends: dict[str, dict[Wreckage, str]] = {case: {} for case in cases}
        for wreckage in Wreckage:
            self._begin()
            self._recorder.mode = Mode.WRECK
            for case in cases:
                self._recorder.wreck = wrecker.wreck_with(wreckage)
                run = self.run_case(case)
                made = wrecker.made or wreckage is Wreckage.RAISES
                ends[case][wreckage] = run.status if made else "not made"
            self._recorder.mode, self._recorder.wreck = Mode.WATCH, None
        self._begin()
        return Probed(cases=tuple(_tell_probe(case, found) for case, found in ends.items()))

    # A fresh import with the alternative in place.

    def _run_fresh(self, request: RunFresh) -> RanFresh:
        """Run cases with whatever sources this worker was started with, and tell all they called."""
        ends = []
        self._ship_modules()
        self._import_calls = list(self._recorder.calls)
        missing = [case for case in request.cases if case not in self._items]
        if missing:
            return RanFresh(id=request.id, missing=missing[0])
        for case in request.cases:
            run = self._clean[case] = self.run_case(case)
            ends.append(
                CaseEnd(
                    case_id=case,
                    status=run.status,
                    error=type(run.error).__name__ if run.error else "",
                    message=run.message,
                    crash=run.status == "failed" and self._crashed_fresh(run),
                    calls=self._tell_calls(case).calls,
                )
            )
            if run.status == "failed" and not ends[-1].crash and not request.thorough:
                break
        return RanFresh(id=request.id, cases=tuple(ends))

    def _crashed_fresh(self, run: CaseRunning) -> bool:
        chain = _chain(run.error)
        return any(call.error is each for call in run.all_calls for each in chain) or (
            not isinstance(run.error, (AssertionError, pytest.fail.Exception))
            and any(
                isinstance(call.result, Failure) and type(call.result.error) in {type(each) for each in chain}
                for call in run.all_calls
            )
        )

    def _tell_calls(self, case: str) -> CaseCalls:
        run = self._clean[case]
        calls = (*self._import_calls, *run.all_calls)
        return CaseCalls(case_id=case, calls=tuple(self._tell(call) for call in calls))

    def _tell(self, call: Call) -> CallOutcome:
        result = materialise(self._engine, call)
        if isinstance(result, Failure):
            return Raised(type=result.type, message=result.message, at=result.at)
        if isinstance(result, Output):
            return Returned(parts=tuple((name, self._store.keep(frame)) for name, frame, _ in result.parts))
        return ReturnedOther(type=result.type)


class Trial:
    """One alternative in place: what changed, which cases ran, who noticed."""

    def __init__(self, server: TrialServer, request: Try, *, reached: bool) -> None:
        self._server = server
        self._request = request
        self._reached = reached
        self._changes: list[Change] = []
        self._ran: dict[str, CaseRunning] = {}
        self._killers: list[CaseRunning] = []
        self._crashed: list[CaseRunning] = []
        self._unsure_change = False
        self._saw: set[str] = set()
        self._reimport = False
        self._trouble: BaseException | None = None

    def give_up(self, trouble: BaseException) -> Tried:
        """The engine failed, not the alternative: this trial says nothing."""
        self._trouble = trouble
        return self.conclude()

    def note(self, change: Change, cases: Iterable[str]) -> None:
        """Keep how far one input's output is from the original's, and which cases see it."""
        self._changes.append(change)
        if change is not Change.NONE:
            self._saw.update(cases)

    def run(self, cases: Iterable[str], *, unsure: bool = False) -> bool:
        """Run these cases, each once a trial; True when the trial is decided.

        A crash decides nothing: another case may still fail by an assertion.
        """
        for case in cases:
            if case in self._ran or (self._request.only and case not in self._request.only):
                continue
            if self._server.called_at_import:
                self._reimport = True
                return True
            if not self._ran:
                self._server.prepare_cases()
            run = self._ran[case] = self._server.run_case(case)
            if run.error is not None and is_engine_trouble(run.error):
                self._trouble = run.error
                return True
            if run.status == "failed":
                (self._crashed if self._server.is_crash(run) else self._killers).append(run)
            elif unsure and self._server.changed_in(run):
                self._unsure_change = True
                self._saw.add(case)
            if self._killers and not self._request.matrix:
                return True
        return False

    def conclude(self) -> Tried:
        """Put together what was seen."""
        if self._trouble is not None:
            detail = f"{type(self._trouble).__name__}: {first_line(self._trouble)}"
            return Tried(id=self._request.id, outcome=TrialOutcome.HARNESS_ERROR, detail=detail)
        killer = self._killers[0] if self._killers else None
        changed = [change for change in self._changes if change >= Change.ORDER]
        return Tried(
            id=self._request.id,
            outcome=TrialOutcome.NOT_RUN if self._reimport else self._outcome(bool(changed)),
            reimport=self._reimport,
            kill=_as_kill(killer) if killer else None,
            detail=self._detail(),
            changed=len(changed),
            order_only=bool(changed) and all(change is Change.ORDER for change in changed),
            killers=tuple(run.case_id for run in self._killers),
            ran=len(self._ran),
            saw=tuple(sorted(self._saw | {run.case_id for run in self._crashed})),
        )

    def _outcome(self, changed: bool) -> TrialOutcome:  # noqa: FBT001
        if self._killers:
            return TrialOutcome.KILLED
        if self._crashed:
            return TrialOutcome.CRASHED
        if changed or self._unsure_change:
            return TrialOutcome.UNREVEALED
        return TrialOutcome.UNINFECTED if self._reached else TrialOutcome.UNREACHED

    def _detail(self) -> str:
        if self._crashed and not self._killers:
            run = self._crashed[0]
            return f"{type(run.error).__name__}: {run.message}"
        if self._reimport:
            return "the suite calls the entry point when it is imported"
        skipped = [case for case, run in self._ran.items() if run.status == "skipped"]
        return f"{len(skipped)} cases were skipped under it" if skipped else ""


def is_engine_trouble(error: BaseException) -> bool:
    """Whether an exception comes from an engine that is gone or was told to stop, whatever program ran."""
    return any(
        type(each).__name__ in _GONE_TYPES or any(words in str(each) for words in _GONE_WORDS)
        for each in _chain(error)
    )


def _as_kill(run: CaseRunning) -> Kill:
    kind = type(run.error).__name__ if run.error is not None else "failure"
    return Kill(case_id=run.case_id, type=kind, message=run.message)


def _tell_probe(case: str, ends: dict[Wreckage, str]) -> CaseProbe:
    def picked(*words: str) -> tuple[Wreckage, ...]:
        return tuple(wreckage for wreckage, end in ends.items() if end in words)

    return CaseProbe(
        case_id=case,
        accepted=picked("passed", "skipped"),
        rejected=picked("failed"),
        not_made=picked("not made"),
    )


def _raise_sabotage(value: Any) -> Any:
    del value
    raise SabotageError


def _chain(error: BaseException | None) -> list[BaseException]:
    """The exception, its causes and contexts, and the members of a group."""
    found: list[BaseException] = []
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is None or any(each is other for other in found):
            continue
        found.append(each)
        waiting += [each.__cause__, each.__context__]
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions
    return found


def _read(module: ModuleType) -> str:
    return _read_path(str(module.__file__))


def _read_path(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


__all__ = ["TrialServer", "main", "serve_sources"]

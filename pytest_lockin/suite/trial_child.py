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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_lockin.engines.haste import hasten
from pytest_lockin.engines.serve import open_engine
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.messages import Collected, Failed, Finished, RunPhase
from pytest_lockin.model.trial import TRIAL_REQUESTS, Prepare, Probe, Try
from pytest_lockin.suite.child import AfterOthers, SuiteHost, describe_case
from pytest_lockin.suite.observe import watch_candidate
from pytest_lockin.suite.replay import Mode, TrialRecorder
from pytest_lockin.suite.trial_cases import CaseRunner
from pytest_lockin.suite.trial_controls import Controls
from pytest_lockin.suite.trial_decide import Decider
from pytest_lockin.suite.trial_fresh import FreshRun
from pytest_lockin.suite.trial_known import Known
from pytest_lockin.suite.trial_probe import Prober
from pytest_lockin.suite.trial_program import Program
from pytest_lockin.suite.trial_slate import Slate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.engines.base import Engine
    from pytest_lockin.model.messages import SuiteJob
    from pytest_lockin.workers.wire import Wire


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
    runner = CaseRunner(recorder)
    host = TrialHost(wire, engine, job, recorder)
    host.server = TrialServer(engine, store, job, recorder, runner)
    status = pytest.main([*job.pytest_args, job.path], plugins=[host, AfterOthers(job), runner])
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
        self.server.open(session)
        request = self._wire.receive()
        if isinstance(request, RunPhase):
            request = self._run_before(request)
        while isinstance(request, TRIAL_REQUESTS):
            self._wire.send(self.server.serve(request))
            # A thousand alternatives' warnings are nobody's.
            self._take_warnings()
            request = self._wire.receive()
        session._setupstate.teardown_exact(None)  # noqa: SLF001 - as pytest's own loop does at its end
        self._finish()
        return True

    def _run_before(self, first: RunPhase) -> Any:
        """Run cases phase by phase, as in an ordinary run; return the request that follows."""
        request: Any = first
        with self.server.unrecorded():
            while isinstance(request, RunPhase):
                request = self._run_item(request)
        return request


class TrialServer:
    """Hands each request to whoever answers it, all of them around one warm suite."""

    _session: pytest.Session

    def __init__(
        self, engine: Engine, store: FrameStore, job: SuiteJob, recorder: TrialRecorder, runner: CaseRunner
    ) -> None:
        known = self._known = Known()
        self._engine = engine
        self._recorder = recorder
        self._runner = runner
        program = self._program = Program(engine, job, runner, known)
        slate = Slate(engine, store, recorder, runner, known)
        self._controls = Controls(
            engine=engine,
            store=store,
            entry=job.entry_point,
            recorder=recorder,
            runner=runner,
            program=program,
            slate=slate,
            known=known,
        )
        self._decider = Decider(engine, runner, program, slate, known)
        self._prober = Prober(engine, recorder, runner, slate, known)
        self._fresh = FreshRun(engine, store, runner, known)
        self._imports_noted = False

    def open(self, session: pytest.Session) -> None:
        """Learn what was collected; nothing is served before."""
        self._session = session
        self._runner.open(session)

    def serve(self, request: Any) -> Any:
        """Answer one request; whatever goes wrong in here is the trial's harness error, never a kill."""
        # Nobody reads the tracebacks of a trial.
        self._session.config.option.tbstyle = "value"
        self._note_imports()
        if isinstance(request, Prepare):
            return self._controls.prepare(request)
        if isinstance(request, Try):
            return self._decider.try_one(request)
        if isinstance(request, Probe):
            return self._prober.probe(request)
        return self._fresh.run(request)

    @contextlib.contextmanager
    def unrecorded(self) -> Iterator[None]:
        """Let cases run that are no trial's: afterwards it is as if none had."""
        self._note_imports()
        self._recorder.mode = Mode.WATCH
        try:
            yield
        finally:
            self._recorder.mode = Mode.RECORD
            self._runner.drop_everything()
            del self._recorder.calls[len(self._known.import_calls) :]

    def _note_imports(self) -> None:
        """Once, before any case has run: what was called, and whether a session was asked for, on import."""
        if self._imports_noted:
            return
        self._imports_noted = True
        self._program.ship()
        self._known.import_calls = list(self._recorder.calls)
        self._known.imported_hidden = not getattr(self._engine, "_shown", False)


__all__ = ["TrialServer", "main", "serve_sources"]

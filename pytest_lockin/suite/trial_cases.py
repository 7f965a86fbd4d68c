"""Single cases run whole inside a trial worker's session, and what each run of one rests on.

A case rests on the calls it made itself and on those of the fixtures it uses. Wider fixtures stay set up from
one case to the next, as in any session, until somebody asks for a clean start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import call_and_report

from pytest_lockin.suite.replay import Call, first_line

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_lockin.model.trial import CaseStatus
    from pytest_lockin.suite.reach import Line
    from pytest_lockin.suite.replay import TrialRecorder


@dataclass(slots=True, kw_only=True)
class FixtureUse:
    """What a fixture did with the candidate while it was set up; `narrow` where each case has its own."""

    definition: Any
    request: Any
    calls: list[Call] = field(default_factory=list)
    lines: set[Line] = field(default_factory=set)
    narrow: bool = False


@dataclass(slots=True, kw_only=True)
class CaseRunning:
    """One run of one case: how it ended, and the calls it rests on.

    `lines` are the candidate's lines that it ran past the entry point, where lines are traced.
    """

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

    @property
    def outside(self) -> set[Line]:
        """Lines that it and its fixtures ran past the entry point."""
        return self.lines.union(*(use.lines for use in self.fixtures))

    def fail(self, error: BaseException | None, message: str) -> None:
        """Have failed with this; asked of a run that passed so far, so that its first failure is told."""
        self.status, self.error, self.message = "failed", error, message


class CaseRunner:
    """The pytest plugin that runs the cases it is told to run, and leaves all others to the next one."""

    _session: pytest.Session

    def __init__(self, recorder: TrialRecorder) -> None:
        self._recorder = recorder
        self._uses: dict[int, FixtureUse] = {}
        self._running: CaseRunning | None = None
        self._raised: list[BaseException] = []
        self.items: dict[str, pytest.Item] = {}

    def open(self, session: pytest.Session) -> None:
        """Learn which cases there are; before this, none can be run."""
        self._session = session
        self.items = {item.nodeid: item for item in session.items}

    def run_case(self, case_id: str) -> CaseRunning:
        """Run one case whole; wider fixtures stay set up for the next one."""
        item = self.items[case_id]
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

    def drop_outputs(self) -> None:
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

    def drop_everything(self) -> None:
        """Tear down all that is set up, and forget what fixtures did: as if no case had run."""
        self._tear_down()
        self._uses.clear()

    def _tear_down(self) -> None:
        try:
            self._session._setupstate.teardown_exact(None)  # noqa: SLF001
        except BaseException:  # noqa: BLE001 - the suite's own teardown error; the stack is empty now
            return

    # Hooks.

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: Any) -> bool | None:
        """Run the phases of a case of ours; the controller asks for nothing in between."""
        if self._running is None:
            return None
        self._tear_down_earlier(item, self._running)
        if getattr(item, "_request", True) is False:
            item._initrequest()  # type: ignore[attr-defined] # noqa: SLF001
        self._run_phase(item, "setup", self._running)
        if self._running.status == "passed":
            self._run_phase(item, "call", self._running)
        self._running.fixtures = self._uses_of(item)
        self._run_phase(item, "teardown", self._running, nextitem=nextitem)
        if hasattr(item, "_request"):
            item._request = False  # noqa: SLF001
            item.funcargs = None  # type: ignore[attr-defined]
        return True

    def _tear_down_earlier(self, item: pytest.Item, run: CaseRunning) -> None:
        """What the case before left set up and this one does not share goes now."""
        try:
            item.session._setupstate.teardown_exact(item)  # noqa: SLF001
        except BaseException as error:  # noqa: BLE001 - the earlier case's, told as this one's harness trouble
            run.message = f"tearing down what came before: {first_line(error)}"

    def _run_phase(self, item: pytest.Item, when: Any, run: CaseRunning, **keywords: Any) -> None:
        self._raised.clear()
        report = call_and_report(item, when, log=False, **keywords)
        if run.status != "passed":
            return
        if report.failed:
            error = self._last_raised()
            run.fail(error, first_line(error) if error else str(report.longrepr or "")[:300])
        elif report.skipped or (when == "call" and hasattr(report, "wasxfail")):
            run.status = "skipped"

    def _last_raised(self) -> BaseException | None:
        return self._raised[-1] if self._raised else None

    def _uses_of(self, item: pytest.Item) -> list[FixtureUse]:
        definitions = getattr(getattr(item, "_request", None), "_fixture_defs", {}).values()
        return [self._uses[id(each)] for each in definitions if id(each) in self._uses]

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
            run.fail(self._last_raised(), str(getattr(report, "longreprtext", ""))[:300])

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
        """Know which fixtures hold what the candidate computed."""
        first = len(self._recorder.calls)
        trace = self._recorder.trace
        lines: set[Line] = set()
        outer = trace.bucket if trace else None
        if trace is not None:
            trace.bucket = lines
        try:
            return (yield)
        finally:
            if trace is not None and outer is not None:
                trace.bucket = outer
            self._note_use(fixturedef, request, self._recorder.calls[first:], lines)

    def _note_use(self, definition: Any, request: Any, calls: list[Call], lines: set[Line]) -> None:
        """Keep what a fixture did; lines are traced once only, so those of its first setup still count."""
        known = self._uses.get(id(definition))
        if calls or lines or known:
            self._uses[id(definition)] = FixtureUse(
                definition=definition,
                request=request,
                calls=calls,
                lines=lines | (known.lines if known else set()),
                narrow=definition.scope == "function",
            )


__all__ = ["CaseRunner", "CaseRunning", "FixtureUse"]

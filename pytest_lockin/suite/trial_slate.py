"""A clean slate for each trial: nothing is left of what other code computed.

Where the suite leaves the session's state alone, that is what the candidate computed: recorded calls, and
fixtures that hold outputs. Where it does not, it is everything: all fixtures, and the session itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import FrameError
from pytest_lockin.model.suite import RaisedAt
from pytest_lockin.suite.replay import Failure, Replayer

if TYPE_CHECKING:
    from pytest_lockin.engines.base import Engine
    from pytest_lockin.frames.keep import FrameStore
    from pytest_lockin.suite.replay import Input, Result, TrialRecorder
    from pytest_lockin.suite.trial_cases import CaseRunner
    from pytest_lockin.suite.trial_known import Known


class Slate:
    """Wiped before and after whatever is tried; recorded inputs are replayed on it."""

    def __init__(
        self, engine: Engine, store: FrameStore, recorder: TrialRecorder, runner: CaseRunner, known: Known
    ) -> None:
        self._engine = engine
        self._recorder = recorder
        self._runner = runner
        self._known = known
        self._replayer = Replayer(engine, store)

    def wipe(self) -> None:
        """Begin anew, for a trial or a control."""
        self._recorder.calls.clear()
        if self._known.stateful:
            self._runner.drop_everything()
            self.freshen()
        else:
            self._runner.drop_outputs()

    def freshen(self) -> None:
        """Take back what calls may have done to the session, where the suite touches its state at all."""
        if self._known.stateful:
            self._engine.reset()
            self._replayer.forget()

    def call_again(self, given: Input) -> Any:
        """What a recorded call returns with the code in place, not materialised; None where it fails."""
        try:
            again = self._replayer.call_again(given.call)
        except FrameError:
            return None
        return None if again is None else again.value

    def replay(self, given: Input) -> Result:
        """Make a recorded call again with the code that is in place; a table lost is a failure, too."""
        try:
            return self._replayer.replay(given.call)
        except FrameError as error:
            return Failure(type=type(error).__name__, message=error.one_line, at=RaisedAt.CALL, error=error)


__all__ = ["Slate"]

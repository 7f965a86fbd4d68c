"""Running trials: work handed out one alternative at a time, answers kept as they come, the dead replaced."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pytest_lockin.errors import LockinError, RunOverError, WorkerError, WorkerTimedOutError
from pytest_lockin.model.trial import INCONCLUSIVE, Prepared, Probed, TrialOutcome, Tried, Try
from pytest_lockin.trials.plan import count_workers, trial_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_lockin.model.alternative import Mutant
    from pytest_lockin.trials.plan import TrialPlan


class TrialHost(Protocol):
    """A worker that serves one suite's trials."""

    prepared: Prepared

    def prepare(self) -> Prepared:
        """Start it and run the controls."""

    def try_one(self, request: Try, limit: float) -> Tried:
        """Run one trial; raises `WorkerError` when the worker dies or takes too long."""

    def probe(self, limit: float) -> Probed:
        """Give the cases wrecked outputs."""

    def stop(self) -> None:
        """End it, with all it started."""

    def kill(self) -> None:
        """End it now."""


@dataclass(slots=True, kw_only=True)
class TrialRun:
    """What running a list of alternatives gave; `refusal` says why nothing was run."""

    refusal: str = ""
    prepared: Prepared | None = None
    tried: dict[str, Tried] = field(default_factory=dict)
    probed: Probed | None = None
    trouble: list[str] = field(default_factory=list)


def run_trials(
    mutants: Sequence[Mutant],
    open_host: Callable[[], TrialHost],
    plan: TrialPlan,
    *,
    only: Mapping[str, tuple[str, ...]] | None = None,
    keep: Callable[[Mutant, Tried], None] = lambda _mutant, _tried: None,
) -> TrialRun:
    """Try all alternatives in the order given; what was not begun in time is `not_run`.

    The first worker runs the controls before any other is booted, so that a suite that cannot be trusted
    costs one worker. A trial that gives no answer is run once more, alone, at the end; only then is it
    `timed_out` or a `harness_error`. `only` names for some alternatives the cases to look at.
    `keep` is called with each answer as it comes, from several threads.
    """
    if not mutants and not plan.probes:
        return TrialRun()
    return _Runner(mutants, open_host, plan, only or {}, keep).run()


class _Runner:
    """One run: a queue, the threads that empty it, and what they found."""

    def __init__(
        self,
        mutants: Sequence[Mutant],
        open_host: Callable[[], TrialHost],
        plan: TrialPlan,
        only: Mapping[str, tuple[str, ...]],
        keep: Callable[[Mutant, Tried], None],
    ) -> None:
        self._only = only
        self._mutants = tuple(mutants)
        self._open_host = open_host
        self._plan = plan
        self._keep = keep
        self._queue = deque(self._mutants)
        self._again: list[Mutant] = []
        self._lock = threading.Lock()
        self._deadline: float | None = None
        self._over = False
        self._found = TrialRun()

    def run(self) -> TrialRun:
        found = self._found
        first = self._open()
        if first is None:
            found.refusal = found.trouble.pop() if found.trouble else "no worker"
            return found
        found.prepared = first.prepared
        # The controls of a large suite take their time; the budget is for trials.
        if self._plan.budget is not None:
            self._deadline = time.monotonic() + self._plan.budget
        helpers = [
            threading.Thread(target=self._help, daemon=True)
            for _ in range(count_workers(self._plan, len(self._mutants)) - 1)
        ]
        for thread in helpers:
            thread.start()
        host = self._serve(first)
        for thread in helpers:
            thread.join()
        host = self._retry(host)
        if self._plan.probes and host is not None:
            host = self._probe(host)
        if host is not None:
            host.stop()
        for mutant in self._mutants:
            found.tried.setdefault(mutant.id, Tried(id=mutant.id, outcome=TrialOutcome.NOT_RUN))
        return found

    def _open(self) -> TrialHost | None:
        """A prepared worker; None where the controls refuse or it cannot start, and why is in the trouble."""
        host = self._open_host()
        try:
            refusal = host.prepare().refusal
        except RunOverError as error:
            self._over = True
            refusal = error.one_line
        except LockinError as error:
            refusal = error.one_line
        except BaseException:
            host.kill()
            raise
        if not refusal:
            return host
        host.kill()
        with self._lock:
            self._found.trouble.append(refusal)
        return None

    def _help(self) -> None:
        host = self._open()
        host = self._serve(host) if host is not None else None
        if host is not None:
            host.stop()

    def _serve(self, first: TrialHost) -> TrialHost | None:
        """Take alternatives until there are none; a worker that dies is replaced."""
        host: TrialHost | None = first
        try:
            while (mutant := self._take()) is not None:
                host = host or self._open()
                if host is None:
                    with self._lock:
                        self._queue.appendleft(mutant)
                    return None
                tried = self._try(host, mutant)
                if tried.outcome in INCONCLUSIVE:
                    # The worker may be what is wrong: the next one gets a fresh one.
                    host.kill()
                    host = None
                    with self._lock:
                        self._again.append(mutant)
                else:
                    self._note(mutant, tried)
        except BaseException:
            if host is not None:
                host.kill()
            raise
        return host

    def _take(self) -> Mutant | None:
        with self._lock:
            if self._deadline is not None and time.monotonic() > self._deadline:
                return None
            return self._queue.popleft() if self._queue else None

    def _try(self, host: TrialHost, mutant: Mutant) -> Tried:
        """One trial; a worker that died or was killed for its time is an outcome, never a kill."""
        request = Try(
            id=mutant.id,
            module=mutant.module,
            source=mutant.source,
            exhaustive=self._plan.exhaustive,
            matrix=self._plan.matrix,
            only=self._only.get(mutant.id, ()),
        )
        try:
            return host.try_one(request, trial_limit(host.prepared.seconds))
        except WorkerTimedOutError as error:
            return Tried(id=mutant.id, outcome=TrialOutcome.TIMED_OUT, detail=error.one_line)
        except WorkerError as error:
            return Tried(id=mutant.id, outcome=TrialOutcome.HARNESS_ERROR, detail=error.one_line)

    def _note(self, mutant: Mutant, tried: Tried) -> None:
        self._found.tried[mutant.id] = tried
        self._keep(mutant, tried)

    def _retry(self, host: TrialHost | None) -> TrialHost | None:
        """Run what gave no answer once more, with nothing else running; then it is what it is."""
        for mutant in self._again:
            host = host or self._open()
            if self._over:
                # It may well have been killed by the interruption: nothing is known of it.
                return None
            if host is None:
                detail = self._found.trouble[-1] if self._found.trouble else "no worker"
                tried = Tried(id=mutant.id, outcome=TrialOutcome.HARNESS_ERROR, detail=detail)
            else:
                tried = self._try(host, mutant)
                if tried.outcome in INCONCLUSIVE:
                    host.kill()
                    host = None
            self._note(mutant, tried)
        return host

    def _probe(self, host: TrialHost) -> TrialHost | None:
        try:
            self._found.probed = host.probe(10 * trial_limit(host.prepared.seconds))
        except WorkerError as error:
            self._found.trouble.append(f"no probes of the asserts: {error.one_line}")
            host.kill()
            return None
        return host

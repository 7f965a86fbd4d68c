"""The baseline: the ordinary run, a second one in another order and partitioning, and the judge's.

A case whose outcome changes between two runs on one engine is flaky and judged no further. A suite any of
whose cases ends otherwise on the judge, or whose observed outputs differ there beyond decimal scale, ends on
the judge.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import LockinError
from pytest_lockin.frames import agree
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.agreement import Relaxation
from pytest_lockin.model.baseline import Baseline
from pytest_lockin.model.suite import Outcome, Raised, Returned
from pytest_lockin.suite.drive import SuiteSession, run_pass, run_whole
from pytest_lockin.suite.jobs import make_job, make_trial_job
from pytest_lockin.suite.trial_worker import HANDLER as TRIAL_HANDLER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.model.agreement import Agreement
    from pytest_lockin.model.suite import CallOutcome, CaseRun, LiveResult, SuiteRun
    from pytest_lockin.suite.jobs import SuiteWorld
    from pytest_lockin.workshop import Workshop

# Partitions of the second run; another number than the first's one.
SECOND_PARTITIONS = 3
_RED = (Outcome.FAILED, Outcome.ERROR)
# On another engine a decimal quotient or average may have another scale, and a float another last digit.
_OTHER_SCALE = frozenset({Relaxation.TYPES, Relaxation.FLOAT_CAST})


class Warm:
    """Keeps the worker of the second run for trials, where it is one that can serve them.

    A worker that has run the suite already saves a boot, which costs as much as forty trials. Whoever makes
    this ends what is left in it (`close`).
    """

    def __init__(self) -> None:
        self._session: SuiteSession | None = None

    def keep(self, session: SuiteSession) -> None:
        """Keep a session whose run went well."""
        self._session = session

    def take(self) -> SuiteSession | None:
        """Give the session to whoever goes on with it, once."""
        session, self._session = self._session, None
        return session

    def close(self) -> None:
        """End the worker nobody took."""
        session = self.take()
        if session is not None:
            session.kill()


def measure_baseline(
    workshop: Workshop,
    world: SuiteWorld,
    live: LiveResult,
    *,
    judging: str,
    limit: float,
    warm: Warm | None = None,
) -> Baseline:
    """Run a suite a second time, and once on the judge where there is one. A partial run is not repeated.

    With `warm`, the second run's worker is kept in it, if it can serve trials.
    """
    told = {run.case_id: run.outcome for run in live.told}
    version = next((run.engine_version for run in reversed(live.runs) if run.engine == live.engine), "")
    plain = Baseline(
        live=live,
        outcomes=tuple(told.items()),
        engine=live.engine,
        engine_version=version,
        moved=live.moved,
        trouble=live.trouble,
    )
    if live.partial or live.trouble or not told:
        return plain
    again = _Again(workshop, world, live, limit, warm)
    # A suite that moved half-way ran there in part; the judge's word is about the whole of it.
    judged = again.run_judge(judging) if judging and (live.moved or judging != live.engine) else None
    moved = live.moved or (_why_moved(live, judged) if judged else "")
    engine = judging if moved and judging else live.engine
    return _conclude(plain, judged, again.run_reversed(engine), moved, engine)


class _Again:
    """Further whole runs of one suite, each in a fresh worker."""

    def __init__(
        self, workshop: Workshop, world: SuiteWorld, live: LiveResult, limit: float, warm: Warm | None
    ) -> None:
        self._warm = warm
        self._workshop = workshop
        self._world = world
        self._suite = live.suite
        self._static_conf = live.static_conf
        self._limit = limit

    def run_judge(self, engine: str) -> SuiteRun:
        with self._workshop.lease(engine):
            return run_whole(self._open(engine, observe="outputs"))

    def run_reversed(self, engine: str) -> SuiteRun:
        if self._warm is not None and engine == "sail":
            return self._run_warm(self._warm)
        with self._workshop.lease(engine):
            return run_whole(
                self._open(engine, observe="none", partitions=SECOND_PARTITIONS),
                lambda cases: tuple(reversed(cases)),
            )

    def _run_warm(self, warm: Warm) -> SuiteRun:
        """The second run in a worker that serves trials afterwards; only Sail can change its partitions."""
        spec = self._workshop.engine("sail", partitions=SECOND_PARTITIONS)
        job = make_trial_job(self._workshop, self._world, self._suite, spec)
        session = SuiteSession(self._workshop, job, limit=self._limit, handler=TRIAL_HANDLER)
        run = run_pass(session, lambda cases: tuple(reversed(cases)))
        if run.errors:
            session.kill()
        else:
            warm.keep(session)
        return run

    def _open(self, engine: str, *, observe: str, partitions: int = 1) -> SuiteSession:
        spec = self._workshop.engine(engine, partitions=partitions, conf=self._static_conf)
        job = make_job(
            self._world, self._suite, spec, self._workshop.store_of(self._suite.id), observe=observe
        )
        return SuiteSession(self._workshop, job, limit=self._limit)


def _conclude(
    plain: Baseline, judged: SuiteRun | None, second: SuiteRun, moved: str, engine: str
) -> Baseline:
    told = dict(plain.outcomes)
    final = {run.case_id: run.outcome for run in judged.cases} if judged else told
    red = tuple(
        case_id for case_id, outcome in final.items() if outcome in _RED and told.get(case_id) not in _RED
    )
    first = judged.cases if judged is not None and engine == judged.engine else plain.live.told
    changes = dict(_find_changes(first, second.cases))
    confirmed = judged is not None or engine == "spark"
    trouble = (*plain.trouble, *(judged.errors if judged else ()), *second.errors)
    if second.errors == () and len(second.cases) < len(told):
        trouble = (*trouble, f"the second run reported {len(second.cases)} of {len(told)} cases")
    version = judged.engine_version if judged and engine == judged.engine else plain.engine_version
    return Baseline(
        live=plain.live,
        outcomes=tuple(final.items()),
        engine=engine,
        engine_version=version or second.engine_version,
        confirmed=confirmed,
        moved=moved,
        flaky=tuple(changes),
        changes=tuple(changes.values()),
        red_on_judge=red,
        unconfirmed_red=()
        if confirmed
        else tuple(case_id for case_id, outcome in final.items() if outcome in _RED),
        trouble=trouble,
    )


def _find_changes(first: tuple[CaseRun, ...], second: tuple[CaseRun, ...]) -> Iterator[tuple[str, str]]:
    """Cases that ended otherwise in another order and partitioning, with what each run said."""
    again = {run.case_id: run for run in second}
    for run in first:
        other = again.get(run.case_id, run)
        if other.outcome is not run.outcome:
            name = run.case_id.rpartition("::")[2]
            message = other.message or run.message
            yield run.case_id, f"{name}: {run.outcome}, then {other.outcome} in reverse order: {message}"


def _why_moved(live: LiveResult, judged: SuiteRun) -> str:
    told = {run.case_id: run.outcome for run in live.told}
    for run in judged.cases:
        before = told.get(run.case_id)
        if before is not None and before is not run.outcome:
            name = run.case_id.rpartition("::")[2]
            return f"{name} is {before} on {live.engine} and {run.outcome} on {judged.engine}"
    return _other_output(live, judged)


def _other_output(live: LiveResult, judged: SuiteRun) -> str:
    """Compare what the calls returned on both engines, call by call of each case.

    A suite's cases may have run in several workers (xdist's, or a fresh one after a crash); a case that made
    another number of calls on the judge is not compared.
    """
    calls = {run.case_id: run.observations for run in judged.cases}
    theirs = {seen.number: seen.outcome for seen in judged.observations}
    there = FrameStore(Path(judged.store), 0)
    for run in live.runs:
        if run.engine != live.engine:
            continue
        ours = {seen.number: seen.outcome for seen in run.observations}
        here = FrameStore(Path(run.store), 0)
        for case in run.cases:
            numbers = calls.get(case.case_id, ())
            if len(numbers) != len(case.observations):
                continue
            pairs = zip(case.observations, numbers, strict=True)
            if not all(_same_output(ours[left], theirs[right], here, there) for left, right in pairs):
                name = case.case_id.rpartition("::")[2]
                return f"an output in {name} differs between {live.engine} and {judged.engine}"
    return ""


def _same_output(left: CallOutcome, right: CallOutcome, here: FrameStore, there: FrameStore) -> bool:
    if isinstance(left, Raised) or isinstance(right, Raised):
        return isinstance(left, Raised) and isinstance(right, Raised)
    if not isinstance(left, Returned) or not isinstance(right, Returned):
        return type(left) is type(right)
    if [name for name, _ in left.parts] != [name for name, _ in right.parts]:
        return False
    try:
        agreements = [
            agree(there.load(theirs), here.load(ours))
            for (_, ours), (_, theirs) in zip(left.parts, right.parts, strict=True)
            if ours.digest != theirs.digest and ours.kept and theirs.kept
        ]
    except LockinError:
        return False
    return all(_up_to_scale(each) for each in agreements)


def _up_to_scale(agreement: Agreement) -> bool:
    recovered = set(agreement.recovered_by)
    return agreement.agrees or (bool(recovered) and recovered <= _OTHER_SCALE)

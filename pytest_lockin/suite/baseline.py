"""The baseline: the ordinary run, a second one in another order and partitioning, and the judge's.

A case whose outcome changes between two runs on one engine is flaky and judged no further. A suite any of
whose cases ends otherwise on the judge, or whose observed outputs differ there beyond decimal scale, ends on
the judge.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import LockinError
from pytest_lockin.frames import agree
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.agreement import Relaxation
from pytest_lockin.model.report import TestCounts
from pytest_lockin.model.suite import Outcome, Raised, Returned
from pytest_lockin.suite.drive import SuiteSession, run_whole
from pytest_lockin.suite.jobs import make_job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.model.agreement import Agreement
    from pytest_lockin.model.suite import CallOutcome, LiveResult, SuiteRun
    from pytest_lockin.suite.jobs import SuiteWorld
    from pytest_lockin.workshop import Workshop

# Partitions of the second run; another number than the first's one.
SECOND_PARTITIONS = 3
_RED = (Outcome.FAILED, Outcome.ERROR)
# On another engine a decimal quotient or average may have another scale, and a float another last digit.
_OTHER_SCALE = frozenset({Relaxation.TYPES, Relaxation.FLOAT_CAST})


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What all runs of a suite together say.

    Attributes:
        outcomes: per case the outcome that counts: the judge's where it ran, else what pytest was told.
        engine: the engine whose word that is.
        confirmed: the judge ran the whole suite.
        red_on_judge: cases that pytest was told are green and that are red on the judge.
        unconfirmed_red: cases red on Sail with no judge to confirm it.
    """

    live: LiveResult
    outcomes: tuple[tuple[str, Outcome], ...]
    engine: str
    engine_version: str
    confirmed: bool = False
    moved: str = ""
    flaky: tuple[str, ...] = ()
    red_on_judge: tuple[str, ...] = ()
    unconfirmed_red: tuple[str, ...] = ()
    trouble: tuple[str, ...] = ()

    @property
    def counts(self) -> TestCounts:
        """Cases by outcome; a flaky case is counted as flaky only."""
        counted = Counter(outcome for case_id, outcome in self.outcomes if case_id not in self.flaky)
        return TestCounts(
            passed=counted[Outcome.PASSED] + counted[Outcome.XPASSED],
            failed=counted[Outcome.FAILED],
            errors=counted[Outcome.ERROR],
            skipped=counted[Outcome.SKIPPED] + counted[Outcome.XFAILED],
            flaky=len(self.flaky),
        )

    @property
    def green_cases(self) -> tuple[str, ...]:
        """Cases that pass and are not flaky."""
        return tuple(
            case_id
            for case_id, outcome in self.outcomes
            if outcome is Outcome.PASSED and case_id not in self.flaky
        )


def measure_baseline(
    workshop: Workshop, world: SuiteWorld, live: LiveResult, *, judging: str, limit: float
) -> Baseline:
    """Run a suite a second time, and once on the judge where there is one. A partial run is not repeated."""
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
    judged = (
        _run(workshop, world, live, judging, "outputs", limit) if judging and judging != live.engine else None
    )
    moved = live.moved or (_why_moved(live, judged) if judged else "")
    if live.moved and judging:
        # Only the cases after the move ran there; the judge's word is about the whole suite.
        judged = _run(workshop, world, live, judging, "outputs", limit)
    engine = judging if moved and judging else live.engine
    second = _run(workshop, world, live, engine, "none", limit, reverse=True, partitions=SECOND_PARTITIONS)
    return _conclude(plain, judged, second, moved, engine)


def _run(
    workshop: Workshop,
    world: SuiteWorld,
    live: LiveResult,
    engine: str,
    observe: str,
    limit: float,
    *,
    reverse: bool = False,
    partitions: int = 1,
) -> SuiteRun:
    spec = workshop.engine(engine, partitions=partitions)
    job = make_job(world, live.suite, spec, workshop.store, observe=observe)

    def order(cases: Sequence[str]) -> Sequence[str]:
        return tuple(reversed(cases)) if reverse else tuple(cases)

    return run_whole(SuiteSession(workshop, job, limit=limit), order)


def _conclude(
    plain: Baseline, judged: SuiteRun | None, second: SuiteRun, moved: str, engine: str
) -> Baseline:
    told = dict(plain.outcomes)
    final = {run.case_id: run.outcome for run in judged.cases} if judged else told
    red = tuple(
        case_id for case_id, outcome in final.items() if outcome in _RED and told.get(case_id) not in _RED
    )
    again = {run.case_id: run.outcome for run in second.cases}
    compared = final if judged is None or engine == judged.engine else told
    flaky = tuple(
        case_id for case_id, outcome in compared.items() if again.get(case_id, outcome) is not outcome
    )
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
        flaky=flaky,
        red_on_judge=red,
        unconfirmed_red=()
        if confirmed
        else tuple(case_id for case_id, outcome in final.items() if outcome in _RED),
        trouble=trouble,
    )


def _why_moved(live: LiveResult, judged: SuiteRun) -> str:
    told = {run.case_id: run.outcome for run in live.told}
    for run in judged.cases:
        before = told.get(run.case_id)
        if before is not None and before is not run.outcome:
            name = run.case_id.rpartition("::")[2]
            return f"{name} is {before} on {live.engine} and {run.outcome} on {judged.engine}"
    return _other_output(live, judged)


def _other_output(live: LiveResult, judged: SuiteRun) -> str:
    """Compare what the calls returned on both engines, call by call of each case."""
    ours = next((run for run in reversed(live.runs) if run.observations), None)
    if ours is None or len(ours.observations) != len(judged.observations):
        return ""
    here, there = FrameStore(Path(ours.store), 0), FrameStore(Path(judged.store), 0)
    by_case = {run.case_id: run.observations for run in ours.cases}
    by_number = {seen.number: seen.outcome for seen in ours.observations}
    for run in judged.cases:
        numbers = by_case.get(run.case_id, ())
        theirs = {seen.number: seen.outcome for seen in judged.observations}
        for left, right in zip(numbers, run.observations, strict=False):
            if not _same_output(by_number[left], theirs[right], here, there):
                name = run.case_id.rpartition("::")[2]
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

"""Fidelity: does the suite accept a program that is held to be right, in the candidate's place?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_lockin.model.report import Fidelity
from pytest_lockin.model.suite import Outcome
from pytest_lockin.suite.drive import SuiteSession, run_whole
from pytest_lockin.suite.jobs import make_job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_lockin.model.messages import AskReference
    from pytest_lockin.model.suite import Suite
    from pytest_lockin.suite.jobs import SuiteWorld
    from pytest_lockin.workshop import Workshop


def measure_fidelity(
    workshop: Workshop,
    world: SuiteWorld,
    suite: Suite,
    *,
    engine: str,
    green_cases: tuple[str, ...],
    exchange: Path,
    answer: Callable[[AskReference], Any],
    limit: float,
) -> Fidelity:
    """Run the suite once with every call of the entry point answered by a reference.

    Only cases that pass on the candidate can reject the reference; one that fails on both says nothing.
    The worker is thrown away afterwards. `exchange` is the folder its tables travel through.
    """
    spec = workshop.engine(engine)
    job = make_job(world, suite, spec, exchange, observe="none", stub=True)
    run = run_whole(SuiteSession(workshop, job, answer=answer, limit=limit))
    if run.errors:
        return Fidelity(reason=run.errors[0])
    if not run.observations:
        return Fidelity(reason="no case calls the entry point")
    ended = {each.case_id: each.outcome for each in run.cases}
    rejecting = tuple(
        case_id for case_id in green_cases if ended.get(case_id) in (Outcome.FAILED, Outcome.ERROR)
    )
    return Fidelity(accepts_reference=not rejecting, cases_rejecting=rejecting)

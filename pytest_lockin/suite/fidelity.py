"""Fidelity: does the suite accept a program that is held to be right, in the candidate's place?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_lockin.model.report import Fidelity
from pytest_lockin.model.suite import Outcome
from pytest_lockin.suite.drive import SuiteSession, run_pass
from pytest_lockin.suite.jobs import make_job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_lockin.model.messages import AskReference, EngineSpec
    from pytest_lockin.model.suite import Suite
    from pytest_lockin.suite.jobs import SuiteWorld
    from pytest_lockin.workshop import Workshop


def measure_fidelity(
    workshop: Workshop,
    world: SuiteWorld,
    suite: Suite,
    *,
    engine: EngineSpec,
    green_cases: tuple[str, ...],
    exchange: Path,
    answers: Sequence[Callable[[AskReference], Any]],
    limit: float,
) -> Fidelity:
    """Run the suite with every call of the entry point answered by a reference, once for each reference.

    Only cases that pass on the candidate can reject a reference; one that fails on both says nothing. One
    worker serves all passes (everything is torn down between them) and is thrown away; calls made at import
    are answered by the first reference only. `exchange` is the folder the tables travel through.
    """
    job = make_job(world, suite, engine, exchange, observe="none", stub=True)
    session = SuiteSession(workshop, job, limit=limit)
    rejecting: dict[str, None] = {}
    for answer in answers:
        session.answer = answer
        run = run_pass(session)
        if run.errors or not run.observations:
            session.kill()
            return Fidelity(reason=run.errors[0] if run.errors else "no case calls the entry point")
        ended = {each.case_id: each.outcome for each in run.cases}
        rejecting.update(
            dict.fromkeys(case for case in green_cases if ended.get(case) in (Outcome.FAILED, Outcome.ERROR))
        )
    session.finish()
    return Fidelity(accepts_reference=not rejecting, cases_rejecting=tuple(rejecting))

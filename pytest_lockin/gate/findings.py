"""What of a suite the gate may look at: findings of every kind, each told apart from others of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.model.finding import CodeStatus
from pytest_lockin.model.report import Finding, VerdictKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.model.report import TaskReport


def find_findings(task: TaskReport, *, with_references: bool) -> tuple[Finding, ...]:
    """Everything of this suite that a gate may be asked to fail on, in a fixed order.

    A suite of which only part was run has one finding, `partial`. One that the change did not touch has
    none: it was not looked at.
    """
    if task.unchanged:
        return ()
    return tuple(_find(task, with_references=with_references))


def _find(task: TaskReport, *, with_references: bool) -> Iterator[Finding]:
    if not task.isolated:
        yield Finding(kind="not_isolated")
    if task.partial:
        yield Finding(kind="partial")
        return
    if task.verdict is not None:
        yield Finding(kind=str(task.verdict), detail=_say_verdict(task))
    yield from (Finding(kind="flaky", detail=case) for case in task.flaky)
    yield from (Finding(kind="red_on_judge", detail=case) for case in task.red_on_judge)
    if task.fidelity.accepts_reference is False:
        yield Finding(kind="unfaithful")
    judged = task.verdict not in (None, VerdictKind.UNVERIFIED)
    if with_references and judged and not task.confirmed:
        yield Finding(kind="unconfirmed")
    for each in task.obligations:
        if each.mechanism is not None:
            yield Finding(kind=str(each.mechanism), detail=each.id)


def _say_verdict(task: TaskReport) -> str:
    """What is wrong, so that a program that is wrong in another way is another finding."""
    if task.agreement is None or task.agreement.agrees:
        accusing = ", ".join(each.name for each in task.accusing)
        return f"on {accusing}" if accusing else ""
    broken = [each.id for each in task.obligations if each.code is CodeStatus.VIOLATED]
    return " ".join([str(task.agreement.category), *sorted(broken)])

"""Run the controls: perturb, verify, compare by the production comparator, judge the answer."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from pytest_lockin.errors import StudyError
from pytest_lockin.frames import agree
from pytest_lockin.studies.controls.accept import ACCEPT_KINDS
from pytest_lockin.studies.controls.extend import Extended
from pytest_lockin.studies.controls.oracle import NoOp, verify_pair
from pytest_lockin.studies.controls.reject import REJECT_KINDS
from pytest_lockin.studies.controls.report import ControlRecord, ControlReport, Group

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.model.agreement import Agreement
    from pytest_lockin.studies.controls.kinds import Kind, Pair

KINDS: tuple[Kind, ...] = (*ACCEPT_KINDS, *REJECT_KINDS)
_BY_NAME = {kind.name: kind for kind in KINDS}
# The paper's 57: one load of each of 33 references, three permutations, three queries for each rejection.
PAPER_REJECTS = (
    "column_alias",
    "column_order",
    "row_deletion",
    "row_duplication",
    "decimal_precision",
    "numeric_value",
    "null_insertion",
)
PAPER_QUERIES = 3


# References the paper's evaluator loaded beside its thirty (PAPERS A1.31).
INVENTORY = ("q23b", "q54", "q85")


def run_controls(
    references: Mapping[str, Frame],
    inventory: Mapping[str, Frame] | None = None,
    kinds: Sequence[Kind] = KINDS,
) -> ControlReport:
    """Run the paper's controls and every kind on every reference; deterministic by task id.

    `references` are the study's; `inventory` are further references that the paper's first control loads
    too (q23b, q54, q85). Which three queries the paper perturbed is not published: the first three by name
    that need no extension are taken.

    Raises:
        StudyError: no references.
    """
    if not references:
        raise StudyError(
            expected="reference outputs to control the comparator with",
            found="none",
            hint="build them with `lockin tasks build`",
        )
    study = dict(sorted(references.items()))
    paper = _run_paper(study, dict(sorted((inventory or {}).items())))
    extended = (
        run_control(kind, task, frame, Group.EXTENDED) for kind in kinds for task, frame in study.items()
    )
    return ControlReport(records=(*paper, *extended))


def _run_paper(study: Mapping[str, Frame], inventory: Mapping[str, Frame]) -> Iterator[ControlRecord]:
    for task, frame in {**study, **inventory}.items():
        yield run_control(_BY_NAME["reload"], task, frame, Group.PAPER)
    for name in ("row_permutation", *PAPER_REJECTS):
        for task in _choose_tasks(_BY_NAME[name], study):
            yield run_control(_BY_NAME[name], task, study[task], Group.PAPER)


def _choose_tasks(kind: Kind, study: Mapping[str, Frame]) -> list[str]:
    """Choose tasks that can be perturbed as they are, by name; tasks to extend fill the number up."""
    ready = [task for task, frame in study.items() if not extend_reference(kind, frame).added]
    return (ready + [task for task in study if task not in ready])[:PAPER_QUERIES]


def extend_reference(kind: Kind, frame: Frame) -> Extended:
    """Give a reference all that a kind needs, saying what was added."""
    state = Extended(frame=frame)
    for need in kind.needs:
        state = need(state)
    return state


def run_control(kind: Kind, task: str, frame: Frame, group: Group) -> ControlRecord:
    """Run one control. A no-op is recorded as one and not compared at all."""
    state = extend_reference(kind, frame)
    pair = kind.perturb(state.frame, Random(f"{kind.name}:{task}"))  # noqa: S311 - repeatable on purpose
    verdict = verify_pair(kind, pair)
    fault = verdict.reason if isinstance(verdict, NoOp) else ""
    observed, right = ("not compared", False) if fault else _compare(kind, pair)
    return ControlRecord(
        group=group,
        kind=kind.name,
        title=kind.title,
        task=task,
        answer=kind.answer,
        observed=observed,
        right=right,
        fault=fault,
        added=state.added,
    )


def _compare(kind: Kind, pair: Pair) -> tuple[str, bool]:
    """Ask the comparator; a rejection counts only where the unperturbed reference is accepted."""
    try:
        itself = agree(pair.expected, pair.expected, pair.rules, pair.pool)
        if not itself.agrees:
            return f"reference rejected against itself ({itself.category})", False
        agreement = agree(pair.expected, pair.found, pair.rules, pair.pool)
    except Exception as error:  # noqa: BLE001 - a comparator that raises has answered wrongly
        return f"raised {type(error).__name__}: {error}", False
    return _describe(agreement), kind.is_right(agreement, kind.answer)


def _describe(agreement: Agreement) -> str:
    if agreement.agrees:
        return "accepted" + "".join(f"; {type(one).__name__}" for one in agreement.differences)
    return f"rejected ({agreement.category})"

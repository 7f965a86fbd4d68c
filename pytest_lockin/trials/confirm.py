"""The looking engine's answers put to the judge: survivors all, kills on a sample; its word stands."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from pytest_lockin.model.trial import INCONCLUSIVE, TrialOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_lockin.model.trial import AlternativeResult, Tried

# Kills confirmed where not all are: enough to meet a systematic fault of the looking engine.
_SAMPLE = 3


def choose_to_confirm(results: Sequence[AlternativeResult], mode: str) -> tuple[str, ...]:
    """Ids to try again on the judge.

    Survivors all, but for those that no case reaches (which engine runs makes no difference); kills that
    rest on row order alone all; of the other kills a sample by id, the same in every run, or all.
    """
    if mode == "none":
        return ()
    chosen = [each.id for each in results if each.outcome in _LOOKED or (each.kill and each.order_only)]
    kills = [each for each in results if each.outcome is TrialOutcome.KILLED and not each.order_only]
    if mode != "all":
        kills = sorted(kills, key=lambda each: sha256(each.id.encode()).hexdigest())[:_SAMPLE]
    else:
        kills += [each for each in results if each.outcome is TrialOutcome.CRASHED]
    return (*chosen, *(each.id for each in kills))


_LOOKED = frozenset({TrialOutcome.UNINFECTED, TrialOutcome.UNREVEALED})


def apply_confirmation(
    results: Sequence[AlternativeResult], judged: Mapping[str, Tried], engine: str
) -> tuple[AlternativeResult, ...]:
    """Replace what the judge said otherwise, and mark what it confirmed.

    Uninfected against unrevealed is no disagreement of verdict: the finer word of the judge is taken. What
    the judge could not answer stays as it was, unconfirmed.
    """
    return tuple(_apply(each, judged.get(each.id), engine) for each in results)


def _apply(result: AlternativeResult, judged: Tried | None, engine: str) -> AlternativeResult:
    if judged is None or judged.outcome in INCONCLUSIVE or judged.outcome is TrialOutcome.NOT_RUN:
        return result
    if judged.outcome is result.outcome:
        same = result.equivalent or judged.same_plan
        return replace(result, confirmed=True, kill=judged.kill or result.kill, equivalent=same)
    both_survive = result.survived and judged.outcome in (*_LOOKED, TrialOutcome.UNREACHED)
    return replace(
        result,
        outcome=judged.outcome,
        kill=judged.kill,
        detail=judged.detail,
        order_only=judged.order_only,
        killers=judged.killers,
        engine=engine,
        confirmed=True,
        equivalent=judged.same_plan,
        disagreement="" if both_survive else f"{result.outcome} on {result.engine}",
    )

"""The class each variant belongs to, with its reason; what is not known is never said to be equal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.model.fixture import Standing, VariantStanding
from pytest_lockin.model.task import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_lockin.fixturegen.equivalence import Proof
    from pytest_lockin.model.alternative import Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What running showed, by variant id.

    Attributes:
        separated: the first fixture that separates it, and how; confirmed by plain runs.
        raises: what it raises on every fixture, where the reference returns.
        seen_only_while_looking: differs from the reference in DuckDB, which no plain run confirmed.
        unlooked: not run in DuckDB, with the reason.
        tried: how many small databases it was run on.
        most_rows: rows of the reference's largest result on any of them.
        fixtures: how many fixtures there are.
    """

    separated: Mapping[str, tuple[str, str]]
    raises: Mapping[str, str]
    seen_only_while_looking: frozenset[str]
    unlooked: Mapping[str, str]
    tried: Mapping[str, int]
    most_rows: int
    fixtures: int


def judge_variants(
    variants: Iterable[Variant], evidence: Evidence, prove: Callable[[str], Proof | None]
) -> tuple[VariantStanding, ...]:
    """Sort every variant into one class; proofs are only asked for where nothing differs."""
    return tuple(_judge(variant, evidence, prove) for variant in variants)


def _judge(variant: Variant, evidence: Evidence, prove: Callable[[str], Proof | None]) -> VariantStanding:
    tried = evidence.tried.get(variant.id, 0)
    if variant.id in evidence.separated:
        fixture, how = evidence.separated[variant.id]
        return _stand(variant, Standing.DISTINGUISHED, how, fixture=fixture)
    if variant.id in evidence.raises:
        return _stand(variant, Standing.UNKNOWN, f"does not run: {evidence.raises[variant.id]}")
    proof = prove(variant.sql)
    if proof is not None:
        reason = f"{proof.rule}: {proof.reason}"
        return _stand(variant, Standing.PROVED, reason, tried=tried, assumed=proof.assumed)
    return _judge_unproved(variant, evidence, tried)


def _judge_unproved(variant: Variant, evidence: Evidence, tried: int) -> VariantStanding:
    if variant.id in evidence.seen_only_while_looking:
        reason = "differs in DuckDB, and on no fixture in plain runs"
        return _stand(variant, Standing.UNKNOWN, reason, tried=tried)
    if variant.id in evidence.unlooked:
        reason = f"run on the {evidence.fixtures} fixtures alone: {evidence.unlooked[variant.id]}"
        return _stand(variant, Standing.UNKNOWN, reason, tried=evidence.fixtures)
    if variant.kind is Kind.LIMIT and evidence.most_rows < _first_number(variant.before):
        reason = f"no small database gives more than {evidence.most_rows} rows, so the limit is never reached"
        return _stand(variant, Standing.BOUNDED, reason, tried=tried)
    return _stand(variant, Standing.AGREED, f"no difference on {tried} small databases", tried=tried)


def _first_number(text: str) -> int:
    found = re.search(r"\d+", text)
    return int(found[0]) if found else 0


def _stand(
    variant: Variant,
    standing: Standing,
    reason: str,
    *,
    fixture: str = "",
    tried: int = 0,
    assumed: tuple[str, ...] = (),
) -> VariantStanding:
    return VariantStanding(
        id=variant.id,
        kind=variant.kind.value,
        text=variant.text,
        standing=standing,
        reason=reason,
        fixture=fixture,
        tried=tried,
        assumed=assumed,
    )

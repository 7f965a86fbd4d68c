"""How much of a hand-written list of obligations a derived one covers, matched by kind and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.model.task import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_lockin.model.task import Obligation

# A predicate and its constants are one requirement in some lists and two in others.
_ALIKE = {Kind.LITERAL: Kind.FILTER}
# Of an obligation's columns, how many the derived ones must name.
ENOUGH = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One hand-written obligation and the derived ones of its kind that share a column with it.

    `recall` is the share of its columns that they name together: 1 where neither names any.
    """

    obligation: Obligation
    derived: tuple[str, ...]
    recall: float

    @property
    def covered(self) -> bool:
        """Whether at least half of its columns are named by derived obligations of its kind."""
        return bool(self.derived) and self.recall >= ENOUGH


def match_obligations(
    written: Sequence[Obligation], derived: Sequence[Obligation], outputs: Mapping[str, str]
) -> tuple[Match, ...]:
    """Match each written obligation with derived ones of the same kind.

    A filter and a literal count as one kind; everything else must be the same. One without columns is
    matched by any derived one of its kind and fragment.

    `outputs` maps other names of output columns to the name derived obligations use (`#4` -> `sum_agg`).
    """
    return tuple(_match(each, derived, outputs) for each in written)


def _match(one: Obligation, derived: Sequence[Obligation], outputs: Mapping[str, str]) -> Match:
    wanted = {outputs.get(name.lower(), name.lower()) for name in one.columns}
    alike = [each for each in derived if _kind(each) is _kind(one)]
    if not wanted:
        found = tuple(each.id for each in alike if each.fragment is one.fragment)
        return Match(obligation=one, derived=found, recall=float(bool(found)))
    sharing = [each for each in alike if wanted & set(each.columns)]
    named = {name for each in sharing for name in each.columns}
    return Match(
        obligation=one,
        derived=tuple(each.id for each in sharing),
        recall=len(wanted & named) / len(wanted),
    )


def _kind(obligation: Obligation) -> Kind:
    return _ALIKE.get(obligation.kind, obligation.kind)

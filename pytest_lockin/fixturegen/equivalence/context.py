"""What a normal form is made with: knowledge, the rules allowed, and where a query stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.facts import Facts, facts_of

if TYPE_CHECKING:
    from pytest_lockin.fixturegen.equivalence.knowledge import Knowledge
    from pytest_lockin.fixturegen.equivalence.queries import Select


@dataclass(frozen=True, slots=True)
class Context:
    """How a query may be changed.

    Attributes:
        counted: whether it matters how often a row occurs; it does not inside EXISTS, IN and DISTINCT.
        outermost: whether it is the statement itself, whose row order, names and columns are seen.
    """

    knowledge: Knowledge
    rules: frozenset[str]
    counted: bool = True
    outermost: bool = False

    def facts(self, select: Select) -> Facts:
        """Give the facts about the rows before grouping."""
        return facts_of(select.source, self.knowledge)

    def inside(self, *, counted: bool = True) -> Context:
        """Give the context of a query inside."""
        return replace(self, counted=counted, outermost=False)

"""What a normal form is made with: knowledge, the rules allowed, and where a query stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.facts import Facts, facts_of
from pytest_lockin.fixturegen.equivalence.queries import Product, columns_of

if TYPE_CHECKING:
    from pytest_lockin.fixturegen.equivalence.knowledge import Knowledge
    from pytest_lockin.fixturegen.equivalence.queries import Query, Select
    from pytest_lockin.fixturegen.equivalence.terms import Term


@dataclass(frozen=True, slots=True)
class Context:
    """How a query may be changed.

    Attributes:
        counted: whether it matters how often a row occurs; it does not inside EXISTS, IN and DISTINCT.
        outermost: whether it is the statement itself, whose row order, names and columns are seen.
        filled: columns of the queries around it that are never NULL.
    """

    knowledge: Knowledge
    rules: frozenset[str]
    counted: bool = True
    outermost: bool = False
    filled: frozenset[Term] = frozenset()

    def facts(self, select: Select) -> Facts:
        """Give the facts about the rows before grouping."""
        return facts_of(select.source, self.knowledge)

    def inside(self, *, counted: bool = True) -> Context:
        """Give the context of a query in FROM: it sees nothing of its neighbours."""
        return replace(self, counted=counted, outermost=False, filled=frozenset())

    def asked(self, select: Select, query: Query, *, counted: bool) -> Context:
        """Give the context of a query in an expression, which may read columns of this one.

        What WHERE says of them is left aside: the expression may be part of it.
        """
        facts = facts_of(Product(select.source.parts), self.knowledge)
        seen = {column for column in columns_of(query) if column.source in facts.sources}
        filled = self.filled | {column for column in seen if facts.never_null(column)}
        return replace(self, counted=counted, outermost=False, filled=frozenset(filled))

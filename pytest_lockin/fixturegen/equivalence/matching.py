"""Two normal forms compared: alike, or different only in conditions and values that no row can tell apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_lockin.fixturegen.equivalence.facts import facts_of, group_never_null
from pytest_lockin.fixturegen.equivalence.kinds import same_kind
from pytest_lockin.fixturegen.equivalence.promises import find_promises
from pytest_lockin.fixturegen.equivalence.queries import Derived, Join, Product, Scan, Select, SetOperation
from pytest_lockin.fixturegen.equivalence.terms import Term, has_aggregate, has_window

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.fixturegen.equivalence.knowledge import Knowledge
    from pytest_lockin.fixturegen.equivalence.queries import From, Query


def match_queries(one: Query, other: Query, knowledge: Knowledge) -> bool:
    """Whether two queries give the same rows, in the same order where they sort, under the same names."""
    if one == other:
        return True
    if isinstance(one, SetOperation) and isinstance(other, SetOperation):
        rest = replace(one, branches=()) == replace(other, branches=())
        return rest and _all_match(one.branches, other.branches, knowledge)
    if isinstance(one, Select) and isinstance(other, Select):
        return _Pair(one, other, knowledge).match()
    return False


def _all_match(mine: tuple[Query, ...], yours: tuple[Query, ...], knowledge: Knowledge) -> bool:
    pairs = zip(mine, yours, strict=False)
    return len(mine) == len(yours) and all(match_queries(a, b, knowledge) for a, b in pairs)


class _Pair:
    """Two SELECTs that may be one."""

    def __init__(self, one: Select, other: Select, knowledge: Knowledge) -> None:
        self.one = one
        self.other = other
        self.knowledge = knowledge
        self.bare = facts_of(Product(one.source.parts), knowledge)
        self.promised = find_promises(one.source.parts)

    def match(self) -> bool:
        one, other = self.one, self.other
        frame = (one.distinct, one.limit, [item.name for item in one.items])
        if frame != (other.distinct, other.limit, [item.name for item in other.items]):
            return False
        if not self._match_parts(one.source.parts, other.source.parts):
            return False
        if not self._accept_the_same(one.source.where, other.source.where):
            return False
        return self._match_group() and self._match_outputs()

    # FROM and WHERE

    def _match_parts(self, mine: tuple[From, ...], yours: tuple[From, ...]) -> bool:
        pairs = zip(mine, yours, strict=False)
        return len(mine) == len(yours) and all(self._match_part(a, b) for a, b in pairs)

    def _match_part(self, mine: From, yours: From) -> bool:
        if mine == yours:
            return True
        if isinstance(mine, Derived) and isinstance(yours, Derived):
            return mine.id == yours.id and match_queries(mine.query, yours.query, self.knowledge)
        if isinstance(mine, Product) and isinstance(yours, Product):
            facts = facts_of(Product(mine.parts), self.knowledge)
            return self._match_parts(mine.parts, yours.parts) and self._ask(facts, mine.where, yours.where)
        if isinstance(mine, Join) and isinstance(yours, Join) and mine.kind == yours.kind:
            facts = facts_of(Product((mine.left, mine.right)), self.knowledge)
            sides = self._match_part(mine.left, yours.left) and self._match_part(mine.right, yours.right)
            return sides and self._ask(facts, mine.on, yours.on)
        return isinstance(mine, Scan) and mine == yours

    def _accept_the_same(self, mine: tuple[Term, ...], yours: tuple[Term, ...]) -> bool:
        return self._ask(self.bare, mine, yours, self.promised)

    def _ask(
        self, facts: Any, mine: tuple[Term, ...], yours: tuple[Term, ...], given: tuple[Term, ...] = ()
    ) -> bool:
        if mine == yours:
            return True
        from pytest_lockin.fixturegen.equivalence.conditions import Asker

        if len(mine) == len(yours) and all(self._match_shape(a, b) for a, b in zip(mine, yours, strict=True)):
            return True
        return Asker(facts.kind, facts.never_null).accept_the_same(mine, yours, given)

    def _match_shape(self, mine: Any, yours: Any) -> bool:
        """Whether two terms are alike but for the queries inside, which match."""
        if mine == yours:
            return True
        if not isinstance(mine, Term) or not isinstance(yours, Term):
            return (
                not isinstance(mine, Term)
                and not isinstance(yours, Term)
                and match_queries(mine, yours, self.knowledge)
            )
        alike = (mine.op, mine.tag, len(mine.args)) == (yours.op, yours.tag, len(yours.args))
        return alike and all(self._match_shape(a, b) for a, b in zip(mine.args, yours.args, strict=True))

    # Groups and outputs

    def _match_group(self) -> bool:
        mine, yours = self.one.group, self.other.group
        if mine == yours:
            return self._match_having()
        if mine is None or yours is None:
            return False
        if mine.kind != yours.kind or len(mine.keys) != len(yours.keys):
            return False
        pairs = zip(mine.keys, yours.keys, strict=True)
        if mine.kind == "levels":
            return False
        return all(self._match_row_terms(a, b) for a, b in pairs) and self._match_having()

    def _match_having(self) -> bool:
        mine, yours = self.one.having, self.other.having
        if mine == yours:
            return True
        from pytest_lockin.fixturegen.equivalence.conditions import Asker

        pairs = zip(mine, yours, strict=False)
        if len(mine) == len(yours) and all(self._match_terms(a, b) for a, b in pairs):
            return True
        return Asker(self.bare.kind, self._group_never_null).accept_the_same(mine, yours)

    def _group_never_null(self, term: Term) -> bool:
        return group_never_null(self.one, term, self.knowledge)

    def _match_outputs(self) -> bool:
        items = zip(self.one.items, self.other.items, strict=True)
        if not all(self._match_terms(a.term, b.term) for a, b in items):
            return False
        mine, yours = self.one.order, self.other.order
        return len(mine) == len(yours) and all(map(self._match_terms, mine, yours))

    def _match_terms(self, mine: Any, yours: Any) -> bool:
        """Match what is computed after grouping, if there is any."""
        if self.one.group is None:
            return self._match_row_terms(mine, yours)
        if mine == yours:
            return True
        if not isinstance(mine, Term) or not isinstance(yours, Term):
            return self._match_shape(mine, yours)
        alike = (mine.op, mine.tag, len(mine.args)) == (yours.op, yours.tag, len(yours.args))
        deeper = self._match_row_terms if mine.op == "agg" else self._match_terms
        if alike and mine.args and all(map(deeper, mine.args, yours.args)):
            return True
        if self.one.group.kind != "plain" or mine.op in ("key", "by", "keys", "agg", "over"):
            return False
        return self._one_value(mine, yours, self._group_never_null)

    def _match_row_terms(self, mine: Any, yours: Any) -> bool:
        """Match what is computed row by row, of rows that WHERE lets through."""
        if mine == yours:
            return True
        if not isinstance(mine, Term) or not isinstance(yours, Term):
            return self._match_shape(mine, yours)
        alike = (mine.op, mine.tag, len(mine.args)) == (yours.op, yours.tag, len(yours.args))
        if alike and mine.args and all(map(self._match_row_terms, mine.args, yours.args)):
            return True
        if mine.op in ("key", "by", "keys", "row", "over", "window") or has_aggregate(mine):
            return False
        return self._one_value(mine, yours, self.bare.never_null)

    def _one_value(self, mine: Term, yours: Term, never_null: Any) -> bool:
        from pytest_lockin.fixturegen.equivalence.conditions import Asker

        if has_window(mine) or has_window(yours) or not same_kind(mine, yours, self.bare.kind):
            return False
        where: Iterable[Term] = (*self.one.source.where, *self.other.source.where, *self.promised)
        return Asker(self.bare.kind, never_null).have_one_value(mine, yours, where)

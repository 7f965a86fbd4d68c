"""Proofs of equivalence: the rule that does it, why it holds, and what was assumed about the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.errors import StatementError
from pytest_lockin.fixturegen.equivalence.context import Context
from pytest_lockin.fixturegen.equivalence.expressions import UnsupportedError
from pytest_lockin.fixturegen.equivalence.knowledge import Knowledge
from pytest_lockin.fixturegen.equivalence.matching import match_queries
from pytest_lockin.fixturegen.equivalence.normal import normal_form
from pytest_lockin.fixturegen.equivalence.reading import Reader
from pytest_lockin.sql.statement import DIALECT, read_statement

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_lockin.fixturegen.equivalence.queries import Query
    from pytest_lockin.model.fixture import Profile

SAME_PLAN = "same-plan"
LAST = "condition"
MEMORY = 20_000
RULES = {
    "same-form": "both say the same in other words",
    "copied-column": "the one column is a copy of the other in every row",
    "null-safe": "NULL never meets NULL there: one side of the comparison is never NULL",
    "outer-join": "rows without a partner are dropped by a later condition, or cannot exist",
    "semi-join": "each row has at most one partner, or nobody counts how many",
    "equal-columns": "a condition makes the two columns equal in every row",
    "unused": "nothing reads what differs",
    "pushed-condition": "a later condition keeps only rows for which it makes no difference",
    "idle-default": "the value is never NULL, so its default never shows",
    "settled-key": "the key follows from the other keys",
    "no-duplicates": "no row occurs twice there, or nobody counts how often",
    "condition": "the conditions are true of the same rows, or the values are the same in all of them",
    SAME_PLAN: "Spark makes one plan of both",
}
"""Rules from the plainest on, each with its reason. A proof is named by the last one it needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A statement is proved to give what another one gives, on all data the profile allows.

    Attributes:
        rule: the rule that decides, a key of `RULES`; plainer ones may have helped.
        reason: in a reader's words.
        assumed: facts about the data that were mined from a sample and that it does not hold without.
    """

    rule: str
    reason: str
    assumed: tuple[str, ...] = ()


def prove_equivalent(
    reference: str, variant: str, profile: Profile, *, same_plan: Callable[[str, str], bool] | None = None
) -> Proof | None:
    """Prove that two statements of Spark SQL give the same rows, names and types; see `Prover`."""
    return Prover(reference, profile, same_plan=same_plan).prove(variant)


class Prover:
    """Proves variants of one reference.

    Rows are compared as a multiset; where the reference sorts, the sequence of its sort keys counts too, and
    rows with equal keys may stand in any order. A LIMIT may cut among rows with equal keys as it likes. None
    means "not proved", never "different". Not seen: errors raised at run time for rows that are not kept (a
    division that only one of two conditions guards), and overflow.

    `same_plan(reference, variant)` may ask an engine whether it makes one plan (and one schema) of both; it
    is asked last.
    """

    def __init__(
        self, reference: str, profile: Profile, *, same_plan: Callable[[str, str], bool] | None = None
    ) -> None:
        self.reference = reference
        self.profile = profile
        self.same_plan = same_plan
        self._schemas = profile.schemas
        self._mine = _parse(reference, self._schemas)
        self._known: dict[_Beliefs, Knowledge] = {}
        self._forms: dict[object, tuple[Query, tuple[str, ...]]] = {}

    def prove(self, variant: str) -> Proof | None:
        """Prove a variant equivalent; None where no rule does."""
        proof = self._by_rules(variant)
        if proof is None and self.same_plan is not None and self.same_plan(self.reference, variant):
            return Proof(rule=SAME_PLAN, reason=RULES[SAME_PLAN])
        return proof

    def _by_rules(self, variant: str) -> Proof | None:
        mine, yours = self._mine, _parse(variant, self._schemas)
        if mine is None or yours is None or mine.names != yours.names:
            return None
        beliefs = self._fewest_beliefs(yours.query)
        if beliefs is None:
            return None
        for rule, reason in RULES.items():
            if rule == LAST or self._match(yours.query, beliefs, _up_to(rule)) is not None:
                return Proof(rule=rule, reason=reason, assumed=self._match(yours.query, beliefs) or ())
        return None

    def _fewest_beliefs(self, variant: Query) -> _Beliefs | None:
        """Find how little of what was mined a proof needs; None where even all of it does not help."""
        beliefs = _Beliefs()
        leaned = self._match(variant, beliefs)
        if leaned and self._match(variant, _Beliefs(mined=False)) is not None:
            return _Beliefs(mined=False)
        needed: set[str] = set()
        while leaned is not None and (left := [says for says in leaned if says not in needed]):
            trial = _Beliefs(without=beliefs.without | {left[0]})
            found = self._match(variant, trial)
            if found is None:
                needed.add(left[0])
            else:
                beliefs, leaned = trial, found
        return None if leaned is None else beliefs

    def _match(
        self, variant: Query, beliefs: _Beliefs, rules: frozenset[str] = frozenset(RULES)
    ) -> tuple[str, ...] | None:
        """Give the mined facts that a proof by some rules leans on; None where they prove nothing."""
        mine, leaned = self._form_of_mine(beliefs, rules)
        knowledge = self._knowledge(beliefs)
        yours = normal_form(variant, _context(knowledge, rules))
        if mine != yours and not (LAST in rules and match_queries(mine, yours, knowledge)):
            return None
        return tuple(dict.fromkeys((*leaned, *knowledge.leaned)))

    def _knowledge(self, beliefs: _Beliefs) -> Knowledge:
        """Give what is believed; what was worked out for other variants is remembered, to a limit."""
        known = self._known.get(beliefs)
        if known is None or len(known.memory) > MEMORY:
            known = self._known[beliefs] = beliefs.about(self.profile)
        known.leaned = {}
        return known

    def _form_of_mine(self, beliefs: _Beliefs, rules: frozenset[str]) -> tuple[Query, tuple[str, ...]]:
        key = (beliefs, rules)
        if key not in self._forms and self._mine is not None:
            knowledge = self._knowledge(beliefs)
            form = normal_form(self._mine.query, _context(knowledge, rules))
            self._forms[key] = form, tuple(knowledge.leaned)
        return self._forms[key]


@dataclass(frozen=True, slots=True)
class _Beliefs:
    """Which mined facts count: all but some, or none."""

    mined: bool = True
    without: frozenset[str] = frozenset()

    def about(self, profile: Profile) -> Knowledge:
        return Knowledge(profile, without=self.without, mined=self.mined)


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A statement read; `names` are those of its columns as the text gives them."""

    query: Query
    names: tuple[str, ...]


def _parse(sql: str, schemas: dict[str, dict[str, str]]) -> _Parsed | None:
    """Read a statement; None where it cannot be read, or has parts that proofs do not know."""
    try:
        statement = read_statement(sql, schemas)
        return _Parsed(Reader().read(statement.tree, "", {}, {}), _names(sql))
    except (StatementError, UnsupportedError, RecursionError):
        return None


def _names(sql: str) -> tuple[str, ...]:
    """Give the names of a statement's columns; Spark calls one without an alias by its text."""
    import sqlglot

    first = sqlglot.parse_one(sql, read=DIALECT)
    while not hasattr(first, "selects") or first.key in ("union", "intersect", "except", "subquery"):
        first = first.this
    return tuple(node.alias_or_name or node.sql(DIALECT) for node in first.expressions)


def _up_to(rule: str) -> frozenset[str]:
    names = list(RULES)
    return frozenset(names[: names.index(rule) + 1])


def _context(knowledge: Knowledge, rules: frozenset[str]) -> Context:
    return Context(knowledge=knowledge, rules=rules, outermost=True)

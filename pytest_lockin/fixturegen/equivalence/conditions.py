"""R7: two conditions, or two values, that no row can tell apart; decided by z3 in three-valued logic.

Every row of a real table corresponds to an assignment of the solver's variables, not the other way round:
what is not understood (a function, a comparison across types, a subquery) may take any value. So `unsat` is a
proof, and anything else is not. What raises (a division by zero that only one of the two guards against) is
not seen.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import z3

from pytest_lockin.fixturegen.equivalence.facts import STRICT
from pytest_lockin.fixturegen.equivalence.kinds import INTEGERS, family, kind_of
from pytest_lockin.fixturegen.equivalence.terms import COMPARISONS, FALSE, NULL, TRUE, Term, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

EFFORT = 3_000_000
"""The solver's own count of steps after which it gives up: the same on every machine."""

_TRUTHS = (*COMPARISONS, "same", "and", "or", "not", "in", "is-null", "exists", "in-query")

_TRUTHS_OF = {TRUE: (True, False), FALSE: (False, True), NULL: (False, False)}


class Asker:
    """Answers questions about rows; `kind` gives their columns' types, `never_null` what is filled."""

    def __init__(self, kind: Callable[[Term], str], never_null: Callable[[Term], bool]) -> None:
        self.kind = kind
        self.never_null = never_null

    def accept_the_same(self, one: Iterable[Term], other: Iterable[Term], given: Iterable[Term] = ()) -> bool:
        """Whether, of rows that meet `given`, all of `one` is true exactly where all of `other` is."""
        mine, yours, known = tuple(one), tuple(other), tuple(given)
        question = _Question(self, (*mine, *yours, *known))
        left = z3.And(*(question.truth(term)[0] for term in mine))
        right = z3.And(*(question.truth(term)[0] for term in yours))
        return question.refutes(left != right, *(question.truth(term)[0] for term in known))

    def have_one_value(self, one: Term, other: Term, where: Iterable[Term]) -> bool:
        """Whether two terms have the same value, or are both NULL, in every row that meets `where`."""
        path = tuple(where)
        question = _Question(self, (one, other, *path))
        if _is_truth(one) and _is_truth(other):
            (t1, f1), (t2, f2) = question.truth(one), question.truth(other)
            differs = z3.Or(t1 != t2, f1 != f2)
        else:
            mine, yours = question.value(one), question.value(other)
            if mine[1].sort() != yours[1].sort():
                return False
            differs = z3.Or(mine[0] != yours[0], z3.And(z3.Not(mine[0]), mine[1] != yours[1]))
        return question.refutes(differs, *(question.truth(term)[0] for term in path))


def _is_truth(term: Term) -> bool:
    return term.op in _TRUTHS


class _Question:
    """One question: its variables, and what is known of them."""

    def __init__(self, asker: Asker, terms: tuple[Term, ...]) -> None:
        self.asker = asker
        self.known: list[Any] = []
        self.named = 0
        self.truths: dict[Term, tuple[Any, Any]] = {}
        self.values: dict[Term, tuple[Any, Any]] = {}
        texts = {
            part.tag[1]
            for term in terms
            for part in walk(term)
            if part.op == "lit" and part.tag[0] == "string"
        }
        # Any set of strings can be laid out on the reals in its order, with these at whole numbers.
        self.ranks = {text: rank for rank, text in enumerate(sorted(texts, key=str.encode))}

    def refutes(self, *claims: Any) -> bool:
        """Whether no row meets the claims."""
        solver = z3.Solver()
        solver.set("rlimit", EFFORT)
        solver.set("random_seed", 0)
        solver.add(*claims)
        solver.add(*self.known)
        return bool(solver.check() == z3.unsat)

    def _new_name(self) -> str:
        self.named += 1
        return f"v{self.named}"

    # Conditions: two Booleans, `is true` and `is false`; neither is unknown.

    def truth(self, term: Term) -> tuple[Any, Any]:
        """Give when a condition is true, and when it is false."""
        if term not in self.truths:
            self.truths[term] = self._truth(term)
        return self.truths[term]

    def _truth(self, term: Term) -> tuple[Any, Any]:
        constant = _TRUTHS_OF.get(term)
        if constant is not None:
            return z3.BoolVal(constant[0]), z3.BoolVal(constant[1])
        read = {
            "and": self._junction,
            "or": self._junction,
            "not": self._negation,
            "in": self._list,
            "is-null": self._null_test,
        }.get(term.op, self._comparison if term.op in (*COMPARISONS, "same") else self._open_truth)
        return read(term)

    def _junction(self, term: Term) -> tuple[Any, Any]:
        sides = [self.truth(arg) for arg in term.args]
        both, one = (z3.And, z3.Or) if term.op == "and" else (z3.Or, z3.And)
        return both(*(t for t, _ in sides)), one(*(f for _, f in sides))

    def _negation(self, term: Term) -> tuple[Any, Any]:
        yes, no = self.truth(term.args[0])
        return no, yes

    def _list(self, term: Term) -> tuple[Any, Any]:
        value, *listed = term.args
        return self._junction(Term("or", tuple(Term("eq", (value, each)) for each in listed)))

    def _null_test(self, term: Term) -> tuple[Any, Any]:
        null = self._is_null(term.args[0])
        return null, z3.Not(null)

    def _is_null(self, term: Term) -> Any:
        if _is_truth(term):
            yes, no = self.truth(term)
            return z3.Not(z3.Or(yes, no))
        return self.value(term)[0]

    def _comparison(self, term: Term) -> tuple[Any, Any]:
        families = {family(kind_of(arg, self.asker.kind)) for arg in term.args if arg.op != "null"}
        if len(families) > 1 or families & {"", "boolean"}:
            return self._by_arms(term) or self._open_truth(term)
        (n1, v1), (n2, v2) = (self.value(arg) for arg in term.args)
        v1, v2 = _one_sort(v1, v2)
        if term.op == "same":
            same = z3.Or(z3.And(n1, n2), z3.And(z3.Not(n1), z3.Not(n2), v1 == v2))
            return same, z3.Not(same)
        holds = {"eq": v1 == v2, "ne": v1 != v2, "lt": v1 < v2, "le": v1 <= v2}[term.op]
        filled = z3.And(z3.Not(n1), z3.Not(n2))
        return z3.And(filled, holds), z3.And(filled, z3.Not(holds))

    def _by_arms(self, term: Term) -> tuple[Any, Any] | None:
        """Ask a comparison of the one value that a CASE may have besides NULL; None for other comparisons."""
        for place, arg in enumerate(term.args):
            if arg.op != "case" or term.op == "same":
                continue
            values = {value for value in (*arg.args[1::2], arg.args[-1]) if value.op != "null"}
            if len(values) != 1:
                continue
            args = list(term.args)
            args[place] = values.pop()
            yes, no = self.truth(Term(term.op, tuple(args)))
            taken = self._taken(arg)
            return z3.And(taken, yes), z3.And(taken, no)
        return None

    def _taken(self, case: Term) -> Any:
        """Give when a CASE takes an arm that is not NULL."""
        taken = z3.BoolVal(case.args[-1].op != "null")
        for when, then in reversed(list(zip(case.args[:-1:2], case.args[1::2], strict=True))):
            taken = z3.If(self.truth(when)[0], z3.BoolVal(then.op != "null"), taken)
        return taken

    def _open_truth(self, term: Term) -> tuple[Any, Any]:
        """Give a condition that is not understood any answer, but one and the same wherever it stands."""
        name = self._new_name()
        yes, no = z3.Bool(f"{name}+"), z3.Bool(f"{name}-")
        self.known.append(z3.Not(z3.And(yes, no)))
        if term.op == "exists":
            self.known.append(z3.Or(yes, no))
        if term.op in COMPARISONS or term.op == "fn:like":
            for arg in term.args:
                self.known.append(z3.Implies(self._is_null(arg), z3.Not(z3.Or(yes, no))))
        if term.op == "col" and self.asker.never_null(term):
            self.known.append(z3.Or(yes, no))
        return yes, no

    # Values: `is NULL`, and a number that stands for the value.

    def value(self, term: Term) -> tuple[Any, Any]:
        """Give when a value is NULL, and the value."""
        if term not in self.values:
            self.values[term] = self._value(term)
        return self.values[term]

    def _value(self, term: Term) -> tuple[Any, Any]:
        kind = kind_of(term, self.asker.kind)
        if term.op == "lit" and term.tag[0] in ("int", "decimal", "string", "date"):
            return z3.BoolVal(False), self._constant(*term.tag)  # noqa: FBT003  z3's own signature
        if term.op in ("add", "sub") and all(kind_of(a, self.asker.kind) in INTEGERS for a in term.args):
            (n1, v1), (n2, v2) = (self.value(arg) for arg in term.args)
            return z3.Or(n1, n2), v1 + v2 if term.op == "add" else v1 - v2
        if term.op == "case" and family(kind) and family(kind) != "boolean":
            return self._case(term)
        if term.op == "coalesce" and family(kind) and family(kind) != "boolean":
            return self._coalesce(term)
        return self._open_value(term, kind)

    def _constant(self, kind: str, value: Any) -> Any:
        if kind == "string":
            return z3.RealVal(self.ranks[value])
        if kind == "decimal":
            return z3.RealVal(str(Decimal(value)))
        return z3.IntVal(value)

    def _case(self, term: Term) -> tuple[Any, Any]:
        null, value = self._arm(term.args[-1])
        for when, then in reversed(list(zip(term.args[:-1:2], term.args[1::2], strict=True))):
            asked = self.truth(when)[0]
            n, v = self._arm(then)
            v, value = _one_sort(v, value)
            null, value = z3.If(asked, n, null), z3.If(asked, v, value)
        return null, value

    def _coalesce(self, term: Term) -> tuple[Any, Any]:
        null, value = self._arm(term.args[-1])
        for arg in reversed(term.args[:-1]):
            n, v = self._arm(arg)
            v, value = _one_sort(v, value)
            null, value = z3.And(n, null), z3.If(n, value, v)
        return null, value

    def _arm(self, term: Term) -> tuple[Any, Any]:
        if term.op == "null":
            return z3.BoolVal(True), z3.IntVal(0)  # noqa: FBT003  z3's own signature
        return self.value(term)

    def _open_value(self, term: Term, kind: str) -> tuple[Any, Any]:
        """Give a value that is not understood any value, but one and the same wherever it stands."""
        name = self._new_name()
        whole = kind in INTEGERS or kind == "date"
        null, value = z3.Bool(f"{name}?"), z3.Int(name) if whole else z3.Real(name)
        if term.op == "null":
            self.known.append(null)
        elif self.asker.never_null(term):
            self.known.append(z3.Not(null))
        elif term.op in STRICT:
            for arg in term.args:
                if isinstance(arg, Term):
                    self.known.append(z3.Implies(self._is_null(arg), null))
        return null, value


def _one_sort(one: Any, other: Any) -> tuple[Any, Any]:
    if one.sort() == other.sort():
        return one, other
    return (z3.ToReal(one) if one.is_int() else one), (z3.ToReal(other) if other.is_int() else other)

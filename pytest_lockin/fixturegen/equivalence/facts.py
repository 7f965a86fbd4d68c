"""What holds for every row of a FROM and WHERE: which columns are not NULL, and which follow from which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_lockin.fixturegen.equivalence.derivations import find_dependencies, find_filled
from pytest_lockin.fixturegen.equivalence.kinds import INTEGERS, family, kind_of, widest
from pytest_lockin.fixturegen.equivalence.queries import (
    Derived,
    Join,
    Product,
    Scan,
    Select,
    SetOperation,
    columns_in,
    ids_of,
    outputs,
)
from pytest_lockin.fixturegen.equivalence.terms import (
    COMPARISONS,
    Term,
    col,
    has_aggregate,
    has_query,
    has_window,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_lockin.fixturegen.equivalence.knowledge import Knowledge
    from pytest_lockin.fixturegen.equivalence.queries import From, Query

STRICT = (
    *("add", "sub", "mul", "div", "neg", "cast", "fn:dpipe", "fn:concat", "fn:abs", "fn:round"),
    *("fn:substring", "fn:upper", "fn:lower", "fn:year", "fn:month", "fn:trim", "fn:length"),
)
"""What is NULL as soon as one part is."""
_PLACES = ("fn:rank", "fn:denserank", "fn:rownumber")
_OF_ROWS = ("sum", "min", "max", "avg")


def strict_columns(term: Term) -> frozenset[Term]:
    """Give columns that make a value NULL (a condition: unknown) when they are NULL."""
    if term.op == "col":
        return frozenset((term,))
    if term.op in STRICT or term.op in COMPARISONS:
        return frozenset().union(*(strict_columns(arg) for arg in term.args))
    if term.op in ("in", "fn:like"):
        return strict_columns(term.args[0])
    if term.op == "not":
        inner = term.args[0]
        return strict_columns(inner.args[0] if inner.op == "is-null" else inner)
    if term.op == "case":
        arms = zip(term.args[:-1:2], term.args[1::2], strict=True)
        sides = [rejected(when) | strict_columns(then) for when, then in arms]
        rest = term.args[-1]
        return frozenset.intersection(*sides, *([] if rest.op == "null" else [strict_columns(rest)]))
    return frozenset()


def rejected(condition: Term) -> frozenset[Term]:
    """Give columns for whose NULL a condition is never true."""
    if condition.op == "and":
        return frozenset().union(*(rejected(arg) for arg in condition.args))
    if condition.op == "or":
        return frozenset.intersection(*(rejected(arg) for arg in condition.args))
    if condition.op == "in-query":
        return strict_columns(condition.args[0])
    if condition.op == "exists":
        return _rejected_by_exists(condition.args[0])
    return strict_columns(condition)


def _rejected_by_exists(query: Query) -> frozenset[Term]:
    if not isinstance(query, Select) or (query.group and query.group.kind == "whole"):
        return frozenset()
    own = ids_of(query.source)
    found = frozenset().union(*(rejected(term) for term in _conditions(query.source)))
    return frozenset(column for column in found if column.source not in own)


def _conditions(part: From) -> Iterator[Term]:
    """Give conditions that hold for every row of a FROM: not those of outer joins."""
    if isinstance(part, Product):
        yield from part.where
        for inner in part.parts:
            yield from _conditions(inner)
    elif isinstance(part, Join) and part.kind != "full":
        yield from _conditions(part.left)
        if part.kind == "semi":
            yield from part.on


@dataclass(frozen=True, slots=True)
class Closure:
    """Columns whose values are settled by some terms, and sources of which the row is."""

    columns: frozenset[Term]
    rows: frozenset[str]
    terms: frozenset[Term]

    def settles(self, term: Term) -> bool:
        """Whether a term's value is settled; never for what is computed from several rows."""
        if term in self.terms:
            return True
        if has_aggregate(term) or has_window(term) or has_query(term):
            return False
        return all(each in self.columns or each.source in self.rows for each in columns_in(term))


class Facts:
    """Facts about the rows of one FROM and WHERE."""

    def __init__(self, source: From, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.sources: dict[str, Scan | Derived] = {}
        self.optional: set[str] = set()
        self._visit(source, optional=False)
        self.conditions = tuple(_conditions(source))
        self.filled = frozenset().union(*(rejected(term) for term in self.conditions))
        self.filled |= frozenset(self._filled_by_rules())
        self._rules: list[tuple[frozenset[Term], Term]] | None = None

    def _visit(self, part: From, *, optional: bool) -> None:
        if isinstance(part, Product):
            for inner in part.parts:
                self._visit(inner, optional=optional)
        elif isinstance(part, Join):
            self._visit(part.left, optional=optional or part.kind == "full")
            if part.kind in ("left", "full"):
                self._visit(part.right, optional=True)
        else:
            self.sources[part.id] = part
            if optional:
                self.optional.add(part.id)

    def _filled_by_rules(self) -> Iterator[Term]:
        """Give columns that are filled because others of their row are."""
        for source in self.sources.values():
            known = frozenset(column.name for column in self.filled if column.source == source.id)
            if isinstance(source, Scan) and known:
                for name in find_filled(source.table, known, self.knowledge):
                    yield col(source.id, name)

    # Values

    def kind(self, column: Term) -> str:
        """Give a column's type."""
        return column_kind(self.sources.get(column.source), column.name, self.knowledge)

    def kind_of(self, term: Term) -> str:
        """Give a term's type."""
        return kind_of(term, self.kind)

    def never_null(self, term: Term) -> bool:
        """Whether a term is not NULL in any row."""
        if term.op == "col":
            return term in self.filled or (term.source not in self.optional and self._full_column(term))
        return never_null(term, self.never_null, self.kind_of)

    def _full_column(self, column: Term) -> bool:
        source = self.sources.get(column.source)
        if isinstance(source, Scan):
            return self.knowledge.never_null(source.table, column.name)
        return source is not None and output_full(source.query, column.name, self.knowledge)

    # What follows from what

    def closure(self, terms: Iterable[Term]) -> Closure:
        """Find all that is settled once some terms are."""
        given = frozenset(terms)
        columns = {term for term in given if term.op == "col"}
        rows = {term.source for term in given if term.op == "row"}
        before = -1
        while before != len(columns) + len(rows):
            before = len(columns) + len(rows)
            for needed, target in self._equal():
                if all(each in columns or each.source in rows for each in needed):
                    columns.add(target)
            for source in self.sources.values():
                if source.id not in rows:
                    self._follow(source, columns, rows)
        kept = frozenset(each for each in columns if each.source not in rows)
        return Closure(kept, frozenset(rows), given)

    def settles_row(self, closure: Closure) -> bool:
        """Whether no two rows agree on what is settled."""
        return all(source in closure.rows for source in self.sources)

    def _equal(self) -> list[tuple[frozenset[Term], Term]]:
        if self._rules is None:
            self._rules = [rule for term in self.conditions for rule in self._rules_of(term)]
            self._rules += [rule for source in self.sources.values() for rule in self._derived(source)]
        return self._rules

    def _rules_of(self, term: Term) -> Iterator[tuple[frozenset[Term], Term]]:
        if term.op == "is-null" and term.args[0].op == "col":
            yield frozenset(), term.args[0]
        if term.op not in ("eq", "same"):
            return
        for one, other in (term.args, term.args[::-1]):
            kinds = {family(self.kind_of(one)), family(self.kind_of(other))}
            if one.op == "col" and len(kinds) == 1 and kinds != {""} and not has_query(other):
                yield frozenset(columns_in(other)), one

    def _derived(self, source: Scan | Derived) -> Iterator[tuple[frozenset[Term], Term]]:
        # A rule may make a value of NULL, and a missing row has none.
        if isinstance(source, Scan) and source.id not in self.optional:
            for needed, name in find_dependencies(source.table, self.knowledge):
                yield frozenset(col(source.id, each) for each in needed), col(source.id, name)

    def _follow(self, source: Scan | Derived, columns: set[Term], rows: set[str]) -> None:
        known = frozenset(each.name for each in columns if each.source == source.id)
        if isinstance(source, Derived):
            names, whole = follow_query(source.query, known, self.knowledge)
            columns |= {col(source.id, name) for name in names}
            if whole:
                rows.add(source.id)
            return
        for key, says in self.knowledge.unique(source.table):
            if known.issuperset(key) and all(self._counts(source, name) for name in key):
                self.knowledge.lean(says)
                rows.add(source.id)

    def _counts(self, source: Scan, name: str) -> bool:
        """Whether a key's column is filled in every row that comes from the table."""
        if self.knowledge.never_null(source.table, name):
            return True
        return source.id not in self.optional and col(source.id, name) in self.filled


def never_null(term: Term, column: Any, kind: Any) -> bool:
    """Whether a term is not NULL where `column` says so of its columns; overflow raises in ANSI mode."""
    args = [arg for arg in term.args if isinstance(arg, Term)]
    if term.op in ("lit", "is-null", "exists", "same", "grouping"):
        return True
    if term.op == "window":
        return term.args[0].op in _PLACES or term.args[0].tag[:1] == ("count",)
    if term.op == "agg":
        return bool(term.tag[0] == "count")
    if term.op == "coalesce":
        return any(column(arg) if arg.op == "col" else never_null(arg, column, kind) for arg in args)
    if term.op == "case":
        values = (*args[1::2], args[-1])
        return all(column(arg) if arg.op == "col" else never_null(arg, column, kind) for arg in values)
    sound = term.op in ("add", "sub", "neg", "fn:dpipe", *COMPARISONS, "and", "or", "not", "in") or (
        term.op == "mul" and all(kind(arg) in INTEGERS for arg in args)
    )
    return sound and all(column(arg) if arg.op == "col" else never_null(arg, column, kind) for arg in args)


def column_kind(source: Scan | Derived | None, name: str, knowledge: Knowledge) -> str:
    """Give the type of a source's column."""
    if isinstance(source, Scan):
        return knowledge.type_of(source.table, name)
    return output_kind(source.query, name, knowledge) if source is not None else ""


def facts_of(source: From, knowledge: Knowledge) -> Facts:
    """Give the facts of a FROM and WHERE; those asked for before are remembered."""
    return knowledge.remember(("facts", source), lambda: Facts(source, knowledge))


def item_of(select: Select, name: str) -> Term | None:
    """Find what an output column is."""
    return next((item.term for item in select.items if item.name == name), None)


def output_kind(query: Query, name: str, knowledge: Knowledge) -> str:
    """Give the type of a query's output column."""
    if isinstance(query, SetOperation):
        place = next((i for i, item in enumerate(outputs(query)) if item.name == name), None)
        if place is None:
            return ""
        names = [outputs(branch)[place].name for branch in query.branches]
        kinds = [output_kind(b, n, knowledge) for b, n in zip(query.branches, names, strict=True)]
        return kinds[0] if len(set(kinds)) == 1 else widest(kinds)
    term = item_of(query, name)
    return facts_of(query.source, knowledge).kind_of(term) if term is not None else ""


def group_never_null(select: Select, term: Term, knowledge: Knowledge) -> bool:
    """Whether a term of a grouped SELECT is never NULL; subtotals' keys are."""
    facts = facts_of(select.source, knowledge)
    kind = select.group.kind if select.group else ""
    if term.op == "agg" and kind == "plain" and term.tag[0] in _OF_ROWS:
        return facts.never_null(term.args[0])
    if term.op == "col":
        return kind == "plain" and facts.never_null(term)
    if term.op in ("agg", "window") or term.op.startswith("fn:") or not term.args:
        return never_null(term, lambda _: False, facts.kind_of)

    def inner(part: Term) -> bool:
        return group_never_null(select, part, knowledge)

    args = tuple(Term("lit", (), ("bool", True)) if inner(a) else a for a in term.args if isinstance(a, Term))
    return never_null(Term(term.op, args, term.tag), lambda _: False, facts.kind_of)


def output_full(query: Query, name: str, knowledge: Knowledge) -> bool:
    """Whether a query's output column is never NULL."""
    if isinstance(query, SetOperation):
        place = next((i for i, item in enumerate(outputs(query)) if item.name == name), None)
        sides = query.branches if query.kind == "union" else query.branches[:1]
        return place is not None and all(output_full(b, outputs(b)[place].name, knowledge) for b in sides)
    term = item_of(query, name)
    if term is None:
        return False
    if query.group is not None:
        return group_never_null(query, term, knowledge)
    return facts_of(query.source, knowledge).never_null(term)


def follow_query(query: Query, names: frozenset[str], knowledge: Knowledge) -> tuple[frozenset[str], bool]:
    """Find which output columns follow from some of them, and whether these settle the row."""
    everything = frozenset(item.name for item in outputs(query))
    if isinstance(query, SetOperation):
        once = not query.keep
        return names, once and names >= everything
    facts = facts_of(query.source, knowledge)
    given = [item.term for item in query.items if item.name in names]
    if query.group is not None and query.group.kind != "plain":
        whole = query.group.kind == "whole" or (query.distinct and names >= everything)
        return everything if whole else names, whole
    closure = facts.closure(given)
    one_group = settles_group(query, closure) if query.group is not None else facts.settles_row(closure)
    found = {
        item.name
        for item in query.items
        if _settled(item.term, closure, grouped=one_group and bool(query.group))
    }
    known = names | found
    return known, one_group or (query.distinct and known >= everything)


def settles_group(select: Select, closure: Closure) -> bool:
    """Whether what is settled names one group of a plain GROUP BY."""
    return select.group is not None and all(closes(closure, key) for key in select.group.keys)


def closes(closure: Closure, key: Term) -> bool:
    """Whether a group key is settled; a key may be a source's whole row."""
    return key.source in closure.rows if key.op == "row" else closure.settles(key)


def _settled(term: Term, closure: Closure, *, grouped: bool) -> bool:
    if has_window(term) or has_query(term):
        return term in closure.terms
    return grouped or closure.settles(term)

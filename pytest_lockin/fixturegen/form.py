"""The form of a statement that generation works from: what it compares, joins, groups and measures.

Columns are named as inputs, `table.column`: a condition on a computed table counts for the input columns
behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from pytest_lockin.sql import Statement, branches_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.Like)
_NAMED = (exp.Between, exp.In)


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """A literal that a column is compared with; `text` is the literal's, `quoted` where it is a string."""

    column: str
    text: str
    quoted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What a statement does with its input columns.

    Attributes:
        classes: columns that are compared with each other, directly or through others.
        atoms: literals and the columns they are compared with.
        used: every column the statement reads.
        groups: columns behind the keys of groups, of DISTINCT and of set operations.
        measures: columns behind aggregates.
        asked_null: columns whose being NULL is asked for (`is null`, `coalesce`).
        ordered: columns behind the statement's sort keys.
        limited: columns that are compared themselves, not only inside an aggregate or a computation.
        limit: rows the outermost LIMIT keeps, or None.
        index: every column's class, to look up.
    """

    classes: tuple[frozenset[str], ...]
    atoms: tuple[Atom, ...]
    used: frozenset[str]
    groups: frozenset[str]
    measures: frozenset[str]
    asked_null: frozenset[str]
    ordered: frozenset[str]
    limited: frozenset[str]
    limit: int | None
    index: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def class_of(self, column: str) -> frozenset[str]:
        """Give the columns compared with one, itself among them."""
        return self.index.get(column) or frozenset((column,))

    def atoms_of(self, column: str) -> tuple[Atom, ...]:
        """Give the literals a column's class is compared with, each once."""
        names = self.class_of(column)
        return tuple({(a.text, a.quoted): a for a in self.atoms if a.column in names}.values())


def read_form(statement: Statement) -> Form:
    """Read the form off a statement's tree."""
    tree = statement.tree
    columns = list(tree.find_all(exp.Column))
    limit = tree.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    order = tree.args.get("order")
    classes = tuple(_classes(statement))
    return Form(
        classes=classes,
        index={name: names for names in classes for name in names},
        atoms=tuple(dict.fromkeys(_atoms(statement))),
        used=frozenset(name for node in columns for name in statement.lineage(node)),
        groups=frozenset(_groups(statement)),
        measures=frozenset(_within(statement, exp.AggFunc)),
        asked_null=frozenset(_within(statement, exp.Is, exp.Coalesce)),
        ordered=frozenset(statement.lineage_of(order)) if order is not None else frozenset(),
        limited=frozenset(_limited(statement)),
        limit=int(count.this) if isinstance(count, exp.Literal) and count.is_int else None,
    )


def _within(statement: Statement, *kinds: type[Any]) -> Iterator[str]:
    for node in statement.tree.find_all(*kinds):
        if isinstance(node.parent, exp.Window) and node.arg_key != "this":
            continue
        yield from statement.lineage_of(node)


def _sides(node: Any) -> list[Any]:
    """Give what a comparison compares: two sides, or a value with its bounds or choices."""
    if isinstance(node, exp.Between):
        return [node.this, node.args["low"], node.args["high"]]
    if isinstance(node, exp.In):
        query = node.args.get("query")
        return [node.this, *([query.unnest().selects[0]] if query is not None else node.expressions)]
    return [node.this, node.expression]


def _columns_of_side(statement: Statement, side: Any, *without: type[Any]) -> tuple[str, ...]:
    """Give the input columns a side's value is made from; a subquery's are those of its output."""
    inner = side.unnest() if isinstance(side, (exp.Subquery, exp.Paren)) else side
    nodes = [s.selects[0] for s in branches_of(inner)] if isinstance(inner, exp.Query) else [inner]
    return tuple(dict.fromkeys(name for node in nodes for name in _made_from(statement, node, without)))


def _made_from(statement: Statement, node: Any, without: tuple[type[Any], ...]) -> Iterator[str]:
    """Give the input columns of a value, those inside certain functions left out, wherever these stand."""
    for each in node.walk(prune=lambda part: isinstance(part, without)):
        if isinstance(each, without) or not isinstance(each, exp.Column):
            continue
        meanings = statement.meanings(each)
        yield from (name for part in meanings for name in _made_from(statement, part, without))
        if not meanings:
            yield from statement.lineage(each)


def _atoms(statement: Statement) -> Iterator[Atom]:
    for node in statement.tree.find_all(*_COMPARISONS, *_NAMED):
        sides = _sides(node)
        literals = [each for side in sides if not side.find(exp.Query) for each in _literals(side)]
        names = (name for side in sides for name in _columns_of_side(statement, side, exp.Grouping))
        for column in dict.fromkeys(names):
            for text, quoted in literals:
                yield Atom(column=column, text=text, quoted=quoted)
    for case in statement.tree.find_all(exp.Case):
        if case.this is not None:
            for column in statement.lineage_of(case.this):
                for arm in case.args["ifs"]:
                    yield from (Atom(column=column, text=t, quoted=q) for t, q in _literals(arm.this))


def _literals(node: Any) -> Iterator[tuple[str, bool]]:
    """Give literals, sums of literals worked out (`2000 + 1`); those of functions and intervals left out."""
    from pytest_lockin.fixturegen.constants import fold

    value = fold(node)
    if value is not None:
        yield (str(value), isinstance(value, str))
        return
    for child in node.iter_expressions():
        if not isinstance(node, (exp.Interval, exp.Substring, exp.Round, exp.DataType, exp.Query)):
            yield from _literals(child)


def _limited(statement: Statement) -> Iterator[str]:
    for node in statement.tree.find_all(*_COMPARISONS, *_NAMED, exp.Is):
        for side in _sides(node):
            inner = side.unnest()
            if isinstance(inner, exp.Column) and (name := statement.origin(inner)):
                yield name


def _groups(statement: Statement) -> Iterator[str]:
    for group in statement.tree.find_all(exp.Group):
        yield from statement.lineage_of(group)
    for select in statement.tree.find_all(exp.Select):
        if select.args.get("distinct") is not None:
            yield from (name for node in select.selects for name in statement.lineage_of(node))
    for operation in statement.tree.find_all(exp.SetOperation):
        if operation.args.get("distinct"):
            for branch in branches_of(operation):
                yield from (name for node in branch.selects for name in statement.lineage_of(node))


def _classes(statement: Statement) -> Iterator[frozenset[str]]:
    known: dict[str, set[str]] = {}
    for names in _together(statement):
        merged = set(names).union(*(known[name] for name in names if name in known))
        known.update(dict.fromkeys(merged, merged))
    yield from dict.fromkeys(frozenset(names) for names in known.values())


def _together(statement: Statement) -> Iterator[tuple[str, ...]]:
    for node in statement.tree.find_all(*_COMPARISONS, *_NAMED):
        # A group's total says nothing of a row's value, and neither does the place of a row among others.
        sides = (_columns_of_side(statement, side, exp.AggFunc, exp.Window) for side in _sides(node))
        yield tuple(name for names in sides for name in names)
    # A union only puts rows side by side.
    for operation in statement.tree.find_all(exp.Intersect, exp.Except):
        for nodes in zip(*(branch.selects for branch in branches_of(operation)), strict=False):
            copies = (_columns_of_side(statement, node, exp.AggFunc, exp.Window) for node in nodes)
            yield tuple(name for names in copies for name in names)

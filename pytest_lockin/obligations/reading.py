"""A statement as obligations see it: what columns mean, which results they feed, how a clause reads."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from pytest_lockin.sql import Statement, branches_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.model.task import Fragment, Kind

DIALECT = "spark"
# sqlglot's name for an output column that the statement leaves unnamed.
_UNNAMED = "_col_"
_MOST_CHARACTERS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An obligation without an id."""

    kind: Kind
    fragment: Fragment
    text: str
    columns: tuple[str, ...] = ()


class Reader:
    """One statement, asked about columns over and over: what was found out is kept."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self._lineage: dict[int, tuple[str, ...]] = {}
        self._fed: dict[tuple[int, int], list[str]] = defaultdict(list)
        for branch in branches_of(statement.root.expression):
            for place in range(len(branch.selects)):
                self._feed(branch, place, self.label(place), set())

    @property
    def selects(self) -> tuple[Any, ...]:
        """Every SELECT of the statement, inner before outer."""
        found = (scope.expression for scope in self.statement.scopes)
        return tuple(each for each in found if isinstance(each, exp.Select))

    @property
    def labels(self) -> tuple[str, ...]:
        """What obligations call the statement's output columns: the name, or `#3` where it has none."""
        return tuple(self.label(place) for place in range(len(self.statement.outputs())))

    def label(self, place: int) -> str:
        """What obligations call one output column, by its place from 0."""
        name = self.statement.outputs()[place].lower()
        return f"#{place + 1}" if name.startswith(_UNNAMED) else name

    def lineage(self, *nodes: Any) -> tuple[str, ...]:
        """The input columns that nodes are made from, each once."""
        columns = (column for node in nodes for column in node.find_all(exp.Column))
        return unique(name for column in columns for name in self._of_column(column))

    def _of_column(self, column: Any) -> tuple[str, ...]:
        if id(column) not in self._lineage:
            self._lineage[id(column)] = self.statement.lineage(column)
        return self._lineage[id(column)]

    def source(self, column: Any) -> str:
        """The alias a column is read through; "" where it names an output of its own query."""
        return str(column.table).lower()

    def fed_by(self, select: Any, place: int) -> tuple[str, ...]:
        """The output columns of the statement whose values pass through one column of a SELECT."""
        return unique(self._fed[id(select), place])

    def fed_through(self, node: Any) -> tuple[str, ...]:
        """The output columns of the statement whose values pass through the select item around a node."""
        select = node.find_ancestor(exp.Select)
        for place, item in enumerate(select.selects if select is not None else ()):
            if node is item or any(parent is item for parent in _parents(node)):
                return self.fed_by(select, place)
        return ()

    def _feed(self, select: Any, place: int, label: str, seen: set[tuple[int, int]]) -> None:
        if (id(select), place) in seen or place >= len(select.selects):
            return
        seen.add((id(select), place))
        self._fed[id(select), place].append(label)
        for column in select.selects[place].find_all(exp.Column):
            source = self.statement.source_of(column)
            if source is None or isinstance(source, exp.Table):
                continue
            branches = list(branches_of(source.expression))
            names = [node.alias_or_name.lower() for node in branches[0].selects]
            if column.name.lower() in names:
                for branch in branches:
                    self._feed(branch, names.index(column.name.lower()), label, seen)


def _parents(node: Any) -> Iterable[Any]:
    while node.parent is not None:
        node = node.parent
        yield node


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """Each once, in order of first appearance."""
    return tuple(dict.fromkeys(names))


def own(select: Any, *kinds: type[Any]) -> list[Any]:
    """Find nodes of one SELECT, those of queries inside it left out."""
    return [node for node in select.find_all(*kinds) if node.find_ancestor(exp.Select) is select]


def say(node: Any) -> str:
    """A piece of SQL on one line, columns without their tables; cut where it is very long."""
    bare = node.copy().transform(_bare)
    text = " ".join(bare.sql(dialect=DIALECT, comments=False).split())
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 3]}..."


def _bare(node: Any) -> Any:
    if isinstance(node, exp.Column) and node.table:
        return exp.column(node.name)
    return node


def say_list(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = tuple(words) or ("nothing",)
    return f"{', '.join(first)} and {last}" if first else last


def short(columns: Iterable[str]) -> tuple[str, ...]:
    """Column names without their tables, each once."""
    return unique(name.rpartition(".")[2] for name in columns)

"""Misreadings that no operator on one clause makes: what the candidate wrote, or another role's condition.

Operators edit a statement knowing nothing of the candidate. To explain a candidate that is already there,
its own constants and columns may be put in; such edits are marked `informed` and never score a suite.
"""

from __future__ import annotations

import ast
import hashlib
import re
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from pytest_lockin.model.task import Fragment, Kind
from pytest_lockin.obligations.edits import DIALECT, Edit, find_change
from pytest_lockin.obligations.reading import say
from pytest_lockin.sql import conjuncts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SAYS = "the candidate behaves as if "
# More constants than these are data, not labels.
_MOST_CONSTANTS = 40
_MOST_EDITS = 400
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
# Calls whose texts are names of columns, kinds of joins or types.
_NAMING = frozenset(
    """
    col column alias select selectExpr groupBy groupby rollup cube agg sum avg mean min max count
    countDistinct withColumn withColumnRenamed withColumnsRenamed drop join orderBy sort partitionBy
    sortWithinPartitions unionByName cast astype stddev_samp stddev grouping toDF desc asc dropDuplicates
    """.split()  # noqa: SIM905 - a list of that many words is no easier to read
)


def make_misreadings(
    base: str, schemas: Mapping[str, Mapping[str, str]], candidate: str = ""
) -> tuple[Edit, ...]:
    """Make edits of a rendered statement that imitate larger misreadings.

    Args:
        base: the statement as `edits.render` writes it.
        schemas: table -> column -> type.
        candidate: the candidate's source, all its modules; "" for none.
    """
    tree = _parse(base)
    made: dict[str, Edit] = {}
    for change in (
        *_roles(tree),
        *_keys(tree, schemas),
        *_bounds(tree),
        *_widened(tree, candidate),
        *_functions(tree, candidate),
        *_siblings(tree, schemas, candidate),
        *_signs(tree),
        *_constants(tree, read_constants(candidate), _names_of(schemas)),
    ):
        edit = change.edit(base, tree)
        if edit is not None:
            made.setdefault(edit.id, edit)
        if len(made) >= _MOST_EDITS:
            break
    return tuple(made.values())


def _parse(text: str) -> Any:
    import sqlglot

    return sqlglot.parse_one(text, read=DIALECT)


class _Change:
    """One node of the tree and what is put in its place."""

    def __init__(
        self, node: Any, put: Any, kind: Kind, clause: Fragment, text: str, *, informed: bool = False
    ) -> None:
        self.node, self.put, self.kind, self.clause = node, put, kind, clause
        self.text, self.informed = text, informed

    def edit(self, base: str, tree: Any) -> Edit | None:
        """Write the tree with the change as an edit of its text; None where nothing changes."""
        columns = tuple(column.name.lower() for column in self.node.find_all(exp.Column))
        before = say(self.node)
        text = self._render(tree)
        start, end, replacement = find_change(base, text)
        if text == base:
            return None
        name = hashlib.sha256(f"{before}\n{start}\n{replacement}".encode()).hexdigest()[:12]
        return Edit(
            id=name,
            operator="misreading",
            kind=self.kind,
            clause=self.clause,
            text=_SAYS + self.text,
            start=start,
            end=end,
            replacement=replacement,
            columns=columns,
            before=before,
            after=say(self.put),
            informed=self.informed,
        )

    def _render(self, tree: Any) -> str:
        if self.node is tree:
            return str(self.put.sql(dialect=DIALECT, pretty=True, comments=False))
        self.node.replace(self.put)
        text = tree.sql(dialect=DIALECT, pretty=True, comments=False)
        self.put.replace(self.node)
        return str(text)


def _roles(tree: Any) -> Iterator[_Change]:
    """One role of a table is tested as another one is: `d1.quarter = 'Q1'` as `d2.quarter IN (...)`."""
    for select in tree.find_all(exp.Select):
        where = select.args.get("where")
        tests = [each for each in conjuncts(where.this if where else None) if _subject(each) is not None]
        for one in tests:
            for other in tests:
                mine, theirs = _subject(one), _subject(other)
                if mine.name == theirs.name and mine.table != theirs.table and _shape(one) != _shape(other):
                    put = other.copy()
                    for column in list(put.find_all(exp.Column)):
                        column.set("table", exp.to_identifier(mine.table))
                    text = f"{say(put)} were asked of {mine.table} as well, where {say(one)} is meant"
                    yield _Change(one, put, Kind.LITERAL, Fragment.WHERE, text)


def _subject(test: Any) -> Any:
    """The one column a test of constants is about, or None."""
    columns = list(test.find_all(exp.Column))
    tables = {column.table for column in columns}
    plain = isinstance(test, (exp.Predicate, exp.In, exp.Between)) and not test.find(exp.Query)
    return columns[0] if plain and len(columns) == 1 and tables != {""} else None


def _shape(test: Any) -> str:
    return say(test)


def _keys(tree: Any, schemas: Mapping[str, Mapping[str, str]]) -> Iterator[_Change]:
    """Two subqueries that are paired without a key are matched on columns that look alike."""
    types = {name.lower(): kind for columns in schemas.values() for name, kind in columns.items()}
    outputs = {cte.alias: [item.alias_or_name for item in cte.this.selects] for cte in tree.find_all(exp.CTE)}
    for select in tree.find_all(exp.Select):
        from_, joins = select.args.get("from_") or select.args.get("from"), select.args.get("joins") or []
        where = select.args.get("where")
        if from_ is None or where is not None or len(joins) != 1:
            continue
        if joins[0].side or joins[0].args.get("on") or joins[0].args.get("using"):
            continue
        left, right = from_.this, joins[0].this
        for mine in outputs.get(left.name, ()):
            for theirs in outputs.get(right.name, ()):
                kind = types.get(mine.lower())
                if kind and kind == types.get(theirs.lower()):
                    yield from _match(select, left, right, mine, theirs)


def _match(select: Any, left: Any, right: Any, mine: str, theirs: str) -> Iterator[_Change]:
    for kind in (exp.NullSafeEQ, exp.EQ):
        on = kind(
            this=exp.column(mine, table=left.alias_or_name),
            expression=exp.column(theirs, table=right.alias_or_name),
        )
        put = select.copy()
        put.set("where", exp.Where(this=on))
        text = (
            f"{left.alias_or_name} and {right.alias_or_name} were matched on {say(on)}, where no key is meant"
        )
        yield _Change(select, put, Kind.JOIN, Fragment.JOIN_ON, text)


def _bounds(tree: Any) -> Iterator[_Change]:
    """One value is taken as a bound: `year = 2001` as `year >= 2001`."""
    for node in list(tree.find_all(exp.EQ)):
        subject, value = node.this, node.expression
        where = node.find_ancestor(exp.Where, exp.Select)
        if not isinstance(subject, exp.Column) or not isinstance(where, exp.Where):
            continue
        if not isinstance(value, exp.Literal) or value.is_string:
            continue
        for kind in (exp.GTE, exp.LTE):
            put = kind(this=subject.copy(), expression=value.copy())
            text = f"{say(put)} were asked where {say(node)} is meant"
            yield _Change(node, put, Kind.FILTER, Fragment.WHERE, text)


def _widened(tree: Any, candidate: str) -> Iterator[_Change]:
    """One number more is let through, which the candidate's source holds: `= 2001` as `IN (2001, 2002)`."""
    numbers = {int(word) for word in re.findall(r"\b\d{1,9}\b", candidate)}
    for node in list(tree.find_all(exp.EQ, exp.In)):
        values = node.expressions if isinstance(node, exp.In) else [node.expression]
        whole = bool(values) and all(isinstance(each, exp.Literal) and each.is_int for each in values)
        if not whole or not isinstance(node.this, exp.Column):
            continue
        have = {int(each.name) for each in values}
        for number in sorted(numbers - have):
            if min(abs(number - each) for each in have) == 1:
                more = [exp.Literal.number(each) for each in sorted({*have, number})]
                put = exp.In(this=node.this.copy(), expressions=more)
                text = f"{say(put)} were asked where {say(node)} is meant"
                yield _Change(node, put, Kind.FILTER, Fragment.WHERE, text, informed=True)


def _functions(tree: Any, candidate: str) -> Iterator[_Change]:
    """An aggregate is another one, which the candidate's source calls."""
    words = frozenset(re.findall(r"\w+", candidate.lower()))
    known = {
        "sum": exp.Sum,
        "avg": exp.Avg,
        "mean": exp.Avg,
        "min": exp.Min,
        "max": exp.Max,
        "count": exp.Count,
    }
    called = {known[word] for word in words & set(known)}
    for node in list(tree.find_all(exp.Sum, exp.Avg, exp.Min, exp.Max)):
        for kind in sorted(called - {type(node)}, key=lambda each: each.__name__):
            put = kind(this=node.this.copy())
            text = f"{say(put)} were taken where {say(node)} is meant"
            yield _Change(node, put, Kind.METRIC, Fragment.SELECT, text, informed=True)


def _siblings(tree: Any, schemas: Mapping[str, Mapping[str, str]], candidate: str) -> Iterator[_Change]:
    """A column is another one of its table and type, which the candidate's source names."""
    words = frozenset(re.findall(r"\w+", candidate.lower()))
    for node in list(tree.find_all(exp.Column)):
        name = node.name.lower()
        owners = [columns for columns in schemas.values() if name in map(str.lower, columns)]
        if len(owners) != 1 or node.find_ancestor(exp.Join, exp.Select).key == "join":
            continue
        kinds = {column.lower(): kind for column, kind in owners[0].items()}
        for other in sorted(words & set(kinds) - {name}):
            if kinds[other] == kinds[name]:
                put = exp.column(other, table=node.args.get("table"))
                where = node.find_ancestor(exp.Where, exp.Select).key == "where"
                fragment, kind = (Fragment.WHERE, Kind.FILTER) if where else (Fragment.SELECT, Kind.METRIC)
                text = f"{other} were read where {name} is meant"
                yield _Change(node, put, kind, fragment, text, informed=True)


def _signs(tree: Any) -> Iterator[_Change]:
    """A quotient is taken as a difference, and a difference as a quotient."""
    for kind, other in ((exp.Div, exp.Sub), (exp.Sub, exp.Div)):
        for node in list(tree.find_all(kind)):
            if node.find(exp.Column) is None:
                continue
            put = other(this=node.this.copy(), expression=node.expression.copy())
            fragment = (
                Fragment.WHERE
                if node.find_ancestor(exp.Where, exp.Select).key == "where"
                else Fragment.SELECT
            )
            kind_ = Kind.FILTER if fragment is Fragment.WHERE else Kind.METRIC
            yield _Change(node, put, kind_, fragment, f"{say(put)} were taken where {say(node)} is meant")


def _names_of(schemas: Mapping[str, Mapping[str, str]]) -> frozenset[str]:
    """Every table's and every column's name."""
    return frozenset({*schemas, *(column for columns in schemas.values() for column in columns)})


def _constants(
    tree: Any, own: tuple[frozenset[str], frozenset[str]], names: frozenset[str]
) -> Iterator[_Change]:
    """A constant of the statement is another one, which the candidate's source holds.

    A text that names a table or a column stands for itself only where it is a piece of the constant, or the
    constant of it: the label `store` for `store channel`.
    """
    texts, numbers = own
    for node in list(tree.find_all(exp.Literal)):
        if node.find_ancestor(exp.DataType, exp.Round):
            continue
        clause, kind = _place(node)
        if not node.is_string and clause is Fragment.SELECT:
            continue
        dated = bool(_DATE.fullmatch(node.name))
        alike = {
            each
            for each in texts
            if bool(_DATE.fullmatch(each)) is dated
            and (each not in names or each in node.name or node.name in each)
        }
        pool = (alike if node.is_string else numbers) - {node.name}
        for value in sorted(pool):
            put = exp.Literal.string(value) if node.is_string else exp.Literal.number(value)
            text = f"{put.sql()} stood where {node.sql()} is meant"
            yield _Change(node, put, kind, clause, text, informed=True)


def _place(node: Any) -> tuple[Fragment, Kind]:
    around = node.find_ancestor(exp.Where, exp.Having, exp.Limit, exp.Select)
    if isinstance(around, exp.Limit):
        return Fragment.LIMIT, Kind.LIMIT
    if isinstance(around, exp.Having):
        return Fragment.HAVING, Kind.FILTER
    return (Fragment.WHERE if isinstance(around, exp.Where) else Fragment.SELECT), Kind.LITERAL


def read_constants(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """Read the texts and the whole numbers that a Python source holds; none of one that does not parse.

    Texts that are plainly names of columns or tables (`F.col("x")`, `tables["x"]`) are left out.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return frozenset(), frozenset()
    names = {id(part) for node in ast.walk(tree) for part in _names(node)}
    values = [
        each.value for each in ast.walk(tree) if isinstance(each, ast.Constant) and id(each) not in names
    ]
    texts = {each for each in values if isinstance(each, str) and each and "\n" not in each}
    numbers = {str(each) for each in values if type(each) is int and each >= 0}
    dates = {date for node in ast.walk(tree) if (date := _date(node))}
    few = sorted(texts, key=len)[:_MOST_CONSTANTS], sorted(numbers, key=len)[:_MOST_CONSTANTS]
    return frozenset(few[0]) | dates, frozenset(few[1])


def _names(node: ast.AST) -> list[ast.AST]:
    """Give the constants that a node uses as names."""
    if isinstance(node, ast.Subscript):
        return [node.slice]
    if isinstance(node, ast.JoinedStr):
        return list(node.values)
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return list(node.args) if called in _NAMING else []
    return []


def _date(node: ast.AST) -> str:
    """Give `date(2001, 8, 4)` as a statement writes it; "" for anything else."""
    if not isinstance(node, ast.Call) or len(node.args) != len(("year", "month", "day")):
        return ""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    parts = [each.value for each in node.args if isinstance(each, ast.Constant) and type(each.value) is int]
    if called not in ("date", "datetime") or len(parts) != len(node.args):
        return ""
    return f"{parts[0]:04}-{parts[1]:02}-{parts[2]:02}"

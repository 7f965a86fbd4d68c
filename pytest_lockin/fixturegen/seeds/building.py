"""A statement as conditions on symbolic rows: what must hold so that it returns a row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import sqlglot
import z3
from sqlglot import exp

from pytest_lockin.fixturegen.constants import to_date
from pytest_lockin.fixturegen.seeds.aggregates import Aggregates
from pytest_lockin.fixturegen.seeds.rows import Columns, SymbolicRow
from pytest_lockin.fixturegen.seeds.sameness import key_columns, same_rows
from pytest_lockin.fixturegen.seeds.scalars import Scalars
from pytest_lockin.fixturegen.seeds.strings import collect_strings
from pytest_lockin.fixturegen.seeds.terms import Names, Truth, Value, both, either
from pytest_lockin.fixturegen.seeds.truths import Truths

if TYPE_CHECKING:
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.model.fixture import Profile
    from pytest_lockin.sql import Statement

_FIRST, _LAST = date(1998, 1, 1), date(2003, 12, 31)
_YEARS = range(1901, 2100)
_MARGIN = timedelta(days=800)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Goal:
    """Something a seed may show: an arm, a branch, a boundary. `wish` is the condition for it."""

    text: str
    wish: Any


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Demand:
    """A condition that must hold; hard ones only stand in for the truth, and may be given up."""

    condition: Any
    hard: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Several:
    """Rows of one SELECT are counted: `count` is how many of them its group needs."""

    count: Any
    rows: tuple[SymbolicRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """All that is known of a statement's symbolic rows.

    Attributes:
        likes: choices that are better made so than otherwise, in order of weight.
        equal: pairs of variables that a join or filter makes equal.
    """

    rows: tuple[SymbolicRow, ...]
    demands: tuple[Demand, ...]
    goals: tuple[Goal, ...]
    likes: tuple[Any, ...]
    counts: tuple[Several, ...]
    columns: Columns


class Instance:
    """One evaluation of a SELECT: what its aliases stand for, and the query around it.

    A source is a symbolic row or the outputs of a query; `absent` is the condition that an outer join
    found no partner for it.
    """

    def __init__(self, node: Any, outer: Instance | None, guard: tuple[Any, ...]) -> None:
        self.node = node
        self.outer = outer
        self.guard = guard
        self.sources: dict[str, tuple[SymbolicRow | dict[str, Value], Any]] = {}
        self.rows: list[SymbolicRow] = []


class Builder:
    """Walks a statement; see `build_problem`."""

    def __init__(self, statement: Statement, form: Form, profile: Profile, *, loose: bool) -> None:
        self.statement = statement
        self.profile = profile
        self.names = Names()
        self.strings = collect_strings(statement, form, profile)
        self.demands: list[Demand] = []
        self.goals: list[Goal] = []
        self.likes: list[Any] = []
        self.rows: list[SymbolicRow] = []
        self.aggregates = Aggregates(self, loose=loose)
        self.truths = Truths(strings=self.strings, subquery=self._subquery, noted=self._note)
        self.scalars = Scalars(
            names=self.names,
            strings=self.strings,
            column=self._column,
            truth=self.truths.truth,
            other=self._other,
            say=self.say,
        )
        self.truths.scalars = self.scalars
        self.columns = Columns(
            names=self.names,
            strings=self.strings,
            say=self.say,
            span=span_of(statement),
            null_asked=form.asked_null,
            translate=self._rule,
        )
        self.here: Instance | None = None
        self.rule_row: SymbolicRow | None = None

    # What is found on the way

    def say(self, condition: Any, *, hard: bool = False) -> None:
        """Take a condition that must hold."""
        self.demands.append(Demand(condition=condition, hard=hard))

    def demand(self, condition: Any, guard: tuple[Any, ...], *, hard: bool = False) -> None:
        """Take a condition that must hold where its rows are there."""
        self.say(z3.Implies(both(*guard), condition) if guard else condition, hard=hard)

    def choice(self, stem: str) -> Any:
        """Make a choice that is better made with yes."""
        made = self.names.boolean(stem)
        self.likes.append(made)
        return made

    def _note(self, kind: str, node: Any, terms: tuple[Any, ...]) -> None:
        guard = both(*(self.here.guard if self.here is not None else ()))
        if kind == "compare":
            left, right = terms
            self.goals.append(Goal(text=f"{node.sql()} at its boundary", wish=z3.And(guard, left == right)))
            return
        for place, term in enumerate(terms):
            others = [z3.Not(each) for index, each in enumerate(terms) if index != place]
            self.goals.append(
                Goal(text=f"only part {place + 1} of {node.sql()[:60]}", wish=z3.And(guard, term, *others))
            )

    # Queries

    def query(self, node: Any, guard: tuple[Any, ...], outer: Instance | None) -> dict[str, Value]:
        """Give the outputs of one row of a query, its conditions demanded where the guard holds."""
        node = node.unnest() if isinstance(node, exp.Subquery) else node
        if not isinstance(node, exp.SetOperation):
            return self._select(node, guard, outer)
        if isinstance(node, exp.Union):
            return self._union(node, guard, outer)
        left = self.query(node.left, guard, outer)
        if isinstance(node, exp.Intersect):
            right = self.query(node.right, guard, outer)
            for one, other in zip(left.values(), right.values(), strict=False):
                self.demand(self.truths.same(one, other), guard, hard=one.hard or other.hard)
        return left

    def _union(self, node: Any, guard: tuple[Any, ...], outer: Instance | None) -> dict[str, Value]:
        first = self.choice("branch")
        self.goals.append(Goal(text="another branch of the union", wish=z3.And(both(*guard), z3.Not(first))))
        left = self.query(node.left, (*guard, first), outer)
        right = self.query(node.right, (*guard, z3.Not(first)), outer)
        pairs = zip(left.items(), right.values(), strict=False)
        return {name: self.scalars.choose(first, one, other) for (name, one), other in pairs}

    def _select(self, node: Any, guard: tuple[Any, ...], outer: Instance | None) -> dict[str, Value]:
        instance = Instance(node, outer, guard)
        before, self.here = self.here, instance
        source = node.args.get("from_")
        if source is not None:
            self._add_source(instance, source.this, guard, None)
        for join in node.args.get("joins") or []:
            self._join(instance, join)
        for clause in ("where", "having", "qualify"):
            part = node.args.get(clause)
            if part is not None:
                self._demand_all(part.this, guard)
        # What an EXISTS selects is nobody's concern.
        wanted = [] if isinstance(node.parent, exp.Exists) else node.selects
        outputs = {each.alias_or_name: self.scalars.value(each.unalias()) for each in wanted}
        self.here = before
        return outputs

    def _demand_all(self, node: Any, guard: tuple[Any, ...]) -> None:
        from pytest_lockin.sql import conjuncts

        for part in conjuncts(node):
            truth = self.truths.truth(part)
            self.demand(truth.true, guard, hard=truth.hard)

    def _add_source(self, instance: Instance, node: Any, guard: tuple[Any, ...], absent: Any) -> None:
        name = node.alias_or_name
        scope = self.statement.scope_of(instance.node)
        source = scope.sources.get(name) if scope is not None else None
        made: SymbolicRow | dict[str, Value]
        if isinstance(source, exp.Table):
            made = self._add_row(source, guard, name, instance)
        else:
            inner = source.expression if source is not None else node
            made = self._renamed(node, self.query(inner, guard, instance))
        instance.sources[name] = (made, absent)

    def _renamed(self, node: Any, outputs: dict[str, Value]) -> dict[str, Value]:
        given = (
            [column.lower() for column in node.alias_column_names] if isinstance(node, exp.Subquery) else []
        )
        names = given if len(given) == len(outputs) else [name.lower() for name in outputs]
        return dict(zip(names, outputs.values(), strict=True))

    def _add_row(self, source: Any, guard: tuple[Any, ...], alias: str, instance: Instance) -> SymbolicRow:
        table = self.profile.table(source.name)
        if table is None:
            raise LookupError(source.name)
        row = SymbolicRow(table, guard, alias, instance.node)
        self.rows.append(row)
        instance.rows.append(row)
        return row

    def _join(self, instance: Instance, join: Any) -> None:
        side, kind = join.side, join.kind
        guard, absent = instance.guard, None
        if side in ("LEFT", "FULL"):
            there = self.choice("partner")
            self.goals.append(
                Goal(text=f"no partner in {join.alias_or_name}", wish=z3.And(both(*guard), z3.Not(there)))
            )
            guard, absent = (*guard, there), z3.Not(there)
        if side in ("RIGHT", "FULL"):
            left = self._make_optional(instance, join)
            self._add_source(instance, join.this, instance.guard if side == "RIGHT" else guard, absent)
            if absent is not None:
                self.demand(z3.Or(left, z3.Not(absent)), instance.guard)
            guard = (*guard, left)
        elif kind == "ANTI":
            return
        else:
            self._add_source(instance, join.this, guard, absent)
        on = join.args.get("on")
        if on is not None:
            hidden, instance.sources = (
                instance.sources,
                {n: (s, None) for n, (s, _) in instance.sources.items()},
            )
            self._demand_all(on, guard)
            instance.sources = hidden

    def _make_optional(self, instance: Instance, join: Any) -> Any:
        """Let the left side of a right or full join be absent."""
        left = self.choice("left partner")
        wish = z3.And(both(*instance.guard), z3.Not(left))
        self.goals.append(Goal(text=f"only the right side of the join with {join.alias_or_name}", wish=wish))
        for name, (source, absent) in instance.sources.items():
            instance.sources[name] = (source, either(absent, z3.Not(left)))
        for row in instance.rows:
            row.guard = (*row.guard, left)
        return left

    # Parts of expressions that need the query

    def _column(self, node: Any) -> Value:
        if self.rule_row is not None:
            return self.columns.get(self.rule_row, node.name)
        instance = self.here
        while instance is not None:
            if node.table in instance.sources:
                source, absent = instance.sources[node.table]
                value = self._read(source, node.name)
                return value if absent is None else _hidden(value, absent)
            instance = instance.outer
        return self._output(node)

    def _read(self, source: SymbolicRow | dict[str, Value], name: str) -> Value:
        if isinstance(source, SymbolicRow):
            return self.columns.get(source, name)
        return source.get(name.lower()) or self.scalars.unknown("num")

    def _output(self, node: Any) -> Value:
        """Read a bare name as the output of the query it stands in (HAVING on an alias)."""
        select = self.here.node if self.here is not None else None
        found = (
            [each for each in select.selects if each.alias_or_name.lower() == node.name.lower()]
            if select
            else []
        )
        return self.scalars.value(found[0].unalias()) if found else self.scalars.unknown("num")

    def _rule(self, rule: str, row: SymbolicRow) -> Value:
        before, self.rule_row = self.rule_row, row
        value = self.scalars.value(sqlglot.parse_one(rule, read="spark"))
        self.rule_row = before
        return value

    def _other(self, node: Any) -> Value | None:
        if isinstance(node, exp.Subquery):
            return self._scalar_query(node)
        return self.aggregates.value(node, self.here)

    def _scalar_query(self, node: Any) -> Value:
        instance = self.here
        there = self.choice("row of a scalar subquery")
        guard = (*(instance.guard if instance is not None else ()), there)
        value = next(iter(self.query(node.this, guard, instance).values()))
        return _hidden(value, z3.Not(there))

    def _subquery(self, node: Any) -> Truth:
        instance = self.here
        there = self.names.boolean("exists")
        guard = (*(instance.guard if instance is not None else ()), there)
        inner = node.args["query"] if isinstance(node, exp.In) else node.this
        outputs = self.query(inner, guard, instance)
        if isinstance(node, exp.In):
            one, other = self.scalars.value(node.this), next(iter(outputs.values()))
            same = self.truths.compare(exp.EQ(), one, other)
            self.demand(same.true, guard, hard=same.hard)
        return Truth(true=there, false=z3.Not(there))


def _hidden(value: Value, absent: Any) -> Value:
    return Value(
        term=value.term,
        kind=value.kind,
        null=either(value.null, absent),
        hard=value.hard,
        column=value.column,
        texts=value.texts,
    )


def build_problem(statement: Statement, form: Form, profile: Profile, *, loose: bool = False) -> Problem:
    """Make the conditions under which a statement returns a row.

    One symbolic row stands for each time a table is named, so an aggregate is its argument. `loose` lets
    aggregates, counts and windows be anything instead, for statements whose groups need several rows.
    """
    builder = Builder(statement, form, profile, loose=loose)
    outputs = builder.query(statement.tree, (), None)
    nulls = [z3.Not(value.null) for value in outputs.values() if value.null is not None]
    for row in builder.rows:
        for name in key_columns(row):
            builder.columns.get(row, name)
    return Problem(
        rows=tuple(builder.rows),
        demands=(*builder.demands, *(Demand(condition=each) for each in same_rows(builder.rows))),
        goals=tuple(builder.goals),
        likes=(*builder.likes, *nulls),
        counts=tuple(builder.aggregates.counts),
        columns=builder.columns,
    )


def span_of(statement: Statement) -> tuple[date, date]:
    """Give the dates worth considering: those near dates and years the statement mentions."""
    found = [day for node in statement.tree.find_all(exp.Literal) for day in _days(node)]
    first, last = min([*found, _FIRST]), max([*found, _LAST])
    return first - (_MARGIN if found and first < _FIRST else timedelta(0)), last + timedelta(days=365)


def _days(node: Any) -> list[date]:
    if node.is_string:
        day = to_date(node.this)
        return [day] if day is not None and day.year in _YEARS else []
    return [date(int(node.this), 1, 1)] if node.is_int and int(node.this) in _YEARS else []

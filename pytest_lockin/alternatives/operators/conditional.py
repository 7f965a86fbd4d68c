"""Another branch of a conditional.

What it does:
    Leaves out a branch of `when ... otherwise` (CASE), or its default; gives a branch the condition of the
    next one, or of the one before; lets two neighbours trade their values.

The mistake it imitates:
    A case of the ticket that was forgotten; thresholds of two classes taken for one another; a default
    that turns into NULL.

Example:
    `F.when(F.col("amount") > 100, "gold").when(F.col("amount") > 50, "silver").otherwise("bronze")` becomes
    `F.when(F.col("amount") > 100, "gold").otherwise("bronze")`.

When it changes nothing:
    A branch that no row reaches; a default of NULL.

Which obligation it serves:
    metric; the kind of the clause it stands in where that is another one.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.predicates import short
from pytest_lockin.model.task import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

_PAIR = 2


class Conditional:
    """Drops branches and defaults, trades conditions and values."""

    name = "conditional"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Edit every chain of `when`."""
        for call in program.methods("column", "otherwise"):
            yield program.unlink(
                call,
                kind=self._kind(program, call),
                says=f"the default {_first(program, call)} is left out",
            )
        for call, _ in program.functions("when"):
            chain = _branches(program, call)
            for place, branch in enumerate(chain):
                yield from self._drop(program, chain, place)
                for other in chain[max(place - 1, 0) : place] + chain[place + 1 : place + 2]:
                    yield from self._borrow(program, branch, other)
            for one, other in pairwise(chain):
                yield from self._trade(program, one, other)

    def _kind(self, program: Program, call: ast.Call) -> Kind:
        return program.kind_of(call, Kind.METRIC)

    def _drop(self, program: Program, chain: list[ast.Call], place: int) -> Iterator[PythonEdit]:
        branch = chain[place]
        if len(chain) < _PAIR or len(branch.args) < _PAIR:
            return
        says = f"the branch {short(program.layout.text(branch.args[0]))} is left out"
        if place:
            yield program.unlink(branch, kind=self._kind(program, branch), says=says)
            return
        following = chain[1]
        span = (program.layout.span(branch.args[0])[0], program.layout.span(following.args[0])[0])
        start, end = program.layout.whole(branch.args[0])[0], program.layout.whole(following.args[0])[0]
        del span
        columns = program.columns(branch.args[0])
        yield program.swap_span(
            (start, end), "", kind=self._kind(program, branch), says=says, columns=columns
        )

    def _borrow(self, program: Program, branch: ast.Call, other: ast.Call) -> Iterator[PythonEdit]:
        condition, its = branch.args[0], other.args[0]
        says = f"the branch {_first(program, branch)} asks for {_first(program, other)} instead"
        yield program.replace(
            condition, program.layout.text(its), kind=self._kind(program, branch), says=says
        )

    def _trade(self, program: Program, one: ast.Call, other: ast.Call) -> Iterator[PythonEdit]:
        if len(one.args) < _PAIR or len(other.args) < _PAIR:
            return
        layout = program.layout
        first, second = layout.whole(one.args[1]), layout.whole(other.args[1])
        source = program.source
        text = source[second[0] : second[1]] + source[first[1] : second[0]] + source[first[0] : first[1]]
        says = f"{short(layout.text(one.args[1]))} and {short(layout.text(other.args[1]))} trade places"
        yield program.swap_span(
            (first[0], second[1]),
            text,
            kind=self._kind(program, one),
            says=says,
            columns=program.columns(one.args[0]),
        )

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Edit every CASE."""
        from sqlglot import exp

        for case in query.nodes(exp.Case):
            if case.args.get("default") is not None:
                says = f"the default {short(case.args['default'].sql('spark'))} is left out"
                yield query.edit(case, _with(case, default=None), says)
            branches = case.args["ifs"]
            for place, branch in enumerate(branches):
                says = f"the branch {short(branch.this.sql('spark'))}"
                if len(branches) > 1:
                    kept = [b for b in branches if b is not branch]
                    yield query.edit(case, _with(case, ifs=kept), f"{says} is left out")
                for other in branches[max(place - 1, 0) : place] + branches[place + 1 : place + 2]:
                    instead = f"{says} asks for {short(other.this.sql('spark'))} instead"
                    yield query.edit(branch.this, other.this.copy(), instead, clause=query.clause_of(case))
            yield from _turned(query, case)

    def examples(self) -> tuple[Example, ...]:
        """Show two branches and a default, and a CASE of one branch."""
        gold, silver = 'F.col("amount") > 100', 'F.col("amount") > 50'
        end = '.otherwise("bronze").alias("t"))'
        return (
            Example(
                before=f'orders.select(F.when({gold}, "gold").when({silver}, "silver"){end}',
                after=(
                    f'orders.select(F.when({gold}, "gold").when({silver}, "silver").alias("t"))',
                    f'orders.select(F.when({silver}, "silver"){end}',
                    f'orders.select(F.when({silver}, "gold").when({silver}, "silver"){end}',
                    f'orders.select(F.when({gold}, "gold"){end}',
                    f'orders.select(F.when({gold}, "gold").when({gold}, "silver"){end}',
                    f'orders.select(F.when({gold}, "silver").when({silver}, "gold"){end}',
                ),
            ),
            Example(
                before="SELECT CASE WHEN amount > 5 THEN 1 ELSE 0 END AS t FROM orders",
                language="sql",
                after=(
                    "SELECT CASE WHEN amount > 5 THEN 1 END AS t FROM orders",
                    "SELECT CASE WHEN amount >= 5 THEN 1 ELSE 0 END AS t FROM orders",
                    "SELECT CASE WHEN amount <= 5 THEN 1 ELSE 0 END AS t FROM orders",
                ),
            ),
        )


def _first(program: Program, call: ast.Call) -> str:
    return short(program.layout.text(call.args[0])) if call.args else ""


def _branches(program: Program, call: ast.Call) -> list[ast.Call]:
    """Give the chain of `when` that starts with a call of `F.when`."""
    chain = [call]
    while program.next_method(chain[-1]) == "when":
        following = program.parents.get(program.parents[chain[-1]])
        if not isinstance(following, ast.Call) or not following.args:
            break
        chain.append(following)
    return chain if call.args else []


def _with(case: Any, **args: Any) -> Any:
    from pytest_lockin.alternatives.sql.query import with_args

    return with_args(case, **args)


def _turned(query: Query, case: Any) -> Iterator[SqlEdit]:
    from pytest_lockin.alternatives.predicates import change_sql, sql_parts

    for branch in case.args["ifs"]:
        if case.args.get("this") is None:
            for part in sql_parts(branch.this):
                yield from change_sql(query, part.unnest())


OPERATOR = Conditional()

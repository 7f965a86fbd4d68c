"""Another join type.

What it does:
    Replaces the type of a join by each of the others: inner, left, right, full, semi, anti, cross. A join
    of SQL written with commas is written out first, its conditions moved into ON.

The mistake it imitates:
    Rows without a partner are kept where the ticket drops them, or dropped where it keeps them; rows are
    doubled where only their existence was asked for.

Example:
    `orders.join(customers, "customer_id", "left")` becomes `orders.join(customers, "customer_id", "inner")`.

When it changes nothing:
    Every key of one side has a partner, by contract or by a filter that follows (left join, then a
    condition on the right side). A semi-join equals an inner join on a key that is unique on the right. The
    engine's plans show some of these; the others stay undecided.

Which obligation it serves:
    join.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import Example
from pytest_lockin.alternatives.python.program import quote
from pytest_lockin.alternatives.python.values import Text
from pytest_lockin.model.task import Fragment, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_lockin.alternatives.base import PythonEdit, SqlEdit
    from pytest_lockin.alternatives.python.program import Program
    from pytest_lockin.alternatives.sql.query import Query

SAYS = {
    "inner": "this join drops rows without a partner",
    "left": "this join keeps left rows without a partner",
    "right": "this join keeps right rows without a partner",
    "full": "this join keeps rows without a partner on both sides",
    "left_semi": "this join only asks whether a partner exists",
    "left_anti": "this join keeps the rows that have no partner",
    "cross": "this join pairs every row with every row",
}
_SPELLINGS = {
    "leftouter": "left",
    "rightouter": "right",
    "outer": "full",
    "fullouter": "full",
    "semi": "left_semi",
    "leftsemi": "left_semi",
    "anti": "left_anti",
    "leftanti": "left_anti",
}
_SQL: dict[str, tuple[str | None, str | None]] = {
    "inner": (None, None),
    "left": ("LEFT", None),
    "right": ("RIGHT", None),
    "full": ("FULL", None),
    "left_semi": ("LEFT", "SEMI"),
    "left_anti": ("LEFT", "ANTI"),
    "cross": (None, "CROSS"),
}


def normalise(how: str) -> str:
    """Write a join type one way."""
    compact = how.lower().replace("_", "").replace(" ", "")
    return _SPELLINGS.get(compact, compact)


class JoinType:
    """Swaps join types."""

    name = "join-type"

    def python(self, program: Program) -> Iterator[PythonEdit]:
        """Change, or add, the `how` of every join that has a condition."""
        for call in program.methods("frame", "join"):
            if program.argument(call, 1, "on") is None:
                continue
            how = program.argument(call, 2, "how")
            if how is None:
                yield from self._add(program, call)
            for node, kind in self._literals(program, how) if how is not None else ():
                yield from self._change(program, call, node, kind)
            yield from self._cross(program, call)

    def _add(self, program: Program, call: ast.Call) -> Iterator[PythonEdit]:
        if any(isinstance(each, ast.Starred) for each in call.args):
            return
        last = (*call.args, *(keyword.value for keyword in call.keywords))[-1]
        for kind, says in SAYS.items():
            if kind not in ("inner", "cross"):
                yield program.append(last, f', how="{kind}"', kind=Kind.JOIN, says=says)

    def _literals(self, program: Program, how: ast.expr) -> Iterable[tuple[ast.expr, str]]:
        found = {
            v.node: normalise(v) for v in program.values(how) if isinstance(v, Text) and v.node is not None
        }
        return found.items()

    def _change(self, program: Program, call: ast.Call, node: ast.expr, now: str) -> Iterator[PythonEdit]:
        on = program.argument(call, 1, "on")
        columns = program.columns(on) if on is not None else ()
        for kind, says in SAYS.items():
            if kind not in (now, "cross") and now in SAYS and isinstance(node, ast.Constant):
                text = quote(kind, program.layout.text(node))
                yield program.replace(node, text, kind=Kind.JOIN, says=says, columns=columns)

    def _cross(self, program: Program, call: ast.Call) -> Iterator[PythonEdit]:
        other = program.argument(call, 0, "other")
        if other is None:
            return
        start = program.layout.name_of_call(call)[0]
        text = f"crossJoin({program.layout.grouped(other)})"
        span = (start, program.layout.span(call)[1])
        yield program.swap_span(
            span,
            text,
            kind=Kind.JOIN,
            says=SAYS["cross"],
            columns=program.columns(call.args[-1]) if call.args else (),
        )

    def sql(self, query: Query) -> Iterator[SqlEdit]:
        """Change the side and kind of every join; joins by comma get their conditions from WHERE."""
        from sqlglot import exp

        for join in query.nodes(exp.Join):
            now = _kind_of(join)
            if join.args.get("on") is None and not join.args.get("using"):
                yield from self._comma(query, join)
                continue
            for kind, (side, word) in _SQL.items():
                if kind != now:
                    yield query.edit(join, _retyped(join, side, word), SAYS[kind], clause=Fragment.JOIN_ON)

    def _comma(self, query: Query, join: Any) -> Iterator[SqlEdit]:
        select = join.parent
        # sqlglot writes a comma as CROSS JOIN; both get their conditions from WHERE.
        if join.args.get("kind") not in (None, "", "CROSS") or select.args.get("where") is None:
            return
        for kind in ("left", "right", "full", "left_semi", "left_anti"):
            made = _written_out(query, select, join, kind)
            if made is not None:
                alias = join.alias_or_name
                says = f"{SAYS[kind]} ({alias})"
                yield query.edit(
                    select, made, says, clause=Fragment.JOIN_ON, columns=_touched(query, select, join)
                )

    def examples(self) -> tuple[Example, ...]:
        """Show an explicit type, a default one, and joins by comma."""
        names = ("inner", "right", "full", "left_semi", "left_anti")
        start, end = "SELECT amount FROM orders AS o", "customers AS c ON o.customer_id = c.customer_id"
        by_name = tuple(f'orders.join(customers, "customer_id", "{name}")' for name in names)
        return (
            Example(before='orders.join(customers, "customer_id", "left")', after=by_name),
            Example(
                before=f"{start} JOIN {end}",
                language="sql",
                after=tuple(
                    f"{start} {word}JOIN {end if word != 'CROSS ' else 'customers AS c'}"
                    for word in ("LEFT ", "RIGHT ", "FULL ", "LEFT SEMI ", "LEFT ANTI ", "CROSS ")
                ),
            ),
        )


def _kind_of(join: Any) -> str:
    side, kind = (join.args.get("side") or "").lower(), (join.args.get("kind") or "").lower()
    if kind in ("semi", "anti"):
        return f"left_{kind}"
    return side or ("cross" if kind == "cross" else "inner")


def _retyped(join: Any, side: str | None, word: str | None) -> Any:
    made = join.copy()
    made.set("side", side)
    made.set("kind", word)
    if word == "CROSS":
        made.set("on", None)
        made.set("using", None)
    return made


def _conditions(query: Query, select: Any, join: Any) -> tuple[list[Any], list[Any]]:
    """Split WHERE into what belongs to a join (it, and only tables before it) and the rest."""
    from sqlglot import exp

    from pytest_lockin.alternatives.sql.query import conjuncts

    joins = select.args["joins"]
    before = {select.args["from_"].this.alias_or_name.lower()}
    before |= {each.alias_or_name.lower() for each in joins[: joins.index(join) + 1]}
    mine: list[Any] = []
    rest: list[Any] = []
    for part in conjuncts(select.args["where"].this):
        attrs = [query.resolve(column) for column in part.find_all(exp.Column)]
        read = {attr.qualifier.lower() for attr in attrs if attr is not None}
        own = join.alias_or_name.lower() in read and read <= before and not part.find(exp.Query)
        (mine if own and None not in attrs else rest).append(part)
    return mine, rest


def _touched(query: Query, select: Any, join: Any) -> tuple[str, ...]:
    return query.columns(*(part for part in _conditions(query, select, join)[0] if query.relates(part)))


def _written_out(query: Query, select: Any, join: Any, kind: str) -> Any:
    from sqlglot import exp

    from pytest_lockin.alternatives.sql.query import all_of

    mine, rest = _conditions(query, select, join)
    if not any(query.relates(part) for part in mine):
        return None
    made = select.copy()
    for each in made.args["joins"]:
        if not each.args.get("on") and not each.args.get("using") and not each.args.get("kind"):
            each.set("kind", "CROSS")
    changed = made.args["joins"][select.args["joins"].index(join)]
    changed.set("side", _SQL[kind][0])
    changed.set("kind", _SQL[kind][1])
    changed.set("on", all_of(mine))
    made.set("where", exp.Where(this=all_of(rest)) if rest else None)
    return made


OPERATOR = JoinType()

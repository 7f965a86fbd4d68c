"""FULL JOIN on the stack: DuckDB cannot unnest one from a lateral join, so its sides carry the number.

The sides of such a join read all datasets at once, each row with its number; the numbers meet in the join's
condition, and a filter above it picks the dataset that the lateral join stands at.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from pytest_lockin.errors import FixturesError

WHOLE = "_whole_"
RANGE = "_range"


def has_full_join(tree: Any) -> bool:
    """Tell whether a statement has a FULL JOIN anywhere."""
    return any(join.side == "FULL" for join in tree.find_all(exp.Join))


def spread_full_joins(tree: Any, *, number: str, each: str, stored: str) -> Any:
    """Rewrite every query with a FULL JOIN; common table expressions are put in the place of their names.

    Args:
        tree: the statement (sqlglot), its input tables named as in the stack.
        number: the column of the dataset's number.
        each: the alias under which the lateral join has it.
        stored: how names of tables in the stack begin; `_whole_` before one means its rows of all datasets.

    Raises:
        FixturesError: a join by USING or NATURAL beside a FULL JOIN.
    """
    tree = _inline(tree)
    for select in [s for s in tree.find_all(exp.Select) if _joins_fully(s)][::-1]:
        _spread(select, number, each, stored)
    return tree


def _joins_fully(select: Any) -> bool:
    return any(join.side == "FULL" for join in select.args.get("joins") or ())


def _inline(tree: Any) -> Any:
    """Put each common table expression where it is read, the first ones first: later ones read them."""
    while True:
        shared = next((node for node in tree.find_all(exp.With)), None)
        if shared is None:
            return tree
        cte = shared.expressions[0]
        name, owner = cte.alias_or_name.lower(), shared.parent
        columns = cte.args["alias"].args.get("columns")
        for table in [
            t for t in owner.find_all(exp.Table) if t.name.lower() == name and not t.args.get("db")
        ]:
            if table.find_ancestor(exp.CTE) is cte:
                continue
            alias = exp.TableAlias(this=exp.to_identifier(table.alias or table.name), columns=columns)
            table.replace(exp.Subquery(this=cte.this.copy(), alias=alias))
        cte.pop()
        if not shared.expressions:
            shared.pop()


def _spread(select: Any, number: str, each: str, stored: str) -> None:
    sources = [select.args["from_"].this, *(join.this for join in select.args.get("joins") or ())]
    for place, source in enumerate(sources):
        _name_source(source, f"_source{place}")
    names = [source.alias_or_name for source in sources]
    for source in sources:
        source.replace(_whole(source, number, each, stored))
    current = _number_of(names[0], number)
    for join, name in zip(select.args.get("joins") or (), names[1:], strict=True):
        if join.args.get("using") or join.method:
            raise FixturesError(
                expected="joins by ON beside a FULL JOIN",
                found=join.sql(dialect="spark"),
                hint="the statement is run on one dataset after the other instead",
            )
        own = _number_of(name, number)
        join.set("on", exp.and_(join.args.get("on"), exp.EQ(this=current.copy(), expression=own.copy())))
        if join.kind == "CROSS" or not (join.side or join.kind):
            join.set("kind", "INNER")
        current = _carry(join.side, current, own)
    select.where(exp.EQ(this=current, expression=_number_of(each, number)), copy=False)


def _name_source(source: Any, name: str) -> None:
    """Give a subquery a name where it has none; what is neither a table nor a subquery is refused."""
    if not isinstance(source, exp.Table | exp.Subquery):
        raise FixturesError(
            expected="tables and subqueries beside a FULL JOIN",
            found=source.sql(dialect="spark"),
            hint="the statement is run on one dataset after the other instead",
        )
    if not source.alias_or_name:
        source.set("alias", exp.TableAlias(this=exp.to_identifier(name)))


def _number_of(name: str, number: str) -> Any:
    return exp.column(number, table=name)


def _carry(side: str, left: Any, right: Any) -> Any:
    """Give the expression that has the dataset's number in every row of a join."""
    if side == "FULL":
        return exp.Coalesce(this=left, expressions=[right])
    return right if side == "RIGHT" else left


def _whole(source: Any, number: str, each: str, stored: str) -> Any:
    """Give a source's rows of all datasets, each with its number."""
    if isinstance(source, exp.Table) and source.name.startswith(stored):
        copy = source.copy()
        copy.set("this", exp.to_identifier(WHOLE + source.name))
        return copy
    inner = exp.Lateral(
        this=exp.Subquery(this=source.this.copy()), alias=exp.TableAlias(this=exp.to_identifier("_r"))
    )
    select = exp.select(_number_of(each, number), "_r.*").from_(
        exp.alias_(exp.to_table(RANGE), each, table=True)
    )
    select.append("joins", exp.Join(this=inner, kind="CROSS"))
    alias = source.args["alias"].copy()
    if alias.args.get("columns"):
        alias.set("columns", [exp.to_identifier(number), *alias.args["columns"]])
    return exp.Subquery(this=select, alias=alias)

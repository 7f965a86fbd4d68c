"""Expressions of a statement, read as terms; what is not known is read by its parts, or refused."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, Protocol

from sqlglot import exp

from pytest_lockin.fixturegen.equivalence.terms import FALSE, NULL, TRUE, Term, col, lit
from pytest_lockin.sql.statement import DIALECT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_lockin.fixturegen.equivalence.queries import Query

EPOCH = date(1970, 1, 1).toordinal()
_FLIPPED = {exp.GT: "lt", exp.GTE: "le"}
_PLAIN = {exp.EQ: "eq", exp.NEQ: "ne", exp.LT: "lt", exp.LTE: "le", exp.NullSafeEQ: "same"}
_UNSETTLED = {
    "rand", "randn", "random", "uuid", "current_date", "current_timestamp", "current_time", "now", "shuffle",
    "monotonically_increasing_id", "spark_partition_id", "input_file_name", "first", "first_value", "last",
    "last_value", "any_value", "collect_list", "collect_set", "array_agg", "array_unique_agg", "group_concat",
    "localtime", "localtimestamp", "unix_timestamp", "randstr", "uniform", "approx_distinct", "mode",
}  # fmt: skip
_PASSED_OVER = {"big_int", "safe", "typed", "null_ordering", "requires_string"}


_OPEN = (
    *(exp.Func, exp.Binary, exp.Unary, exp.Condition, exp.Interval, exp.Tuple, exp.WindowSpec),
    *(exp.Rollup, exp.Cube, exp.GroupingSets),
)
"""What may be read by its parts without knowing what it does."""


class UnsupportedError(Exception):
    """The statement has a part proofs do not know; nothing is proved of it."""


class QueryReader(Protocol):
    """Reads the queries inside expressions."""

    def read(self, tree: Any, path: str, ctes: Mapping[str, Any], outer: Mapping[str, str]) -> Query:
        """Read a query."""
        ...


class Scope:
    """What names mean inside one query."""

    def __init__(
        self,
        reader: QueryReader,
        sources: dict[str, str],
        path: str,
        ctes: Mapping[str, Any],
        outer: Mapping[str, str],
    ) -> None:
        self.reader = reader
        self.sources = sources
        self.path = path
        self.ctes = ctes
        self.outer = outer
        self.outputs: dict[str, Term] = {}

    def term(self, node: Any) -> Term:
        """Read an expression."""
        read = next((read for kinds, read in _READERS if isinstance(node, kinds)), Scope.generic)
        made: Term = read(self, node)
        return made

    def generic(self, node: Any) -> Term:
        """Read a function or operator by its parts; what it does is left open."""
        if not isinstance(node, _OPEN):
            raise UnsupportedError(node.key)
        name = node.name.lower() if isinstance(node, exp.Anonymous) else node.key
        called = node.sql_name().lower() if isinstance(node, exp.Func) and node.key != "anonymous" else name
        if {name, called} & _UNSETTLED:
            raise UnsupportedError(f"{called}() gives other values each time")
        args: list[Term] = []
        tag: list[Any] = [name] if isinstance(node, exp.Anonymous) else []
        for key in sorted(node.args):
            value = node.args[key]
            if value is None or value is False or key in _PASSED_OVER or (key == "this" and name == value):
                continue
            tag.append(key)
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, exp.Expr):
                    args.append(self.term(each))
                else:
                    tag.append(str(each).lower())
            if isinstance(value, list):
                tag.append(len(value))
        return Term(f"fn:{name}", tuple(args), tuple(tag))

    def column(self, node: Any) -> Term:
        """Read a column: of a source, of a query around, or an output's name."""
        table, name = node.table.lower(), node.name.lower()
        if not table and name in self.outputs:
            return self.outputs[name]
        if not table and not self.sources:
            return col("", name)
        source = self.sources.get(table) or self.outer.get(table)
        if source is None:
            raise UnsupportedError(f"column {node.sql(DIALECT)}")
        return col(source, name)

    def query(self, node: Any) -> Query:
        """Read a query inside an expression."""
        seen = {**self.outer, **self.sources}
        return self.reader.read(node, f"{self.path}?", self.ctes, seen)


def check_parts(node: Any, known: set[str]) -> None:
    """Refuse a node that has other parts than those known."""
    more = [key for key, value in node.args.items() if value and key not in known]
    if more:
        raise UnsupportedError(f"{', '.join(more)} of {node.key}")


def ordered(tree: Any) -> list[Any]:
    """List a query's sort keys."""
    return list(tree.args["order"].expressions) if tree.args.get("order") else []


def _literal(_: Scope, node: Any) -> Term:
    if node.is_string:
        return lit("string", node.this)
    if node.is_int:
        return lit("int", int(node.this))
    return lit("double" if "e" in node.this.lower() else "decimal", node.this)


def _negative(scope: Scope, node: Any) -> Term:
    inner = scope.term(node.this)
    if inner.op == "lit" and inner.tag[0] == "int":
        return lit("int", -inner.tag[1])
    if inner.op == "lit" and inner.tag[0] == "decimal" and not inner.tag[1].startswith("-"):
        return lit("decimal", f"-{inner.tag[1]}")
    return Term("neg", (inner,))


def _between(scope: Scope, node: Any) -> Term:
    if node.args.get("symmetric"):
        raise UnsupportedError("BETWEEN SYMMETRIC")
    value, low, high = (scope.term(node.args[key]) for key in ("this", "low", "high"))
    return Term("and", (Term("le", (low, value)), Term("le", (value, high))))


def _is(scope: Scope, node: Any) -> Term:
    if not isinstance(node.expression, exp.Null):
        return scope.generic(node)
    return Term("is-null", (scope.term(node.this),))


def _in(scope: Scope, node: Any) -> Term:
    value = scope.term(node.this)
    if node.args.get("query") is not None:
        return Term("in-query", (value, scope.query(node.args["query"])))
    check_parts(node, {"this", "expressions"})
    return Term("in", (value, *(scope.term(each) for each in node.expressions)))


def _case(scope: Scope, node: Any) -> Term:
    asked = scope.term(node.this) if isinstance(node, exp.Case) and node.this is not None else None
    arms = node.args["ifs"] if isinstance(node, exp.Case) else [node]
    args: list[Term] = []
    for arm in arms:
        condition = scope.term(arm.this)
        args += [Term("eq", (asked, condition)) if asked else condition, scope.term(arm.args["true"])]
    rest = node.args.get("default" if isinstance(node, exp.Case) else "false")
    return Term("case", (*args, scope.term(rest) if rest is not None else NULL))


def _cast(scope: Scope, node: Any) -> Term:
    inner, kind = scope.term(node.this), node.to.sql(DIALECT).lower().replace(" ", "")
    if kind == "date" and inner.op == "lit" and inner.tag[0] == "string":
        try:
            return lit("date", date.fromisoformat(inner.tag[1]).toordinal() - EPOCH)
        except ValueError:
            pass
    if node.args.get("format") or node.args.get("action"):
        raise UnsupportedError("a cast with a format")
    return Term("cast", (inner,), (kind,))


def _interval(_: Scope, node: Any) -> Term:
    if not isinstance(node.this, exp.Literal) or not isinstance(node.args.get("unit"), exp.Var):
        raise UnsupportedError("an interval that is computed")
    unit = node.args["unit"].name.lower().removesuffix("s")
    return Term("interval", (), (unit, str(node.this.this)))


def _aggregate(scope: Scope, node: Any) -> Term:
    if node.key in _UNSETTLED or node.sql_name().lower() in _UNSETTLED:
        raise UnsupportedError(f"{node.sql_name().lower()}() depends on the order of rows")
    inner, distinct = node.this, False
    more = list(node.expressions)
    if isinstance(inner, exp.Distinct):
        inner, more, distinct = inner.expressions[0], [*inner.expressions[1:], *more], True
    others = {k for k, v in node.args.items() if v} - {"this", "expressions"} - _PASSED_OVER
    if others:
        raise UnsupportedError(f"{node.key} with {', '.join(sorted(others))}")
    args = () if inner is None or isinstance(inner, exp.Star) else (scope.term(inner),)
    return Term("agg", (*args, *(scope.term(each) for each in more)), (node.key, distinct))


def _window(scope: Scope, node: Any) -> Term:
    check_parts(node, {"this", "partition_by", "order", "spec", "over"})
    by = Term("by", tuple(scope.term(each) for each in node.args.get("partition_by") or []))
    keys = Term("keys", tuple(scope.term(each) for each in ordered(node)))
    spec = (scope.generic(node.args["spec"]),) if node.args.get("spec") else ()
    function = scope.term(node.this)
    # What a window sums up are rows of the result, not of a group.
    own = Term("over", function.args, function.tag) if function.op == "agg" else function
    return Term("window", (own, by, keys, *spec))


def _ordering(scope: Scope, node: Any) -> Term:
    if node.args.get("with_fill"):
        raise UnsupportedError("WITH FILL")
    if isinstance(node.this, exp.Literal) and node.this.is_int:
        raise UnsupportedError("a sort key by its place, which was not looked up")
    return Term(
        "key", (scope.term(node.this),), (bool(node.args.get("desc")), bool(node.args.get("nulls_first")))
    )


def _refuse(_: Scope, node: Any) -> Term:
    raise UnsupportedError(node.key)


_READERS: tuple[tuple[Any, Any], ...] = (
    (exp.Column, lambda scope, node: scope.column(node)),
    (exp.Literal, _literal),
    (exp.Null, lambda _, __: NULL),
    (exp.Boolean, lambda _, node: TRUE if node.this else FALSE),
    (exp.Neg, _negative),
    ((exp.Paren, exp.Alias), lambda scope, node: scope.term(node.this)),
    (exp.And, lambda scope, node: Term("and", (scope.term(node.this), scope.term(node.expression)))),
    (exp.Or, lambda scope, node: Term("or", (scope.term(node.this), scope.term(node.expression)))),
    (exp.Not, lambda scope, node: Term("not", (scope.term(node.this),))),
    (
        tuple(_FLIPPED),
        lambda scope, node: Term(_FLIPPED[type(node)], (scope.term(node.expression), scope.term(node.this))),
    ),
    (
        tuple(_PLAIN),
        lambda scope, node: Term(_PLAIN[type(node)], (scope.term(node.this), scope.term(node.expression))),
    ),
    (exp.Between, _between),
    (exp.Is, _is),
    (exp.In, _in),
    (exp.Exists, lambda scope, node: Term("exists", (scope.query(node.this),))),
    ((exp.Subquery, exp.Select), lambda scope, node: Term("scalar", (scope.query(node),))),
    ((exp.Case, exp.If), _case),
    (
        exp.Coalesce,
        lambda scope, node: Term("coalesce", tuple(scope.term(e) for e in (node.this, *node.expressions))),
    ),
    (exp.Cast, _cast),
    (exp.Interval, _interval),
    (exp.Grouping, lambda scope, node: Term("grouping", tuple(scope.term(e) for e in node.expressions))),
    (
        (exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile),
        lambda scope, node: scope.generic(node),
    ),
    (exp.AggFunc, _aggregate),
    (exp.Window, _window),
    (exp.Ordered, _ordering),
    (
        (
            exp.Star,
            exp.Filter,
            exp.WithinGroup,
            exp.IgnoreNulls,
            exp.RespectNulls,
            exp.Any,
            exp.All,
            exp.Lambda,
        ),
        _refuse,
    ),
    (
        (exp.Add, exp.Sub, exp.Mul, exp.Div),
        lambda scope, node: Term(node.key, (scope.term(node.this), scope.term(node.expression))),
    ),
)

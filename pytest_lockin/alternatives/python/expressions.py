"""Column expressions: methods of Column, functions of `pyspark.sql.functions`, SQL text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.python import types
from pytest_lockin.alternatives.python.values import UNKNOWN, Expr, Function, Lib, Read, Text, WindowSpec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.alternatives.python.trace import Trace

# Functions whose string arguments are values, but for those at the places given.
_PLACES: dict[str, tuple[int, ...]] = {
    "lit": (),
    "expr": (),
    "concat_ws": tuple(range(1, 99)),
    "format_string": tuple(range(1, 99)),
    "date_trunc": (1,),
    "typedLit": (),
    "when": (),
    "months_between": (0, 1),
    "datediff": (0, 1),
    "date_diff": (0, 1),
    "corr": (0, 1),
    "max_by": (0, 1),
    "min_by": (0, 1),
    "nullif": (0, 1),
    "ifnull": (0, 1),
    "nvl": (0, 1),
    "nvl2": (0, 1, 2),
}
_ALL = frozenset(
    [
        "coalesce",
        "concat",
        "greatest",
        "least",
        "array",
        "struct",
        "count_distinct",
        "countDistinct",
        "grouping_id",
        "create_map",
        "hash",
        "xxhash64",
        "named_struct",
        "approx_count_distinct",
    ]
)
_SORTS = frozenset(
    ["desc", "asc", "desc_nulls_first", "desc_nulls_last", "asc_nulls_first", "asc_nulls_last"]
)
_SAME = _SORTS | frozenset(["alias", "name"])
_BOOLEAN = frozenset(
    [
        "isin",
        "between",
        "like",
        "ilike",
        "rlike",
        "startswith",
        "endswith",
        "contains",
        "isNull",
        "isNotNull",
        "eqNullSafe",
        "isNaN",
    ]
)
_UNCHANGED = frozenset(("broadcast",))
_MANY = frozenset(("explode", "posexplode", "inline", "stack", "json_tuple"))


def flatten(values: Iterable[Any]) -> list[Any]:
    """Lay nested lists of columns out flat."""
    out: list[Any] = []
    for value in values:
        out += flatten(value) if isinstance(value, (list, tuple)) else [value]
    return out


def column(value: Any, *, named: bool = True) -> Expr | None:
    """Read a value as a column: a name, an expression, a literal; None where it is not known.

    `named` says whether a string is a column's name here, or a value.
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, str):
        return of_name(value) if named else Expr(name=value, type="string")
    if value is UNKNOWN or isinstance(value, (Lib, Function)):
        return None
    return Expr(name=str(value), type=types.type_of(value))


def of_name(name: str) -> Expr:
    """Make the expression that is a column of that name."""
    if name == "*" or name.endswith(".*"):
        return Expr(name=name, star=True)
    read = Read(str(name), name.node if isinstance(name, Text) else None)
    short = name.replace("`", "").rpartition(".")[2]
    return Expr(name=short, reads=(read,), bare=(read,), source=read)


def combine(function: str, parts: list[Any], *, type_name: str = "", name: str = "") -> Expr | Any:
    """Make an expression over others; not known where a part is not."""
    columns = [column(part, named=False) for part in parts]
    if any(each is None for each in columns):
        return Expr(name=name, star=False, type=type_name, operands=(), function="?")
    known = [each for each in columns if each is not None]
    return Expr(
        name=name or f"{function}({', '.join(each.name for each in known)})",
        reads=tuple(read for each in known for read in each.reads),
        bare=tuple(read for each in known for read in each.bare),
        type=type_name,
        aggregated=any(each.aggregated for each in known),
        star=any(each.star for each in known),
        operands=tuple(parts),
        function=function,
    )


def call_function(trace: Trace, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call `F.name(...)`."""
    values = [
        *arguments,
        *(value for key, value in keywords.items() if key not in ("ignorenulls", "ignoreNulls")),
    ]
    if name in _UNCHANGED:
        return values[0] if values else UNKNOWN
    if name in ("col", "column"):
        return column(values[0]) or UNKNOWN if values else UNKNOWN
    if name in ("expr", "lit", "when"):
        return _SPECIAL[name](trace, values)
    if name in _SORTS:
        return column(values[0]) or UNKNOWN if values else UNKNOWN
    return _apply(trace, name, flatten(values))


def _apply(trace: Trace, name: str, values: list[Any]) -> Any:
    places = range(99) if name in _ALL else _PLACES.get(name, (0,))
    parts = []
    for place, value in enumerate(values):
        if isinstance(value, str) and place in places:
            parts.append(Expr(name="1", type="int") if value == "*" else of_name(value))
            continue
        if not isinstance(value, Expr):
            trace.mark(value, f"argument of {name}")
        parts.append(value)
    made = combine(name, parts)
    if name in _MANY:
        return replace(made, star=True)
    if name in types.AGGREGATES:
        return replace(made, aggregated=True, bare=(), source=None)
    return replace(made, source=None)


def _expr(_: Trace, values: list[Any]) -> Any:
    return of_sql(values[0]) if values and isinstance(values[0], str) else UNKNOWN


def _lit(trace: Trace, values: list[Any]) -> Any:
    if not values or isinstance(values[0], Expr):
        return values[0] if values else UNKNOWN
    trace.mark(values[0], "lit")
    known = "" if values[0] is UNKNOWN else types.type_of(values[0])
    return Expr(name=str(values[0]), type=known, function="lit")


def _when(trace: Trace, values: list[Any]) -> Any:
    for value in values[1:]:
        trace.mark(value, "label")
    made = combine("when", values)
    return replace(made, operands=tuple(values[1:]), function="coalesce")


_SPECIAL = {"expr": _expr, "lit": _lit, "when": _when}


def of_sql(text: str) -> Expr | Any:
    """Read an expression of SQL; not known where it cannot be parsed."""
    import sqlglot
    from sqlglot import exp

    try:
        tree = sqlglot.parse_one(text, read="spark")
    except sqlglot.errors.SqlglotError:
        return UNKNOWN
    if tree.find(exp.Query) or tree.find(exp.Star) or tree.find(exp.Lambda):
        return Expr(name=tree.alias_or_name or text, star=True)
    inside = {id(each) for agg in tree.find_all(exp.AggFunc) for each in agg.find_all(exp.Column)}
    found = list(tree.find_all(exp.Column))
    windowed = tree.find(exp.Window) is not None
    read = {id(each): Read(_dotted(each)) for each in found}
    kept = tuple(read[id(each)] for each in found if windowed or id(each) not in inside)
    return Expr(
        name=tree.alias_or_name or text,
        reads=tuple(read.values()),
        bare=kept,
        aggregated=bool(tree.find(exp.AggFunc)) and not windowed,
        source=read[id(tree)] if isinstance(tree, exp.Column) else None,
    )


def _dotted(node: Any) -> str:
    return ".".join(part.name for part in node.parts)


def call_method(trace: Trace, owner: Expr, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a method of Column."""
    values = [*arguments, *keywords.values()]
    if name in _SAME:
        label = str(values[0]) if name in ("alias", "name") and values and isinstance(values[0], str) else ""
        if label and isinstance(values[0], Text) and values[0].node is not None:
            trace.names.add(values[0].node)
        return replace(owner, name=label or owner.name)
    if name in ("cast", "astype", "try_cast"):
        target = values[0] if values else ""
        known = types.normal(target) if isinstance(target, str) else "?"
        return replace(owner, type=known, source=None)
    if name == "over":
        return _over(owner, values[0] if values else UNKNOWN)
    if name in ("when", "otherwise"):
        for value in values if name == "otherwise" else values[1:]:
            trace.mark(value, "label")
        return replace(_merge(owner, name, values), function="coalesce")
    trace.mark(values, "compare" if name in _BOOLEAN else f"argument of {name}", owner.reads)
    return replace(_merge(owner, name, flatten(values)), type="boolean" if name in _BOOLEAN else "")


def _merge(owner: Expr, name: str, values: list[Any]) -> Expr:
    made = combine(name, [owner, *values])
    return replace(made, source=None) if isinstance(made, Expr) else owner


def _over(owner: Expr, window: Any) -> Expr:
    reads = window.reads if isinstance(window, WindowSpec) else ()
    # A window's own aggregates are over rows: what they read must be there row by row.
    return replace(owner, reads=owner.reads + reads, bare=owner.reads + reads, aggregated=False, source=None)


def operate(trace: Trace, operator: str, left: Any, right: Any) -> Any:
    """Apply a binary operator of Column; one side may be a literal."""
    for side in (left, right):
        if not isinstance(side, Expr):
            other = right if side is left else left
            beside = other.reads if isinstance(other, Expr) else ()
            trace.mark(side, "compare" if operator in _COMPARISONS else "operand", beside)
    type_name = "boolean" if operator in _COMPARISONS or operator in ("&", "|") else ""
    name = f"({getattr(left, 'name', left)} {operator} {getattr(right, 'name', right)})"
    return replace(combine(operator, [left, right], type_name=type_name, name=name), source=None)


_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))

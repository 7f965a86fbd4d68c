"""Types of column expressions, as Spark's DDL writes them; "" where not known."""

from __future__ import annotations

import re
from typing import Any

from pytest_lockin.alternatives.python.values import Day, Expr

WHOLE = ("tinyint", "smallint", "int", "bigint")
_ALIASES = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint", "real": "float"}
_DECIMAL = re.compile(r"(?:decimal|numeric|dec)\((\d+),(-?\d+)\)")

AGGREGATES = frozenset(
    [
        "sum",
        "avg",
        "mean",
        "min",
        "max",
        "count",
        "countDistinct",
        "count_distinct",
        "sum_distinct",
        "sumDistinct",
        "approx_count_distinct",
        "stddev",
        "stddev_samp",
        "stddev_pop",
        "std",
        "variance",
        "var_samp",
        "var_pop",
        "collect_list",
        "collect_set",
        "first",
        "last",
        "any_value",
        "first_value",
        "last_value",
        "grouping",
        "grouping_id",
        "corr",
        "covar_samp",
        "covar_pop",
        "median",
        "mode",
        "percentile",
        "percentile_approx",
        "approx_percentile",
        "kurtosis",
        "skewness",
        "bool_and",
        "bool_or",
        "every",
        "some",
        "any",
        "count_if",
        "max_by",
        "min_by",
        "product",
        "array_agg",
        "listagg",
        "string_agg",
    ]
)
_BY_NAME = {
    **dict.fromkeys(
        ("count", "countDistinct", "count_distinct", "approx_count_distinct", "count_if", "grouping_id"),
        "bigint",
    ),
    **dict.fromkeys(
        ("stddev", "stddev_samp", "stddev_pop", "std", "variance", "var_samp", "var_pop", "median"), "double"
    ),
    **dict.fromkeys(("row_number", "rank", "dense_rank", "ntile", "length", "datediff", "date_diff"), "int"),
    **dict.fromkeys(("year", "month", "quarter", "dayofmonth", "dayofweek", "dayofyear", "hour"), "int"),
    **dict.fromkeys(("percent_rank", "cume_dist", "sqrt", "exp", "log", "rand", "pow", "power"), "double"),
    **dict.fromkeys(
        ("concat", "concat_ws", "upper", "lower", "trim", "ltrim", "rtrim", "substring", "substr", "lpad"),
        "string",
    ),
    **dict.fromkeys(("date_format", "format_string", "regexp_replace", "initcap", "replace"), "string"),
    **dict.fromkeys(("to_date", "date_add", "date_sub", "current_date", "last_day", "make_date"), "date"),
    "add_months": "date",
    "grouping": "tinyint",
}
_LIKE_FIRST = frozenset(
    [
        "min",
        "max",
        "first",
        "last",
        "any_value",
        "first_value",
        "last_value",
        "lag",
        "lead",
        "coalesce",
        "greatest",
        "least",
        "abs",
        "ifnull",
        "nvl",
        "round",
        "bround",
        "mode",
        "col",
        "column",
        "broadcast",
        "nullif",
    ]
)


def normal(type_name: str) -> str:
    """Write a type one way: lower case, no blanks, no second names."""
    compact = re.sub(r"\s+", "", type_name).lower()
    if compact == "decimal":
        return "decimal(10,0)"
    return _ALIASES.get(compact, _DECIMAL.sub(r"decimal(\1,\2)", compact))


def decimal_of(type_name: str) -> tuple[int, int] | None:
    """Give precision and scale of a decimal type."""
    match = _DECIMAL.fullmatch(type_name)
    return (int(match[1]), int(match[2])) if match else None


def family(type_name: str) -> str:
    """Give what a type's values can stand beside: `number`, or the type's own name."""
    if type_name in (*WHOLE, "float", "double") or decimal_of(type_name):
        return "number"
    return "text" if type_name.startswith(("string", "char", "varchar")) else type_name


def type_of(value: Any) -> str:
    """Type of an operand that is a literal of Python, or of an expression."""
    if isinstance(value, Expr):
        return value.type
    for kind, name in ((bool, "boolean"), (int, "int"), (float, "double"), (str, "string"), (Day, "date")):
        if isinstance(value, kind):
            return name
    return ""


def of_function(name: str, arguments: list[str]) -> str:
    """Type of a function's result, from its arguments' types."""
    first = arguments[0] if arguments else ""
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name in _LIKE_FIRST:
        return next((argument for argument in arguments if argument), "")
    if name in ("sum", "sum_distinct", "sumDistinct"):
        return _sum(first)
    if name in ("avg", "mean"):
        return _average(first)
    return ""


def _sum(first: str) -> str:
    if shape := decimal_of(first):
        return f"decimal({min(shape[0] + 10, 38)},{shape[1]})"
    return "bigint" if first in WHOLE else ("double" if first in ("float", "double", "string") else "")


def _average(first: str) -> str:
    if shape := decimal_of(first):
        return f"decimal({min(shape[0] + 4, 38)},{min(shape[1] + 4, 38)})"
    return "double" if first else ""


def of_arithmetic(operator: str, left: str, right: str) -> str:
    """Type of `left operator right`; decimals keep their family, not their exact shape."""
    if "date" in (left, right):
        return "date" if operator in "+-" and left != right else ""
    if "double" in (left, right) or (operator == "/" and not (decimal_of(left) or decimal_of(right))):
        return "double" if left and right else ""
    for side in (left, right):
        if decimal_of(side):
            return side
    return ("bigint" if "bigint" in (left, right) else left) if left in WHOLE and right in WHOLE else ""

"""Functions whose result depends on time or chance: a reference that calls one judges nobody."""

from __future__ import annotations

import ast

from sqlglot import exp

# Names as Spark SQL and `pyspark.sql.functions` spell them.
ALWAYS = frozenset(
    {
        "curdate", "current_date", "current_time", "current_timestamp", "input_file_name", "localtimestamp",
        "monotonically_increasing_id", "now", "rand", "randn", "random", "randstr", "shuffle", "uniform",
        "uuid",
    }
)  # fmt: skip
# These read the clock only when they are given nothing.
WITHOUT_ARGUMENTS = frozenset({"unix_timestamp"})
_PYTHON = frozenset(
    {"today", "utcnow", "time", "time_ns", "monotonic", "perf_counter", "urandom", "uuid4", "uuid1"}
)
_PYTHON_MODULES = frozenset({"datetime", "date", "time", "random", "os", "uuid", "secrets"})


def find_sql_clocks(statement: exp.Expression) -> tuple[str, ...]:
    """Name the functions in a statement that depend on time or chance."""
    found: set[str] = set()
    for node in statement.find_all(exp.Func):
        names = {node.name.lower()} if isinstance(node, exp.Anonymous) else _names(node)
        found |= names & ALWAYS
        if not any(node.args.values()):
            found |= names & WITHOUT_ARGUMENTS
    return tuple(sorted(found))


def _names(node: exp.Func) -> set[str]:
    """All spellings of a function; sqlglot renames some (`unix_timestamp` becomes StrToUnix)."""
    written = node.sql(dialect="spark").partition("(")[0].strip().lower()
    return {written, *(name.lower() for name in type(node).sql_names())}


def find_python_clocks(text: str) -> tuple[str, ...]:
    """Name the calls in a program that depend on time or chance; none where it cannot be parsed."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return tuple(sorted({name for call in calls if (name := _clock_called(call))}))


def _clock_called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Name):
        named = function.id in ALWAYS or (function.id in WITHOUT_ARGUMENTS and not call.args)
        return function.id if named and function.id != "shuffle" else ""
    if not isinstance(function, ast.Attribute):
        return ""
    home = function.value
    home_name = home.id if isinstance(home, ast.Name) else getattr(home, "attr", "")
    if home_name in _PYTHON_MODULES and (
        function.attr in _PYTHON | {"now"} or home_name in {"random", "secrets"}
    ):
        return f"{home_name}.{function.attr}"
    column_function = home_name in {"F", "f", "sf", "fn", "functions", "psf"}
    if column_function and (
        function.attr in ALWAYS or (function.attr in WITHOUT_ARGUMENTS and not call.args)
    ):
        return f"{home_name}.{function.attr}"
    return ""

"""Reads a program as Spark's analyser would, without running any of it.

Functions are followed into for each of their calls, loops over known lists are unrolled, f-strings put
together, so that a column name is found wherever it was written. What cannot be known is unknown, and an
unknown never makes an error: the errors noted are those that surely are ones.
"""

from __future__ import annotations

import ast
import datetime as dt
import itertools
import operator
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.python import expressions, frames
from pytest_lockin.alternatives.python.trace import Trace
from pytest_lockin.alternatives.python.types import normal
from pytest_lockin.alternatives.python.values import (
    UNKNOWN,
    Day,
    Expr,
    Frame,
    Function,
    Grouped,
    Lib,
    Method,
    Real,
    Span,
    Tables,
    Text,
    Whole,
    WindowSpec,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_lockin.alternatives.base import Schemas

Scope = dict[str, Any]
# Bounds of the reading: a helper that calls itself, a loop over a big list, a program made to be slow.
_DEPTH, _ROUNDS, _STEPS, _LONG, _BITS = 12, 64, 60_000, 10_000, 256
# Identities of columns a later reading makes: beyond those of any set of tables.
_LATER = 1_000_000
_MODULES = {
    "pyspark.sql.functions": "F",
    "pyspark.sql.window": "",
    "pyspark.sql": "",
    "datetime": "datetime",
    "functools": "functools",
}
_OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class TooLongError(Exception):
    """The reading ran into a bound; what was found so far stands."""


class _ReturnError(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value
        super().__init__()


class Interpreter:
    """One reading of one module; `trace` holds what it found, `result` what the entry point returned."""

    def __init__(self, schemas: Schemas, *, like: Interpreter | None = None) -> None:
        """Start a reading; `like` is an earlier one of the same schemas.

        With it the tables are shared, and only errors and the result are kept: that is what the many
        readings of mutants are for.
        """
        self.trace = Trace(watched=like is None)
        self._watched = like is None
        self.tables: dict[str, Frame] = like.tables if like is not None else self._make_tables(schemas)
        if like is not None:
            self.trace.numbers = itertools.count(_LATER)
        self.result: Any = UNKNOWN
        self._depth = 0
        self._steps = 0

    def _make_tables(self, schemas: Schemas) -> dict[str, Frame]:
        fresh = self.trace.fresh
        return {
            name: Frame(tuple(fresh(column, normal(kind), name) for column, kind in columns.items()))
            for name, columns in schemas.items()
        }

    def read(self, tree: ast.Module, function: str) -> None:
        """Read the module, then the call of its entry point."""
        scope: Scope = {}
        try:
            self._run(tree.body, scope)
            target = scope.get(function)
            if isinstance(target, Function):
                self.result = self._enter(target, [self._given(arg) for arg in _parameters(target.node)], {})
        except (TooLongError, RecursionError, _ReturnError):
            return

    def _given(self, parameter: ast.arg) -> Any:
        known = {name.lower(): frame for name, frame in self.tables.items()}
        if parameter.arg.lower() in known:
            return known[parameter.arg.lower()]
        hint = ast.unparse(parameter.annotation) if parameter.annotation else ""
        if parameter.arg in ("spark", "session") or "SparkSession" in hint:
            return Lib("spark")
        return Frame(None) if hint.endswith("DataFrame") else Tables()

    # Statements

    def _run(self, body: list[ast.stmt], scope: Scope) -> None:
        for statement in body:
            self._step()
            handler = _STATEMENTS.get(type(statement))
            if handler is not None:
                getattr(self, handler)(statement, scope)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _STEPS:
            raise TooLongError

    def _import(self, statement: ast.Import, scope: Scope) -> None:
        for alias in statement.names:
            if alias.asname:
                scope[alias.asname] = Lib(_MODULES.get(alias.name, alias.name))
            else:
                head = alias.name.partition(".")[0]
                scope[head] = Lib(head)

    def _import_from(self, statement: ast.ImportFrom, scope: Scope) -> None:
        base = _MODULES.get(statement.module or "", statement.module or "")
        for alias in statement.names:
            path = "F" if alias.name == "functions" and not base else f"{base}.{alias.name}".lstrip(".")
            scope[alias.asname or alias.name] = Lib(path)

    def _define(self, statement: ast.FunctionDef, scope: Scope) -> None:
        plain = not statement.decorator_list
        scope[statement.name] = Function(statement, scope) if plain else UNKNOWN

    def _assign(self, statement: ast.Assign, scope: Scope) -> None:
        value = self.evaluate(statement.value, scope)
        for target in statement.targets:
            self._bind(target, value, scope)

    def _annotate(self, statement: ast.AnnAssign, scope: Scope) -> None:
        if statement.value is not None:
            self._bind(statement.target, self.evaluate(statement.value, scope), scope)

    def _augment(self, statement: ast.AugAssign, scope: Scope) -> None:
        if isinstance(statement.target, ast.Name):
            left = scope.get(statement.target.id, UNKNOWN)
            right = self.evaluate(statement.value, scope)
            scope[statement.target.id] = self._operate(_OPERATORS.get(type(statement.op), "?"), left, right)

    def _bind(self, target: ast.expr, value: Any, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            if value is None:
                self.trace.errors.add("unpacks None")
            count = len(target.elts)
            fits = isinstance(value, (list, tuple)) and len(value) == count
            for each, part in zip(target.elts, value if fits else [UNKNOWN] * count, strict=True):
                self._bind(each, part, scope)
        elif isinstance(target, ast.Subscript):
            held = self.evaluate(target.value, scope)
            key = self.evaluate(target.slice, scope)
            if isinstance(held, dict) and isinstance(key, (str, int)):
                held[key] = value

    def _express(self, statement: ast.Expr, scope: Scope) -> None:
        self.evaluate(statement.value, scope)

    def _give(self, statement: ast.Return, scope: Scope) -> None:
        raise _ReturnError(self.evaluate(statement.value, scope) if statement.value else None)

    def _choose(self, statement: ast.If, scope: Scope) -> None:
        truth = _truth(self.evaluate(statement.test, scope))
        if truth is not None:
            self._run(statement.body if truth else statement.orelse, scope)
            return
        before = dict(scope)
        for body in (statement.body, statement.orelse):
            branch = dict(before)
            try:
                self._run(body, branch)
            except _ReturnError as given:
                self._merge_result(given.value)
                continue
            for name, value in branch.items():
                if before.get(name, UNKNOWN) is not value:
                    scope[name] = value if name not in before else UNKNOWN

    def _merge_result(self, value: Any) -> None:
        del value  # one of several returns: the last one read is the function's value

    def _loop(self, statement: ast.For, scope: Scope) -> None:
        rounds = _items(self.evaluate(statement.iter, scope))
        for value in rounds if rounds is not None else [UNKNOWN]:
            self._bind(statement.target, value, scope)
            self._run(statement.body, scope)

    def _body(self, statement: ast.With | ast.Try | ast.While, scope: Scope) -> None:
        self._run(statement.body, scope)

    # Expressions

    def evaluate(self, node: ast.expr, scope: Scope) -> Any:
        """Give what an expression stands for."""
        self._steps += 1
        if self._steps > _STEPS:
            raise TooLongError
        handler = _EXPRESSIONS.get(type(node))
        value = getattr(self, handler)(node, scope) if handler is not None else UNKNOWN
        if self._watched:
            self.trace.see(node, value)
        return value

    def _constant(self, node: ast.Constant, _: Scope) -> Any:
        value = node.value
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return Text.at(value, node)
        if isinstance(value, int):
            return Whole.at(value, node)
        return Real.at(value, node) if isinstance(value, float) else UNKNOWN

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        return scope.get(node.id, Lib(node.id) if node.id in _BUILTINS else UNKNOWN)

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Any:
        values = self._spread(node.elts, scope)
        return tuple(values) if isinstance(node, ast.Tuple) else values

    def _spread(self, nodes: list[ast.expr], scope: Scope) -> list[Any]:
        values: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                many = _items(self.evaluate(node.value, scope))
                values += [UNKNOWN] if many is None else many
            else:
                values.append(self.evaluate(node, scope))
        return values

    def _mapping(self, node: ast.Dict, scope: Scope) -> Any:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            held = self.evaluate(value, scope)
            if key is None:
                made.update(held if isinstance(held, dict) else {})
                continue
            name = self.evaluate(key, scope)
            if isinstance(name, (str, int, tuple)):
                made[name] = held
        return made

    def _formatted(self, node: ast.JoinedStr, scope: Scope) -> Any:
        parts = []
        for part in node.values:
            value = self.evaluate(part.value, scope) if isinstance(part, ast.FormattedValue) else None
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
            elif isinstance(value, (str, int, float)):
                parts.append(str(value))
            else:
                return UNKNOWN
        return Text.at("".join(parts), node)

    def _member(self, node: ast.Attribute, scope: Scope) -> Any:
        owner = self.evaluate(node.value, scope)
        if owner is None:
            self.trace.errors.add(f"None has no {node.attr}")
            return UNKNOWN
        if isinstance(owner, Lib):
            return Lib(f"{_MODULES.get(owner.path, owner.path)}.{node.attr}".lstrip("."))
        if isinstance(owner, Frame):
            return frames.read_member(self.trace, owner, node.attr, node)
        return UNKNOWN if owner is UNKNOWN else Method(owner, node.attr)

    def _item(self, node: ast.Subscript, scope: Scope) -> Any:
        owner = self.evaluate(node.value, scope)
        key = self.evaluate(node.slice, scope)
        if isinstance(owner, Tables) and isinstance(key, str):
            return self.tables.get(key, Frame(None))
        if isinstance(owner, Frame) and isinstance(key, str):
            return frames.read_item(self.trace, owner, key, node.slice)
        if isinstance(owner, dict) and isinstance(key, (str, int)):
            return owner.get(key, UNKNOWN)
        if isinstance(owner, (list, tuple)) and isinstance(key, int) and -len(owner) <= key < len(owner):
            return owner[key]
        return Frame(None) if isinstance(owner, Tables) else UNKNOWN

    def _binary(self, node: ast.BinOp, scope: Scope) -> Any:
        left, right = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        return self._operate(_OPERATORS.get(type(node.op), "?"), left, right)

    def _operate(self, sign: str, left: Any, right: Any) -> Any:
        if isinstance(left, Expr) or isinstance(right, Expr):
            return expressions.operate(self.trace, sign, left, right)
        if isinstance(left, (Day, Span)) or isinstance(right, (Day, Span)):
            return _shift(sign, left, right)
        simple = (str, int, float, list, tuple)
        if isinstance(left, simple) and isinstance(right, simple) and sign in _PLAIN:
            if (
                sign == "*"
                and isinstance(left, int) + isinstance(right, int) == 1
                and not _is_small(left, right)
            ):
                return UNKNOWN
            try:
                return _bounded(_remember(_PLAIN[sign](left, right), left, right))
            except (TypeError, ZeroDivisionError):
                self.trace.errors.add(f"{type(left).__name__} {sign} {type(right).__name__}")
            except (ValueError, OverflowError, MemoryError):
                return UNKNOWN
        return UNKNOWN

    def _compare(self, node: ast.Compare, scope: Scope) -> Any:
        left = self.evaluate(node.left, scope)
        right = self.evaluate(node.comparators[0], scope)
        kind = node.ops[0]
        if isinstance(kind, (ast.Is, ast.IsNot)) and (left is None or right is None):
            known = not (left is UNKNOWN or right is UNKNOWN)
            return ((left is right) == isinstance(kind, ast.Is)) if known else UNKNOWN
        if isinstance(kind, (ast.In, ast.NotIn)):
            found = right if isinstance(right, (dict, list, tuple, str)) else None
            ready = found is not None and isinstance(left, (str, int))
            return ((left in found) == isinstance(kind, ast.In)) if ready and found is not None else UNKNOWN
        return self._operate(_OPERATORS.get(type(kind), "?"), left, right) if len(node.ops) == 1 else UNKNOWN

    def _logic(self, node: ast.BoolOp, scope: Scope) -> Any:
        values = [self.evaluate(value, scope) for value in node.values]
        truths = [_truth(value) for value in values]
        if None in truths:
            return UNKNOWN
        stop = isinstance(node.op, ast.Or)
        return next((v for v, truth in zip(values, truths, strict=True) if truth == stop), values[-1])

    def _sign(self, node: ast.UnaryOp, scope: Scope) -> Any:
        value = self.evaluate(node.operand, scope)
        if isinstance(value, Expr):
            kept = "boolean" if isinstance(node.op, ast.Invert) else ""
            return expressions.combine("not", [value], type_name=kept, name=value.name)
        if isinstance(node.op, ast.USub) and isinstance(value, (int, float)):
            return _remember(-value, value)
        truth = _truth(value)
        return (not truth) if isinstance(node.op, ast.Not) and truth is not None else UNKNOWN

    def _either(self, node: ast.IfExp, scope: Scope) -> Any:
        truth = _truth(self.evaluate(node.test, scope))
        if truth is None:
            return next(
                (
                    v
                    for v in (self.evaluate(node.body, scope), self.evaluate(node.orelse, scope))
                    if v is not None
                ),
                UNKNOWN,
            )
        return self.evaluate(node.body if truth else node.orelse, scope)

    def _comprehend(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope) -> Any:
        made = self._rounds(node.generators, dict(scope), lambda inner: self.evaluate(node.elt, inner))
        return UNKNOWN if made is None else made

    def _comprehend_map(self, node: ast.DictComp, scope: Scope) -> Any:
        made = self._rounds(
            node.generators,
            dict(scope),
            lambda inner: (self.evaluate(node.key, inner), self.evaluate(node.value, inner)),
        )
        if made is None or not all(isinstance(key, (str, int)) for key, _ in made):
            return UNKNOWN
        return dict(made)

    def _rounds(
        self, generators: list[ast.comprehension], scope: Scope, give: Callable[[Scope], Any]
    ) -> list[Any] | None:
        if not generators:
            return [give(scope)]
        head, *rest = generators
        rounds = _items(self.evaluate(head.iter, scope))
        if rounds is None:
            return None
        made: list[Any] = []
        for value in rounds:
            self._bind(head.target, value, scope)
            kept = [_truth(self.evaluate(test, scope)) for test in head.ifs]
            if None in kept:
                return None
            if all(kept):
                inner = self._rounds(rest, scope, give)
                if inner is None:
                    return None
                made += inner
        return made

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Any:
        return Function(node, scope)

    # Calls

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        target = self.evaluate(node.func, scope)
        arguments = self._spread(node.args, scope)
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, scope)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict):
                keywords.update({str(key): each for key, each in value.items()})
        return self.call(target, arguments, keywords, node)

    def call(self, target: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.expr) -> Any:
        """Call anything."""
        if isinstance(target, Function):
            return self._enter(target, arguments, keywords)
        if isinstance(target, Lib):
            return self._call_lib(target.path, arguments, keywords, node)
        if isinstance(target, Method):
            return self._call_method(target, arguments, keywords)
        if isinstance(target, Expr) and target.function == "?":
            return UNKNOWN
        return UNKNOWN

    def _enter(self, function: Function, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if self._depth >= _DEPTH:
            return UNKNOWN
        scope = self._fill(function, arguments, keywords)
        self._depth += 1
        try:
            if isinstance(function.node, ast.Lambda):
                return self.evaluate(function.node.body, scope)
            self._run(function.node.body, scope)
        except _ReturnError as given:
            return given.value
        finally:
            self._depth -= 1
        return None

    def _fill(self, function: Function, arguments: list[Any], keywords: dict[str, Any]) -> Scope:
        spec = function.node.args
        names = [arg.arg for arg in (*spec.posonlyargs, *spec.args)]
        scope = {**function.scope, **dict.fromkeys([*names, *(arg.arg for arg in spec.kwonlyargs)], UNKNOWN)}
        for name, default in zip(names[len(names) - len(spec.defaults) :], spec.defaults, strict=True):
            scope[name] = self.evaluate(default, function.scope)
        for arg, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
            if value is not None:
                scope[arg.arg] = self.evaluate(value, function.scope)
        scope.update(zip(names, arguments, strict=False))
        if spec.vararg is not None:
            scope[spec.vararg.arg] = arguments[len(names) :]
        scope.update(keywords)
        return scope

    def _call_lib(self, path: str, arguments: list[Any], keywords: dict[str, Any], node: ast.expr) -> Any:
        head, _, name = path.partition(".")
        if head == "F" and name:
            return expressions.call_function(self.trace, name, arguments, keywords)
        if head in ("Window", "WindowSpec"):
            return self._window(WindowSpec(()), arguments)
        if path in ("spark.table", "spark.read.table") and arguments and isinstance(arguments[0], str):
            return self.tables.get(arguments[0], Frame(None))
        if head == "spark":
            return Frame(None) if name in ("sql", "createDataFrame", "range") else Lib(path)
        handler = _LIBRARY.get(path)
        return handler(self, arguments, keywords, node) if handler is not None else UNKNOWN

    def _window(self, spec: WindowSpec, arguments: list[Any]) -> WindowSpec:
        reads = list(spec.reads)
        for value in expressions.flatten(arguments):
            if isinstance(value, (int, float)):
                self.trace.mark(value, "frame")
            made = expressions.column(value) if not isinstance(value, (int, float)) else None
            reads += made.reads if made is not None else ()
        return WindowSpec(tuple(reads))

    def _call_method(self, target: Method, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        owner, name = target.owner, target.name
        if isinstance(owner, Method) and owner.name == "na" and isinstance(owner.owner, Frame):
            owner, name = owner.owner, {"drop": "dropna", "fill": "fillna"}.get(name, name)
        if isinstance(owner, Frame):
            return self._call_frame(owner, name, arguments, keywords)
        if isinstance(owner, Expr):
            return expressions.call_method(self.trace, owner, name, arguments, keywords)
        if isinstance(owner, Grouped) and name in frames.GROUPED:
            return frames.aggregate(self.trace, owner, name, arguments)
        if isinstance(owner, WindowSpec):
            return self._window(owner, arguments)
        return (
            self._call_tables(name, arguments)
            if isinstance(owner, Tables)
            else _call_plain(owner, name, arguments)
        )

    def _call_tables(self, name: str, arguments: list[Any]) -> Any:
        if name == "get" and arguments and isinstance(arguments[0], str):
            return self.tables.get(arguments[0], Frame(None))
        every = {"items": list(self.tables.items()), "values": list(self.tables.values())}
        return every.get(name, UNKNOWN)

    def _call_frame(self, frame: Frame, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if name in frames.METHODS:
            return frames.METHODS[name](self.trace, frame, arguments, keywords)
        if name == "transform" and arguments:
            return self.call(arguments[0], [frame, *arguments[1:]], keywords, ast.Constant(None))
        return UNKNOWN


def _is_small(left: Any, right: Any) -> bool:
    """Whether a repetition (`"x" * 3`) stays within bounds; a product of a float always does."""
    count, repeated = (left, right) if isinstance(left, int) else (right, left)
    return isinstance(repeated, float) or count * len(repeated) < _LONG


def _parameters(node: ast.FunctionDef | ast.Lambda) -> list[ast.arg]:
    count = len(node.args.args) - len(node.args.defaults)
    return [*node.args.posonlyargs, *node.args.args[:count]]


def _truth(value: Any) -> bool | None:
    """Say whether a value is true; None where not known."""
    if value is None or isinstance(value, (bool, int, float, str, list, tuple, dict)):
        return bool(value)
    return True if isinstance(value, (Frame, Function)) else None


def _items(value: Any) -> list[Any] | None:
    """Give the values a loop would see; None where not known."""
    if isinstance(value, dict):
        value = list(value)
    return list(value[:_ROUNDS]) if isinstance(value, (list, tuple)) else None


def _remember(value: Any, *sources: Any) -> Any:
    """Let a computed number remember the literal of the first operand that has one."""
    node = next((s.node for s in sources if isinstance(s, (Whole, Real)) and s.node is not None), None)
    if isinstance(value, int) and not isinstance(value, bool):
        return Whole.at(value, node)
    return Real.at(value, node) if isinstance(value, float) else value


def _shift(sign: str, left: Any, right: Any) -> Any:
    """Add or subtract days."""
    if isinstance(left, Day) and isinstance(right, Span) and sign in "+-":
        try:
            return Day(_PLAIN[sign](left.value, right.value), left.nodes + right.nodes)
        except OverflowError:
            return UNKNOWN
    return UNKNOWN


def _call_plain(owner: Any, name: str, arguments: list[Any]) -> Any:
    """Call a method of one of Python's own values."""
    if isinstance(owner, dict):
        return _call_mapping(owner, name, arguments)
    if isinstance(owner, list) and name in ("append", "extend") and arguments:
        getattr(owner, name)(arguments[0] if name == "append" else _items(arguments[0]) or [])
        return None
    return _call_text(owner, name, arguments) if isinstance(owner, str) else UNKNOWN


def _call_mapping(owner: dict[Any, Any], name: str, arguments: list[Any]) -> Any:
    if name == "get" and arguments and isinstance(arguments[0], (str, int)):
        return owner.get(arguments[0], arguments[1] if len(arguments) > 1 else None)
    made: dict[str, list[Any]] = {
        "items": list(owner.items()),
        "keys": list(owner),
        "values": list(owner.values()),
    }
    return made.get(name, UNKNOWN)


def _call_text(owner: str, name: str, arguments: list[Any]) -> Any:
    """Call a method of a string that makes another one, or asks how it begins."""
    if name == "join" and arguments:
        arguments = _items(arguments[0]) or [UNKNOWN]
        plain = all(isinstance(value, str) for value in arguments)
        return _bounded(Text.at(owner.join(arguments), None)) if plain else UNKNOWN
    if not all(isinstance(value, str) for value in arguments) or name not in _TEXT_METHODS:
        return UNKNOWN
    try:
        made = getattr(str(owner), name)(*arguments)
    except TypeError:
        return UNKNOWN
    return _bounded(Text.at(made, None)) if isinstance(made, str) else made


_TEXT_METHODS = (
    "lower",
    "upper",
    "strip",
    "startswith",
    "endswith",
    "replace",
    "removeprefix",
    "removesuffix",
)


def _bounded(value: Any) -> Any:
    """Give a value, unless it is one that only a program made to be slow would have."""
    if isinstance(value, int):
        return value if value.bit_length() < _BITS else UNKNOWN
    return value if not isinstance(value, (str, list, tuple)) or len(value) < _LONG else UNKNOWN


def _day(_: Interpreter, arguments: list[Any], __: dict[str, Any], node: ast.expr) -> Any:
    try:
        return Day(dt.date(*arguments[:3]), (node,))
    except (TypeError, ValueError):
        return UNKNOWN


def _day_of_text(_: Interpreter, arguments: list[Any], __: dict[str, Any], ___: ast.expr) -> Any:
    try:
        nodes = (arguments[0].node,) if getattr(arguments[0], "node", None) is not None else ()
        return Day(dt.date.fromisoformat(arguments[0]), nodes)
    except (TypeError, ValueError, IndexError):
        return UNKNOWN


def _span(_: Interpreter, arguments: list[Any], keywords: dict[str, Any], node: ast.expr) -> Any:
    days = keywords.get("days", arguments[0] if arguments else UNKNOWN)
    if isinstance(days, int) and isinstance(node, ast.Call):
        nodes = (days.node,) if isinstance(days, Whole) and days.node is not None else ()
        return Span(dt.timedelta(days=days), nodes)
    return UNKNOWN


def _reduce(self: Interpreter, arguments: list[Any], __: dict[str, Any], node: ast.expr) -> Any:
    values = _items(arguments[1]) if len(arguments) > 1 else None
    if values is None or not values:
        return UNKNOWN
    made = arguments[2] if len(arguments) > 2 else values.pop(0)  # noqa: PLR2004 - reduce(function, values, first)
    for value in values:
        target = arguments[0]
        if isinstance(target, Lib) and target.path.rpartition(".")[0] == "DataFrame":
            target = Method(made, target.path.rpartition(".")[2])
            made = self.call(target, [value], {}, node)
        else:
            made = self.call(target, [made, value], {}, node)
    return made


def _listed(_: Interpreter, arguments: list[Any], __: dict[str, Any], ___: ast.expr) -> Any:
    values = _items(arguments[0]) if arguments else []
    return UNKNOWN if values is None else values


def _numbered(_: Interpreter, arguments: list[Any], keywords: dict[str, Any], ___: ast.expr) -> Any:
    values = _items(arguments[0]) if arguments else None
    first = keywords.get("start", arguments[1] if len(arguments) > 1 else 0)
    return UNKNOWN if values is None or not isinstance(first, int) else list(enumerate(values, first))


def _paired(_: Interpreter, arguments: list[Any], __: dict[str, Any], ___: ast.expr) -> Any:
    lists = [_items(value) for value in arguments]
    known = [each for each in lists if each is not None]
    return list(zip(*known, strict=False)) if len(known) == len(lists) else UNKNOWN


def _ranged(_: Interpreter, arguments: list[Any], __: dict[str, Any], ___: ast.expr) -> Any:
    plain = bool(arguments) and all(isinstance(value, int) for value in arguments)
    return list(range(*arguments))[:_ROUNDS] if plain and 0 not in arguments[2:] else UNKNOWN


def _dictionary(_: Interpreter, arguments: list[Any], keywords: dict[str, Any], ___: ast.expr) -> Any:
    if arguments and not isinstance(arguments[0], dict):
        return UNKNOWN
    return {**(arguments[0] if arguments else {}), **keywords}


def _length(_: Interpreter, arguments: list[Any], __: dict[str, Any], ___: ast.expr) -> Any:
    return len(arguments[0]) if arguments and isinstance(arguments[0], (list, tuple, dict, str)) else UNKNOWN


def _text(_: Interpreter, arguments: list[Any], __: dict[str, Any], ___: ast.expr) -> Any:
    return Text.at(str(arguments[0]), None) if arguments and isinstance(arguments[0], (str, int)) else UNKNOWN


_LIBRARY: dict[str, Callable[[Interpreter, list[Any], dict[str, Any], ast.expr], Any]] = {
    **dict.fromkeys(("datetime.date", "datetime.datetime", "date"), _day),
    **dict.fromkeys(("datetime.date.fromisoformat", "date.fromisoformat"), _day_of_text),
    **dict.fromkeys(("datetime.timedelta", "timedelta"), _span),
    **dict.fromkeys(("functools.reduce", "reduce"), _reduce),
    **dict.fromkeys(("list", "tuple", "sorted"), _listed),
    "enumerate": _numbered,
    "zip": _paired,
    "range": _ranged,
    "dict": _dictionary,
    "len": _length,
    "str": _text,
}
_BUILTINS = frozenset(name for name in _LIBRARY if "." not in name)
_STATEMENTS: dict[type[ast.stmt], str] = {
    ast.Import: "_import",
    ast.ImportFrom: "_import_from",
    ast.FunctionDef: "_define",
    ast.Assign: "_assign",
    ast.AnnAssign: "_annotate",
    ast.AugAssign: "_augment",
    ast.Expr: "_express",
    ast.Return: "_give",
    ast.If: "_choose",
    ast.For: "_loop",
    ast.While: "_body",
    ast.With: "_body",
    ast.Try: "_body",
}
_EXPRESSIONS: dict[type[ast.expr], str] = {
    ast.Constant: "_constant",
    ast.Name: "_name",
    ast.List: "_sequence",
    ast.Tuple: "_sequence",
    ast.Set: "_sequence",
    ast.Dict: "_mapping",
    ast.JoinedStr: "_formatted",
    ast.Attribute: "_member",
    ast.Subscript: "_item",
    ast.BinOp: "_binary",
    ast.Compare: "_compare",
    ast.BoolOp: "_logic",
    ast.UnaryOp: "_sign",
    ast.IfExp: "_either",
    ast.ListComp: "_comprehend",
    ast.SetComp: "_comprehend",
    ast.GeneratorExp: "_comprehend",
    ast.DictComp: "_comprehend_map",
    ast.Lambda: "_lambda",
    ast.Call: "_call",
}

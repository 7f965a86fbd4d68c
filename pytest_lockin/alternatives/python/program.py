"""A candidate as operators see it: its calls, what they stand for, and edits of its text."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.base import PythonEdit
from pytest_lockin.alternatives.python.interpret import Interpreter
from pytest_lockin.alternatives.python.layout import Layout
from pytest_lockin.alternatives.python.values import Attr, Expr, Frame, Grouped, Lib, Text, Use, WindowSpec
from pytest_lockin.model.task import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.alternatives.base import Schemas
    from pytest_lockin.alternatives.python.sqltext import SqlText

Element = ast.expr | ast.keyword
_CLASSES: dict[str, type[Any]] = {
    "frame": Frame,
    "column": Expr,
    "grouped": Grouped,
    "window": WindowSpec,
}
# Methods no other class a program is likely to use has: code that is never reached from the entry point
# (a helper the tests call) is known by them alone.
_DISTINCTIVE = frozenset(
    [
        "where",
        "groupBy",
        "groupby",
        "rollup",
        "cube",
        "agg",
        "withColumn",
        "withColumns",
        "orderBy",
        "dropDuplicates",
        "drop_duplicates",
        "unionByName",
        "unionAll",
        "intersectAll",
        "exceptAll",
        "subtract",
        "crossJoin",
        "selectExpr",
        "fillna",
        "dropna",
        "limit",
        "distinct",
        "partitionBy",
        "rowsBetween",
        "rangeBetween",
        "over",
        "otherwise",
        "isin",
        "eqNullSafe",
        "alias",
        "cast",
    ]
)


_KINDS = {
    "join": Kind.JOIN,
    "filter": Kind.FILTER,
    "group": Kind.GROUP,
    "measure": Kind.METRIC,
    "select": Kind.METRIC,
    "sort": Kind.ORDER,
    "subset": Kind.GROUP,
}


class Program:
    """One parsed and read module.

    `layout` knows where things stand; `trace` what names resolve to; the methods find sites and make edits.
    """

    def __init__(self, source: str, schemas: Schemas, function: str, tree: ast.Module) -> None:
        self.source = source
        self.schemas = schemas
        self.function = function
        self.tree = tree
        self.layout = Layout(source)
        reading = Interpreter(schemas)
        reading.read(tree, function)
        self.reading = reading
        self.trace = reading.trace
        self.result = reading.result
        self.nodes = sorted(
            (node for node in ast.walk(tree) if isinstance(node, ast.expr)),
            key=lambda node: (node.lineno, node.col_offset),
        )
        self.parents: dict[ast.AST, ast.AST] = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }

    # What is there

    @cached_property
    def calls(self) -> tuple[ast.Call, ...]:
        """Every call, in source order of its end, so that a chain reads from left to right."""
        return tuple(
            sorted(
                (node for node in self.nodes if isinstance(node, ast.Call)),
                key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0),
            )
        )

    def methods(self, owner: str, *names: str) -> Iterator[ast.Call]:
        """Find method calls on a `frame`, `column`, `grouped` or `window`."""
        for call in self.calls:
            func = call.func
            if (
                isinstance(func, ast.Attribute)
                and func.attr in names
                and self._is(func.value, owner, func.attr)
            ):
                yield call

    def _is(self, node: ast.expr, owner: str, method: str) -> bool:
        seen = self.trace.seen.get(node, [])
        if any(isinstance(value, _CLASSES[owner]) for value in seen):
            return True
        if owner == "window" and any(isinstance(v, Lib) and v.path.startswith("Window") for v in seen):
            return True
        known = any(isinstance(value, (*_CLASSES.values(), Lib, str)) for value in seen)
        return not known and method in _DISTINCTIVE and owner != "column"

    def functions(self, *names: str) -> Iterator[tuple[ast.Call, str]]:
        """Find calls of `pyspark.sql.functions`, however they were imported; all of them without names."""
        for call in self.calls:
            name = self.function_name(call)
            if name and (not names or name in names):
                yield call, name

    def function_name(self, node: ast.AST) -> str:
        """Name of the Spark function a call calls; "" if it calls something else."""
        if not isinstance(node, ast.Call):
            return ""
        for value in self.trace.seen.get(node.func, []):
            if isinstance(value, Lib) and value.path.startswith("F."):
                return value.path[2:]
        func = node.func
        plain = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "F"
        return (
            func.attr
            if plain and isinstance(func, ast.Attribute) and node.func not in self.trace.seen
            else ""
        )

    def module_prefix(self, call: ast.Call) -> str:
        """Give `F.` as the program writes it before a function's name; None is never needed."""
        return self.layout.text(call.func.value) + "." if isinstance(call.func, ast.Attribute) else ""

    @cached_property
    def functions_module(self) -> str:
        """How the program names `pyspark.sql.functions`, with the dot; "" where it does not."""
        for statement in self.tree.body:
            for alias in statement.names if isinstance(statement, (ast.Import, ast.ImportFrom)) else ():
                module = getattr(statement, "module", None)
                full = f"{module}.{alias.name}" if module else alias.name
                if full == "pyspark.sql.functions" and (alias.asname or module):
                    return f"{alias.asname or alias.name}."
        return ""

    def values(self, node: ast.AST) -> list[Any]:
        """What an expression stood for, each time it was read."""
        return self.trace.seen.get(node, []) if isinstance(node, ast.expr) else []

    def frames(self, node: ast.AST) -> list[Frame]:
        """The frames an expression stood for whose columns are known."""
        return [value for value in self.values(node) if isinstance(value, Frame) and value.attrs is not None]

    def uses(self, node: ast.AST) -> list[Use]:
        """What a literal names, as a column."""
        return self.trace.uses.get(node, []) if isinstance(node, ast.expr) else []

    def roles(self, node: ast.AST) -> list[str]:
        """Which parts a literal plays as a value."""
        return self.trace.literals.get(node, []) if isinstance(node, ast.expr) else []

    def columns(self, node: ast.AST) -> tuple[str, ...]:
        """The columns read inside an expression, `table.column`, in order, each once."""
        found = (name for each in ast.walk(node) for use in self.uses(each) for name in (name_of(use.attr),))
        return tuple(dict.fromkeys(found))

    def columns_beside(self, node: ast.expr) -> tuple[str, ...]:
        """The columns a value is compared or computed with, wherever the value is written."""
        names = self.trace.beside.get(node, [])
        return tuple(dict.fromkeys(name for each in names for name in self.columns(each)))

    def is_column(self, node: ast.AST) -> bool:
        """Whether an expression is a column expression."""
        return any(isinstance(value, Expr) for value in self.values(node))

    def keys(self, arguments: Sequence[ast.expr]) -> list[ast.expr]:
        """Give the column arguments one by one; a list written elsewhere gives its elements there."""
        found: list[ast.expr] = []
        for node in arguments:
            inner = node.value if isinstance(node, ast.Starred) else node
            if isinstance(inner, (ast.List, ast.Tuple)):
                found += self.keys(inner.elts)
            elif isinstance(inner, ast.Name) and (listed := self._listed(inner)):
                found += listed
            elif not isinstance(node, ast.Starred):
                found.append(inner)
        return found

    def _listed(self, node: ast.Name) -> list[ast.expr]:
        for value in self.values(node):
            if isinstance(value, (list, tuple)) and value:
                nodes = [each.node for each in value if isinstance(each, Text) and each.node is not None]
                return nodes if len(nodes) == len(value) else []
        return []

    def kind_of(self, node: ast.AST, default: Kind) -> Kind:
        """The kind of obligation an expression serves: by what reads the columns in it."""
        if self._in_window(node):
            return Kind.WINDOW
        for each in ast.walk(node):
            for use in self.uses(each):
                if use.role in _KINDS:
                    return _KINDS[use.role]
        return default

    def _in_window(self, node: ast.AST) -> bool:
        found: ast.AST | None = node
        while found is not None:
            if isinstance(found, ast.Call) and any(isinstance(v, WindowSpec) for v in self.values(found)):
                return True
            found = self.parents.get(found)
        return False

    def function_text(self, call: ast.Call, name: str) -> str | None:
        """Write another Spark function's name as the program would; None where it has no name for it."""
        if isinstance(call.func, ast.Attribute):
            return self.module_prefix(call) + name
        return self.spark_name(name)

    def spark_name(self, name: str) -> str | None:
        """Write a Spark function's name, by the module's name or as imported; None where it has neither."""
        if self.functions_module:
            return self.functions_module + name
        return self._imported.get(name)

    @cached_property
    def _imported(self) -> dict[str, str]:
        return {
            alias.name: alias.asname or alias.name
            for statement in ast.walk(self.tree)
            if isinstance(statement, ast.ImportFrom) and statement.module == "pyspark.sql.functions"
            for alias in statement.names
        }

    def col(self, name: str) -> str | None:
        """Write the column of a name."""
        text = self.spark_name("col")
        return f'{text}("{name}")' if text else None

    @cached_property
    def has_sql(self) -> bool:
        """Whether the program may hold SQL as text; parsing it costs an import."""
        return any(word in self.source for word in ("expr", "Expr", ".sql", "filter", "where"))

    @cached_property
    def sql_texts(self) -> list[SqlText]:
        """The literals that hold SQL."""
        from pytest_lockin.alternatives.python.sqltext import find_texts

        return find_texts(self)

    def next_method(self, call: ast.Call) -> str:
        """Name of the method that is called on a call's value; "" where none is."""
        parent = self.parents.get(call)
        return parent.attr if isinstance(parent, ast.Attribute) else ""

    def function_at(self, line: int) -> str:
        """Dotted name of the function a line stands in; "" at module level."""
        return ".".join(name for first, last, name in self._functions if first <= line <= last)

    @cached_property
    def _functions(self) -> list[tuple[int, int, str]]:
        return [
            (node.lineno, node.end_lineno or node.lineno, node.name)
            for node in ast.walk(self.tree)
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        ]

    def siblings(self, node: ast.AST) -> tuple[list[Element], int] | None:
        """Give the comma-separated list a node is an element of, and its place there."""
        parent = self.parents.get(node)
        if isinstance(parent, ast.Starred):
            node, parent = parent, self.parents.get(parent)
        if isinstance(parent, ast.keyword):
            return None
        elements: list[Element] = []
        if isinstance(parent, ast.Call) and node is not parent.func:
            elements = [*parent.args, *parent.keywords]
        elif isinstance(parent, (ast.List, ast.Tuple, ast.Set)):
            elements = list(parent.elts)
        return (elements, elements.index(node)) if isinstance(node, ast.expr) and node in elements else None

    # Edits

    def replace(
        self,
        node: ast.expr | ast.keyword,
        text: str,
        *,
        kind: Kind | None,
        says: str,
        columns: tuple[str, ...] = (),
    ) -> PythonEdit:
        """Put a text in a node's place; parentheses around it stay."""
        start, end = self.layout.span(node)
        touched = columns or self.columns(node)
        return PythonEdit(start=start, end=end, replacement=text, kind=kind, text=says, columns=touched)

    def swap_span(
        self, span: tuple[int, int], text: str, *, kind: Kind | None, says: str, columns: tuple[str, ...] = ()
    ) -> PythonEdit:
        """Put a text in a span's place."""
        return PythonEdit(start=span[0], end=span[1], replacement=text, kind=kind, text=says, columns=columns)

    def unlink(self, call: ast.Call, *, kind: Kind, says: str, columns: tuple[str, ...] = ()) -> PythonEdit:
        """Take a method call out of its chain."""
        touched = columns or tuple(c for a in (*call.args, *call.keywords) for c in self.columns(a))
        return self.swap_span(self.layout.link(call), "", kind=kind, says=says, columns=touched)

    def rename(self, call: ast.Call, name: str, *, kind: Kind, says: str) -> PythonEdit:
        """Call another name with the same arguments."""
        given = [*call.args, *call.keywords] or [call.func]
        columns = tuple(dict.fromkeys(column for node in given for column in self.columns(node)))
        return self.swap_span(self.layout.name_of_call(call), name, kind=kind, says=says, columns=columns)

    def take_out(self, node: ast.expr, *, kind: Kind, says: str) -> PythonEdit | None:
        """Take an element out of the list it stands in; None where it is the only one, or in no list."""
        found = self.siblings(node)
        if found is None or sum(isinstance(each, ast.expr) for each in found[0]) < 2:  # noqa: PLR2004 - leaves one
            return None
        span = self.layout.without(*found)
        return self.swap_span(span, "", kind=kind, says=says, columns=self.columns(node))

    def append(
        self, node: ast.expr, text: str, *, kind: Kind, says: str, columns: tuple[str, ...] = ()
    ) -> PythonEdit:
        """Put a text right after a node."""
        end = self.layout.outer(node)[1]
        return self.swap_span((end, end), text, kind=kind, says=says, columns=columns or self.columns(node))

    def keyword(self, call: ast.Call, *names: str) -> ast.expr | None:
        """Find a keyword argument by any of its names."""
        return next((keyword.value for keyword in call.keywords if keyword.arg in names), None)

    def argument(self, call: ast.Call, place: int, *names: str) -> ast.expr | None:
        """Find an argument by place or name; None where it is not given or hidden behind a `*`."""
        plain = not any(isinstance(each, ast.Starred) for each in call.args[: place + 1])
        if plain and len(call.args) > place:
            return call.args[place]
        return self.keyword(call, *names)


def name_of(attr: Attr) -> str:
    """Write a column as `table.column`, or its bare name where no input table is behind it."""
    return f"{attr.table}.{attr.column}" if attr.table else attr.name


def names_in(frame: Frame, names: Sequence[str]) -> tuple[str, ...]:
    """Write columns of a frame, given by name, as `table.column`."""
    known = {attr.name: name_of(attr) for attr in frame.attrs or ()}
    return tuple(known.get(name, name) for name in names)


def sibling_names(use: Use, name: str) -> tuple[str, str]:
    """Write a column, and the one of the same table that takes its place, as `table.column`."""
    return name_of(use.attr), names_in(Frame(use.visible), [name])[0]


def quote(value: str, like: str) -> str:
    """Write a string in the quotes another literal uses."""
    mark = "'" if like.lstrip("rbfuRBFU").startswith("'") else '"'
    escaped = value.replace("\\", "\\\\").replace(mark, f"\\{mark}").replace("\n", "\\n")
    return f"{mark}{escaped}{mark}"


def show(names: Sequence[str]) -> str:
    """Name columns in a sentence."""
    return ", ".join(names) if names else "this"

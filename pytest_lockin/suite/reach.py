"""Which lines of the candidate ran, for whom; and which statements an edit changed.

Lines are traced during the clean run only. An edit is reached when any line of a statement it touches was
executed; everything before the edited statement runs as in the original, so the original's trace is enough.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from types import FrameType

Line = tuple[str, int]
# Code handed to these runs in other threads or processes, where nothing is traced.
_ELSEWHERE = re.compile(
    r"\b(udf|udtf|pandas_udf|arrow_udf|applyInPandas|mapInPandas|applyInArrow|mapInArrow|foreach|foreachPartition"
    r"|applyInPandasWithState|transformWithState|rdd|mapPartitions)\b"
)


class LineTrace:
    """Collects executed lines of some files into the bucket that is current.

    Sees the thread it was started in and Python threads started later; not the engine's own threads.
    """

    def __init__(self, files: Collection[str]) -> None:
        self._files = frozenset(files)
        self.bucket: set[Line] = set()
        self._before: Any = None

    def start(self) -> None:
        """Trace from now on; frames that are running already are not seen."""
        self._before = sys.gettrace()
        threading.settrace(self._enter)
        sys.settrace(self._enter)

    def stop(self) -> None:
        """Put back whatever traced before."""
        sys.settrace(self._before)
        threading.settrace(self._before)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        del event, argument
        return self._line if frame.f_code.co_filename in self._files else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        del argument
        if event == "line":
            self.bucket.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


class Statements:
    """The statements of one source text, by line.

    `imported` are the lines that run when the module is executed; `elsewhere` those of functions that may
    run where no trace sees them (UDFs).
    """

    def __init__(self, source: str) -> None:
        self._lines = source.splitlines()
        tree = ast.parse(source)
        self._spans = sorted(set(_spans(tree)), key=lambda span: (span[1] - span[0], span[0]))
        bodies = list(_bodies(tree))
        self._in_function = {line for first, last in bodies for line in range(first, last + 1)}
        self._elsewhere = _bodies_elsewhere(tree) if _ELSEWHERE.search(source) else ()

    def touched(self, edited: str) -> frozenset[int]:
        """Lines of the original's statements that an edited text changes or adds to."""
        matcher = difflib.SequenceMatcher(a=self._lines, b=edited.splitlines(), autojunk=False)
        touched: set[int] = set()
        for tag, first, last, _, _ in matcher.get_opcodes():
            if tag == "equal":
                continue
            changed = range(first + 1, last + 1) if last > first else (first, first + 1)
            for line in changed:
                touched.update(self._statement(line))
        return frozenset(touched)

    def _statement(self, line: int) -> range:
        """The smallest statement (a compound one's header) that holds the line, or the line alone."""
        for first, last in self._spans:
            if first <= line <= last:
                return range(first, last + 1)
        return range(line, line + 1)

    def at_import(self, lines: Collection[int]) -> bool:
        """Whether any of these lines stands outside every function's body."""
        return any(line not in self._in_function and self._has_code(line) for line in lines)

    def _has_code(self, line: int) -> bool:
        return any(first <= line <= last for first, last in self._spans)

    def unseen(self, executed: Collection[int]) -> tuple[range, ...]:
        """Bodies that may run where no trace sees them (UDFs and what they call), and were not seen."""
        spans = (range(first, last + 1) for first, last in self._elsewhere)
        return tuple(span for span in spans if not any(line in span for line in executed))

    def with_canary(self, body: range) -> str:
        """The text with this body raising at once; unchanged where the body shares a line with its header."""
        line = self._lines[body.start - 1]
        indent = line[: len(line) - len(line.lstrip())]
        canary = f'{indent}raise RuntimeError("lockin canary")'
        if line.lstrip().startswith(("def ", "async ", "@")):
            return "\n".join(self._lines) + "\n"
        return "\n".join([*self._lines[: body.start - 1], canary, *self._lines[body.start - 1 :]]) + "\n"


def _spans(tree: ast.AST) -> Iterator[tuple[int, int]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        first, last = node.lineno, node.end_lineno or node.lineno
        decorators = getattr(node, "decorator_list", ())
        if decorators:
            first = min(first, *(each.lineno for each in decorators))
        body = getattr(node, "body", None)
        if isinstance(body, list) and body:
            start = body[0].lineno
            inner = getattr(body[0], "decorator_list", ())
            start = min([start, *(each.lineno for each in inner)])
            last = max(node.lineno, start - 1)
        yield first, last


def _bodies(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """First and last line of each function's body; a one-line function's body is its line."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.body[0].lineno, node.end_lineno or node.lineno


def _bodies_elsewhere(tree: ast.AST) -> tuple[tuple[int, int], ...]:
    """Bodies of functions that are decorated or handed on by name, and of functions that those call."""
    functions = {
        node.name: node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    handed = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called
    } & functions.keys()
    found = handed | {name for name, node in functions.items() if node.decorator_list}
    waiting = list(found)
    while waiting:
        inside = ast.walk(functions[waiting.pop()])
        more = {node.id for node in inside if isinstance(node, ast.Name)} & functions.keys() - found
        found |= more
        waiting += more
    bodies = (
        (node.body[0].lineno, node.end_lineno or node.lineno) for node in map(functions.get, found) if node
    )
    return tuple(sorted(bodies))


STATEFUL = re.compile(
    r"TempView|registerTempTable|\.conf\b|saveAsTable|insertInto|\.sql\(|\.udf\.|\.udtf\.|\.cache\(|\.persist\("
    r"|\.catalog\b|checkpoint|setCurrentDatabase|writeTo|\.write\b|\.table\(|addPyFile|addFile|addArtifact"
)


def touches_state(sources: Collection[str]) -> bool:
    """Whether any of these texts mentions something that changes or reads the session's own state."""
    return any(STATEFUL.search(text) for text in sources)


def takes_more(text: str, modules: Collection[str], function: str) -> bool:
    """Whether a test file imports anything but the entry point, or the module itself and reads from it."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return True
    aliases: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module in modules or node.level):
            if any(alias.name != function for alias in node.names):
                return True
        elif isinstance(node, ast.Import):
            aliases |= {a.asname or a.name.partition(".")[0] for a in node.names if a.name in modules}
        elif isinstance(node, ast.Constant) and node.value in modules:
            # importlib.import_module("solution"), patch("solution.x"): anything may be read.
            return True
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in aliases]
    reads = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in aliases
        and node.attr == function
    ]
    return len(uses) > len(reads)


__all__ = ["Line", "LineTrace", "Statements", "takes_more", "touches_state"]

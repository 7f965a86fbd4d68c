"""Where things stand in a source text: exact spans, parentheses and commas included on request."""

from __future__ import annotations

import ast
import bisect
import io
import tokenize
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.model.alternative import Site

if TYPE_CHECKING:
    from collections.abc import Sequence

_SKIPPED = frozenset((tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT))
# After these a parenthesis opens a group, not a call.
_WORDS = frozenset(
    [
        "return",
        "in",
        "is",
        "not",
        "and",
        "or",
        "if",
        "else",
        "lambda",
        "for",
        "yield",
        "await",
        "assert",
        "del",
        "while",
        "elif",
        "raise",
    ]
)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int
    callee: bool


class Layout:
    """The characters of one source and the tokens that matter."""

    def __init__(self, source: str) -> None:
        self.source = source
        # Not `splitlines`: a form feed inside a line is no line's end to Python.
        self._lines = source.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._tokens = self._read_tokens()
        self._begins = [token.start for token in self._tokens]

    def _read_tokens(self) -> list[_Token]:
        tokens: list[_Token] = []
        for found in tokenize.generate_tokens(io.StringIO(self.source).readline):
            if found.type in _SKIPPED or not found.string:
                continue
            start = self._starts[found.start[0] - 1] + found.start[1]
            end = self._starts[found.end[0] - 1] + found.end[1]
            callee = (found.type == tokenize.NAME and found.string not in _WORDS) or found.string in (
                ")",
                "]",
            )
            tokens.append(_Token(found.string, start, end, callee))
        return tokens

    def _offset(self, line: int, column: int) -> int:
        text = self._lines[line - 1]
        # `ast` counts bytes, people and editors count characters.
        shown = column if text.isascii() else len(text.encode()[:column].decode())
        return self._starts[line - 1] + shown

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        """Give start and end of a node, without the parentheses around it."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self._offset(node.lineno, node.col_offset), self._offset(end_line, end_column)

    def outer(self, node: ast.expr) -> tuple[int, int]:
        """Give start and end of a node with the parentheses that are its own."""
        start, end = self.span(node)
        first = bisect.bisect_left(self._begins, start) - 1
        last = bisect.bisect_left(self._begins, end)
        while first >= 0 and last < len(self._tokens) and self._is_group(first, last):
            start, end = self._tokens[first].start, self._tokens[last].end
            first, last = first - 1, last + 1
        return start, end

    def _is_group(self, first: int, last: int) -> bool:
        opens = self._tokens[first].text == "(" and self._tokens[last].text == ")"
        return opens and not (first > 0 and self._tokens[first - 1].callee)

    def text(self, node: ast.expr | ast.keyword) -> str:
        """Give the node's own text."""
        start, end = self.span(node)
        return self.source[start:end]

    def grouped(self, node: ast.expr) -> str:
        """Give the node's text with the parentheses that are its own."""
        start, end = self.outer(node)
        return self.source[start:end]

    def between(self, left: ast.expr, right: ast.expr) -> tuple[int, int]:
        """Give the span of the operator that stands between two operands, blanks excluded."""
        begin, end = self.outer(left)[1], self.outer(right)[0]
        inside = [token for token in self._tokens if begin <= token.start < end]
        return inside[0].start, inside[-1].end

    def whole(self, node: ast.expr | ast.keyword) -> tuple[int, int]:
        """Give the span of an element of a list: parentheses, or a leading `*`, included."""
        return self.span(node) if isinstance(node, (ast.keyword, ast.Starred)) else self.outer(node)

    def without(self, elements: Sequence[ast.expr | ast.keyword], place: int) -> tuple[int, int]:
        """Give the span to take out so that one element of a comma-separated list is gone."""
        start, end = self.whole(elements[place])
        if place + 1 < len(elements):
            return start, self.whole(elements[place + 1])[0]
        return (self.whole(elements[place - 1])[1], end) if place else (start, self._past_comma(end))

    def _past_comma(self, end: int) -> int:
        following = bisect.bisect_left(self._begins, end)
        token = self._tokens[following] if following < len(self._tokens) else None
        return token.end if token is not None and token.text == "," else end

    def name_of_call(self, call: ast.Call) -> tuple[int, int]:
        """Give the span of the name that is called: `limit` of `df.limit(5)`."""
        start, end = self.span(call.func)
        name = call.func.attr if isinstance(call.func, ast.Attribute) else self.source[start:end]
        return end - len(name), end

    def link(self, call: ast.Call) -> tuple[int, int]:
        """Give the span of one link of a chain: from the dot (or its line's start) to the closing `)`."""
        assert isinstance(call.func, ast.Attribute)  # noqa: S101 - callers hand in method calls only
        begin, end = self.outer(call.func.value)[1], self.span(call)[1]
        dot = next(token.start for token in self._tokens if token.start >= begin and token.text == ".")
        if "#" not in self.source[begin:dot]:
            return begin, end
        # A comment above the link is about the link, but is not code: it stays.
        return self.source.rindex("\n", begin, dot), end

    def site(self, start: int, end: int) -> Site:
        """Give lines and columns of a span."""
        first = bisect.bisect_right(self._starts, start) - 1
        last = bisect.bisect_right(self._starts, end) - 1
        return Site(
            line=first + 1,
            column=start - self._starts[first],
            end_line=last + 1,
            end_column=end - self._starts[last],
        )

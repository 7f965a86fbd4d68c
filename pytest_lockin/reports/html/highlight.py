"""A program's lines with its words coloured and the edits that pass marked."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_lockin.reports.html.element import Html, element, join

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Python's own idea of a line: a form feed or U+2028 begins none, so that numbers are the traceback's.
_LINE_END = re.compile(r"\r\n|\r|\n")
_NOT_PYTHON = (tokenize.TokenError, SyntaxError, ValueError)
_STRINGS = frozenset(
    getattr(tokenize, name)
    for name in ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
    if hasattr(tokenize, name)
)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters of one line, the end excluded, and what they are."""

    start: int
    end: int
    kind: str


def split_lines(text: str) -> list[str]:
    """The lines as Python counts them; no empty one after the last line end."""
    lines = _LINE_END.split(text)
    return lines[:-1] if lines[-1] == "" else lines


def highlight(text: str, marked: Iterable[tuple[int, int, int]] = ()) -> list[Html]:
    """Each line as markup; `marked` are spans (line from 1, first and last column) to underline.

    What is no Python is left as it is: some of it, or all, has no colours then.
    """
    lines = split_lines(text)
    marks: dict[int, list[Span]] = {}
    for number, start, end in marked:
        marks.setdefault(number, []).append(Span(start, end, "mark"))
    words: dict[int, list[Span]] = {}
    for number, span in _find_words(lines):
        words.setdefault(number, []).append(span)
    return [_line(line, words.get(at, ()), marks.get(at, ())) for at, line in enumerate(lines, 1)]


def _find_words(lines: Sequence[str]) -> Iterator[tuple[int, Span]]:
    reading = io.StringIO("\n".join(lines) + "\n").readline
    try:
        before = ""
        for token in tokenize.generate_tokens(reading):
            kind = _kind(token, before)
            if kind:
                yield from _by_line(token, kind, lines)
            before = token.string
    except _NOT_PYTHON:
        return


def _kind(token: tokenize.TokenInfo, before: str) -> str:
    if token.type in _STRINGS:
        return "s"
    if token.type == tokenize.COMMENT:
        return "c"
    if token.type == tokenize.NUMBER:
        return "n"
    if token.type != tokenize.NAME:
        return ""
    if keyword.iskeyword(token.string):
        return "k"
    return "f" if before in ("def", "class") else ""


def _by_line(token: tokenize.TokenInfo, kind: str, lines: Sequence[str]) -> Iterator[tuple[int, Span]]:
    (first, start), (last, end) = token.start, token.end
    for number in range(first, min(last, len(lines)) + 1):
        left = start if number == first else 0
        right = end if number == last else len(lines[number - 1])
        yield number, Span(left, right, kind)


def _line(line: str, words: Sequence[Span], marks: Sequence[Span]) -> Html:
    cuts = {0, len(line)}
    for span in (*words, *marks):
        cuts |= {min(span.start, len(line)), min(span.end, len(line))}
    edges = sorted(cuts)
    return join(_piece(line[left:right], left, words, marks) for left, right in pairwise(edges))


def _piece(text: str, at: int, words: Sequence[Span], marks: Sequence[Span]) -> Html:
    kind = next((each.kind for each in words if each.start <= at < each.end), "")
    piece = element("i", text, class_=kind) if kind else join((text,))
    return element("u", piece) if any(each.start <= at < each.end for each in marks) else piece

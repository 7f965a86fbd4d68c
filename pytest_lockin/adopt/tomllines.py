"""Strings added to arrays of a TOML table, as text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_INDENT = "    "
# What may hold a bracket that closes nothing: strings and comments.
_OPAQUE = re.compile(
    r'"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''" + r'|"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|#[^\n]*", re.DOTALL
)


def add_to_toml(text: str, section: str, missing: Mapping[str, Sequence[str]]) -> str | None:
    """Add strings to arrays of a table; an array that is not there yet comes after the table's last key.

    A table that is not there comes last in the file. None where a key holds something else than an array. The
    layout is not looked at closely: who calls this reads the result.
    """
    if _header(text, section) is None:
        text = f"{text.rstrip()}\n\n[{section}]\n" if text.strip() else f"[{section}]\n"
    for key, values in missing.items():
        made = _add(text, section, key, values)
        if made is None:
            return None
        text = made
    return text


def _add(text: str, section: str, key: str, values: Sequence[str]) -> str | None:
    first, end = _bounds(text, section)
    body = _blank(text)
    at = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=[ \t]*", re.MULTILINE).search(body, first, end)
    if at is None:
        place = _after_last(body, first, end)
        lines = "".join(f"{_INDENT}{_quote(value)},\n" for value in values)
        lead = "" if text[:place].endswith("\n") or not place else "\n"
        return f"{text[:place]}{lead}{key} = [\n{lines}]\n{text[place:]}"
    if body[at.end() : at.end() + 1] != "[":
        return None
    return _extend(text, body, at.end(), values)


def _extend(text: str, body: str, opening: int, values: Sequence[str]) -> str | None:
    """Add to the array that begins there, on lines of their own where its elements have such."""
    closing = _closing(body, opening)
    if closing is None:
        return None
    # Blanked strings are `_`: what is left between the brackets tells elements from space and comments.
    inside = body[opening + 1 : closing]
    last = opening + 1 + len(inside.rstrip())
    comma = "" if not inside.strip() or inside.rstrip().endswith(",") else ","
    if "\n" not in inside:
        space = " " if inside.strip() else ""
        added = ", ".join(map(_quote, values))
        return f"{text[:last]}{comma}{space}{added}{text[last:]}"
    indent = re.search(r"\n([ \t]+)\S", inside)
    lines = "".join(f"{indent[1] if indent else _INDENT}{_quote(value)},\n" for value in values)
    line = text.rindex("\n", 0, closing) + 1
    return f"{text[:last]}{comma}{text[last:line]}{lines}{text[line:]}"


def _closing(body: str, opening: int) -> int | None:
    depth = 0
    for place in range(opening, len(body)):
        depth += {"[": 1, "]": -1}.get(body[place], 0)
        if not depth:
            return place
    return None


def _header(text: str, section: str) -> re.Match[str] | None:
    name = r"[ \t]*\.[ \t]*".join(map(re.escape, section.split(".")))
    return re.search(rf"^[ \t]*\[[ \t]*{name}[ \t]*\][^\n]*(?:\n|\Z)", _blank(text), re.MULTILINE)


def _bounds(text: str, section: str) -> tuple[int, int]:
    """Where the table's keys begin and end."""
    header = _header(text, section)
    assert header is not None, "added where it was missing"  # noqa: S101
    following = re.compile(r"^[ \t]*\[{1,2}[\w.\" '-]+\]{1,2}[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
    body = _blank(text)
    for found in following.finditer(body, header.end()):
        between = body[header.end() : found.start()]
        if between.count("[") == between.count("]"):  # not an element of an array
            return header.end(), found.start()
    return header.end(), len(text)


def _after_last(body: str, first: int, end: int) -> int:
    """The place after the last line that says something; comments and blank lines may come after it."""
    return first + max(
        (found.end() for found in re.finditer(r"[^\n]*\S[^\n]*(?:\n|\Z)", body[first:end])), default=0
    )


def _blank(text: str) -> str:
    """The text with strings and comments made opaque, every place as it was."""

    def cover(found: re.Match[str]) -> str:
        mark = " " if found[0].startswith("#") else "_"
        return "".join("\n" if each == "\n" and mark == " " else mark for each in found[0])

    return _OPAQUE.sub(cover, text)


def _quote(value: str) -> str:
    # A JSON string is a basic string of TOML, but for a character JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

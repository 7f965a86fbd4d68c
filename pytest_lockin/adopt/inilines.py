"""Lines added to keys of an ini file's section, as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_INDENT = "    "


def add_to_ini(text: str, section: str, missing: Mapping[str, Sequence[str]]) -> str:
    """Add lines to keys of a section; a key that is not there yet comes after the section's last one.

    A section that is not there comes last in the file. The layout is not looked at closely: who calls this
    reads the result.
    """
    lines = text.split("\n")
    if f"[{section}]" not in (line.strip() for line in lines):
        while lines and not lines[-1].strip():
            lines.pop()
        lines += [*([""] if lines else []), f"[{section}]", ""]
    for key, values in missing.items():
        _add(lines, section, key, values)
    return "\n".join(lines)


def _add(lines: list[str], section: str, key: str, values: Sequence[str]) -> None:
    first, end = _bounds(lines, section)
    at = next((n for n in range(first, end) if re.match(rf"{re.escape(key)}\s*[=:]", lines[n])), None)
    if at is None:
        place = _after_last(lines, first, end)
        lines[place:place] = [f"{key} =", *(f"{_INDENT}{value}" for value in values)]
        return
    stop = next((n for n in range(at + 1, end) if lines[n].strip() and not lines[n][0].isspace()), end)
    place = _after_last(lines, at + 1, stop)
    last = lines[place - 1]
    indent = last[: len(last) - len(last.lstrip())] if place - 1 > at else ""
    lines[place:place] = [f"{indent or _INDENT}{value}" for value in values]


def _bounds(lines: Sequence[str], section: str) -> tuple[int, int]:
    """Where the section's lines begin and end."""
    first = next(n for n, line in enumerate(lines) if line.strip() == f"[{section}]") + 1
    end = next((n for n in range(first, len(lines)) if lines[n].startswith("[")), len(lines))
    return first, end


def _after_last(lines: Sequence[str], first: int, end: int) -> int:
    """The place after the last line that says something; comments and blank lines may come after it."""
    said = (n for n in range(end - 1, first - 1, -1) if lines[n].strip() and lines[n].lstrip()[0] not in "#;")
    return next(said, first - 1) + 1

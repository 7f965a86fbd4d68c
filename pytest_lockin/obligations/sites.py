"""The same edit at every place of the statement where it can be made."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.obligations.edits import Edit

_TOKEN = re.compile(r"'[^']*'|[A-Za-z_][A-Za-z0-9_.]*|\d+(?:\.\d+)?|\S")
_MOST_SITES = 8


def find_families(base: str, edits: Sequence[Edit]) -> Iterator[tuple[Edit, ...]]:
    """Find edits that read alike at several places, in parts of a statement that repeat each other.

    Two edits read alike where operator and changed words are the same once the names of tables and of
    columns are reduced to what parallel parts have in common (`ss_net_paid` and `ws_net_paid`). Of several
    at one place the first is taken; a family of one place is none.
    """
    families: dict[tuple[str, ...], list[Edit]] = defaultdict(list)
    for edit in edits:
        families[_read(base, edit)].append(edit)
    seen = set()
    for family in families.values():
        chosen = tuple(_apart(family))
        key = frozenset(each.id for each in chosen)
        if 1 < len(chosen) <= _MOST_SITES and key not in seen:
            seen.add(key)
            yield chosen


def _read(base: str, edit: Edit) -> tuple[str, ...]:
    """Read what an edit takes out and puts in, whole words, in the words parallel parts share."""
    start, end = edit.start, edit.end
    while start > 0 and (base[start - 1].isalnum() or base[start - 1] in "_.'"):
        start -= 1
    while end < len(base) and (base[end].isalnum() or base[end] in "_.'"):
        end += 1
    before = base[start:end]
    after = base[start : edit.start] + edit.replacement + base[edit.end : end]
    return (
        edit.operator,
        edit.clause,
        *map(_stem, _TOKEN.findall(before)),
        "=>",
        *map(_stem, _TOKEN.findall(after)),
    )


def _stem(word: str) -> str:
    """Reduce a name to what parallel parts share: no qualifier, no prefix of its table."""
    if word.isupper() or not word[0].isalpha():
        return word
    name = word.rpartition(".")[2]
    head, sign, rest = name.partition("_")
    return f"_{rest}" if sign and rest else ("?" if name == head else name)


def _apart(family: Sequence[Edit]) -> Iterator[Edit]:
    end = -1
    for edit in sorted(family, key=lambda each: (each.start, each.end)):
        if edit.start > end:
            yield edit
            end = edit.end

"""Edits of a statement as replaced pieces of its text, so that several can be made at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_lockin.model.alternative import Variant
    from pytest_lockin.model.task import Fragment, Kind

DIALECT = "spark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Characters `start` to `end` of the rendered statement replaced by `replacement`.

    Attributes:
        kind: what kind of obligation it breaks; `clause` where it stands.
        text: what a program is wrong about that behaves like this, in an analyst's words.
        before: the changed lines of the statement; `after` what they become.
        informed: made from what the candidate's source holds, not from the statement alone.
    """

    id: str
    operator: str
    kind: Kind
    clause: Fragment
    text: str
    start: int
    end: int
    replacement: str
    columns: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    informed: bool = False


def render(sql: str) -> str:
    """Write a statement as variants start from: as sqlglot renders what it rendered, one clause a line."""
    import sqlglot

    once = sqlglot.parse_one(sql, read=DIALECT).sql(dialect=DIALECT, pretty=True, comments=False)
    return str(sqlglot.parse_one(once, read=DIALECT).sql(dialect=DIALECT, pretty=True, comments=False))


def read_variant(base: str, variant: Variant) -> Edit:
    """Read a variant as an edit of the rendered statement."""
    start, end, replacement = find_change(base, variant.sql)
    return Edit(
        id=variant.id,
        operator=variant.operator,
        kind=variant.kind,
        clause=variant.clause,
        text=variant.text,
        start=start,
        end=end,
        replacement=replacement,
        columns=variant.columns,
        before=variant.before,
        after=variant.after,
    )


def find_change(before: str, after: str) -> tuple[int, int, str]:
    """Find the one piece that differs: its start and end in `before`, and what stands there in `after`."""
    most = min(len(before), len(after))
    head = next((place for place in range(most) if before[place] != after[place]), most)
    most -= head
    tail = next((place for place in range(most) if before[-1 - place] != after[-1 - place]), most)
    return head, len(before) - tail, after[head : len(after) - tail]


def apply_edits(base: str, edits: Iterable[Edit]) -> str | None:
    """Make several edits at once; None where two of them overlap or touch."""
    made: list[str] = []
    left = len(base)
    for edit in sorted(edits, key=lambda each: (-each.start, -each.end)):
        if edit.end > left or (made and edit.end == left):
            return None
        made.append(edit.replacement + base[edit.end : left])
        left = edit.start
    return base[:left] + "".join(reversed(made))


def name_edits(edits: Sequence[Edit]) -> str:
    """Name a set of edits, whatever their order."""
    return hashlib.sha256("\n".join(sorted(each.id for each in edits)).encode()).hexdigest()[:12]

"""Which of several explanations that fit equally well to tell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_lockin.obligations.edits import Edit

    Edits = tuple[Edit, ...]

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\d+")
_BOUND = re.compile(r"(<=|>=|<>|!=|<|>)\s*\(?(\d+(?:\.\d+)?|'[^']*')")
_LABEL = re.compile(r"'([^']+)'")
_RULES = (
    "it breaks the fewest obligations",
    "its columns fit the candidate's best",
    "it belongs to an obligation of the task",
    "its words stand in the candidate's source",
    "it takes no constant from the candidate",
    "it needs the fewest edits",
    "it changes the least",
    "it stands first in the statement",
)


def choose(
    fitting: Sequence[Edits],
    homes: Mapping[Edits, tuple[str, ...]],
    misfits: Mapping[Edits, int],
    source: str,
) -> tuple[Edits, str]:
    """Choose one explanation, and say which rule told it from the one that came next.

    `misfits` counts the names, types and places of columns that an explanation leaves different.
    """
    words = source.lower()

    def judge(edits: Edits) -> tuple[float, ...]:
        return (
            len(homes[edits]),
            misfits.get(edits, 0),
            not all(homes[edits]),
            -count_evidence(edits, words),
            any(each.informed for each in edits),
            len(edits),
            sum(len(each.before) + len(each.after) for each in edits),
            min(each.start for each in edits),
        )

    ranked = sorted(fitting, key=judge)
    rivals = [each for each in ranked if homes[each] != homes[ranked[0]]]
    if not rivals:
        return ranked[0], ""
    first, second = judge(ranked[0]), judge(rivals[0])
    place = next((place for place, (a, b) in enumerate(zip(first, second, strict=True)) if a != b), -1)
    return ranked[0], _RULES[place]


def count_evidence(edits: Edits, source: str) -> float:
    """Measure how far the candidate's source speaks for the edits: -1 to 1, 0 where it says nothing.

    Words that an edit brings in and the source holds speak for it, as do words it takes out that the source
    lacks. A name counts as held where the source builds it from its parts (`f"{prefix}_net_paid"`).
    """
    if not source:
        return 0.0
    signs = [sign for edit in edits for sign in _signs(edit, source)]
    return sum(signs) / len(signs) if signs else 0.0


def _signs(edit: Edit, source: str) -> list[int]:
    labels = [_LABEL.fullmatch(text) for text in (edit.before, edit.after)]
    if all(labels):
        # A whole label counts, not its words: these may be names of other things.
        was, put = (_quotes(source, label[1]) for label in labels if label)
        return [1 if put else -1, -1 if was else 1]
    before, after = _words(edit.before), _words(edit.after)
    brought = [1 if _holds(source, word) else -1 for word in after - before]
    taken = [-1 if _holds(source, word) else 1 for word in before - after]
    return [*brought, *taken, *_bound_signs(edit, source)]


def _quotes(source: str, label: str) -> bool:
    """Whether the source holds the label as a text of its own."""
    return any(f"{mark}{label.lower()}{mark}" in source for mark in ("'", '"'))


def _bound_signs(edit: Edit, source: str) -> list[int]:
    """Look for the comparisons an edit brings in, `>= 2001`, in the source."""
    brought = set(_BOUND.findall(edit.after)) - set(_BOUND.findall(edit.before))
    told = {(sign.replace("!=", "<>"), value) for sign, value in _BOUND.findall(source)}
    return [1 if each in told else -1 for each in brought]


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text) if not word.isupper()}


def _holds(source: str, word: str) -> bool:
    if re.search(rf"(?<![a-z0-9_]){re.escape(word)}(?![a-z0-9_])", source):
        return True
    _, sign, rest = word.partition("_")
    return bool(sign and rest and f"_{rest}" in source)

"""Unified diffs of one change, stable ids, readable snippets."""

from __future__ import annotations

import hashlib

_CONTEXT = 3


def write_diff(before: str, after: str, name: str) -> str:
    """Write the unified diff of two texts that differ in one place: one hunk, three lines of context."""
    old, new = before.splitlines(), after.splitlines()
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    first = max(head - _CONTEXT, 0)
    minus, plus = old[head : len(old) - tail], new[head : len(new) - tail]
    following = old[len(old) - tail :][:_CONTEXT]
    kept = head - first + len(following)
    return "\n".join(
        (
            f"--- {name}",
            f"+++ {name}",
            f"@@ -{first + 1},{kept + len(minus)} +{first + 1},{kept + len(plus)} @@",
            *(f" {line}" for line in old[first:head]),
            *(f"-{line}" for line in minus),
            *(f"+{line}" for line in plus),
            *(f" {line}" for line in following),
        )
    )


def _shared(left: list[str], right: list[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def make_id(*parts: str) -> str:
    """Hash what names an alternative; blanks do not count."""
    text = "\x1f".join(" ".join(part.split()) for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()[:12]

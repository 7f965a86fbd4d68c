"""Untrusted text made safe to stand in a page: no markup, and nothing that cannot be seen."""

from __future__ import annotations

import html
import re

# Controls but tab and newline, what joins or reorders text without a trace, halves of surrogate pairs, and
# what is no character: a reader must see that they are there, for they may be there to mislead.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)


def make_visible(text: str) -> str:
    r"""The text with what cannot be seen spelled out.

    >>> make_visible("a\x00b\u202ec")
    'a⟨U+0000⟩b⟨U+202E⟩c'
    """
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", text)


def escape(text: str) -> str:
    """The text as itself, between tags as well as in a quoted attribute."""
    return html.escape(make_visible(text), quote=True)

"""Untrusted text made safe to stand in a page: no markup, and nothing that cannot be seen."""

from __future__ import annotations

import html
import re

_PLAIN = re.compile(r"[^\t\n\x20-\x7e]")
# Letters and marks to Unicode, and nothing on paper: fillers, and selectors of a variant.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def make_visible(text: str) -> str:
    r"""The text with what cannot be seen spelled out, for it may be there to mislead a reader.

    That is controls but tab and newline, what joins or reorders text without a trace, halves of surrogate
    pairs, spaces that are none of the keyboard's, and what is no character.

    >>> make_visible("a\x00b\u202ec")
    'a⟨U+0000⟩b⟨U+202E⟩c'
    """
    return _PLAIN.sub(lambda found: _show(found.group()), text)


def _show(letter: str) -> str:
    seen = letter.isprintable() and not _BLANK.match(letter)
    return letter if seen else f"⟨U+{ord(letter):04X}⟩"


def escape(text: str) -> str:
    """The text as itself between tags; quotes stay, for they are nothing there."""
    return html.escape(make_visible(text), quote=False)


def escape_quoted(text: str) -> str:
    """The text as itself in a quoted attribute."""
    return html.escape(make_visible(text), quote=True)

"""Generic edits of Python, from mutmut used as a library (stub until the families stand)."""

from __future__ import annotations


def propose_generic(program):
    return ()

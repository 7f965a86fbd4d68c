"""`lockin explain`: what a word of the report means, from the texts that the code ships with.

Operators say it in their modules' docstrings, mechanisms, outcomes and verdicts below their names in the
model, messages in the page that `docs/messages.md` is.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import SettingsError
from pytest_lockin.model.finding import Mechanism
from pytest_lockin.model.meanings import read_meanings
from pytest_lockin.model.report import VerdictKind
from pytest_lockin.model.trial import TrialOutcome

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

_PACKAGE = Path(__file__).parents[1]
_MOST_MEANT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One word, of which sort it is, and what it means."""

    name: str
    sort: str
    text: str


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the word to explain."""
    parser.add_argument(
        "word",
        nargs="*",
        help="an operator, a mechanism, an outcome of a trial, a verdict, or the word that a message ends "
        "with; none lists them all",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print what a word means, everywhere it is one; without a word all there are.

    Raises:
        SettingsError: nothing is called that; the hint names what is nearest.
    """
    entries = list_entries()
    if not arguments.word:
        print("\n".join(_list(entries)))
        return 0
    word = " ".join(arguments.word)
    found = [entry for entry in entries if _same(entry.name) == _same(word)]
    if not found:
        raise _unknown(word, entries)
    print("\n\n".join(f"{entry.name} ({entry.sort})\n\n{entry.text}" for entry in found))
    return 0


def list_entries() -> tuple[Entry, ...]:
    """Everything that can be explained, by sort."""
    return (*_words(), *_operators(), *_messages())


def _words() -> Iterator[Entry]:
    for sort, words in (
        ("verdict", VerdictKind),
        ("outcome of a trial", TrialOutcome),
        ("mechanism", Mechanism),
    ):
        for name, meaning in read_meanings(words).items():
            yield Entry(name=name, sort=sort, text=meaning)


def _operators() -> Iterator[Entry]:
    from pytest_lockin.alternatives.document import explain_operators
    from pytest_lockin.alternatives.registry import list_operators

    for told in explain_operators(list_operators()):
        yield Entry(name=told.name, sort="operator family", text=f"{told.title}\n\n{told.text}")


def _messages() -> Iterator[Entry]:
    parts = re.split(r"^(#{2,3}) (.+)$", _read_messages(), flags=re.MULTILINE)
    for level, title, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        if level == "###":
            yield Entry(name=title, sort="message", text=text.strip())


def _read_messages() -> str:
    """The page of all messages, of a wheel or of a source tree.

    Raises:
        SettingsError: neither is around this file; the installation is broken.
    """
    places = (_PACKAGE / "_shipped" / "messages.md", _PACKAGE.parent / "docs" / "messages.md")
    for place in places:
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise SettingsError(
        expected=f"the page of messages at {places[0]}",
        found="no such file",
        hint="reinstall: pip install --force-reinstall pytest-lockin",
    )


def _same(word: str) -> str:
    """One spelling of a word: reports print `false pass`, files `false_pass`, and messages `[slug]`."""
    return re.sub(r"[\s_-]+", "-", word.strip("[]` ").lower())


def _list(entries: tuple[Entry, ...]) -> Iterator[str]:
    for sort in dict.fromkeys(entry.sort for entry in entries):
        names = ", ".join(entry.name for entry in entries if entry.sort == sort)
        yield f"{sort}: {names}"


def _unknown(word: str, entries: tuple[Entry, ...]) -> SettingsError:
    names = {_same(entry.name): entry.name for entry in entries}
    meant = [names[each] for each in difflib.get_close_matches(_same(word), names, _MOST_MEANT)]
    return SettingsError(
        expected="an operator, a mechanism, an outcome, a verdict or the word that a message ends with",
        found=f"`{word}`",
        hint=f"did you mean {', '.join(meant)}?" if meant else "`lockin explain` lists what there is",
    )

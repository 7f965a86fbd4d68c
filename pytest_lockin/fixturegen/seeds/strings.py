"""Strings as numbers: the few texts that matter to a statement, in order, so that a solver can choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from pytest_lockin.fixturegen.constants import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.model.fixture import Profile
    from pytest_lockin.sql import Statement

FRESH = 8
# Of a list of hundreds of literals a row needs one: a solver need not choose among all.
_MOST_MENTIONED = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Strings:
    """Every text that may occur, sorted; a text's place is its number.

    Attributes:
        allowed: the texts a column may hold, by `table.column`: what its class is compared with, and texts
            of its own that nothing in the statement mentions.
        fresh: of these, the ones nothing mentions.
    """

    texts: tuple[str, ...]
    numbers: Mapping[str, int]
    allowed: Mapping[str, tuple[str, ...]]
    fresh: Mapping[str, tuple[str, ...]]


def collect_strings(statement: Statement, form: Form, profile: Profile) -> Strings:
    """Collect the texts a statement's string columns choose from."""
    allowed: dict[str, tuple[str, ...]] = {}
    fresh: dict[str, tuple[str, ...]] = {}
    extra = {node.this for node in statement.tree.find_all(exp.Literal) if node.is_string}
    for table, column, kind in _string_columns(statement, profile):
        name = f"{table}.{column.name}".lower()
        if name not in form.used or name in allowed:
            continue
        names = sorted(form.class_of(name))
        mentioned = sorted({atom.text for atom in form.atoms_of(name) if atom.quoted})[:_MOST_MENTIONED]
        wrapped = [text for text in mentioned for text in _sources(statement, text)]
        own = tuple(f"{_stem(names[0])} {number}"[:kind] for number in range(1, FRESH + 1))
        chosen = tuple(dict.fromkeys((*mentioned, *wrapped, *own)))
        for each in names:
            allowed[each], fresh[each] = _within(column.domain, chosen, own)
    images = {image for texts in allowed.values() for text in texts for image in _images(statement, text)}
    literals = {text for each in profile.tables for rule in each.derived for text in _quoted(rule.rule)}
    texts = tuple(sorted({*extra, *images, *literals, *(t for a in allowed.values() for t in a)}))
    numbers = {text: number for number, text in enumerate(texts)}
    return Strings(texts=texts, numbers=numbers, allowed=allowed, fresh=fresh)


def _string_columns(statement: Statement, profile: Profile) -> Iterator[tuple[str, Any, int]]:
    for name in statement.tables:
        table = profile.table(name)
        for column in table.columns if table is not None else ():
            kind = column.type.lower()
            if "char" in kind or kind == "string":
                digits = "".join(c for c in kind if c.isdigit())
                yield name, column, int(digits or 10**6)


def _within(domain: tuple[Any, ...], chosen: tuple[str, ...], own: tuple[str, ...]) -> tuple[Any, Any]:
    if not domain:
        return chosen, own
    return domain, tuple(text for text in domain if text not in chosen) or domain


def _stem(name: str) -> str:
    """Give a column's name in words, its table's prefix left out: `item.i_brand` is `brand`."""
    bare = name.rpartition(".")[2]
    head, _, tail = bare.partition("_")
    return (tail if tail and len(head) <= len("web") else bare).replace("_", " ")


def functions_of(statement: Statement) -> Iterator[Any]:
    """Give the functions from one string to another that a statement uses on columns."""
    for node in statement.tree.find_all(exp.Substring, exp.Upper, exp.Lower, exp.Trim):
        if isinstance(node.this, exp.Column):
            yield node


def apply_function(node: Any, text: str) -> str:
    """Work out one of these functions."""
    if isinstance(node, exp.Substring):
        start, length = fold(node.args["start"]), fold(node.args.get("length"))
        first = max(int(start) - 1, 0) if isinstance(start, int) else 0
        return text[first:][: int(length)] if isinstance(length, int) else text[first:]
    if isinstance(node, exp.Upper):
        return text.upper()
    return text.lower() if isinstance(node, exp.Lower) else text.strip()


def matches(pattern: str, text: str) -> bool:
    """Whether a text is LIKE a pattern."""
    import re

    parts = (".*" if c == "%" else "." if c == "_" else re.escape(c) for c in pattern)
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


def _images(statement: Statement, text: str) -> Iterator[str]:
    """Give what functions make of a text, and of what they made of it."""
    for node in functions_of(statement):
        image = apply_function(node, text)
        yield image
        yield from (apply_function(other, image) for other in functions_of(statement))


def _sources(statement: Statement, text: str) -> Iterator[str]:
    """Give texts that become `text` under a function, or are like it as a pattern."""
    if "%" in text or "_" in text:
        yield text.replace("%", "").replace("_", "a")
        yield text.replace("%", " more").replace("_", "b")
    for node in functions_of(statement):
        longer = f"{text}9"
        if apply_function(node, longer) == text:
            yield longer
        if isinstance(node, exp.Upper) and text.lower() != text:
            yield text.lower()


def _quoted(rule: str) -> list[str]:
    import sqlglot

    return [
        node.this for node in sqlglot.parse_one(rule, read="spark").find_all(exp.Literal) if node.is_string
    ]

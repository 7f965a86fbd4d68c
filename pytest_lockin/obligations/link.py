"""Which obligation a clause of the statement, a variant or a mutant belongs to."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from pytest_lockin.errors import LockinError
from pytest_lockin.model.task import Fragment, Kind, Obligation
from pytest_lockin.obligations.derive import derive_drafts, merge_drafts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_lockin.obligations.edits import Edit
    from pytest_lockin.obligations.reading import Draft

# Kinds that one clause may be written down as: what a predicate compares with, what it does about NULL.
_NEAR: tuple[frozenset[Kind], ...] = (
    frozenset({Kind.FILTER, Kind.LITERAL}),
    frozenset({Kind.METRIC, Kind.WINDOW}),
    frozenset({Kind.METRIC, Kind.NULL}),
    frozenset({Kind.METRIC, Kind.TYPE}),
    frozenset({Kind.GROUP, Kind.NULL}),
    frozenset({Kind.JOIN, Kind.NULL}),
    frozenset({Kind.FILTER, Kind.NULL}),
    frozenset({Kind.FILTER, Kind.JOIN}),
    frozenset({Kind.SCHEMA, Kind.TYPE}),
    frozenset({Kind.ORDER, Kind.LIMIT}),
    frozenset({Kind.SCHEMA, Kind.METRIC}),
)
_SAME, _CLOSE, _PLACE, _SHARED, _WORDS = 4.0, 1.5, 1.5, 4.0, 1.5
# Which kinds speak of a column that is only carried along, the likeliest first.
_CARRIERS = (Kind.GROUP, Kind.SCHEMA, Kind.METRIC, Kind.WINDOW, Kind.ORDER, Kind.JOIN)
_ROWS = re.compile(r"\brows?\b")
# Less than this is no link: a kind alone, without a column in common, says nothing.
_LEAST = 4.5
_NUMBER_WORDS = {"zero": "0", "one": "1", "two": "2", "three": "3", "january": "1", "december": "12"}
_CONSTANT = re.compile(r"'([^']*)'|\b(\d+(?:\.\d+)?)\b")
_SIGNS = (
    (re.compile(r"/"), re.compile(r"\b(divided|over|ratio|growth|share|average)\b")),
    (re.compile(r"\bBETWEEN\b"), re.compile(r"\b(between|inclusive|to)\b")),
    (re.compile(r"\bGROUPING\b"), re.compile(r"\b(level|rolled|subtotal|detail)")),
    (re.compile(r"\bCOALESCE\b"), re.compile(r"\b(missing|null|zero)\b")),
    (re.compile(r"\bEXISTS\b"), re.compile(r"\b(existence|at least one|has no|needs)\b")),
)


class Linker:
    """The written obligations of a task, and the statement they were written for.

    Args:
        sql: the reference's statement.
        schemas: table -> column -> type.
        obligations: those of the task, hidden ones included.
    """

    def __init__(
        self, sql: str, schemas: Mapping[str, Mapping[str, str]], obligations: Sequence[Obligation]
    ) -> None:
        self.obligations = tuple(obligations)
        self._schemas = schemas
        self._drafts = derive_drafts(sql, schemas)
        self._names = _name_outputs(self._drafts)
        self._counts = Counter(map(_key, self._drafts))
        self._homes = self._find_homes()

    def _find_homes(self) -> dict[tuple[str, str, str], str]:
        """Give each clause its best obligation; filters of computed values fall to those left over."""
        merged = tuple(merge_drafts(self._drafts))
        homes = {
            _key(draft): self._best(draft.kind, draft.fragment, draft.columns, draft.text) for draft in merged
        }
        left = [
            each for each in self.obligations if each.id not in homes.values() and self._is_indirect(each)
        ]
        for draft in merged:
            signed = [
                each for each in left if each.kind is draft.kind and _count_signs(draft.text, each.text)
            ]
            if signed and not _count_signs(draft.text, self._text(homes[_key(draft)])):
                homes[_key(draft)] = max(signed, key=lambda one: _count_signs(draft.text, one.text)).id
        return homes

    def _is_indirect(self, obligation: Obligation) -> bool:
        """Whether it is written down under output columns alone, though it tests rows."""
        return obligation.fragment is Fragment.WHERE and not any("." in name for name in obligation.columns)

    def _text(self, obligation_id: str) -> str:
        return next((each.text for each in self.obligations if each.id == obligation_id), "")

    def link_clause(self, draft: Draft) -> str:
        """The id of the obligation that a derived clause belongs to; "" where none of the task does."""
        return self._homes.get(_key(draft), "")

    def link_edit(self, edit: Edit, sql: str) -> str:
        """The id of the obligation that an edit of the statement breaks; `sql` is the edited statement.

        What can be derived from the statement before the edit and no longer after it is what it breaks.
        "" where that belongs to no obligation of the task.
        """
        try:
            after = Counter(map(_key, derive_drafts(sql, self._schemas)))
        except LockinError:
            return self.link_columns(edit.kind, edit.columns, edit.clause)
        broken = [draft for draft in self._drafts if self._counts[_key(draft)] > after[_key(draft)]]
        ranked = sorted(broken, key=lambda draft: -_closeness(draft, edit))
        homes = (self.link_clause(draft) for draft in ranked if _closeness(draft, edit) > 0)
        home = next((home for home in homes if home), "")
        return (
            (self._link_nearer(edit, home) if home else "")
            or self.link_columns(edit.kind, edit.columns, edit.clause)
            or self._link_loosely(edit)
        )

    def _link_nearer(self, edit: Edit, home: str) -> str:
        """Prefer, to the obligation of the whole clause, one of its kind about just the column misread."""
        read = edit.columns[0].lower() if edit.operator == "column" and edit.columns else ""
        owner = next(each for each in self.obligations if each.id == home)
        if not read or read in owner.columns:
            return home
        about = [
            each
            for each in self.obligations
            if read in each.columns and each.kind is owner.kind and each.fragment is owner.fragment
        ]
        return min(about, key=lambda each: len(each.columns)).id if about else home

    def _link_loosely(self, edit: Edit) -> str:
        """Link a constant to the obligation that quotes it, a copied column to the one it is written for."""
        quoted = {text.lower() for text, _ in _CONSTANT.findall(edit.before) if text}
        for one in self.obligations:
            if edit.kind is Kind.LITERAL and any(f"'{text}'" in one.text.lower() for text in quoted):
                return one.id
        if edit.kind is not Kind.METRIC or not edit.columns:
            return ""
        name = self._names.get(edit.columns[0].lower(), edit.columns[0].lower())
        carrying = [one for one in self.obligations if one.kind in _CARRIERS and name in one.columns]
        return min(carrying, key=lambda one: _CARRIERS.index(one.kind)).id if carrying else ""

    def link_columns(
        self, kind: Kind | None, columns: Sequence[str], fragment: Fragment | None = None
    ) -> str:
        """The id of the obligation of a kind about these columns; "" where no obligation is."""
        if kind is None:
            return ""
        return self._best(kind, fragment, columns, "")

    def _best(self, kind: Kind, fragment: Fragment | None, columns: Sequence[str], text: str) -> str:
        wanted = {self._names.get(name.lower(), name.lower()) for name in columns}
        scored = [(self._score(one, kind, fragment, wanted, text), one.id) for one in self.obligations]
        score, found = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
        return found if score >= _LEAST else ""

    def _score(
        self, one: Obligation, kind: Kind, fragment: Fragment | None, wanted: set[str], text: str
    ) -> float:
        likeness = _SAME if one.kind is kind else _CLOSE if frozenset({one.kind, kind}) in _NEAR else 0.0
        if not likeness:
            return 0.0
        place = _PLACE if fragment is not None and one.fragment is fragment else 0.0
        have = {self._names.get(name.lower(), name.lower()) for name in one.columns}
        if not have and not wanted:
            return likeness + place + _count_constants(text, one.text)
        if kind in (Kind.ORDER, Kind.LIMIT):
            both = one.kind is kind or (kind is Kind.LIMIT and _ROWS.search(one.text))
            return likeness + place + _LEAST if both else 0.0
        shared = len(have & wanted)
        if not shared:
            return 0.0
        overlap = shared / min(len(have), len(wanted)) + shared / max(len(have), len(wanted))
        return likeness + place + _SHARED * overlap / 2 + _WORDS * _count_words(text, one.text)


def _key(draft: Draft) -> tuple[str, str, str]:
    return draft.kind, draft.fragment, draft.text


def _name_outputs(drafts: Iterable[Draft]) -> dict[str, str]:
    """Map `#3` to the output's own name where it has one."""
    labels = next((each.columns for each in drafts if each.fragment is Fragment.ALIAS), ())
    return {f"#{place}": label for place, label in enumerate(labels, start=1)}


def _closeness(draft: Draft, edit: Edit) -> float:
    kind = 2 if draft.kind is edit.kind else 1 if frozenset({draft.kind, edit.kind}) in _NEAR else 0
    touched = bool(set(draft.columns) & set(edit.columns))
    return (
        (kind + 2 * (draft.fragment is edit.clause) + touched) if kind or draft.fragment is edit.clause else 0
    )


def _count_words(clause: str, text: str) -> float:
    return min(2.0, _count_constants(clause, text) + _count_signs(clause, text))


def _count_constants(clause: str, text: str) -> float:
    """Count the clause's constants that an obligation's text names; against it where it names others only."""
    wanted = {quoted or number for quoted, number in _CONSTANT.findall(clause)}
    words = re.findall(r"[\w.'-]+", text.lower())
    named = {word.strip("'.,") for word in words} | {
        _NUMBER_WORDS[word] for word in words if word in _NUMBER_WORDS
    }
    if not wanted:
        return 0.0
    return float(any(each.lower() in named for each in wanted) or any(_quotes(text, each) for each in wanted))


def _quotes(text: str, constant: str) -> bool:
    """Whether a text holds a constant, single letters and digits apart: those are in every text."""
    return len(constant) > len("ab") and constant.lower() in text.lower()


def _count_signs(clause: str, text: str) -> float:
    """Count the constructs of a clause that an obligation's text has a word for."""
    return float(sum(bool(sign.search(clause) and word.search(text.lower())) for sign, word in _SIGNS))

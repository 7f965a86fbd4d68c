"""What a plan says about an obligation: matched by words, with the sentence that says it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.model.finding import PlanStatus
from pytest_lockin.model.task import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_lockin.model.task import Obligation

_KIND_WORDS = {
    Kind.JOIN: "join joined joins match matched attach attached pair paired exists left inner semi anti key",
    Kind.FILTER: "filter filtered only where keep kept restrict limited between condition exclude drop",
    Kind.METRIC: "sum sums total totals average avg count measure value ratio divided minus plus max min",
    Kind.GROUP: "group grouped groups per grouping rollup cube aggregate each level",
    Kind.SCHEMA: "column columns output named name alias order",
    Kind.TYPE: "type types decimal double bigint int cast float precision",
    Kind.ORDER: "sort sorted order ordered ascending descending nulls first last",
    Kind.LIMIT: "limit first top rows at most",
    Kind.NULL: "null nulls missing none coalesce empty absent zero",
    Kind.LITERAL: "only equal equals is label labelled constant value year month filter where named",
    Kind.SET_OP: "union unions stack stacked intersect except combine concatenated duplicates all",
    Kind.WINDOW: "window rank ranked partition over within average per lag lead",
}
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\d[\d.,:-]*")
_SPLIT = re.compile(r"(?<=[.;:!?])\s+|\n\s*(?:[-*+]|\d+[.)]|#+|\|)\s*|\n\s*\n|\n")
_CONSTANT = re.compile(r"'([^']*)'|\b\d{2,}(?:-\d\d)*\b")
_COMMON = frozenset(
    """
    the a an of and or in on to is are be by for with from as at it its that this not no one any each every
    all than then so only per into both same other their they which has have after before over under
    """.split()  # noqa: SIM905 - a list of that many words is no easier to read
)
_PRESENT, _PARTIAL = 0.6, 0.3
# A sentence with so many of the obligation's own words says it, whatever it calls the columns.
_NEARLY_ALL = 0.8
# How near the best-said obligation of a sentence another one must come to be said by it too.
_RIVAL = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFinding:
    """What the plan says, and the sentence that says it."""

    status: PlanStatus
    quote: str = ""


def read_plan(
    plan: str,
    obligation: Obligation,
    *,
    others: Sequence[Obligation] = (),
    before: Iterable[str] = (),
    after: Iterable[str] = (),
) -> PlanFinding:
    """Find the sentence of a plan that speaks of an obligation.

    A sentence that says one of `others`, the task's obligations, much better does not speak of this one.

    `present`: a sentence holds most of the obligation's columns, constants and words, and a word of its
    kind; `partial`: some of them; `contradicted`: the plan says what the candidate does instead (`after`
    holds the words that brought the mistake in, `before` those it took out).
    """
    if not plan.strip():
        return PlanFinding(status=PlanStatus.NO_PLAN)
    sentences = split_sentences(plan)
    wrong = _find_contradiction(sentences, _words(before) - _words(after), _words(after) - _words(before))
    scored = [(_score_among(sentence, obligation, others), sentence) for sentence in sentences]
    score, best = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
    if wrong:
        return PlanFinding(status=PlanStatus.CONTRADICTED, quote=wrong)
    if score >= _PRESENT:
        return PlanFinding(status=PlanStatus.PRESENT, quote=best)
    if score >= _PARTIAL:
        return PlanFinding(status=PlanStatus.PARTIAL, quote=best)
    return PlanFinding(status=PlanStatus.ABSENT)


def split_sentences(text: str) -> tuple[str, ...]:
    """Split a plan into sentences, bullets and table rows, each as it stands there."""
    parts = (part.strip(" \t*-|") for part in _SPLIT.split(text))
    return tuple(part for part in parts if _WORD.search(part))


def _find_contradiction(sentences: Sequence[str], taken: set[str], brought: set[str]) -> str:
    """Find a sentence with a word the mistake brought in, where no sentence has one it took out."""
    told = {word for sentence in sentences for word in _words([sentence])}
    if not brought or taken & told:
        return ""
    return next((sentence for sentence in sentences if brought & _words([sentence])), "")


def _words(texts: Iterable[str]) -> set[str]:
    found = {word.lower().strip(".,") for text in texts for word in _WORD.findall(text)}
    return {word for word in found if word and word not in _COMMON}


def _score_among(sentence: str, obligation: Obligation, others: Sequence[Obligation]) -> float:
    own = _score(sentence, obligation)
    if own < _PARTIAL:
        return 0.0
    best = max((_score(sentence, other) for other in others if other.id != obligation.id), default=0.0)
    return own if own >= _RIVAL * best else 0.0


def _score(sentence: str, obligation: Obligation) -> float:
    """Measure how much of an obligation a sentence says: its constants, its columns, its own words."""
    have = _words([sentence])
    flat = sentence.lower()
    constants = [quoted or whole for whole, quoted in _constants(obligation.text)]
    columns = [name.rpartition(".")[2].lower() for name in obligation.columns if not name.startswith("#")]
    shares = []
    if constants:
        shares.append(sum(each.lower() in flat for each in constants) / len(constants))
    if columns:
        shares.append(min(1.0, 1.5 * sum(_names(flat, have, each) for each in columns) / len(columns)))
    own = {word for word in _words([obligation.text]) if word not in constants}
    stems = {_stem(word) for word in have}
    said = sum(_stem(word) in stems for word in own) / max(1, len(own))
    shares.append(min(1.0, 1.5 * said))
    if said >= _NEARLY_ALL:
        return 1.0
    score = sum(shares) / len(shares)
    return score if have & set(_KIND_WORDS[obligation.kind].split()) else score / 2


def _constants(text: str) -> list[tuple[str, str]]:
    return [(match[0], match[1] or "") for match in _CONSTANT.finditer(text)]


def _names(flat: str, have: set[str], column: str) -> bool:
    """Whether a sentence names a column: as it is, without its table's prefix, or in words."""
    rest = column.partition("_")[2]
    return column in have or bool(rest and (rest in flat or rest.replace("_", " ") in flat))


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= len("sum"):
            return word[: -len(ending)]
    return word

"""Which variant of the reference behaves like the candidate: what it got wrong, proven by running it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_lockin.model.finding import Diagnosis, Explanation, ShapeFinding, ShapeKind
from pytest_lockin.model.task import Fragment, Kind
from pytest_lockin.obligations.choose import choose, count_evidence
from pytest_lockin.obligations.distance import measure_distance, read_content
from pytest_lockin.obligations.edits import Edit, apply_edits
from pytest_lockin.obligations.shape import Shape, arrange, fit_shape
from pytest_lockin.obligations.sites import find_families

if TYPE_CHECKING:
    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.obligations.link import Linker

# (statement, name of a data set) -> its output; None where it raised.
Ask = Callable[[str, str], "Frame | None"]
Edits = tuple[Edit, ...]

# Data sets on which edits are ranked; what fits there is tried on all.
_RANKED_ON = 4
# Edits that help alone and are combined with others.
_COMBINED = 40
_MOST_EDITS = 8
_MOST_OBLIGATIONS = 3
_STARTS = 6
# Seconds in which others that fit as well are looked for.
_AFTER_THE_FIRST = 20.0
# Explanations whose columns are compared too.
_MOST_FITTED = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A candidate to be explained.

    Attributes:
        base: the reference's statement as `edits.render` writes it.
        edits: edits of it, each of which breaks one obligation.
        outputs: what the candidate returned, by data set; None where it raised.
        source: the candidate's source, all its modules.
        most: programs that may be run, each on one data set; `seconds` for all of them. What was not tried by
            then explains nothing.
    """

    base: str
    edits: Edits
    outputs: Mapping[str, Frame | None]
    source: str = ""
    most: int = 4000
    seconds: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A diagnosis with what it rests on: the edits, each with the obligation it breaks, and the columns.

    `pair` holds the results of the explained reference and of the candidate on one data set, which `shape`
    compares; None where both ran on none.
    """

    diagnosis: Diagnosis
    edits: tuple[tuple[str, Edit], ...] = ()
    shape: Shape = field(default_factory=lambda: Shape(expected=(), found=()))
    pair: tuple[Frame, Frame] | None = None


def diagnose(suspect: Suspect, ask: Ask, linker: Linker, *, engine: str = "") -> Found:
    """Find the smallest set of broken obligations that makes the reference behave like the candidate.

    First columns are paired (names, types and places set aside as findings of their own). Then single edits
    are tried, and the same edit at every place it can be made, those first that the candidate's source speaks
    for; then several within one obligation, and last edits of two and three obligations, each time going on
    with what comes nearest. The first of these stages that has an explanation ends the search.

    An explanation fits on every data set that both programs ran on. Where either raised says nothing.
    """
    search = _Search(suspect, ask, linker)
    if not search.inputs:
        return Found(diagnosis=Diagnosis(agrees=False, engine=engine, tried=search.asked))
    found = Diagnosis(agrees=not search.telling, inputs=search.inputs, engine=engine)
    edits: Edits = ()
    if search.telling:
        found, edits = search.explain(found)
    # What the edits bring with them (a count is a bigint) is no finding of its own.
    pair = search.compare_shape(edits)
    shape = fit_shape(*pair) if pair is not None else search.shape
    told = tuple(_link_shape(each, linker) for each in shape.findings)
    return Found(
        diagnosis=replace(found, shape=told, tried=search.asked),
        edits=tuple((search.home(each), each) for each in edits),
        shape=shape,
        pair=pair,
    )


_SHAPE_PLACES = {
    ShapeKind.NAMES: (Kind.SCHEMA, Fragment.ALIAS),
    ShapeKind.TYPES: (Kind.TYPE, Fragment.TYPE),
}


def _link_shape(finding: ShapeFinding, linker: Linker) -> ShapeFinding:
    kind, fragment = _SHAPE_PLACES.get(finding.kind, (Kind.SCHEMA, Fragment.SELECT))
    return replace(finding, obligation=linker.link_columns(kind, finding.columns, fragment))


class _Search:
    """What is known so far about how near each set of edits comes."""

    def __init__(self, suspect: Suspect, ask: Ask, linker: Linker) -> None:
        self.suspect, self._ask, self._linker = suspect, ask, linker
        self.asked = 0
        self._deadline = time.monotonic() + suspect.seconds
        self._words = suspect.source.lower()
        self._homes: dict[str, str] = {}
        self._scores: dict[frozenset[str], float] = {}
        references = {name: self._run(suspect.base, name) for name in suspect.outputs}
        pairs = {
            name: (frame, other)
            for name, frame in references.items()
            if frame is not None and (other := suspect.outputs[name]) is not None
        }
        self.inputs = tuple(pairs)
        self._fullest = _choose_fullest(pairs)
        self.shape = fit_shape(*pairs[self._fullest]) if self._fullest else Shape(expected=(), found=())
        self._found = {name: read_content(other) for name, (_, other) in pairs.items()}
        self._apart = {name: self._distance(frame, name) for name, (frame, _) in pairs.items()}
        self.telling = tuple(name for name in self.inputs if self._apart[name])
        self._ranked = self.telling[:_RANKED_ON]

    # Running.

    def _run(self, sql: str, name: str) -> Frame | None:
        self.asked += 1
        return self._ask(sql, name)

    def _distance(self, frame: Frame, name: str) -> float:
        expected = read_content(frame)
        if max(self.shape.expected, default=-1) >= len(expected.columns):
            return 2.0
        return measure_distance(*arrange(self.shape, expected, self._found[name]))

    def compare_shape(self, edits: Edits) -> tuple[Frame, Frame] | None:
        """Give both results on the fullest data set, the reference's with these edits."""
        sql = apply_edits(self.suspect.base, edits)
        frame = self._run(sql, self._fullest) if sql is not None and self._fullest else None
        other = self.suspect.outputs.get(self._fullest)
        return (frame, other) if frame is not None and other is not None else None

    def score(self, edits: Edits) -> float:
        """How much of the difference is left with these edits: 0 where all ranked data sets agree."""
        key = frozenset(each.id for each in edits)
        if key not in self._scores:
            self._scores[key] = self._measure(edits)
        return self._scores[key]

    def _measure(self, edits: Edits) -> float:
        sql = apply_edits(self.suspect.base, edits)
        if sql is None or self._is_over():
            return float("inf")
        left = 0.0
        helps = False
        spoken_for = count_evidence(edits, self._words) > 0
        for name in self._ranked:
            frame = self._run(sql, name)
            share = self._distance(frame, name) / self._apart[name] if frame is not None else float("inf")
            left += share / len(self._ranked)
            helps = helps or share < 1
            if not helps and not spoken_for:
                # Whether it does elsewhere is not worth a run; of what the source says it may be: three
                # wrong labels show on different data sets.
                return max(left, 1.0)
        return left if helps else max(left, 1.0)

    def _is_over(self) -> bool:
        return self.asked >= self.suspect.most or time.monotonic() > self._deadline

    def fits(self, edits: Edits) -> bool:
        """Whether these edits make the reference equal the candidate on every data set."""
        if self.score(edits):
            return False
        sql = apply_edits(self.suspect.base, edits)
        others = (name for name in self.inputs if name not in self._ranked)
        return sql is not None and all(
            (frame := self._run(sql, name)) is not None and not self._distance(frame, name) for name in others
        )

    def home(self, edit: Edit) -> str:
        """The obligation an edit breaks."""
        if edit.id not in self._homes:
            sql = apply_edits(self.suspect.base, [edit]) or ""
            self._homes[edit.id] = self._linker.link_edit(edit, sql)
        return self._homes[edit.id]

    def homes(self, edits: Edits) -> tuple[str, ...]:
        """The obligations that a set of edits breaks, each once."""
        return tuple(dict.fromkeys(map(self.home, edits)))

    # Searching.

    def explain(self, found: Diagnosis) -> tuple[Diagnosis, Edits]:
        """Add the explanation and give its edits, none for one that leaves something unexplained."""
        best: Edits = ()
        for stage in (*self._by_evidence(), self._within, self._across):
            tried: list[Edits] = []
            fitting: list[Edits] = []
            for edits in self._families_early(stage()):
                tried.append(edits)
                if self.fits(edits):
                    fitting.append(edits)
                    # Others may fit as well and be the better explanation; the search for them is short.
                    self._deadline = min(self._deadline, time.monotonic() + _AFTER_THE_FIRST)
            if fitting:
                return self._conclude(found, fitting)
            best = min([*tried, *([best] if best else [])], key=self.score, default=best)
        if not best or self.score(best) >= 1:
            return found, ()
        return replace(found, explanation=self._describe(best, self.score(best))), ()

    def _families_early(self, sets: Iterable[Edits]) -> Iterator[Edits]:
        """Put the same edit in several places right behind one of them that helps: time may run out."""
        waiting = list(sets)
        singles = [each for each in waiting if len(each) == 1]
        families = [each for each in waiting if len(each) > 1]
        for single in singles:
            yield single
            if families and self.score(single) < 1:
                near = [each for each in families if single[0] in each]
                families = [each for each in families if each not in near]
                yield from near
        yield from families

    def _simple(self) -> Iterator[Edits]:
        """Single edits, and the same edit wherever it can be made."""
        yield from ((edit,) for edit in self.suspect.edits)
        yield from find_families(self.suspect.base, self.suspect.edits)

    def _by_evidence(self) -> Iterator[Callable[[], Iterable[Edits]]]:
        """Simple edits in three stages: the source speaks for them, says nothing, speaks against them.

        Of explanations that fit equally well the source decides, so that later ones need no run. Several
        edits of one obligation that it speaks for (three labels written in another way) come before the rest.
        """
        graded = [(count_evidence(each, self._words), each) for each in self._simple()]
        for wanted in (1, 0, -1):
            stage = [each for evidence, each in graded if (evidence > 0) - (evidence < 0) == wanted]
            yield partial(list, stage)
            if wanted == 1:
                yield partial(self._within, stage)

    def _helpful(self, among: Iterable[Edits] | None = None) -> list[Edits]:
        """Sets of edits that come nearer than none, the nearest first; of all simple ones by default."""
        tried = list(self._simple() if among is None else among)
        return sorted((each for each in tried if self.score(each) < 1), key=self.score)[:_COMBINED]

    def _within(self, among: Iterable[Edits] | None = None) -> Iterator[Edits]:
        """Several edits of one obligation, each coming nearer than the last."""
        helpful = self._helpful(among)
        for home in dict.fromkeys(self.homes(each) for each in helpful):
            pool = [each for each in helpful if self.homes(each) == home]
            yield self._climb(pool[0], pool, len(home))

    def _across(self) -> Iterator[Edits]:
        """Edits of two and three obligations, starting from each of the nearest."""
        helpful = sorted({*self._helpful(), *self._within()}, key=self.score)
        # What the nearest lacks may not help alone: it is looked for among all edits.
        for start in helpful[:1]:
            yield self._climb(start, list(self._simple()), _MOST_OBLIGATIONS)
        for start in helpful[1:_STARTS]:
            yield self._climb(start, helpful, _MOST_OBLIGATIONS)

    def _climb(self, start: Edits, pool: Sequence[Edits], most: int) -> Edits:
        """Add the set that comes nearest, again and again, while it does and few obligations are broken."""
        best = start
        while self.score(best) > 0 and len(best) < _MOST_EDITS:
            joined = [_join(best, each) for each in pool]
            wider = [each for each in joined if len(each) > len(best) and len(self.homes(each)) <= most]
            nearest = min(wider, key=self.score, default=best)
            if self.score(nearest) >= self.score(best):
                break
            best = nearest
        return best

    # Telling.

    def _conclude(self, found: Diagnosis, fitting: list[Edits]) -> tuple[Diagnosis, Edits]:
        homes = {edits: self.homes(edits) for edits in fitting}
        misfits = {edits: self._count_misfits(edits) for edits in fitting[:_MOST_FITTED]}
        chosen, rule = choose(fitting, homes, misfits, self.suspect.source)
        others = {home for edits in fitting for home in homes[edits]} - set(homes[chosen])
        told = replace(
            found,
            explanation=self._describe(chosen, 0.0),
            others=tuple(sorted(each for each in others if each)),
            rule=rule,
        )
        return told, chosen

    def _count_misfits(self, edits: Edits) -> int:
        pair = self.compare_shape(edits)
        return len(fit_shape(*pair).findings) if pair is not None else 0

    def _describe(self, edits: Edits, residual: float) -> Explanation:
        ordered = sorted(edits, key=lambda each: each.start)
        return Explanation(
            obligations=self.homes(tuple(ordered)),
            edits=tuple(each.text for each in ordered),
            before=tuple(each.before for each in ordered),
            after=tuple(each.after for each in ordered),
            residual=residual,
            informed=any(each.informed for each in ordered),
        )


def _join(one: Edits, other: Edits) -> Edits:
    return tuple({each.id: each for each in (*one, *other)}.values())


def _choose_fullest(pairs: Mapping[str, tuple[Frame, Frame]]) -> str:
    """Choose the data set with most rows on both sides: there content says most. "" of none."""
    return max(pairs, key=lambda name: min(each.rows for each in pairs[name]), default="")

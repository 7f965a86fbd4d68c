"""Scores of an evaluator on sealed records, baselines, and exact paired tests (PAPERS A3.7 to A3.10)."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_lockin.studies.mechanisms.records import Answer, Label, Record

NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """How good an evaluator is on some records.

    Attributes:
        balanced: mean of sensitivity and specificity.
        macro_f1: mean F1 over the mechanisms that occur among labels, clean ones as one more.
        present: of violated records, the share whose mechanism is among the findings; `first`: is the first.
        obligation: the share whose obligation is that of the first finding.
    """

    records: int
    violated: int
    sensitivity: float
    specificity: float
    balanced: float
    macro_f1: float
    present: float
    first: float
    obligation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One run over some tasks: scores by half, and those of the baselines.

    Attributes:
        against_always: p-value on the held-out half of the exact paired test against always finding one.
        against_length: the same against suite length, its threshold fitted on the development half.
        missed: one line for each record that was not answered as labelled.
    """

    development: Scores
    held_out: Scores
    always: Scores
    length: Scores
    against_always: float
    against_length: float
    missed: tuple[str, ...] = ()


def render_benchmark(found: Benchmark) -> tuple[str, ...]:
    """Lay the scores out as a table, what was missed below it."""
    rows = {
        "development half": found.development,
        "held-out half": found.held_out,
        "always an issue": found.always,
        "suite length": found.length,
    }
    head = (
        f"{'':18}{'records':>8}{'balanced':>10}{'macro F1':>10}{'present':>9}{'first':>7}{'obligation':>12}"
    )
    lines = [
        f"{name:18}{each.records:8}{each.balanced:10.3f}{each.macro_f1:10.3f}"
        f"{each.present:9.3f}{each.first:7.3f}{each.obligation:12.3f}"
        for name, each in rows.items()
    ]
    against = (
        f"exact paired tests on the held-out half: p = {found.against_always:.2g} against always an issue, "
        f"{found.against_length:.2g} against length"
    )
    return (head, *lines, against, f"{len(found.missed)} missed", *(f"  {each}" for each in found.missed))


def score(labels: Mapping[str, Label], answers: Mapping[str, Answer]) -> Scores:
    """Score answers against labels, by record id; a record without an answer counts as found clean."""
    from pytest_lockin.studies.mechanisms.records import Answer

    pairs = [(label, answers.get(name, Answer())) for name, label in labels.items()]
    violated = [(label, answer) for label, answer in pairs if label.issue]
    clean = [answer for label, answer in pairs if not label.issue]
    sensitivity = _share([answer.issue for _, answer in violated])
    specificity = _share([not answer.issue for answer in clean])
    return Scores(
        records=len(pairs),
        violated=len(violated),
        sensitivity=sensitivity,
        specificity=specificity,
        balanced=(sensitivity + specificity) / 2,
        macro_f1=_macro_f1([(label.mechanism or NONE, _first(answer)) for label, answer in pairs]),
        present=_share([label.mechanism in {kind for _, kind in a.found} for label, a in violated]),
        first=_share([label.mechanism == _first(answer) for label, answer in violated]),
        obligation=_share([a.issue and label.obligation == a.found[0][0] for label, a in violated]),
    )


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 1.0


def _first(answer: Answer) -> str:
    return answer.found[0][1] if answer.found else NONE


def _macro_f1(pairs: Sequence[tuple[str, str]]) -> float:
    kinds = sorted({true for true, _ in pairs})
    return sum(_f1(pairs, kind) for kind in kinds) / len(kinds)


def _f1(pairs: Sequence[tuple[str, str]], kind: str) -> float:
    both = sum(true == said == kind for true, said in pairs)
    either = sum(true == kind for true, _ in pairs) + sum(said == kind for _, said in pairs)
    return 2 * both / either


def compare_exactly(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Give the two-sided exact binomial p-value over records that only one of two evaluators gets right."""
    only_first = sum(a and not b for a, b in zip(first, second, strict=True))
    only_second = sum(b and not a for a, b in zip(first, second, strict=True))
    discordant = only_first + only_second
    if not discordant:
        return 1.0
    tail = sum(comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return float(min(1.0, 2 * tail / 2**discordant))


def fit_length(records: Sequence[Record], labels: Mapping[str, Label]) -> int:
    """Fit the baseline that calls a record violated where its suite is shorter than a threshold."""
    lengths = sorted({measure_length(record) for record in records})
    candidates = [0, *(length + 1 for length in lengths)]

    def judge(threshold: int) -> float:
        said = [(labels[record.id].issue, measure_length(record) < threshold) for record in records]
        true = [hit for issue, hit in said if issue]
        false = [not hit for issue, hit in said if not issue]
        return _share(true) + _share(false)

    return max(candidates, key=judge)


def measure_length(record: Record) -> int:
    """Measure a suite: characters of what its cases assert."""
    return sum(len(repr(case.check)) for case in record.cases)

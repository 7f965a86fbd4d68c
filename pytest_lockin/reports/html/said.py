"""Words, shape and tone for each verdict and each outcome; the page says them everywhere the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.reports.html.element import Html, element
from pytest_lockin.reports.html.icons import icon
from pytest_lockin.reports.trials import WHY

if TYPE_CHECKING:
    from pytest_lockin.reports.document import Alternative


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """How one word of the report looks: in words, as a shape, in a tone (a class of the style sheet)."""

    words: str
    shape: str
    tone: str
    plural: str = ""

    def count(self, number: int) -> str:
        """`1 false pass`, `2 false passes`."""
        return f"{number} {self.words if number == 1 or not self.plural else self.plural}"


# Worst first.
VERDICTS: dict[str | None, Said] = {
    "false_pass": Said(words="false pass", plural="false passes", shape="cross", tone="bad"),
    "false_alarm": Said(words="false alarm", plural="false alarms", shape="alarm", tone="warn"),
    "unverified": Said(words="unverified", shape="question", tone="dim"),
    "true_fail": Said(words="true fail", plural="true fails", shape="bar", tone="cool"),
    "true_pass": Said(words="true pass", plural="true passes", shape="tick", tone="good"),
    None: Said(words="no reference", shape="question", tone="dim"),
}
OUTCOMES: dict[TrialOutcome, Said] = {
    TrialOutcome.UNREVEALED: Said(words=WHY[TrialOutcome.UNREVEALED], shape="triangle", tone="bad"),
    TrialOutcome.UNINFECTED: Said(words=WHY[TrialOutcome.UNINFECTED], shape="diamond", tone="warn"),
    TrialOutcome.UNREACHED: Said(words=WHY[TrialOutcome.UNREACHED], shape="circle", tone="note"),
    TrialOutcome.KILLED: Said(words="noticed", shape="tick", tone="good"),
    TrialOutcome.CRASHED: Said(words="crashed", shape="burst", tone="dim"),
    TrialOutcome.TIMED_OUT: Said(words="timed out", shape="bar", tone="dim"),
    TrialOutcome.HARNESS_ERROR: Said(words="no answer", shape="bar", tone="dim"),
    TrialOutcome.NOT_RUN: Said(words="not run", shape="bar", tone="dim"),
}
_STATES: dict[str, Said] = {
    "present": Said(words="present", shape="tick", tone="good"),
    "satisfied": Said(words="satisfied", shape="tick", tone="good"),
    "covered": Said(words="covered", shape="tick", tone="good"),
    "partial": Said(words="in part", shape="diamond", tone="warn"),
    "absent": Said(words="absent", shape="circle", tone="dim"),
    "contradicted": Said(words="contradicted", shape="cross", tone="bad"),
    "violated": Said(words="violated", shape="cross", tone="bad"),
    "not_covered": Said(words="not covered", shape="triangle", tone="bad"),
    "no_plan": Said(words="no plan", shape="bar", tone="dim"),
    "unknown": Said(words="unknown", shape="bar", tone="dim"),
}


def badge(said: Said, *, words: str = "", strong: bool = False) -> Html:
    """A word with its shape, in its tone."""
    return element(
        "span",
        icon(said.shape),
        words or said.words,
        class_=f"badge {said.tone}{' strong' if strong else ''}",
    )


def badge_verdict(verdict: str | None, *, strong: bool = False) -> Html:
    """The verdict."""
    return badge(VERDICTS[verdict], strong=strong)


def badge_state(state: str) -> Html:
    """What plan, code or tests do about an obligation."""
    return badge(_STATES[state])


def say_standing(each: Alternative) -> str:
    """Why its outcome says nothing of the tests, or "" where it does."""
    if each.waived:
        return f"waived: {each.waived}"
    if each.right_making:
        return "not wrong: it agrees with the reference"
    if each.equivalent:
        return "equivalent: the engine plans the same program"
    return "undecided: no fixture tells it from the original" if each.undecided else ""


def spell(word: str) -> str:
    """A word of the JSON report, read aloud: `self_confirming_omission`."""
    return word.replace("_", " ")

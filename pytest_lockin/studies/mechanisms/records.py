"""Records of the benchmark: what the evaluator is given, and apart from it what is true."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import yaml

from pytest_lockin.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Stands in every file of labels, and must be in nothing the evaluator is given or gives.
CANARY = "sealed-label-5b1f0d"
Cells = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What one case asserts of a result.

    Attributes:
        kind: `rows` (exactly these, in any order), `names` (of the columns), `at_least` and `at_most` (so
            many rows), `filled` (no NULL in these columns).
        number: for the counts; `names`: for names and filled; `rows`: cells as text.
    """

    kind: str
    number: int = 0
    names: tuple[str, ...] = ()
    rows: Cells = ()

    def holds(self, names: tuple[str, ...], rows: Cells) -> bool:
        """Whether a result passes."""
        return _CHECKS[self.kind](self, names, rows)


def _filled(check: Check, names: tuple[str, ...], rows: Cells) -> bool:
    if not set(check.names) <= set(names):
        return False
    places = [names.index(name) for name in check.names]
    return all(row[place] != NULL for row in rows for place in places)


NULL = "NULL"
_CHECKS: dict[str, Callable[[Check, tuple[str, ...], Cells], bool]] = {
    "rows": lambda check, _, rows: sorted(check.rows) == sorted(rows),
    "names": lambda check, names, _: check.names == names,
    "at_least": lambda check, _, rows: len(rows) >= check.number,
    "at_most": lambda check, _, rows: len(rows) <= check.number,
    "filled": _filled,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSpec:
    """One case: the small database it runs the program on, and what it asserts."""

    name: str
    dataset: int
    check: Check


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What the evaluator is given: a program, its plan and its suite. `id` says nothing of the label."""

    task: str
    program: str
    plan: str
    cases: tuple[CaseSpec, ...]

    @property
    def id(self) -> str:
        """Hash of the content."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What is true of a record: which obligation is violated, why nobody noticed; "" for a clean one."""

    obligation: str = ""
    mechanism: str = ""

    @property
    def issue(self) -> bool:
        """Whether there is anything to find."""
        return bool(self.obligation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the evaluator says of a record: obligations with mechanisms, the primary one first."""

    found: tuple[tuple[str, str], ...] = ()

    @property
    def issue(self) -> bool:
        """Whether anything was found."""
        return bool(self.found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Misreading:
    """A piece of a statement read as another one, and the obligation that breaks."""

    obligation: str
    was: str
    became: str
    name: bool = False

    def apply(self, statement: str) -> str:
        """Put the misreading into a statement (white space counts once).

        Raises:
            StudyError: the piece does not stand there.
        """
        text = " ".join(line for line in statement.splitlines() if not line.startswith("--"))
        text = " ".join(text.split()).replace("( ", "(").replace(" )", ")")
        if self.was not in text:
            raise StudyError(
                expected=f"`{self.was}` in the statement",
                found=f"{text[:60]}...",
                hint="correct studies/mechanisms/misreadings.yaml",
            )
        return text.replace(self.was, self.became)


@cache
def load_misreadings() -> dict[str, tuple[Misreading, ...]]:
    """Load the misreadings written down for each task."""
    text = resources.files(__package__).joinpath("misreadings.yaml").read_text(encoding="utf-8")
    return {task: tuple(Misreading(**each) for each in found) for task, found in yaml.safe_load(text).items()}


def list_tasks(named: Sequence[str] = ()) -> tuple[str, ...]:
    """List the tasks that misreadings are written down for; only those named, where any are.

    Raises:
        StudyError: one of those named has none.
    """
    known = load_misreadings()
    unknown = [each for each in named if each not in known]
    if unknown:
        raise StudyError(
            expected=f"tasks with misreadings: {', '.join(known)}",
            found=", ".join(unknown),
            hint="name some of these, or none for all",
        )
    return tuple(named) or tuple(known)


def split_tasks(tasks: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split tasks in half, development and held out: every second one in order."""
    ordered = tuple(sorted(tasks))
    return ordered[::2], ordered[1::2]

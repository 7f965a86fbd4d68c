"""Places of the page that a link can name, each once: `q04`, `q04-O3`; `q04~2` for a second suite of q04."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.reports.document import Document, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAnchors:
    """The places of one suite: its own, and those of its obligations in their order.

    Other places are named with a colon, which is in none of these.
    """

    task: str
    obligations: tuple[str, ...]

    def part(self, name: str) -> str:
        """A part of the suite's section: `q04:program`."""
        return f"{self.task}:{name}"

    def alternative(self, identity: str) -> str:
        """Where an alternative stands in the program."""
        return self.part(f"a:{_plain(identity)}")


def name_places(document: Document) -> tuple[TaskAnchors, ...]:
    """The anchors of each suite of the document; no two are the same.

    Suites come before obligations, so that a suite's own name is there as far as it can be.
    """
    taken: set[str] = set()
    tasks = [_take(task.id or "suite", taken) for task in document.tasks]
    return tuple(
        TaskAnchors(task=name, obligations=tuple(_obligations(task, name, taken)))
        for name, task in zip(tasks, document.tasks, strict=True)
    )


def _obligations(task: Task, name: str, taken: set[str]) -> Iterator[str]:
    return (_take(f"{name}-{each.id}", taken) for each in task.obligations)


def _take(wanted: str, taken: set[str]) -> str:
    base = _plain(wanted)
    number, name = 1, base
    while name in taken:
        number += 1
        name = f"{base}~{number}"
    taken.add(name)
    return name


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.~-]+", "-", name)

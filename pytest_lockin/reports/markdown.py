"""A report as Markdown, for a comment on a pull request: the verdicts, what is broken, and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.model.fixture import ShownTable
    from pytest_lockin.reports.document import Document, Obligation, Task

_WORDS = {
    "false_pass": "**false pass**",
    "true_pass": "true pass",
    "true_fail": "true fail",
    "false_alarm": "**false alarm**",
    "unverified": "**unverified**",
    None: "no reference",
}
_WORST_FIRST = ("false_pass", "false_alarm", "unverified", "true_fail", "true_pass", None)
_ROWS_SHOWN = 6


def render_markdown(document: Document) -> str:
    """The whole comment; GitHub's flavour."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: Document) -> Iterator[str]:
    gate = document.gate
    yield f"### lockin gate: {'passed' if gate.passed else 'failed'}"
    yield ""
    if gate.reasons:
        yield from (f"- {escape(reason)}" for reason in gate.reasons)
        yield ""
    if gate.allowed:
        yield from (f"- allowed: {escape(each)}" for each in gate.allowed)
        yield ""
    if document.tasks:
        yield "| suite | tests | verdict | obligations checked | alternatives noticed |"
        yield "| --- | --- | --- | --- | --- |"
    tasks = sorted(document.tasks, key=lambda task: _WORST_FIRST.index(task.verdict))
    yield from (_row(task) for task in tasks)
    for task in tasks:
        yield from _details(task)
    yield ""
    yield f"<sub>pytest-lockin {escape(document.version)}, engine {escape(document.engine)}</sub>"


def _row(task: Task) -> str:
    checked, known = task.checked
    trials = task.trials
    decided = trials.counts.decided if trials is not None else 0
    noticed = f"{trials.counts.killed} of {decided}" if trials is not None and decided else ""
    cells = (
        f"`{task.suite}`",
        f"{task.tests.passed} passed" + (f", {task.tests.failed} failed" if task.tests.failed else ""),
        _WORDS[task.verdict] + (f": {escape(task.reason)}" if task.reason else ""),
        f"{checked} of {known}" if known else "",
        noticed,
    )
    return f"| {' | '.join(cells)} |"


def _details(task: Task) -> Iterator[str]:
    violated = [each for each in task.obligations if each.code == "violated"]
    witness = task.witness
    differences = task.agreement.differences if task.agreement and not task.agreement.agrees else ()
    if not (violated or witness or differences):
        return
    yield ""
    yield f"<details><summary>{escape(task.suite)}: what is wrong, and what no test noticed</summary>"
    yield ""
    for difference in differences:
        yield f"- {escape(difference.text)}"
    for each in violated:
        yield from _obligation(each)
    if witness is not None:
        yield ""
        yield "The smallest input known to show it:" if witness.shrunk else "An input that shows it:"
        for table in (*witness.inputs, witness.expected, *((witness.found,) if witness.found else ())):
            yield from _table(table)
        if witness.raised:
            yield f"The program raised {escape(witness.raised)}"
    yield ""
    yield "</details>"


def _obligation(each: Obligation) -> Iterator[str]:
    wrong = "; ".join(dict.fromkeys(each.evidence.wrong)) or each.text
    yield f"- **{escape(each.id)}** ({escape(each.kind)}): {escape(wrong)}"
    if each.mechanism:
        yield f"  - unnoticed by {escape(each.mechanism.replace('_', ' '))}"
    if each.advice:
        yield f"  - to do: {escape(each.advice)}"


def _table(table: ShownTable) -> Iterator[str]:
    yield ""
    yield f"`{table.name}`" if table.rows else f"`{table.name}`: no rows"
    if not table.rows or not table.columns:
        return
    yield ""
    yield f"| {' | '.join(escape(name) for name in table.columns)} |"
    yield f"|{' --- |' * len(table.columns)}"
    yield from (f"| {' | '.join(escape(cell) for cell in row)} |" for row in table.rows[:_ROWS_SHOWN])
    left = len(table.rows) - _ROWS_SHOWN
    if left > 0:
        yield ""
        yield f"and {left} more"


def escape(text: str) -> str:
    """The text as itself: nothing of a program or its data becomes markup, a mention or a second line."""
    text = re.sub(r"[\\`*_{}\[\]<>#+!|~@&-]", lambda found: "\\" + found.group(), text)
    # A backslash does not keep GitHub from reading @name as a mention; a zero-width joint does.
    return " ".join(text.replace("\\@", "@\u200b").split())

"""The `lockin` section of pytest's terminal output, as lines with markup; worst first."""

from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_lockin.frames.rendering import render_differences
from pytest_lockin.frames.showing import clip
from pytest_lockin.model.report import VerdictKind
from pytest_lockin.reports.fixtures import say_fixtures, show_witness, summarise_witness
from pytest_lockin.reports.isolation import say_isolation
from pytest_lockin.reports.obligations import say_unchecked, say_violated
from pytest_lockin.reports.trials import say_details, say_trials
from pytest_lockin.reports.words import count, count_verdicts, say_verdict, summarise_agreement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_lockin.model.agreement import Agreement
    from pytest_lockin.model.report import Report, TaskReport, TestCounts

_WORST_FIRST = (
    VerdictKind.FALSE_PASS,
    VerdictKind.UNVERIFIED,
    VerdictKind.FALSE_ALARM,
    VerdictKind.TRUE_FAIL,
    VerdictKind.TRUE_PASS,
    None,
)
_COLOUR = {
    VerdictKind.FALSE_PASS: "red",
    VerdictKind.UNVERIFIED: "yellow",
    VerdictKind.FALSE_ALARM: "yellow",
    VerdictKind.TRUE_FAIL: "yellow",
    VerdictKind.TRUE_PASS: "green",
}
_MOST_LINES = 12
_MOST_DIFFERENCES = 8
_MOST_NAMES = 3
_NARROWEST = 20
# Narrower than this, a column of text beside the task line is harder to read than lines below it.
_LEAST_TEXT = 40
_INDENT = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line and its markup (`red`, `bold`, ... as pytest's terminal writer takes them)."""

    text: str
    markup: dict[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """How much room there is, and how much of it the reader wants filled.

    `folder` and `tests` are the widths of a task line's first two columns.
    """

    width: int
    verbosity: int
    folder: int = 0
    tests: int = 0

    @property
    def verbose(self) -> bool:
        return self.verbosity > 0

    def name(self, names: Sequence[str]) -> str:
        """List names, all of them only where the reader asked for all."""
        shown = names if self.verbose else names[:_MOST_NAMES]
        more = len(names) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more else "")


def render_terminal(
    report: Report, *, width: int = 80, verbosity: int = 0, extra: Sequence[str] = ()
) -> tuple[Line, ...]:
    """Lay the report out: the tasks, worst first, then sums, then the gate.

    A task takes at most twelve lines unless verbose, and one when quiet (`-q`). No line is wider than
    `width`, but for a path or another word that cannot be broken. `extra` lines are others' and are taken
    as they are.
    """
    tasks = sorted(report.tasks, key=lambda task: (_WORST_FIRST.index(task.verdict), task.suite))
    names = _name_suites(tasks)
    page = _make_page(tasks, names, max(width, _NARROWEST), verbosity)
    lines = [line for task in tasks for line in _render_task(task, names[task.suite], report, page)]
    lines += _plain(_render_listed(report, page), page)
    lines += _plain(filter(None, (*report.notes, say_isolation(report.isolation))), page)
    lines += [Line(text=text) for text in extra]
    if tasks:
        lines.append(Line(text="-" * page.width))
        lines += _plain([_sums(report)], page)
    return (*lines, *_render_gate(report, page))


def _name_suites(tasks: Sequence[TaskReport]) -> dict[str, str]:
    """A suite goes by its folder, or by its whole path where a folder holds several."""
    folders = Counter(task.suite.rpartition("/")[0] for task in tasks)
    names = {}
    for task in tasks:
        folder = task.suite.rpartition("/")[0]
        names[task.suite] = task.suite if folders[folder] > 1 else folder or task.id
    return names


def _make_page(tasks: Sequence[TaskReport], names: dict[str, str], width: int, verbosity: int) -> _Page:
    # One long path must not push every verdict off the screen: it sticks out of its column instead.
    longest = max((len(name) for name in names.values()), default=0)
    tests = max((len(_tests(task.tests)) for task in tasks), default=0)
    return _Page(
        width=width, verbosity=verbosity, folder=min(longest, width // 3), tests=min(tests, width // 4)
    )


def _tests(tests: TestCounts) -> str:
    named = (
        (tests.passed, "passed"),
        (tests.failed, "failed"),
        (tests.errors, "error" if tests.errors == 1 else "errors"),
        (tests.skipped, "skipped"),
        (tests.flaky, "flaky"),
    )
    return ", ".join(f"{number} {word}" for number, word in named if number) or "no cases"


def _render_task(task: TaskReport, name: str, report: Report, page: _Page) -> list[Line]:
    lines = _render_head(task, name, report, page)
    if page.verbosity < 0:
        return lines
    details = [*_reference_details(task, page), *_suite_details(task, report, page)]
    lines += [Line(text=text) for text in details]
    if page.verbose or len(lines) <= _MOST_LINES:
        return lines
    hidden = len(lines) - _MOST_LINES + 1
    return [*lines[: _MOST_LINES - 1], Line(text=f"{_INDENT}... {hidden} more lines (-v)")]


def _render_head(task: TaskReport, name: str, report: Report, page: _Page) -> list[Line]:
    word = say_verdict(task.verdict).upper() if task.verdict else "EXAMINED"
    if task.partial:
        word = "PARTIAL"
    if task.unchanged:
        word = "UNCHANGED"
    markup = {_COLOUR[task.verdict]: True} if task.verdict and not task.partial else {}
    left = f"{name:<{page.folder}}  {_tests(task.tests):<{page.tests}}  {word:<10}  "
    return [Line(text=text, markup=markup) for text in _wrap(left, _why(task, report), page.width)]


def _why(task: TaskReport, report: Report) -> str:
    if task.unchanged:
        return f"since {task.unchanged}: not examined"
    if task.partial:
        return f"{task.partial} ran: no verdict"
    if task.verdict is VerdictKind.UNVERIFIED:
        return task.reason
    if task.agreement is not None:
        return _say_agreement(task, task.agreement) + (f" ({task.reason})" if task.reason else "")
    if not report.with_references:
        calls = f"{count(task.observed_calls, 'call')} of the entry point recorded"
        return task.reason or f"{calls}; no reference, no verdict"
    return task.reason


def _say_agreement(task: TaskReport, agreement: Agreement) -> str:
    words = summarise_agreement(agreement)
    if not agreement.agrees:
        return words
    accusing = task.accusing
    if accusing:
        others = f" and {len(accusing) - 1} more" if len(accusing) > 1 else ""
        return f"right on the data, wrong on fixture {accusing[0].name}{others}"
    agreeing = [each for each in task.fixtures if each.agreement is not None and each.agreement.agrees]
    asked = sum(not each.post_hoc for each in agreeing)
    return f"{words} on the data and on {count(asked, 'fixture')}" if asked else words


def _reference_details(task: TaskReport, page: _Page) -> list[str]:
    agreement = task.agreement
    if agreement is None or task.partial or task.verdict is VerdictKind.UNVERIFIED:
        return []
    lines = _indent(say_violated(task.obligations, verbose=page.verbose), page)
    if not agreement.agrees:
        shown = render_differences(agreement.differences, width=page.width - len(_INDENT))
        lines += [_INDENT + line for line in _shorten(shown, page)]
    lines += _indent(say_fixtures(task.fixtures, verbose=page.verbose), page)
    witness = next((each.witness for each in task.fixtures if each.witness), None)
    if witness is not None and (agreement.agrees or page.verbose):
        lines += [
            clip(2 * _INDENT + line, page.width) for line in show_witness(witness, verbose=page.verbose)
        ]
    elif witness is not None:
        lines += _indent([summarise_witness(witness)], page)
    words = [*(agreement.notes if page.verbose or agreement.agrees else ()), *_say_fidelity(task, page)]
    return [*lines, *_indent(words, page)]


def _shorten(shown: Sequence[str], page: _Page) -> Sequence[str]:
    if page.verbose or len(shown) <= _MOST_DIFFERENCES:
        return shown
    hidden = len(shown) - _MOST_DIFFERENCES + 1
    return [*shown[: _MOST_DIFFERENCES - 1], f"... {hidden} more lines (-v)"]


def _say_fidelity(task: TaskReport, page: _Page) -> Iterable[str]:
    fidelity = task.fidelity
    rejecting = fidelity.cases_rejecting
    if rejecting:
        verb = "contradicts" if len(rejecting) == 1 else "contradict"
        names = page.name([_short(case_id) for case_id in rejecting])
        yield f"{count(len(rejecting), 'case')} {verb} the reference: {names}"
    elif fidelity.accepts_reference and task.agreement and not task.agreement.agrees:
        yield "every case accepts the reference too: no case checks what differs"
    if fidelity.completed and page.verbose:
        yield "completed with NULLs for the reference: " + ", ".join(fidelity.completed)
    if fidelity.reason and page.verbose:
        yield f"the reference could not be tried in the suite: {fidelity.reason}"


def _suite_details(task: TaskReport, report: Report, page: _Page) -> list[str]:
    return _indent(_say_suite(task, report, page), page)


def _say_suite(task: TaskReport, report: Report, page: _Page) -> Iterable[str]:
    if task.moved:
        yield f"runs on Spark: {task.moved}"
    for case_id in task.red_on_judge:
        yield f"{_short(case_id)} passes on Sail and fails on Spark: counted as failed"
    if task.flaky:
        yield f"flaky, judged no further: {page.name([_short(case_id) for case_id in task.flaky])}"
    yield from task.notes
    if not task.partial:
        yield from say_unchecked(task.obligations, verbose=page.verbose)
    if task.trials is not None and not task.partial:
        yield say_trials(task.trials)
        yield from say_details(task.trials, verbose=page.verbose)
    judged = task.verdict not in (None, VerdictKind.UNVERIFIED)
    if report.with_references and judged and not task.confirmed:
        yield "not confirmed on Spark"
    if page.verbose and task.engine_version:
        references = f"; references: {', '.join(task.references)}" if task.references else ""
        yield f"task {task.id} on {task.engine_version}{references}"


def _short(case_id: str) -> str:
    names = case_id.partition("::")[2]
    # A parameter's own text may hold colons.
    name, bracket, parameters = names.partition("[")
    return name.rpartition("::")[2] + bracket + parameters or case_id


def _render_listed(report: Report, page: _Page) -> list[str]:
    if not report.listed:
        return []
    where = "task.yaml or a folder under the references"
    return [f"run as ordinary tests, no task found ({where}): {page.name(report.listed)}"]


def _sums(report: Report) -> str:
    if not report.with_references:
        suites = count(len(report.tasks), "suite")
        return f"{suites} examined; give --lockin-reference DIR for a verdict"
    counted = Counter(task.verdict for task in report.tasks if not task.partial and task.verdict)
    words = [count_verdicts(kind, counted[kind]) for kind in _WORST_FIRST if kind and counted[kind]]
    partial = sum(1 for task in report.tasks if task.partial)
    if partial:
        words.append(f"{partial} partial")
    unchanged = sum(1 for task in report.tasks if task.unchanged)
    if unchanged:
        words.append(f"{unchanged} unchanged")
    return f"{', '.join(words)}; {_say_confirmed(report)}"


def _say_confirmed(report: Report) -> str:
    judged = [task for task in report.tasks if task.agreement is not None]
    confirmed = sum(1 for task in judged if task.confirmed)
    took = f"{report.seconds:.0f} s" if report.seconds >= 1 else "under 1 s"
    if not judged:
        return f"nothing judged in {took}"
    if confirmed == len(judged):
        return f"confirmed on Spark in {took}"
    if confirmed:
        return f"{confirmed} of {len(judged)} confirmed on Spark in {took}"
    return "not confirmed on Spark" + ("" if report.java else " (no Java)") + f"; {took}"


def _render_gate(report: Report, page: _Page) -> list[Line]:
    gate = report.gate
    allowed = [f"allowed {each}" for each in gate.allowed]
    if gate.passed:
        left, words, markup = "lockin gate: passed", allowed, {"green": True}
    else:
        left, words, markup = "lockin gate: FAILED", [*gate.reasons, *allowed], {"red": True, "bold": True}
    return [Line(text=text, markup=markup) for text in _wrap(f"{left}  ", "; ".join(words), page.width)]


def _plain(texts: Iterable[str], page: _Page) -> list[Line]:
    return [Line(text=line) for text in texts for line in _wrap("", text, page.width, hang=len(_INDENT))]


def _indent(texts: Iterable[str], page: _Page) -> list[str]:
    return [line for text in texts for line in _wrap(_INDENT, text, page.width, hang=2 * len(_INDENT))]


def _wrap(left: str, text: str, width: int, *, hang: int | None = None) -> list[str]:
    """Put text behind `left`, on as many lines as it takes; they stand below its start where there is room.

    Nothing is cut: a word wider than the page sticks out.
    """
    text = _printable(text)
    if not text:
        return _fold(left, width)
    if hang is None:
        hang = len(left) if width - len(left) >= _LEAST_TEXT else 2 * len(_INDENT)
    head: list[str] = []
    first = left
    if left.strip() and len(left) + len(text.split(maxsplit=1)[0]) > width:
        head, first = _fold(left, width), " " * hang
    return head + textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _fold(left: str, width: int) -> list[str]:
    """The task line's columns on their own; on a narrow page they take a second line."""
    return textwrap.wrap(
        left.rstrip(),
        width,
        subsequent_indent=2 * _INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _printable(text: str) -> str:
    """User code's words on one line; what could steer a terminal is spelled out."""
    words = " ".join(text.split())
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in words)

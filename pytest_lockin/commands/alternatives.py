"""`lockin show` and `lockin replay`: one alternative of a report, read and run again."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import AlternativeNotFoundError
from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.reports.document import read_document

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_lockin.reports.document import Alternative, Document, Task

DEFAULT_REPORT = Path("lockin.json")
_MEANS = {
    TrialOutcome.UNREACHED: "no case runs what was changed",
    TrialOutcome.UNINFECTED: "every output the cases look at is the same: their rows cannot show it",
    TrialOutcome.UNREVEALED: "some output differs, and every case still passes: the asserts do not look",
    TrialOutcome.CRASHED: "the program itself failed: says nothing of the asserts",
    TrialOutcome.KILLED: "a case that passes on the original fails",
    TrialOutcome.TIMED_OUT: "it took too long: no answer",
    TrialOutcome.HARNESS_ERROR: "it could not be put in place or run: no answer",
    TrialOutcome.NOT_RUN: "the time was spent before its turn",
}
# What a folder's own caches hold is no part of a suite.
_SKIPPED = shutil.ignore_patterns("__pycache__", ".pytest_cache", "*.pyc", ".git", ".venv")
_HUNK = re.compile(r"@@ -(?P<start>\d+)")
_SETTINGS = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "conftest.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    task: Task
    alternative: Alternative


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the alternative and the report it stands in."""
    parser.add_argument("alternative", help="its id, or the first characters of it")
    parser.add_argument(
        "--report", type=Path, default=DEFAULT_REPORT, help=f"a JSON report (default: {DEFAULT_REPORT})"
    )


def add_replay_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `show`, the root folder, and what pytest is told."""
    add_options(parser)
    parser.add_argument("--root", type=Path, default=Path(), help="pytest's root folder (default: this one)")
    parser.add_argument("arguments", nargs="*", help="after `--`: arguments for pytest, such as -vv")


def show(arguments: argparse.Namespace) -> int:
    """Print an alternative: what it changes, how it fared and what that means.

    Raises:
        LockinError: the report cannot be read, or it holds no such alternative.
    """
    found = _find(read_document(arguments.report), arguments.alternative)
    for line in _say(found):
        print(line)
    return 0


def _say(found: _Found) -> Iterator[str]:
    each = found.alternative
    yield f"{each.id}  {each.text}"
    yield f"{found.task.suite}: {each.module} line {each.line}; operator {each.operator}" + (
        f", breaks a {each.kind} obligation" if each.kind else ""
    )
    yield f"{each.outcome}: {_MEANS[each.outcome]}" + (f" ({each.detail})" if each.detail else "")
    yield from _say_standing(each)
    if each.kill is not None:
        yield f"noticed by {each.kill.case_id}: {each.kill.type}: {each.kill.message}".rstrip(": ")
    if len(each.killers) > 1:
        yield f"noticed by {len(each.killers)} cases: {', '.join(each.killers)}"
    serving = [one for one in found.task.obligations if each.kind and one.kind == each.kind]
    if each.survived and serving:
        yield "obligations of that kind: " + ", ".join(f"{one.id} ({one.tests})" for one in serving)
    yield ""
    yield each.diff.rstrip()


def _say_standing(each: Alternative) -> Iterator[str]:
    """What there is to say beside the outcome."""
    if each.right_making:
        yield "it agrees with the reference: a case that notices it is wrong, and it never scores"
    if each.equivalent:
        yield "the engine plans the same for it: no other program"
    if each.undecided:
        yield "no fixture tells it from the program: it says nothing of the tests"
    if each.waived:
        yield f"waived: {each.waived}"
    by = "Spark has confirmed it" if each.confirmed else "not confirmed on Spark"
    yield f"on {each.engine or 'no engine'}; {by}"


def replay(arguments: argparse.Namespace) -> int:
    """Run the suite with the alternative in the program's place, with pytest's own output.

    The suite's folder is copied; the copy runs under `pytest --lockin`, and so in the same sandbox. Exit
    status 0 where it ends as the report says (a case fails, or none does), 1 where it ends otherwise.

    Raises:
        LockinError: the report cannot be read, holds no such alternative, or the program has changed since.
    """
    document = read_document(arguments.report)
    found = _find(document, arguments.alternative)
    with tempfile.TemporaryDirectory(prefix="lockin-replay-") as folder:
        root = Path(folder).resolve()
        suite = _stage(found, arguments.root.resolve(), root)
        engine = found.alternative.engine or found.task.engine or "sail"
        command = [
            *(sys.executable, "-m", "pytest", str(suite), "--rootdir", str(root)),
            *("-p", "no:cacheprovider", "-p", "no:randomly"),
            *("--lockin", "--lockin-trials", "off", "--lockin-engine", engine),
            *("-o", f"lockin_tasks=* = {found.task.id}", "-o", f"lockin_suites={suite.name}"),
            *arguments.arguments,
        ]
        status = subprocess.run(command, cwd=root, check=False).returncode
    return _compare(found.alternative, status)


def _compare(each: Alternative, status: int) -> int:
    ended = {0: "every case passed", 1: "a case failed"}.get(status, f"pytest ended with status {status}")
    if each.outcome in (TrialOutcome.KILLED, TrialOutcome.CRASHED):
        expected = 1
    elif each.survived:
        expected = 0
    else:
        print(f"replay: {ended}; the report has no answer for it ({each.outcome})")
        return 0
    same = status == expected
    print(f"replay: {ended}, {'as' if same else 'other than'} the report says ({each.outcome})")
    return 0 if same else 1


def _stage(found: _Found, project: Path, root: Path) -> Path:
    """Copy the suite's folder and the settings above it; put the alternative in; give the suite's path."""
    suite = Path(found.task.suite)
    source = project / suite
    if not source.is_file():
        raise _not_found(f"the suite {found.task.suite} below {project}", "no such file", "give --root")
    shutil.copytree(source.parent, root / suite.parent, ignore=_SKIPPED, dirs_exist_ok=True)
    for folder in suite.parents[1:] if suite.parent != Path() else ():
        for name in _SETTINGS:
            if (project / folder / name).is_file():
                shutil.copy2(project / folder / name, root / folder / name)
    _apply(found, project, root)
    return root / suite


def _apply(found: _Found, project: Path, root: Path) -> None:
    each = found.alternative
    file = next((one for one in found.task.program if one.module == each.module), None)
    if file is None:
        raise _not_found(
            f"the text of {each.module} in the report", "it is not there", "make the report anew"
        )
    path = project / file.path
    if not path.is_file() or path.read_text(encoding="utf-8") != file.text:
        raise _not_found(
            f"{file.path} as it was when the report was made",
            "it is another now",
            "run pytest again with --lockin-json, then replay from that report",
        )
    if not (root / file.path).is_file():
        _copy_elsewhere(project, root, Path(file.path))
    (root / file.path).write_text(edit(file.text, each), encoding="utf-8")


def _copy_elsewhere(project: Path, root: Path, file: Path) -> None:
    """Copy a program that does not lie beside its suite, with what it may import: its folder in the root."""
    top = file.parts[0]
    if len(file.parts) > 1:
        shutil.copytree(project / top, root / top, ignore=_SKIPPED, dirs_exist_ok=True)
    else:
        shutil.copy2(project / file, root / file)


def edit(text: str, each: Alternative) -> str:
    """The program's text with the alternative's diff applied.

    Raises:
        AlternativeNotFoundError: a line that the diff begins from is not there.
    """
    ending = "\r\n" if "\r\n" in text else "\n"
    old = text.splitlines()
    new: list[str] = []
    at = 0
    # The first two lines name the file.
    for line in each.diff.splitlines()[2:]:
        hunk = _HUNK.match(line)
        if hunk:
            start = int(hunk["start"]) - 1
            new += old[at:start]
            at = start
        elif line[:1] in (" ", "-"):
            if at >= len(old) or old[at] != line[1:]:
                raise _not_found(
                    f"`{line[1:].strip()}` at {each.module} line {at + 1}",
                    f"`{old[at].strip()}`" if at < len(old) else "the end of the file",
                    "make the report anew with this version of pytest-lockin",
                )
            new += [line[1:]] if line[0] == " " else []
            at += 1
        elif line[:1] == "+":
            new.append(line[1:])
    return ending.join([*new, *old[at:]]) + ending


def _find(document: Document, name: str) -> _Found:
    found = [
        _Found(task=task, alternative=each)
        for task in document.tasks
        for each in (task.trials.alternatives if task.trials is not None else ())
        if each.id.startswith(name)
    ]
    exact = [each for each in found if each.alternative.id == name]
    chosen = exact or found
    if len(chosen) == 1 and name:
        return chosen[0]
    ids = ", ".join(each.alternative.id for each in chosen[:5])
    raise _not_found(
        "the id of one alternative of the report",
        f"`{name}`, which fits {len(chosen)}" + (f" ({ids}...)" if len(chosen) > 1 else ""),
        "`pytest -v` and the reports name them",
    )


def _not_found(expected: str, found: str, hint: str) -> AlternativeNotFoundError:
    return AlternativeNotFoundError(expected=expected, found=found, hint=hint)

"""What `lockin init` would write into a repository, given what was found in it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_lockin.adopt import precommit
from pytest_lockin.adopt.base import AdoptError, Change, Plan
from pytest_lockin.adopt.settingsfile import add_lines, find_settings
from pytest_lockin.adopt.shipped import read_template, read_text, write_workflow
from pytest_lockin.settings import DEFAULT_SUITES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pytest_lockin.adopt.look import Found, Tested
    from pytest_lockin.adopt.settingsfile import SettingsFile

WORKFLOW = ".github/workflows/lockin.yml"
_MOST_NAMED = 5


def plan_adoption(found: Found) -> Plan:
    """Plan what to add; files that are there are added to or left alone, never rewritten.

    Raises:
        AdoptError: there is no PySpark job in the repository, or a settings file cannot be added to.
    """
    if not found.jobs:
        raise AdoptError(
            expected=f"a PySpark function that takes and gives DataFrames in {found.root}",
            found="none" + (f"; not parsed: {_name(found.unreadable)}" if found.unreadable else ""),
            hint="parameters annotated `DataFrame`, and (spark, tables), are seen; run it in the root",
        )
    settings = find_settings(found.root)
    suites = [each for each in found.tested if len(each.entry_points) == 1]
    made = [
        *_settings_change(found, settings, suites),
        *_conftest(found),
        *_new(found, "refs/README.md", read_text("refs.md")),
        *_new(found, "refs/.gitignore", read_text("gitignore")),
        *_workflow(found, suites),
        *_hook(found),
    ]
    return Plan(
        changes=tuple(each for each in made if isinstance(each, Change)),
        notes=(
            *_count(found),
            *_several(found),
            *_share(found, suites),
            *(each for each in made if isinstance(each, str)),
        ),
        commands=tuple(_next(found, suites, settings)),
    )


def suite_lines(
    suite: str, entry_point: str, task: str, settings: SettingsFile
) -> dict[str, tuple[str, ...]]:
    """Give the lines of pytest's settings that make a test file a suite, less what they say already."""
    wanted: dict[str, tuple[str, ...]] = {}
    patterns = settings.lines("lockin_suites") or DEFAULT_SUITES
    if not any(PurePosixPath(suite).match(pattern) for pattern in patterns):
        kept = () if settings.lines("lockin_suites") else DEFAULT_SUITES
        wanted["lockin_suites"] = (*kept, suite)
    if not named_task(suite, settings):
        wanted["lockin_tasks"] = (f"{suite} = {task}",)
    if not any(line.partition("=")[0].strip() == suite for line in settings.lines("lockin_entry_points")):
        wanted["lockin_entry_points"] = (f"{suite} = {entry_point}",)
    return wanted


def named_task(suite: str, settings: SettingsFile) -> str:
    """Give the task that the settings name for just this file; "" where they name none."""
    pairs = (line.partition("=") for line in settings.lines("lockin_tasks"))
    return next((task.strip() for pattern, _, task in pairs if pattern.strip() == suite), "")


def exposed_lines(root: Path, suite: str, entry_point: str) -> dict[str, tuple[str, ...]]:
    """Give the line that lets a suite see its program's folder in the sandbox, where it takes one.

    Of the root folder the sandbox shows modules and packages; a folder without `__init__.py` looks like data.
    """
    module = entry_point.rpartition(":")[0]
    top, dot, _ = module.partition(".")
    folder = root / top
    if not dot or not folder.is_dir() or (folder / "__init__.py").exists():
        return {}
    return {} if PurePosixPath(suite).is_relative_to(top) else {"lockin_expose": (top,)}


def merge_lines(parts: Iterable[Mapping[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    """Put the lines of several together, each once."""
    merged: dict[str, tuple[str, ...]] = {}
    for part in parts:
        for key, lines in part.items():
            merged[key] = tuple(dict.fromkeys((*merged.get(key, ()), *lines)))
    return merged


def _settings_change(found: Found, settings: SettingsFile, suites: list[Tested]) -> Iterator[Change | str]:
    parts: list[dict[str, tuple[str, ...]]] = []
    for suite in suites:
        lines = suite_lines(suite.path, suite.entry_points[0], _task_id(suite), settings)
        if _has_task(found.root, suite.path):
            # It says which task that is, and with which entry point.
            lines = {key: lines[key] for key in lines.keys() & {"lockin_suites"}}
        parts += [lines, exposed_lines(found.root, suite.path, suite.entry_points[0])]
    wanted = merge_lines(parts)
    after = add_lines(settings, wanted)
    if after != (settings.text or ""):
        yield Change(path=settings.name, before=settings.text, after=after)


def _has_task(root: Path, suite: str) -> bool:
    """Whether there is a `task.yaml` beside the suite or above it."""
    return any((root / folder / "task.yaml").is_file() for folder in PurePosixPath(suite).parents)


def _task_id(suite: Tested) -> str:
    """Name a suite's task: by its folder where that is its own, else by the function."""
    path = PurePosixPath(suite.path)
    if path.name in DEFAULT_SUITES and path.parent.name:
        return path.parent.name
    return suite.entry_points[0].rpartition(":")[2]


def _conftest(found: Found) -> Iterator[Change | str]:
    if found.conftests:
        yield f"{_name(found.conftests)}: not touched (`lockin init --template NAME` prints one to compare)"
        return
    # In the root: one beside suites is loaded in their workers alone, and ordinary tests there would lack it.
    yield from _new(found, "conftest.py", read_template(choose_template(found)))


def choose_template(found: Found) -> str:
    """Choose the conftest template that fits most of the jobs."""
    if found.connect:
        return "connect"
    plain = sum(1 for job in found.jobs if job.frames)
    return "functions" if 2 * plain > len(found.jobs) else "session"


def _new(found: Found, path: str, text: str) -> Iterator[Change | str]:
    there = found.root / path
    if there.is_file():
        return
    if there.exists() or there.is_symlink():
        raise AdoptError(
            expected=f"a file, or nothing, at {path}", found="something else", hint="move it out of the way"
        )
    yield Change(path=path, before=None, after=text)


def _workflow(found: Found, suites: list[Tested]) -> Iterator[Change | str]:
    if found.github:
        yield from _new(found, WORKFLOW, write_workflow(tuple(each.path for each in suites)))
    else:
        yield "no sign of GitHub here: no workflow (docs/how-to/ci-gate.md shows the commands for any CI)"


def _hook(found: Found) -> Iterator[Change | str]:
    path = found.root / precommit.FILE_NAME
    if not path.is_file():
        return
    text = path.read_bytes().decode("utf-8", errors="replace")
    after = precommit.add_hook(text)
    if after != text:
        yield Change(path=precommit.FILE_NAME, before=text, after=after)


def _count(found: Found) -> Iterator[str]:
    jobs = [f"{job.path}:{job.line} {job.name}" for job in found.jobs]
    yield f"{len(jobs)} PySpark function{'' if len(jobs) == 1 else 's'}: {_name(jobs)}"
    if not found.tested:
        yield "no test file imports one of them by name: no suites yet"
    if found.unreadable:
        yield f"not parsed, so not looked at: {_name(found.unreadable)}"


def _share(found: Found, suites: list[Tested]) -> Iterator[str]:
    """Warn of ordinary tests that would lack a conftest, since a suite lies beside it."""
    own = {each.path for each in suites}
    conftests = {PurePosixPath(each).parent for each in found.conftests} - {PurePosixPath()}
    beside = {PurePosixPath(each).parent for each in own} & conftests
    ordinary = [each for each in found.tests if each not in own and PurePosixPath(each).parent in beside]
    if ordinary:
        folders = ", ".join(sorted(str(each) for each in beside))
        yield (
            f"{folders}/conftest.py is loaded for suites alone while lockin is on, and {_name(ordinary)} "
            "would lack its fixtures: name the suites when you run it, or move that conftest up"
        )


def _several(found: Found) -> Iterator[str]:
    for each in found.tested:
        if len(each.entry_points) > 1:
            names = ", ".join(name.rpartition(":")[2] for name in each.entry_points)
            yield f"{each.path} tests {names}: left out, one function a test file can be examined; split it"


def _name(names: tuple[str, ...] | list[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED} more"


def _next(found: Found, suites: list[Tested], settings: SettingsFile) -> Iterator[str]:
    if suites:
        first = suites[0]
        yield f"pytest --lockin {first.path}"
        task = named_task(first.path, settings) or _task_id(first)
        yield f"lockin new-task {task} --from {first.entry_points[0]} --tables FOLDER_OF_PARQUET"
        return
    job = found.jobs[0]
    yield f"lockin new-task {job.name} --from {job.path}:{job.name} --tables FOLDER_OF_PARQUET"
    yield "pytest --lockin-reference refs/"

"""`fixtures/lock.json`: what fixtures were made of, and their files, by hash."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.freeze import VARIANTS, load_fixtures, render_fixture, render_standings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_lockin.model.fixture import Fixture, Profile, VariantStanding

LOCK = "lock.json"
LOCK_FORMAT = 1
# Raise it when the same profile and reference would give other fixtures.
GENERATOR = "1"
_SEALED = ("generator", "profile", "reference")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """What a task's fixtures were made of: SHA-256 of profile and reference, version of the generator."""

    profile: str
    reference: str
    generator: str = GENERATOR


def make_seal(profile: Profile, reference: str) -> Seal:
    """Hash what fixtures are made of; a statement's closing semicolon and surrounding blanks do not count."""
    statement = reference.strip().removesuffix(";").rstrip()
    return Seal(profile=_hash(repr(profile)), reference=_hash(statement))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_fixtures(
    folder: Path, task: str, fixtures: tuple[Fixture, ...], standings: tuple[VariantStanding, ...], seal: Seal
) -> tuple[Path, ...]:
    """Write a task's fixtures and what is known of its variants, and lock them; files of old ones go.

    Post-hoc fixtures already there stay. Gives the files written.
    """
    texts = {f"{fixture.name}.json": render_fixture(fixture) for fixture in fixtures}
    texts[VARIANTS] = render_standings(standings)
    kept = {f"{fixture.name}.json" for fixture in _post_hoc(folder, task)}
    place = folder / task
    place.mkdir(parents=True, exist_ok=True)
    for path in place.glob("*.json"):
        if path.name not in texts and path.name not in kept:
            path.unlink()
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8", newline="\n")
    _lock_task(folder, task, seal)
    return tuple(place / name for name in texts)


def add_fixture(folder: Path, fixture: Fixture) -> Path:
    """Write a fixture that was found with a candidate beside those of its task, and lock it too.

    Raises:
        FixturesError: it is not marked post hoc, the task has no locked fixtures, or one of that name.
    """
    locked = read_lock(folder)
    path = folder / fixture.task / f"{fixture.name}.json"
    taken = {each.name for each in load_fixtures(folder, fixture.task) if not each.post_hoc}
    if not fixture.post_hoc or fixture.task not in locked or fixture.name in taken:
        raise FixturesError(
            expected=f"a post-hoc fixture of a name of its own, beside locked ones of {fixture.task}",
            found=f"{fixture.name} of {fixture.task}",
            hint=f"make the task's fixtures first: `lockin fixtures build {fixture.task}`",
        )
    path.write_text(render_fixture(fixture), encoding="utf-8", newline="\n")
    _lock_task(folder, fixture.task, Seal(**{name: locked[fixture.task][name] for name in _SEALED}))
    return path


def _post_hoc(folder: Path, task: str) -> tuple[Fixture, ...]:
    try:
        return tuple(fixture for fixture in load_fixtures(folder, task) if fixture.post_hoc)
    except FixturesError:
        return ()


def _lock_task(folder: Path, task: str, seal: Seal) -> None:
    locked = read_lock(folder)
    locked[task] = {
        "generator": seal.generator,
        "profile": seal.profile,
        "reference": seal.reference,
        "files": dict(_hash_files(folder / task)),
    }
    data = {"format": LOCK_FORMAT, "tasks": dict(sorted(locked.items()))}
    (folder / LOCK).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8", newline="\n")


def _hash_files(place: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(place.glob("*.json")):
        yield path.name, hashlib.sha256(path.read_bytes()).hexdigest()


def read_lock(folder: Path) -> dict[str, Any]:
    """Read what is locked, by task; nothing where there is no lock.

    Raises:
        FixturesError: the lock is damaged.
    """
    path = folder / LOCK
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        tasks = data["tasks"] if data["format"] == LOCK_FORMAT else None
        if not isinstance(tasks, dict) or not all(_is_entry(entry) for entry in tasks.values()):
            raise _damaged_lock(path, "entries of another form")
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise _damaged_lock(path, str(error)) from None
    return tasks


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and all(isinstance(entry.get(name), str) for name in _SEALED)
        and isinstance(entry.get("files"), dict)
    )


def _damaged_lock(path: Path, found: str) -> FixturesError:
    return FixturesError(
        expected=f"the lock of the fixtures in {path}",
        found=found,
        hint="undo the change, or make the fixtures again with `lockin fixtures build`",
    )


def check_lock(folder: Path, seals: Mapping[str, Seal] | None = None) -> tuple[str, ...]:
    """Find what is not as it was locked, one line each; nothing found means that all is.

    Files added, changed or gone; and, for tasks whose seal is given, another profile, reference or
    version of the generator than the fixtures were made of.

    Raises:
        FixturesError: the lock is damaged.
    """
    locked = read_lock(folder)
    problems: list[str] = []
    folders = {path.parent.name for path in folder.glob("*/*.json")}
    problems += [f"{task}: has fixtures that are not locked" for task in sorted(folders - locked.keys())]
    for task, entry in locked.items():
        problems += _check_files(task, entry["files"], dict(_hash_files(folder / task)))
        seal = (seals or {}).get(task)
        if seal is not None:
            problems += _check_seal(task, entry, seal)
    return tuple(problems)


def _check_files(task: str, locked: Mapping[str, str], there: Mapping[str, str]) -> Iterator[str]:
    yield from (f"{task}/{name}: is gone" for name in locked if name not in there)
    yield from (f"{task}/{name}: is not locked" for name in there if name not in locked)
    yield from (
        f"{task}/{name}: was changed" for name in locked if there.get(name, locked[name]) != locked[name]
    )


def _check_seal(task: str, entry: Mapping[str, str], seal: Seal) -> Iterator[str]:
    made_of = {"profile": seal.profile, "reference": seal.reference, "generator": seal.generator}
    words = {"profile": "what data is legal", "reference": "the reference", "generator": "the generator"}
    yield from (
        f"{task}: {words[name]} is another than the fixtures were made of"
        for name, value in made_of.items()
        if entry[name] != value
    )

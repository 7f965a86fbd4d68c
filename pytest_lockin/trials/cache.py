"""Answers kept between runs, under the hash of everything they depend on; each written whole or not at all.

Format 2 (the first did not say which cases had seen another output). One folder per *program*: the
candidate, engine and versions. In it one file per alternative, with the hashes of what it was tried against:
the shared part of the suite (fixtures, helpers, data, conftests), each case's own code, and what the entry
point was given there. What of it stands after an edit is `resume.py`'s to say.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_lockin.frames.whole import write_whole
from pytest_lockin.model.plain import PlainError, from_plain, to_plain
from pytest_lockin.model.trial import SURVIVING, CaseReport, TrialOutcome, Tried
from pytest_lockin.trials.resume import Again, KeptTrial, Now, look_again, restore

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

FORMAT = 2
_CASES = "cases.json"
# Data beside a suite is hashed; what is larger is known by size and time.
_LARGE = 8_000_000
_SKIPPED = frozenset({"__pycache__", ".git", ".pytest_cache", "spark-warehouse", "metastore_db"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What an answer depends on.

    Attributes:
        program: the candidate's files, the engine, versions and conf.
        now: the suite as it is.
    """

    program: str
    now: Now


def take_fingerprint(
    test_file: Path,
    root: Path,
    candidate: Iterable[Path],
    cases: Sequence[str],
    world: Sequence[str],
    *,
    inputs: Mapping[str, str] | None = None,
    entry_only: bool = False,
) -> Fingerprint:
    """Read what an answer depends on from the files as they are now.

    `world` is what no file says: engine, versions, conf, entry point. `inputs` says by case what the entry
    point was given there, as a text that is equal where that is; `entry_only`, that the test file takes
    nothing else of the candidate.
    """
    programs = sorted({path.resolve() for path in candidate})
    program = _hash("program", *world, *(f"{path.name}:{_hash_file(path)}" for path in programs))
    text = test_file.read_text(encoding="utf-8")
    rest, bodies = split_cases(text)
    others = [
        path
        for path in _files_of(test_file.parent, root)
        if path.resolve() not in programs and path != test_file
    ]
    shared = _hash("shared", rest, *(f"{_name(path, root)}:{_hash_file(path)}" for path in others))
    now = Now(
        shared=shared,
        cases=tuple((case, _hash(bodies.get(_qualified(case), text))) for case in cases),
        inputs=tuple((case, given) for case in cases if (given := (inputs or {}).get(case, ""))),
        entry_only=entry_only,
    )
    return Fingerprint(program=program, now=now)


def _name(path: Path, root: Path) -> str:
    """A file's name that moves with the project; whole where it lies outside (a suite given by its path)."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _files_of(folder: Path, root: Path) -> list[Path]:
    """Every file of the suite's folder, and conftests above it up to the root folder."""
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not _SKIPPED & set(path.relative_to(folder).parts)
    ]
    above = [each / "conftest.py" for each in folder.parents if each.is_relative_to(root)]
    return [*found, *(path for path in above if path.is_file())]


def split_cases(text: str) -> tuple[str, dict[str, str]]:
    """Take a test file apart: all that is shared, and the code of each case by its qualified name.

    Positions and formatting are left out, so that an edited case does not change those below it.
    """
    tree = ast.parse(text)
    bodies: dict[str, str] = {}
    tree.body = _without_cases(tree.body, "", bodies)
    return ast.dump(tree), bodies


def _without_cases(body: list[ast.stmt], prefix: str, bodies: dict[str, str]) -> list[ast.stmt]:
    kept: list[ast.stmt] = []
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
            # A name defined twice is one case to pytest, and both texts are its code to us.
            name = prefix + node.name
            bodies[name] = bodies.get(name, "") + ast.dump(node)
            continue
        if isinstance(node, ast.ClassDef):
            node.body = _without_cases(node.body, f"{prefix}{node.name}::", bodies)
        kept.append(node)
    return kept


def _qualified(case_id: str) -> str:
    return case_id.partition("::")[2].partition("[")[0]


def _hash(*parts: str) -> str:
    state = hashlib.sha256()
    for part in parts:
        data = part.encode()
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()


def _hash_file(path: Path) -> str:
    size = path.stat()
    if size.st_size > _LARGE:
        return f"{size.st_size}@{size.st_mtime_ns}"
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCases:
    """What was found out about a suite's cases: (hash of its code, report) of each."""

    format: int
    shared: str
    cases: tuple[tuple[str, CaseReport], ...]


class TrialCache:
    """Answers of earlier runs.

    Args:
        folder: where they are kept; made when there is something to keep.
        fingerprint: what this run's answers depend on.
    """

    def __init__(self, folder: Path, fingerprint: Fingerprint) -> None:
        self._folder = folder / fingerprint.program[:24]
        self.now = fingerprint.now

    def find(self, mutant_id: str, *, matrix: bool = False) -> Tried | Again | None:
        """The answer that still stands; or on which cases to look again; or None: it has to be tried anew."""
        kept = self._load(mutant_id)
        again = look_again(kept, self.now, matrix=matrix) if kept is not None else None
        if again is None or again.cases:
            return again
        return restore(mutant_id, again.kept, self.now)

    def survived_before(self, mutant_id: str) -> bool:
        """Whether the last run that tried it let it pass, whatever has changed in the suite since."""
        kept = self._load(mutant_id)
        return kept is not None and kept.outcome in SURVIVING

    def keep(self, tried: Tried, *, matrix: bool = False) -> None:
        """Keep an answer. What gave none is not kept; nor is anything lost that another process wrote.

        Where it cannot be written (a full disk, a folder that is read-only), the next run asks again.
        """
        if tried.outcome in (TrialOutcome.TIMED_OUT, TrialOutcome.HARNESS_ERROR, TrialOutcome.NOT_RUN):
            return
        kept = KeptTrial(
            format=FORMAT,
            shared=self.now.shared,
            cases=self.now.cases,
            inputs=self.now.inputs,
            outcome=tried.outcome,
            kill=tried.kill,
            detail=tried.detail,
            changed=tried.changed,
            order_only=tried.order_only,
            killers=tried.killers,
            reached=tried.reached,
            saw=tried.saw,
            same_plan=tried.same_plan,
            matrix=matrix,
        )
        _write_if_room(self._path(tried.id), msgspec.json.encode(to_plain(kept)))

    def keep_cases(self, reports: Sequence[CaseReport]) -> None:
        """Keep what was found out about cases, each beside its code."""
        codes = dict(self.now.cases)
        fresh = {report.case_id: (codes[report.case_id], report) for report in reports}
        known = {report.case_id: (codes[report.case_id], report) for report in self.find_cases()}
        kept = KeptCases(format=FORMAT, shared=self.now.shared, cases=tuple((known | fresh).values()))
        _write_if_room(self._folder / _CASES, msgspec.json.encode(to_plain(kept)))

    def find_cases(self) -> tuple[CaseReport, ...]:
        """What is known of the cases that are as they were."""
        kept: KeptCases | None = _read_whole(KeptCases, self._folder / _CASES)
        if kept is None or kept.format != FORMAT or kept.shared != self.now.shared:
            return ()
        codes = dict(self.now.cases)
        return tuple(report for code, report in kept.cases if codes.get(report.case_id) == code)

    def _load(self, mutant_id: str) -> KeptTrial | None:
        kept: KeptTrial | None = _read_whole(KeptTrial, self._path(mutant_id))
        return kept if kept is not None and kept.format == FORMAT else None

    def _path(self, mutant_id: str) -> Path:
        return self._folder / f"{hashlib.sha256(mutant_id.encode()).hexdigest()[:24]}.json"


def _write_if_room(path: Path, data: bytes) -> None:
    with contextlib.suppress(OSError):
        write_whole(path, data)


def _read_whole(kind: Any, path: Path) -> Any:
    """Read a file of ours, or None: there is none, or it is none of ours."""
    try:
        return from_plain(kind, msgspec.json.decode(path.read_bytes()))
    except (OSError, msgspec.DecodeError, PlainError):
        return None

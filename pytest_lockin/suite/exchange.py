"""Results of xdist's workers, left as files for the controller: written whole or not at all."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import msgspec

from pytest_lockin.model.plain import from_plain, to_plain
from pytest_lockin.model.suite import LiveResult

if TYPE_CHECKING:
    from pathlib import Path

_SUFFIX = ".live.json"


def write_result(folder: Path, result: LiveResult) -> None:
    """Leave one suite's result in the shared folder, under a name of this process's own."""
    name = hashlib.sha256(result.suite.id.encode()).hexdigest()[:16]
    path = folder / f"{name}-{os.getpid()}{_SUFFIX}"
    draft = path.with_suffix(".draft")
    draft.write_bytes(msgspec.json.encode(to_plain(result)))
    draft.replace(path)


def read_results(folder: Path) -> tuple[LiveResult, ...]:
    """Read what all workers left and put the parts of each suite together, in the order of suite ids."""
    parts: dict[str, list[LiveResult]] = {}
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        result: LiveResult = from_plain(LiveResult, msgspec.json.decode(path.read_bytes()))
        parts.setdefault(result.suite.id, []).append(result)
    return tuple(_join(each) for _, each in sorted(parts.items()))


def _join(parts: list[LiveResult]) -> LiveResult:
    """One suite's cases may have run in several workers; each keeps the number space of its own run."""
    first = parts[0]
    moved = next((part for part in parts if part.moved), first)
    return LiveResult(
        suite=first.suite,
        told=tuple(case for part in parts for case in part.told),
        case_ids=max((part.case_ids for part in parts), key=len),
        runs=tuple(run for part in parts for run in part.runs),
        engine=moved.engine or next((part.engine for part in parts if part.engine), ""),
        moved=moved.moved,
        # Every worker collects every suite, so what keeps one from being collected is said by each.
        trouble=tuple(dict.fromkeys(line for part in parts for line in part.trouble)),
    )

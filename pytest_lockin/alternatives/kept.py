"""Mutants made once per program: kept under the hash of source, schemas and the operators' own code.

Making them takes libcst, mutmut's operators and a parse and compile of each; reading them takes none of that.
Operators of other plugins have code that is not known here: with them nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pytest_lockin.frames.whole import write_whole
from pytest_lockin.model.alternative import Mutant
from pytest_lockin.model.plain import PlainError, from_plain, to_plain

if TYPE_CHECKING:
    from pytest_lockin.alternatives.base import Operator, Schemas

FORMAT = 1
_MAKERS = ("libcst", "mutmut", "sqlglot")


def keep_mutants(
    folder: Path | None,
    source: str,
    schemas: Schemas,
    *,
    module: str,
    function: str,
    operators: tuple[Operator, ...] = (),
) -> tuple[Mutant, ...]:
    """Give every mutant of a program, as `make_mutants` does; from `folder` where they were made before.

    `operators` are other plugins'; ours are always among those that make them.

    Raises:
        AlternativesError: the source cannot be parsed.
    """
    if folder is None or operators:
        return _make(source, schemas, module, function, operators)
    path = folder / "mutants" / f"{_name(source, schemas, module, function)}.json.z"
    known = _read(path)
    if known is None:
        known = _make(source, schemas, module, function, operators)
        # Where they cannot be kept they are made again next time.
        with contextlib.suppress(OSError):
            write_whole(path, zlib.compress(msgspec.json.encode([to_plain(each) for each in known]), 1))
    return known


def _make(
    source: str, schemas: Schemas, module: str, function: str, operators: tuple[Operator, ...]
) -> tuple[Mutant, ...]:
    from pytest_lockin.alternatives.mutants import make_mutants
    from pytest_lockin.alternatives.registry import list_operators

    makers = list_operators(operators)
    return make_mutants(source, schemas, module=module, function=function, operators=makers)


def _read(path: Path) -> tuple[Mutant, ...] | None:
    """Read what was made before, or None: there is nothing, or nothing of ours."""
    try:
        plain = msgspec.json.decode(zlib.decompress(path.read_bytes()))
        found: tuple[Mutant, ...] = from_plain(tuple[Mutant, ...], plain)
    except (OSError, zlib.error, msgspec.DecodeError, PlainError):
        return None
    return found


def _name(source: str, schemas: Schemas, module: str, function: str) -> str:
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _MAKERS]
    columns = sorted((table, sorted(columns.items())) for table, columns in schemas.items())
    parts = (str(FORMAT), *versions, *_own_code(), module, function, repr(columns), source)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _own_code() -> list[str]:
    """The operators' own files, by size and time: a changed operator makes other mutants."""
    folder = Path(__file__).parent
    found = sorted(folder.rglob("*.py"))
    states = [path.stat() for path in found]
    return [
        f"{p.relative_to(folder)}:{s.st_size}:{s.st_mtime_ns}" for p, s in zip(found, states, strict=True)
    ]


__all__ = ["keep_mutants"]

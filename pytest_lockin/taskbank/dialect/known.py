"""The known differences of a task between engines, read from `<id>.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from pytest_lockin.taskbank.shipped import PACKAGE, dialect_file
from pytest_lockin.taskbank.yamlfile import complain, convert, read_document

if TYPE_CHECKING:
    from pathlib import Path

REASONS_FILE = PACKAGE / "dialect" / "reasons.yaml"


class Rung(StrEnum):
    """What has to be overlooked for two references to agree, the least first."""

    STRICT = "strict"
    """Nothing: names, types, rows."""
    TYPES = "types"
    """Names, and the types' widths, precision and scale; every value is equal."""
    FLOAT_CAST = "float_cast"
    """Besides, columns that are doubles on one side are compared as doubles, within 1e-9."""
    LAST_PLACE = "last_place"
    """Besides, a decimal may differ from its partner by one in its last place."""
    NONE = "none"
    """None of these makes them agree."""

    @property
    def rank(self) -> int:
        """How far down the ladder: 0 for strict."""
        return tuple(Rung).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A difference known beforehand: these columns on this engine need this rung, for this reason."""

    engine: str
    columns: tuple[str, ...]
    rung: Rung
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one task's file says.

    Attributes:
        known: differences of the result, for all engines.
        names: by engine, output names for the columns a statement leaves unnamed, by position from 0.
    """

    known: tuple[Known, ...] = ()
    names: tuple[tuple[str, tuple[tuple[int, str], ...]], ...] = ()

    def names_on(self, engine: str) -> dict[int, str]:
        """Give the output names to set on an engine, by position."""
        return dict(dict(self.names).get(engine, ()))


class _DifferShape(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    columns: list[str]
    rung: Rung
    why: str


class _EngineShape(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    differs: list[_DifferShape] = []
    names: dict[int, str] = {}


class _FileShape(msgspec.Struct, forbid_unknown_fields=True):
    duckdb: _EngineShape = _EngineShape()
    sail: _EngineShape = _EngineShape()


def read_dialect(task_id: str, file: Path | None = None) -> Dialect:
    """Read what is known about a task on other engines; an empty answer where there is no file.

    Raises:
        TaskFileError: the file cannot be used, or gives a reason that `reasons.yaml` does not explain.
    """
    path = dialect_file(task_id) if file is None else file
    if not path.is_file():
        return Dialect()
    document = read_document(path)
    shape = convert(document, _FileShape)
    shapes = {"duckdb": shape.duckdb, "sail": shape.sail}
    for engine, part in shapes.items():
        for place, item in enumerate(part.differs):
            if item.why not in read_reasons():
                raise complain(
                    document,
                    (engine, "differs", place, "why"),
                    expected="a reason explained in reasons.yaml",
                    found=f"`{item.why}`",
                    hint=f"use one of {', '.join(read_reasons())}, or explain it there",
                )
    return Dialect(
        known=tuple(
            Known(engine=engine, columns=tuple(item.columns), rung=item.rung, why=item.why)
            for engine, part in shapes.items()
            for item in part.differs
        ),
        names=tuple((engine, tuple(part.names.items())) for engine, part in shapes.items() if part.names),
    )


@cache
def read_reasons() -> dict[str, str]:
    """Read the reasons with their explanations."""
    return convert(read_document(REASONS_FILE), dict[str, str])

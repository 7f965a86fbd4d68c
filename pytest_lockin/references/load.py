"""Find a task's references: programs, stored output, tables and settings, as files under `refs/<task>/`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from pytest_lockin.errors import SettingsError, UnfitReferenceError
from pytest_lockin.model.rules import CaseOfNames, Rules, Tolerance

SETTINGS_FILE = "reference.toml"
STORED_FILE = "expected.parquet"
TABLES = "tables"
_KINDS = {".sql": "sql", ".py": "python", ".parquet": "stored"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One reference: `kind` is `sql`, `python` or `stored`; `text` is the SQL."""

    name: str
    kind: str
    path: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """All references of a task, its tables and how outputs are compared.

    Attributes:
        tables: (name, path of a Parquet file or folder) pairs, sorted by name.
        by_name: columns are compared by name instead of by position.
    """

    task_id: str
    folder: str
    references: tuple[Reference, ...]
    tables: tuple[tuple[str, str], ...]
    rules: Rules = field(default_factory=Rules)
    by_name: bool = False


class _ToleranceShape(msgspec.Struct, forbid_unknown_fields=True):
    relative: float = 1e-9
    absolute: float = 0.0


class _CompareShape(msgspec.Struct, forbid_unknown_fields=True):
    columns: str = "position"
    names: str = "finding"
    tolerance: dict[str, _ToleranceShape | float] = {}
    floats: _ToleranceShape = msgspec.field(default_factory=_ToleranceShape)
    bags: list[str] = []
    strict_zero: bool = False


class _SettingsShape(msgspec.Struct, forbid_unknown_fields=True):
    data: str = ""
    references: list[str] = []
    compare: _CompareShape = msgspec.field(default_factory=_CompareShape)


def load_panel(root: Path, task_id: str) -> Panel:
    """Read `root/<task_id>/`.

    Raises:
        UnfitReferenceError: no such folder, no reference in it, or settings that cannot be read.
    """
    folder = root / task_id
    # A task's id comes from a file beside untrusted code; it names a folder here and nothing else.
    if not folder.is_dir() or task_id in ("", ".", "..") or Path(task_id).name != task_id:
        raise _unfit(f"a folder {task_id}/ under the references", "none", "name it after the task")
    settings = _read_settings(folder)
    names = list(dict.fromkeys(settings.references)) or _discover(folder)
    if not names:
        raise _unfit(
            f"reference*.sql, reference*.py or {STORED_FILE} in {task_id}/",
            "none of them",
            "put the program or the stored output that is held to be right there",
        )
    references = tuple(_read(folder, name) for name in names)
    return Panel(
        task_id=task_id,
        folder=str(folder),
        references=references,
        tables=_find_tables(root, folder, settings.data),
        rules=_rules(settings.compare),
        by_name=settings.compare.columns == "name",
    )


def _unfit(expected: str, found: str, hint: str) -> UnfitReferenceError:
    return UnfitReferenceError(expected=expected, found=found, hint=hint)


def _discover(folder: Path) -> list[str]:
    found = [*folder.glob("reference*.sql"), *folder.glob("reference*.py")]
    names = sorted((path.name for path in found), key=lambda name: (not name.endswith(".sql"), name))
    if (folder / STORED_FILE).exists():
        names.append(STORED_FILE)
    return names


def _read(folder: Path, name: str) -> Reference:
    path = folder / name
    if path.suffix not in _KINDS:
        suffixes = ", ".join(f"*{suffix}" for suffix in _KINDS)
        raise _unfit(f"a reference: {suffixes}", name, f"correct {SETTINGS_FILE}")
    kind = _KINDS[path.suffix]
    # Stored output may be a folder of part files, as Spark writes it.
    if not (path.exists() if kind == "stored" else path.is_file()):
        raise _unfit(f"{name} in {folder.name}/", "no such file", f"correct {SETTINGS_FILE}")
    if kind == "sql":
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise _unfit(f"SQL text in {folder.name}/{name}", str(error), "save it as UTF-8") from error
        if not text.strip():
            raise _unfit(f"SQL text in {folder.name}/{name}", "an empty file", "write the statement into it")
        return Reference(name=name, kind=kind, path=str(path), text=text)
    return Reference(name=name, kind=kind, path=str(path))


def _find_tables(root: Path, folder: Path, data: str) -> tuple[tuple[str, str], ...]:
    places = [folder / data, root / data] if data else [folder / TABLES, root / TABLES]
    place = next((each for each in places if each.is_dir()), None)
    if place is None:
        if data:
            raise _unfit(f"the data folder {data}", "no such folder", f"correct `data` in {SETTINGS_FILE}")
        return ()
    # Names that begin so are leftovers of a writer, as Spark and Parquet readers take them.
    tables = (path for path in place.glob("*.parquet") if not path.name.startswith((".", "_")))
    return tuple(sorted((path.stem, str(path)) for path in tables))


def _read_settings(folder: Path) -> _SettingsShape:
    path = folder / SETTINGS_FILE
    if not path.exists():
        return _SettingsShape()
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _SettingsShape)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, OSError, UnicodeDecodeError) as error:
        raise _unfit(
            f"settings in {folder.name}/{SETTINGS_FILE}",
            str(error),
            "keys: data, references, [compare] columns, names, floats, tolerance, bags, strict_zero",
        ) from error


def _rules(shape: _CompareShape) -> Rules:
    try:
        names = CaseOfNames(shape.names)
    except ValueError as error:
        raise _unfit(
            f"compare.names: {', '.join(CaseOfNames)}", shape.names, f"correct {SETTINGS_FILE}"
        ) from error
    if shape.columns not in ("position", "name"):
        raise _unfit("compare.columns: position or name", shape.columns, f"correct {SETTINGS_FILE}")
    return Rules(
        floats=_tolerance(shape.floats),
        per_column=tuple((column.lower(), _tolerance(value)) for column, value in shape.tolerance.items()),
        names=names,
        bag_columns=tuple(name.lower() for name in shape.bags),
        strict_zero=shape.strict_zero,
    )


def _tolerance(value: Any) -> Tolerance:
    try:
        if isinstance(value, float):
            return Tolerance(relative=0.0, absolute=value)
        return Tolerance(relative=value.relative, absolute=value.absolute)
    except SettingsError as error:
        raise _unfit(error.expected, error.found, f"correct {SETTINGS_FILE}") from error

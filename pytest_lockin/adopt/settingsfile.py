"""Where pytest's settings are, and lines added to them that leave everything else as it is.

A settings file is edited as text, so that comments, order and layout stay; what came of it is read again and
has to be the old settings and the new lines, nothing more. Else the file is left alone and the message says
what to write by hand.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import iniconfig

from pytest_lockin.adopt.base import AdoptError
from pytest_lockin.adopt.inilines import add_to_ini
from pytest_lockin.adopt.tomllines import add_to_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# In the order in which pytest looks; the first that has settings of its own is the one it reads.
_TOML = {
    "pytest.toml": ("pytest",),
    ".pytest.toml": ("pytest",),
    "pyproject.toml": ("tool", "pytest", "ini_options"),
}
_INI = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
_ORDER = (
    "pytest.toml",
    ".pytest.toml",
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
)
# How many of them only pytest 9 knows.
_NATIVE = 2
# These are pytest's settings even where they are empty.
_ALWAYS = frozenset({"pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFile:
    """The file pytest takes its settings from, or would.

    Attributes:
        name: its name in the root folder.
        text: what it holds; None where it is not there yet.
        section: its table or section: `tool.pytest.ini_options`, `pytest`.
        values: the keys there, each as its lines.
    """

    name: str
    text: str | None
    section: str
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def lines(self, key: str) -> tuple[str, ...]:
        """The lines of a key; none where it is not there."""
        return dict(self.values).get(key, ())

    @property
    def is_toml(self) -> bool:
        """Whether it is written in TOML."""
        return self.name.endswith(".toml")


def find_settings(root: Path) -> SettingsFile:
    """Find the file pytest reads in this folder; one to make where there is none.

    Raises:
        AdoptError: one of the files cannot be read, or is not what its name says.
    """
    names = _ORDER if _reads_toml() else _ORDER[_NATIVE:]
    known = [read_settings(root, name) for name in names if (root / name).exists()]
    for each in known:
        if each.section and (each.values or each.name in _ALWAYS or _has_section(each)):
            return each
    pyproject = next((each for each in known if each.name == "pyproject.toml"), None)
    return pyproject or SettingsFile(name="pytest.ini", text=None, section="pytest")


def _reads_toml() -> bool:
    """Whether the pytest that is installed takes settings of TOML's own types."""
    return int(version("pytest").partition(".")[0]) >= 9  # noqa: PLR2004


def read_settings(root: Path, name: str) -> SettingsFile:
    """Read one settings file.

    Raises:
        AdoptError: it cannot be read, or is not what its name says.
    """
    text = _read(root / name)
    if name in _INI:
        return SettingsFile(name=name, text=text, section=_INI[name], values=_ini_values(text, name))
    section, values = _toml_values(text, name)
    return SettingsFile(name=name, text=text, section=".".join(section), values=values)


def add_lines(settings: SettingsFile, wanted: Mapping[str, tuple[str, ...]]) -> str:
    """Give the file's text with these lines added to these keys; lines that are there are not added again.

    Raises:
        AdoptError: the file is written in a way that cannot be added to safely.
    """
    text = settings.text or ""
    newline = "\r\n" if "\r\n" in text else "\n"
    plain = text.replace("\r\n", "\n")
    missing = {
        key: tuple(line for line in lines if line not in settings.lines(key)) for key, lines in wanted.items()
    }
    missing = {key: lines for key, lines in missing.items() if lines}
    if not missing:
        return text
    add = add_to_toml if settings.is_toml else add_to_ini
    made = add(plain, settings.section, missing)
    if made is None or not _is_as_wanted(settings, plain, made, missing):
        raise AdoptError(
            expected=f"a place in {settings.name} for lines of [{settings.section}]",
            found="a layout that cannot be added to without changing something else",
            hint=f"add by hand: {_by_hand(settings, missing)}",
        )
    return made.replace("\n", newline)


def _by_hand(settings: SettingsFile, missing: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{key} = {[*settings.lines(key), *lines]}" for key, lines in missing.items())


def _is_as_wanted(
    settings: SettingsFile, before: str, after: str, missing: Mapping[str, tuple[str, ...]]
) -> bool:
    """Whether the new text says what the old one did and the missing lines, and nothing else."""
    try:
        was, now = _everything(settings, before), _everything(settings, after)
    except (tomllib.TOMLDecodeError, iniconfig.ParseError):
        return False
    table = was
    for part in _path(settings):
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            return False
    for key, lines in missing.items():
        value = [*table.get(key, []), *lines]
        table[key] = value
    return bool(was == now)


def _path(settings: SettingsFile) -> tuple[str, ...]:
    return tuple(settings.section.split(".")) if settings.is_toml else (settings.section,)


def _everything(settings: SettingsFile, text: str) -> dict[str, Any]:
    if settings.is_toml:
        return tomllib.loads(text)
    read = iniconfig.IniConfig(settings.name, text)
    return {section.name: {key: list(_split(value)) for key, value in section.items()} for section in read}


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AdoptError(
            expected=f"a settings file that can be read at {path.name}",
            found=getattr(error, "strerror", None) or "a byte that is not UTF-8",
            hint="correct it, then run `lockin init` again",
        ) from None


def _toml_values(text: str, name: str) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[str, ...]], ...]]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise AdoptError(
            expected=f"TOML in {name}", found=str(error), hint="correct it, then run `lockin init` again"
        ) from None
    section = _TOML[name]
    # pytest 9 reads `[tool.pytest]` too, and not both.
    known = name == "pyproject.toml" and _reads_toml()
    native = data.get("tool", {}).get("pytest") if known else None
    if isinstance(native, dict) and native and "ini_options" not in native:
        section = ("tool", "pytest")
    table: Any = data
    for part in section:
        table = table.get(part, {}) if isinstance(table, dict) else {}
    values = table if isinstance(table, dict) else {}
    return section, tuple((key, _split(value)) for key, value in values.items())


def _ini_values(text: str, name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    try:
        read = iniconfig.IniConfig(name, text)
    except iniconfig.ParseError as error:
        raise AdoptError(
            expected=f"an ini file in {name}",
            found=f"line {error.lineno + 1}: {error.msg}",
            hint="correct it, then run `lockin init` again",
        ) from None
    section = _INI[name]
    return (
        tuple((key, tuple(_split(value))) for key, value in read[section].items()) if section in read else ()
    )


def _split(value: object) -> tuple[str, ...]:
    """A key's lines, as pytest takes a list of lines."""
    if isinstance(value, list):
        return tuple(str(each) for each in value)
    return tuple(line for line in (each.strip() for each in str(value).split("\n")) if line)


def _has_section(settings: SettingsFile) -> bool:
    """Whether the section is there, be it empty."""
    return bool(re.search(rf"^\s*\[\s*{re.escape(settings.section)}\s*\]", settings.text or "", re.MULTILINE))

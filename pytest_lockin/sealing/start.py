"""The command line of a sealed run: an interpreter that takes nothing from the folder it is started in.

Settings files act before any plugin can refuse (`-p`, `pythonpath`), and so does the environment. So both are
named outright, and nothing else is asked.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pytest_lockin.errors import SealError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_SETTINGS = (
    "pytest.toml",
    ".pytest.toml",
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
)
_STEERING = ("PYTEST_", "PYTHON", "COV_", "COVERAGE_")
_OURS = ("-c", "--config-file", "--rootdir", "-p")


def sealed_command(arguments: Sequence[str], root: Path, settings: Path | None = None) -> list[str]:
    """The command: isolated Python, this root folder, its settings file or none.

    Args:
        arguments: what pytest is given beside that.
        root: pytest's root folder.
        settings: the settings file; by default the root folder's own, never one below it.

    Raises:
        SealError: an argument would bring in another root, settings file or plugin.
    """
    for argument in arguments:
        name = argument.partition("=")[0]
        taken = name in _OURS or any(argument.startswith(own) and len(own) == 2 for own in _OURS)  # noqa: PLR2004
        if taken and not argument.startswith(("-pno:", "--p")):
            raise SealError(
                expected="arguments that leave root folder, settings and plugins alone",
                found=argument,
                hint="`lockin run --root DIR --settings FILE -- ARGUMENTS` names them",
            )
    file = settings or find_settings(root)
    return [
        sys.executable,
        "-I",
        "-m",
        "pytest",
        "-c",
        # An empty file is one without settings; without any, pytest would look for one at the arguments.
        str(file) if file is not None else "/dev/null",
        "--rootdir",
        str(root),
        *arguments,
    ]


def find_settings(root: Path) -> Path | None:
    """The settings file pytest would take for this root folder when it is started there; None without one."""
    for name in _SETTINGS:
        path = root / name
        if path.is_file() and _speaks_to_pytest(path):
            return path
    return None


def _speaks_to_pytest(path: Path) -> bool:
    if path.name in ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"):
        return True
    text = path.read_text(encoding="utf-8", errors="replace")
    section = {"pyproject.toml": "[tool.pytest", "tox.ini": "[pytest]", "setup.cfg": "[tool:pytest]"}
    return section[path.name] in text


def sealed_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what steers Python, pytest or coverage."""
    return {name: value for name, value in environment.items() if not name.startswith(_STEERING)}

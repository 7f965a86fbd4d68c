"""An entry for pre-commit, added to its settings as text."""

from __future__ import annotations

from typing import Any

import yaml

from pytest_lockin.adopt.base import AdoptError

FILE_NAME = ".pre-commit-config.yaml"
_HOOK = "lockin-tasks"
# Checks task files alone: judging takes longer than a commit should.
_ENTRY = """\
- repo: local
  hooks:
  - id: lockin-tasks
    name: task files are in order
    entry: lockin tasks check
    language: system
    files: (^|/)task\\.yaml$
"""


def add_hook(text: str) -> str:
    """Give pre-commit's settings with the hook; the same text where it is there.

    Raises:
        AdoptError: the file is no YAML with `repos`, or is laid out so that nothing can be added safely.
    """
    before = _load(text)
    if not isinstance(before, dict) or not isinstance(before.get("repos"), list):
        raise _refuse("no list `repos`")
    if _HOOK in text:
        return text
    for indent in ("", "  ", "    "):
        lines = "".join(f"{indent}{line}\n" for line in _ENTRY.splitlines())
        made = f"{text.rstrip()}\n{lines}"
        expected = {**before, "repos": [*before["repos"], *yaml.safe_load(_ENTRY)]}
        try:
            if _load(made) == expected:
                return made
        except AdoptError:
            continue
    raise _refuse("a layout where nothing can be added after the last line")


def _load(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise _refuse(str(getattr(error, "problem", None) or error)) from None


def _refuse(found: str) -> AdoptError:
    return AdoptError(
        expected=f"pre-commit's settings, with `repos` last, in {FILE_NAME}",
        found=found,
        hint=f"correct it, or add the hook by hand: {' '.join(_ENTRY.split())}",
    )

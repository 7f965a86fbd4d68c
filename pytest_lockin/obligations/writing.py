"""Obligations as YAML, in the shape `task.yaml` and `obligations.yaml` have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_lockin.model.task import Obligation

_HEAD = "# Derived from a statement by `lockin tasks derive`; read them before you rely on them."


def write_obligations(obligations: Sequence[Obligation]) -> str:
    """Write obligations so that they can be put in a task file: text and columns are quoted as JSON is."""
    return "\n".join([_HEAD, "obligations:", *(line for each in obligations for line in _write(each))]) + "\n"


def _write(one: Obligation) -> Iterator[str]:
    yield f"- id: {one.id}"
    yield f"  kind: {json.dumps(one.kind.value)}"
    yield f"  source: {one.source.value}"
    if one.fragment is not None:
        yield f"  fragment: {one.fragment.value}"
    yield f"  text: {json.dumps(one.text, ensure_ascii=False)}"
    yield f"  columns: {json.dumps(one.columns, ensure_ascii=False)}"

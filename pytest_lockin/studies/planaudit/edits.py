"""What each branch did to the artifacts it inherited, against what it was permitted to do (A1.16, A1.17).

A deviation stays in its arm (intent to treat); it is reported, never repaired.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.studies.planaudit.setup import ARTIFACTS, Permission

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_lockin.studies.planaudit.runs import Run
    from pytest_lockin.studies.planaudit.setup import Condition, Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class EditCounts:
    """How many tasks of one branch changed one artifact; `deviations` name those that were not allowed to."""

    condition: Condition
    artifact: str
    permission: Permission | None
    pairs: int
    edited: int
    deviations: tuple[str, ...]


def count_edits(runs_folder: Path, setup: Setup, runs: Sequence[Run]) -> tuple[EditCounts, ...]:
    """Compare each branch's artifacts with the baseline's of the same task, by content."""
    base = {run.task: run for run in runs if run.condition == setup.baseline.folder}
    counts = []
    for branch in setup.branches:
        pairs = [(base[r.task], r) for r in runs if r.condition == branch.folder and r.task in base]
        permissions = dict(branch.permissions)
        for artifact in ARTIFACTS:
            permission = permissions.get(artifact)
            counts.append(_count_artifact(runs_folder, branch, artifact, permission, pairs))
    return tuple(counts)


def _count_artifact(
    folder: Path,
    branch: Condition,
    artifact: str,
    permission: Permission | None,
    pairs: Sequence[tuple[Run, Run]],
) -> EditCounts:
    held = [(one, other) for one, other in pairs if _digest(one, artifact) and _digest(other, artifact)]
    edited = [(one, other) for one, other in held if _digest(one, artifact) != _digest(other, artifact)]
    deviating = [
        other.task
        for one, other in edited
        if _deviates(permission, folder / one.folder / artifact, folder / other.folder / artifact)
    ]
    return EditCounts(
        condition=branch,
        artifact=artifact,
        permission=permission,
        pairs=len(held),
        edited=len(edited),
        deviations=tuple(deviating),
    )


def _digest(run: Run, artifact: str) -> str:
    return next((one.digest for one in run.artifacts if one.name == artifact), "")


def _deviates(permission: Permission | None, before: Path, after: Path) -> bool:
    """Tell whether an edit was more than permitted; limited edits leave every case and assertion alone."""
    if permission is Permission.FROZEN:
        return True
    return permission is Permission.LIMITED and adds_checks(
        before.read_text("utf-8", "replace"), after.read_text("utf-8", "replace")
    )


def adds_checks(before: str, after: str) -> bool:
    """Tell whether a revised test file has assertions or cases that the first version had not.

    Edits of syntax, imports and fixtures add neither. Before a syntax error was repaired nothing can be
    known of the assertions; such a file is taken to add none. Seen are `assert`, `pytest.raises`,
    `self.assert...` and helpers named `assert...`, as text; checks in helpers of other names are not.
    """
    old, new = _list_checks(before), _list_checks(after)
    return old is not None and (new is None or bool(new - old))


def _list_checks(source: str) -> Counter[str] | None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    return Counter(text for node in ast.walk(tree) if (text := _show_check(node)))


def _show_check(node: ast.AST) -> str:
    if isinstance(node, ast.Assert):
        return ast.unparse(node.test)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
        return f"def {node.name}"
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if str(name).lower().startswith(("assert", "raises")):
            return ast.unparse(node)
    return ""

"""What a case is worth: what it looks at, and whether it can fail at all."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_lockin.model.trial import CaseProbe, CaseReport, Wreckage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.model.trial import Prepared, Probed

# By what a case looks at, the wreckage that shows it.
_SHOWS: dict[str, frozenset[Wreckage]] = {
    "rows": frozenset({Wreckage.EMPTY, Wreckage.DOUBLED_ROWS, Wreckage.ROW_LESS}),
    "values": frozenset({Wreckage.DOUBLED_MEASURE, Wreckage.LAST_DIGIT, Wreckage.SCRAMBLED}),
    "schema": frozenset({Wreckage.RENAMED, Wreckage.RETYPED}),
    "order": frozenset({Wreckage.REVERSED}),
    "nulls": frozenset({Wreckage.NULL_MEASURE}),
}
_EXPECTING = frozenset({"raises", "warns", "fail", "xfail", "skip"})


def report_cases(prepared: Prepared, probed: Probed | None, source: str) -> tuple[CaseReport, ...]:
    """Put together what the controls and the probes showed about each case."""
    probes = {probe.case_id: probe for probe in probed.cases} if probed else {}
    silent = {case.case_id for case in prepared.calls if not case.calls}
    return tuple(
        _report(case.case_id, probes.get(case.case_id), source, prepared, silent=case.case_id in silent)
        for case in prepared.calls
    )


def _report(
    case_id: str, probe: CaseProbe | None, source: str, prepared: Prepared, *, silent: bool
) -> CaseReport:
    blind = case_id in prepared.blind
    why = explain(source, case_id, silent=silent) if blind else ""
    if probe is None:
        return CaseReport(case_id=case_id, accepts_everything=why)
    accepts_all = blind and not probe.rejected
    return CaseReport(
        case_id=case_id,
        looks_at=what_it_looks_at(probe.rejected),
        accepted=probe.accepted,
        too_loose=is_too_loose(probe),
        accepts_everything=why if accepts_all else "",
    )


def what_it_looks_at(rejected: Iterable[Wreckage]) -> tuple[str, ...]:
    """Of rows, values, schema, order and nulls, those whose wreckage was rejected."""
    seen = set(rejected)
    return tuple(word for word, wreckages in _SHOWS.items() if wreckages & seen)


def is_too_loose(probe: CaseProbe) -> bool:
    """It notices a measure that is gone, and lets one that is twice as large pass."""
    return Wreckage.DOUBLED_MEASURE in probe.accepted and Wreckage.NULL_MEASURE in probe.rejected


def explain(source: str, case_id: str, *, silent: bool) -> str:
    """Say why a case passes whatever the program does."""
    function = find_function(ast.parse(source), case_id.partition("::")[2].partition("[")[0])
    if silent:
        patches = function is not None and "patch" in ast.dump(function)
        return "it patches the entry point" if patches else "it never calls the entry point"
    if function is None:
        return "it accepts every output"
    asserts = [node for node in ast.walk(function) if _asserts(node)]
    if not asserts:
        return "it asserts nothing"
    if all(_is_guarded(function, node) for node in asserts):
        return "its asserts are guarded by an `if` or a `try` that lets everything pass"
    return "it swallows what the program raises"


def find_function(tree: ast.AST, qualified: str) -> ast.AST | None:
    """The function `Class::name` or `name` of a module's tree."""
    found: ast.AST | None = tree
    for part in qualified.split("::"):
        if found is None:
            return None
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        found = next(
            (n for n in ast.iter_child_nodes(found) if isinstance(n, kinds) and n.name == part), None
        )
    return found


def _asserts(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return True
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return "assert" in str(name).lower() or name in _EXPECTING


def _is_guarded(function: ast.AST, target: ast.AST) -> bool:
    guards = [node for node in ast.walk(function) if isinstance(node, (ast.If, ast.Try))]
    return any(target in list(ast.walk(guard)) for guard in guards)

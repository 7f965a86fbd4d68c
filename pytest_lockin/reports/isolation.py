"""How programs were kept apart, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from pytest_lockin.model.isolation import Attestation, Isolation


def isolation_to_json(isolation: Isolation) -> dict[str, Any]:
    """Lay it out as plain JSON values."""
    return {
        "asked": isolation.asked,
        "backend": isolation.backend,
        "version": isolation.version,
        "required": isolation.required,
        "isolated": isolation.isolated,
        "reason": isolation.reason,
        "processes": isolation.processes,
        "leaks": list(isolation.leaks),
        "attestations": [_attestation(each) for each in isolation.attestations],
    }


def _attestation(attestation: Attestation) -> dict[str, Any]:
    plain = msgspec.to_builtins(attestation)
    return {**plain, "namespaces": dict(attestation.namespaces), "holds": attestation.holds}


def say_isolation(isolation: Isolation) -> str:
    """One line for the report where programs were not kept apart as they should be; "" where they were."""
    if isolation.backend == "none":
        return f"not isolated: no sandbox ({isolation.reason})" if isolation.reason else ""
    missing = dict.fromkeys(what for each in isolation.attestations for what in each.missing)
    if missing:
        return f"not isolated: the sandbox lacks {', '.join(missing)}"
    return f"the sandbox is weaker than it should be: {isolation.reason}" if isolation.reason else ""

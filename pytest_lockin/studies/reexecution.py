"""Whether a stored reference is still what its statement gives, by hash and by content (PAPERS A1.29)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.frames import agree, render_differences
from pytest_lockin.frames.store import digest_frame
from pytest_lockin.model.rules import Rules

if TYPE_CHECKING:
    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.model.agreement import Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduced:
    """The rebuilt output is the stored one, to the byte of its canonical content."""

    task: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SameContent:
    """Same schema and rows by the rules of comparison; the hash moved (row order, nullability, metadata)."""

    task: str
    stored_digest: str
    rebuilt_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drifted:
    """The statement no longer gives the stored output; `agreement` names what moved."""

    task: str
    stored_digest: str
    rebuilt_digest: str
    agreement: Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampered:
    """The stored output is not the one that was frozen: its hash is not the locked one."""

    task: str
    locked_digest: str
    stored_digest: str


Drift = Reproduced | SameContent | Drifted | Tampered


def check_reexecution(
    task: str, stored: Frame, rebuilt: Frame, rules: Rules | None = None, locked_digest: str = ""
) -> Drift:
    """Compare a frozen output with one rebuilt from its statement in a fresh session.

    `locked_digest` is the hash the lock file holds; where it is given and the stored frame has another, the
    store itself is at fault and nothing is compared.
    """
    stored_digest, rebuilt_digest = digest_frame(stored), digest_frame(rebuilt)
    if locked_digest and stored_digest != locked_digest:
        return Tampered(task=task, locked_digest=locked_digest, stored_digest=stored_digest)
    if stored_digest == rebuilt_digest:
        return Reproduced(task=task, digest=stored_digest)
    agreement = agree(stored, rebuilt, rules or Rules())
    if agreement.agrees:
        return SameContent(task=task, stored_digest=stored_digest, rebuilt_digest=rebuilt_digest)
    return Drifted(task=task, stored_digest=stored_digest, rebuilt_digest=rebuilt_digest, agreement=agreement)


def is_reproduced(drift: Drift) -> bool:
    """Tell whether the statement still gives the stored output, row order aside."""
    return isinstance(drift, Reproduced | SameContent)


def describe_drift(drift: Drift) -> str:
    """Say in one line what became of a stored reference."""
    match drift:
        case Reproduced(task=task, digest=digest):
            return f"{task}: reproduced ({digest[:12]})"
        case SameContent(task=task, stored_digest=stored, rebuilt_digest=rebuilt):
            return f"{task}: same rows; hash moved {stored[:12]} -> {rebuilt[:12]} (order, flags or metadata)"
        case Tampered(task=task, locked_digest=locked, stored_digest=stored):
            return f"{task}: the stored output {stored[:12]} is not the locked one {locked[:12]}"
        case Drifted(task=task, agreement=agreement):
            rows = f"{agreement.rows_found} rows rebuilt against {agreement.rows_expected} stored"
            return f"{task}: DRIFTED in {agreement.category}; {rows}"


def explain_drift(drift: Drift) -> tuple[str, ...]:
    """Say the same and, for a drift, show every difference: names, types, counts, rows and cells."""
    if isinstance(drift, Drifted):
        return (describe_drift(drift), *render_differences(drift.agreement.differences))
    return (describe_drift(drift),)

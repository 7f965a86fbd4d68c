"""What adopting a repository deals in: the error, and a change to one file."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_lockin.errors import LockinError


class AdoptError(LockinError):
    """A repository cannot begin to use lockin as it is; nothing was written."""

    slug = "adopt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file to write.

    Attributes:
        path: from the repository's root, with `/`.
        before: what it holds now; None where it is not there yet.
        after: what it is to hold.
    """

    path: str
    before: str | None
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to write, what is left alone, and what to do then.

    Attributes:
        notes: one line each, of what was found and is not changed.
        commands: the commands to run next.
    """

    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()

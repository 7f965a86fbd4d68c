"""The waiver file: survivors that somebody accepted, with a reason, a name and a date until when."""

from __future__ import annotations

import datetime as dt
import tomllib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import WaiverError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_lockin.model.trial import AlternativeResult

FILE_NAME = "lockin-waivers.toml"
_KEYS = frozenset({"id", "reason", "author", "expires"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """One accepted survivor. From the day after `expires` it holds no more."""

    id: str
    reason: str
    author: str
    expires: dt.date

    def holds(self, today: dt.date) -> bool:
        """Whether it still counts."""
        return today <= self.expires


def load_waivers(path: Path) -> tuple[Waiver, ...]:
    """Read a waiver file; none where there is no such file.

    Raises:
        WaiverError: it is not TOML, or an entry lacks id, reason, author or expiry.
    """
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _wrong(path, "a TOML file", str(error)) from error
    entries = told.pop("waiver", [])
    if told or not isinstance(entries, list):
        raise _wrong(path, "tables [[waiver]] and nothing else", ", ".join(told) or type(entries).__name__)
    waivers = tuple(_read(path, number, entry) for number, entry in enumerate(entries, start=1))
    ids = [waiver.id for waiver in waivers]
    twice = next((each for each in ids if ids.count(each) > 1), "")
    if twice:
        raise _wrong(path, "each id once", f"{twice} more than once")
    return waivers


def _read(path: Path, number: int, entry: Any) -> Waiver:
    place = f"waiver {number}"
    if not isinstance(entry, dict) or set(entry) != _KEYS:
        keys = ", ".join(sorted(entry)) if isinstance(entry, dict) else type(entry).__name__
        raise _wrong(path, f"{place} with id, reason, author and expires", keys or "nothing")
    for name in ("id", "reason", "author"):
        if not isinstance(entry[name], str) or not entry[name].strip():
            raise _wrong(path, f"{place}: text in {name}", repr(entry[name]))
    if not isinstance(entry["expires"], dt.date) or isinstance(entry["expires"], dt.datetime):
        raise _wrong(
            path, f"{place}: a date in expires, as 2027-01-31 without quotes", repr(entry["expires"])
        )
    return Waiver(**entry)


def _wrong(path: Path, expected: str, found: str) -> WaiverError:
    return WaiverError(
        expected=f"{expected} in {path.name}",
        found=found,
        hint="each accepted survivor is one [[waiver]] with id, reason, author and expires",
    )


def apply_waivers(
    results: Sequence[AlternativeResult], waivers: Sequence[Waiver], today: dt.date
) -> tuple[tuple[AlternativeResult, ...], tuple[str, ...]]:
    """Mark waived survivors; say which waivers expired, and which the tests have made needless."""
    holding = {waiver.id: waiver for waiver in waivers if waiver.holds(today)}
    marked = tuple(
        replace(each, waived=holding[each.id].reason) if each.survived and each.id in holding else each
        for each in results
    )
    known = {each.id: each for each in results}
    notes = [
        f"waiver of {waiver.id} expired on {waiver.expires} ({waiver.author})"
        for waiver in waivers
        if waiver.id in known and not waiver.holds(today)
    ]
    notes += [
        f"waiver of {each.id} is not needed: {each.outcome}"
        for each in results
        if each.id in holding and not each.survived and each.outcome == "killed"
    ]
    return marked, tuple(notes)

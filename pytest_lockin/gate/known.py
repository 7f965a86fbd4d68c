"""The baseline file: findings that were there when a project began to use the gate, and may stay for now.

A finding is known when the same suite had one of the same kind and detail; everything else is new and gates
as ever. So a suite that is wrong in another way than before is a new finding, and one that gets better leaves
an entry that says so.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import BaselineFileError
from pytest_lockin.model.report import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE_NAME = "lockin-baseline.json"
FORMAT = 1
# What no baseline may hold: a true pass is no finding, and isolation is a matter of the run.
_NEVER = ("true_pass", "not_isolated")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSuite:
    """What was known of one suite: its findings, and of 100 alternatives how many its tests noticed."""

    suite: str
    findings: tuple[Finding, ...] = ()
    kill_percent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What was known of every suite."""

    suites: tuple[KnownSuite, ...] = ()

    def of(self, suite: str) -> KnownSuite:
        """What is known of a suite; nothing where it is not there."""
        return next((each for each in self.suites if each.suite == suite), KnownSuite(suite=suite))


def make_known(suites: Iterable[KnownSuite]) -> Known:
    """Keep what a baseline may hold, by suite; suites without any finding are kept for their score."""
    kept = [
        KnownSuite(
            suite=each.suite,
            findings=tuple(
                sorted(
                    (one for one in each.findings if one.kind not in _NEVER),
                    key=lambda one: (one.kind, one.detail),
                )
            ),
            kill_percent=each.kill_percent,
        )
        for each in suites
    ]
    return Known(suites=tuple(sorted(kept, key=lambda each: each.suite)))


def split_known(
    findings: Iterable[Finding], before: KnownSuite
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """New findings, and known ones; one entry knows one finding."""
    left = Counter(before.findings)
    new, known = [], []
    for each in findings:
        if left[each] > 0:
            left[each] -= 1
            known.append(each)
        else:
            new.append(each)
    return tuple(new), tuple(known)


def find_gone(findings: Iterable[Finding], before: KnownSuite) -> tuple[Finding, ...]:
    """Entries of the baseline that were not found any more."""
    return tuple((Counter(before.findings) - Counter(findings)).elements())


def known_to_json(known: Known) -> str:
    """The file's text: sorted, one finding a line, so that a diff of it can be read."""
    suites = {
        each.suite: {
            "kill_percent": each.kill_percent,
            "findings": [f"{one.kind}: {one.detail}" if one.detail else one.kind for one in each.findings],
        }
        for each in known.suites
    }
    return json.dumps({"format": FORMAT, "suites": suites}, indent=1, ensure_ascii=False) + "\n"


def read_known(path: Path) -> Known:
    """Read a baseline file.

    Raises:
        BaselineFileError: it is not there, or not one.
    """
    try:
        plain: Any = json.loads(path.read_bytes())
        suites = plain["suites"].items()
        if plain["format"] != FORMAT:
            raise _unreadable(path, f"format {plain['format']}")
        return Known(suites=tuple(_read_suite(name, fields) for name, fields in suites))
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(path, f"{type(error).__name__}: {error}") from error


def _read_suite(name: str, fields: Any) -> KnownSuite:
    percent = fields.get("kill_percent")
    if percent is not None and not isinstance(percent, int):
        message = f"kill_percent of {name} is no number"
        raise ValueError(message)
    return KnownSuite(
        suite=name,
        findings=tuple(_read_finding(text) for text in fields["findings"]),
        kill_percent=percent,
    )


def _read_finding(text: str) -> Finding:
    kind, _, detail = text.partition(": ")
    return Finding(kind=kind, detail=detail)


def _unreadable(path: Path, found: str) -> BaselineFileError:
    return BaselineFileError(
        expected=f"a baseline of format {FORMAT} in {path}",
        found=found,
        hint="`lockin baseline out.json` writes one from a JSON report",
    )

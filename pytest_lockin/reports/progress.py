"""Progress of trials on one line of a terminal: counts by outcome and an estimate of what is left."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# More often than this a terminal over a slow line falls behind.
_PAUSE = 0.2
_SHOWN = ("killed", "unrevealed", "uninfected", "unreached", "crashed", "timed_out", "harness_error")


class TrialProgress:
    """Adds up the answers of all suites and shows them now and then.

    Args:
        write: shows one line in place of the one before; None where nobody watches.
        clock: seconds, always growing.
    """

    def __init__(
        self, write: Callable[[str], None] | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._write = write
        self._clock = clock
        self._lock = threading.Lock()
        self._outcomes: Counter[str] = Counter()
        self._by_suite: dict[str, Counter[str]] = {}
        self._suites: dict[str, tuple[int, int]] = {}
        self._begun = clock()
        self._shown = float("-inf")

    def note(self, suite: str, done: int, total: int, outcome: str) -> None:
        """Take one answer; called from any thread."""
        with self._lock:
            self._suites[suite] = (done, total)
            self._outcomes[outcome] += 1
            self._by_suite.setdefault(suite, Counter())[outcome] += 1
            now = self._clock()
            if self._write is None:
                return
            if now - self._shown >= _PAUSE or done == total:
                self._shown = now
                self._write(self._line(now))

    def _line(self, now: float) -> str:
        done = sum(each for each, _ in self._suites.values())
        total = sum(each for _, each in self._suites.values())
        answered = sum(self._outcomes.values())
        left = (now - self._begun) / answered * (total - done) if answered else 0.0
        about = f", about {left:.0f} s left" if done < total else ""
        return f"lockin trials {done}/{total}: {_count(self._outcomes)}{about}"

    def known(self) -> tuple[str, ...]:
        """One line for each suite whose trials have begun: what is known of them so far."""
        with self._lock:
            return tuple(
                f"{suite}  {done} of {total} alternatives have an answer: {_count(self._by_suite[suite])}"
                for suite, (done, total) in self._suites.items()
            )


def _count(outcomes: Counter[str]) -> str:
    words = [f"{outcomes[name]} {name.replace('_', ' ')}" for name in _SHOWN if outcomes[name]]
    return ", ".join(words)


__all__ = ["TrialProgress"]

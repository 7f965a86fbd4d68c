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
        write: shows one line in place of the one before.
        clock: seconds, always growing.
    """

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._lock = threading.Lock()
        self._outcomes: Counter[str] = Counter()
        self._suites: dict[str, tuple[int, int]] = {}
        self._begun = clock()
        self._shown = float("-inf")

    def note(self, suite: str, done: int, total: int, outcome: str) -> None:
        """Take one answer; called from any thread."""
        with self._lock:
            self._suites[suite] = (done, total)
            self._outcomes[outcome] += 1
            now = self._clock()
            if now - self._shown >= _PAUSE or done == total:
                self._shown = now
                self._write(self._line(now))

    def _line(self, now: float) -> str:
        done = sum(each for each, _ in self._suites.values())
        total = sum(each for _, each in self._suites.values())
        seen = [name for name in _SHOWN if self._outcomes[name]]
        words = [f"{self._outcomes[name]} {name.replace('_', ' ')}" for name in seen]
        answered = sum(self._outcomes.values())
        left = (now - self._begun) / answered * (total - done) if answered else 0.0
        about = f", about {left:.0f} s left" if done < total else ""
        return f"lockin trials {done}/{total}: {', '.join(words)}{about}"


__all__ = ["TrialProgress"]

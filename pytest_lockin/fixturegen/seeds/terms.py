"""Values as a solver sees them: terms with their NULLs, three-valued conditions, the calendar."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import z3

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEFORE = (0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337)  # days before each month, March first
_SHORT = (1, 3, 6, 8)  # April, June, September, November
_FEBRUARY = 11
_JANUARY = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Value:
    """A value of some row.

    Attributes:
        term: the solver's term; strings are numbers of `Strings`, dates are days.
        null: the condition that it is NULL; None where it never is.
        kind: `int`, `num`, `str`, `date` or `bool`.
        hard: whether the term only stands in for what the solver cannot say (ratios, windows).
        column: the input column it is an unchanged copy of, or "".
        constant: the value itself where it is known, else None.
        texts: every text it can be, where that is known.
    """

    term: Any
    kind: str
    null: Any = None
    hard: bool = False
    column: str = ""
    constant: Any = None
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truth:
    """A condition: when it is true, when it is false; neither means NULL."""

    true: Any
    false: Any
    hard: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Day:
    """Year, month and day of a date's term."""

    year: Any
    month: Any
    day: Any


@dataclass(slots=True, kw_only=True, eq=False)
class Names:
    """Fresh variables: same order of asking, same names."""

    count: int = 0
    days: dict[int, tuple[Any, Day]] = field(default_factory=dict)

    def integer(self, stem: str) -> Any:
        """Make a whole-number variable."""
        self.count += 1
        return z3.Int(f"{stem}#{self.count}")

    def real(self, stem: str) -> Any:
        """Make a real variable."""
        self.count += 1
        return z3.Real(f"{stem}#{self.count}")

    def boolean(self, stem: str) -> Any:
        """Make a choice."""
        self.count += 1
        return z3.Bool(f"{stem}#{self.count}")


def split_date(term: Any, names: Names) -> tuple[Day, list[Any]]:
    """Give a date's parts, with the conditions that make them its parts."""
    asked = names.days.get(term.get_id())
    if asked is not None:
        return asked[1], []
    years, month, day = (names.integer(stem) for stem in ("years", "month", "day"))
    start = z3.IntVal(_BEFORE[-1])
    for index in range(_FEBRUARY - 1, -1, -1):
        start = z3.If(month == index, _BEFORE[index], start)
    leap = (years + 1) % 4 == 0
    length = z3.If(
        month == _FEBRUARY,
        z3.If(leap, 29, 28),
        z3.If(z3.Or(*(month == short for short in _SHORT)), 30, 31),
    )
    conditions = [
        month >= 0,
        month <= _FEBRUARY,
        day >= 1,
        day <= length,
        term == 365 * years + years / 4 + start + day - 1,
    ]
    late = month >= _JANUARY
    parts = Day(year=2000 + years + z3.If(late, 1, 0), month=z3.If(late, month - 9, month + 3), day=day)
    # The term is kept too: its id is given to another once it is gone.
    names.days[term.get_id()] = (term, parts)
    return parts, conditions


def both(*conditions: Any) -> Any:
    """Give the AND of conditions; None among them stands for true."""
    parts = [c for c in conditions if c is not None]
    return z3.And(*parts) if len(parts) > 1 else (parts[0] if parts else always())


def either(*conditions: Any) -> Any:
    """Give the OR of conditions; None where none of them can hold."""
    parts = [c for c in conditions if c is not None]
    return z3.Or(*parts) if len(parts) > 1 else (parts[0] if parts else None)


def known(*nulls: Any) -> Any:
    """Give the condition that no value is NULL, from the conditions that each is; None for always."""
    found = either(*nulls)
    return None if found is None else z3.Not(found)


def always() -> Any:
    """Give the condition that always holds."""
    return z3.BoolVal(True)  # noqa: FBT003 - z3's own signature


def never() -> Any:
    """Give the condition that never holds."""
    return z3.BoolVal(False)  # noqa: FBT003 - z3's own signature


@contextmanager
def fresh_start() -> Iterator[None]:
    """Let the solver forget all it was ever told: what it finds depends on how much it has seen.

    Terms made inside are of no use outside.
    """
    before = z3.main_ctx()
    z3.z3._main_ctx = z3.Context()  # noqa: SLF001 - the one place z3 keeps it; every term would have to name it
    try:
        yield
    finally:
        z3.z3._main_ctx = before  # noqa: SLF001

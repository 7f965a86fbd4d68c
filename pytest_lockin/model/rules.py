"""The rules of a comparison, said out loud; frozen, and printed where they are not the default."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pytest_lockin.errors import SettingsError


class CaseOfNames(StrEnum):
    """What a difference of upper and lower case in a column name is."""

    IGNORE = "ignore"
    FINDING = "finding"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """Two floats are equal when |x - y| <= absolute + relative * max(|x|, |y|)."""

    relative: float = 1e-9
    absolute: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what would make everything equal, or nothing."""
        if not (0 <= self.relative < 1 and 0 <= self.absolute < float("inf")):
            raise SettingsError(
                expected="a relative tolerance in [0, 1) and an absolute one that is finite and not negative",
                found=f"relative {self.relative!r}, absolute {self.absolute!r}",
                hint="use for example Tolerance(relative=1e-9) or Tolerance(relative=0.0, absolute=0.01)",
            )

    def __str__(self) -> str:
        parts = [f"{self.relative:g} relative"] if self.relative else []
        parts += [f"{self.absolute:g} absolute"] if self.absolute else []
        return " + ".join(parts) or "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class SortKey:
    """One key of an ORDER BY: output column `position` (from 0), direction, place of NULLs."""

    position: int
    descending: bool = False
    nulls_first: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How two tables are compared.

    Defaults are DESIGN's: rows are multisets, columns go by position, names lower-cased, types equal, NULL
    is not NaN, NaN equals NaN, -0.0 equals 0.0, decimals exact, floats within 1e-9 relative. Nullability
    and metadata are not looked at.

    Attributes:
        floats: tolerance of float and double columns.
        per_column: tolerance by column name (lower-cased) or position as text; also gives a decimal column
            a tolerance when it is named here.
        names: what a difference of case only in a column name is.
        strict_zero: -0.0 and 0.0 differ.
        bag_columns: array columns (lower-cased names) compared as multisets (collect_list, collect_set).
        field_order: False lets the fields of nested structs stand in any order.
        char_padding: False drops the trailing blanks of columns that are CHAR(n) on either side.
        order: the expected ORDER BY; given, `OrderDiffers` is reported by blocks of equal keys. Where a
            LIMIT cuts a tie of these keys, `agree` judges the cut block by membership in the `pool` it is
            given (with no keys the whole result is one block).
    """

    floats: Tolerance = Tolerance()
    per_column: tuple[tuple[str, Tolerance], ...] = ()
    names: CaseOfNames = CaseOfNames.FINDING
    strict_zero: bool = False
    bag_columns: tuple[str, ...] = ()
    field_order: bool = True
    char_padding: bool = True
    order: tuple[SortKey, ...] = ()


DEFAULT_RULES = Rules()

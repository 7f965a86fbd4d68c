"""The rules of a comparison, said out loud; frozen, and printed with a verdict where they are not the default."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
        order: the expected ORDER BY; given, `OrderDiffers` is reported by blocks of equal keys.
        limit: the expected LIMIT; with `order`, a cut through a tie is judged by membership.
        tie_pool: not here - the rows that tie at the cut are passed beside the tables.
    """

    floats: Tolerance = Tolerance()
    per_column: tuple[tuple[str, Tolerance], ...] = ()
    names: CaseOfNames = CaseOfNames.FINDING
    strict_zero: bool = False
    bag_columns: tuple[str, ...] = ()
    field_order: bool = True
    order: tuple[SortKey, ...] = ()
    limit: int | None = None

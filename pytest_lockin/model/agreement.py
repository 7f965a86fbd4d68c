"""How two tables compare: the closed list of differences, and the agreement made of them (PAPERS A1.20)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pytest_lockin.model.fixture import Witness


class Category(StrEnum):
    """The primary category of a disagreement: one each, in the paper's taxonomy (PAPERS A1.32)."""

    ALIAS = "alias"
    COLUMN_ORDER = "column_order"
    STRUCTURE = "structure"
    PRECISION = "precision"
    ROW_COUNT = "row_count"
    VALUES = "values"
    RUNTIME = "runtime"


class Relaxation(StrEnum):
    """One rung of the relaxation ladder (PAPERS A1.28): what would have to be overlooked to agree."""

    COLUMN_ORDER = "column_order"
    NAMES = "names"
    TYPES = "types"
    """Widths, precision and scale; decimals of two scales are compared at the coarser one."""
    FLOAT_CAST = "float_cast"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnCountDiffers:
    """One table has more columns than the other; the columns only one side has are named."""

    expected: int
    found: int
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnsReordered:
    """The same names in another order."""

    expected: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameDiffers:
    """The column at `position` (from 0) has another name. `case_only`: equal when lower-cased."""

    position: int
    expected: str
    found: str
    case_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeDiffers:
    """The column at `position` has another type (Spark's short type names)."""

    position: int
    column: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCountDiffers:
    """The two tables have another number of rows."""

    expected: int
    found: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSample:
    """One differing cell of two rows that belong together, values as printable text."""

    row: str
    column: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsDiffer:
    """Rows that only one side has, counted as a multiset and aligned by content.

    `changed` rows are pairs that agree in most columns; `missing` and `extra` have no partner. `columns`
    maps each differing column's position to the number of changed pairs in which it differs. A few
    examples are kept as text. `tolerance` says which one was applied to floats, "" where none was.
    """

    missing: int
    extra: int
    changed: int
    columns: tuple[tuple[int, str, int], ...] = ()
    cells: tuple[CellSample, ...] = ()
    missing_rows: tuple[str, ...] = ()
    extra_rows: tuple[str, ...] = ()
    tolerance: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderDiffers:
    """The order by the expected sort keys is not kept; `at_row` (from 0) is the first row out of place.

    Never decides a verdict.
    """

    at_row: int
    keys: tuple[str, ...]
    expected: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotComparable:
    """One side could not be had: it raised, or its type cannot be compared."""

    reason: str


Difference = (
    ColumnCountDiffers
    | ColumnsReordered
    | NameDiffers
    | TypeDiffers
    | RowCountDiffers
    | RowsDiffer
    | OrderDiffers
    | NotComparable
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How a candidate's output and the reference's compare.

    `agrees` is strict (PAPERS A1.20): lower-cased names and Spark types in declared order, equal row
    counts, equal row multisets. `recovered_by` lists the rungs of the ladder, in order, that together
    would make it agree; empty when none does (or none is needed). `notes` say what was overlooked by rule
    (a tie cut by LIMIT, the tolerance in force).
    """

    agrees: bool
    category: Category | None = None
    recovered_by: tuple[Relaxation, ...] = ()
    rows_expected: int = 0
    rows_found: int = 0
    differences: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureFinding:
    """What one fixture says of a candidate.

    Attributes:
        purpose: what the fixture's rows are for, in a reader's words.
        engine: the engine whose word this is.
        agreement: None where the fixture says nothing of this candidate; `dropped` then says why.
        post_hoc: the fixture was made after a candidate was read: shown, and never part of a verdict.
        witness: the rows on which the candidate differs; None where it agrees.
    """

    name: str
    purpose: str
    engine: str
    agreement: Agreement | None = None
    dropped: str = ""
    post_hoc: bool = False
    witness: Witness | None = None

    @property
    def accuses(self) -> bool:
        """Whether the candidate is wrong here, in a way that counts."""
        return self.agreement is not None and not self.agreement.agrees and not self.post_hoc


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the reference says about a candidate on one engine.

    `agreement` is None where nothing can be said; `reason` then says why.
    """

    engine: str
    agreement: Agreement | None
    reason: str = ""
    needs: tuple[str, ...] = ()

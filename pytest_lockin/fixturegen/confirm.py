"""What plain runs on Spark-compatible execution say of a dataset: only that counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pytest_lockin.fixturegen.evaluate import Programs
    from pytest_lockin.model.fixture import Dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """How reference and variants compared on one dataset.

    Attributes:
        unfit: why the reference decides nothing here (it raises, or its result is not stable), or "".
        differs: variants whose result differs, with how.
        raised: variants that raised, with what.
        rows: rows of the reference's result.
    """

    unfit: str = ""
    differs: Mapping[str, str] = field(default_factory=dict)
    raised: Mapping[str, str] = field(default_factory=dict)
    rows: int = 0


class Confirm(Protocol):
    """Runs the reference and the named variants on a dataset, each by itself, and compares."""

    def __call__(self, dataset: Dataset, programs: Programs, names: Collection[str], /) -> Confirmation:
        """Say how they compare."""

"""Columns that could be taken for one another: same type, nearest name first."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# The first few are the mistakes people make; the rest only costs time.
MOST = 3


def rank_siblings(name: str, others: Iterable[str], most: int = MOST) -> list[str]:
    """Order names by likeness to one, best first, at most `most`.

    >>> rank_siblings("ss_ext_list_price", ["ss_quantity", "ss_list_price", "ss_ext_sales_price"], 2)
    ['ss_list_price', 'ss_ext_sales_price']
    """
    found = sorted({other for other in others if other.lower() != name.lower()})
    return sorted(found, key=lambda other: -_likeness(name, other))[:most]


def _likeness(left: str, right: str) -> float:
    one, other = left.lower().split("_"), right.lower().split("_")
    shared = len(set(one) & set(other)) / len(set(one) | set(other))
    # The last word says what a column is: a price, a key, a name.
    same_end = 0.5 if one[-1] == other[-1] else 0.0
    return shared + same_end + difflib.SequenceMatcher(None, left, right).ratio()

"""The operators there are."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from pytest_lockin.errors import AlternativesError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_lockin.alternatives.base import Operator

# In this order: where two families arrive at the same text, the more telling one comes first.
FAMILIES = (
    "join_type",
    "join_key",
    "filter",
    "having",
    "conditional",
    "literal",
    "column",
    "aggregate",
    "group_key",
    "grouping",
    "distinct",
    "set_operation",
    "window",
    "sort",
    "limit",
    "nulls",
    "cast",
    "arithmetic",
    "alias",
    "column_order",
)


def list_operators(others: Iterable[Operator] = ()) -> tuple[Operator, ...]:
    """List our operators, then those that other plugins bring.

    Raises:
        AlternativesError: two operators have the same name.
    """
    package = f"{__package__}.operators"
    ours = [importlib.import_module(f"{package}.{family}").OPERATOR for family in FAMILIES]
    found = (*ours, *others)
    names = [operator.name for operator in found]
    for name in names:
        if names.count(name) > 1:
            raise AlternativesError(
                expected="operators with different names",
                found=f"two named {name!r}",
                hint="rename the one your plugin returns from pytest_lockin_operators",
            )
    return found

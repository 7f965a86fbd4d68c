"""Where a derived column takes which value: runs of the one column it rests on."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_lockin.fixturegen.days import from_days
from pytest_lockin.fixturegen.rules import columns_of, read_rule

if TYPE_CHECKING:
    from pytest_lockin.model.fixture import TableProfile


def base_of(table: TableProfile, name: str) -> str:
    """Give the one column that is not derived and that a derived one rests on; "" where there are several."""
    derived = {each.column.lower() for each in table.derived}
    found = _reach(table, name) - derived
    return next(iter(found)) if len(found) == 1 else ""


def _reach(table: TableProfile, name: str) -> set[str]:
    """Give a derived column and all columns its rule rests on, through other rules."""
    rules = {each.column.lower(): each.rule for each in table.derived}
    waiting, found = [name], set()
    while waiting:
        each = waiting.pop()
        found.add(each)
        waiting += [c for c in (columns_of(rules[each]) if each in rules else ()) if c not in found]
    return found


@cache
def runs_of(
    table: TableProfile, name: str, base: str, low: int, high: int, *, is_date: bool
) -> dict[str, tuple[tuple[int, int], ...]]:
    """Give for each value of a derived column the runs of its base column's values that lead to it."""
    runs: dict[str, list[tuple[int, int]]] = {}
    reached = _reach(table, name)
    needed = [each for each in table.derived if each.column.lower() in reached]
    for number in range(low, high + 1):
        row: dict[str, Any] = {base: from_days(number) if is_date else number}
        for each in needed:
            row[each.column.lower()] = read_rule(each.rule)(row)
        found = runs.setdefault(str(row[name]), [])
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return {text: tuple(spans) for text, spans in runs.items()}

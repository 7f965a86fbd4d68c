"""Which of the 103 statements can be a task, by rules set before any model ran; `tasks/eligibility.yaml`.

The mechanical part (`find_features`, `broken_rules`) is derived anew from the installed statements by a test;
the runs it rests on are recorded in the file, and a slow test repeats them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from pytest_lockin.taskbank.shipped import tasks_root
from pytest_lockin.taskbank.yamlfile import convert, read_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ELIGIBILITY_FILE = "eligibility.yaml"


class Rule(StrEnum):
    """What a statement must satisfy; each is decided without looking at any model's output."""

    STATELESS = "stateless"
    RUNS = "runs"
    API = "api"
    ROWS = "rows"


class Choice(StrEnum):
    """What became of a statement."""

    KEPT = "kept"
    NOT_DRAWN = "eligible, not drawn"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """What running a statement gave: rows on classic Spark at scale 0.01, rows on Sail at scale 1.

    -1 stands for a statement that failed.
    """

    spark: int
    sail: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One statement's record in `eligibility.yaml`."""

    id: str
    choice: Choice
    reason: str
    features: tuple[str, ...]
    runs: Runs


# Features that the DataFrame API does not offer, or that the rules exclude; any of them breaks Rule.API.
FORBIDDEN = (
    "recursive-cte",
    "lateral-view",
    "pivot",
    "unknown-function",
    "table-function",
    "table-sample",
    "hint",
)


def find_features(sql: str) -> tuple[str, ...]:
    """Name what a statement uses, sorted: joins by kind, subqueries, windows, and what the rules forbid.

    `statements` and `not-a-query` break Rule.STATELESS: more than one statement, or one that writes.
    """
    import sqlglot
    from sqlglot import exp

    trees = [tree for tree in sqlglot.parse(sql, read="spark") if tree is not None]
    found = {name for tree in trees for name, test in _tests(exp).items() if test(tree)}
    if len(trees) != 1:
        found.add("statements")
    if not all(isinstance(tree, exp.Query) for tree in trees):
        found.add("not-a-query")
    return tuple(sorted(found))


def broken_rules(features: tuple[str, ...], runs: Runs) -> tuple[Rule, ...]:
    """Give the rules a statement breaks; none for one that can be a task."""
    breaks = {
        Rule.STATELESS: bool({"statements", "not-a-query"}.intersection(features)),
        Rule.RUNS: runs.spark < 0,
        Rule.API: bool(set(FORBIDDEN).intersection(features)),
        # A reference without rows judges nobody: every program with the right columns would agree with it.
        Rule.ROWS: runs.sail == 0,
    }
    return tuple(rule for rule, broken in breaks.items() if broken)


def load_eligibility(root: Path | None = None) -> tuple[Entry, ...]:
    """Load the record of all 103 statements.

    Raises:
        TaskFileError: the file cannot be used; the message names file, line and cure.
    """
    document = read_document((root or tasks_root()) / ELIGIBILITY_FILE)
    return tuple(
        Entry(
            id=item.id,
            choice=Choice(item.choice),
            reason=item.reason,
            features=item.features,
            runs=Runs(spark=item.rows.spark, sail=item.rows.sail),
        )
        for item in convert(document, _FileShape).statements
    )


class _RowsShape(msgspec.Struct, forbid_unknown_fields=True):
    spark: int
    sail: int


class _EntryShape(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    choice: Literal["kept", "eligible, not drawn", "excluded"]
    reason: str
    features: tuple[str, ...]
    rows: _RowsShape


class _FileShape(msgspec.Struct, forbid_unknown_fields=True):
    rules: dict[str, str]
    measured: dict[str, str]
    statements: list[_EntryShape]


def _tests(exp: Any) -> dict[str, Callable[[Any], bool]]:
    """Give one test per feature; each is asked of a whole statement."""
    nodes = {
        "cte": exp.CTE,
        "lateral-view": exp.Lateral,
        "pivot": exp.Pivot,
        "unknown-function": exp.Anonymous,
        "table-function": exp.UDTF,
        "table-sample": exp.TableSample,
        "hint": exp.Hint,
        "window": exp.Window,
        "rollup": exp.Rollup,
        "cube": exp.Cube,
        "grouping-sets": exp.GroupingSets,
        "union": exp.Union,
        "intersect": exp.Intersect,
        "except": exp.Except,
        "exists": exp.Exists,
        "having": exp.Having,
        "distinct": exp.Distinct,
        "order-by": exp.Order,
        "limit": exp.Limit,
    }
    tests: dict[str, Callable[[Any], bool]] = {
        name: lambda tree, node=node: tree.find(node) is not None  # type: ignore[misc]
        for name, node in nodes.items()
    }
    tests["recursive-cte"] = lambda tree: any(node.args.get("recursive") for node in tree.find_all(exp.With))
    tests["in-subquery"] = lambda tree: any(node.args.get("query") for node in tree.find_all(exp.In))
    tests["scalar-subquery"] = lambda tree: any(True for _ in _scalar_subqueries(tree, exp))
    for side in ("LEFT", "RIGHT", "FULL"):
        tests[f"{side.lower()}-join"] = lambda tree, side=side: any(  # type: ignore[misc]
            join.side == side for join in tree.find_all(exp.Join)
        )
    return tests


def _scalar_subqueries(tree: Any, exp: Any) -> Iterator[Any]:
    """Yield subqueries that stand where a value does: in a comparison, in arithmetic, in a select list."""
    for node in tree.find_all(exp.Subquery):
        if not isinstance(node.parent, exp.From | exp.Join | exp.In | exp.Query | exp.CTE | exp.Exists):
            yield node

"""Variants of a reference: every operator's edits of its statement, each breaking one obligation."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.diffs import make_id, write_diff
from pytest_lockin.alternatives.registry import list_operators
from pytest_lockin.errors import AlternativesError
from pytest_lockin.model.alternative import VARIANT_SAYS, Site, Variant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_lockin.alternatives.base import Operator, Schemas, SqlEdit


def make_variants(
    sql: str, schemas: Schemas, *, operators: Iterable[Operator] | None = None
) -> tuple[Variant, ...]:
    """Make every variant of a reference's statement (Spark SQL), in the order of their place in it.

    The statement is first rendered by sqlglot; a variant's text is that rendering with one clause changed,
    and parses again to exactly the tree that was meant. Variants that surely fail Spark's analysis are left
    out, as far as `schemas` (table -> column -> type) can tell.

    Raises:
        AlternativesError: the text is not one query of Spark SQL.
    """
    from pytest_lockin.alternatives.sql.check import find_errors
    from pytest_lockin.alternatives.sql.query import Query

    tree = _parse(sql)
    query = Query(tree, schemas)
    original = _render(tree)
    accepted = find_errors(query)
    known = {original}
    places: Counter[tuple[str, str, str]] = Counter()
    made: list[Variant] = []
    edits = [
        (o.name, edit)
        for o in (list_operators() if operators is None else operators)
        for edit in o.sql(query)
    ]
    for operator, edit in edits:
        around = _query_around(edit.node)
        undo = apply(edit)
        text = _render(tree)
        sound = text not in known and _reads_back(around) and not find_errors(Query(tree, schemas)) - accepted
        undo()
        if not sound:
            continue
        known.add(text)
        before, after = _changed_lines(original, text)
        key = (operator, before, after)
        places[key] += 1
        made.append(
            Variant(
                id=make_id(*key, edit.clause, str(places[key])),
                operator=operator,
                kind=edit.kind,
                text=f"{VARIANT_SAYS}{edit.text}",
                diff=write_diff(original, text, "reference.sql"),
                site=_site(original, text),
                before=before,
                after=after,
                columns=edit.columns,
                clause=edit.clause,
                sql=text,
            )
        )
    return tuple(sorted(made, key=lambda variant: (variant.site.line, variant.site.column)))


def _parse(sql: str) -> Any:
    import sqlglot
    from sqlglot import exp

    try:
        tree = sqlglot.parse_one(sql, read="spark")
    except sqlglot.errors.SqlglotError as error:
        raise _unfit(str(error).splitlines()[0]) from None
    if not isinstance(tree, exp.Query):
        raise _unfit(f"a {tree.key} statement")
    # What was parsed is not always what its rendering parses to (a comment moves): start from the latter.
    return sqlglot.parse_one(_render(tree), read="spark")


def _unfit(found: str) -> AlternativesError:
    return AlternativesError(
        expected="one query in Spark's SQL",
        found=found,
        hint="run the statement on Spark; if it runs there, report it to sqlglot",
    )


def _render(tree: Any) -> str:
    text: str = tree.sql(dialect="spark", pretty=True, comments=False)
    return text


def _query_around(node: Any) -> Any:
    """Give the query an edit stands in: what is outside of it reads back as it did."""
    from sqlglot import exp

    return node.find_ancestor(exp.Query) or node


def _reads_back(tree: Any) -> bool:
    import sqlglot

    return bool(sqlglot.parse_one(_render(tree), read="spark") == tree)


def _changed_lines(before: str, after: str) -> tuple[str, str]:
    """Give the lines that differ, each side on one line."""
    old, new = before.splitlines(), after.splitlines()
    head = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
    )
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return " ".join(" ".join(old[head : len(old) - tail]).split()), " ".join(
        " ".join(new[head : len(new) - tail]).split()
    )


def apply(edit: SqlEdit) -> Callable[[], None]:
    """Make an edit in the tree; the function given back takes it back."""
    node, replacement = edit.node, edit.replacement
    parent, key = node.parent, node.arg_key
    if parent is None:
        return _apply_to_root(node, replacement)
    held = parent.args[key]
    saved = list(held) if isinstance(held, list) else held
    if replacement is None:
        node.pop()
    else:
        node.replace(replacement)

    def undo() -> None:
        parent.set(key, saved)

    return undo


def _apply_to_root(node: Any, replacement: Any) -> Callable[[], None]:
    """Give the root the other tree's parts: the root itself stays the same object."""
    saved, kind = dict(node.args), type(node)
    node.__class__ = type(replacement)
    node.args = {}
    for name, value in replacement.args.items():
        node.set(name, value)

    def undo() -> None:
        node.__class__ = kind
        node.args = {}
        for name, value in saved.items():
            node.set(name, value)

    return undo


def _site(before: str, after: str) -> Site:
    """Give the changed lines of the original: first character that differs, end of the last changed line."""
    head = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
        min(len(before), len(after)),
    )
    tail = 0
    most = min(len(before), len(after)) - head
    while tail < most and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    start, end = _line_column(before, head), _line_column(before, len(before) - tail)
    return Site(line=start[0], column=start[1], end_line=end[0], end_column=end[1])


def _line_column(text: str, place: int) -> tuple[int, int]:
    return text.count("\n", 0, place) + 1, place - (text.rfind("\n", 0, place) + 1)

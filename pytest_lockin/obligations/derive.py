"""Obligations read off a reference's statement, clause by clause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.model.task import Obligation, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_lockin.obligations.reading import Draft, Reader


def derive_obligations(sql: str, schemas: Mapping[str, Mapping[str, str]]) -> tuple[Obligation, ...]:
    """Derive what a statement of Spark SQL requires of a program that answers the same question.

    Each has one generated sentence and the clause it comes from; ids are `D1`, `D2` and so on, inner queries
    first. Their source is `hidden`: whether the ticket says them too is not known here. Requirements that
    the statement does not show (what must *not* be a key) are not among them.

    Args:
        sql: the statement.
        schemas: table -> column -> type as Spark's DDL writes it.

    Raises:
        StatementError: the text is not one query over these tables.
    """
    return tuple(
        Obligation(
            id=f"D{number}",
            kind=draft.kind,
            source=Source.HIDDEN,
            text=draft.text,
            columns=draft.columns,
            fragment=draft.fragment,
        )
        for number, draft in enumerate(merge_drafts(derive_drafts(sql, schemas)), start=1)
    )


def derive_drafts(sql: str, schemas: Mapping[str, Mapping[str, str]]) -> tuple[Draft, ...]:
    """Derive every clause's obligations, each time it stands there; see `derive_obligations`."""
    from pytest_lockin.obligations.reading import Reader
    from pytest_lockin.sql import read_statement

    return tuple(_derive(Reader(read_statement(sql, schemas))))


def _derive(reader: Reader) -> Iterator[Draft]:
    from sqlglot import exp

    from pytest_lockin.obligations.groups import derive_set_operation, derive_values
    from pytest_lockin.obligations.result import derive_result
    from pytest_lockin.obligations.rows import derive_rows

    for scope in reader.statement.scopes:
        query = scope.expression
        if isinstance(query, exp.Select):
            yield from derive_rows(reader, query)
            yield from derive_values(reader, query)
        elif isinstance(query, exp.SetOperation) and not isinstance(query.parent, exp.SetOperation):
            yield from derive_set_operation(reader, query)
    yield from derive_result(reader)


def merge_drafts(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Say once what several parts of a statement require in the same words."""
    from dataclasses import replace

    found: dict[tuple[str, str, str], Draft] = {}
    for draft in drafts:
        key = (draft.kind, draft.fragment, draft.text)
        before = found.get(key)
        columns = (*before.columns, *draft.columns) if before else draft.columns
        found[key] = replace(draft, columns=tuple(dict.fromkeys(columns)))
    return iter(found.values())

"""Columns that the profile says are copies of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.equivalence.derivations import find_copies
from pytest_lockin.fixturegen.equivalence.queries import Scan, sources_of
from pytest_lockin.fixturegen.equivalence.rules.merge import replace_columns
from pytest_lockin.fixturegen.equivalence.terms import Term, col

if TYPE_CHECKING:
    from pytest_lockin.fixturegen.equivalence.context import Context
    from pytest_lockin.fixturegen.equivalence.queries import Select


def read_originals(select: Select, context: Context) -> Select:
    """Read, for a column that is a copy of another one of its table, the other."""
    meanings: dict[Term, Term] = {}
    for source in sources_of(select.source):
        if isinstance(source, Scan):
            for copy, original in find_copies(source.table, context.knowledge):
                meanings[col(source.id, copy)] = col(source.id, original)
    return replace_columns(select, meanings)

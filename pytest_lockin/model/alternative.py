"""An alternative: a program that differs from another one in one respect."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_lockin.model.task import Fragment, Kind

# What the text of every mutant, and of every variant, begins with.
MUTANT_SAYS = "no test notices if "
VARIANT_SAYS = "a program is wrong if "


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where the original stands: lines from 1, columns from 0 (in characters), the end excluded."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """The candidate with one edit.

    Attributes:
        id: stable hash of operator, place and replacement; unrelated edits of the file do not move it.
        operator: the operator family's name.
        kind: the kind of obligation it breaks; None for a generic edit of Python that serves none.
        text: one line in an analyst's words.
        diff: unified, three lines of context.
        site: where the original stands in the candidate's source.
        before: the original's text.
        after: its replacement; "" where it is left out.
        columns: what it touches, `table.column` where the table is known.
        module: the candidate's module.
        source: the module's whole source with the edit.
    """

    id: str
    operator: str
    kind: Kind | None
    text: str
    diff: str
    site: Site
    before: str
    after: str
    columns: tuple[str, ...] = ()
    module: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The reference's SQL with one edit, which breaks one obligation.

    Fields shared with `Mutant` mean the same; `site` and `diff` refer to the statement as sqlglot renders
    it, which `make_variants` starts from.

    Attributes:
        clause: the fragment of the statement that was changed, and so the obligation's.
        sql: the whole statement with the edit.
    """

    id: str
    operator: str
    kind: Kind
    text: str
    diff: str
    site: Site
    before: str
    after: str
    columns: tuple[str, ...] = ()
    clause: Fragment
    sql: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorText:
    """What an operator family says of itself: its name, one line, and the rest of its docstring."""

    name: str
    title: str
    text: str


Alternative = Mutant | Variant

"""What reading a program brought to light: which literals name which columns, and what cannot be analysed."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.python import types
from pytest_lockin.alternatives.python.values import (
    Attr,
    Day,
    Expr,
    Frame,
    Read,
    Real,
    Span,
    Text,
    Use,
    Whole,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

# A helper called in a loop resolves one literal many times; a few of them say all there is to say.
_KEPT = 16


@dataclass(slots=True)
class Trace:
    """Filled while a program is read.

    Attributes:
        watched: False notes errors only, for the many readings of mutants.
        errors: what Spark's analyser would surely refuse.
        uses: by literal, the columns it was resolved to.
        literals: by literal that is a value (not a name), the roles it plays.
        beside: by literal that is a value, the literals that name the columns it is compared with.
        seen: by expression, what it stood for each time.
        names: literals that name a new column.
    """

    watched: bool = True
    errors: set[str] = field(default_factory=set)
    uses: dict[ast.expr, list[Use]] = field(default_factory=lambda: defaultdict(list))
    literals: dict[ast.expr, list[str]] = field(default_factory=lambda: defaultdict(list))
    beside: dict[ast.expr, list[ast.expr]] = field(default_factory=lambda: defaultdict(list))
    seen: dict[ast.expr, list[Any]] = field(default_factory=lambda: defaultdict(list))
    names: set[ast.expr] = field(default_factory=set)
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    def see(self, node: ast.expr, value: Any) -> None:
        """Remember what an expression stood for."""
        kept = self.seen[node]
        if len(kept) < _KEPT:
            kept.append(value)

    def mark(self, value: Any, role: str, beside: tuple[Read, ...] = ()) -> None:
        """Remember that literals are values in the role given, beside the columns read there."""
        if not self.watched:
            return
        if isinstance(value, (list, tuple)):
            for each in value:
                self.mark(each, role, beside)
        elif isinstance(value, (Day, Span)):
            for node in value.nodes:
                self._mark(node, "day", beside)
        elif isinstance(value, (Text, Whole, Real)) and value.node is not None:
            self._mark(value.node, role, beside)

    def _mark(self, node: ast.expr, role: str, beside: tuple[Read, ...]) -> None:
        self.literals[node].append(role)
        self.beside[node] += [read.node for read in beside if read.node is not None]

    def fresh(self, name: str, type_name: str = "", table: str = "") -> Attr:
        """Make a new column."""
        return Attr(str(name), type_name, table, next(self.numbers), column=str(name))

    def resolve(self, frame: Frame, read: Read, role: str) -> Attr | None:
        """Find what a read means in a frame; note the error where it surely means nothing."""
        if frame.attrs is None:
            return None
        found = _matches(frame.attrs, read)
        if found is None:
            return None
        if len(found) != 1:
            self.errors.add(f"{'ambiguous' if found else 'unresolved'} {read.name}")
            return None
        if self.watched and read.node is not None and len(self.uses[read.node]) < _KEPT:
            self.uses[read.node].append(Use(frame.attrs, found[0], role))
        return found[0]

    def resolve_all(self, frame: Frame, reads: Iterable[Read], role: str) -> None:
        """Resolve many."""
        for read in reads:
            self.resolve(frame, read, role)

    def type_in(self, frame: Frame, value: Any) -> str:
        """Type of an expression over a frame."""
        if not isinstance(value, Expr):
            return types.type_of(value)
        if value.type:
            return value.type
        if value.source is not None:
            found = _matches(frame.attrs or (), value.source)
            return found[0].type if found else ""
        operands = [self.type_in(frame, operand) for operand in value.operands]
        if value.function in ("+", "-", "*", "/", "%"):
            return types.of_arithmetic(value.function, *(operands[:2] if len(operands) > 1 else ["", ""]))
        return types.of_function(value.function, operands)


def _matches(attrs: tuple[Attr, ...], read: Read) -> list[Attr] | None:
    """Columns a read can mean; None where it reaches into a struct."""
    if read.uid is not None:
        return [attr for attr in attrs if attr.uid == read.uid]
    name = read.name.replace("`", "").lower()
    found = [attr for attr in attrs if attr.name.lower() == name]
    if found or "." not in name:
        return found
    head, _, rest = name.partition(".")
    found = [attr for attr in attrs if attr.qualifier.lower() == head and attr.name.lower() == rest]
    if not found and any(attr.name.lower() == head for attr in attrs):
        return None
    return found

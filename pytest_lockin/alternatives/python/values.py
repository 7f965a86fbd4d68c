"""What an expression of DataFrame code stands for, as far as can be known without running it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ast
    from datetime import date, timedelta


class Text(str):
    """A string that remembers the literal it was written as; none where it was put together."""

    __slots__ = ("node",)
    node: ast.expr | None

    @classmethod
    def at(cls, value: str, node: ast.expr | None) -> Text:
        """Make one."""
        made = cls(value)
        made.node = node
        return made


class Whole(int):
    """An integer that remembers its literal."""

    node: ast.expr | None = None

    @classmethod
    def at(cls, value: int, node: ast.expr | None) -> Whole:
        """Make one."""
        made = cls(value)
        made.node = node
        return made


class Real(float):
    """A float that remembers its literal."""

    node: ast.expr | None = None

    @classmethod
    def at(cls, value: float, node: ast.expr | None) -> Real:
        """Make one."""
        made = cls(value)
        made.node = node
        return made


@dataclass(frozen=True, slots=True)
class Day:
    """A calendar day, and the literals it was made from."""

    value: date
    nodes: tuple[ast.expr, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A number of days, and the literals it was made from."""

    value: timedelta
    nodes: tuple[ast.expr, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing is known; every use of it is accepted and gives nothing known."""


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Lib:
    """Something of a library, by dotted name: `F.sum`, `Window`, `spark`."""

    path: str


@dataclass(frozen=True, slots=True)
class Method:
    """A method, bound to what it is called on."""

    owner: Any
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of the program with the names it can see."""

    node: ast.FunctionDef | ast.Lambda
    scope: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Attr:
    """A column of a frame.

    `uid` tells equal names apart; `table` is the input table it comes from, `column` its name there.
    """

    name: str
    type: str
    table: str
    uid: int
    qualifier: str = ""
    column: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A DataFrame; `attrs` is None where its columns are not known."""

    attrs: tuple[Attr, ...] | None


@dataclass(frozen=True, slots=True)
class Tables:
    """The mapping of input tables."""


@dataclass(frozen=True, slots=True)
class Read:
    """A column read by name, or by identity (`df.amount`) where `uid` is given."""

    name: str
    node: ast.expr | None = None
    uid: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """A column expression.

    Attributes:
        name: the name it would have in the output.
        reads: every column it reads.
        bare: those read outside an aggregate function.
        aggregated: whether it holds an aggregate function that no window takes.
        source: for a plain column, the read itself; its type is then looked up where it is used.
        star: stands for all columns (or an unknown number).
        whens: the literal branch values, for `when`.
    """

    name: str = ""
    reads: tuple[Read, ...] = ()
    bare: tuple[Read, ...] = ()
    type: str = ""
    aggregated: bool = False
    source: Read | None = None
    star: bool = False
    operands: tuple[Any, ...] = field(default=(), repr=False)
    function: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """`groupBy(...)`, `rollup(...)`, `cube(...)` of a frame, before `agg`; `levels` for the last two."""

    frame: Frame
    keys: tuple[Expr, ...] | None
    levels: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class WindowSpec:
    """A window specification with the columns it reads."""

    reads: tuple[Read, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """One resolution of a column name: what was visible there, what it was, and what read it."""

    visible: tuple[Attr, ...]
    attr: Attr
    role: str

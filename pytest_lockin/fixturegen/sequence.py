"""The order of a statement's rows as rows of their own: place and sort keys, so that a stack can digest it.

Order means the reference's ORDER BY, in blocks of equal keys. Where a variant leaves rows in no particular
order, they are taken in the order that is worst for it: the reference's, backwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import FixturesError, StatementError
from pytest_lockin.fixturegen.stack import Stackable, make_stackable, read_tree
from pytest_lockin.sql import read_statement

if TYPE_CHECKING:
    from pytest_lockin.model.fixture import Profile

    # A sort key: an expression over the output columns c0, c1 and so on; descending; NULLs first.
    Key = tuple[str, bool, bool]


class Orderer:
    """Turns statements into the sequence of the reference's sort keys in their results.

    Only keys that are made of output columns count, up to the first that is not. `active` is False where
    there are none.
    """

    def __init__(self, reference: str, profile: Profile) -> None:
        self._profile = profile
        self._given = read_tree(reference)
        self._tree = _read_outputs(reference, profile)
        self._keys = _output_keys(self._tree)
        self.active = bool(self._keys)
        self._width = _count_columns(self._tree) or 0
        order = self._tree.args.get("order")
        self._complete = order is not None and len(self._keys) == len(order.expressions)

    def is_affected(self, variant: Any) -> bool:
        """Tell whether a variant, given as its tree, ends in another ORDER BY or LIMIT."""
        return self.active and any(
            self._given.args.get(part) != variant.args.get(part) for part in ("order", "limit", "offset")
        )

    def make_sequence(self, sql: str) -> Stackable | None:
        """Give a statement of (place, sort keys) for the stack; None where its order cannot be told so."""
        text = self._write_sequence(sql)
        return self._stack(text) if text else None

    def make_cut(self) -> Stackable | None:
        """Give a statement that returns a row where the reference's LIMIT cuts rows of equal keys apart.

        None where it has no LIMIT, or where the sequence of its sort keys is not known.
        """
        limit = _read_limit(self._tree)
        tree = self._tree.copy()
        tree.set("limit", None)
        whole = self._write_sequence(tree.sql(dialect="spark")) if limit and self._complete else ""
        if not whole:
            return None
        same = " AND ".join(f"a.s{at} <=> b.s{at}" for at in range(len(self._keys)))
        cut = f"a.place = {limit} AND b.place = {limit} + 1 AND {same}"
        return self._stack(f"SELECT a.place FROM ({whole}) AS a JOIN ({whole}) AS b ON {cut}")

    def _stack(self, text: str) -> Stackable | None:
        try:
            return make_stackable(text, self._profile)
        except FixturesError:
            return None

    def _write_sequence(self, sql: str) -> str:
        tree = _read_outputs(sql, self._profile)
        columns = _count_columns(tree)
        if columns is None or not self.active or columns < self._width:
            return ""
        limit, order = _read_limit(tree), tree.args.get("order")
        tree.set("limit", None)
        tree.set("order", None)
        keys, hidden = _place_keys(tree, order)
        if keys is None:
            return ""
        names = [f"c{place}" for place in range(columns)] + [f"k{place}" for place in range(hidden)]
        worst = [_say((key, not down, not first)) for key, down, first in self._keys]
        ranked = f"row_number() OVER (ORDER BY {', '.join([*keys, *worst])}) AS place"
        shown = ", ".join(f"{key} AS s{at}" for at, (key, _, _) in enumerate(self._keys))
        text = f"SELECT {ranked}, {shown} FROM ({tree.sql(dialect='spark')}) AS o({', '.join(names)})"
        return f"SELECT * FROM ({text}) AS l WHERE place <= {limit}" if limit else text


def _read_outputs(sql: str, profile: Profile) -> Any:
    """Parse a statement; where it ends in a star, with the columns the star stands for."""
    tree = read_tree(sql)
    if _count_columns(tree) is not None:
        return tree
    schemas = profile.schemas
    try:
        return read_statement(sql, schemas).tree
    except StatementError:
        return tree


def _read_limit(tree: Any) -> str:
    limit = tree.args.get("limit")
    return limit.expression.sql(dialect="spark") if limit is not None else ""


def _count_columns(tree: Any) -> int | None:
    """Count output columns; None where a star hides how many there are."""
    from sqlglot import exp

    # `count(*)` holds a star and is a column.
    stars = (exp.Star, exp.Column)
    hidden = any(isinstance(column, stars) and column.is_star for column in tree.selects)
    return None if hidden else len(tree.selects)


def _output_keys(tree: Any) -> tuple[Key, ...]:
    order = tree.args.get("order")
    keys: list[Key] = []
    for ordered in order.expressions if order is not None and _count_columns(tree) is not None else ():
        key = _over_outputs(tree, ordered.this)
        if not key:
            break
        keys.append((key, bool(ordered.args.get("desc")), _nulls_first(ordered)))
    return tuple(keys)


def _nulls_first(ordered: Any) -> bool:
    """Spark's default: NULLs are the smallest value."""
    stated = ordered.args.get("nulls_first")
    return bool(stated) if stated is not None else not ordered.args.get("desc")


def _find_output(tree: Any, key: Any) -> int | None:
    from sqlglot import exp

    if isinstance(key, exp.Literal) and key.is_int:
        return int(key.this) - 1
    for place, column in enumerate(tree.selects):
        named = (
            isinstance(key, exp.Column) and not key.table and column.alias_or_name.lower() == key.name.lower()
        )
        if named or column.unalias() == key:
            return place
    return None


def _over_outputs(tree: Any, key: Any) -> str:
    """Give a sort key as an expression over the output columns c0, c1 and so on; "" where it is none."""
    from sqlglot import exp

    place = _find_output(tree, key)
    if place is not None:
        return f"c{place}"
    copy = key.copy()
    columns = list(copy.find_all(exp.Column))
    places = [_find_output(tree, column) for column in columns]
    if not columns or None in places or copy.find(exp.AggFunc, exp.Query):
        return ""
    for column, at in zip(columns, places, strict=True):
        column.replace(exp.column(f"c{at}"))
    return str(copy.sql(dialect="spark"))


def _place_keys(tree: Any, order: Any) -> tuple[list[str] | None, int]:
    """Give a statement's own sort keys over its numbered columns; those it does not put out are added."""
    from sqlglot import exp

    keys: list[str] = []
    hidden = 0
    for ordered in order.expressions if order is not None else ():
        place = _find_output(tree, ordered.this)
        down, first = bool(ordered.args.get("desc")), _nulls_first(ordered)
        if place is not None:
            keys.append(_say((f"c{place}", down, first)))
            continue
        if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
            return None, 0
        keys.append(_say((f"k{hidden}", down, first)))
        tree.select(exp.alias_(_without_aliases(tree, ordered.this), f"_k{hidden}"), copy=False)
        hidden += 1
    return keys, hidden


def _without_aliases(tree: Any, key: Any) -> Any:
    """Put the select list's expressions in the place of their names, which only a sort key may use."""
    from sqlglot import exp

    named = {column.alias.lower(): column.unalias() for column in tree.selects if column.alias}

    def replace(node: Any) -> Any:
        if isinstance(node, exp.Column) and not node.table and node.name.lower() in named:
            return exp.paren(named[node.name.lower()].copy())
        return node

    return key.copy().transform(replace)


def _say(key: Key) -> str:
    text, down, first = key
    return f"{text} {'DESC' if down else 'ASC'} NULLS {'FIRST' if first else 'LAST'}"

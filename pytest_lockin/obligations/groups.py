"""What is computed: obligations of set operations, groups, measures, windows and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from pytest_lockin.model.task import Fragment, Kind
from pytest_lockin.obligations.reading import Draft, own, say, say_list, unique
from pytest_lockin.sql import branches_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.obligations.reading import Reader

_LEVELS = {exp.Rollup: "a rollup over", exp.Cube: "a cube over", exp.GroupingSets: "grouping sets over"}
_SET_WORDS = {exp.Union: "stacked", exp.Intersect: "intersected", exp.Except: "subtracted"}


def derive_set_operation(reader: Reader, node: Any) -> Iterator[Draft]:
    """Derive what a set operation requires: which one, and whether duplicates stay."""
    word = next(word for kind, word in _SET_WORDS.items() if isinstance(node, kind))
    kept = "removing duplicates" if node.args.get("distinct", True) else "keeping duplicates"
    branches = list(branches_of(node))
    outputs = (
        name
        for branch in branches
        for place in range(len(branch.selects))
        for name in reader.fed_by(branch, place)
    )
    yield Draft(
        kind=Kind.SET_OP,
        fragment=Fragment.SET_OP,
        text=f"The {len(branches)} parts are {word}, {kept}.",
        columns=unique((*reader.lineage(*(item for b in branches for item in b.selects)), *outputs)),
    )


def derive_values(reader: Reader, select: Any) -> Iterator[Draft]:
    """Derive what one SELECT requires of groups and of the values it computes."""
    yield from _groups(reader, select)
    for item in select.selects:
        yield from _measure(reader, item)
        yield from _label(reader, item)
    yield from _windows(reader, select)
    yield from _nulls(reader, select)


def _groups(reader: Reader, select: Any) -> Iterator[Draft]:
    group = select.args.get("group")
    if group is None:
        if any(not isinstance(each.parent, exp.Window) for each in own(select, exp.AggFunc)):
            outputs = tuple(
                name for place in range(len(select.selects)) for name in reader.fed_by(select, place)
            )
            text = "The result is one row over all rows, present even where there is none."
            yield Draft(kind=Kind.GROUP, fragment=Fragment.SELECT, text=text, columns=unique(outputs))
        return
    columns = unique((*reader.lineage(group), *_key_outputs(reader, select, group)))
    levels = next((words for kind, words in _LEVELS.items() if group.find(kind)), "")
    keys = say_list(unique(say(key) for key in group.find_all(exp.Column)))
    how = levels or "one row for each combination of"
    yield Draft(kind=Kind.GROUP, fragment=Fragment.GROUP_BY, text=f"Groups: {how} {keys}.", columns=columns)
    apart = ", kept apart from subtotals, whose keys are missing too" if levels else ""
    text = f"A missing key ({keys}) forms a group of its own{apart}."
    yield Draft(kind=Kind.NULL, fragment=Fragment.GROUP_BY, text=text, columns=columns)


def _key_outputs(reader: Reader, select: Any, group: Any) -> Iterator[str]:
    keys = {each.sql() for each in group.find_all(exp.Column)}
    for place, item in enumerate(select.selects):
        inner = item.unalias()
        if inner.sql() in keys or inner.find(exp.Grouping) or _is_constant(inner):
            yield from reader.fed_by(select, place)


def _is_constant(node: Any) -> bool:
    return isinstance(node, exp.Null) or (bool(node.find(exp.Literal)) and not node.find(exp.Column))


def _measure(reader: Reader, item: Any) -> Iterator[Draft]:
    value = item.unalias()
    copied = isinstance(value, (exp.Column, exp.Window)) or _is_constant(value)
    if copied and not isinstance(value, exp.AggFunc):
        return
    name = "an unnamed result" if item.alias_or_name.startswith("_col_") else item.alias_or_name
    yield Draft(
        kind=Kind.METRIC,
        fragment=Fragment.SELECT,
        text=f"The value of {name} is {say(value)}.",
        columns=unique((*reader.lineage(value), *reader.fed_through(item))),
    )


def _label(reader: Reader, item: Any) -> Iterator[Draft]:
    texts = [each for each in item.find_all(exp.Literal) if each.is_string]
    value = item.unalias()
    if texts and isinstance(value, (exp.Literal, exp.Concat, exp.DPipe)):
        values = say_list(each.sql() for each in texts)
        text = f"The column {item.alias_or_name} carries the text {values}, exactly."
        columns = unique((*reader.fed_through(item), *reader.lineage(value)))
        yield Draft(kind=Kind.LITERAL, fragment=Fragment.SELECT, text=text, columns=columns)


def _windows(reader: Reader, select: Any) -> Iterator[Draft]:
    for window in own(select, exp.Window):
        parts = window.args.get("partition_by") or []
        order = window.args.get("order")
        within = f"within {say_list(map(say, parts))}" if parts else "over all rows"
        name = f"The window function {say(window.this)}"
        # Two requirements where there is an order: what splits the rows, and what goes by which order.
        subject = name if order is None else "The window"
        yield _window(reader, window, f"{subject} is taken {within}.", *(parts or [window.this]))
        if order is not None:
            by = say_list(say(key) for key in order.expressions)
            yield _window(reader, window, f"{name} goes by {by}.", window.this, order)


def _window(reader: Reader, window: Any, text: str, *parts: Any) -> Draft:
    outputs = (*reader.fed_through(window), *_part_outputs(reader, window, parts))
    return Draft(
        kind=Kind.WINDOW,
        fragment=Fragment.WINDOW,
        text=text,
        columns=unique((*reader.lineage(*parts), *outputs)),
    )


def _part_outputs(reader: Reader, window: Any, parts: tuple[Any, ...]) -> Iterator[str]:
    """Give the outputs that some of the window's keys are written out as."""
    select = window.find_ancestor(exp.Select)
    texts = {node.sql() for part in parts for node in part.walk()}
    for place, item in enumerate(select.selects):
        if item.unalias().sql() in texts:
            yield from reader.fed_by(select, place)


def _nulls(reader: Reader, select: Any) -> Iterator[Draft]:
    for item in select.selects:
        value = item.unalias()
        outputs = reader.fed_through(item)
        filled = value.find(exp.Coalesce)
        chosen = value.find(exp.Case)
        if filled is not None:
            text = f"In {say(filled)} a missing first value is replaced, and only there."
            columns = unique((*reader.lineage(filled), *outputs))
            yield Draft(kind=Kind.NULL, fragment=Fragment.SELECT, text=text, columns=columns)
        if chosen is not None:
            text = f"The value {say(chosen)} is missing where no branch applies or the branch's value is."
            columns = unique((*reader.lineage(value), *outputs))
            yield Draft(kind=Kind.NULL, fragment=Fragment.SELECT, text=text, columns=columns)
        measured = [
            each
            for each in value.find_all(exp.AggFunc)
            if reader.lineage(each) and not isinstance(each, exp.Grouping)
        ]
        if measured:
            columns = unique((*reader.lineage(*measured), *outputs))
            text = f"The aggregate {say(measured[0])} skips missing values; of none but those it is missing."
            yield Draft(kind=Kind.NULL, fragment=Fragment.SELECT, text=text, columns=columns)

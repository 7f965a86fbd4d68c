"""Methods of DataFrame and GroupedData: which columns come out, and which reads mean nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_lockin.alternatives.python import types
from pytest_lockin.alternatives.python.expressions import column, flatten, of_name, of_sql
from pytest_lockin.alternatives.python.values import UNKNOWN, Attr, Expr, Frame, Grouped, Method, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_lockin.alternatives.python.trace import Trace

Arguments = list[Any]
Keywords = dict[str, Any]
NOWHERE = Frame(None)

SEMI = frozenset(("semi", "leftsemi", "left_semi"))
ANTI = frozenset(("anti", "leftanti", "left_anti"))


def argument(arguments: Arguments, keywords: Keywords, place: int, *names: str) -> Any:
    """Find an argument by place or by any of its names; None where it is not given."""
    if len(arguments) > place:
        return arguments[place]
    return next((keywords[name] for name in names if name in keywords), None)


def _output(trace: Trace, frame: Frame, value: Any, role: str) -> list[Attr] | None:
    """Give the columns an expression of a select list adds; None where not known."""
    made = column(value)
    if made is None:
        return None
    if made.star and made.name == "*":
        return list(frame.attrs) if frame.attrs is not None else None
    if made.star:
        trace.resolve_all(frame, made.reads, role)
        return None
    if made.source is not None:
        attr = trace.resolve(frame, made.source, role)
        if attr is None:
            return [trace.fresh(made.name)]
        return [
            attr if attr.name == made.name else replace(attr, name=str(made.name), uid=next(trace.numbers))
        ]
    trace.resolve_all(frame, made.reads, role)
    return [trace.fresh(made.name, trace.type_in(frame, made))]


def _outputs(trace: Trace, frame: Frame, values: Iterable[Any], role: str) -> Frame:
    attrs: list[Attr] = []
    for value in values:
        added = _output(trace, frame, value, role)
        if added is None:
            return NOWHERE
        attrs += added
    return Frame(tuple(attrs))


def _refuse_mixture(trace: Trace, frame: Frame, values: list[Any], keys: tuple[Expr, ...]) -> None:
    """Note the columns an aggregation reads outside of aggregate functions and keys."""
    known = [made for value in values if (made := column(value)) is not None]
    if (
        frame.attrs is None
        or len(known) != len(values)
        or any(made.star or made.function == "?" for made in known)
    ):
        return
    allowed = {read.name.lower() for key in keys for read in key.reads} | {key.name.lower() for key in keys}
    for made in known:
        trace.errors.update(
            f"neither grouped nor aggregated {read.name}"
            for read in made.bare
            if read.name.lower() not in allowed
        )


def _select(trace: Trace, frame: Frame, arguments: Arguments, _: Keywords) -> Frame:
    values = flatten(arguments)
    if any(isinstance(value, Expr) and value.aggregated for value in values):
        _refuse_mixture(trace, frame, values, ())
    return _outputs(trace, frame, values, "select")


def _select_sql(trace: Trace, frame: Frame, arguments: Arguments, _: Keywords) -> Frame:
    return _outputs(
        trace, frame, [of_sql(v) if isinstance(v, str) else v for v in flatten(arguments)], "select"
    )


def _filter(trace: Trace, frame: Frame, arguments: Arguments, keywords: Keywords) -> Frame:
    value = argument(arguments, keywords, 0, "condition")
    made = of_sql(value) if isinstance(value, str) else value
    if isinstance(made, Expr):
        if made.aggregated:
            trace.errors.add("aggregate in a filter")
        trace.resolve_all(frame, made.reads, "filter")
    return frame


def _join(trace: Trace, frame: Frame, arguments: Arguments, keywords: Keywords) -> Frame:
    other = argument(arguments, keywords, 0, "other")
    if not isinstance(other, Frame):
        return NOWHERE
    on = argument(arguments, keywords, 1, "on")
    how = argument(arguments, keywords, 2, "how")
    kind = how.lower() if isinstance(how, str) else "inner"
    if how is not None and not isinstance(how, str):
        return NOWHERE
    conditions = flatten([on])
    if frame.attrs is None or other.attrs is None:
        return NOWHERE
    if on is not None and all(isinstance(each, str) for each in conditions):
        return _join_on_names(trace, frame, other, conditions, kind)
    both = Frame(frame.attrs + _tell_apart(trace, frame.attrs, other.attrs))
    for each in conditions:
        if isinstance(each, Expr):
            trace.resolve_all(both, each.reads, "join")
    return frame if kind in SEMI | ANTI else both


def _tell_apart(trace: Trace, left: tuple[Attr, ...], right: tuple[Attr, ...]) -> tuple[Attr, ...]:
    """Give the right side of a self-join identities of its own."""
    known = {attr.uid for attr in left}
    return tuple(replace(attr, uid=next(trace.numbers)) if attr.uid in known else attr for attr in right)


def _join_on_names(trace: Trace, left: Frame, right: Frame, names: list[str], kind: str) -> Frame:
    attrs: list[Attr] = []
    for name in names:
        sides = [trace.resolve(side, of_name(name).reads[0], "join") for side in (left, right)]
        chosen = sides[1] if kind.startswith("right") else sides[0]
        attrs.append(chosen or trace.fresh(name))
    lowered = {name.lower() for name in names}
    rest = [attr for attr in left.attrs or () if attr.name.lower() not in lowered]
    if kind not in SEMI | ANTI:
        rest += [attr for attr in right.attrs or () if attr.name.lower() not in lowered]
    return Frame((*attrs, *rest))


def _group(trace: Trace, frame: Frame, arguments: Arguments, _: Keywords) -> Grouped:
    keys = [column(value) for value in flatten(arguments)]
    known = tuple(key for key in keys if key is not None)
    for key in known:
        trace.resolve_all(frame, key.reads, "group")
    return Grouped(frame, known if len(known) == len(keys) else None)


def _group_by_levels(trace: Trace, frame: Frame, arguments: Arguments, keywords: Keywords) -> Grouped:
    return replace(_group(trace, frame, arguments, keywords), levels=True)


def _aggregate_all(trace: Trace, frame: Frame, arguments: Arguments, _: Keywords) -> Frame:
    return aggregate(trace, Grouped(frame, ()), "agg", arguments)


def aggregate(trace: Trace, grouped: Grouped, method: str, arguments: Arguments) -> Frame:
    """Call a method of GroupedData."""
    values = flatten(arguments)
    frame = grouped.frame
    if method == "count":
        values = [Expr(name="count", type="bigint", aggregated=True)]
    elif method != "agg" or any(isinstance(value, dict) for value in values):
        trace.resolve_all(
            frame, [r for v in values if isinstance(v, str) for r in of_name(v).reads], "measure"
        )
        return NOWHERE
    _refuse_mixture(trace, frame, values, grouped.keys or ())
    _refuse_levels(trace, grouped, values)
    if grouped.keys is None:
        for value in values:
            _output(trace, frame, value, "measure")
        return NOWHERE
    keys = _outputs(trace, frame, grouped.keys, "group")
    measures = _outputs(trace, frame, values, "measure")
    return NOWHERE if keys.attrs is None or measures.attrs is None else Frame(keys.attrs + measures.attrs)


def _refuse_levels(trace: Trace, grouped: Grouped, values: list[Any]) -> None:
    """Note grouping() of what is no key of a rollup or cube."""
    keys = {
        key.source.name.lower() for key in grouped.keys or () if key.source and key.name == key.source.name
    }
    for value in values:
        for name in _asked_levels(value):
            if not grouped.levels or (grouped.keys is not None and name and name.lower() not in keys):
                trace.errors.add(f"grouping() of {name}, which is no key")


def _asked_levels(value: Any) -> list[str]:
    if not isinstance(value, Expr):
        return []
    if value.function in ("grouping", "grouping_id"):
        return [read.name for read in value.reads] or [""]
    return [name for operand in value.operands for name in _asked_levels(operand)]


def _with_column(trace: Trace, frame: Frame, arguments: Arguments, keywords: Keywords) -> Frame:
    name = argument(arguments, keywords, 0, "colName")
    value = argument(arguments, keywords, 1, "col")
    return _set_column(trace, frame, name, value)


def _set_column(trace: Trace, frame: Frame, name: Any, value: Any) -> Frame:
    if not isinstance(name, str):
        return NOWHERE
    if isinstance(name, Text) and name.node is not None:
        trace.names.add(name.node)
    made = column(value, named=False)
    if made is not None:
        if made.aggregated:
            trace.errors.add("aggregate in a column")
        trace.resolve_all(frame, made.reads, "measure")
    if frame.attrs is None:
        return frame
    new = trace.fresh(name, trace.type_in(frame, made) if made is not None else "")
    if any(attr.name.lower() == name.lower() for attr in frame.attrs):
        return Frame(tuple(new if attr.name.lower() == name.lower() else attr for attr in frame.attrs))
    return Frame((*frame.attrs, new))


def _with_columns(trace: Trace, frame: Frame, arguments: Arguments, _: Keywords) -> Frame:
    made = frame
    for name, value in (
        arguments[0].items() if arguments and isinstance(arguments[0], dict) else [(None, None)]
    ):
        made = _set_column(trace, made, name, value)
    return made


def _rename(trace: Trace, frame: Frame, arguments: Arguments, keywords: Keywords) -> Frame:
    old, new = argument(arguments, keywords, 0, "existing"), argument(arguments, keywords, 1, "new")
    pairs = old if isinstance(old, dict) else {old: new}
    if frame.attrs is None or not all(isinstance(part, str) for pair in pairs.items() for part in pair):
        return NOWHERE
    names = {str(key).lower(): str(value) for key, value in pairs.items()}
    for value in pairs.values():
        if isinstance(value, Text) and value.node is not None:
            trace.names.add(value.node)
    return Frame(
        tuple(
            replace(attr, name=names[attr.name.lower()], uid=next(trace.numbers))
            if attr.name.lower() in names
            else attr
            for attr in frame.attrs
        )
    )


def _drop(trace: Trace, frame: Frame, arguments: Arguments, _: Keywords) -> Frame:
    if frame.attrs is None:
        return frame
    gone: set[int] = set()
    for value in flatten(arguments):
        made = column(value)
        if made is None:
            return NOWHERE
        if isinstance(value, str):
            gone |= {attr.uid for attr in frame.attrs if attr.name.lower() == value.lower()}
        elif made.source is not None and (attr := trace.resolve(frame, made.source, "select")):
            gone.add(attr.uid)
    return Frame(tuple(attr for attr in frame.attrs if attr.uid not in gone))


def _read_names(trace: Trace, frame: Frame, arguments: Arguments, keywords: Keywords) -> Frame:
    """Pass rows on, reading a subset of columns by name."""
    for value in flatten([*arguments, keywords.get("subset")]):
        if isinstance(value, str) and value not in ("any", "all"):
            trace.resolve_all(frame, of_name(value).reads, "subset")
    return frame


def _fill(trace: Trace, frame: Frame, arguments: Arguments, keywords: Keywords) -> Frame:
    value = argument(arguments, keywords, 0, "value")
    for each in value.values() if isinstance(value, dict) else [value]:
        trace.mark(each, "fill")
    return _read_names(trace, frame, arguments[1:], keywords)


def _sort(trace: Trace, frame: Frame, arguments: Arguments, _: Keywords) -> Frame:
    for value in flatten(arguments):
        made = column(value)
        if made is not None:
            trace.resolve_all(frame, made.reads, "sort")
    return frame


def _limit(trace: Trace, frame: Frame, arguments: Arguments, keywords: Keywords) -> Frame:
    trace.mark([*arguments, *keywords.values()], "limit")
    return frame


def _union(trace: Trace, frame: Frame, arguments: Arguments, keywords: Keywords) -> Frame:
    other = argument(arguments, keywords, 0, "other")
    if not isinstance(other, Frame) or frame.attrs is None or other.attrs is None:
        return NOWHERE
    if len(frame.attrs) != len(other.attrs):
        trace.errors.add("sides of a set operation have different columns")
        return NOWHERE
    for mine, its in zip(frame.attrs, other.attrs, strict=True):
        _refuse_types(trace, mine, its)
    return Frame(tuple(replace(attr, uid=next(trace.numbers)) for attr in frame.attrs))


def _refuse_types(trace: Trace, mine: Attr, its: Attr) -> None:
    families = {types.family(attr.type) for attr in (mine, its) if attr.type}
    if families in ({"date", "number"}, {"boolean", "number"}, {"date", "boolean"}):
        trace.errors.add(f"types of {mine.name} do not go together")


def _union_by_name(trace: Trace, frame: Frame, arguments: Arguments, keywords: Keywords) -> Frame:
    other = argument(arguments, keywords, 0, "other")
    if not isinstance(other, Frame) or frame.attrs is None or other.attrs is None:
        return NOWHERE
    if argument(arguments, keywords, 1, "allowMissingColumns"):
        return NOWHERE
    mine, its = (sorted(attr.name.lower() for attr in side.attrs or ()) for side in (frame, other))
    if mine != its:
        trace.errors.add("sides of a set operation have different names")
    return Frame(tuple(replace(attr, uid=next(trace.numbers)) for attr in frame.attrs))


def _alias(_: Trace, frame: Frame, arguments: Arguments, keywords: Keywords) -> Frame:
    name = argument(arguments, keywords, 0, "alias")
    if frame.attrs is None or not isinstance(name, str):
        return frame
    return Frame(tuple(replace(attr, qualifier=str(name)) for attr in frame.attrs))


def _name_all(trace: Trace, frame: Frame, arguments: Arguments, _: Keywords) -> Frame:
    names = flatten(arguments)
    if frame.attrs is None or not all(isinstance(name, str) for name in names):
        return NOWHERE
    for name in names:
        if isinstance(name, Text) and name.node is not None:
            trace.names.add(name.node)
    if len(names) != len(frame.attrs):
        trace.errors.add("toDF with another number of names")
        return NOWHERE
    return Frame(
        tuple(
            replace(attr, name=str(name), uid=next(trace.numbers))
            for attr, name in zip(frame.attrs, names, strict=True)
        )
    )


def _same(_: Trace, frame: Frame, __: Arguments, ___: Keywords) -> Frame:
    return frame


_SAME = "cache persist unpersist hint repartition coalesce checkpoint localCheckpoint distinct sample"
METHODS: dict[str, Callable[[Trace, Frame, Arguments, Keywords], Any]] = {
    **dict.fromkeys(_SAME.split(), _same),
    **dict.fromkeys(("limit", "offset"), _limit),
    **dict.fromkeys(("filter", "where"), _filter),
    **dict.fromkeys(("join", "crossJoin"), _join),
    **dict.fromkeys(("groupBy", "groupby"), _group),
    **dict.fromkeys(("rollup", "cube"), _group_by_levels),
    **dict.fromkeys(("orderBy", "sort", "sortWithinPartitions"), _sort),
    **dict.fromkeys(("union", "unionAll", "intersect", "intersectAll", "subtract", "exceptAll"), _union),
    **dict.fromkeys(("dropDuplicates", "drop_duplicates", "dropna"), _read_names),
    **dict.fromkeys(("withColumnRenamed", "withColumnsRenamed"), _rename),
    "select": _select,
    "selectExpr": _select_sql,
    "agg": _aggregate_all,
    "withColumn": _with_column,
    "withColumns": _with_columns,
    "drop": _drop,
    "fillna": _fill,
    "unionByName": _union_by_name,
    "alias": _alias,
    "toDF": _name_all,
}
GROUPED = frozenset(["agg", "count", "sum", "avg", "mean", "max", "min"])


def read_member(trace: Trace, frame: Frame, name: str, node: Any) -> Any:
    """Read `frame.name`: a method, the list of columns, or a column."""
    if name in METHODS or name == "transform":
        return Method(frame, name)
    if name == "na":
        return Method(frame, "na")
    if name == "columns":
        return [attr.name for attr in frame.attrs] if frame.attrs is not None else UNKNOWN
    return read_item(trace, frame, name, node) if _holds(frame, name) else Method(frame, name)


def _holds(frame: Frame, name: str) -> bool:
    return any(attr.name.lower() == name.lower() for attr in frame.attrs or ())


def read_item(trace: Trace, frame: Frame, name: str, node: Any) -> Any:
    """Read `frame["name"]`: a column bound to this frame."""
    plain = of_name(name)
    if frame.attrs is None or plain.star or plain.source is None:
        return plain
    attr = trace.resolve(frame, replace(plain.source, node=node), "select")
    if attr is None:
        return plain
    read = replace(plain.source, node=node, uid=attr.uid)
    return replace(plain, reads=(read,), bare=(read,), source=read)

"""Laws of the comparison, and a naive oracle it must agree with on small tables."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_lockin.frames import Frame, Rules, Tolerance, agree, compare
from pytest_lockin.frames.store import digest_frame
from pytest_lockin.model.agreement import NotComparable, RowCountDiffers, RowsDiffer

LAW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
WIDE = Tolerance(relative=0.0, absolute=1.0)
MIXED = Tolerance(relative=0.2, absolute=0.3)
STEEP = Tolerance(relative=0.7)

CHAINED = st.sampled_from([0.0, 0.6, 1.2, 1.8, 2.4, 3.0])
"""Under `WIDE` each is close to its neighbours and to no other: long chains, no cliques."""
FLOATS = st.sampled_from(
    [None, math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, 1.0 + 6e-10, 1.0 + 1.2e-9, 1.5, 2.4, 3.0, -7e9]
)
TEXTS = st.sampled_from([None, "", "a", "a ", "b", "é"])
INTS = st.sampled_from([None, 0, 1, -1, 2**40])
KINDS = {
    "double": (pa.float64(), FLOATS),
    "float": (pa.float32(), st.sampled_from([None, math.nan, 0.0, -0.0, 0.5, 1.5])),
    "int": (pa.int64(), INTS),
    "text": (pa.string(), TEXTS),
    "flag": (pa.bool_(), st.sampled_from([None, True, False])),
    "decimal": (pa.decimal128(12, 2), st.sampled_from([None, Decimal("1.50"), Decimal("1.51"), Decimal(0)])),
    "day": (pa.date32(), st.sampled_from([None, dt.date(2024, 1, 1), dt.date(1, 1, 1)])),
    "instant": (
        pa.timestamp("us", "UTC"),
        st.sampled_from(
            [None, dt.datetime(2024, 1, 1, tzinfo=dt.UTC), dt.datetime(2024, 1, 1, 0, 0, 0, 1, tzinfo=dt.UTC)]
        ),
    ),
    "bytes": (pa.binary(), st.sampled_from([None, b"", b"\x00", b"\x00\xff"])),
    "doubles": (pa.list_(pa.float64()), st.none() | st.lists(FLOATS, max_size=2)),
    "lists": (
        pa.list_(pa.list_(pa.int64())),
        st.none() | st.lists(st.none() | st.lists(INTS, max_size=2), max_size=2),
    ),
    "map": (
        pa.map_(pa.string(), pa.float64()),
        st.none()
        | st.dictionaries(st.sampled_from(["a", "b", "c"]), FLOATS, max_size=2).map(
            lambda d: list(d.items())
        ),
    ),
    "struct": (
        pa.struct([("x", pa.float64()), ("y", pa.string())]),
        st.none() | st.fixed_dictionaries({"x": FLOATS, "y": TEXTS}),
    ),
    "deep": (
        pa.list_(pa.struct([("m", pa.map_(pa.string(), pa.int64())), ("v", pa.float64())])),
        st.none()
        | st.lists(
            st.none()
            | st.fixed_dictionaries(
                {
                    "m": st.none()
                    | st.dictionaries(st.sampled_from(["k", "l"]), INTS, max_size=2).map(
                        lambda d: list(d.items())
                    ),
                    "v": FLOATS,
                }
            ),
            max_size=2,
        ),
    ),
}


def build(kinds, rows):
    names = [f"{kind}_{i}" for i, kind in enumerate(kinds)]
    arrays = [pa.array([row[i] for row in rows], KINDS[kind][0]) for i, kind in enumerate(kinds)]
    return Frame.of(pa.table(dict(zip(names, arrays, strict=True))))


@st.composite
def tables(draw, least=0, most=6):
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=3))
    row = st.tuples(*(KINDS[k][1] for k in kinds))
    return kinds, draw(st.lists(row, min_size=least, max_size=most))


@st.composite
def two_tables(draw):
    """Two tables of one layout; the second is often the first with some rows changed and shuffled."""
    kinds, rows = draw(tables())
    row = st.tuples(*(KINDS[k][1] for k in kinds))
    others = draw(st.permutations(rows)) if draw(st.booleans()) else draw(st.lists(row, max_size=6))
    others = list(others)
    if others and draw(st.booleans()):
        others[draw(st.integers(0, len(others) - 1))] = draw(row)
    return kinds, rows, others


def same(one, other, tolerance):  # noqa: PLR0911 - one return a type
    """The naive reading of "equal": recursive, on Python values."""
    if one is None or other is None:
        return one is None and other is None
    if isinstance(one, float):
        if not (math.isfinite(one) and math.isfinite(other)):
            return one == other or (math.isnan(one) and math.isnan(other))
        reach = tolerance.absolute + (tolerance.relative + 4.5e-16) * max(abs(one), abs(other))
        return one == other or abs(one - other) <= reach
    if isinstance(one, dict):
        return all(same(one[k], other[k], tolerance) for k in one)
    if isinstance(one, list):
        if one and isinstance(one[0], tuple):
            one, other = sorted(one, key=lambda e: e[0]), sorted(other, key=lambda e: e[0])
        return len(one) == len(other) and all(same(a, b, tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, tuple):
        return all(same(a, b, tolerance) for a, b in zip(one, other, strict=True))
    return one == other


def largest_matching(left, right, tolerance):
    """Try every assignment, the simplest way there is."""
    close = [[same(a, b, tolerance) for b in right] for a in left]

    def best(i, used):
        if i == len(left):
            return 0
        out = best(i + 1, used)
        for j in range(len(right)):
            if close[i][j] and j not in used:
                out = max(out, 1 + best(i + 1, used | {j}))
        return out

    return best(0, frozenset())


def count_surplus(differences):
    assert not [d for d in differences if isinstance(d, NotComparable)]
    rows = [d for d in differences if isinstance(d, RowsDiffer)]
    return (rows[0].missing + rows[0].changed, rows[0].extra + rows[0].changed) if rows else (0, 0)


def rows_of(frame):
    return [tuple(row.values()) for row in frame.table.to_pylist()]


@LAW
@given(two_tables(), st.sampled_from([Tolerance(), WIDE, Tolerance(relative=0.0)]))
def test_agrees_with_the_naive_oracle(case, tolerance):
    kinds, rows, others = case
    left, right = build(kinds, rows), build(kinds, others)
    matched = largest_matching(rows_of(left), rows_of(right), tolerance)
    differences = compare(left, right, Rules(floats=tolerance))
    assert count_surplus(differences) == (len(rows) - matched, len(others) - matched)


@settings(LAW, max_examples=500)
@given(st.integers(1, 3), st.sampled_from([WIDE, MIXED, STEEP]), st.data())
def test_tolerance_is_one_to_one_along_chains_of_close_values(width, tolerance, data):
    row = st.tuples(*[CHAINED] * width)
    rows = data.draw(st.lists(row, max_size=6))
    others = data.draw(
        st.permutations(rows).map(lambda some: [tuple(x + 0.6 for x in r) for r in some])
        | st.lists(row, max_size=6)
    )
    others = [tuple(min(x, 3.0) for x in r) for r in others]
    matched = largest_matching(rows, others, tolerance)
    differences = compare(
        build(["double"] * width, rows), build(["double"] * width, others), Rules(floats=tolerance)
    )
    assert count_surplus(differences) == (len(rows) - matched, len(others) - matched)


@LAW
@given(tables())
def test_every_table_equals_itself(case):
    kinds, rows = case
    frame = build(kinds, rows)
    assert compare(frame, frame) == ()
    assert compare(frame, build(kinds, rows)) == ()
    assert agree(frame, build(kinds, rows)).agrees


@LAW
@given(two_tables())
def test_counts_swap_with_the_sides(case):
    kinds, rows, others = case
    left, right = build(kinds, rows), build(kinds, others)
    forth, back = compare(left, right), compare(right, left)
    assert count_surplus(forth) == count_surplus(back)[::-1]
    assert agree(left, right).agrees == agree(right, left).agrees


@LAW
@given(two_tables(), st.randoms())
def test_row_order_and_chunking_are_not_seen(case, random):
    kinds, rows, others = case
    shuffled = list(others)
    random.shuffle(shuffled)
    cut = random.randint(0, len(shuffled))
    parts = [build(kinds, shuffled[:cut]).table, build(kinds, shuffled[cut:]).table]
    chunked = Frame.of(pa.concat_tables(parts))
    sliced = Frame.of(build(kinds, [*rows, *rows]).table.slice(len(rows)))
    expected = count_surplus(compare(build(kinds, rows), build(kinds, others)))
    assert count_surplus(compare(build(kinds, rows), chunked)) == expected
    assert count_surplus(compare(sliced, chunked)) == expected


@LAW
@given(tables(least=1), st.data())
def test_one_row_less_is_one_missing_row(case, data):
    kinds, rows = case
    gone = data.draw(st.integers(0, len(rows) - 1))
    rest = [row for i, row in enumerate(rows) if i != gone]
    differences = compare(build(kinds, rows), build(kinds, rest))
    assert RowCountDiffers(expected=len(rows), found=len(rest)) in differences
    rows_differ = next(d for d in differences if isinstance(d, RowsDiffer))
    assert (rows_differ.missing, rows_differ.extra, rows_differ.changed) == (1, 0, 0)


@LAW
@given(tables(), st.integers(0, 6))
def test_digest_is_blind_to_chunking_and_slicing(case, cut):
    kinds, rows = case
    whole = build(kinds, rows)
    cut = min(cut, len(rows))
    parts = Frame.of(pa.concat_tables([build(kinds, rows[:cut]).table, build(kinds, rows[cut:]).table]))
    sliced = Frame.of(build(kinds, [*rows, *rows]).table.slice(len(rows)))
    assert digest_frame(whole) == digest_frame(parts) == digest_frame(sliced)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_inputs_stay_as_they_were(kind):
    value = KINDS[kind][0]
    table = pa.table({"ACCT": pa.nulls(2, value), "x": [1.5, -0.0]})
    before = table.to_pylist(), table.schema
    compare(Frame.of(table), Frame.of(table.slice(1)), Rules(bag_columns=("acct",)))
    assert (table.to_pylist(), table.schema) == before

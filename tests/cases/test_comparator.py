"""Faults users reported of other comparers, each with what ours must say (A01 ... A58).

Where a fault lives in Spark itself (a session's zone, the road from the JVM to Python), the case is modelled
at the Arrow level: the form in which the values reach the comparison.
"""

# ruff: noqa: DTZ001 - timestamps without a zone are part of the subject

from __future__ import annotations

import datetime as dt
import json
import sys
import warnings
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from pytest_lockin.frames import (
    CaseOfNames,
    Frame,
    Rules,
    SortKey,
    Tolerance,
    agree,
    assert_frames_equal,
    check_order,
    compare,
    limit_cuts_tie,
    render_differences,
)
from pytest_lockin.model.agreement import (
    Category,
    ColumnCountDiffers,
    NameDiffers,
    OrderDiffers,
    Relaxation,
    RowCountDiffers,
    RowsDiffer,
    TypeDiffers,
)

NAN, INF = float("nan"), float("inf")


def column(values, kind=None, name="c"):
    return Frame.of(pa.table({name: pa.array(values, kind)}))


def frame(**columns):
    return Frame.of(pa.table(columns))


def positional(rows, names):
    """A table that may hold a name twice."""
    arrays = [pa.array(list(values)) for values in zip(*rows, strict=True)]
    return Frame.of(pa.Table.from_arrays(arrays, names=names))


def spark_frame(table, *types, names=None):
    """A frame with a Spark schema: what the Arrow form alone would not tell."""
    names = names or table.column_names
    fields = [
        {"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in zip(names, types, strict=True)
    ]
    return Frame.of(table, json.dumps({"type": "struct", "fields": fields}))


def is_equal(left, right, **rules):
    return agree(left, right, Rules(**rules)).agrees


def kinds(differences):
    return [type(d) for d in differences]


def rows_of(differences):
    return next(d for d in differences if isinstance(d, RowsDiffer))


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ([1.0], [NAN], False),
        ([1.0], [INF], False),
        ([INF], [-INF], False),
        ([NAN], [NAN], True),
        ([INF], [INF], True),
    ],
)
def test_a01_nan_and_infinity_are_judged_by_kind_before_any_tolerance(left, right, equal):
    for tolerance in (Tolerance(), Tolerance(relative=0.5, absolute=1e300)):
        assert is_equal(column(left), column(right), floats=tolerance) is equal
        assert is_equal(column(right), column(left), floats=tolerance) is equal


def test_a02_decimals_are_exact_by_default():
    money = pa.decimal128(12, 2)
    assert not is_equal(column([Decimal("100000.00")], money), column([Decimal("100000.99")], money))
    assert not is_equal(column([Decimal("100000.00")], money), column([Decimal("100000.01")], money))


def test_a03_the_default_tolerance_shows_a_unit_error_in_a_large_sum_and_is_printed():
    differences = compare(column([1000000.0]), column([1000009.0]))
    assert rows_of(differences).missing == rows_of(differences).extra == 1
    assert "floats compared within 1e-09 relative" in "\n".join(render_differences(differences))
    assert agree(column([1.0]), column([1.0])).notes == ("floats compared within 1e-09 relative",)


def test_a04_nan_equals_nan_in_every_mode():
    for tolerance in (Tolerance(), Tolerance(relative=0.0), Tolerance(relative=0.0, absolute=1.0)):
        assert is_equal(column([NAN, 1.0]), column([1.0, NAN]), floats=tolerance)
    other_bits = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)
    assert is_equal(column([NAN]), column(other_bits))


def test_a06_null_is_not_nan():
    assert not is_equal(column([None], pa.float64()), column([NAN], pa.float64()))


def test_a07_minus_zero_equals_zero_unless_bits_are_asked_for():
    left = frame(x=[-0.0, 0.0], k=["b", "c"])
    right = frame(x=[0.0, 0.0], k=["b", "c"])
    assert is_equal(left, right)
    assert is_equal(left, frame(x=[0.0, 0.0], k=["c", "b"]))
    assert not is_equal(left, right, strict_zero=True)
    assert not is_equal(left, right, strict_zero=True, floats=Tolerance(relative=0.0))


def test_a08_another_scale_is_a_finding_about_the_type_and_none_about_the_value():
    left = column([Decimal("1.50")], pa.decimal128(10, 2))
    right = column([Decimal("1.5000")], pa.decimal128(10, 4))
    assert compare(left, right) == (
        TypeDiffers(position=0, column="c", expected="decimal(10,2)", found="decimal(10,4)"),
    )
    answer = agree(left, right)
    assert (answer.agrees, answer.category, answer.recovered_by) == (
        False,
        Category.PRECISION,
        (Relaxation.TYPES,),
    )


def test_a10_rows_are_not_paired_by_a_noisy_float():
    left = frame(x=[1.0000000001, 1.0], k=["a", "b"])
    right = frame(x=[1.0, 1.0000000001], k=["a", "b"])
    assert is_equal(left, right)
    assert is_equal(left, frame(x=[1.0000000001, 1.0], k=["b", "a"]))


def test_a12_a_row_on_one_side_only_is_seen_in_both_directions():
    left, right = positional([(1, "one")], ["n", "t"]), positional([(1, "oneone")], ["n", "t"])
    assert rows_of(compare(left, right)).changed == 1
    assert rows_of(compare(right, left)).changed == 1


def test_a13_duplicates_count():
    assert not is_equal(column(["a", "a", "b"]), column(["a", "b", "b"]))
    assert not is_equal(column(["a", "a", "b"]), column(["a", "b"]))


def test_a14_multiplicity_counts():
    differences = compare(column([2, 2]), column([2]))
    assert RowCountDiffers(expected=2, found=1) in differences
    assert (rows_of(differences).missing, rows_of(differences).extra) == (1, 0)


def test_a15_no_key_is_needed():
    names = ["k", "v"]
    assert is_equal(positional([(1, 1), (1, 2)], names), positional([(1, 2), (1, 1)], names))


def test_a17_renamed_and_shuffled_columns_are_matched_without_trying_all_orders():
    rng = np.random.default_rng(1)
    values = {f"c{i}": rng.integers(0, 50, 500) for i in range(26)}
    left = frame(**values)
    order = rng.permutation(26)
    right = Frame.of(
        pa.Table.from_arrays([left.table.column(int(i)) for i in order], names=[f"x{i}" for i in range(26)])
    )
    answer = agree(left, right)
    assert not answer.agrees
    assert answer.recovered_by == (Relaxation.COLUMN_ORDER, Relaxation.NAMES)
    assert answer.category is Category.COLUMN_ORDER


def test_a17_alike_columns_do_not_explode():
    left = frame(**{f"c{i}": [1, 2, 3, 4] for i in range(26)})
    right = frame(**{f"x{i}": [1, 2, 3, 5] for i in range(26)})
    assert agree(left, right).recovered_by == ()


def test_a19_maps_are_compared_as_maps():
    kind = pa.map_(pa.string(), pa.int32())
    left = column([[("z", 1), ("a", 2)], [("m", 3), ("n", 4)]], kind)
    assert is_equal(left, column([[("a", 2), ("z", 1)], [("m", 3), ("n", 4)]], kind))
    assert is_equal(left, column([[("n", 4), ("m", 3)], [("a", 2), ("z", 1)]], kind))


def test_a20_maps_at_any_depth_are_compared_and_never_crash():
    flat = pa.map_(pa.string(), pa.int32())
    assert not is_equal(column([[("a", 1)]], flat), column([[("a", 2)]], flat))
    deep = pa.list_(pa.struct([("m", flat)]))
    left = column([[{"m": [("a", 1), ("b", 2)]}]], deep)
    assert is_equal(left, column([[{"m": [("b", 2), ("a", 1)]}]], deep))
    assert not is_equal(left, column([[{"m": [("b", 1), ("a", 2)]}]], deep))


def test_a21_columns_are_addressed_by_position():
    names = ["a", "a"]
    left = positional([(1, 2)], names)
    assert not is_equal(left, positional([(1, 3)], names))
    assert not is_equal(left, positional([(2, 1)], names))
    assert rows_of(compare(left, positional([(1, 3)], names))).columns == ((1, "a", 1),)


def test_a23_a_name_in_another_case_is_a_finding_with_a_policy():
    left, right = column([1], name="ID"), column([1], name="id")
    finding = NameDiffers(position=0, expected="ID", found="id", case_only=True)
    assert compare(left, right) == (finding,)
    assert agree(left, right).agrees
    assert compare(left, right, Rules(names=CaseOfNames.IGNORE)) == ()
    strict = agree(left, right, Rules(names=CaseOfNames.DIFFERENT))
    assert (strict.agrees, strict.category, strict.recovered_by) == (
        False,
        Category.ALIAS,
        (Relaxation.NAMES,),
    )
    with pytest.warns(UserWarning, match="case only"):
        assert_frames_equal(left, right)


def test_a24_dots_in_names_are_part_of_the_name():
    differences = compare(column([1], name="a.b"), column([9], name="a.b"))
    assert rows_of(differences).missing == 1
    assert "a.b=1" in "\n".join(render_differences(differences))


def test_a25_deep_field_order_is_an_option():
    left = column([[{"x": 1, "y": 2}]], pa.list_(pa.struct([("x", pa.int32()), ("y", pa.int32())])))
    right = column([[{"y": 2, "x": 1}]], pa.list_(pa.struct([("y", pa.int32()), ("x", pa.int32())])))
    assert not is_equal(left, right)
    assert is_equal(left, right, field_order=False)
    swapped = column([[{"y": 1, "x": 2}]], right.table.schema.types[0])
    assert not is_equal(left, swapped, field_order=False)


def test_a26_nullability_is_ignored_at_every_depth():
    loose = pa.list_(pa.field("element", pa.int32(), nullable=True))
    tight = pa.list_(pa.field("element", pa.int32(), nullable=False))
    assert compare(column([[1, 2]], loose), column([[1, 2]], tight)) == ()
    spark = [{"type": "array", "elementType": "integer", "containsNull": flag} for flag in (True, False)]
    table = pa.table({"c": pa.array([[1, 2]], loose)})
    assert compare(spark_frame(table, spark[0]), spark_frame(table, spark[1])) == ()


def test_a27_column_metadata_is_ignored():
    plain = pa.table({"c": [1]})
    noted = plain.cast(pa.schema([pa.field("c", pa.int64(), metadata={"comment": "a key"})]))
    assert compare(Frame.of(plain), Frame.of(noted)) == ()


def test_a28_the_schema_is_checked_although_both_are_empty():
    left, right = column([], pa.int32(), "a"), column([], pa.string(), "a")
    assert compare(left, right) == (TypeDiffers(position=0, column="a", expected="int", found="string"),)
    assert agree(left, right).category is Category.STRUCTURE


def test_a30_microseconds_count():
    moment = dt.datetime(2024, 1, 1, 12, 0, 0, 1)
    assert not is_equal(column([moment]), column([moment.replace(microsecond=2)]))


def test_a31_instants_are_compared_whatever_zone_a_column_is_labelled_with():
    moment = dt.datetime(2024, 6, 1, 12, tzinfo=dt.UTC)
    left = column([moment], pa.timestamp("us", "UTC"))
    assert is_equal(left, column([moment], pa.timestamp("us", "Asia/Tokyo")))
    assert is_equal(left, column([moment], pa.timestamp("ns", "UTC")))
    assert is_equal(left, column([moment], pa.timestamp("s", "UTC")))


def test_a32_the_two_instants_of_a_dst_fold_differ():
    kind = pa.timestamp("us", "America/New_York")
    early, late = (dt.datetime(2024, 11, 3, hour, 30, tzinfo=dt.UTC) for hour in (5, 6))
    differences = compare(column([early], kind), column([late], kind))
    text = "\n".join(render_differences(differences))
    assert "05:30:00Z" in text
    assert "06:30:00Z" in text


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_a34_years_python_lacks_are_compared_and_shown(zone):
    day = 86_400_000_000
    far = 253_402_300_800_000_000
    kind = pa.timestamp("us", zone)
    left, right = column([far], pa.int64()), column([far + day], pa.int64())
    left, right = (Frame.of(f.table.cast(pa.schema([("c", kind)]))) for f in (left, right))
    assert is_equal(left, left)
    text = "\n".join(render_differences(compare(left, right)))
    assert "10000-01-01" in text
    assert "10000-01-02" in text
    nanoseconds = column([dt.datetime(2024, 1, 1)], pa.timestamp("ns", zone))
    assert not is_equal(left, nanoseconds)


def test_a35_days_of_the_old_calendar_are_shown_as_they_arrive():
    """The engine reads both sides with the same settings; a shift that reaches Arrow is not hidden."""
    left = column([dt.datetime(1000, 1, 1, 12, 34, 56)])
    right = column([dt.datetime(1000, 1, 6, 12, 34, 56)])
    text = "\n".join(render_differences(compare(left, right)))
    assert "1000-01-01 12:34:56" in text
    assert "1000-01-06 12:34:56" in text


def test_a36_char_padding_is_shown_and_has_a_policy():
    left = frame(k=[1, 2, 3], c=["ab  ", "x", "y"])
    right = frame(k=[1, 2, 3], c=["ab", "x", "y"])
    text = "\n".join(render_differences(compare(left, right)))
    assert "expected 'ab  ', found 'ab'" in text
    assert "trailing blanks" in text
    padded = spark_frame(left.table, "long", "char(4)")
    plain = spark_frame(right.table, "long", "char(4)")
    assert not is_equal(padded, plain)
    assert is_equal(padded, plain, char_padding=False)
    string = spark_frame(left.table, "long", "string"), spark_frame(right.table, "long", "string")
    assert not is_equal(*string, char_padding=False)


def test_a38_intervals_of_months_are_compared_as_the_engine_renders_them():
    left = spark_frame(pa.table({"c": ["INTERVAL '1-2' YEAR TO MONTH"]}), "interval year to month")
    right = spark_frame(pa.table({"c": ["INTERVAL '1-3' YEAR TO MONTH"]}), "interval year to month")
    assert is_equal(left, left)
    assert kinds(compare(left, right)) == [RowsDiffer]
    months = pa.month_day_nano_interval()
    assert not is_equal(column([(14, 0, 0)], months), column([(15, 0, 0)], months))
    assert is_equal(column([(14, 0, 0), None], months), column([None, (14, 0, 0)], months))


def test_a39_bytes_are_compared_by_content():
    kind = pa.list_(pa.binary())
    assert not is_equal(column([[b"\x00\xff"]], kind), column([[b"\x00\xfe"]], kind))
    assert is_equal(column([[b"\x00\xff"]], kind), column([[b"\x00\xff"]], pa.list_(pa.large_binary())))


def test_a40_variants_are_compared_as_json():
    def variant(*texts):
        return spark_frame(pa.table({"v": pa.array(texts)}), "variant")

    assert not is_equal(variant('{"a":1}'), variant('{"a":2}'))
    assert not is_equal(variant('{"a":1}'), variant('{"a":"1"}'))
    assert is_equal(variant('{"a":1,"b":[2]}', None), variant(None, '{"b": [2], "a": 1}'))


def test_a42_frames_without_columns_differ_by_their_row_count():
    empty = pa.table({})
    assert kinds(compare(Frame(table=empty, rows=3), Frame(table=empty, rows=2))) == [RowCountDiffers]
    assert is_equal(Frame(table=empty, rows=3), Frame(table=empty, rows=3))


def test_a43_a_total_mismatch_is_a_normal_case():
    differences = compare(column(["a"]), column(["b"]))
    assert render_differences(differences) == (
        "rows: 1 missing, 1 extra",
        "  missing: c='a'",
        "  extra: c='b'",
    )


def test_a44_six_hundred_columns_are_fine():
    left = {f"c{i}": [i, i + 1] for i in range(600)}
    right = {**left, "c599": [599, 0]}
    differences = compare(frame(**left), frame(**right))
    assert rows_of(differences).columns == ((599, "c599", 1),)
    assert len(render_differences(differences)) < 15


def test_a45_one_wrong_cell_of_a_long_table_is_told_in_a_few_lines():
    left = frame(day=list(range(365)), sold=[i * 1.5 for i in range(365)], shop=["s"] * 365)
    sold = [i * 1.5 for i in range(365)]
    sold[200] = 7.0
    differences = compare(left, frame(day=list(range(365)), sold=sold, shop=["s"] * 365))
    lines = render_differences(differences)
    assert len(lines) < 15
    assert lines[0] == "rows: 1 changed"
    assert "day=200" in lines[2]
    assert "'sold' expected 300.0, found 7.0" in lines[2]
    assert not any("shop'" in line for line in lines)


def test_a47_nothing_happens_to_the_callers_table():
    table = pa.table({"ACCT": [1, 2]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_frames_equal(table, pa.table({"acct": [2, 1]}))
    assert table.column_names == ["ACCT"]
    assert table["ACCT"].to_pylist() == [1, 2]


def test_a48_order_is_an_obligation_of_its_own():
    left, right = column([3, 2, 1], name="n"), column([1, 2, 3], name="n")
    order = (SortKey(position=0, descending=True),)
    assert agree(left, right).agrees
    differences = compare(left, right, Rules(order=order))
    assert differences == (OrderDiffers(at_row=0, keys=("n",), expected="n=3", found="n=1"),)
    assert agree(left, right, Rules(order=order)).agrees
    with pytest.raises(AssertionError, match="out of order by n"):
        assert_frames_equal(left, right, order=order)


def test_a49_rows_of_equal_sort_keys_may_swap():
    left = positional([("ICML", 3), ("ISA", 1), ("AAAS", 1)], ["name", "n"])
    right = positional([("ICML", 3), ("AAAS", 1), ("ISA", 1)], ["name", "n"])
    keys = (SortKey(position=1, descending=True),)
    assert check_order(left, right, keys) is None
    assert check_order(left, right, (*keys, SortKey(position=0))) is not None


def test_a51_a_limit_that_cuts_a_tie_is_recognised_and_judged_by_membership():
    unlimited = positional([("a", 3), ("b", 1), ("c", 1), ("d", 1)], ["k", "n"])
    order = (SortKey(position=1, descending=True),)
    assert limit_cuts_tie(unlimited, order, 2)
    assert not limit_cuts_tie(unlimited, order, 1)
    assert not limit_cuts_tie(unlimited, order, 4)
    expected, found = Frame.of(unlimited.table.take([0, 1])), Frame.of(unlimited.table.take([0, 3]))
    assert not agree(expected, found, Rules(order=order)).agrees
    answer = agree(expected, found, Rules(order=order), unlimited)
    assert answer.agrees
    assert "legal choice" in answer.notes[0]


def test_a52_the_order_inside_a_collected_array_can_be_left_open():
    kind = pa.list_(pa.int32())
    left, right = column([[2, 5], [1]], kind), column([[1], [5, 2]], kind)
    assert not is_equal(left, right)
    assert is_equal(left, right, bag_columns=("c",))
    assert not is_equal(column([[2, 2, 5]], kind), column([[2, 5, 5]], kind), bag_columns=("c",))


def test_a53_tolerance_can_be_set_by_column():
    left = frame(price=[1.00, 2.0], qty=[5.0, 6.0])
    rules = {
        "per_column": (("price", Tolerance(relative=0.0, absolute=0.01)), ("qty", Tolerance(relative=0.0)))
    }
    assert is_equal(left, frame(price=[1.01, 2.0], qty=[5.0, 6.0]), **rules)
    assert not is_equal(left, frame(price=[1.02, 2.0], qty=[5.0, 6.0]), **rules)
    assert not is_equal(left, frame(price=[1.0, 2.0], qty=[5.0 + 1e-12, 6.0]), **rules)
    money = pa.decimal128(10, 2)
    cents = column([Decimal("1.00")], money, "price"), column([Decimal("1.01")], money, "price")
    assert is_equal(*cents, **rules)
    assert not is_equal(*cents)


def test_a55_values_are_not_cast():
    assert not is_equal(column(["", "abc"]), column([None, "abc"]))
    assert kinds(compare(column(["abc"]), column([1]))) == [TypeDiffers]


def test_a56_no_rows_are_no_rows():
    table = pa.table({"a": pa.array([], pa.int32())})
    differences = compare(Frame.of(table), column([None], pa.int32(), "a"))
    assert RowCountDiffers(expected=0, found=1) in differences
    assert is_equal(Frame.of(table), Frame.of(table))


def test_a57_timestamps_and_null_integers_need_no_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    left = frame(t=pa.array([dt.datetime(2024, 1, 1), None]), n=pa.array([None, 2**53 + 1]))
    right = frame(t=pa.array([None, dt.datetime(2024, 1, 1)]), n=pa.array([2**53 + 1, None]))
    assert is_equal(left, right)
    assert not is_equal(left, frame(t=right.table["t"], n=pa.array([2**53, None])))


def test_a58_text_that_is_no_number_never_becomes_null():
    differences = compare(column([15.2, None]), column(["15.2", "test"]))
    assert kinds(differences) == [TypeDiffers]
    assert agree(column([15.2, None]), column(["15.2", "test"])).category is Category.STRUCTURE


def test_a_column_too_many_is_named_and_the_rest_is_still_compared():
    differences = compare(frame(a=[1, 2], b=["x", "y"]), frame(b=["x", "z"], extra=[0, 0], a=[1, 2]))
    assert ColumnCountDiffers(expected=2, found=3, missing=(), extra=("extra",)) in differences
    assert rows_of(differences).columns == ((1, "b", 1),)

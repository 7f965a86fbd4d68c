"""Row order by blocks of equal sort keys; LIMITs through ties."""

from __future__ import annotations

import pyarrow as pa
import pytest

from pytest_lockin.errors import FrameError
from pytest_lockin.frames import Frame, Rules, SortKey, check_order, compare, limit_cuts_tie
from pytest_lockin.model.agreement import OrderDiffers, RowsDiffer

NAN = float("nan")
UP, DOWN = SortKey(position=0), SortKey(position=0, descending=True)


def column(values, kind=None):
    return Frame.of(pa.table({"n": pa.array(values, kind)}))


def test_the_expected_sequence_of_keys_needs_no_knowledge_of_collation():
    expected = column(["b", "a", None, "C"])
    assert check_order(expected, column(["b", "a", None, "C"]), (UP,)) is None
    assert check_order(expected, column(["a", "b", None, "C"]), (UP,)).at_row == 0


def test_the_first_row_out_of_place_is_named():
    found = check_order(column([1, 2, 3, 4]), column([1, 2, 4, 3]), (UP,))
    assert found == OrderDiffers(at_row=2, keys=("n",), expected="n=3", found="n=4")


def test_rows_that_differ_are_checked_for_being_sorted_themselves():
    expected = column([1, 2, 3])
    assert check_order(expected, column([1, 2, 9]), (UP,)) is None
    assert check_order(expected, column([9, 1, 2]), (UP,)).at_row == 1
    assert check_order(expected, column([5, 1]), (DOWN,)) is None
    assert check_order(expected, column([]), (DOWN,)) is None


@pytest.mark.parametrize(
    ("values", "key", "sorted_"),
    [
        ([None, 1.0, NAN], UP, True),
        ([1.0, NAN, None], UP, False),
        ([1.0, NAN, None], SortKey(position=0, nulls_first=False), True),
        ([NAN, 1.0, None], SortKey(position=0, descending=True, nulls_first=False), True),
        ([-0.0, 0.0, -0.0], UP, True),
        ([-1.0, -2.0], UP, False),
        ([1.0, 1.0 - 1e-13, 2.0], UP, True),
    ],
)
def test_nulls_nan_and_noise_have_their_place(values, key, sorted_):
    other = column([7.0], pa.float64())
    assert (check_order(other, column(values, pa.float64()), (key,)) is None) is sorted_


def test_later_keys_decide_among_equal_first_ones():
    def table(*rows):
        return Frame.of(pa.table({"a": [r[0] for r in rows], "b": [r[1] for r in rows]}))

    keys = (UP, SortKey(position=1, descending=True))
    expected = table((1, 9))
    assert check_order(expected, table((1, 2), (1, 1), (2, 5)), keys) is None
    assert check_order(expected, table((1, 1), (1, 2), (2, 5)), keys).at_row == 1


def test_a_finding_of_order_stands_beside_one_of_rows():
    differences = compare(column([1, 2, 3]), column([3, 2, 9]), Rules(order=(UP,)))
    assert {type(d) for d in differences} == {RowsDiffer, OrderDiffers}


def test_a_key_outside_the_output_is_refused():
    with pytest.raises(FrameError, match="position 3"):
        check_order(column([1]), column([1]), (SortKey(position=3),))


def test_order_is_checked_in_a_reordered_table_too():
    left = Frame.of(pa.table({"a": [1, 2], "b": ["x", "y"]}))
    right = Frame.of(pa.table({"b": ["y", "x"], "a": [2, 1]}))
    assert OrderDiffers(at_row=0, keys=("a",), expected="a=1", found="a=2") in compare(
        left, right, Rules(order=(UP,))
    )


@pytest.mark.parametrize(
    ("limit", "cuts"), [(0, False), (1, False), (2, False), (3, True), (4, True), (5, False), (9, False)]
)
def test_a_limit_cuts_a_tie_only_inside_a_block(limit, cuts):
    assert limit_cuts_tie(column([5, 7, 5, 9, 5]), (DOWN,), limit) is cuts


def test_without_keys_every_cut_cuts_a_tie():
    assert limit_cuts_tie(column([1, 2]), (), 1)
    assert not limit_cuts_tie(column([1, 2]), (), 2)

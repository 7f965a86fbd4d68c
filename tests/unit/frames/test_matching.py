"""One-to-one matching within a tolerance, and the alignment of rows for messages."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from pytest_lockin.frames import Frame, Rules, Tolerance, agree, compare
from pytest_lockin.frames import matching as matching_module
from pytest_lockin.frames.aligning import pair_rows
from pytest_lockin.model.agreement import NotComparable, RowsDiffer

ONE = Rules(floats=Tolerance(relative=0.0, absolute=1.0))


def frame(**columns):
    return Frame.of(pa.table(columns))


def rows_of(differences):
    return next(d for d in differences if isinstance(d, RowsDiffer))


def test_equal_rows_are_not_spent_where_that_leaves_others_alone():
    left, right = frame(x=[1.0, 1.9]), frame(x=[1.0, 0.1])
    assert agree(left, right, ONE).agrees
    assert agree(frame(x=[1.0, 1.9], k=["a", "a"]), frame(x=[1.0, 0.1], k=["a", "a"]), ONE).agrees
    assert not agree(frame(x=[1.0, 1.9], k=["a", "b"]), frame(x=[1.0, 0.1], k=["a", "b"]), ONE).agrees


def test_two_noisy_columns_are_matched_by_augmenting_paths():
    left = frame(x=[0.0, 0.9, 1.8], y=[0.0, 0.9, 0.0])
    right = frame(x=[0.9, 1.8, 0.0], y=[0.0, 0.9, 0.9])
    assert agree(left, right, ONE).agrees


def test_one_row_is_matched_once():
    differences = compare(frame(x=[0.0, 0.5, 0.9]), frame(x=[0.4]), ONE)
    assert (rows_of(differences).missing, rows_of(differences).changed) == (2, 0)


def test_entangled_rows_beyond_the_budget_are_told_and_never_judged(monkeypatch):
    monkeypatch.setattr(matching_module, "_EDGE_BUDGET", 10)
    rng = np.random.default_rng(5)
    left = frame(x=rng.random(60) * 9, y=rng.random(60) * 9)
    right = frame(x=rng.random(60) * 9, y=rng.random(60) * 9)
    (difference,) = compare(left, right, ONE)
    assert isinstance(difference, NotComparable)
    assert "one to one" in difference.reason
    assert not agree(left, right, ONE).agrees


def test_floats_inside_nested_values_have_the_tolerance_too():
    noise = 1 + 1e-12
    kind = pa.list_(pa.struct([("m", pa.map_(pa.string(), pa.float64()))]))
    left = frame(v=pa.array([[{"m": [("a", 1.0), ("b", 2.0)]}], None], kind))
    assert agree(left, frame(v=pa.array([None, [{"m": [("b", 2.0), ("a", noise)]}]], kind))).agrees
    assert not agree(left, frame(v=pa.array([None, [{"m": [("b", 2.0), ("a", 1.1)]}]], kind))).agrees
    assert not agree(left, frame(v=pa.array([None, [{"m": [("b", 2.0), ("a", None)]}]], kind))).agrees


def test_bags_of_floats_have_the_tolerance_too():
    kind = pa.list_(pa.float64())
    rules = Rules(bag_columns=("v",))
    left = frame(v=pa.array([[1.0, 2.0, 2.0]], kind))
    assert agree(left, frame(v=pa.array([[2.0 + 1e-12, 1.0, 2.0]], kind)), rules).agrees
    assert not agree(left, frame(v=pa.array([[1.0, 1.0, 2.0]], kind)), rules).agrees


def codes(*rows):
    return np.array(rows, np.int64)


def test_a_missing_row_does_not_shift_the_others():
    left = codes((1, 10, 5), (2, 20, 5), (3, 30, 5), (4, 40, 5))
    right = codes((2, 20, 5), (3, 31, 5), (4, 40, 5))
    pairs = {tuple(p) for p in pair_rows(left, right).tolist()}
    assert {(1, 0), (2, 1), (3, 2)} <= pairs


def test_rows_with_nothing_in_common_are_not_paired():
    assert pair_rows(codes((1, 1), (2, 2)), codes((3, 3))).tolist() == []


def test_many_changed_rows_are_paired_in_bounded_work():
    """Beyond the full matrix: 5000 rows a side, one measure wrong in every row, ten rows missing."""
    rng = np.random.default_rng(2)
    keys = rng.permutation(5000)
    left = np.column_stack([keys, keys % 7, keys % 3, np.arange(5000)])
    right = left[rng.permutation(5000)[10:]].copy()
    right[:, 3] += 10_000
    pairs = pair_rows(left, right)
    assert len(pairs) == 4990
    assert (left[pairs[:, 0], 0] == right[pairs[:, 1], 0]).all()


def test_many_rows_with_several_measures_wrong_are_paired():
    rng = np.random.default_rng(2)
    keys = rng.permutation(5000)
    left = np.column_stack([keys, keys % 7, keys % 3, *(np.arange(5000) for _ in range(3))])
    right = left[rng.permutation(5000)].copy()
    right[:, 3:] += 10_000
    pairs = pair_rows(left, right)
    assert len(pairs) == 5000
    assert (left[pairs[:, 0], 0] == right[pairs[:, 1], 0]).all()


def test_counts_are_of_all_rows_when_thousands_differ():
    n = 3000
    left = frame(id=list(range(n)), k=[i % 5 for i in range(n)], x=[float(i) for i in range(n)])
    right = frame(
        id=list(range(1, n + 1)), k=[i % 5 for i in range(1, n + 1)], x=[i + 0.5 for i in range(1, n + 1)]
    )
    found = rows_of(compare(left, right))
    assert (found.changed, found.missing, found.extra) == (n - 1, 1, 1)
    assert found.columns == ((2, "x", n - 1),)

"""Witnesses are as small as they can be, and legal all the way."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tiny_databases import LINKED, PROFILE, make_database, make_databases

from pytest_lockin.fixturegen.legal import check_legal
from pytest_lockin.fixturegen.pack import count_rows
from pytest_lockin.fixturegen.shrink import shrink_dataset, simpler_values
from pytest_lockin.fixturegen.stack import make_stackable
from pytest_lockin.fixturegen.witness import differ_in_bulk

LINKS = ((("sale", "shop"), ("shop", "id")),)
JOIN = "SELECT s.name, sum(f.price) AS t FROM sale f JOIN shop s ON f.shop = s.id WHERE f.price > 1 GROUP BY s.name"


def shrink(variant, dataset, profile=PROFILE):
    differs = differ_in_bulk(profile, make_stackable(JOIN, profile), make_stackable(variant, profile))
    return shrink_dataset(dataset, profile, differs, links=LINKS), differs


BIG = make_database(
    "big",
    (*((1 + n % 3, f"{n}.25", 1 + n % 7) for n in range(18)), (None, "3.00", 2), (9, "4.00", 3)),
    tuple((n, f"shop {n}") for n in range(1, 8)),
)


@pytest.mark.parametrize(
    ("variant", "rows"),
    [
        (JOIN.replace("> 1", ">= 1"), 2),
        (JOIN.replace("sum", "max"), 3),
        (JOIN.replace("JOIN", "LEFT JOIN"), 1),
        (JOIN.replace(" WHERE f.price > 1", ""), 2),
        (JOIN.replace("f.shop = s.id", "true"), 2),
    ],
)
def test_a_witness_is_as_small_as_it_can_be(variant, rows):
    dataset = (
        BIG
        if ">= 1" not in variant
        else make_database("edge", ((1, "1.00", 1), (1, "2.00", 1), (2, "9.00", 3)), ((1, "a"), (2, "b")))
    )
    small, differs = shrink(variant, dataset)
    assert differs([small]) == [True]
    assert count_rows(small) == rows


def test_values_become_simple_and_keys_stay_together():
    small, _ = shrink(
        JOIN.replace("sum", "count"),
        make_database("one", ((77, "3.21", 9), (78, "1.00", 2)), ((77, "Springfield"), (78, "Ogdenville"))),
    )
    assert small.table("sale").rows == ((0, Decimal(2), None),)
    assert small.table("shop").rows == ((0, None),)


def test_a_witness_stays_legal():
    small, differs = shrink(
        JOIN.replace("JOIN", "LEFT JOIN"),
        make_database("legal", ((1, "5.00", 2), (None, "3.00", 2)), ((1, "a"), (2, "b"))),
        LINKED,
    )
    assert check_legal(small, LINKED) == ()
    assert small.table("sale").rows == ((None, Decimal(2), None),)
    assert differs([small]) == [True]


def test_what_does_not_differ_is_given_back():
    same, _ = shrink(JOIN, BIG)
    assert same is BIG


@pytest.mark.parametrize(
    "variant",
    [JOIN.replace("> 1", "> 2"), JOIN.replace("sum", "min"), JOIN.replace("f.price > 1", "f.shop > 1")],
)
def test_no_row_of_a_witness_can_be_left_out(variant):
    differs = differ_in_bulk(PROFILE, make_stackable(JOIN, PROFILE), make_stackable(variant, PROFILE))
    for dataset, yes in zip(make_databases(30), differs(make_databases(30)), strict=True):
        small, _ = shrink(variant, dataset)
        assert (small is dataset) == (not yes) or count_rows(small) == count_rows(dataset)
        if not yes:
            continue
        for rows in small.tables:
            for at in range(len(rows.rows)):
                fewer = tuple(
                    r
                    if r.table != rows.table
                    else type(r)(table=r.table, columns=r.columns, rows=r.rows[:at] + r.rows[at + 1 :])
                    for r in small.tables
                )
                assert differs([type(small)(id="x", purpose="", tables=fewer)]) == [False]


@pytest.mark.parametrize("value", [7, Decimal("3.25"), 2.5, "Springfield", 0, "", None, True])
def test_simpler_values_are_simpler_and_end(value):
    seen = {value}
    steps = list(simpler_values(value))
    while steps:
        step = steps.pop()
        assert type(step) is type(value)
        if step not in seen:
            seen.add(step)
            steps += simpler_values(step)
    assert len(seen) < 8

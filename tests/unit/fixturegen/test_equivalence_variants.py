"""Proofs of variants that the operators make: they hold on small databases, and what differs is not proved."""

import random

import duckdb
import pytest
from equivalence_pairs import PROFILE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_tables import SmallTables, for_duckdb, run

from pytest_lockin.alternatives import make_variants
from pytest_lockin.fixturegen.equivalence import Prover

SCHEMAS = PROFILE.schemas
STATEMENTS = (
    """SELECT p.id, p.name, SUM(s.price) AS total, COUNT(*) AS n
       FROM sales s, shops p WHERE s.shop = p.id AND p.size > 1 AND s.price BETWEEN 1 AND 2
       GROUP BY p.id, p.name ORDER BY total DESC, p.id LIMIT 100""",
    """WITH all_of_it AS (
         SELECT 's' AS kind, s.shop AS place, SUM(s.fee) AS total FROM sales s, days d
         WHERE s.day = d.sk AND d.year = 2001 GROUP BY s.shop
         UNION ALL
         SELECT 'p', p.id, MAX(p.size) FROM shops p GROUP BY p.id)
       SELECT a.place, a.total FROM all_of_it a, all_of_it b
       WHERE a.kind = 's' AND b.kind = 'p' AND a.place = b.place AND a.total > 0
         AND CASE WHEN a.total > 0 THEN b.total / a.total ELSE NULL END > 0.5
       ORDER BY a.place""",
    """SELECT s.item, COALESCE(p.size, 0) AS size FROM sales s LEFT JOIN shops p ON s.shop = p.id
       WHERE EXISTS (SELECT * FROM days d WHERE d.sk = s.day AND d.moy < 3)
       ORDER BY s.item, s.ticket, size""",
    """SELECT * FROM (
         SELECT d.year, s.shop, SUM(s.price) AS total,
           RANK() OVER (PARTITION BY d.year ORDER BY SUM(s.price) DESC) AS place
         FROM sales s, days d, shops p WHERE s.day = d.sk AND s.shop = p.id AND p.state IN ('a', 'b')
         GROUP BY d.year, s.shop) ranked
       WHERE place <= 2 ORDER BY year, place, shop""",
)


@pytest.fixture(scope="module")
def sorted_out():
    """For each statement its tables, the variants that are proved, and those that are not.

    Of the latter, those of another order or limit are left aside: rows are compared as a multiset.
    """
    made = []
    for sql in STATEMENTS:
        prover = Prover(sql, PROFILE)
        variants = make_variants(sql, SCHEMAS)
        proved = [v for v in variants if prover.prove(v.sql) is not None]
        others = [v for v in variants if v not in proved and v.operator not in ("sort", "limit")]
        tables = SmallTables(duckdb.connect(config={"threads": 1}), sql, PROFILE)
        made.append((tables, sql, proved, others))
    yield made
    for tables, *_ in made:
        tables.con.close()


def test_each_statement_has_variants_that_are_proved(sorted_out):
    assert [len(proved) >= 5 for _, _, proved, _ in sorted_out] == [True] * len(STATEMENTS)


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(draw=st.randoms(use_true_random=False))
def test_no_small_database_tells_a_proved_variant_from_its_reference(sorted_out, draw):
    for tables, sql, proved, _ in sorted_out:
        tables.fill(draw)
        expected = run(tables.con, for_duckdb(sql))
        for variant in proved:
            assert run(tables.con, for_duckdb(variant.sql)) == expected, variant.text


def test_the_small_databases_tell_others_from_their_reference(sorted_out):
    """The control: data on which nothing differs would make every proof look right."""
    draw = random.Random(0)
    asked, told = 0, set()
    for tables, sql, _, others in sorted_out:
        some = others[::3]
        asked += len(some)
        for _ in range(12):
            tables.fill(draw)
            expected = run(tables.con, for_duckdb(sql))
            told |= {variant.sql for variant in some if differs(tables, variant, expected)}
    assert len(told) > asked / 3


def differs(tables, variant, expected):
    try:
        return run(tables.con, for_duckdb(variant.sql)) != expected
    except duckdb.Error:
        return True

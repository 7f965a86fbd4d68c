"""Which statements Spark's analyser would surely refuse: sort keys of grouped rows."""

import pytest
import sqlglot

from pytest_lockin.alternatives import make_variants
from pytest_lockin.alternatives.sql.check import find_errors
from pytest_lockin.alternatives.sql.query import Query

SCHEMAS = {"t": {"a": "bigint", "b": "bigint", "c": "bigint", "day": "date"}}
GROUPED = "SELECT a, sum(b) AS total, upper(c) FROM t GROUP BY a, upper(c) ORDER BY "


def errors(sql):
    return find_errors(Query(sqlglot.parse_one(sql, read="spark"), SCHEMAS))


@pytest.mark.parametrize(
    "order",
    [
        "a",
        "t.a",
        "total DESC",
        "2",
        "upper(c)",
        "sum(c)",
        "a + 1",
        "CASE WHEN total > 1 THEN a END",
        "a, total",
    ],
)
def test_keys_measures_and_names_of_outputs_order_grouped_rows(order):
    assert errors(GROUPED + order) == set()


@pytest.mark.parametrize("order", ["b", "t.b", "c", "a, b DESC", "a + b", "t.total"])
def test_what_is_neither_is_refused(order):
    assert errors(GROUPED + order) != set()


def test_rows_that_are_not_grouped_may_be_ordered_by_any_column():
    assert errors("SELECT a FROM t ORDER BY b") == set()
    assert errors("SELECT a FROM t ORDER BY a, t.c") == set()


def test_no_variant_orders_groups_by_a_column_they_lack():
    made = make_variants("SELECT t.a, sum(b) AS total FROM t GROUP BY t.a ORDER BY t.a, total", SCHEMAS)
    assert made
    assert not [each.text for each in made if "ORDER BY\n  t.b" in each.sql or "ORDER BY\n  t.c" in each.sql]

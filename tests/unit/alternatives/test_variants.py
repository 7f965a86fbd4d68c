"""Variants of a reference: each breaks one clause, and can be read back."""

import pytest
import sqlglot

from pytest_lockin.alternatives import make_variants
from pytest_lockin.errors import AlternativesError
from pytest_lockin.model.task import Fragment, Kind
from pytest_lockin.taskbank.statements import read_statement

TABLES = {
    "a": {
        "id": "int",
        "k": "int",
        "price": "decimal(7,2)",
        "list_price": "decimal(7,2)",
        "day": "date",
        "name": "string",
    },
    "b": {"id": "int", "ref": "int", "price": "decimal(7,2)", "name": "string"},
}
SQL = """
-- what sells
SELECT a.name, SUM(b.price) AS total, COUNT(*) AS n
FROM a, b
WHERE a.id = b.ref AND a.day BETWEEN '2001-01-01' AND '2001-02-01' AND b.price > 10
GROUP BY a.name, a.k
HAVING COUNT(*) > 1
ORDER BY total DESC, a.name
LIMIT 5
"""


@pytest.fixture(scope="module")
def variants():
    return make_variants(SQL, TABLES)


def rendered(sql):
    return sqlglot.parse_one(sql, read="spark").sql(dialect="spark", pretty=True, comments=False)


@pytest.mark.parametrize("sql", ["SELEC 1", "DROP TABLE a", "", "SELECT 1; SELECT 2 FROM"])
def test_what_is_no_query_is_a_clear_error(sql):
    with pytest.raises(AlternativesError, match="one query in Spark's SQL"):
        make_variants(sql, TABLES)


def test_every_variant_is_its_own_rendering_and_differs_from_all_others(variants):
    texts = [variant.sql for variant in variants]

    assert [rendered(text) for text in texts] == texts
    assert len(set(texts)) == len(texts)
    assert rendered(SQL) not in texts
    assert len({variant.id for variant in variants}) == len(variants)


def test_each_clause_is_broken_and_tied_to_its_obligation(variants):
    found = {(variant.clause, variant.kind) for variant in variants}

    assert found >= {
        (Fragment.JOIN_ON, Kind.JOIN),
        (Fragment.WHERE, Kind.FILTER),
        (Fragment.HAVING, Kind.FILTER),
        (Fragment.GROUP_BY, Kind.GROUP),
        (Fragment.SELECT, Kind.METRIC),
        (Fragment.ORDER_BY, Kind.ORDER),
        (Fragment.LIMIT, Kind.LIMIT),
        (Fragment.TYPE, Kind.TYPE),
        (Fragment.ALIAS, Kind.SCHEMA),
        (Fragment.WHERE, Kind.LITERAL),
    }


def test_text_outside_the_changed_clause_stays(variants):
    original = rendered(SQL).splitlines()

    for variant in variants:
        if variant.clause in (Fragment.WHERE, Fragment.HAVING, Fragment.ORDER_BY, Fragment.LIMIT):
            assert variant.sql.splitlines()[:4] == original[:4], variant.text
        if variant.clause in (Fragment.SELECT, Fragment.ALIAS, Fragment.TYPE):
            assert variant.sql.splitlines()[-13:] == original[-13:], variant.text


def test_a_sibling_comes_from_the_table_the_column_is_read_from(variants):
    changed = {variant.columns for variant in variants if variant.operator == "column"}

    # `b` has one price only: nothing of `a` may stand in for it.
    assert not [columns for columns in changed if columns[0] == "b.price"]
    sql = "SELECT SUM(price) AS p FROM a"
    assert [v.columns for v in make_variants(sql, TABLES) if v.operator == "column"] == [
        ("a.price", "a.list_price")
    ]


def test_a_comma_join_can_lose_its_inner_type(variants):
    left = [v.sql for v in variants if v.operator == "join-type" and "LEFT JOIN b" in v.sql]

    assert len(left) == 1
    assert "ON a.id = b.ref AND b.price > 10" in left[0].replace("\n  ", " ")


def test_a_group_key_that_is_shown_is_shown_by_its_smallest_value(variants):
    assert any(
        "MIN(a.name) AS name" in variant.sql for variant in variants if variant.operator == "group-key"
    )


def test_what_an_exists_selects_is_left_alone():
    sql = "SELECT a.name FROM a WHERE EXISTS(SELECT b.price FROM b WHERE b.ref = a.id)"

    assert not [v for v in make_variants(sql, TABLES) if "SELECT b.name" in v.sql or "SELECT b.id" in v.sql]


def test_making_variants_twice_gives_the_same(variants):
    assert make_variants(SQL, TABLES) == variants


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("SELECT id FROM a UNION ALL SELECT id FROM b", Fragment.SET_OP),
        ("SELECT RANK() OVER (PARTITION BY name ORDER BY price DESC) AS r FROM a", Fragment.WINDOW),
        ("SELECT SUM(price) AS p FROM a GROUP BY ROLLUP (name, k)", Fragment.GROUP_BY),
        ("SELECT CAST(price AS DECIMAL(12, 2)) AS p FROM a", Fragment.TYPE),
        (
            "WITH x AS (SELECT id, price FROM a) SELECT COALESCE(x.price, 0) AS p FROM x LEFT JOIN b ON x.id = b.ref",
            Fragment.JOIN_ON,
        ),
    ],
)
def test_two_opposed_variants_at_least_break_each_clause(sql, wanted):
    assert len([v for v in make_variants(sql, TABLES) if v.clause is wanted]) >= 2


def test_a_real_statement_has_variants_of_every_kind_it_has_obligations_of():
    schemas = {
        "date_dim": {"d_date_sk": "int", "d_year": "int", "d_moy": "int"},
        "store_sales": {
            "ss_sold_date_sk": "int",
            "ss_item_sk": "int",
            "ss_net_profit": "decimal(7,2)",
            "ss_net_paid": "decimal(7,2)",
        },
        "item": {"i_item_sk": "int", "i_brand_id": "int", "i_brand": "string", "i_manufact_id": "int"},
    }
    variants = make_variants(read_statement("q03").text, schemas)

    assert {v.kind for v in variants} >= {
        Kind.JOIN,
        Kind.FILTER,
        Kind.METRIC,
        Kind.GROUP,
        Kind.ORDER,
        Kind.LIMIT,
    }
    assert any(v.columns == ("store_sales.ss_net_profit", "store_sales.ss_net_paid") for v in variants)
    assert all(v.text.startswith("a program is wrong if ") for v in variants)

"""One call on many small databases gives what one call for each of them gives."""

from __future__ import annotations

import pytest
from tiny_databases import PROFILE, make_databases

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen import warehouse
from pytest_lockin.fixturegen.stack import make_stackable
from pytest_lockin.fixturegen.warehouse import Warehouse, mentioned_columns

STATEMENTS = {
    "join and group": "SELECT s.name, sum(f.price) AS total FROM sale f JOIN shop s ON f.shop = s.id GROUP BY s.name",
    "comma join": "SELECT s.name, f.price FROM sale f, shop s WHERE f.shop = s.id AND f.price > 2",
    "left join": "SELECT s.name, f.price FROM shop s LEFT JOIN sale f ON f.shop = s.id",
    "full join": "SELECT s.name, f.price FROM shop s FULL OUTER JOIN sale f ON f.shop = s.id",
    "full join of shared expressions": "WITH t AS (SELECT shop, sum(price) AS p FROM sale GROUP BY shop), u AS (SELECT id, count(*) AS n FROM shop GROUP BY id), v AS (SELECT * FROM t WHERE p > 1) SELECT u.id, v.p, x.name FROM u FULL OUTER JOIN v ON u.id = v.shop LEFT JOIN shop x ON x.id = u.id",
    "full join below a group": "SELECT s.name, count(*) AS n, sum(f.price) AS p FROM shop r CROSS JOIN shop s FULL OUTER JOIN sale f ON f.shop = s.id AND f.price > 1 WHERE r.id = 1 GROUP BY s.name",
    "full join of a subquery without a name": "SELECT count(*) AS n, sum(k) AS t FROM (SELECT DISTINCT shop AS k FROM sale) FULL OUTER JOIN shop ON k = id",
    "full join in a subquery": "SELECT name FROM shop WHERE id <= (SELECT count(*) FROM shop s FULL OUTER JOIN (SELECT DISTINCT shop AS k FROM sale) f ON f.k = s.id)",
    "right join": "SELECT s.name, f.price FROM shop s RIGHT OUTER JOIN sale f ON f.shop = s.id AND f.price > 2",
    "cross join of nothing": "SELECT s.name, r.name AS other FROM shop s CROSS JOIN shop r",
    "count of an empty table": "SELECT count(*) AS n, sum(price) AS total, coalesce(max(price), 0) AS most FROM sale",
    "having without groups": "SELECT sum(price) AS total FROM sale HAVING count(*) > 2",
    "rollup": "SELECT s.name, f.day, sum(f.price) AS t, grouping(s.name) AS g FROM sale f JOIN shop s ON f.shop = s.id GROUP BY ROLLUP (s.name, f.day)",
    "grouping sets": "SELECT shop, day, count(*) AS n FROM sale GROUP BY GROUPING SETS ((shop), (day), ())",
    "window": "SELECT shop, price, rank() OVER (PARTITION BY shop ORDER BY price DESC) AS r FROM sale",
    "window over everything": "SELECT price, sum(price) OVER () AS t, row_number() OVER (ORDER BY price, shop, day) AS r FROM sale",
    "window over groups": "SELECT shop, sum(price) AS t, avg(sum(price)) OVER () AS a FROM sale GROUP BY shop",
    "scalar subquery": "SELECT price FROM sale WHERE price > (SELECT avg(price) FROM sale)",
    "correlated subquery": "SELECT a.price FROM sale a WHERE a.price >= (SELECT max(b.price) FROM sale b WHERE b.shop = a.shop)",
    "exists": "SELECT name FROM shop s WHERE EXISTS (SELECT 1 FROM sale f WHERE f.shop = s.id AND f.price > 3)",
    "not exists": "SELECT name FROM shop s WHERE NOT EXISTS (SELECT * FROM sale f WHERE f.shop = s.id)",
    "in": "SELECT name FROM shop WHERE id IN (SELECT shop FROM sale)",
    "not in with NULL": "SELECT name FROM shop WHERE id NOT IN (SELECT shop FROM sale)",
    "union all": "SELECT shop AS k FROM sale UNION ALL SELECT id FROM shop",
    "union": "SELECT shop AS k FROM sale UNION SELECT id FROM shop",
    "intersect": "SELECT shop AS k FROM sale INTERSECT SELECT id FROM shop",
    "except": "SELECT id AS k FROM shop EXCEPT SELECT shop FROM sale",
    "distinct": "SELECT DISTINCT shop FROM sale",
    "count distinct": "SELECT count(DISTINCT shop) AS n, count(shop) AS m FROM sale",
    "shared expression read twice": "WITH t AS (SELECT shop, sum(price) AS s FROM sale GROUP BY shop) SELECT a.shop, b.s FROM t a JOIN t b ON a.shop = b.shop WHERE a.s >= (SELECT avg(s) FROM t)",
    "shared expression named as its table": "WITH sale AS (SELECT * FROM sale WHERE price > 1) SELECT shop, price FROM sale",
    "limit": "SELECT shop, price, day FROM sale ORDER BY price DESC, shop, day LIMIT 2",
    "limit inside": "SELECT count(*) AS n FROM (SELECT price FROM sale ORDER BY price LIMIT 2) t",
    "stddev": "SELECT shop, stddev_samp(price) AS sd FROM sale GROUP BY shop",
    "case and dates": "SELECT CASE WHEN day >= CAST('2000-01-02' AS DATE) THEN 'late' ELSE 'early' END AS w, count(*) AS n FROM sale GROUP BY 1",
}


@pytest.fixture(scope="module")
def databases():
    return make_databases(40)


@pytest.mark.parametrize("name", STATEMENTS)
def test_one_call_gives_what_a_loop_gives(databases, name):
    statement = make_stackable(STATEMENTS[name], PROFILE)
    with Warehouse(PROFILE, databases, [statement.sql]) as stacked:
        together = stacked.digest(statement)
        plain = [sorted(map(repr, stacked.rows(statement, n))) for n in range(stacked.size)]
    same = {n: [m for m in range(len(plain)) if plain[m] == plain[n]] for n in range(len(plain))}
    assert all(together.found[m] == together.found[n] for n, others in same.items() for m in others)
    different = {together.found[n] for n in range(len(plain))}
    assert len(different) == len({tuple(rows) for rows in plain}) > 1


def test_datasets_that_raise_are_told_apart_from_the_rest(databases):
    statement = make_stackable("SELECT (SELECT price FROM sale) AS p FROM shop", PROFILE)
    with Warehouse(PROFILE, databases, [statement.sql]) as stacked:
        digests = stacked.digest(statement)
    several = {n for n, d in enumerate(databases) if len(d.table("sale").rows) > 1 and d.table("shop").rows}
    assert several
    assert digests.raised.keys() == several
    assert digests.found.keys() == set(range(len(databases))) - several


def test_a_chosen_few_are_asked_alone(databases):
    statement = make_stackable("SELECT price FROM sale", PROFILE)
    with Warehouse(PROFILE, databases, [statement.sql]) as stacked:
        whole = stacked.digest(statement)
        few = stacked.digest(statement, [3, 7, 39])
    assert few.found == {n: whole.found[n] for n in (3, 7, 39)}


def test_order_of_rows_is_kept_on_one_database(databases):
    statement = make_stackable("SELECT price FROM sale ORDER BY price DESC NULLS LAST", PROFILE)
    with Warehouse(PROFILE, databases, [statement.sql]) as stacked:
        for number in range(len(databases)):
            prices = [row[0] for row in stacked.rows(statement, number) if row[0] is not None]
            assert prices == sorted(prices, reverse=True)


@pytest.mark.parametrize("sql", ["SELECT nope FROM sale", "SELECT price FROM nowhere"])
def test_what_cannot_be_bound_is_said(databases, sql):
    with (
        Warehouse(PROFILE, databases, [sql]) as stacked,
        pytest.raises(FixturesError, match="DuckDB can run"),
    ):
        stacked.digest(make_stackable(sql, PROFILE))


def test_what_cannot_be_read_is_said():
    with pytest.raises(FixturesError, match="Spark SQL"):
        make_stackable("SELECT FROM WHERE", PROFILE)


def test_only_mentioned_columns_are_loaded():
    columns = mentioned_columns(PROFILE, ["SELECT sum(price) FROM sale"])
    assert columns["sale"] == ("price",)
    assert len(columns["shop"]) == 1


def test_a_star_loads_every_column():
    assert mentioned_columns(PROFILE, ["SELECT * FROM sale"])["sale"] == ("shop", "price", "day")


def test_what_takes_too_long_is_neither_found_nor_raised(databases, monkeypatch):
    slow = "SELECT sum(hash(a.range + b.range + price)) AS h FROM sale, range(20000000) a, range(1000) b WHERE day > DATE '1999-01-01'"
    statement = make_stackable("SELECT sum(price) AS h FROM sale", PROFILE)
    endless = type(statement)(sql=slow, whole=slow.replace("sale", "_stack_0", 1), single="")
    monkeypatch.setattr(warehouse, "CALL_LIMIT", 0.2)
    with Warehouse(PROFILE, databases[:8], [statement.sql, slow]) as stacked:
        digests = stacked.digest(endless)
        after = stacked.digest(statement)
    assert not digests.raised
    assert len(digests.found) < 8
    assert len(after.found) == 8

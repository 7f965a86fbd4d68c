"""Pairs of statements: those that are equal, by rule, and near misses that only look so."""

from __future__ import annotations

from pytest_lockin.model.fixture import (
    Basis,
    ColumnProfile,
    Derived,
    ForeignKey,
    Profile,
    TableProfile,
    UniqueKey,
)


def column(name, kind, *, nullable=True, basis=Basis.STATED):
    return ColumnProfile(name=name, type=kind, nullable=nullable, basis=basis)


def key(*columns, basis=Basis.STATED):
    return UniqueKey(columns=columns, basis=basis)


SALES = TableProfile(
    name="sales",
    columns=(
        column("item", "bigint", nullable=False),
        column("ticket", "bigint", nullable=False),
        column("day", "bigint"),
        column("shop", "bigint"),
        column("shop2", "bigint"),
        column("must", "bigint", nullable=False),
        column("price", "decimal(7,2)"),
        column("cost", "decimal(7,2)"),
        column("fee", "decimal(7,2)", nullable=False),
        column("weight", "double"),
        column("note", "string"),
        column("code", "string"),
    ),
    unique=(key("item", "ticket"),),
    foreign=(
        ForeignKey(columns=("must",), table="shops", targets=("id",), basis=Basis.STATED),
        ForeignKey(columns=("shop",), table="shops", targets=("id",), basis=Basis.STATED),
    ),
)
SHOPS = TableProfile(
    name="shops",
    columns=(
        column("id", "bigint", nullable=False),
        column("ident", "string", nullable=False),
        column("name", "string"),
        column("state", "string"),
        column("size", "bigint"),
        column("opened", "date"),
        column("rank", "bigint", nullable=False, basis=Basis.MINED),
    ),
    unique=(key("id"), key("ident", basis=Basis.MINED), key("name")),
)
DAYS = TableProfile(
    name="days",
    columns=(
        column("sk", "bigint", nullable=False),
        column("date", "date"),
        column("year", "bigint"),
        column("moy", "bigint"),
        column("fy_year", "bigint"),
        column("month_no", "bigint"),
    ),
    unique=(key("sk"),),
    derived=(
        Derived(column="year", rule="year(date)", basis=Basis.STATED),
        Derived(column="moy", rule="month(date)", basis=Basis.STATED),
        Derived(column="fy_year", rule="year", basis=Basis.STATED),
        Derived(column="month_no", rule="(year(date) - 1900) * 12 + month(date) - 1", basis=Basis.STATED),
    ),
)
PROFILE = Profile(tables=(SALES, SHOPS, DAYS))

EQUAL = {
    "same-form": (
        ("SELECT item FROM sales WHERE shop IN (1, 2, 1)", "SELECT item FROM sales WHERE shop IN (2, 1)"),
        (
            "SELECT item FROM sales WHERE shop BETWEEN 1 AND 2",
            "SELECT item FROM sales WHERE shop <= 2 AND 1 <= shop",
        ),
        (
            "SELECT item FROM sales WHERE NOT (shop = 1 OR day > 2)",
            "SELECT item FROM sales WHERE day <= 2 AND shop <> 1",
        ),
        ("SELECT item FROM sales WHERE shop = 1998 + 1", "SELECT item FROM sales WHERE 1999 = shop"),
        (
            "WITH w AS (SELECT item i, day d FROM sales) SELECT i FROM w WHERE d > 1",
            "SELECT i FROM (SELECT item i, day d FROM sales WHERE day > 1) w",
        ),
        (
            "SELECT s.item FROM sales s, shops p WHERE s.shop = p.id",
            "SELECT s.item FROM sales s JOIN shops p ON p.id = s.shop",
        ),
        (
            "SELECT CASE WHEN day = 1 THEN price ELSE NULL END AS x FROM sales",
            "SELECT CASE WHEN day = 1 THEN price END AS x FROM sales",
        ),
        ("SELECT MAX(DISTINCT price) m FROM sales", "SELECT MAX(price) m FROM sales"),
        (
            "SELECT s.item, p.name FROM shops p RIGHT JOIN sales s ON s.shop = p.id",
            "SELECT s.item, p.name FROM sales s LEFT JOIN shops p ON s.shop = p.id",
        ),
        ("SELECT COUNT(1) n FROM sales", "SELECT COUNT(*) n FROM sales"),
        (
            "SELECT item FROM (SELECT item FROM sales ORDER BY day) x",
            "SELECT item FROM (SELECT item FROM sales) x",
        ),
        (
            "SELECT item FROM sales s WHERE EXISTS (SELECT 1 FROM shops p WHERE p.id = s.shop)",
            "SELECT item FROM sales s WHERE EXISTS (SELECT DISTINCT name FROM shops p WHERE p.id = s.shop)",
        ),
        (
            "SELECT date FROM days WHERE date <= CAST('2001-08-11' AS DATE) + INTERVAL 30 DAYS",
            "SELECT date FROM days WHERE date <= DATE '2001-09-10'",
        ),
    ),
    "null-safe": (
        (
            "SELECT p.id FROM shops p WHERE EXISTS (SELECT 1 FROM sales s WHERE s.shop = p.id)",
            "SELECT p.id FROM shops p WHERE EXISTS (SELECT 1 FROM sales s WHERE s.shop <=> p.id)",
        ),
        (
            "SELECT s.item FROM sales s JOIN shops p ON s.shop = p.id",
            "SELECT s.item FROM sales s JOIN shops p ON s.shop <=> p.id",
        ),
        (
            "SELECT s.item, p.name FROM sales s LEFT JOIN shops p ON s.shop = p.id",
            "SELECT s.item, p.name FROM sales s LEFT JOIN shops p ON s.shop <=> p.id",
        ),
        (
            "SELECT item FROM sales WHERE shop = shop2 AND shop > 1",
            "SELECT item FROM sales WHERE shop <=> shop2 AND shop > 1",
        ),
    ),
    "outer-join": (
        (
            "SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id WHERE p.size > 1",
            "SELECT s.item FROM sales s JOIN shops p ON s.shop = p.id WHERE p.size > 1",
        ),
        (
            "SELECT s.item FROM sales s FULL JOIN shops p ON s.shop = p.id WHERE p.size > s.day",
            "SELECT s.item FROM sales s JOIN shops p ON s.shop = p.id WHERE p.size > s.day",
        ),
        (
            "SELECT s.item, p.name FROM sales s FULL JOIN shops p ON s.shop = p.id WHERE s.day > 1",
            "SELECT s.item, p.name FROM sales s LEFT JOIN shops p ON s.shop = p.id WHERE s.day > 1",
        ),
        (
            "SELECT s.item, p.name FROM sales s LEFT JOIN shops p ON s.must = p.id",
            "SELECT s.item, p.name FROM sales s JOIN shops p ON s.must = p.id",
        ),
        (
            "SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id LEFT JOIN days d ON p.size = d.sk WHERE d.year = 1",
            "SELECT s.item FROM sales s JOIN shops p ON s.shop = p.id JOIN days d ON p.size = d.sk WHERE d.year = 1",
        ),
    ),
    "semi-join": (
        (
            "SELECT s.item FROM sales s, shops p WHERE s.shop = p.id AND p.size > 1",
            "SELECT s.item FROM sales s LEFT SEMI JOIN shops p ON s.shop = p.id AND p.size > 1",
        ),
        (
            "SELECT d.sk FROM days d WHERE d.year IN (SELECT s.day FROM sales s, shops p WHERE s.shop = p.size)",
            "SELECT d.sk FROM days d WHERE d.year IN (SELECT s.day FROM sales s LEFT SEMI JOIN shops p ON s.shop = p.size)",
        ),
    ),
    "equal-columns": (
        (
            "SELECT s.shop AS x FROM sales s, shops p WHERE s.shop = p.id",
            "SELECT p.id AS x FROM sales s, shops p WHERE s.shop = p.id",
        ),
        (
            "SELECT item FROM sales WHERE shop = day AND day = shop2 AND shop > 1",
            "SELECT item FROM sales WHERE shop = day AND shop = shop2 AND shop2 > 1",
        ),
    ),
    "copied-column": (("SELECT sk FROM days WHERE fy_year = 1", "SELECT sk FROM days WHERE year = 1"),),
    "unused": (
        (
            "SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id",
            "SELECT s.item FROM sales s LEFT JOIN shops p ON s.day = p.id",
        ),
        (
            "SELECT COUNT(*) n FROM (SELECT shop, SUM(price) p FROM sales GROUP BY shop) x",
            "SELECT COUNT(*) n FROM (SELECT shop, MAX(price) p FROM sales GROUP BY shop) x",
        ),
    ),
    "pushed-condition": (
        (
            "SELECT k FROM (SELECT 's' AS kind, item AS k FROM sales UNION ALL SELECT 'p', id FROM shops) x WHERE kind = 's'",
            "SELECT k FROM (SELECT 's' AS kind, item AS k FROM sales UNION ALL SELECT 'p', size FROM shops) x WHERE kind = 's'",
        ),
        (
            "SELECT n FROM (SELECT shop, COUNT(*) n FROM sales GROUP BY shop) x WHERE n = 1",
            "SELECT n FROM (SELECT shop, COUNT(*) n FROM sales GROUP BY shop HAVING COUNT(*) = 1) x",
        ),
    ),
    "idle-default": (
        (
            "SELECT COALESCE(SUM(fee), 0) x FROM sales GROUP BY shop",
            "SELECT SUM(fee) x FROM sales GROUP BY shop",
        ),
        (
            "SELECT shop, COUNT(item) x FROM sales GROUP BY shop",
            "SELECT shop, COUNT(*) x FROM sales GROUP BY shop",
        ),
        ("SELECT item FROM sales WHERE must IS NOT NULL AND day > 1", "SELECT item FROM sales WHERE day > 1"),
        ("SELECT CAST(item AS BIGINT) AS item FROM sales", "SELECT item AS item FROM sales"),
    ),
    "settled-key": (
        (
            "SELECT sk FROM days WHERE moy = 12 ORDER BY year NULLS LAST",
            "SELECT sk FROM days WHERE moy = 12 ORDER BY year",
        ),
        (
            "SELECT moy, COUNT(*) n FROM days WHERE year = 1 GROUP BY moy",
            "SELECT moy, COUNT(*) n FROM days WHERE year = 1 GROUP BY moy, month_no",
        ),
        (
            "SELECT item FROM sales ORDER BY item, ticket, price",
            "SELECT item FROM sales ORDER BY item, ticket",
        ),
        ("SELECT item FROM sales ORDER BY item NULLS LAST", "SELECT item FROM sales ORDER BY item"),
        (
            "SELECT id, name, COUNT(*) n FROM shops, sales WHERE shop = id GROUP BY id, name",
            "SELECT id, MIN(name) name, COUNT(*) n FROM shops, sales WHERE shop = id GROUP BY id",
        ),
        (
            "SELECT shop, COUNT(*) n FROM sales GROUP BY shop ORDER BY shop, n",
            "SELECT shop, COUNT(*) n FROM sales GROUP BY shop ORDER BY shop",
        ),
        (
            "SELECT year, moy, sk FROM days WHERE year = 1 ORDER BY year, moy",
            "SELECT year, moy, sk FROM days WHERE year = 1 ORDER BY moy",
        ),
        (
            "SELECT sk, RANK() OVER (PARTITION BY year ORDER BY moy, year) r FROM days",
            "SELECT sk, RANK() OVER (PARTITION BY year ORDER BY moy) r FROM days",
        ),
        (
            "SELECT shop, COUNT(*) n FROM sales GROUP BY shop HAVING shop > 1",
            "SELECT shop, COUNT(*) n FROM sales WHERE shop > 1 GROUP BY shop",
        ),
        (
            "SELECT n FROM (SELECT shop, COUNT(*) n FROM sales GROUP BY shop) x WHERE shop = 1",
            "SELECT n FROM (SELECT shop, COUNT(*) n FROM sales WHERE shop = 1 GROUP BY shop) x",
        ),
        ("SELECT SUM(price) x FROM sales ORDER BY x LIMIT 5", "SELECT SUM(price) x FROM sales"),
    ),
    "no-duplicates": (
        ("SELECT DISTINCT item, ticket FROM sales", "SELECT item, ticket FROM sales"),
        (
            "SELECT DISTINCT shop, SUM(price) p FROM sales GROUP BY shop",
            "SELECT shop, SUM(price) p FROM sales GROUP BY shop",
        ),
        (
            "SELECT 'a' AS k, item, ticket FROM sales UNION ALL SELECT 'b', id, id AS no FROM shops",
            "SELECT 'a' AS k, item, ticket FROM sales UNION SELECT 'b', id, id AS no FROM shops",
        ),
        (
            "SELECT shop FROM sales INTERSECT SELECT id FROM shops",
            "SELECT shop FROM sales INTERSECT SELECT DISTINCT id FROM shops",
        ),
        (
            "SELECT item FROM sales WHERE shop IN (SELECT DISTINCT size FROM shops)",
            "SELECT item FROM sales WHERE shop IN (SELECT size FROM shops)",
        ),
    ),
    "condition": (
        (
            "SELECT x.p / y.p r FROM (SELECT shop, SUM(price) p FROM sales GROUP BY shop) x, (SELECT id, size p FROM shops) y WHERE x.p > 0 AND x.shop = y.id AND CASE WHEN x.p > 0 THEN y.p / x.p ELSE 0.0 END > 1",
            "SELECT x.p / y.p r FROM (SELECT shop, SUM(price) p FROM sales GROUP BY shop) x, (SELECT id, size p FROM shops) y WHERE x.p > 0 AND x.shop = y.id AND CASE WHEN x.p >= 0 THEN y.p / x.p ELSE 0.0 END > 1",
        ),
        ("SELECT item FROM sales WHERE price > 0 AND price > 1", "SELECT item FROM sales WHERE price > 1"),
        ("SELECT item FROM sales WHERE shop > 1", "SELECT item FROM sales WHERE shop >= 2"),
        (
            "SELECT item FROM sales WHERE price > 0 AND CASE WHEN price > 0 THEN cost / price END > 2",
            "SELECT item FROM sales WHERE CASE WHEN price > 0 THEN cost / price END > 2",
        ),
        (
            "SELECT CASE WHEN price > 0 THEN cost ELSE fee END x FROM sales WHERE price > 1",
            "SELECT CASE WHEN price >= 0 THEN cost ELSE fee END x FROM sales WHERE price > 1",
        ),
        (
            "SELECT name FROM shops WHERE state IN ('a', 'b') AND state <> 'a'",
            "SELECT name FROM shops WHERE state = 'b'",
        ),
        (
            "SELECT shop, SUM(price) x FROM sales GROUP BY shop HAVING SUM(price) > 1 AND SUM(price) > 0",
            "SELECT shop, SUM(price) x FROM sales GROUP BY shop HAVING SUM(price) > 1",
        ),
    ),
}
"""Rule -> pairs it decides."""

DIFFERENT = {
    "a cast of the literal rounds": ("SELECT item FROM sales WHERE price > 1", "SELECT item FROM sales WHERE price >= 2"),
    "another name": ("SELECT item AS x FROM sales", "SELECT item AS y FROM sales"),
    "an unnamed column is named by its text": ("SELECT shop + 1 FROM sales WHERE shop = day", "SELECT day + 1 FROM sales WHERE shop = day"),
    "NULL meets NULL": ("SELECT a.item FROM sales a, sales b WHERE a.shop = b.shop", "SELECT a.item FROM sales a, sales b WHERE a.shop <=> b.shop"),
    "NULL of the query around meets NULL": (
        "SELECT p.id FROM shops p WHERE p.size > 1 OR EXISTS (SELECT 1 FROM sales s WHERE s.shop = p.size)",
        "SELECT p.id FROM shops p WHERE p.size > 1 OR EXISTS (SELECT 1 FROM sales s WHERE s.shop <=> p.size)",
    ),
    "a condition does not support itself": (
        "SELECT p.id FROM shops p WHERE EXISTS (SELECT 1 FROM sales s WHERE s.shop = p.size)",
        "SELECT p.id FROM shops p WHERE EXISTS (SELECT 1 FROM sales s WHERE s.shop <=> p.size)",
    ),
    "another part of the text": (
        "SELECT SUBSTRING(name, 1, 2) x FROM shops",
        "SELECT SUBSTRING(name, 2, 2) x FROM shops",
    ),
    "NULL meets the unmatched": (
        "SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id LEFT JOIN days d ON s.day = p.id",
        "SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id LEFT JOIN days d ON s.day <=> p.id",
    ),
    "unmatched rows stay": ("SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id", "SELECT s.item FROM sales s JOIN shops p ON s.shop = p.id"),
    "a nullable foreign key": ("SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id", "SELECT s.item FROM sales s JOIN shops p ON s.shop = p.id"),
    "a foreign key and a filter": (
        "SELECT s.item FROM sales s LEFT JOIN shops p ON s.must = p.id AND p.size > 1",
        "SELECT s.item FROM sales s JOIN shops p ON s.must = p.id AND p.size > 1",
    ),
    "a foreign key of the missing side": (
        "SELECT d.sk FROM days d LEFT JOIN sales s ON d.sk = s.day LEFT JOIN shops p ON s.must = p.id",
        "SELECT d.sk FROM days d LEFT JOIN sales s ON d.sk = s.day JOIN shops p ON s.must = p.id",
    ),
    "a condition that NULL can meet": (
        "SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id WHERE p.size > 1 OR p.size IS NULL",
        "SELECT s.item FROM sales s JOIN shops p ON s.shop = p.id WHERE p.size > 1 OR p.size IS NULL",
    ),
    "a default meets the condition": (
        "SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id WHERE COALESCE(p.size, 5) > 1",
        "SELECT s.item FROM sales s JOIN shops p ON s.shop = p.id WHERE COALESCE(p.size, 5) > 1",
    ),
    "NOT IN of nothing is true of NULL": (
        "SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id WHERE p.size NOT IN (SELECT year FROM days)",
        "SELECT s.item FROM sales s JOIN shops p ON s.shop = p.id WHERE p.size NOT IN (SELECT year FROM days)",
    ),
    "only one side of a full join is asked": (
        "SELECT s.item, p.name FROM sales s FULL JOIN shops p ON s.shop = p.id WHERE s.day > 1",
        "SELECT s.item, p.name FROM sales s JOIN shops p ON s.shop = p.id WHERE s.day > 1",
    ),
    "ON is no WHERE": (
        "SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id AND p.size > 1",
        "SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.id WHERE p.size > 1",
    ),
    "several partners": (
        "SELECT s.item FROM sales s, shops p WHERE s.shop = p.size",
        "SELECT s.item FROM sales s LEFT SEMI JOIN shops p ON s.shop = p.size",
    ),
    "a unique key with NULLs, met by NULL": (
        "SELECT s.item FROM sales s, shops p WHERE s.note <=> p.name",
        "SELECT s.item FROM sales s LEFT SEMI JOIN shops p ON s.note <=> p.name",
    ),
    "equal doubles may be two zeros": (
        "SELECT a.weight AS x FROM sales a, sales b WHERE a.weight = b.weight AND a.item = b.ticket",
        "SELECT b.weight AS x FROM sales a, sales b WHERE a.weight = b.weight AND a.item = b.ticket",
    ),
    "equal, but of another type": (
        "SELECT s.shop AS x FROM sales s, shops p WHERE s.shop = p.ident",
        "SELECT p.ident AS x FROM sales s, shops p WHERE s.shop = p.ident",
    ),
    "equal under OR": ("SELECT shop AS x FROM sales WHERE shop = day OR item = 1", "SELECT day AS x FROM sales WHERE shop = day OR item = 1"),
    "equal in ON only": (
        "SELECT s.shop AS x FROM sales s LEFT JOIN shops p ON s.shop = p.id",
        "SELECT p.id AS x FROM sales s LEFT JOIN shops p ON s.shop = p.id",
    ),
    "a column DISTINCT reads": (
        "SELECT COUNT(*) n FROM (SELECT DISTINCT shop, day FROM sales) x",
        "SELECT COUNT(*) n FROM (SELECT DISTINCT shop, day + 1 AS d, note FROM sales) x",
    ),
    "a column UNION reads": (
        "SELECT COUNT(*) n FROM (SELECT shop, day FROM sales UNION SELECT id, size FROM shops) x",
        "SELECT COUNT(*) n FROM (SELECT shop, must FROM sales UNION SELECT id, size FROM shops) x",
    ),
    "an outer join with several partners": (
        "SELECT s.item FROM sales s LEFT JOIN shops p ON s.shop = p.size",
        "SELECT s.item FROM sales s LEFT JOIN shops p ON s.day = p.size",
    ),
    "an inner join drops rows": (
        "SELECT s.item FROM sales s JOIN shops p ON s.shop = p.id",
        "SELECT s.item FROM sales s JOIN shops p ON s.day = p.id",
    ),
    "a column computed from another is no copy": (
        "SELECT sk FROM days WHERE month_no = 1",
        "SELECT sk FROM days WHERE year = 1",
    ),
    "the month alone does not settle the month's number": (
        "SELECT moy, COUNT(*) n FROM days GROUP BY moy",
        "SELECT moy, COUNT(*) n FROM days GROUP BY moy, month_no",
    ),
    "the other branch is kept": (
        "SELECT k FROM (SELECT 's' AS kind, item AS k FROM sales UNION ALL SELECT 's', id FROM shops) x WHERE kind = 's'",
        "SELECT k FROM (SELECT 's' AS kind, item AS k FROM sales UNION ALL SELECT 's', size FROM shops) x WHERE kind = 's'",
    ),
    "a filter before the window": (
        "SELECT r FROM (SELECT moy, RANK() OVER (PARTITION BY year ORDER BY sk) r FROM days) x WHERE moy = 1",
        "SELECT r FROM (SELECT moy, RANK() OVER (PARTITION BY year ORDER BY sk) r FROM days WHERE moy = 1) x",
    ),
    "a filter before the limit": (
        "SELECT sk FROM (SELECT sk, moy FROM days ORDER BY sk LIMIT 2) x WHERE moy = 1",
        "SELECT sk FROM (SELECT sk, moy FROM days WHERE moy = 1 ORDER BY sk LIMIT 2) x",
    ),
    "a filter on a total": (
        "SELECT n FROM (SELECT COUNT(*) n FROM sales) x WHERE n > 0",
        "SELECT n FROM (SELECT COUNT(*) n FROM sales HAVING COUNT(*) >= 0) x",
    ),
    "the default gives another type": ("SELECT COALESCE(fee, 0) x FROM sales", "SELECT fee x FROM sales"),
    "a total of no rows": ("SELECT COALESCE(SUM(fee), 0) x FROM sales", "SELECT SUM(fee) x FROM sales"),
    "a total of NULLs": ("SELECT COALESCE(SUM(price), 0) x FROM sales GROUP BY shop", "SELECT SUM(price) x FROM sales GROUP BY shop"),
    "a subtotal of no rows": (
        "SELECT shop, COALESCE(SUM(fee), 0) x FROM sales GROUP BY ROLLUP (shop)",
        "SELECT shop, SUM(fee) x FROM sales GROUP BY ROLLUP (shop)",
    ),
    "a count of the unmatched": (
        "SELECT s.item, COUNT(p.id) n FROM sales s LEFT JOIN shops p ON s.shop = p.id GROUP BY s.item",
        "SELECT s.item, COUNT(*) n FROM sales s LEFT JOIN shops p ON s.shop = p.id GROUP BY s.item",
    ),
    "sum is no average": ("SELECT SUM(fee) x FROM sales GROUP BY item, ticket", "SELECT AVG(fee) x FROM sales GROUP BY item, ticket"),
    "the sort key does not follow": ("SELECT item FROM sales ORDER BY item, ticket", "SELECT item FROM sales ORDER BY item"),
    "a sort key of a union": (
        "SELECT id FROM shops UNION ALL SELECT sk FROM days ORDER BY 1",
        "SELECT id FROM shops UNION ALL SELECT sk FROM days",
    ),
    "the order of keys": ("SELECT item FROM sales ORDER BY item, ticket", "SELECT item FROM sales ORDER BY ticket, item"),
    "descending": ("SELECT item FROM sales ORDER BY item DESC", "SELECT item FROM sales ORDER BY item"),
    "NULLs that no rule rules out": (
        "SELECT sk FROM days WHERE sk > 12 ORDER BY year NULLS LAST",
        "SELECT sk FROM days WHERE sk > 12 ORDER BY year",
    ),
    "NULLs at the other end": ("SELECT shop FROM sales ORDER BY shop NULLS LAST", "SELECT shop FROM sales ORDER BY shop"),
    "a unique key with NULLs does not settle": ("SELECT name FROM shops ORDER BY name, size", "SELECT name FROM shops ORDER BY name"),
    "a key of the joined table only": (
        "SELECT p.id FROM shops p, sales s WHERE s.shop = p.id ORDER BY p.id, s.price",
        "SELECT p.id FROM shops p, sales s WHERE s.shop = p.id ORDER BY p.id",
    ),
    "subtotals": ("SELECT id, name, COUNT(*) n FROM shops GROUP BY ROLLUP (id, name)", "SELECT id, MIN(name) name, COUNT(*) n FROM shops GROUP BY ROLLUP (id)"),
    "sorted subtotals": (
        "SELECT id, name FROM shops GROUP BY ROLLUP (id, name) ORDER BY id, name",
        "SELECT id, name FROM shops GROUP BY ROLLUP (id, name) ORDER BY id",
    ),
    "one group or none": ("SELECT COUNT(*) n FROM days WHERE year = 1 GROUP BY year", "SELECT COUNT(*) n FROM days WHERE year = 1"),
    "a window's greatest is not a group's": (
        "SELECT id, MAX(name) OVER (PARTITION BY 1) m FROM shops GROUP BY id, name",
        "SELECT id, name m FROM shops GROUP BY id, name",
    ),
    "a window's sort key": (
        "SELECT sk, RANK() OVER (PARTITION BY year ORDER BY moy, sk) r FROM days",
        "SELECT sk, RANK() OVER (PARTITION BY year ORDER BY moy) r FROM days",
    ),
    "rows that occur twice": ("SELECT DISTINCT item FROM sales", "SELECT item FROM sales"),
    "the other table's rows": (
        "SELECT DISTINCT p.id FROM shops p, sales s WHERE s.shop = p.id",
        "SELECT p.id FROM shops p, sales s WHERE s.shop = p.id",
    ),
    "a union of the same rows": ("SELECT id FROM shops UNION SELECT sk FROM days", "SELECT id FROM shops UNION ALL SELECT sk FROM days"),
    "labels that a common type makes equal": (
        "SELECT 1 AS k, id FROM shops UNION SELECT '1', sk FROM days",
        "SELECT 1 AS k, id FROM shops UNION ALL SELECT '1', sk FROM days",
    ),
    "intersect all": ("SELECT shop FROM sales INTERSECT ALL SELECT shop2 FROM sales", "SELECT shop FROM sales INTERSECT SELECT shop2 FROM sales"),
    "DISTINCT inside a count": ("SELECT COUNT(DISTINCT shop) n FROM sales", "SELECT COUNT(shop) n FROM sales"),
    "averages count rows": (
        "SELECT AVG(shop) a FROM (SELECT DISTINCT shop FROM sales) x",
        "SELECT AVG(shop) a FROM (SELECT shop FROM sales) x",
    ),
    "unknown is not false": ("SELECT item FROM sales WHERE NOT (shop = 1 AND day = 1)", "SELECT item FROM sales WHERE NOT (COALESCE(shop, 0) = 1 AND COALESCE(day, 0) = 1)"),
    "NULL is not unequal": ("SELECT item FROM sales WHERE shop <> 1", "SELECT item FROM sales WHERE shop <> 1 OR shop IS NULL"),
    "decimals lie between": ("SELECT item FROM sales WHERE price > 1 AND price < 2", "SELECT item FROM sales WHERE price > 1 AND price < 1.5"),
    "what is promised of another query": (
        "SELECT x.shop FROM (SELECT shop, SUM(price) p FROM sales GROUP BY shop HAVING SUM(price) > 0) x, (SELECT shop, SUM(price) p FROM sales GROUP BY shop) y WHERE x.shop = y.shop + 1 AND CASE WHEN y.p > 0 THEN 1 ELSE 0 END = 1",
        "SELECT x.shop FROM (SELECT shop, SUM(price) p FROM sales GROUP BY shop HAVING SUM(price) > 0) x, (SELECT shop, SUM(price) p FROM sales GROUP BY shop) y WHERE x.shop = y.shop + 1",
    ),
    "what is promised of a missing row": (
        "SELECT d.sk FROM days d LEFT JOIN (SELECT shop, SUM(price) p FROM sales GROUP BY shop HAVING SUM(price) > 0) x ON x.shop = d.sk WHERE CASE WHEN x.p > 0 THEN 1 ELSE 0 END = 1",
        "SELECT d.sk FROM days d LEFT JOIN (SELECT shop, SUM(price) p FROM sales GROUP BY shop HAVING SUM(price) > 0) x ON x.shop = d.sk",
    ),
    "a CASE that can be NULL": (
        "SELECT CASE WHEN price > 0 THEN 'a' ELSE 'b' END x FROM sales",
        "SELECT CASE WHEN price <= 0 THEN 'b' ELSE 'a' END x FROM sales",
    ),
    "letters' case": ("SELECT name FROM shops WHERE state = 'A'", "SELECT name FROM shops WHERE state = 'a'"),
    "a limit": ("SELECT item FROM sales ORDER BY item LIMIT 5", "SELECT item FROM sales ORDER BY item LIMIT 6"),
    "a limit of none": ("SELECT SUM(price) x FROM sales LIMIT 0", "SELECT SUM(price) x FROM sales"),
    "what Spark refuses": (
        "SELECT MIN(year) AS year, moy FROM days WHERE year = 1 GROUP BY moy ORDER BY days.year",
        "SELECT MIN(year) AS year, moy FROM days WHERE year = 1 GROUP BY moy ORDER BY 1",
    ),
    "a random value": ("SELECT item, RAND() r FROM sales", "SELECT item, RAND() r FROM sales"),
    "the first of a group": ("SELECT shop, FIRST(price) p FROM sales GROUP BY shop", "SELECT shop, FIRST(price) p FROM sales GROUP BY shop"),
}  # fmt: skip
"""Why they differ -> a pair that must not be proved."""

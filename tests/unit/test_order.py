"""What a reference's SQL says about order: sort keys as output columns, limit, tables, clocks."""

from __future__ import annotations

import pytest

from pytest_lockin.model.rules import SortKey
from pytest_lockin.references.order import read_ending


def keys(sql):
    """The positions of the sort keys; None where some key is no output column."""
    ending = read_ending(sql)
    assert ending.parsed
    return [key.position for key in ending.keys] if ending.complete else None


@pytest.mark.parametrize(
    ("sql", "positions"),
    [
        ("SELECT a, b FROM t", []),
        ("SELECT a, b FROM t ORDER BY b, a", [1, 0]),
        ("SELECT a, b FROM t ORDER BY B", [1]),
        ("SELECT x.a, x.b FROM t x ORDER BY b", [1]),
        ("SELECT x.a, x.b FROM t x ORDER BY x.b", [1]),
        ("SELECT a, sum(b) AS total FROM t GROUP BY a ORDER BY total DESC", [1]),
        ("SELECT a, sum(b) AS total FROM t GROUP BY a ORDER BY sum(b)", [1]),
        ("SELECT a, sum(b) FROM t GROUP BY a ORDER BY sum(b), a", [1, 0]),
        ("SELECT a, b FROM t ORDER BY 2, 1", [1, 0]),
        ("SELECT *, b FROM t ORDER BY 2", [1]),
        ("SELECT a AS b, b AS a FROM t ORDER BY a", [1]),
        ("SELECT a FROM t UNION ALL SELECT c FROM u ORDER BY a", [0]),
        ("SELECT a, 1 AS s FROM t UNION SELECT c, 2 FROM u ORDER BY s, 1", [1, 0]),
        ("WITH c AS (SELECT a, b FROM t ORDER BY b) SELECT a FROM c ORDER BY a", [0]),
        ("WITH c AS (SELECT a FROM t ORDER BY a LIMIT 3) SELECT a FROM c", []),
        ("(SELECT a, b FROM t) ORDER BY b", [1]),
    ],
)
def test_sort_keys_are_found_among_the_output_columns(sql, positions):
    assert keys(sql) == positions


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t ORDER BY b",
        "SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY max(b)",
        "SELECT a FROM t ORDER BY a, CASE WHEN a = 0 THEN b END",
        "SELECT * FROM t ORDER BY a",
        "SELECT t.*, b FROM t ORDER BY b",
        "SELECT a, CAST(b AS STRING) FROM t ORDER BY b",
        "SELECT posexplode(x), b FROM t ORDER BY b",
        "SELECT b, stack(2, 1, 2) FROM t ORDER BY b",
    ],
)
def test_a_key_that_is_no_known_output_column_makes_the_order_incomplete(sql):
    assert keys(sql) is None


def test_the_keys_before_a_hidden_one_are_kept():
    ending = read_ending("SELECT a, b FROM t ORDER BY b DESC, hidden, a")
    assert not ending.complete
    assert [key.position for key in ending.keys] == [1]


@pytest.mark.parametrize(
    ("words", "descending", "nulls_first"),
    [
        ("", False, True),
        ("ASC", False, True),
        ("DESC", True, False),
        ("NULLS LAST", False, False),
        ("ASC NULLS FIRST", False, True),
        ("DESC NULLS FIRST", True, True),
        ("DESC NULLS LAST", True, False),
    ],
)
def test_nulls_stand_where_spark_puts_them(words, descending, nulls_first):
    ending = read_ending(f"SELECT a FROM t ORDER BY a {words}")
    assert ending.keys == (SortKey(position=0, descending=descending, nulls_first=nulls_first),)


@pytest.mark.parametrize(
    ("sql", "limit"),
    [
        ("SELECT a FROM t", None),
        ("SELECT a FROM t LIMIT 100", 100),
        ("SELECT a FROM t LIMIT 100;", 100),
        ("SELECT a FROM t UNION SELECT b FROM u LIMIT 5", 5),
        ("SELECT a FROM (SELECT a FROM t LIMIT 3) x", None),
        ("SELECT a FROM t WHERE a IN (SELECT b FROM u LIMIT 1)", None),
        ("SELECT a FROM t LIMIT ALL", None),
    ],
)
def test_only_the_outermost_limit_counts(sql, limit):
    assert read_ending(sql).limit == limit


def test_the_statement_without_its_limit_is_otherwise_the_same():
    ending = read_ending("SELECT a FROM (SELECT a FROM t LIMIT 9) x ORDER BY a DESC LIMIT 3")
    again = read_ending(ending.unlimited)
    assert (again.limit, again.keys, again.tables) == (None, ending.keys, ending.tables)
    assert "LIMIT 9" in ending.unlimited
    assert read_ending("SELECT a FROM t").unlimited == ""


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("SELECT a FROM T", ("t",)),
        ("SELECT a FROM db.t JOIN u USING (a)", ("t", "u")),
        ("WITH c AS (SELECT a FROM t) SELECT a FROM c, u", ("t", "u")),
        ("WITH t AS (SELECT a FROM t) SELECT a FROM t", ("t",)),
        ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)", ("t", "u")),
        ("SELECT a FROM t UNION ALL SELECT a FROM u", ("t", "u")),
        ("SELECT id FROM range(10)", ()),
    ],
)
def test_tables_are_those_the_data_must_hold(sql, tables):
    assert read_ending(sql).tables == tables


@pytest.mark.parametrize(
    "function",
    [
        "current_date",
        "current_date()",
        "current_timestamp()",
        "now()",
        "curdate()",
        "localtimestamp()",
        "unix_timestamp()",
        "rand()",
        "rand(42)",
        "randn()",
        "uuid()",
        "shuffle(array(1, 2))",
        "monotonically_increasing_id()",
    ],
)
@pytest.mark.parametrize(
    "statement", ["SELECT {} AS x FROM t", "SELECT a FROM t WHERE a IN (SELECT {} FROM u)"]
)
def test_what_depends_on_time_or_chance_is_named(statement, function):
    assert read_ending(statement.format(function)).clocks


@pytest.mark.parametrize(
    "expression",
    [
        "unix_timestamp(a)",
        "date_add(a, 30)",
        "current_user()",
        "'now()'",
        "now",
        "year(a)",
        "CAST('2000-01-01' AS DATE)",
    ],
)
def test_what_only_looks_like_a_clock_is_none(expression):
    assert read_ending(f"SELECT {expression} AS x FROM t").clocks == ()


@pytest.mark.parametrize("sql", ["", "   ", "-- only a note", "SELECT FROM WHERE", "SELECT 'open"])
def test_a_text_that_cannot_be_parsed_says_so_and_nothing_else(sql):
    ending = read_ending(sql)
    assert not ending.parsed
    assert (ending.keys, ending.limit, ending.tables, ending.clocks) == ((), None, (), ())

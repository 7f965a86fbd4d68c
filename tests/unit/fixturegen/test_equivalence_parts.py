"""Parts that proofs rest on: types, what follows from what, forms, questions to the solver."""

import pytest
from equivalence_pairs import PROFILE

from pytest_lockin.fixturegen.equivalence.conditions import Asker
from pytest_lockin.fixturegen.equivalence.expressions import UnsupportedError
from pytest_lockin.fixturegen.equivalence.facts import Facts, rejected
from pytest_lockin.fixturegen.equivalence.kinds import family, kind_of, same_kind
from pytest_lockin.fixturegen.equivalence.knowledge import Knowledge
from pytest_lockin.fixturegen.equivalence.reading import Reader
from pytest_lockin.fixturegen.equivalence.rules.canon import canon
from pytest_lockin.fixturegen.equivalence.terms import FALSE, TRUE, Term, col, lit
from pytest_lockin.sql.statement import read_statement

SCHEMAS = PROFILE.schemas


def read(sql):
    return Reader().read(read_statement(sql, SCHEMAS).tree, "", {}, {})


def facts(sql):
    return Facts(read(sql).source, Knowledge(PROFILE))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("COALESCE(price, 0)", "decimal(12,2)"),
        ("COALESCE(SUM(price), 0)", "decimal(17,2)"),
        ("SUM(price / 2)", "decimal(21,6)"),
        ("AVG(price)", "decimal(11,6)"),
        ("price * 2", "decimal(9,2)"),
        ("price - item", "decimal(23,2)"),
        ("SUM(price) / 3", "decimal(21,6)"),
        ("item + 1", "bigint"),
        ("1.50", "decimal(3,2)"),
        ("0.05", "decimal(2,2)"),
        ("ABS(price)", "decimal(7,2)"),
        ("CASE WHEN item = 0 THEN price ELSE 0 END", "decimal(12,2)"),
        ("MIN(price) / SUM(price)", "decimal(27,20)"),
        ("-price", "decimal(7,2)"),
        ("item * price", "decimal(28,2)"),
        ("item / ticket", "double"),
        ("AVG(item)", "double"),
        ("COUNT(*)", "bigint"),
        ("SUM(item)", "bigint"),
        ("MIN(note)", "string"),
        ("some(price > 1)", ""),
    ],
)
def test_types_are_those_spark_gives(text, kind):
    """As Spark 4.2 said of the same expressions."""
    query = read(f"SELECT {text} AS x FROM sales")
    assert kind_of(query.items[0].term, facts("SELECT 1 AS one FROM sales").kind) == kind


def test_alike_expressions_of_alike_types_have_one_type():
    query = read("SELECT sqrt(price) AS a, sqrt(cost) AS b, sqrt(weight) AS c FROM sales")
    kind = facts("SELECT 1 AS one FROM sales").kind
    a, b, c = (item.term for item in query.items)
    assert same_kind(a, b, kind)
    assert not same_kind(a, c, kind)


def test_floats_have_no_family_since_their_zeros_differ():
    assert (family("double"), family("bigint"), family("decimal(7,2)")) == ("", "number", "number")


@pytest.mark.parametrize(
    ("condition", "columns"),
    [
        ("shop > 1", {"shop"}),
        ("shop > 1 OR day > 1", set()),
        ("shop > 1 OR shop < day", {"shop"}),
        ("shop IS NOT NULL AND NOT day = 1", {"shop", "day"}),
        ("shop <=> day", set()),
        ("COALESCE(shop, 1) > 0", set()),
        ("shop IN (1, 2) AND day NOT IN (1, 2)", {"shop", "day"}),
        ("shop IN (SELECT id FROM shops)", {"shop"}),
        ("shop NOT IN (SELECT id FROM shops)", set()),
        ("CASE WHEN shop > 1 THEN day END > 1", {"shop", "day"}),
        ("CASE WHEN shop > 1 THEN day ELSE 5 END > 1", set()),
        ("EXISTS (SELECT 1 FROM shops WHERE id = shop)", {"shop"}),
        ("NOT EXISTS (SELECT 1 FROM shops WHERE id = shop)", set()),
        ("EXISTS (SELECT COUNT(*) FROM shops WHERE id = shop)", set()),
    ],
)
def test_a_condition_refuses_null_only_where_it_cannot_be_true_of_it(condition, columns):
    query = read(f"SELECT item FROM sales WHERE {condition}")
    found = {column.name for term in query.source.where for column in rejected(canon_all(term))}
    assert {name for name in found if name in SCHEMAS["sales"]} == columns


def canon_all(term):
    from pytest_lockin.fixturegen.equivalence.terms import rewrite

    return rewrite(term, canon)


def test_what_a_key_settles():
    known = facts("SELECT 1 AS one FROM sales s, shops p WHERE s.shop = p.id AND s.day = 3")
    shop, name, price, day = (col("/s", "shop"), col("/p", "name"), col("/s", "price"), col("/s", "day"))
    closure = known.closure([shop])
    assert closure.settles(name)
    assert closure.settles(day)
    assert not closure.settles(price)
    assert not known.settles_row(closure)
    assert known.settles_row(known.closure([col("/s", "item"), col("/s", "ticket")]))


def test_a_key_with_nulls_settles_only_where_null_is_refused():
    name, size = col("/shops", "name"), col("/shops", "size")
    assert not facts("SELECT 1 AS one FROM shops").closure([name]).settles(size)
    assert facts("SELECT 1 AS one FROM shops WHERE name > 'a'").closure([name]).settles(size)


def test_the_missing_side_of_an_outer_join_may_be_null():
    known = facts("SELECT 1 AS one FROM sales s LEFT JOIN shops p ON s.shop = p.id")
    assert known.never_null(col("/s", "item"))
    assert not known.never_null(col("/p", "id"))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT RAND() AS r FROM sales",
        "SELECT COLLECT_LIST(item) AS r FROM sales",
        "SELECT item FROM sales LIMIT 5 OFFSET 2",
        "SELECT item FROM sales TABLESAMPLE (10 PERCENT)",
        "SELECT item FROM sales LATERAL VIEW EXPLODE(ARRAY(1)) t AS y",
        "SELECT SUM(item) FILTER (WHERE shop > 1) AS x FROM sales",
    ],
)
def test_what_is_not_understood_is_refused(text):
    with pytest.raises(UnsupportedError):
        read(text)


def test_literals_are_compared_by_value_within_a_family_only():
    assert canon(Term("eq", (lit("int", 1), lit("decimal", "1.0")))) == TRUE
    assert canon(Term("eq", (lit("string", "a"), lit("string", "A")))) == FALSE
    mixed = Term("eq", (lit("int", 1), lit("string", "1")))
    assert canon(mixed).op == "eq"


def test_spark_counts_the_places_of_a_text_from_0_as_from_1():
    one, other = (read(f"SELECT SUBSTRING(note, {at}, 5) AS x FROM sales").items for at in (0, 1))
    assert canon_all(one[0].term) == canon_all(other[0].term)


def ask(one, other, kind="bigint", *, filled=False):
    asker = Asker(lambda _: kind, lambda term: filled and term.op == "col")
    sides = [read(f"SELECT item FROM sales WHERE {text}").source.where for text in (one, other)]
    return asker.accept_the_same(*([canon_all(term) for term in side] for side in sides))


def test_whole_numbers_have_no_halves_and_decimals_do():
    assert ask("shop > 1", "shop >= 2")
    assert not ask("shop > 1", "shop >= 2", "decimal(7,2)")


def test_unknown_is_neither_true_nor_false():
    assert ask("NOT (shop > 1)", "shop <= 1")
    assert not ask("shop > 1 OR shop <= 1", "1 = 1")
    assert ask("shop > 1 OR shop <= 1", "1 = 1", filled=True)


def test_strings_keep_their_order():
    assert ask("note >= 'a' AND note >= 'B'", "note >= 'a'", "string")
    assert not ask("note >= 'a' AND note >= 'b'", "note >= 'a'", "string")


def test_a_column_of_unknown_type_says_nothing():
    assert not ask("note > 1 AND note > 0", "note > 1", "")

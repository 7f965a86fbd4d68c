"""Conditions inside of what must not be there show on some dataset."""

import pytest

from pytest_lockin.fixturegen.judge import find_judge
from pytest_lockin.fixturegen.make import make_datasets
from pytest_lockin.fixturegen.seeds.absences import turn_absences
from pytest_lockin.model.fixture import Basis, ColumnProfile, Profile, TableProfile, UniqueKey


def table(name, key, **columns):
    made = tuple(
        ColumnProfile(name=column, type=kind, nullable=column != key) for column, kind in columns.items()
    )
    return TableProfile(name=name, columns=made, unique=(UniqueKey(columns=(key,), basis=Basis.STATED),))


PROFILE = Profile(
    tables=(
        table("sale", "id", id="bigint", shop="bigint"),
        table("back", "number", number="bigint", sale="bigint", year="bigint"),
    )
)
NOT_EXISTS = (
    "SELECT id FROM sale WHERE NOT EXISTS (SELECT * FROM back WHERE back.sale = sale.id AND year = 2002)"
)
NOT_IN = "SELECT id FROM sale WHERE id NOT IN (SELECT sale FROM back WHERE year = 2002 AND NOT sale IS NULL)"
ANTI = "SELECT id FROM sale LEFT ANTI JOIN back ON back.sale = sale.id AND year = 2002"


@pytest.mark.parametrize("statement", [NOT_EXISTS, NOT_IN, ANTI], ids=["not-exists", "not-in", "anti"])
@pytest.mark.parametrize(("was", "became"), [("2002", "2003"), ("year = 2002", "1 = 1")])
def test_a_wrong_condition_of_an_absence_shows(statement, was, became):
    run = find_judge(PROFILE)
    wrong = statement.replace(was, became)
    datasets = make_datasets(statement, PROFILE, most=200)
    assert any(sorted(run(statement, each) or ()) != sorted(run(wrong, each) or ()) for each in datasets)


def test_each_absence_is_turned_alone():
    turned = list(
        turn_absences("SELECT * FROM a ANTI JOIN b ON x = y WHERE NOT x IN (SELECT z FROM c) AND NOT x = 1")
    )
    assert [("ANTI" in each, "NOT x IN" in each, "NOT x = 1" in each) for each in turned] == [
        (False, True, True),
        (True, False, True),
    ]


def test_a_statement_that_asks_for_no_absence_has_none():
    assert (
        list(turn_absences("SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b) AND x IN (1, 2) AND NOT x = 3"))
        == []
    )

"""Fixtures as files: what is written is read back, and what is damaged or changed is said."""

from __future__ import annotations

import datetime as dt
import json
import math
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_databases import PROFILE

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.cells import parse_cell, write_cell
from pytest_lockin.fixturegen.freeze import load_fixtures, load_standings, parse_fixture, render_fixture
from pytest_lockin.fixturegen.lock import add_fixture, check_lock, make_seal, read_lock, write_fixtures
from pytest_lockin.fixturegen.tables import read_frames
from pytest_lockin.model.fixture import Fixture, FixtureTable, Standing, VariantStanding

FIXTURE = Fixture(
    task="t1",
    name="f1",
    purpose="2 wrong programs show here that they are wrong",
    separates=("a1", "b2"),
    tables=(
        FixtureTable(
            name="sale",
            columns=(("shop", "bigint"), ("price", "decimal(7,2)"), ("day", "date"), ("note", "string")),
            rows=((1, Decimal("2.50"), dt.date(2000, 1, 31), None), (None, Decimal("0.00"), None, None)),
            uses=("a sale", 'a sale without "shop"\n'),
        ),
        FixtureTable(name="shop", columns=(("id", "bigint"), ("name", "string"))),
    ),
)
STANDINGS = (
    VariantStanding(
        id="a1",
        kind="filter",
        text="wrong if …",
        standing=Standing.DISTINGUISHED,
        reason="other values",
        fixture="f1",
    ),
    VariantStanding(
        id="c3",
        kind="join",
        text="wrong",
        standing=Standing.PROVED,
        reason="key",
        tried=9,
        assumed=("sale.shop is never NULL",),
    ),
)
SEAL = make_seal(PROFILE, "SELECT 1;")

CELLS = {
    "bigint": st.integers(-(2**63), 2**63 - 1),
    "int": st.integers(-(2**31), 2**31 - 1),
    "decimal(9,3)": st.decimals(-99999, 99999, places=3),
    "double": st.floats(),
    "boolean": st.booleans(),
    "string": st.text(),
    "date": st.dates(),
    "timestamp": st.datetimes(),
}


@pytest.fixture
def folder(tmp_path):
    write_fixtures(tmp_path, "t1", (FIXTURE,), STANDINGS, SEAL)
    return tmp_path


@given(st.data())
def test_every_cell_is_read_back_as_it_was(data):
    kind = data.draw(st.sampled_from(sorted(CELLS)))
    cell = data.draw(st.none() | CELLS[kind])
    back = parse_cell(json.loads(json.dumps(write_cell(cell))), kind)
    assert type(back) is type(cell)
    assert back == cell or (isinstance(cell, float) and math.isnan(cell) and math.isnan(back))


@given(st.lists(st.tuples(st.none() | CELLS["bigint"], st.none() | CELLS["string"], st.text()), max_size=4))
def test_every_fixture_is_read_back_as_it_was(rows):
    table = FixtureTable(
        name="t",
        columns=(("n", "bigint"), ("s", "string")),
        rows=tuple((n, s) for n, s, _ in rows),
        uses=tuple(use for _, _, use in rows),
    )
    fixture = Fixture(task="t1", name="f2", purpose="p", tables=(table,), post_hoc=True)
    assert parse_fixture(render_fixture(fixture), Path("f2.json")) == fixture


def test_files_are_read_back(folder):
    assert load_fixtures(folder, "t1") == (FIXTURE,)
    assert load_standings(folder, "t1") == STANDINGS
    assert load_fixtures(folder, "other") == ()
    assert load_standings(folder, "other") == ()


def test_frozen_tables_become_frames_of_their_types():
    sale, shop = read_frames(FIXTURE).values()
    assert sale.table.to_pylist()[0] == {
        "shop": 1,
        "price": Decimal("2.50"),
        "day": dt.date(2000, 1, 31),
        "note": None,
    }
    assert [field["type"] for field in sale.fields] == ["long", "decimal(7,2)", "date", "string"]
    assert (shop.rows, shop.names) == (0, ("id", "name"))


def test_a_row_is_a_line_and_names_what_it_is_for(folder):
    lines = (folder / "t1" / "f1.json").read_text().splitlines()
    assert '   {"for": "a sale", "row": [1, "2.50", "2000-01-31"]},' in lines
    assert all("note" not in line for line in lines if '"shown"' in line)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"format": 1', '"format": 2', "format 2"),
        ('"2.50"', "2.5", "2.5 is no decimal(7,2)"),
        ('"2.50"', '"2.505"', "is no decimal(7,2)"),
        ('"2000-01-31"', '"2000-02-31"', "is no date"),
        ("[1, ", "[true, ", "True is no bigint"),
        ("[1, ", '["x", ', "'x' is no bigint"),
        ("[1, ", "[1, 2, ", "other length"),
        ("[1, ", "[[1], ", "[1] is no bigint"),
        ('"row": [1', '"raw": [1', "no 'row'"),
        ('"shop bigint"', '"shop map<int,int>"', "map<int,int>"),
        ('"shown": ["shop", ', '"shown": ["nope", ', "'nope' shown"),
        ('"shown": ["shop", ', '"shown": ["price", ', "'price' shown"),
        ('"name": "f1"', '"name": "f9"', "the fixture f9 of t1"),
        ('"task": "t1"', '"task": 1', "1 where a text is expected"),
        ("{", "[", "no JSON"),
        ('"tables"', '"tabs"', "no 'tables'"),
    ],
)
def test_a_damaged_file_is_said(folder, old, new, said):
    path = folder / "t1" / "f1.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FixturesError, match=r"f1\.json") as error:
        load_fixtures(folder, "t1")
    assert said in error.value.found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 1, "variants": [{"id": "a"}]}',
        '{"format": 1, "variants": [3]}',
        '{"format": 1, "variants": 4}',
    ],
)
def test_damaged_standings_are_said(folder, text):
    (folder / "t1" / "variants.json").write_text(text)
    with pytest.raises(FixturesError, match=r"variants\.json"):
        load_standings(folder, "t1")


def test_what_is_locked_and_untouched_is_in_order(folder):
    assert check_lock(folder) == ()
    assert check_lock(folder, {"t1": SEAL}) == ()
    assert set(read_lock(folder)["t1"]["files"]) == {"f1.json", "variants.json"}


def test_a_changed_row_is_found(folder):
    path = folder / "t1" / "f1.json"
    path.write_text(path.read_text().replace('"2.50"', '"2.51"'))
    assert check_lock(folder) == ("t1/f1.json: was changed",)


def test_files_that_go_or_come_are_found(folder):
    (folder / "t1" / "f1.json").rename(folder / "t1" / "f7.json")
    (folder / "t2").mkdir()
    (folder / "t2" / "f1.json").write_text("{}")
    assert set(check_lock(folder)) == {
        "t1/f1.json: is gone",
        "t1/f7.json: is not locked",
        "t2: has fixtures that are not locked",
    }


def test_another_reference_is_found_and_a_semicolon_is_not_one(folder):
    assert check_lock(folder, {"t1": make_seal(PROFILE, "  SELECT 1  ;\n")}) == ()
    assert check_lock(folder, {"t1": make_seal(PROFILE, "SELECT 2")}) == (
        "t1: the reference is another than the fixtures were made of",
    )


def test_another_profile_is_found(folder):
    narrower = type(PROFILE)(tables=PROFILE.tables[:1])
    assert check_lock(folder, {"t1": make_seal(narrower, "SELECT 1")}) == (
        "t1: what data is legal is another than the fixtures were made of",
    )


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": 9, "tasks": {}}', '{"format": 1, "tasks": {"t1": {}}}', '{"format": 1}']
)
def test_a_damaged_lock_is_said(folder, text):
    (folder / "lock.json").write_text(text)
    with pytest.raises(FixturesError, match="lock"):
        check_lock(folder)


def test_a_fixture_found_with_a_candidate_is_locked_beside_the_others(folder):
    later = Fixture(task="t1", name="p1", purpose="found with a candidate", tables=(), post_hoc=True)
    assert add_fixture(folder, later).name == "p1.json"
    assert load_fixtures(folder, "t1") == (FIXTURE, later)
    assert check_lock(folder, {"t1": SEAL}) == ()


@pytest.mark.parametrize("change", [{"post_hoc": False}, {"task": "t2"}, {"name": "f1"}])
def test_only_post_hoc_fixtures_are_added(folder, change):
    later = Fixture(task="t1", name="p1", purpose="found with a candidate", tables=(), post_hoc=True)
    with pytest.raises(FixturesError, match="post-hoc"):
        add_fixture(folder, replace(later, **change))
    assert check_lock(folder) == ()


def test_fixtures_made_anew_replace_the_old_but_not_what_was_found_post_hoc(folder):
    later = Fixture(task="t1", name="p1", purpose="found with a candidate", tables=(), post_hoc=True)
    (folder / "t1" / "p1.json").write_text(render_fixture(later))
    renamed = Fixture(task="t1", name="f2", purpose="new", tables=())
    write_fixtures(folder, "t1", (renamed,), (), SEAL)
    assert [fixture.name for fixture in load_fixtures(folder, "t1")] == ["f2", "p1"]
    assert check_lock(folder) == ()

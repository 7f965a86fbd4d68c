"""Options and ini keys, read once; every bad value is refused in words."""

from __future__ import annotations

import pytest

from pytest_lockin.errors import SettingsError
from pytest_lockin.model.suite import EntryPoint
from pytest_lockin.settings import (
    DEFAULT_FAIL_ON,
    ENGINES,
    GATED,
    Allowance,
    Settings,
    check_engine,
    check_reference,
    parse_allow,
    parse_entry_point,
    parse_fail_on,
    parse_pairs,
    parse_timeout,
    parse_workers,
)


@pytest.mark.parametrize("engine", [*ENGINES, "sc://host", "sc://host:15002", "sc://host:1/;token=x"])
def test_known_engines_are_taken(engine):
    assert check_engine(engine) == engine


@pytest.mark.parametrize("engine", ["", "SAIL", "duckdb", "sc://", "sc://:15002", "sc:///x", "host:15002"])
def test_an_unknown_engine_is_refused_and_the_known_ones_are_named(engine):
    with pytest.raises(SettingsError) as caught:
        check_engine(engine)
    assert engine in caught.value.found
    assert all(name in caught.value.expected for name in ENGINES)


def test_a_references_folder_becomes_absolute(tmp_path, monkeypatch):
    (tmp_path / "refs").mkdir()
    monkeypatch.chdir(tmp_path)
    assert check_reference("refs") == str(tmp_path / "refs")


def test_a_references_path_with_a_typo_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="not there"):
        check_reference(str(tmp_path / "rfes"))


def test_a_file_is_no_folder_of_references(tmp_path):
    (tmp_path / "refs").touch()
    with pytest.raises(SettingsError, match="a file"):
        check_reference(str(tmp_path / "refs"))


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ([], DEFAULT_FAIL_ON),
        ([""], DEFAULT_FAIL_ON),
        (["true_fail"], ("true_fail",)),
        (["true_fail,flaky"], ("true_fail", "flaky")),
        (["true_fail, flaky", "partial"], ("true_fail", "flaky", "partial")),
        (["flaky", "flaky"], ("flaky",)),
        (["none"], ()),
        (["false_pass", "none"], ()),
        (["none", "flaky"], ("flaky",)),
    ],
)
def test_fail_on_takes_commas_repeats_and_none(values, kinds):
    assert parse_fail_on(values) == kinds


@pytest.mark.parametrize("value", ["false-pass", "true_pass", "all", "false_pass,nope"])
def test_an_unknown_kind_to_fail_on_is_refused_and_the_known_ones_are_named(value):
    with pytest.raises(SettingsError) as caught:
        parse_fail_on([value])
    assert all(kind in caught.value.expected for kind in GATED)


def test_an_allowance_keeps_its_reason_with_colons_and_commas():
    parsed = parse_allow(["unverified: see #12: no data, yet ", "flaky"])
    assert parsed == (
        Allowance(what="unverified", reason="see #12: no data, yet"),
        Allowance(what="flaky"),
    )
    settings = Settings(allow=parsed)
    assert settings.allows("unverified") == parsed[0]
    assert settings.allows("false_pass") is None


@pytest.mark.parametrize("value", ["", ":reason", "everything", "unverified,flaky", "true_pass:x"])
def test_an_allowance_for_no_kind_is_refused(value):
    with pytest.raises(SettingsError, match="once for each kind"):
        parse_allow([value])


def test_pairs_split_at_the_first_equals_sign():
    assert parse_pairs(["a/* = q04", "b=x=y"], "lockin_tasks") == (("a/*", "q04"), ("b", "x=y"))


@pytest.mark.parametrize("line", ["q04", "= q04", "a/* =", " = "])
def test_a_line_that_is_no_pair_is_refused_under_its_keys_name(line):
    with pytest.raises(SettingsError, match="lockin_tasks"):
        parse_pairs([line], "lockin_tasks")


@pytest.mark.parametrize(
    ("text", "entry_point"),
    [
        ("run", EntryPoint(function="run")),
        (" pkg.jobs : run ", EntryPoint(module="pkg.jobs", function="run")),
        ("solution:solve", EntryPoint()),
    ],
)
def test_an_entry_point_is_a_function_with_or_without_its_module(text, entry_point):
    assert parse_entry_point(text) == entry_point


@pytest.mark.parametrize(
    "text", ["", ":", "solution:", ":solve", "a-b:solve", "pkg..x:f", "solve()", "a:b:c"]
)
def test_an_entry_point_that_python_could_not_import_is_refused(text):
    with pytest.raises(SettingsError, match="solution:solve"):
        parse_entry_point(text)


def test_numbers_left_out_take_their_defaults():
    assert parse_timeout("") == 120.0
    assert parse_workers("", 7) == 7


def test_numbers_given_are_taken():
    assert parse_timeout("0.5") == 0.5
    assert parse_workers("3", 7) == 3


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "1 s", "many"])
def test_a_time_limit_that_is_no_positive_number_is_refused(text):
    with pytest.raises(SettingsError, match="lockin_timeout"):
        parse_timeout(text)


@pytest.mark.parametrize("text", ["0", "0.5", "2.5", "-1", "nan", "inf", "two"])
def test_a_number_of_workers_that_is_no_whole_number_is_refused(text):
    with pytest.raises(SettingsError, match="lockin_workers"):
        parse_workers(text, 2)


def test_a_refusal_says_expected_found_and_hint():
    with pytest.raises(SettingsError) as caught:
        check_engine("sparc")
    first, second, third = str(caught.value).splitlines()
    assert first.startswith("expected ")
    assert second.startswith("found ")
    assert third.startswith("hint: ")
    assert third.endswith(f"[{SettingsError.slug}]")

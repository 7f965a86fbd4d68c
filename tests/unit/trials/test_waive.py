import datetime as dt

import pytest
from results import result

from pytest_lockin.errors import WaiverError
from pytest_lockin.trials.waive import apply_waivers, load_waivers

TODAY = dt.date(2026, 11, 30)
ONE = """
[[waiver]]
id = "a"
reason = "the column is never NULL by contract"
author = "ada"
expires = 2027-01-31
"""


@pytest.fixture
def waivers(tmp_path):
    def load(text):
        path = tmp_path / "lockin-waivers.toml"
        path.write_text(text)
        return load_waivers(path)

    return load


def test_no_file_means_no_waivers(tmp_path):
    assert load_waivers(tmp_path / "lockin-waivers.toml") == ()


def test_a_waived_survivor_carries_the_reason(waivers):
    (marked, other), notes = apply_waivers([result("a", "uninfected"), result("b")], waivers(ONE), TODAY)
    assert marked.waived == "the column is never NULL by contract"
    assert (other.waived, notes) == ("", ())


def test_a_waiver_holds_through_its_last_day_and_no_longer(waivers):
    made = [result("a", "uninfected")]
    (last,), _ = apply_waivers(made, waivers(ONE), dt.date(2027, 1, 31))
    (after,), notes = apply_waivers(made, waivers(ONE), dt.date(2027, 2, 1))
    assert last.waived
    assert not after.waived
    assert notes == ("waiver of a expired on 2027-01-31 (ada)",)


def test_a_waiver_of_what_the_tests_notice_is_said_to_be_needless(waivers):
    (marked,), notes = apply_waivers([result("a", "killed")], waivers(ONE), TODAY)
    assert not marked.waived
    assert notes == ("waiver of a is not needed: killed",)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("waiver = [", "TOML"),
        (ONE.replace("reason = ", "because = "), "with id, reason, author and expires"),
        (ONE.replace('"ada"', '" "'), "text in author"),
        (ONE.replace("2027-01-31", '"2027-01-31"'), "a date in expires"),
        (ONE.replace("2027-01-31", "2027-01-31T10:00:00"), "a date in expires"),
        (ONE + ONE, "each id once"),
        ("[waivers]\n", "waiver"),
        ("waiver = [1]\n", "with id"),
    ],
)
def test_a_wrong_file_is_told_with_what_was_expected(waivers, text, word):
    with pytest.raises(WaiverError, match=word) as told:
        waivers(text)
    assert told.value.slug == "bad-waiver"

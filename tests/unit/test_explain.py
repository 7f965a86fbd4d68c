"""Every word that a report uses can be explained, from what ships with the code."""

import dataclasses
import shutil

import pytest

from pytest_lockin import errors
from pytest_lockin.alternatives.registry import list_operators
from pytest_lockin.cli import main
from pytest_lockin.commands import explain
from pytest_lockin.engines.preflight import check_environment
from pytest_lockin.model import meanings
from pytest_lockin.model.finding import Mechanism
from pytest_lockin.model.report import VerdictKind
from pytest_lockin.model.trial import TrialOutcome


def every_slug():
    """Slugs of errors, and those of this machine's checks."""
    classes = [errors.LockinError]
    for each in classes:
        classes += each.__subclasses__()
    ours = {each.slug for each in classes if each.__module__ == errors.__name__}
    return sorted(ours | {finding.slug for finding in check_environment() if not finding.ok})


WORDS = [
    *(operator.name for operator in list_operators()),
    "python",
    *map(str, (*Mechanism, *TrialOutcome, *VerdictKind)),
    *every_slug(),
]


@pytest.mark.parametrize("word", WORDS)
def test_every_word_is_explained(word, capsys):
    assert main(["explain", word]) == 0
    out = capsys.readouterr().out
    title, _, text = out.partition("\n\n")
    assert title.startswith(f"{word} (")
    assert len(text.split()) >= 5


def test_there_are_words_of_every_sort():
    sorts = {entry.sort for entry in explain.list_entries()}
    assert sorts == {"operator family", "mechanism", "outcome of a trial", "verdict", "message"}
    assert all(entry.text for entry in explain.list_entries())


@pytest.mark.parametrize(
    "words", [["false", "pass"], ["FALSE PASS"], ["false-pass"], ["[false_pass]"], ["`false_pass`"]]
)
def test_a_word_is_known_as_reports_and_people_write_it(words, capsys):
    assert main(["explain", *words]) == 0
    assert "it is wrong, and no test noticed" in capsys.readouterr().out


def test_a_message_is_shown_with_its_cause_and_its_cure(capsys):
    assert main(["explain", "bad-setting"]) == 0
    out = capsys.readouterr().out
    assert "**Cause:**" in out
    assert "**Cure:**" in out
    assert "bad-baseline" not in out


@pytest.mark.parametrize(
    ("word", "meant"), [("join-typ", "join-type"), ("uninfectd", "uninfected"), ("bad-seting", "bad-setting")]
)
def test_an_unknown_word_names_what_is_nearest(word, meant, capsys):
    assert main(["explain", word]) == 2
    assert f"did you mean {meant}" in capsys.readouterr().err


def test_a_word_like_no_other_leads_to_the_list(capsys):
    assert main(["explain", "xyzzy"]) == 2
    assert "`lockin explain` lists what there is" in capsys.readouterr().err
    assert main(["explain"]) == 0
    out = capsys.readouterr().out
    assert all(word in out for word in WORDS)


def test_a_wheel_has_the_page_beside_the_package(tmp_path, monkeypatch, capsys):
    package = tmp_path / "pytest_lockin"
    (package / "_shipped").mkdir(parents=True)
    shutil.copy(explain._PACKAGE.parent / "docs" / "messages.md", package / "_shipped")
    monkeypatch.setattr(explain, "_PACKAGE", package)
    assert main(["explain", "bad-setting"]) == 0
    (package / "_shipped" / "messages.md").unlink()
    assert main(["explain", "bad-setting"]) == 2
    assert "reinstall" in capsys.readouterr().err


def test_without_source_a_word_has_no_meaning_and_there_is_no_failure(monkeypatch):
    def no_source(_):
        raise OSError

    monkeypatch.setattr(meanings.inspect, "getsource", no_source)
    assert meanings.read_meanings(Mechanism) == dict.fromkeys(map(str, Mechanism), "")


def test_entries_are_values():
    entry = explain.list_entries()[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        entry.name = "x"

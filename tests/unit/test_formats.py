"""Every format a report can be written in: from a run and from its JSON file, the same; markup stays text."""

import dataclasses
import re

import pytest
from sample_reports import every_kind, make_report, make_task

from pytest_lockin import plugin
from pytest_lockin.cli import main
from pytest_lockin.reports.document import make_document
from pytest_lockin.reports.formats import FORMATS, write_formats
from pytest_lockin.reports.jsonfile import write_json
from pytest_lockin.reports.markdown import escape, render_markdown

NASTY = "<script>alert(1)</script> | `x` **b** [a](http://x) @someone #1 &amp; \n- item \udcff"


def nasty_report():
    task = make_task(verdict="unverified", reason=NASTY, notes=(NASTY,))
    return dataclasses.replace(make_report(task), notes=(NASTY,))


def test_the_plugin_offers_every_format():
    assert [(each.name, each.text) for each in FORMATS] == list(plugin._REPORTS)


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
def test_a_file_of_a_run_and_one_made_from_its_json_are_the_same(each, tmp_path, capsys):
    report = every_kind()
    write_json(report, tmp_path / "out.json")
    write_formats(make_document(report), [(each.name, tmp_path / "of_run")])
    status = main(["report", str(tmp_path / "out.json"), f"--{each.name}", str(tmp_path / "new" / "again")])
    assert (status, capsys.readouterr().out) == (0, f"wrote {tmp_path / 'new' / 'again'}\n")
    assert (tmp_path / "new" / "again").read_text() == (tmp_path / "of_run").read_text() != ""


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
def test_nothing_that_a_program_says_becomes_markup(each):
    assert "<script>alert" not in each.render(make_document(nasty_report()))


def test_asking_for_no_format_says_which_there_are(tmp_path, capsys):
    write_json(make_report(), tmp_path / "out.json")
    assert main(["report", str(tmp_path / "out.json")]) == 2
    assert "--markdown FILE" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_one_message(tmp_path, capsys):
    write_json(make_report(), tmp_path / "out.json")
    assert main(["report", str(tmp_path / "out.json"), "--markdown", "/dev/full/x"]) == 2
    assert "--lockin-markdown /dev/full/x: " in capsys.readouterr().err


# Markdown


def test_a_comment_has_a_line_for_each_suite_worst_first():
    lines = render_markdown(make_document(every_kind())).splitlines()
    rows = [line for line in lines if line.startswith("| `")]
    assert len(rows) == len(every_kind().tasks)
    assert "false pass" in rows[0]
    assert all(line.count(" | ") == 4 for line in rows)


def test_a_comment_says_what_is_broken_why_unnoticed_and_what_to_do():
    text = render_markdown(make_document(every_kind())).replace("\\", "")
    assert re.search(r"\*\*O3\*\* \(metric\): .*list is read where net is meant", text)
    assert "unnoticed by nondiscriminating data" in text
    assert "to do: give test_a rows" in text


def test_escaped_text_is_one_line_without_a_mention():
    text = escape(NASTY)
    assert "\n" not in text
    assert "@someone" not in text
    assert not re.search(r"(?<!\\)[<|`*\[#]", text)

"""Annotations and summaries: what a program says stays inside its message; GitHub's limits are kept."""

import re

import pytest
from sample_reports import every_kind, make_report, make_task
from tried_reports import alternative, everything, tried, tried_report, tried_task

from pytest_lockin.cli import main
from pytest_lockin.errors import SettingsError
from pytest_lockin.model.report import Gate, ProgramFile, Report
from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.reports.document import make_document
from pytest_lockin.reports.github import (
    MOST_SHOWN,
    SUMMARY_LIMIT,
    append_summary,
    cut_summary,
    find_base,
    keep_from_commands,
    list_annotations,
    tell_github,
)
from pytest_lockin.reports.jsonfile import write_json
from pytest_lockin.reports.markdown import render_markdown
from pytest_lockin.settings import parse_github

NASTY = "x\n::set-output name=a::b\r\n  ::add-mask::c%0A::error::d ##[set-env name=PATH;]e \u2028::error::f \udcff"
KNOWN = (
    "error",
    "warning",
    "notice",
    "debug",
    "set-output",
    "set-env",
    "add-mask",
    "add-path",
    "stop-commands",
)


def commands(lines):
    """What the runner makes of lines printed: (name, properties, message), by the rules of its source.

    A line that begins with `::` after white space, else one that holds `##[` anywhere, where the name is known.
    """
    found = []
    for line in re.split(r"\r\n|\r|\n", "\n".join(lines)):
        first = re.match(r"\s*::([^\s:]+)(?: (.*?))?::(.*)$", line)
        legacy = re.search(r"##\[(\S+?)(?: (.*?))?\](.*)$", line)
        match = next((each for each in (first, legacy) if each and each[1].lower() in KNOWN), None)
        if match:
            pairs = [part.split("=", 1) for part in (match[2] or "").split(",") if part]
            properties = {key: _unescape(value, {"%3A": ":", "%2C": ","}) for key, value in pairs}
            found.append((match[1], properties, _unescape(match[3], {})))
    return found


def _unescape(text, more):
    for token, char in {"%0D": "\r", "%0A": "\n", **more, "%25": "%"}.items():
        text = text.replace(token, char)
    return text


def annotations(report, base=""):
    return commands(list_annotations(make_document(report), base))


def test_an_annotation_is_at_its_very_characters():
    found = next(each for each in annotations(tried_report()) if "a000000002" in each[2])
    assert found[0] == "warning"
    assert found[1] == {
        "file": "tasks/q04/solution.py",
        "line": "2",
        "endLine": "2",
        "col": "17",
        "endColumn": "26",
        "title": "lockin: arithmetic",
    }


def test_the_gate_comes_first_and_what_is_wrong_before_what_is_unchecked():
    found = annotations(everything())
    assert (found[0][1]["title"], found[0][2]) == ("lockin gate failed", "false passes: 7 (allowed 0)")
    assert "file" not in found[0][1]
    assert [each[0] for each in found] == sorted((each[0] for each in found), key=["error", "warning"].index)
    assert found[1][1]["title"] == "lockin: false_pass"


def test_no_more_than_github_shows_and_a_line_that_says_so():
    lines = list_annotations(make_document(every_kind()))
    kinds = [each[0] for each in commands(lines)]
    assert kinds.count("error") == MOST_SHOWN
    many = tried(*(alternative(number, TrialOutcome.UNREVEALED) for number in range(40)))
    lines = list_annotations(
        make_document(make_report(tried_task(trials=many, obligations=(), verdict=None)))
    )
    assert [each[0] for each in commands(lines)] == ["warning"] * MOST_SHOWN
    assert lines[-1] == "lockin: 10 of 40 findings annotated, GitHub shows no more of a step"


def test_notes_and_waived_survivors_are_not_annotated():
    report = tried_report(
        tried_task(
            verdict=None,
            obligations=(),
            trials=tried(
                alternative(1, TrialOutcome.UNREVEALED, waived="so be it"),
                alternative(2, TrialOutcome.UNREACHED),
                alternative(3, TrialOutcome.UNREVEALED, kind=""),
            ),
        )
    )
    assert list_annotations(make_document(report)) == ()


@pytest.mark.parametrize("field", ["text", "operator"])
def test_what_a_program_says_starts_no_command(field):
    survivor = alternative(1, TrialOutcome.UNREVEALED, **{field: NASTY})
    report = make_report(tried_task(trials=tried(survivor), obligations=(), verdict=None))
    lines = list_annotations(make_document(report))
    ((name, properties, message),) = commands(lines)
    assert name == "warning"
    assert set(properties) == {"file", "line", "endLine", "col", "endColumn", "title"}
    shown = NASTY.replace("\u2028", " ").replace("\udcff", "\ufffd")
    assert (message if field == "text" else properties["title"].removeprefix("lockin: ")).startswith(shown)
    assert all(len(line.splitlines()) == 1 for line in lines)


def test_nothing_of_a_path_becomes_a_property():
    path = "tasks/a,title=b::error file=c::d/solution.py"
    task = tried_task(
        program=(ProgramFile(module="solution", path=path, text=""),), obligations=(), trials=None
    )
    ((name, properties, _),) = annotations(make_report(task))
    assert (name, properties) == ("error", {"file": path, "line": "1", "title": "lockin: false_pass"})


@pytest.mark.parametrize("reason", [NASTY, "::error::x", "  ##[error]x", "", ":::error::x"])
def test_a_line_of_the_section_is_no_command(reason):
    for line in [*NASTY.splitlines(), reason, f"    {reason}"]:
        kept = keep_from_commands(line)
        assert commands([kept]) == []
        assert kept.replace("\u200b", "") == line
    assert keep_from_commands("  q04: fine (a::b)") == "  q04: fine (a::b)"


def test_a_reason_of_the_gate_starts_no_command():
    report = make_report(gate=Gate(passed=False, reasons=(NASTY,)))
    assert [each[0] for each in annotations(report)] == ["error"]


# Paths and variables


def test_paths_are_from_the_repositorys_folder(tmp_path):
    root = tmp_path / "jobs" / "sales"
    root.mkdir(parents=True)
    variables = {"GITHUB_WORKSPACE": str(tmp_path)}
    assert find_base(root, variables) == "jobs/sales"
    assert (
        find_base(tmp_path, variables) == find_base(tmp_path.parent, variables) == find_base(root, {}) == ""
    )
    found = annotations(tried_report(), "jobs/sales")
    assert found[0][1]["file"] == "jobs/sales/tasks/q04/solution.py"


@pytest.mark.parametrize(
    ("value", "actions", "expected"),
    [("", "true", True), ("", "", False), ("", "false", False), ("on", "", True), ("off", "true", False)],
)
def test_it_is_on_by_itself_in_actions_and_can_be_turned_off(value, actions, expected):
    assert parse_github(value, {"GITHUB_ACTIONS": actions}) is expected


def test_another_word_is_refused():
    with pytest.raises(SettingsError, match="one of on, off"):
        parse_github("maybe", {})


# The summary


def test_the_summary_is_the_markdown_and_is_added_to_what_is_there(tmp_path):
    document = make_document(everything())
    path = tmp_path / "summary"
    path.write_text("before\n")
    append_summary(document, path)
    assert path.read_text() == "before\n" + render_markdown(document)


def test_a_summary_is_cut_at_whole_lines_where_github_would_drop_it(tmp_path):
    tasks = [make_task(f"t{number}", reason="ü" * 900) for number in range(800)]
    document = make_document(make_report(*tasks))
    path = tmp_path / "summary"
    path.write_bytes(b"x" * 5000)
    append_summary(document, path)
    assert SUMMARY_LIMIT - 2000 < path.stat().st_size <= SUMMARY_LIMIT
    lines = path.read_text().removeprefix("x" * 5000).splitlines()
    assert lines[-1].startswith("*Cut: ")
    assert set(lines[:-2]) <= set(render_markdown(document).splitlines())


def test_a_cut_closes_what_it_opened():
    text = "head\n\n<details><summary>s</summary>\n\n" + "- one line\n" * 50 + "\n</details>\n"
    cut = cut_summary(text, 300)
    assert len(cut.encode()) <= 300
    assert cut.count("<details>") == cut.count("</details>") == 1
    assert cut_summary(text, 10) == ""
    assert cut_summary(text, -5) == ""


def test_a_summary_that_cannot_be_written_is_one_line(tmp_path):
    variables = {"GITHUB_STEP_SUMMARY": str(tmp_path / "nowhere" / "summary")}
    lines = tell_github(make_document(Report()), tmp_path, variables)
    assert lines == ("lockin: no summary written: No such file or directory",)


# The command


def test_a_report_is_annotated_again_from_its_file(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    (tmp_path / "jobs").mkdir()
    write_json(everything(), tmp_path / "out.json")
    assert main(["report", str(tmp_path / "out.json"), "--github", "--root", str(tmp_path / "jobs")]) == 0
    document = make_document(everything())
    assert capsys.readouterr().out.splitlines() == list(list_annotations(document, "jobs"))
    assert (tmp_path / "summary").read_text() == render_markdown(document)

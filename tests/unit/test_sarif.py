"""SARIF: valid by the published schema, at exact places, the same fingerprint when lines move."""

import dataclasses
import json
import os
from pathlib import Path
from urllib.parse import unquote_to_bytes

import jsonschema
import pytest
from sample_reports import OBLIGATIONS, every_kind, make_report, make_task
from tried_reports import EDITED, SOURCE, alternative, everything, tried, tried_report, tried_task

from pytest_lockin.alternatives.registry import list_operators
from pytest_lockin.model.finding import CodeStatus, Mechanism
from pytest_lockin.model.report import ProgramFile, Report, VerdictKind
from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.reports.document import make_document
from pytest_lockin.reports.sarif import render_sarif

SCHEMA = json.loads((Path(__file__).parent / "schemas/sarif-schema-2.1.0.json").read_text(encoding="utf-8"))


def log_of(report):
    return json.loads(render_sarif(make_document(report)))


def run_of(report):
    (run,) = log_of(report)["runs"]
    return run


def place_of(result):
    return result["locations"][0]["physicalLocation"]


@pytest.mark.parametrize(
    "report", [Report(), every_kind(), everything()], ids=["empty", "kinds", "everything"]
)
def test_the_file_fits_the_published_schema(report):
    validator = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    assert [f"{each.json_path}: {each.message}" for each in validator.iter_errors(log_of(report))] == []


def test_a_survivor_is_at_its_very_characters():
    result = next(
        each for each in run_of(tried_report())["results"] if "a000000002" in each["message"]["text"]
    )
    region = place_of(result)["region"]
    lines = SOURCE.split("\n")
    assert (region["startLine"], region["endLine"]) == (2, 2)
    assert lines[1][region["startColumn"] - 1 : region["endColumn"] - 1] == EDITED
    assert place_of(result)["artifactLocation"] == {"uri": "tasks/q04/solution.py", "uriBaseId": "%SRCROOT%"}
    assert run_of(tried_report())["columnKind"] == "unicodeCodePoints"


def test_only_survivors_that_say_something_of_the_tests_are_results():
    results = run_of(tried_report())["results"]
    named = {each["message"]["text"].rpartition("; ")[2].rstrip(")") for each in results}
    assert {each for each in named if each.startswith("a0")} == {
        "a000000000",
        "a000000001",
        "a000000002",
        "a000000020",
        "a000000024",
    }


def test_levels_say_how_bad_it_is_and_the_worst_come_first():
    results = run_of(tried_report())["results"]
    levels = [each["level"] for each in results]
    assert levels == sorted(levels, key=["error", "warning", "note"].index)
    by_rule = {each["ruleId"]: each["level"] for each in results if each["ruleId"] != "arithmetic"}
    assert by_rule == {
        "false_pass": "error",
        "nondiscriminating_data": "error",
        "self_confirming_omission": "warning",
        "python": "note",
    }
    assert {each["level"] for each in results if each["ruleId"] == "arithmetic"} == {"warning", "note"}


def test_what_is_broken_is_said_of_the_program_and_what_is_unchecked_of_the_tests():
    results = {each["ruleId"]: each for each in run_of(tried_report())["results"]}
    broken, unchecked = results["nondiscriminating_data"], results["self_confirming_omission"]
    assert place_of(broken)["artifactLocation"]["uri"] == "tasks/q04/solution.py"
    assert (
        "O3 (metric) is violated: a program is wrong if list is read where net is meant"
        in broken["message"]["text"]
    )
    assert place_of(unchecked)["artifactLocation"]["uri"] == "tasks/q04/test_solution.py"
    assert unchecked["message"]["text"].startswith("no test checks O8 (group): One row per brand.")


def test_what_is_checked_in_part_is_a_note():
    part = dataclasses.replace(OBLIGATIONS[0], code=CodeStatus.SATISFIED)
    (result,) = run_of(make_report(make_task(obligations=(part,))))["results"]
    assert (result["level"], result["ruleId"]) == ("note", "nondiscriminating_data")
    assert result["message"]["text"] == (
        "tests check in part O3 (metric): The total sums the net price. "
        "To do: give test_a rows on which it matters"
    )


def test_a_waived_survivor_is_suppressed_and_all_results_say_whether_they_are():
    results = run_of(tried_report())["results"]
    assert all("suppressions" in each for each in results)
    (waived,) = [each for each in results if each["suppressions"]]
    assert waived["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "price is always 0 by contract"}
    ]


def test_every_rule_has_help_and_every_result_a_rule():
    run = run_of(tried_report())
    rules = run["tool"]["driver"]["rules"]
    ids = [each["id"] for each in rules]
    assert len(ids) == len(set(ids))
    families = {operator.name for operator in list_operators()}
    assert set(ids) >= {*families, "python", *map(str, Mechanism), *map(str, VerdictKind)} - {"true_pass"}
    assert all(len(each["help"]["text"]) > 20 for each in rules)
    assert (
        "The mistake it imitates" in next(each for each in rules if each["id"] == "join-type")["help"]["text"]
    )
    assert all(rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in run["results"])


def test_a_family_that_says_nothing_has_a_rule_all_the_same():
    task = tried_task(trials=tried(alternative(1, TrialOutcome.UNREVEALED, operator="theirs")))
    (rule,) = [
        each for each in run_of(make_report(task))["tool"]["driver"]["rules"] if each["id"] == "theirs"
    ]
    assert "theirs" in rule["help"]["text"]


def fingerprints(report):
    return [each["partialFingerprints"]["lockin/v1"] for each in run_of(report)["results"]]


def test_fingerprints_tell_results_apart_and_stay_when_lines_move():
    first = fingerprints(tried_report())
    assert len(set(first)) == len(first)
    moved = [
        dataclasses.replace(each, line=each.line + 40, end_line=each.end_line + 40)
        for each in tried().alternatives
    ]
    assert fingerprints(tried_report(tried_task(trials=tried(*moved)))) == first
    other = fingerprints(tried_report(tried_task(suite="tasks/q04/test_more.py")))
    assert not set(other) & set(first)


@pytest.mark.parametrize("path", ["/home/ann/secret/solution.py", "../up/solution.py"])
def test_no_path_outside_the_root_is_told(path):
    task = tried_task(program=(ProgramFile(module="solution", path=path, text=SOURCE),))
    text = render_sarif(make_document(tried_report(task)))
    assert path not in text
    assert "/home/" not in text
    assert run_of(tried_report(task))["results"][0]["locations"] == []


def test_a_path_is_a_uri():
    path = "tasks/ü b%20#/solution\udcff.py"
    task = tried_task(program=(ProgramFile(module="solution", path=path, text=SOURCE),))
    uri = place_of(run_of(tried_report(task))["results"][0])["artifactLocation"]["uri"]
    assert uri.isascii()
    assert not set(uri) & set(" #?")
    assert os.fsdecode(unquote_to_bytes(uri)) == path


def test_without_its_file_a_survivor_is_a_matter_of_the_suite():
    task = tried_task(program=(), obligations=(), verdict=None)
    assert {place_of(each)["artifactLocation"]["uri"] for each in run_of(tried_report(task))["results"]} == {
        "tasks/q04/test_solution.py"
    }
    assert all(place_of(each)["region"] == {"startLine": 1} for each in run_of(tried_report(task))["results"])


def test_nothing_a_program_says_becomes_a_link():
    survivor = alternative(1, TrialOutcome.UNREVEALED, text="[look](http://evil) {0}")
    report = tried_report(tried_task(verdict=None, obligations=(), trials=tried(survivor)))
    assert "](" not in run_of(report)["results"][0]["message"]["text"]


def test_an_obligation_without_a_known_mechanism_is_violated_all_the_same():
    broken = dataclasses.replace(OBLIGATIONS[0], mechanism=None)
    results = run_of(make_report(make_task(obligations=(broken,))))["results"]
    assert [(each["ruleId"], each["level"]) for each in results] == [("violated", "error")]


def test_the_reasons_of_the_gate_are_told():
    (invocation,) = run_of(every_kind())["invocations"]
    assert [each["message"]["text"] for each in invocation["toolExecutionNotifications"]] == [
        "gate: false passes: 7 (allowed 0)"
    ]

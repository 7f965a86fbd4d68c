"""The mutation testing report: valid by its published schema; every outcome has a status, crashes are no kills."""

import dataclasses
import json
from pathlib import Path

import jsonschema
import pytest
from sample_reports import every_kind
from tried_reports import CASE, EDITED, SOURCE, SUITE, everything, tried_report, tried_task

from pytest_lockin.model.report import ProgramFile, Report
from pytest_lockin.model.trial import TrialOutcome
from pytest_lockin.reports.document import make_document
from pytest_lockin.reports.elements import render_elements

SCHEMA = json.loads(
    (Path(__file__).parent / "schemas/mutation-testing-report-schema.json").read_text(encoding="utf-8")
)
FILE = "tasks/q04/solution.py"


def report_of(report):
    return json.loads(render_elements(make_document(report)))


@pytest.fixture(scope="module")
def mutants():
    found = report_of(tried_report())["files"][FILE]["mutants"]
    return {each["id"].partition("@")[0]: each for each in found}


@pytest.mark.parametrize(
    "report", [Report(), every_kind(), everything()], ids=["empty", "kinds", "everything"]
)
def test_the_file_fits_the_published_schema(report):
    validator = jsonschema.Draft7Validator(SCHEMA)
    found = report_of(report)
    assert [f"{each.json_path}: {each.message}" for each in validator.iter_errors(found)] == []
    assert _unknown_keys(found, SCHEMA) == []


def _unknown_keys(value, schema, path=""):
    """Keys that the schema does not name: it forbids none, and a viewer reads none."""
    schema = SCHEMA["definitions"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if isinstance(value, list):
        return [key for each in value for key in _unknown_keys(each, schema.get("items", {}), path)]
    if not isinstance(value, dict):
        return []
    named = schema.get("properties", {})
    rest = schema.get("additionalProperties")
    found = [] if rest else [f"{path}.{key}" for key in value if key not in named]
    for key, each in value.items():
        found += _unknown_keys(each, named.get(key) or rest or {}, f"{path}.{key}")
    return found


def test_every_outcome_has_its_status(mutants):
    found = {outcome: mutants[f"a{index:09d}"]["status"] for index, outcome in enumerate(TrialOutcome)}
    assert found == {
        TrialOutcome.KILLED: "Killed",
        TrialOutcome.UNREVEALED: "Survived",
        TrialOutcome.UNINFECTED: "Survived",
        TrialOutcome.UNREACHED: "NoCoverage",
        TrialOutcome.CRASHED: "RuntimeError",
        TrialOutcome.TIMED_OUT: "Timeout",
        TrialOutcome.HARNESS_ERROR: "RuntimeError",
        TrialOutcome.NOT_RUN: "Pending",
    }


@pytest.mark.parametrize(
    ("number", "reason"),
    [(20, "waived: price is always"), (21, "equivalent: "), (22, "right-making: "), (23, "undecided: ")],
)
def test_what_is_in_no_score_is_ignored_and_says_why(mutants, number, reason):
    found = mutants[f"a{number:09d}"]
    assert found["status"] == "Ignored"
    assert found["statusReason"].startswith(reason)


def test_a_mutant_is_at_its_very_characters(mutants):
    location = mutants["a000000002"]["location"]
    assert location["start"]["line"] == location["end"]["line"] == 2
    line = SOURCE.split("\n")[1]
    assert line[location["start"]["column"] - 1 : location["end"]["column"] - 1] == EDITED


def test_a_kill_names_its_cases_and_they_are_tests_of_the_suite():
    found = report_of(tried_report())
    killed = {
        each["id"].partition("@")[0]: each for each in found["files"][FILE]["mutants"] if "killedBy" in each
    }
    assert killed["a000000004"]["killedBy"] == [CASE]
    assert killed["a000000004"]["statusReason"] == "AssertionError: assert 1 == 2"
    assert killed["a000000025"]["killedBy"] == [CASE, f"{SUITE}::test_b"]
    tests = {each["id"]: each["name"] for each in found["testFiles"][SUITE]["tests"]}
    assert set(killed["a000000025"]["killedBy"]) <= set(tests)
    assert tests[f"{SUITE}::T::test_b"] == "T::test_b"


def test_two_suites_of_one_program_each_have_their_mutants():
    second = dataclasses.replace(tried_task(), suite="tasks/q04/test_more.py")
    found = report_of(tried_report(tried_task(), second))
    ids = [each["id"] for each in found["files"][FILE]["mutants"]]
    assert len(ids) == len(set(ids)) == 2 * len(tried_task().trials.alternatives)
    assert set(found["testFiles"]) == {SUITE, "tasks/q04/test_more.py"}


def test_a_file_outside_the_root_is_left_out():
    task = tried_task(program=(ProgramFile(module="solution", path="/home/x/solution.py", text=SOURCE),))
    assert report_of(tried_report(task))["files"] == {}


def test_a_suite_without_trials_shows_its_program_and_no_tests():
    found = report_of(tried_report(tried_task(trials=None)))
    assert found["files"][FILE] == {"language": "python", "source": SOURCE, "mutants": []}
    assert found["testFiles"] == {}

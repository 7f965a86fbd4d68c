"""What a reader is told about obligations: what is wrong, why no test noticed, what to do."""

from dataclasses import replace

import jsonschema
import pytest
from sample_reports import DIAGNOSIS, OBLIGATIONS, make_report, make_task

from pytest_lockin.model.finding import Mechanism, TestStatus
from pytest_lockin.reports.obligations import (
    diagnosis_to_json,
    obligations_to_json,
    say_unchecked,
    say_violated,
)
from pytest_lockin.reports.terminal import render_terminal


def text(findings, *, verbose=False):
    return "\n".join([*say_violated(findings, verbose=verbose), *say_unchecked(findings, verbose=verbose)])


def test_a_violation_is_told_with_its_mechanism_and_what_to_do():
    said = text(OBLIGATIONS)
    assert "O3 metric: list is read where net is meant" in said
    assert "nondiscriminating data (cases look, and their rows cannot show it). To do: give test_a" in said
    assert "give test_a rows on which it matters" in said


def test_obligations_that_no_case_checks_are_counted_and_named():
    assert "1 of 3 obligations checked; in part or not: O8 group" in text(OBLIGATIONS)


def test_only_who_asks_gets_evidence_and_advice_for_each():
    assert "add a case that fails unless: One row per brand." not in text(OBLIGATIONS)
    said = text(OBLIGATIONS, verbose=True)
    assert "add a case that fails unless: One row per brand." in said
    assert 'the plan says (contradicted, by its words): "Sum the list price."' in said
    assert "run on sail" in said


@pytest.mark.parametrize("mechanism", Mechanism)
def test_every_mechanism_has_words(mechanism):
    said = text([replace(OBLIGATIONS[0], mechanism=mechanism)])
    assert str(mechanism).replace("_", " ") in said


def test_nothing_is_said_where_nothing_is_known():
    assert text([]) == ""
    assert text([replace(OBLIGATIONS[2], tests=TestStatus.UNKNOWN)]) == ""


def test_the_section_shows_them():
    shown = "\n".join(line.text for line in render_terminal(make_report(make_task(obligations=OBLIGATIONS))))
    assert "O3 metric" in shown
    assert "1 of 3 obligations checked" in shown


def test_an_explanation_of_columns_follows_that_of_values():
    first, second = diagnosis_to_json(DIAGNOSIS)
    assert (first["obligation"], first["or_else"]) == ("O3", ["O5"])
    assert second["obligation"] is None
    assert diagnosis_to_json(None) == []


def test_evidence_of_each_case_is_data():
    (case,) = obligations_to_json(OBLIGATIONS)[0]["evidence"]["cases"]
    assert case["looks"] is True
    assert case["sharpened"] == "net: 1 -> 2"


def test_an_unknown_word_does_not_fit_the_schema():
    from test_jsonfile import SCHEMA

    document = obligations_to_json(OBLIGATIONS)[0]
    schema = {"$ref": "#/$defs/obligation", "$defs": SCHEMA["$defs"]}
    jsonschema.validate(document, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "plan": "maybe"}, schema)

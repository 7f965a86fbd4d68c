"""The JSON report has the published shape, whole, for every kind of finding."""

from __future__ import annotations

import copy
import dataclasses
import json
import typing
from pathlib import Path

import jsonschema
import pytest
from sample_reports import every_kind, make_report, make_task

from pytest_lockin.errors import SettingsError
from pytest_lockin.model.agreement import Category, Difference, Relaxation
from pytest_lockin.model.report import FORMAT, Report, TaskReport, VerdictKind
from pytest_lockin.reports.jsonfile import report_to_json, write_json

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/report.schema.json").read_text())
KINDS = typing.get_args(Difference)


@pytest.fixture(scope="module")
def whole():
    """A report with every kind of finding, through JSON text as a reader gets it."""
    return json.loads(json.dumps(report_to_json(every_kind())))


def complaints(document):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_report_of_every_kind_of_finding_fits_the_schema(whole):
    assert complaints(whole) == []


def test_an_empty_report_fits_the_schema():
    assert complaints(report_to_json(Report(version="1"))) == []


def test_the_sample_holds_every_kind_of_finding(whole):
    tasks = whole["tasks"]
    agreements = [task["agreement"] for task in tasks if task["agreement"]]
    kinds = {difference["kind"] for each in agreements for difference in each["differences"]}
    assert kinds == {kind.__name__ for kind in KINDS}
    assert {task["verdict"] for task in tasks} == {*map(str, VerdictKind), None}
    assert {each["category"] for each in agreements} == {*map(str, Category), None}


def test_the_schema_knows_every_word_of_the_model():
    defined = SCHEMA["$defs"]
    assert set(defined["task"]["properties"]["verdict"]["enum"]) == {*map(str, VerdictKind), None}
    agreement = defined["agreement"]["properties"]
    assert set(agreement["category"]["enum"]) == {*map(str, Category), None}
    assert agreement["recovered_by"]["items"]["enum"] == list(map(str, Relaxation))
    assert SCHEMA["properties"]["format"]["const"] == FORMAT


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_schema_requires_every_field_of_a_difference(kind):
    fields = {field.name for field in dataclasses.fields(kind)}
    assert set(SCHEMA["$defs"][kind.__name__]["required"]) == {"kind", "text", *fields}


def test_every_field_of_a_task_is_written():
    fields = {field.name for field in dataclasses.fields(TaskReport)}
    assert set(SCHEMA["$defs"]["task"]["required"]) == fields


def places(schema, document, path=()):
    """Every (path, name) the schema requires where the document has an object it speaks of."""
    schema = resolve(schema, document)
    if isinstance(document, dict):
        for name in schema.get("required", ()):
            yield path, name
        for name, value in document.items():
            yield from places(schema.get("properties", {}).get(name, {}), value, (*path, name))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from places(schema.get("items") or {}, value, (*path, index))


def resolve(schema, document):
    if not isinstance(schema, dict):
        return {}
    if "$ref" in schema:
        return resolve(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], document)
    for choice in schema.get("oneOf", ()):
        resolved = resolve(choice, document)
        kind = resolved.get("properties", {}).get("kind", {}).get("const")
        if isinstance(document, dict) and kind in (None, document.get("kind")) and "required" in resolved:
            return resolved
    return schema


def test_nothing_the_schema_requires_can_be_left_out(whole):
    required = list(places(SCHEMA, whole))
    assert len(required) > 500
    seen = set()
    for path, name in required:
        shape = (*(step for step in path if isinstance(step, str)), name)
        if shape in seen and "differences" not in shape:
            continue
        seen.add(shape)
        assert without(whole, path, name), (path, name)


def without(document, path, name):
    """The complaints about the smallest document that lacks the name at that place."""
    small = copy.deepcopy(document)
    if path[:1] == ("tasks",):
        small["tasks"] = [small["tasks"][path[1]]]
        path = ("tasks", 0, *path[2:])
    holder = small
    for step in path:
        holder = holder[step]
    del holder[name]
    return complaints(small)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda report: report.update(format=2),
        lambda report: report.update(surprise=1),
        lambda report: report["tasks"][0].update(verdict="pass"),
        lambda report: report["tasks"][0]["agreement"].update(category=None),
        lambda report: report["tasks"][0]["agreement"]["differences"][0].update(kind="Other"),
        lambda report: report["gate"].update(reasons=[]),
    ],
)
def test_the_schema_refuses_what_no_report_says(whole, spoil):
    spoiled = copy.deepcopy(whole)
    spoil(spoiled)
    assert complaints(spoiled) != []


def test_the_file_holds_the_report(tmp_path, whole):
    path = tmp_path / "made/for/it/report.json"
    write_json(every_kind(), path)
    assert json.loads(path.read_text(encoding="utf-8")) == whole
    assert [each.name for each in path.parent.iterdir()] == ["report.json"]


def test_a_report_replaces_an_older_one(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old " * 10_000)
    write_json(make_report(make_task()), path)
    assert len(json.loads(path.read_text())["tasks"]) == 1


def test_names_keep_their_letters_and_undecodable_paths_stay_valid_json(tmp_path):
    path = tmp_path / "report.json"
    write_json(make_report(make_task(suite="aufträge/\udce4/test_solution.py")), path)
    assert "aufträge" in path.read_text(encoding="utf-8")
    assert json.loads(path.read_bytes())["tasks"][0]["suite"] == "aufträge/\udce4/test_solution.py"


def test_a_file_that_cannot_be_written_is_an_error_in_words_and_leaves_nothing(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "report.json", tmp_path / "folder"):
        with pytest.raises(SettingsError, match="lockin-json"):
            write_json(make_report(), path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder"]

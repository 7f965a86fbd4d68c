"""What a run leaves for other tools: JUnit properties, annotations and a summary, SARIF, a mutation report."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
import xmlschema
from plugin_project import BIG, PLAIN

SCHEMAS = Path(__file__).parents[1] / "unit" / "schemas"
WRONG = BIG.replace("""F.col("amount") > 10""", """F.col("amount").between(11, 25)""")
# Prints what would be commands if plain pytest's output of it began a line, which it does.
SHOUTING = """
    import pytest
    from solution import solve

    def test_a():
        print("::error::from a test")
        pytest.fail("a")
"""


def properties(ran):
    (suite,) = ET.fromstring(ran.junit).iter("testsuite")
    return {each.get("name"): each.get("value") for each in suite.findall("properties/property")}


def is_valid_junit(ran):
    return xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").is_valid(ran.junit)


@pytest.fixture
def judged(project):
    project.suite("big-wrong", solution=WRONG)
    project.suite("big-right")
    project.reference()
    return project


def test_one_run_writes_every_file_and_its_json_writes_them_again(judged):
    summary = judged.root / "summary.md"
    ran = judged.run(
        "suites",
        *("--lockin-sarif", "out.sarif", "--lockin-elements", "out.json"),
        *("--lockin-trials", "on", "--lockin-budget", "5", "--lockin-confirm", "none"),
        junit=True,
        env={
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(judged.root.parent),
            "GITHUB_STEP_SUMMARY": str(summary),
        },
    )
    assert ran.status == 1
    # JUnit: written before a verdict is known, and there all the same.
    found = properties(ran)
    assert found["lockin.gate"] == "failed"
    assert found["lockin.big[suites/big-wrong/test_solution.py].verdict"] == "false_pass"
    assert found["lockin.big[suites/big-right/test_solution.py].verdict"] == "true_pass"
    assert found["lockin.big[suites/big-right/test_solution.py].kill_percent"].isdecimal()
    assert is_valid_junit(ran)
    assert len(ran.cases) == 2
    # GitHub: below everything else, paths from the repository's folder.
    commands = [number for number, line in enumerate(ran.lines) if line.startswith("::")]
    assert commands
    assert all(line.startswith(("::", "lockin: ")) for line in ran.lines[commands[0] :])
    assert f"::error file={judged.root.name}/suites/big-wrong/solution.py,line=1," in ran.out
    assert summary.read_text().startswith("### lockin gate: failed")
    # SARIF and elements: valid, with what was tried.
    sarif = json.loads((judged.root / "out.sarif").read_text())
    schema = json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text())
    jsonschema.Draft4Validator(schema).validate(sarif)
    rules = {each["id"]: each for each in sarif["runs"][0]["tool"]["driver"]["rules"]}
    assert "The mistake it imitates" in rules["filter"]["help"]["text"]
    assert str(judged.root) not in (judged.root / "out.sarif").read_text()
    elements = json.loads((judged.root / "out.json").read_text())
    schema = json.loads((SCHEMAS / "mutation-testing-report-schema.json").read_text())
    jsonschema.Draft7Validator(schema).validate(elements)
    statuses = {each["status"] for file in elements["files"].values() for each in file["mutants"]}
    assert "Killed" in statuses
    # And again, without running anything.
    command = [sys.executable, "-m", "pytest_lockin.cli", "report", "lockin.json", "--sarif", "again.sarif"]
    subprocess.run(command, cwd=judged.root, check=True, capture_output=True)
    assert (judged.root / "again.sarif").read_text() == (judged.root / "out.sarif").read_text()


def test_it_is_quiet_where_it_is_turned_off_and_pytests_own_output_is_pytests_own(project):
    project.suite("big-one", tests=SHOUTING, solution=PLAIN)
    project.task("big-one")
    env = {"GITHUB_ACTIONS": "true"}
    ran = project.run("suites", "-o", "lockin_github=off", env=env, junit=True)
    assert [line for line in ran.lines if line.startswith("::")] == ["::error::from a test"]
    assert is_valid_junit(ran)
    assert properties(ran)["lockin.gate"] == "passed"


def test_a_run_without_a_verdict_says_so_everywhere(project):
    project.suite("big-one", tests="def test_a(): pass", solution=PLAIN)
    project.task("big-one")
    ran = project.run("suites", "--lockin-json", "/dev/full/x", "--lockin-github", junit=True)
    assert ran.status == 1
    assert properties(ran)["lockin.gate"] == "failed"
    assert "--lockin-json /dev/full/x" in properties(ran)["lockin.gate.reasons"]
    assert ran.lines[-1].startswith("::error title=lockin gate failed::no verdict: ")


def test_an_old_report_that_cannot_be_removed_stops_pytest(project):
    project.suite("big-one", solution=PLAIN)
    (project.root / "old.sarif" / "kept").mkdir(parents=True)
    ran = project.run("suites", "--lockin-sarif", "old.sarif")
    assert ran.status == 4
    assert "--lockin-sarif" in ran.err


def test_another_word_stops_pytest_at_once(project):
    project.suite("big-one")
    ran = project.run("suites", "-o", "lockin_github=maybe")
    assert ran.status == 4
    assert "bad-setting" in ran.err

"""The GitHub action: its shell steps run here from end to end; what it uses is pinned; no script is put together."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from plugin_project import BIG, outer_environment

from pytest_lockin.workers.sandbox.bwrap import find_bubblewrap, try_bubblewrap

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
HOW_TO = (ROOT / "docs" / "how-to" / "github.md").read_text(encoding="utf-8")
WORKFLOWS = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", HOW_TO, re.DOTALL)]
WRONG = BIG.replace("""F.col("amount") > 10""", """F.col("amount").between(11, 25)""")
# What the tests print when pytest shows it: without the action's care the runner would take it for commands.
SHOUTING = """
    from pyspark.sql import SparkSession
    from solution import solve

    def test_big():
        spark = SparkSession.builder.getOrCreate()
        orders = spark.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")
        print("::error::shouted")
        assert [row.id for row in solve(spark, {"orders": orders}).collect()] == [2]
"""
SHIM = """#!/bin/sh
printf '%s ' {name} "$@" >> "$SHIMS"
echo >> "$SHIMS"
{more}
"""


def workflow_steps():
    return [step for workflow in WORKFLOWS for job in workflow["jobs"].values() for step in job["steps"]]


# What it says


@pytest.mark.parametrize(
    "step", [*STEPS, *workflow_steps()], ids=lambda step: step.get("name") or step["uses"][:30]
)
def test_what_is_used_is_pinned_by_its_whole_commit(step):
    used = step.get("uses")
    if used and not used.startswith("OWNER/pytest-lockin@"):
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", used)


def test_every_pin_says_which_version_it_is():
    for text in ((ROOT / "action.yml").read_text(encoding="utf-8"), HOW_TO):
        pins = re.findall(r"uses: \S+@[0-9a-f]{40}(.*)", text)
        assert pins
        assert all(re.fullmatch(r" # v\d+\.\d+\.\d+", pin) for pin in pins)


@pytest.mark.parametrize("step", [step for step in STEPS if "run" in step], ids=lambda step: step["name"])
def test_no_input_is_put_into_a_script(step):
    assert "${{" not in step["run"]
    assert step["shell"] == "bash"


def test_every_input_is_used_and_every_one_used_exists():
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(ACTION["inputs"])


def test_the_examples_ask_for_the_least():
    for workflow in WORKFLOWS:
        triggers = workflow[True]  # YAML 1.1 reads `on` as a truth value
        assert "pull_request_target" not in triggers
        assert workflow["permissions"] == {}
        for job in workflow["jobs"].values():
            assert set(job["permissions"].items()) <= {
                ("contents", "read"),
                ("pull-requests", "write"),
                ("security-events", "write"),
            }
        for step in workflow_steps():
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_the_examples_give_inputs_that_exist():
    uses = [step for step in workflow_steps() if step.get("uses", "").startswith("OWNER/pytest-lockin@")]
    assert uses
    for step in uses:
        assert set(step["with"]) <= set(ACTION["inputs"])


def test_the_page_tells_every_input_and_its_default():
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*?) \|", HOW_TO, re.MULTILINE))
    assert set(rows) == set(ACTION["inputs"])
    for name, each in ACTION["inputs"].items():
        if each["default"] and "${{" not in each["default"]:
            assert rows[name] == f"`{each['default']}`"


# What it does


class Runner:
    """Runs the action's shell steps as GitHub's runner does, in a workspace with `change/` and `refs/`."""

    def __init__(self, project, **inputs):
        self.top = project.root
        self.files = self.top / "runner"
        shims = self.files / "bin"
        shims.mkdir(parents=True)
        for name, more in (("sudo", ""), ("gh", 'case "$*" in *--jq*) cat "$SHIMS.known";; esac')):
            (shims / name).write_text(SHIM.format(name=name, more=more))
            (shims / name).chmod(0o755)
        (self.files / "calls").touch()
        (self.files / "calls.known").write_text("77\n78\n")
        self.outputs = {}
        self.log = {}
        defaults = {name: each["default"] for name, each in ACTION["inputs"].items()}
        self.context = {
            "github.event.pull_request.base.sha": self.git("rev-parse", "HEAD~1"),
            "github.event.pull_request.number": "12",
            "github.action_path": "pytest-lockin",
            "github.token": "a-token",
            "github.repository": "an/owner",
            "runner.temp": str(self.files / "temp"),
        }
        self.inputs = {name: self.fill(text) for name, text in defaults.items()} | inputs

    def git(self, *args):
        command = ["git", "-C", str(self.top / "change"), "-c", "user.name=a", "-c", "user.email=a@b", *args]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def look_up(self, name):
        if name.startswith("inputs."):
            return self.inputs[name.removeprefix("inputs.")]
        step = re.fullmatch(r"steps\.(\w+)\.outputs\.(\w+)", name)
        return self.outputs[step[1]].get(step[2], "") if step else self.context[name]

    def fill(self, text):
        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: self.look_up(found[1]), text)

    def applies(self, step):
        parts = step.get("if", "").split(" && ")
        return all(self.holds(part) for part in parts if part)

    def holds(self, condition):
        name, sign, value = re.fullmatch(r"([\w.-]+) (==|!=) '(.*)'", condition).groups()
        return (self.look_up(name) == value) is (sign == "==")

    def run(self):
        """Run the steps in order, until one fails; give its exit status."""
        for step in STEPS:
            if "run" in step and self.applies(step):
                status = self.run_step(step)
                if status:
                    return status
        return 0

    def run_step(self, step):
        name = step["name"]
        paths = {kind: self.files / f"{name}.{kind}" for kind in ("output", "summary")}
        for path in paths.values():
            path.touch()
        environment = outer_environment() | {
            "PATH": os.pathsep.join(
                [str(self.files / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
            ),
            "SHIMS": str(self.files / "calls"),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.top),
            "GITHUB_OUTPUT": str(paths["output"]),
            "GITHUB_STEP_SUMMARY": str(paths["summary"]),
        }
        environment |= {key: self.fill(text) for key, text in step.get("env", {}).items()}
        script = self.files / f"{name}.sh"
        script.write_text(step["run"])
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.top, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        self.log[name] = ran.stdout
        lines = (line.partition("=") for line in paths["output"].read_text().splitlines())
        self.outputs[step.get("id", name)] = {key: value for key, _, value in lines}
        return ran.returncode

    def commands(self, step):
        """The commands of a step's log that a runner hears: none while they are stopped."""
        word, heard = "", []
        for line in self.log[step].splitlines():
            found = re.match(r"\s*::([\w-]+)(?: [^:]*)?::(.*)", line)
            if word:
                word = "" if found and found[1] == word else word
            elif found and found[1] == "stop-commands":
                word = found[2]
            elif found:
                heard.append(line)
        assert not word, "commands are heard again"
        return heard


@pytest.fixture
def change(project):
    """A workspace with a change in `change/`, checked out with its base, and references beside it."""
    inner = type(project)(project.root / "change")
    inner.write("pytest.ini", "[pytest]\n")
    inner.suite("big-one", tests=SHOUTING)
    runner_git = ["git", "-C", str(inner.root), "-c", "user.name=a", "-c", "user.email=a@b"]
    for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "base"]):
        subprocess.run([*runner_git, *args], check=True, capture_output=True)
    inner.suite("big-one", tests=SHOUTING, solution=WRONG)
    inner.write(
        "suites/big-one/test_more.py", "def test_ordinary(): raise SystemExit('ran beside the references')\n"
    )
    for args in (["add", "."], ["commit", "-qm", "change"]):
        subprocess.run([*runner_git, *args], check=True, capture_output=True)
    project.reference()
    return project


HAVE = find_bubblewrap()


@pytest.mark.skipif(not HAVE or bool(try_bubblewrap(HAVE)), reason="no bubblewrap here")
def test_a_wrong_change_is_judged_annotated_and_commented_on(change):
    arguments = "suites\n--lockin-engine=sail\n\n--lockin-trials=off\n-rA\n"
    runner = Runner(change, root="change", references="refs", arguments=arguments, comment="true")
    assert runner.run() == 1, runner.log
    assert list(runner.log) == ["Sandbox", "Install", "Judge", "Report", "Comment", "Gate"]
    # Judged: sealed, with a sandbox, by the base, and heard by nobody.
    assert "FALSE PASS" in runner.log["Judge"]
    assert "::error::shouted" in runner.log["Judge"]
    assert "left out 1 test files that are no suites" in runner.log["Judge"]
    assert runner.commands("Judge") == []
    assert (runner.files / "Judge.summary").read_text() == ""
    folder = Path(runner.outputs["judge"]["reports"])
    report = json.loads((folder / "report.json").read_text())
    assert report["isolation"]["isolated"] is True
    assert (report["policy"], report["policy_changes"]) == (runner.git("rev-parse", "HEAD~1"), [])
    # Annotated, where the change lies in the workspace.
    heard = runner.commands("Report")
    assert heard[0].startswith("::error title=lockin gate failed::")
    assert heard[1].startswith("::error file=change/suites/big-one/solution.py,line=1,")
    assert "false pass" in (runner.files / "Report.summary").read_text()
    assert {each.name for each in folder.iterdir()} == {
        "report.json", "report.html", "report.sarif", "mutation.json", "comment.md", "body.md",
    }  # fmt: skip
    # Commented on: the comment that is there is changed.
    calls = (runner.files / "calls").read_text().splitlines()
    assert calls[-1] == (
        f"gh api --silent --method PATCH repos/an/owner/issues/comments/77 --field body=@{folder}/body.md "
    )
    assert (folder / "body.md").read_text().startswith("<!-- pytest-lockin -->\n### lockin gate: failed")


def test_what_pytest_refuses_ends_as_it_does(change):
    runner = Runner(change, root="change", references="nowhere", arguments="suites; echo $HOME `id`")
    assert runner.run() == 4
    assert "found --lockin-reference" in runner.log["Judge"]
    assert runner.commands("Report") == ["::error title=lockin::no report: pytest ended with exit status 4"]
    assert "Comment" not in runner.log

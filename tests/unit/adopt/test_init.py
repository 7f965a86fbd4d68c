"""`lockin init`: what is looked at, planned, shown and written; and that nothing that is there is harmed."""

import io
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import iniconfig
import pytest
import yaml

from pytest_lockin import cli
from pytest_lockin.adopt.base import AdoptError
from pytest_lockin.adopt.look import look_at
from pytest_lockin.adopt.plan import choose_template, plan_adoption
from pytest_lockin.adopt.writing import write_changes

JOB = """
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

def revenue(orders: DataFrame, customers: DataFrame) -> DataFrame:
    return orders.join(customers, "customer_id")
"""
TEST = "from jobs.revenue import revenue\n\ndef test_revenue(spark):\n    revenue(None, None)\n"


@pytest.fixture
def shop(tmp_path):
    """A repository with one job and its test; `files` adds to it."""

    def make(**files):
        texts = {"jobs/__init__.py": "", "jobs/revenue.py": JOB, "tests/test_revenue.py": TEST} | files
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return tmp_path

    return make


def plan(root):
    return plan_adoption(look_at(root))


def adopt(root):
    found = look_at(root)
    made = plan_adoption(found)
    write_changes(found.root, made.changes)
    return made


def tree(root):
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


# Looking


def jobs(root):
    return [job.name for job in look_at(root).jobs]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from pyspark.sql import DataFrame\ndef f(a: DataFrame) -> DataFrame: ...", ["f"]),
        ("import pyspark.sql as ps\ndef f(a: ps.DataFrame): ...", ["f"]),
        ("import pyspark\ndef f(a: 'pyspark.sql.DataFrame | None' = None): ...", ["f"]),
        ("from pyspark.sql import functions as F\ndef solve(spark, tables): ...", ["solve"]),
        ("from pyspark.sql import functions as F\ndef f(orders_df): ...", ["f"]),
        ("from pyspark.sql import DataFrame\ndef f(a: DataFrame) -> tuple[DataFrame, DataFrame]: ...", ["f"]),
        # No jobs: another library's frame, a sink, a helper, a method, no pyspark at all.
        ("import pyspark\nimport pandas as pd\ndef f(a: pd.DataFrame) -> pd.DataFrame: ...", []),
        ("from pyspark.sql import DataFrame\ndef save(a: DataFrame) -> None: ...", []),
        ("from pyspark.sql import DataFrame\ndef _help(a: DataFrame) -> DataFrame: ...", []),
        ("from pyspark.sql import DataFrame\nclass A:\n  def f(self, a: DataFrame): ...", []),
        ("def solve(spark, tables): ...", []),
        ("from pyspark.sql import functions as F\ndef f(spark, path): ...", []),
    ],
)
def test_jobs_are_functions_that_make_spark_frames_of_spark_frames(tmp_path, text, names):
    (tmp_path / "program.py").write_text(text)
    assert jobs(tmp_path) == names


def test_nothing_of_the_repository_is_run(shop, tmp_path):
    trap = "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\n"
    root = shop(**{"jobs/__init__.py": trap})
    (root / "jobs/revenue.py").write_text(trap + JOB)
    (root / "conftest.py").write_text(trap)
    (root / "tests/test_revenue.py").write_text(trap + TEST)
    adopt(root)
    assert not list(tmp_path.rglob("ran"))


def test_other_peoples_code_and_links_are_not_looked_into(shop, tmp_path_factory):
    root = shop(
        **{"venv/pyvenv.cfg": "", "venv/lib/a.py": JOB, ".hidden/a.py": JOB, "node_modules/a.py": JOB}
    )
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.py").write_text(JOB)
    (root / "linked").symlink_to(outside)
    (root / "one.py").symlink_to(outside / "a.py")
    assert [job.path for job in look_at(root).jobs] == ["jobs/revenue.py"]


def test_a_file_that_is_no_python_is_named_and_no_harm(shop):
    root = shop(**{"jobs/broken.py": "def f(:\n", "jobs/zero.py": "\0"})
    assert look_at(root).unreadable == ("jobs/broken.py", "jobs/zero.py")
    assert any("jobs/broken.py" in note for note in plan(root).notes)


@pytest.mark.parametrize(
    ("text", "entry_points"),
    [
        ("from jobs.revenue import revenue as r", ("jobs.revenue:revenue",)),
        ("from jobs import revenue\nrevenue.revenue(1, 2)", ("jobs.revenue:revenue",)),
        ("import jobs.revenue as jr\njr.revenue(1, 2)", ("jobs.revenue:revenue",)),
        ("from jobs.revenue import other", ()),
        ("from elsewhere.revenue import revenue", ()),
    ],
)
def test_a_test_is_linked_to_what_it_imports(shop, text, entry_points):
    (each,) = look_at(shop(**{"tests/test_revenue.py": text})).tested or (None,)
    assert (each.entry_points if each else ()) == entry_points


def test_of_many_programs_of_one_name_a_test_means_the_one_beside_it(tmp_path):
    solution = "from pyspark.sql import functions as F\ndef solve(spark, tables): ...\n"
    for name in ("late", "soon"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "solution.py").write_text(solution)
        (tmp_path / name / "test_solution.py").write_text("from solution import solve\n")
    found = look_at(tmp_path)
    assert [each.entry_points for each in found.tested] == [("solution:solve",)] * 2
    text = next(change.after for change in plan_adoption(found).changes if change.path == "pytest.ini")
    assert "late/test_solution.py = late" in text
    assert "soon/test_solution.py = soon" in text
    assert "lockin_suites" not in text, "the default finds them"


def test_a_suite_that_has_a_task_file_gets_no_other_task(shop):
    root = shop(**{"tests/task.yaml": "id: late\n", "pytest.ini": "[pytest]\n"})
    (change,) = [each for each in plan(root).changes if each.path == "pytest.ini"]
    assert change.after == "[pytest]\nlockin_suites =\n    test_solution.py\n    tests/test_revenue.py\n"


def test_the_template_is_chosen_by_how_jobs_take_their_tables(shop, tmp_path):
    root = shop()
    assert choose_template(look_at(root)) == "functions"
    (root / "jobs/revenue.py").write_text("import pyspark\ndef solve(spark, tables): ...\n")
    assert choose_template(look_at(root)) == "session"
    (root / "jobs/go.py").write_text(
        "from pyspark.sql import SparkSession\nSparkSession.builder.remote('sc://x')\n"
    )
    assert choose_template(look_at(root)) == "connect"


# Planning and writing


def test_everything_is_written_once_and_a_second_run_has_nothing_to_do(shop):
    root = shop(**{".github/x": "", "pyproject.toml": "[tool.pytest.ini_options]\n"})
    before = tree(root)
    made = adopt(root)
    assert [change.path for change in made.changes] == [
        "pyproject.toml", "conftest.py", "refs/README.md", "refs/.gitignore", ".github/workflows/lockin.yml",
    ]  # fmt: skip
    after = tree(root)
    assert {name: text for name, text in after.items() if name in before and name != "pyproject.toml"} == {
        name: text for name, text in before.items() if name != "pyproject.toml"
    }
    assert plan(root).changes == ()
    assert tree(root) == after
    assert [command.split()[0] for command in made.commands] == ["pytest", "lockin"]
    assert "lockin new-task revenue --from jobs.revenue:revenue" in made.commands[1]


def test_what_is_there_is_left_alone(shop):
    own = {
        "tests/conftest.py": "mine", "refs/README.md": "mine", "refs/.gitignore": "mine",
        ".github/workflows/lockin.yml": "mine",
    }  # fmt: skip
    root = shop(**own)
    made = adopt(root)
    assert [change.path for change in made.changes] == ["pytest.ini"]
    assert {name: (root / name).read_text() for name in own} == dict.fromkeys(own, "mine")


def test_references_are_kept_out_of_the_repository(shop):
    root = shop()
    adopt(root)
    git = ["git", "-C", str(root)]
    subprocess.run([*git, "init", "-q"], check=True)
    (root / "refs/revenue").mkdir()
    (root / "refs/revenue/reference.sql").write_text("SELECT 1")
    shown = subprocess.run(
        [*git, "status", "--short", "-uall"], check=True, capture_output=True, text=True
    ).stdout
    assert "refs/README.md" in shown
    assert "reference.sql" not in shown


def test_a_test_of_several_functions_is_left_out_and_named(shop):
    two = JOB + "\ndef other(orders: DataFrame) -> DataFrame:\n    return orders\n"
    root = shop(
        **{"jobs/revenue.py": two, "tests/test_revenue.py": "from jobs.revenue import other, revenue\n"}
    )
    made = plan(root)
    assert all(change.path != "pytest.ini" for change in made.changes)
    assert any("tests/test_revenue.py tests other, revenue: left out" in note for note in made.notes)


def test_ordinary_tests_that_would_lack_their_conftest_are_named(shop):
    root = shop(**{"tests/conftest.py": "", "tests/test_plain.py": "def test_it(): pass\n"})
    assert any("tests/test_plain.py would lack its fixtures" in note for note in plan(root).notes)
    (root / "tests/test_plain.py").unlink()
    assert not any("lack" in note for note in plan(root).notes)


def test_a_programs_folder_that_is_no_package_is_exposed(shop):
    """In the sandbox it would look like data, and the suite could not import its program."""
    root = shop()
    (root / "jobs/__init__.py").unlink()
    adopt(root)
    assert "\nlockin_expose =\n    jobs\n" in (root / "pytest.ini").read_text()
    assert plan(root).changes == ()


def test_the_workflow_is_yaml_and_names_suites_and_version(shop):
    root = shop(**{".github/x": ""})
    text = next(each.after for each in plan(root).changes if each.path.endswith("lockin.yml"))
    read = yaml.safe_load(text)
    steps = read["jobs"]["judge"]["steps"]
    assert read["permissions"] == {}
    assert "'tests/test_revenue.py'" in steps[-2]["run"]
    assert "@" not in steps[-3]["run"]
    for step in steps:
        assert "${{" not in step.get("run", ""), "no input in a script"
        assert "uses" not in step or len(step["uses"].partition("@")[2]) == 40


@pytest.mark.parametrize("indent", ["", "  "])
def test_a_hook_is_added_to_pre_commit_where_it_is_used(shop, indent):
    text = f"# ours\nrepos:\n{indent}- repo: https://example.com/x  # kept\n{indent}  rev: v1\n{indent}  hooks: []\n"
    root = shop(**{".pre-commit-config.yaml": text})
    adopt(root)
    after = (root / ".pre-commit-config.yaml").read_text()
    assert after.startswith(text)
    assert [repo["repo"] for repo in yaml.safe_load(after)["repos"]] == ["https://example.com/x", "local"]
    assert plan(root).changes == ()


@pytest.mark.parametrize("text", ["a: [", "[1]", "repos: []\nci: {}\n", "repos: {}"])
def test_pre_commit_settings_that_cannot_be_added_to_are_refused(shop, text):
    root = shop(**{".pre-commit-config.yaml": text})
    before = tree(root)
    with pytest.raises(AdoptError, match="pre-commit"):
        adopt(root)
    assert tree(root) == before


# Settings files


WANTED = {
    "lockin_suites": ["test_solution.py", "tests/test_revenue.py"],
    "lockin_tasks": ["tests/test_revenue.py = revenue"],
    "lockin_entry_points": ["tests/test_revenue.py = jobs.revenue:revenue"],
}
PYPROJECTS = {
    "empty": "",
    "without pytest": '[project]\nname = "shop" # [not a table]\n',
    "no last line feed": '[tool.pytest.ini_options]\naddopts = "-ra"',
    "table in between": '[tool.pytest.ini_options]\naddopts = [\n  "-ra",\n  # ["x"]\n]\n\n# about ruff\n[tool.ruff]\nline-length = 1\n',
    "array with brackets": '[tool.pytest.ini_options]\nfilterwarnings = [\n  "error",\n  "ignore:[a]",\n]\n[[tool.x]]\na = 1\n',
    "one line": '[tool.pytest.ini_options]\nlockin_suites = ["test_solution.py"] # ours\nlockin_tasks = []\n[a]\n',
    "many lines": '[tool.pytest.ini_options]\nlockin_suites = [\n\t"test_solution.py" # ]\n]\n[a]\n',
    "trailing comma": "[tool.pytest.ini_options]\nlockin_suites = [\n  'test_solution.py',\n  # end\n]\n",
    "strings that look like tables": '[tool.pytest.ini_options]\ntext = """\n[tool.pytest.ini_options]\nlockin_tasks = ["x"]\n"""\n',
    "windows": '[tool.pytest.ini_options]\r\naddopts = "-ra"\r\n[tool.ruff]\r\n',
    "native": '[tool.pytest]\naddopts = ["-ra"]\n[tool.ruff]\n',
}  # fmt: skip


@pytest.mark.parametrize("text", PYPROJECTS.values(), ids=PYPROJECTS)
def test_toml_gets_the_keys_and_keeps_everything_else(shop, text):
    root = shop(**{"pyproject.toml": text})
    adopt(root)
    after = (root / "pyproject.toml").read_bytes().decode()
    was, now = tomllib.loads(text), tomllib.loads(after)
    table = now["tool"]["pytest"] if text == PYPROJECTS["native"] else now["tool"]["pytest"]["ini_options"]
    assert {key: table.pop(key) for key in WANTED} == WANTED
    for key in WANTED:
        was.get("tool", {}).get("pytest", {}).get("ini_options", {}).pop(key, None)
    if "pytest" not in text:
        now.pop("tool")
    assert now == was
    assert all(
        line in after.splitlines()
        for line in text.splitlines()
        if "#" in line and "=" not in line and "]" not in line
    )
    assert ("\r\n" in after) == ("\r\n" in text)
    assert "\n" not in after.replace("\r\n", "") or "\r\n" not in after
    assert plan(root).changes == ()


@pytest.mark.parametrize(
    "text",
    [
        '[tool]\npytest = {ini_options = {addopts = "-ra"}}\n',
        '[tool.pytest]\nini_options.addopts = "-ra"\n',
        '[tool.pytest.ini_options]\nlockin_suites = "test_solution.py"\n',
    ],
)
def test_toml_that_cannot_be_added_to_safely_is_left_alone_and_the_lines_told(shop, text):
    root = shop(**{"pyproject.toml": text})
    before = tree(root)
    with pytest.raises(AdoptError, match=r"add by hand: .*lockin_tasks"):
        adopt(root)
    assert tree(root) == before


INIS = {
    "pytest.ini": ("pytest", "[pytest]\naddopts = -ra\n"),
    "empty pytest.ini": ("pytest", ""),
    "tox.ini": ("pytest", "[tox]\nenvlist = a\n\n[pytest]\naddopts =\n    -ra\n    -q\n\n# about flake8\n[flake8]\nx = 1\n"),
    "setup.cfg": ("tool:pytest", "[metadata]\nname = shop\n[tool:pytest]\nlockin_suites = test_solution.py\nminversion = 8\n"),
    "more lines": ("pytest", "[pytest]\nlockin_suites =\n  test_solution.py\n  # a note\n\nminversion = 8"),
}  # fmt: skip


@pytest.mark.parametrize("name", INIS)
def test_ini_files_get_the_keys_and_keep_everything_else(shop, name):
    section, text = INIS[name]
    file = name.split()[-1] if "." in name else "pytest.ini"
    root = shop(**{file: text})
    adopt(root)
    after = (root / file).read_text()
    now = iniconfig.IniConfig(file, after)
    was = iniconfig.IniConfig(file, text)
    for key, lines in WANTED.items():
        assert [line for line in now[section][key].splitlines() if line] == lines
    for each in was:
        kept = {key: value for key, value in each.items() if key not in WANTED}
        assert {key: value for key, value in now[each.name].items() if key not in WANTED} == kept
    assert [line for line in text.splitlines() if line.lstrip().startswith("#")] == [
        line for line in after.splitlines() if line.lstrip().startswith("#")
    ]
    assert plan(root).changes == ()


def test_the_file_pytest_reads_is_the_one_that_is_added_to(shop):
    root = shop(**{"pyproject.toml": "[project]\n", "tox.ini": "[pytest]\n", "setup.cfg": "[tool:pytest]\n"})
    assert plan(root).changes[0].path == "tox.ini"
    (root / "pytest.ini").write_text("")
    assert plan(root).changes[0].path == "pytest.ini"
    (root / "pytest.toml").write_text("[pytest]\n")
    assert plan(root).changes[0].path == "pytest.toml"


def test_an_older_pytest_reads_no_settings_of_tomls_own(shop, monkeypatch):
    root = shop(**{"pytest.toml": "[pytest]\n", "pyproject.toml": '[tool.pytest]\naddopts = ["-ra"]\n'})
    monkeypatch.setattr("pytest_lockin.adopt.settingsfile.version", lambda _: "8.4.2")
    (change, *_) = plan(root).changes
    assert "\n[tool.pytest.ini_options]\nlockin_suites" in change.after
    assert change.path == "pyproject.toml"


def test_a_line_that_is_there_in_another_form_is_not_added(shop):
    root = shop(
        **{
            "pytest.ini": "[pytest]\nlockin_suites = tests/test_*.py\nlockin_tasks = tests/test_revenue.py = late\n"
        }
    )
    (change,) = [each for each in plan(root).changes if each.path == "pytest.ini"]
    assert "lockin_suites = tests/test_*.py\n" in change.after
    assert "= revenue\n" not in change.after
    assert "lockin new-task late " in plan(root).commands[1]


# What goes wrong


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"pyproject.toml": "[tool\n"}, "TOML in pyproject.toml"),
        ({"pyproject.toml": "\udcff"}, "a settings file that can be read"),
        ({"tox.ini": "[pytest\n"}, "an ini file in tox.ini"),
        ({"jobs/revenue.py": "def f(): ..."}, "a PySpark function"),
        ({"refs": "a file"}, "refs/README.md"),
    ],
)
def test_each_hindrance_has_one_clear_message_and_nothing_is_written(tmp_path, files, said, capsys):
    texts = {"jobs/revenue.py": JOB, "tests/test_revenue.py": TEST} | files
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
    before = tree(tmp_path)
    assert cli.main(["init", str(tmp_path), "--yes"]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.strip().endswith("[adopt]")
    assert tree(tmp_path) == before


@pytest.mark.parametrize("name", ["refs", "pyproject.toml"])
def test_a_link_that_leads_out_of_the_repository_is_not_followed(shop, tmp_path_factory, name):
    root = shop()
    outside = tmp_path_factory.mktemp("outside")
    (outside / "pyproject.toml").write_text("[project]\n")
    (root / name).symlink_to(outside if name == "refs" else outside / name)
    before = tree(outside)
    with pytest.raises(AdoptError, match="symbolic link that leads to"):
        adopt(root)
    assert tree(outside) == before
    assert not (root / "conftest.py").exists()


def test_what_was_written_is_taken_back_where_the_rest_cannot_be(shop, monkeypatch):
    root = shop(**{"pyproject.toml": "[project]\n"})
    before = tree(root)
    original = Path.mkdir

    def mkdir(self, *args, **kwargs):
        if self.name == "refs":
            raise PermissionError(13, "Permission denied", str(self))
        return original(self, *args, **kwargs)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with pytest.raises(AdoptError, match="Permission denied"):
        adopt(root)
    assert tree(root) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to(shop):
    root = shop()
    root.chmod(0o555)
    with pytest.raises(AdoptError, match="Permission denied"):
        adopt(root)
    root.chmod(0o755)


def test_a_file_that_changed_in_the_meantime_is_not_overwritten(shop):
    root = shop(**{"pyproject.toml": "[project]\n"})
    made = plan(root)
    (root / "pyproject.toml").write_text("[project] # edited\n")
    with pytest.raises(AdoptError, match="as it was when the plan was made"):
        write_changes(root, made.changes)
    assert (root / "pyproject.toml").read_text() == "[project] # edited\n"
    assert not (root / "conftest.py").exists()


# Asking


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("yes\n", True), ("n\n", False), ("", False)])
def test_at_a_terminal_it_asks(shop, monkeypatch, answer, written):
    root = shop()
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert cli.main(["init", str(root)]) == (0 if written else 1)
    assert (root / "conftest.py").exists() is written


def test_elsewhere_it_only_shows(shop, capsys):
    root = shop()
    before = tree(root)
    assert cli.main(["init", str(root)]) == 1
    told = capsys.readouterr().out
    assert "+++ b/conftest.py" in told
    assert told.endswith("nothing written\n")
    assert tree(root) == before


def test_a_dry_run_writes_nothing_and_is_no_failure(shop, capsys):
    root = shop()
    before = tree(root)
    assert cli.main(["init", str(root), "--dry-run", "--yes"]) == 0
    assert "+lockin_tasks" in capsys.readouterr().out
    assert tree(root) == before


def test_yes_writes_and_says_what_comes_next(shop, capsys):
    root = shop()
    assert cli.main(["init", str(root), "--yes"]) == 0
    assert (
        "next:\n  pytest --lockin tests/test_revenue.py\n  lockin new-task revenue" in capsys.readouterr().out
    )
    assert cli.main(["init", str(root)]) == 0
    assert "nothing to do" in capsys.readouterr().out

import subprocess
import sys
import textwrap

import pytest

from pytest_lockin.cli import main
from pytest_lockin.taskbank import lock
from pytest_lockin.taskbank.bank import list_task_ids
from pytest_lockin.taskbank.build import read_build


@pytest.fixture
def run(capsys):
    def run(*argv):
        try:
            status = main([str(argument) for argument in argv])
        except SystemExit as exit_:
            status = exit_.code
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture
def task_file(tmp_path):
    def write(text):
        (tmp_path / "task.yaml").write_text(textwrap.dedent(text))
        return tmp_path / "task.yaml"

    return write


def test_it_costs_no_heavy_import():
    code = (
        "import sys, pytest_lockin.cli\n"
        "heavy = {'pyspark', 'pysail', 'pyarrow', 'pandas', 'duckdb', 'sqlglot', 'msgspec', 'yaml', 'pytest'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or None)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_version(run):
    status, out, _ = run("--version")
    assert status == 0
    assert out.startswith("pytest-lockin 0.")


@pytest.mark.parametrize("argv", [[], ["tasks"], ["nonsense"], ["tasks", "build", "--scale", "much"]])
def test_a_wrong_command_ends_with_usage_and_status_2(run, argv):
    status, _, err = run(*argv)
    assert status == 2
    assert "usage: lockin" in err


def test_build_says_what_it_does_and_that_a_second_one_had_nothing_to_do(run, tmp_path):
    out = tmp_path / "refs"
    status, said, _ = run("tasks", "build", "--unlocked", "--out", out, "q03", "q05")
    assert status == 0
    assert "generating TPC-DS data at scale 0.01" in said
    assert f"{out}: 2 tasks at scale 0.01, " in said
    assert run("tasks", "build", "--unlocked", "--out", out, "q03")[1] == (
        f"{out}: 2 tasks at scale 0.01, already up to date\n"
    )


def test_build_without_names_builds_the_thirty(run, tmp_path):
    run("tasks", "build", "--unlocked", "--out", tmp_path / "refs")
    assert read_build(tmp_path / "refs").tasks == list_task_ids()


def test_a_mistake_is_three_lines_without_a_traceback(run, tmp_path):
    status, out, err = run("tasks", "build", "--unlocked", "--out", tmp_path / "refs", "q3")
    assert (status, out) == (2, "")
    assert [line.split()[0] for line in err.splitlines()] == ["lockin:", "found", "hint:"]
    assert err.rstrip().endswith("did you mean q03? [tasks-build]")


def test_list_gives_the_tasks_and_all_the_statements(run):
    status, out, _ = run("tasks", "list")
    assert status == 0
    assert tuple(line.split()[0] for line in out.splitlines()) == list_task_ids()
    _, out, _ = run("tasks", "list", "--all")
    assert len(out.splitlines()) == 103
    assert "excluded" in out


def test_show_keeps_hidden_obligations_to_those_who_ask(run):
    status, out, _ = run("tasks", "show", "q03")
    assert status == 0
    assert "league table" in out
    assert "sum_agg" not in out
    assert "sum_agg" in run("tasks", "show", "q03", "--hidden")[1]


def test_show_takes_a_path(run, task_file):
    assert "late_orders" in run("tasks", "show", task_file("id: late_orders\ntables: [orders]\n"))[1]


def test_show_names_the_task_that_was_meant(run):
    status, _, err = run("tasks", "show", "Q3")
    assert status == 2
    assert "did you mean q03?" in err
    assert "lockin tasks list" in run("tasks", "show", "orders")[2]


def test_check_of_the_own_tasks_counts_them(run):
    status, out, _ = run("tasks", "check")
    assert status == 0, out
    assert out.startswith("30 tasks in order and as locked: ")


def test_check_names_what_moved(run, monkeypatch):
    monkeypatch.setattr(lock, "_hash_text", lambda text: str(len(text)))
    status, out, _ = run("tasks", "check")
    assert status == 1
    assert "tasks/q03/task.yaml: prompt changed" in out.splitlines()


def test_check_of_ones_own_task_finds_what_is_wrong(run, task_file):
    file = task_file(
        """\
        id: late_orders
        tables:
        - name: orders
          columns: [{name: id, type: bigint}]
        obligations:
        - {id: O1, kind: filter, source: prompt, text: Only late orders count., columns: [orders.due]}
        """
    )
    status, out, _ = run("tasks", "check", file)
    assert status == 1
    assert out == "late_orders: O1: table orders has no column `due`\n1 problem\n"
    file.write_text(file.read_text().replace("orders.due", "orders.id"))
    assert run("tasks", "check", file) == (0, "1 task in order\n", "")
    assert run("tasks", "check", file.parent) == (0, "1 task in order\n", "")


def test_check_of_a_file_that_is_no_task_says_where(run, task_file):
    status, _, err = run("tasks", "check", task_file("id: a\nobligation: []\n"))
    assert status == 2
    assert "task.yaml, line 2)" in err


def test_check_of_a_folder_of_tasks_checks_each(run, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "task.yaml").write_text(f"id: {name}\n")
    assert run("tasks", "check", tmp_path) == (0, "2 tasks in order\n", "")


def test_lock_takes_data_only_from_a_build(run, tmp_path):
    status, _, err = run("tasks", "lock", "--data", tmp_path)
    assert status == 2
    assert "no build.json there" in err


def test_schema_is_printed(run):
    assert '"title": "task.yaml"' in run("tasks", "schema")[1]
    assert '"title": "obligations.yaml"' in run("tasks", "schema", "obligations")[1]


def test_doctor_prints_findings_and_fails_on_a_bad_one(run, monkeypatch):
    from pytest_lockin.engines import preflight

    def finding(ok):
        return preflight.Finding(slug="java", ok=ok, text="Java", hint="install Java 17")

    monkeypatch.setattr(
        preflight, "check_sandbox", lambda *_: preflight.Finding(slug="sandbox", ok=True, text="box")
    )
    monkeypatch.setattr(preflight, "check_environment", lambda: (finding(ok=True),))
    assert run("doctor") == (0, "ok    Java\nok    box\n", "")
    monkeypatch.setattr(preflight, "check_environment", lambda: (finding(ok=True), finding(ok=False)))
    assert run("doctor") == (1, "ok    Java\nFAIL  Java\n      hint: install Java 17\nok    box\n", "")


def test_study_evaluate_hands_its_options_on(run, monkeypatch, tmp_path):
    from pytest_lockin.studies import command

    given = []
    monkeypatch.setattr(command, "run_evaluate", lambda argv: given.extend(argv) or 1)
    assert run("study", "evaluate", "--svg", "bars.svg", "runs")[0] == 1
    assert given == ["--svg", "bars.svg", "runs"]


def test_study_evaluate_of_nothing_is_a_mistake_with_a_slug(run, tmp_path):
    status, _, err = run("study", "evaluate", tmp_path / "runs")
    assert status == 2
    assert err.startswith("lockin: expected")


def test_an_interrupt_ends_quietly(run, monkeypatch):
    from pytest_lockin.taskbank import bank

    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(bank, "load_bank", interrupt)
    status, _, err = run("tasks", "list")
    assert status == 2
    assert "interrupted" in err


def test_a_reader_that_has_had_enough_is_no_error():
    command = f"{sys.executable} -m pytest_lockin.cli tasks list --all | head -n 1"
    run = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (run.stdout[:3], run.stderr) == ("q01", "")

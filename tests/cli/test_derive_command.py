import pytest
import yaml

from pytest_lockin.cli import main


@pytest.fixture
def run(capsys):
    def run(*argv):
        status = main([str(each) for each in argv])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def test_derive_prints_a_tasks_obligations_as_yaml(run):
    status, out, _ = run("tasks", "derive", "q03")
    assert status == 0
    assert {each["kind"] for each in yaml.safe_load(out)["obligations"]} >= {"join", "metric", "limit"}


def test_derive_takes_a_statement_of_ones_own(run, tmp_path):
    file = tmp_path / "mine.sql"
    file.write_text("SELECT i_brand FROM item LIMIT 7")
    status, out, _ = run("tasks", "derive", "q03", "--sql", file)
    assert status == 0
    assert "At most 7 rows" in out


def test_derive_says_what_is_wrong_with_a_statement(run, tmp_path):
    file = tmp_path / "mine.sql"
    file.write_text("SELECT i_brandd FROM item")
    status, _, err = run("tasks", "derive", "q03", "--sql", file)
    assert status == 2
    assert "i_brandd" in err


def test_derive_says_that_a_file_is_not_there(run, tmp_path):
    status, _, err = run("tasks", "derive", "q03", "--sql", tmp_path / "none.sql")
    assert status == 2
    assert "none.sql" in err

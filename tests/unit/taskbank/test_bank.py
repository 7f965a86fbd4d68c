import re

import pytest

from pytest_lockin.errors import TaskFileError
from pytest_lockin.model.task import Column, Kind, Obligation, Source, Table, Task
from pytest_lockin.taskbank.bank import find_task, list_task_ids, load_bank, load_hidden
from pytest_lockin.taskbank.check import check_bank, check_task
from pytest_lockin.taskbank.statements import read_statement
from pytest_lockin.taskbank.tables import find_table

ASKED_FOR = (
    "q02",
    "q04",
    "q05",
    "q11",
    "q13",
    "q14a",
    "q14b",
    "q17",
    "q33",
    "q35",
    "q47",
    "q69",
    "q77",
    "q80",
)

INPUT_COLUMN = re.compile(r"\w+\.\w+")
TYPE = re.compile(r"decimal\(\d+,\d+\)|\b(?:double|bigint|tinyint|int|string)\b")
WEEKDAYS = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}


@pytest.fixture(scope="module")
def bank():
    return load_bank()


@pytest.fixture(scope="module")
def everything(bank):
    """Each task with all its obligations, hidden ones included."""
    return [(task, (*task.obligations, *load_hidden(task.id))) for task in bank]


def test_thirty_tasks_with_the_fourteen_asked_for(bank):
    assert len(bank) == 30
    assert set(ASKED_FOR) <= {task.id for task in bank}


def test_the_bank_keeps_its_own_rules(bank):
    assert check_bank(bank) == ()


def test_there_are_enough_obligations_of_every_kind_and_source(everything):
    counts = [len(obligations) for _, obligations in everything]
    assert sum(counts) >= 330
    assert (min(counts) >= 8, max(counts) <= 12) == (True, True)
    assert {item.kind for _, obligations in everything for item in obligations} == set(Kind)
    assert {item.source for _, obligations in everything for item in obligations} == set(Source)


def test_tables_are_those_of_the_statement_with_the_shipped_schemas(bank):
    import sqlglot
    from sqlglot import exp

    for task in bank:
        tree = sqlglot.parse_one(read_statement(task.id).text, read="spark")
        names = {table.name for table in tree.find_all(exp.Table)} - {
            cte.alias_or_name for cte in tree.find_all(exp.CTE)
        }
        assert {table.name for table in task.tables} == names, task.id
        assert task.tables == tuple(find_table(table.name) for table in task.tables)


def test_every_input_column_a_statement_reads_is_some_obligations_concern(everything):
    import sqlglot
    from sqlglot import exp

    for task, obligations in everything:
        inputs = {column.name for table in task.tables for column in table.columns}
        tree = sqlglot.parse_one(read_statement(task.id).text, read="spark")
        read = {column.name for column in tree.find_all(exp.Column)} & inputs
        concern = {
            name.split(".")[1]
            for item in obligations
            for name in item.columns
            if INPUT_COLUMN.fullmatch(name)
        }
        assert read - concern == set(), task.id


def test_every_text_a_statement_compares_with_is_in_the_ticket(bank):
    """Dates and intervals are worded otherwise in a ticket, weekdays as a range."""
    import sqlglot
    from sqlglot import exp

    for task in bank:
        tree = sqlglot.parse_one(read_statement(task.id).text, read="spark")
        texts = {
            literal.name
            for literal in tree.find_all(exp.Literal)
            if literal.is_string and not re.fullmatch(r"[\d-]+", literal.name)
        }
        assert {text for text in texts - WEEKDAYS if text not in task.prompt} == set(), task.id


def test_output_columns_exist_in_the_reference(everything, outputs):
    for task, obligations in everything:
        names = [name for name, _ in outputs[task.id]]
        for item in obligations:
            for column in item.columns:
                if column.startswith("#"):
                    assert int(column[1:]) <= len(names), (task.id, item.id, column)
                elif not INPUT_COLUMN.fullmatch(column):
                    assert column.lower() in names, (task.id, item.id, column)


def test_no_task_file_names_an_output_column_that_only_the_reference_shows(bank, outputs):
    for task in bank:
        known = {column.name for table in task.tables for column in table.columns}
        hidden = {
            name for name, _ in outputs[task.id] if name not in known and f"`{name}`" not in task.prompt
        }
        named = {column.lower() for item in task.obligations for column in item.columns}
        assert named & hidden == set(), task.id
        # Names that are no everyday word must not be in a sentence either.
        telling = {name for name in hidden if re.search(r"[_(]", name)}
        said = " ".join([task.title, *(item.text for item in task.obligations)])
        assert {name for name in telling if name in said} == set(), task.id


def test_types_an_obligation_states_are_those_of_its_columns(everything, outputs):
    checked = 0
    for task, obligations in everything:
        kinds = dict(reversed(outputs[task.id]))
        for item in obligations:
            if item.kind is not Kind.TYPE:
                continue
            said = set(TYPE.findall(re.sub(r"not (a )?(double|floating-point number)", "", item.text)))
            found = {kinds[column] for column in item.columns}
            # Two engines are named where they differ in the scale of a division: Sail's is among them.
            assert found <= said, (task.id, item.id)
            assert said == found or "pysail" in item.text or "cast to" in item.text, (task.id, item.id)
            checked += 1
    assert checked >= 15


def test_hidden_obligations_are_not_in_the_tasks_folder(bank):
    from pytest_lockin.taskbank.shipped import tasks_root

    texts = "".join(path.read_text() for path in tasks_root().rglob("*") if path.is_file())
    for task in bank:
        for item in load_hidden(task.id):
            assert item.text not in texts


def test_a_task_is_found_by_its_id():
    assert find_task("q03").id == "q03"
    assert find_task("late_orders") is None
    assert list_task_ids()[0] == "q02"


def test_a_folder_without_tasks_is_named(tmp_path):
    with pytest.raises(TaskFileError, match=r"folders with a task\.yaml"):
        load_bank(tmp_path)


def obligation(name, *columns, source=Source.PROMPT):
    return Obligation(id=name, kind=Kind.JOIN, source=source, text="x", columns=columns)


def test_a_check_names_columns_and_tables_that_are_not_there():
    task = Task(
        id="a",
        tables=(Table(name="t", columns=(Column(name="x"),)), Table(name="u")),
        obligations=(obligation("O1", "t.x", "t.y", "v.x", "u.anything", "total"),),
    )
    assert [str(problem) for problem in check_task(task)] == [
        "a: O1: table t has no column `y`",
        "a: O1: `v.x` names a table the task does not list",
    ]


def test_a_check_names_ids_used_in_the_open_and_hidden():
    task = Task(id="a", obligations=(obligation("O1"),))
    (problem,) = check_task(task, [obligation("O1", source=Source.HIDDEN)])
    assert "taken by a visible one" in problem.text


def test_a_task_that_is_not_the_projects_is_told_so():
    texts = [problem.text for problem in check_bank([Task(id="a", prompt="SELECT x FROM t")])]
    assert "no TPC-DS statement has this id" in texts
    assert "`title` is missing" in texts
    assert "the prompt contains SQL; a ticket says what is wanted, not the statement" in texts
    assert any(text.startswith("0 obligations") for text in texts)
    assert "not kept in eligibility.yaml" in texts
    assert texts.count("kept in eligibility.yaml, but has no task") == 30

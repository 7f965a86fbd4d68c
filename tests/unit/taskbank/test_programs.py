"""The hand-written DataFrame programs say what the TPC-DS statements say."""

import ast
from decimal import Decimal

import pytest
from references import read_answer, run_child

from pytest_lockin.frames import agree
from pytest_lockin.taskbank.bank import list_task_ids
from pytest_lockin.taskbank.shipped import PACKAGE, program_file

PROGRAMS = sorted(file.stem for file in (PACKAGE / "programs").glob("q*.py"))

# Seeds and sizes of `dense.make_tables` at which the statement has rows.
DENSE = {
    "q02": "12:60 16:60",
    "q03": "4:60 19:60",
    "q04": "53:60 18:200",
    "q05": "7:60 5:60",
    "q07": "11:60 18:60",
    "q11": "25:200 39:200",
    "q12": "11:60 4:60",
    "q13": "9:200 16:200",
    "q14a": "25:60 1:60",
    "q14b": "33:200 57:60",
    "q17": "3:200 14:60",
    "q18": "15:60 1:60",
    "q19": "1:60 23:60",
    "q22": "10:60 0:60",
    "q27": "7:60 5:60",
    "q33": "3:60 17:60",
    "q35": "6:60 4:200",
    "q36": "0:60 3:60",
    "q42": "7:60 13:60",
    "q47": "13:200 13:60",
    "q48": "7:60 11:60",
    "q53": "38:60 35:200",
    # One seed: the other dense ones have a tie at the limit.
    "q59": "44:60",
    "q67": "0:60 9:60",
    "q69": "7:60 37:60",
    "q72": "38:200 14:200",
    "q77": "11:60 3:60",
    "q80": "15:60 14:60",
    "q89": "21:200 21:60",
    "q93": "0:60 21:60",
    "q98": "8:60 10:60",
}
CASES = [f"{task}:{case}" for task, cases in DENSE.items() for case in cases.split()]

# A misreading of the statement each, and the piece of the program that would be it.
MISREADINGS = {
    "q02": ('F.col("d_week_seq2") - 53', 'F.col("d_week_seq2") - 52'),
    "q05": ('F.col("profit") - F.col("loss")', 'F.col("profit")'),
    "q12": ('Window.partitionBy("i_class")', 'Window.partitionBy("i_category", "i_class")'),
    "q35": ("by_web.unionAll(by_catalog)", "by_web"),
    "q47": ('F.col("has_previous") & F.col("has_next")', 'F.col("has_next")'),
    "q67": ('F.coalesce(F.col("ss_sales_price") * F.col("ss_quantity"), F.lit(0))',
            'F.col("ss_sales_price") * F.col("ss_quantity")'),
    "q69": ('.join(by_catalog, "c_customer_sk", "left_anti")', ""),
    "q77": ('catalog_sales.crossJoin(catalog_returns.drop("id"))', 'catalog_sales.join(catalog_returns, "id")'),
    "q80": ('.join(back, ["i_item_sk", "number"], "left")', '.join(back, ["i_item_sk", "number"])'),
    "q93": ('F.coalesce("sr_return_quantity", F.lit(0))', 'F.col("sr_return_quantity")'),
}  # fmt: skip


@pytest.fixture(scope="module")
def dense_on_sail(tmp_path_factory):
    out = tmp_path_factory.mktemp("dense")
    run_child("sail", "dense", out, CASES)
    return out


def assert_program_says_the_same(out, task):
    """Names, types, rows and, where the statement's order leaves no choice, their order."""
    expected, found = read_answer(out, task, "sql"), read_answer(out, task, "dataframe")
    agreement = agree(expected, found)
    assert agreement.agrees, agreement
    name = task.split(":", maxsplit=1)[0]
    if "TIES: none." in ast.get_docstring(ast.parse(program_file(name).read_text())):
        assert in_order(expected) == in_order(found)


def in_order(frame):
    """Give the rows in order; doubles to nine digits, as engines add them up in any order."""
    columns = [
        [float(f"{value:.9g}") if isinstance(value, float) else value for value in column.to_pylist()]
        for column in frame.table.columns
    ]
    return list(zip(*columns, strict=True))


def test_every_task_has_a_program():
    assert set(list_task_ids()) <= set(PROGRAMS)
    assert set(DENSE) == set(PROGRAMS)


@pytest.mark.parametrize("task", PROGRAMS)
def test_program_is_plain_dataframe_code_and_says_what_ties(task):
    tree = ast.parse(program_file(task).read_text())
    docstring = ast.get_docstring(tree)
    assert docstring.startswith(f"{task}: ")
    assert "independent reading" in docstring
    assert "\nTIES: " in docstring
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    allowed = {"__future__", "collections.abc", "datetime", "functools", "operator", "pyspark.sql", "typing"}
    assert modules <= allowed
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not attributes & {"sql", "expr", "selectExpr", "udf", "rdd", "createOrReplaceTempView", "collect"}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert "udf" not in names
    solve = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "solve")
    assert [argument.arg for argument in solve.args.args] == ["spark", "tables"]


@pytest.mark.parametrize("task", sorted(list_task_ids()))
def test_program_agrees_with_its_statement_on_tpcds_data(on_sail, task):
    assert_program_says_the_same(on_sail, task)


@pytest.mark.parametrize("case", CASES)
def test_program_agrees_with_its_statement_on_dense_tables(dense_on_sail, case):
    """Tables with the statement's columns only, and rows for it in every case: NULLs, duplicates, bounds."""
    values = [value for row in in_order(read_answer(dense_on_sail, case, "sql")) for value in row]
    assert any(value is not None and value != Decimal(0) for value in values)
    assert_program_says_the_same(dense_on_sail, case)


def test_misreadings_are_noticed_on_dense_tables(tmp_path):
    """The tables have power: a program that reads one thing wrongly disagrees on at least one of them."""
    cases = {task: write_misreading(tmp_path, task) for task in MISREADINGS}
    run_child("sail", "dense", tmp_path / "out", [case for task in cases for case in cases[task]])
    missed = [
        task
        for task, wrong in cases.items()
        if all(
            agree(
                read_answer(tmp_path / "out", case, "sql"), read_answer(tmp_path / "out", case, "dataframe")
            ).agrees
            for case in wrong
        )
    ]
    assert missed == []


def write_misreading(folder, task):
    right, wrong = MISREADINGS[task]
    text = program_file(task).read_text()
    assert text.count(right) == 1, task
    file = folder / f"{task}.py"
    file.write_text(text.replace(right, wrong))
    return [f"{task}:{case}:{file}" for case in DENSE[task].split()]


@pytest.mark.spark
def test_sample_of_programs_agrees_exactly_on_classic_spark(tmp_path):
    """One of ratios and one of windows, as a JVM is slow to start; `make slow` runs all."""
    cases = ["q02:12:60", "q47:13:60"]
    run_child("spark", "dense", tmp_path, cases)
    for case in cases:
        assert_program_says_the_same(tmp_path, case)


@pytest.mark.spark
@pytest.mark.slow
def test_all_programs_agree_exactly_on_classic_spark(built, tmp_path):
    run_child("spark", built, tmp_path, timeout=1800)
    for task in list_task_ids():
        assert_program_says_the_same(tmp_path, task)

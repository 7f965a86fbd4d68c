"""Candidates against a vetted panel, in workers that know nothing of it."""

from __future__ import annotations

import pytest

from pytest_lockin.frames.frame import Frame
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.agreement import Category, Relaxation
from pytest_lockin.model.messages import AskReference
from pytest_lockin.model.suite import Argument, EntryPoint, Suite
from pytest_lockin.model.task import Column, Table, Task
from pytest_lockin.references.agree import CandidateRuns
from pytest_lockin.references.answer import ReferenceAnswers
from pytest_lockin.references.vet import tables_for

TOTALS = "select customer, sum(amount) as total from orders group by customer"
HEAD = "from pyspark.sql import functions as F\n"


@pytest.fixture
def judge(refs, workshop, tmp_path):
    def run(program: str, *, function: str = "solve", task: Task | None = None):
        folder = tmp_path / "suite"
        folder.mkdir(exist_ok=True)
        (folder / "solution.py").write_text(HEAD + program)
        suite = Suite(
            id="suite/test_solution.py",
            path=str(folder / "test_solution.py"),
            task_id="t",
            entry_point=EntryPoint(function=function),
        )
        vetted = refs.vet(task)
        tables = tables_for(vetted.panel, task)
        data = tmp_path / "run" / "data"
        with CandidateRuns(workshop, suite, vetted.engine, data, shared=tables) as runs:
            return runs.judge(vetted, task)[0]

    return run


def test_the_same_rows_by_another_way_agree(refs, judge):
    refs.write(reference__sql=TOTALS)
    judgement = judge(
        'def solve(spark, tables):\n    return tables["orders"].groupBy("customer").agg(F.sum("amount").alias("total"))\n'
    )
    assert judgement.agreement.agrees


def test_another_alias_is_a_disagreement_that_names_recover(refs, judge):
    refs.write(reference__sql=TOTALS)
    agreement = judge(
        'def solve(spark, tables):\n    return tables["orders"].groupBy("customer").agg(F.sum("amount").alias("sum"))\n'
    ).agreement
    assert agreement.category is Category.ALIAS
    assert agreement.recovered_by == (Relaxation.NAMES,)


def test_a_program_that_raises_on_the_data_disagrees_at_runtime(refs, judge):
    refs.write(reference__sql=TOTALS)
    agreement = judge('def solve(spark, tables):\n    return tables["orders"].select("nope")\n').agreement
    assert agreement.category is Category.RUNTIME
    assert "nope" in agreement.differences[0].reason


def test_a_program_that_returns_no_dataframe_is_not_judged(refs, judge):
    refs.write(reference__sql=TOTALS)
    judgement = judge('def solve(spark, tables):\n    return tables["orders"].count()\n')
    assert judgement.agreement is None
    assert "int" in judgement.reason


def test_a_program_that_ends_its_process_is_not_judged(refs, judge):
    refs.write(reference__sql=TOTALS)
    judgement = judge("import os\ndef solve(spark, tables):\n    os._exit(0)\n")
    assert judgement.agreement is None
    assert "exit status 0" in judgement.reason


def test_parameters_named_after_tables_get_them(refs, judge):
    refs.write(reference__sql=TOTALS)
    judgement = judge(
        'def totals(orders_df):\n    return orders_df.groupBy("customer").agg(F.sum("amount").alias("total"))\n',
        function="totals",
    )
    assert judgement.agreement.agrees


def test_parameters_that_fit_no_table_are_named(refs, judge):
    refs.write(reference__sql=TOTALS)
    judgement = judge("def solve(spark, lines, rates):\n    return lines\n")
    assert judgement.agreement is None
    assert "lines, rates" in judgement.reason


def test_columns_by_name_where_the_settings_say_so(refs, judge):
    refs.write(reference__sql=TOTALS)
    program = (
        "def solve(spark, tables):\n"
        '    totals = tables["orders"].groupBy("customer").agg(F.sum("amount").alias("total"))\n'
        '    return totals.select("total", "customer")\n'
    )
    assert judge(program).agreement.category is Category.COLUMN_ORDER
    (refs.root / "t" / "reference.toml").write_text('[compare]\ncolumns = "name"\n')
    assert judge(program).agreement.agrees


def test_a_legal_choice_at_the_limit_agrees_and_says_so(refs, judge):
    refs.write(reference__sql="select amount, id from orders order by amount limit 2")
    legal = 'def solve(spark, tables):\n    return tables["orders"].orderBy("amount", F.desc("id")).select("amount", "id").limit(2)\n'
    agreement = judge(legal).agreement
    assert agreement.agrees
    assert agreement.notes
    illegal = legal.replace('"amount", F.desc("id")', 'F.desc("amount")', 1)
    assert not judge(illegal).agreement.agrees


def test_the_candidate_sees_no_path_of_the_references(refs, judge):
    """Its arguments, environment, folder, import path and table paths say nothing of where they lie."""
    refs.write(reference__sql="select id from orders")
    looking = """
def solve(spark, tables):
    import os, sys
    seen = [os.getcwd(), *sys.argv, *sys.path, *os.environ.values(), *tables["orders"].inputFiles()]
    seen += [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")]
    telling = [text for text in seen if LOOKED_FOR in text]
    if telling or len(seen) < 10:
        raise ValueError(telling)
    return tables["orders"].select("id")
"""
    assert judge(f"LOOKED_FOR = {str(refs.root / 't')!r}\n{looking}").agreement.agrees
    assert "ValueError" in str(judge(f"LOOKED_FOR = '/usr'\n{looking}").agreement)


def test_a_case_without_a_table_or_column_gets_typed_nulls_and_they_are_named(refs, runner, tmp_path):
    refs.write(
        reference__sql="select o.customer, sum(o.amount) as total from orders o left join rates r on r.id = o.id group by o.customer"
    )
    task = Task(
        id="t",
        tables=(Table(name="orders"), Table(name="rates", columns=(Column(name="id", type="bigint"),))),
    )
    exchange = tmp_path / "exchange"
    store = FrameStore(exchange, 1 << 20)
    import pyarrow as pa

    given = store.keep(Frame.of(pa.table({"customer": ["x", "y"]})))
    panel = refs.panel()
    answers = ReferenceAnswers(panel, task, panel.references[0], runner, exchange)
    reply = answers(AskReference(arguments=(Argument(parameter="tables", key="orders", frame=given),)))
    frame = store.load(reply.parts[0][1])
    assert frame.table["total"].to_pylist() == [None, None]
    assert set(answers.completed) == {"rates", "orders.id", "orders.amount"}

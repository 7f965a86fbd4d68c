"""The worker of the second run goes on with the trials, as if the suite had never run in it."""

from contextlib import contextmanager

import pytest
from trial_bench import LIMIT, make_suite, make_world, open_workshop, try_edit, write_suite

from pytest_lockin.suite.drive import SuiteSession, run_pass
from pytest_lockin.suite.jobs import make_trial_job
from pytest_lockin.suite.trial_worker import HANDLER, TrialWorker

SOLUTION = """
    from pyspark.sql import functions as F

    def solve(spark, tables):
        return tables["orders"].filter(F.col("amount") > 10).select("id")
"""
TESTS = """
    import pytest
    from pyspark.sql import SparkSession
    from solution import solve

    @pytest.fixture(scope="session")
    def spark():
        return SparkSession.builder.getOrCreate()

    @pytest.fixture(scope="module")
    def out(spark):
        orders = spark.createDataFrame([(1, 5.0), (2, 20.0), (3, 30.0)], "id int, amount double")
        return solve(spark, {"orders": orders})

    def test_ids(out):
        assert sorted(row.id for row in out.collect()) == [2, 3]

    def test_partitions(spark):
        spark.range(1).createOrReplaceTempView("left_over")
        assert spark.sparkContext.defaultParallelism in (1, 3)
"""


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "suite"
    made.mkdir()
    return made


@contextmanager
def second_run(folder):
    """A session that has run the suite on three partitions, and what a fresh trial worker would be given."""
    with open_workshop(folder) as workshop:
        world, suite = make_world(folder), make_suite(folder)
        jobs = [make_trial_job(workshop, world, suite, workshop.engine("sail", partitions=n)) for n in (3, 1)]
        session = SuiteSession(workshop, jobs[0], limit=LIMIT, handler=HANDLER)
        run = run_pass(session)
        yield run, session, lambda cases: TrialWorker(workshop, jobs[1], cases, limit=LIMIT, warm=session)


def test_trials_follow_the_second_run_in_one_process(folder):
    write_suite(folder, SOLUTION, TESTS)
    with second_run(folder) as (run, session, open_trials):
        assert [str(case.outcome) for case in run.cases] == ["passed", "passed"]
        assert run.errors == ()
        worker = open_trials([case.case_id for case in run.cases])
        prepared = worker.prepare()
        assert (prepared.refusal, prepared.inputs, prepared.replayable) == ("", 1, 1)
        assert worker._worker is session.hand_over()[0]
        killed = try_edit(worker, folder, "> 10", "> 20")
        assert str(killed.outcome) == "killed"
        assert killed.saw == ("test_solution.py::test_ids",)
        assert str(try_edit(worker, folder, "> 10", "> 11").outcome) == "uninfected"
        worker.stop()


def test_a_suite_that_passes_only_once_in_a_process_gets_a_fresh_one(folder):
    tests = (
        TESTS
        + """
    SEEN = []

    def test_once():
        SEEN.append(1)
        assert len(SEEN) == 1
"""
    )
    write_suite(folder, SOLUTION, tests)
    with second_run(folder) as (run, session, open_trials):
        worker = open_trials([case.case_id for case in run.cases])
        assert worker.prepare().refusal == ""
        assert worker._worker is not session._worker
        assert not session._worker.alive
        worker.stop()


def test_trials_look_at_the_cases_asked_for_only(folder):
    tests = (
        TESTS
        + """
    def test_again(out):
        assert out.count() == 2
"""
    )
    write_suite(folder, SOLUTION, tests)
    with second_run(folder) as (run, _session, open_trials):
        worker = open_trials([case.case_id for case in run.cases])
        worker.prepare()
        again = "test_solution.py::test_again"
        tried = try_edit(worker, folder, "> 10", "> 20", only=(again,))
        assert tried.kill.case_id == again
        assert tried.ran == 1
        nothing = try_edit(worker, folder, "> 10", "> 20", only=("test_solution.py::test_partitions",))
        assert (str(nothing.outcome), nothing.ran) == ("unreached", 0)
        worker.stop()

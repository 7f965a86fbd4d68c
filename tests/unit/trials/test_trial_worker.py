"""A trial worker on small suites: every trap of swapping, fixtures, UDFs, order, state and replay."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from trial_bench import (
    LIMIT,
    SUITES,
    open_worker,
    open_workshop,
    prepared,
    sample_verdicts,
    try_edit,
    write_suite,
)

from pytest_lockin.errors import WorkerCrashedError, WorkerTimedOutError
from pytest_lockin.model.suite import EntryPoint
from pytest_lockin.model.trial import TrialOutcome, Try, Wreckage

BIG = """
    from pyspark.sql import functions as F

    LIMIT = 10

    def solve(spark, tables):
        return tables["orders"].where(F.col("amount") > LIMIT).select("id", "amount")
"""
# One row below the limit, none on it: the boundary cannot be seen.
BIG_TESTS = """
    import pytest
    from pyspark.sql import SparkSession
    from solution import solve

    @pytest.fixture(scope="session")
    def spark():
        session = SparkSession.builder.appName("big").getOrCreate()
        yield session
        session.stop()

    @pytest.fixture
    def orders(spark):
        return spark.createDataFrame([(1, 5.0), (2, 20.0), (3, 30.0)], "id int, amount double")

    def test_ids(spark, orders):
        assert [row.id for row in solve(spark, {"orders": orders}).collect()] == [2, 3]

    def test_rows(spark, orders):
        assert solve(spark, {"orders": orders}).count() == 2
"""


def ended(tried):
    """Outcome, and who noticed by what."""
    name = tried.kill.case_id.partition("::")[2] if tried.kill else ""
    return str(tried.outcome), name, tried.kill.type if tried.kill else ""


# The sample: 33 hand-written edits and mutmut's 168 mutants with known verdicts.


def test_the_sample_ends_as_known_and_the_shortcut_changes_nothing(folder):
    """Every verdict but one is reproduced on Sail alone; taking no shortcut gives the same outcomes."""
    shutil.copytree(SUITES / "sample", folder, dirs_exist_ok=True)
    wrong, other = [], []
    with prepared(folder) as worker:
        assert (worker.prepared.inputs, worker.prepared.replayable) == (1, 1)
        for number, (name, source, known) in enumerate(sample_verdicts()):
            tried = worker.try_one(Try(id=name, module="solution", source=source), LIMIT)
            if not _is_as_known(tried, known):
                wrong.append(name)
            if number % 4 == 0:
                asked = Try(id=name, module="solution", source=source, exhaustive=True)
                full = worker.try_one(asked, LIMIT)
                if ended(full) != ended(tried):
                    other.append((name, ended(tried), ended(full)))
    # Sail gives the rows in the sorted order by itself; classic Spark does not, and confirms the kill.
    assert wrong == ["final orderBy removed"]
    assert other == []


def _is_as_known(tried, known):
    if not known["killed_by"]:
        return tried.outcome in ("unreached", "uninfected", "unrevealed")
    if known.get("raised_inside_solve"):
        return tried.outcome == "crashed"
    kind = known.get("how") or known["exception"]
    return ended(tried) == ("killed", known["killed_by"], kind)


# Outcomes.


@pytest.fixture
def big(folder):
    write_suite(folder, BIG, BIG_TESTS)
    with prepared(folder) as worker:
        yield lambda before, after, **asked: try_edit(worker, folder, before, after, **asked)


def test_the_outcomes_are_decided_by_where_it_failed(big):
    """Rows that cannot show it, asserts that do not look, a kill, a crash in the program."""
    assert ended(big("> LIMIT", ">= LIMIT")) == ("uninfected", "", "")
    assert ended(big('F.col("amount") >', 'F.col("amount") <')) == ("killed", "test_ids", "AssertionError")
    assert ended(big('select("id", "amount")', 'select("id", (F.col("amount") + 1).alias("amount"))'))[0] == (
        "unrevealed"
    )
    crashed = big('select("id", "amount")', 'select("id", "nope")')
    assert (crashed.outcome, crashed.kill) == (TrialOutcome.CRASHED, None)
    assert ended(big('select("id", "amount")', 'select("amount")')) == (
        "killed",
        "test_ids",
        "PySparkAttributeError",
    )


def test_a_constant_is_swapped_and_an_import_that_raises_is_a_crash(big):
    assert ended(big("LIMIT = 10", "LIMIT = 25")) == ("killed", "test_ids", "AssertionError")
    assert big("LIMIT = 10", "LIMIT = 1 / 0").detail.startswith("raised when imported: ZeroDivisionError")


def test_the_next_trial_sees_the_original_again(big):
    assert ended(big("LIMIT = 10", "LIMIT = 25"))[0] == "killed"
    assert ended(big("> LIMIT", "> LIMIT + 0")) == ("uninfected", "", "")


def test_what_no_case_calls_is_unreached(folder):
    solution = BIG + "\n    def other(spark):\n        return spark.range(3)\n"
    write_suite(folder, solution, BIG_TESTS)
    with prepared(folder) as worker:
        tried = try_edit(worker, folder, "spark.range(3)", "spark.range(4)")
        assert (tried.outcome, tried.ran) == (TrialOutcome.UNREACHED, 0)
        full = try_edit(worker, folder, "spark.range(3)", "spark.range(4)", exhaustive=True)
        assert (full.outcome, full.ran) == (TrialOutcome.UNREACHED, 2)


def test_only_the_branch_that_ran_is_reached(folder):
    solution = """
        def solve(spark, tables, desc=False):
            if desc:
                return tables["orders"].orderBy("id", ascending=False)
            return tables["orders"].orderBy("id")
    """
    write_suite(folder, solution, BIG_TESTS.replace("== [2, 3]", "== [1, 2, 3]").replace("== 2", "== 3"))
    with prepared(folder) as worker:
        assert try_edit(worker, folder, "ascending=False", "ascending=True").outcome == "unreached"


def test_a_matrix_names_everyone_who_notices(big):
    tried = big("LIMIT = 10", "LIMIT = 25", matrix=True)
    assert [case.partition("::")[2] for case in tried.killers] == ["test_ids", "test_rows"]


def test_without_a_matrix_nobody_is_said_to_be_all_who_notice(big):
    tried = big("LIMIT = 10", "LIMIT = 25")
    assert (tried.kill is not None, tried.killers) == (True, ())


# Controls.


def test_a_red_case_refuses_all_trials_with_its_message(folder):
    write_suite(folder, BIG, BIG_TESTS.replace("== [2, 3]", "== [2]"))
    with open_workshop(folder) as workshop:
        refusal = open_worker(workshop, folder).prepare().refusal
    assert "test_ids passes in the baseline and is failed in the trial worker" in refusal
    assert "[2, 3]" in refusal


def test_a_suite_that_passes_whatever_the_program_does_refuses_all_trials(folder):
    tests = """
        from solution import solve
        def test_nothing():
            try:
                solve(None, {})
            except Exception:
                pass
    """
    write_suite(folder, BIG, tests)
    with open_workshop(folder) as workshop:
        refusal = open_worker(workshop, folder).prepare().refusal
    assert refusal == "every case passes although the entry point raises: no case runs it"


def test_a_decorated_entry_point_can_be_sabotaged_too(folder):
    solution = BIG.replace(
        "    def solve", "    def same(f):\n        return lambda *a: f(*a)\n\n    @same\n    def solve"
    )
    write_suite(folder, solution, BIG_TESTS)
    with prepared(folder) as worker:
        assert worker.prepared.blind == ()
        assert ended(try_edit(worker, folder, "> LIMIT", "< LIMIT"))[0] == "killed"


def test_cases_that_pass_on_a_broken_program_are_named(folder):
    tests = BIG_TESTS + "\n    def test_truth():\n        assert solve\n"
    write_suite(folder, BIG, tests)
    with prepared(folder) as worker:
        assert worker.prepared.blind == ("test_solution.py::test_truth",)


# Fixtures hold outputs.


@pytest.mark.parametrize("scope", ["class", "module", "session"])
def test_a_wider_fixture_that_holds_an_output_is_made_again(folder, scope):
    tests = (
        BIG_TESTS
        + f"""
    @pytest.fixture(scope="{scope}")
    def result(spark):
        frame = spark.createDataFrame([(1, 5.0), (2, 20.0), (3, 30.0)], "id int, amount double")
        return solve(spark, {{"orders": frame}})

    @pytest.fixture(scope="{scope}")
    def ids(result):
        return [row.id for row in result.collect()]

    def test_held(ids):
        assert ids == [2, 3]
    """
    )
    tests = tests.replace("def test_ids", "def check_ids").replace("def test_rows", "def check_rows")
    write_suite(folder, BIG, tests)
    with prepared(folder) as worker:
        assert ended(try_edit(worker, folder, "> LIMIT", "< LIMIT")) == (
            "killed",
            "test_held",
            "AssertionError",
        )
        assert ended(try_edit(worker, folder, "> LIMIT", ">= LIMIT"))[0] == "uninfected"
        assert ended(try_edit(worker, folder, "LIMIT = 10", "LIMIT = 25"))[0] == "killed"
        # A fixture that raised under one alternative holds its exception, not the next one's output.
        assert try_edit(worker, folder, 'tables["orders"]', 'tables["nope"]').outcome == "crashed"
        assert ended(try_edit(worker, folder, "LIMIT = 10", "LIMIT = 3"))[0] == "killed"


def test_set_up_class_is_done_again(folder):
    tests = """
        import unittest
        from pyspark.sql import SparkSession
        from solution import solve

        class TestBig(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                cls.spark = SparkSession.builder.getOrCreate()
                frame = cls.spark.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")
                cls.rows = solve(cls.spark, {"orders": frame}).collect()

            def test_rows(self):
                self.assertEqual([row.id for row in self.rows], [2])
    """
    write_suite(folder, BIG, tests)
    with prepared(folder) as worker:
        kill = ended(try_edit(worker, folder, "> LIMIT", "< LIMIT"))
        assert kill == ("killed", "TestBig::test_rows", "AssertionError")
        assert ended(try_edit(worker, folder, "> LIMIT", ">= LIMIT"))[0] == "uninfected"


def test_an_output_computed_at_import_needs_the_suite_imported_again(folder):
    tests = """
        from pyspark.sql import SparkSession
        from solution import solve

        SPARK = SparkSession.builder.getOrCreate()
        ROWS = solve(SPARK, {"orders": SPARK.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")}).collect()

        def test_rows():
            assert [row.id for row in ROWS] == [2]
    """
    write_suite(folder, BIG, tests)
    with open_workshop(folder) as workshop:
        worker = open_worker(workshop, folder)
        # The control cannot go red: what the case reads was computed before.
        assert (
            worker.prepare().refusal == "every case passes although the entry point raises: no case runs it"
        )


# Past the entry point.


def test_a_helper_that_a_test_calls_directly_is_reached(folder):
    solution = """
        from pyspark.sql import functions as F

        def is_big(column):
            return column > 10

        def solve(spark, tables):
            return tables["orders"].where(is_big(F.col("amount"))).select("id", "amount")

        def parse(text):
            return int(text) + 1
    """
    tests = (
        BIG_TESTS
        + """
    from solution import parse

    def test_parse():
        assert parse("1") == 2
    """
    )
    write_suite(folder, solution, tests)
    with prepared(folder) as worker:
        assert ended(try_edit(worker, folder, "int(text) + 1", "int(text) + 2")) == (
            "killed",
            "test_parse",
            "AssertionError",
        )
        assert try_edit(worker, folder, "int(text) + 1", "1 + int(text)").outcome == "uninfected"
        assert ended(try_edit(worker, folder, "column > 10", "column > 25"))[1] == "test_ids"


def test_a_constant_that_a_test_reads_is_reached(folder):
    tests = (
        BIG_TESTS
        + """
    from solution import LIMIT

    def test_limit():
        assert LIMIT == 10
    """
    )
    write_suite(folder, BIG, tests)
    with prepared(folder) as worker:
        assert ended(try_edit(worker, folder, "LIMIT = 10", "LIMIT = 11")) == (
            "killed",
            "test_limit",
            "AssertionError",
        )


def test_a_constant_used_when_the_tests_are_collected_means_a_fresh_import(folder):
    tests = (
        BIG_TESTS
        + """
    import solution

    @pytest.mark.parametrize("limit", [solution.LIMIT])
    def test_limit(limit):
        assert limit == 10
    """
    )
    write_suite(folder, BIG, tests)
    with prepared(folder) as worker:
        tried = try_edit(worker, folder, "LIMIT = 10", "LIMIT = 25")
        # Its name tells the parameter: the case is not collected any more, and that is no kill.
        assert tried.reimport
        assert tried.outcome == "harness_error"
        assert "fewer cases" in tried.detail


def test_what_cannot_be_swapped_is_imported_fresh_and_the_file_stays(folder):
    solution = (
        BIG
        + """
    def plain(function):
        return function

    def doubled(function):
        def wrapper(spark, tables):
            result = function(spark, tables)
            return result.union(result)
        return wrapper

    keep = plain
    solve = keep(solve)
    """
    )
    write_suite(folder, solution, BIG_TESTS)
    before = (folder / "solution.py").read_bytes()
    with prepared(folder) as worker:
        tried = try_edit(worker, folder, "solve = keep(solve)", "solve = doubled(solve)")
        assert tried.reimport
        assert ended(tried) == ("killed", "test_ids", "AssertionError")
        tried = try_edit(worker, folder, "keep = plain", "keep = lambda f: f")
        assert tried.outcome == "uninfected"
        tried = try_edit(worker, folder, "keep = plain", "keep = 1 / 0")
        assert (tried.outcome, tried.kill) == (TrialOutcome.CRASHED, None)
    assert (folder / "solution.py").read_bytes() == before
    assert not list(folder.rglob("*.pyc"))


def test_a_helper_module_of_the_candidate_is_mutated_too(folder):
    write_suite(
        folder,
        'from rules import keep\n\ndef solve(spark, tables):\n    return keep(tables["orders"]).select("id", "amount")\n',
        BIG_TESTS,
        rules="LIMIT = 10\n\ndef keep(orders):\n    return orders.where(orders.amount > LIMIT)\n",
    )
    with prepared(folder) as worker:
        assert ended(try_edit(worker, folder, "> LIMIT", "< LIMIT", module="rules"))[0] == "killed"
        assert ended(try_edit(worker, folder, "LIMIT = 10", "LIMIT = 11", module="rules"))[0] == "uninfected"


def test_another_entry_point_in_a_package_is_found(folder):
    (folder / "jobs").mkdir()
    tests = BIG_TESTS.replace("from solution import solve", "from jobs.big import run as solve")
    write_suite(folder, "", tests, **{"jobs/__init__": "", "jobs/big": BIG.replace("def solve", "def run")})
    with prepared(folder, entry=EntryPoint(module="jobs.big", function="run")) as worker:
        assert ended(try_edit(worker, folder, "> LIMIT", "< LIMIT", module="jobs.big"))[0] == "killed"


# UDFs.


def test_a_udf_runs_the_swapped_code(folder):
    solution = """
        from pyspark.sql import functions as F
        from pyspark.sql.types import IntegerType

        def double(value):
            return value * 2

        twice = F.udf(double, IntegerType())

        @F.udf(returnType=IntegerType())
        def plus(value):
            return value + 1

        def solve(spark, tables):
            return tables["orders"].select("id", twice("id").alias("two"), plus("id").alias("one"))
    """
    tests = (
        BIG_TESTS.replace("[row.id for row in", "[(row.two, row.one) for row in")
        .replace("== [2, 3]", "== [(2, 2), (4, 3), (6, 4)]")
        .replace("count() == 2", "count() == 3")
    )
    write_suite(folder, solution, tests)
    with prepared(folder) as worker:
        for before, after in (("value * 2", "value * 3"), ("value + 1", "value + 2")):
            tried = try_edit(worker, folder, before, after)
            assert ended(tried) == ("killed", "test_ids", "AssertionError")
            assert not tried.reimport
        assert try_edit(worker, folder, "value * 2", "2 * value").outcome == "uninfected"


# Order, state, time.


def test_row_order_counts_where_the_original_keeps_it(folder):
    solution = BIG.replace('.select("id", "amount")', '.select("id", "amount").orderBy("id")')
    tests = BIG_TESTS.replace("== [2, 3]", "!= []")
    write_suite(folder, solution, tests)
    with prepared(folder) as worker:
        tried = try_edit(worker, folder, '.orderBy("id")', '.orderBy("id", ascending=False)')
        assert (tried.outcome, tried.order_only) == (TrialOutcome.UNREVEALED, True)


def test_a_program_that_reads_a_view_of_its_tests_is_not_replayed_but_judged(folder):
    solution = """
        def solve(spark):
            return spark.sql("SELECT id, amount FROM orders WHERE amount > 10")
    """
    tests = BIG_TESTS.replace('solve(spark, {"orders": orders})', "solve(spark)").replace(
        'return spark.createDataFrame([(1, 5.0), (2, 20.0), (3, 30.0)], "id int, amount double")',
        'spark.createDataFrame([(1, 5.0), (2, 20.0), (3, 30.0)], "id int, amount double")'
        '.createOrReplaceTempView("orders")',
    )
    write_suite(folder, solution, tests)
    with prepared(folder) as worker:
        assert worker.prepared.stateful
        assert worker.prepared.replayable == 0
        assert ended(try_edit(worker, folder, "> 10", "> 25"))[0] == "killed"
        assert ended(try_edit(worker, folder, "> 10", ">= 10"))[0] == "uninfected"
        assert (
            ended(try_edit(worker, folder, "SELECT id, amount", "SELECT id, amount + 1 AS amount"))[0]
            == "unrevealed"
        )


def test_a_view_left_by_one_alternative_is_gone_for_the_next(folder):
    solution = """
        def solve(spark, tables):
            tables["orders"].createOrReplaceTempView("o")
            if spark.catalog.tableExists("left_over"):
                return spark.sql("SELECT id, amount FROM left_over")
            return spark.sql("SELECT id, amount FROM o WHERE amount > 10")
    """
    write_suite(folder, solution, BIG_TESTS)
    with prepared(folder) as worker:
        leaves = 'tables["orders"].createOrReplaceTempView("o"); tables["orders"].createOrReplaceTempView("left_over")'
        tried = try_edit(worker, folder, 'tables["orders"].createOrReplaceTempView("o")', leaves)
        assert ended(tried)[0] == "killed"
        assert ended(try_edit(worker, folder, "amount > 10", "amount >= 10"))[0] == "uninfected"


def test_a_case_that_is_skipped_under_an_alternative_is_no_kill(folder):
    tests = BIG_TESTS.replace(
        '        assert solve(spark, {"orders": orders}).count() == 2',
        "        if solve(spark, {\"orders\": orders}).count() != 2:\n            pytest.skip('not today')",
    ).replace("== [2, 3]", "!= []")
    write_suite(folder, BIG, tests)
    with prepared(folder) as worker:
        tried = try_edit(worker, folder, "> LIMIT", "> 25")
        assert (tried.outcome, tried.detail) == (TrialOutcome.UNREVEALED, "1 cases were skipped under it")


def test_an_expected_exception_that_does_not_come_is_a_kill(folder):
    solution = """
        def solve(spark, tables):
            if "orders" not in tables:
                raise ValueError("no orders")
            return tables["orders"]
    """
    tests = """
        import pytest
        from pyspark.sql import SparkSession
        from solution import solve

        def test_missing():
            with pytest.raises(ValueError):
                solve(SparkSession.builder.getOrCreate(), {})
    """
    write_suite(folder, solution, tests)
    with prepared(folder) as worker:
        kill = ended(try_edit(worker, folder, '"orders" not in tables', "False"))
        # Without the check the program raises another exception, and the case expects this one.
        assert kill == ("killed", "test_missing", "KeyError")
        kill = ended(try_edit(worker, folder, 'raise ValueError("no orders")', "return None"))
        assert kill == ("killed", "test_missing", "Failed")


def test_an_endless_loop_is_killed_from_outside_with_its_worker(folder):
    write_suite(folder, BIG, BIG_TESTS)
    with prepared(folder) as worker:
        pid = worker._worker.process.pid
        with pytest.raises(WorkerTimedOutError):
            try_edit(worker, folder, "return tables", "while True: pass\n    return tables", limit=3.0)
        assert not Path(f"/proc/{pid}").exists()
        # The next trial gets a fresh worker.
        assert ended(try_edit(worker, folder, "> LIMIT", "< LIMIT"))[0] == "killed"


def test_an_endless_loop_inside_a_udf_leaves_no_process(folder):
    solution = """
        from pyspark.sql import functions as F
        from pyspark.sql.types import IntegerType

        @F.udf(returnType=IntegerType())
        def same(value):
            return value

        def solve(spark, tables):
            return tables["orders"].where("amount > 10").select(same("id").alias("id"), "amount")
    """
    write_suite(folder, solution, BIG_TESTS)
    with prepared(folder) as worker:
        pid = worker._worker.process.pid
        with pytest.raises(WorkerTimedOutError):
            try_edit(worker, folder, "return value", "while True: value = value + 0", limit=5.0)
        assert not Path(f"/proc/{pid}").exists()


def test_a_program_that_ends_its_process_is_a_harness_error(folder):
    write_suite(folder, BIG, BIG_TESTS)
    with prepared(folder) as worker, pytest.raises(WorkerCrashedError):
        try_edit(worker, folder, "return tables", "import os; os._exit(3)\n    return tables")


# Probes.


def test_probes_tell_what_each_case_looks_at(folder):
    tests = (
        BIG_TESTS
        + """
    def test_loose(spark, orders):
        total = sum(row.amount for row in solve(spark, {"orders": orders}).collect())
        assert total == pytest.approx(50.0, rel=2.0)

    def test_columns(spark, orders):
        assert solve(spark, {"orders": orders}).columns == ["id", "amount"]

    def test_nothing(spark, orders):
        solve(spark, {"orders": orders})
    """
    )
    write_suite(folder, BIG, tests)
    with prepared(folder) as worker:
        probes = {probe.case_id.partition("::")[2]: probe for probe in worker.probe(LIMIT).cases}
    assert Wreckage.REVERSED in probes["test_ids"].rejected
    assert Wreckage.DOUBLED_MEASURE in probes["test_ids"].accepted
    assert set(probes["test_rows"].rejected) == {
        Wreckage.RAISES,
        Wreckage.EMPTY,
        Wreckage.DOUBLED_ROWS,
        Wreckage.ROW_LESS,
    }
    assert Wreckage.DOUBLED_MEASURE in probes["test_loose"].accepted
    assert Wreckage.NULL_MEASURE in probes["test_loose"].rejected
    assert set(probes["test_columns"].rejected) == {Wreckage.RAISES, Wreckage.RENAMED}
    assert set(probes["test_nothing"].rejected) == {Wreckage.RAISES}


def test_an_engine_that_is_told_to_stop_is_no_kill_and_no_crash(folder):
    solution = (
        BIG
        + "\n    def fail():\n        raise RuntimeError('Job 7 cancelled as part of cancellation of all jobs')\n"
    )
    write_suite(folder, solution, BIG_TESTS)
    with prepared(folder) as worker:
        tried = try_edit(worker, folder, 'return tables["orders"]', 'fail(); return tables["orders"]')
        assert (tried.outcome, tried.kill) == (TrialOutcome.HARNESS_ERROR, None)
        assert "cancelled" in tried.detail


@pytest.mark.spark
def test_classic_spark_says_the_same_and_udfs_are_not_stale(folder):
    solution = """
        from pyspark.sql import functions as F
        from pyspark.sql.types import IntegerType

        LIMIT = 10

        @F.udf(returnType=IntegerType())
        def same(value):
            return value + 0

        def solve(spark, tables):
            return tables["orders"].where(F.col("amount") > LIMIT).select(same("id").alias("id"), "amount").orderBy("id")
    """
    write_suite(folder, solution, BIG_TESTS)
    with prepared(folder, engine="spark") as worker:
        assert (worker.prepared.inputs, worker.prepared.replayable) == (1, 1)
        kill = ("killed", "test_ids", "AssertionError")
        assert ended(try_edit(worker, folder, "value + 0", "value + 1")) == kill
        assert ended(try_edit(worker, folder, "LIMIT = 10", "LIMIT = 25")) == kill
        assert ended(try_edit(worker, folder, "> LIMIT", ">= LIMIT"))[0] == "uninfected"
        tried = try_edit(worker, folder, "value + 0", "value - 0")
        assert (tried.outcome, tried.reimport) == (TrialOutcome.UNINFECTED, False)
        assert try_edit(worker, folder, '"amount").orderBy', '"nope").orderBy').outcome == "crashed"


@pytest.mark.spark
def test_classic_spark_confirms_the_kill_that_sail_cannot_see(folder):
    """Without its ORDER BY the sample's rows come in another order on Spark, and in the same one on Sail."""
    shutil.copytree(SUITES / "sample", folder, dirs_exist_ok=True)
    source = next(source for name, source, _ in sample_verdicts() if name == "final orderBy removed")
    with prepared(folder, engine="spark") as worker:
        tried = worker.try_one(Try(id="order", module="solution", source=source), LIMIT)
    assert ended(tried) == ("killed", "test_sorted_by_total", "AssertionError")
    assert tried.order_only

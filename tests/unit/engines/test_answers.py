"""Answers of a Sail session are kept for plans that mean the same at any time, and for no others."""

import pytest


def _count_calls(engine):
    """Wrap the session's real calls; must come before `remember_answers`."""
    client = engine.session()._client
    calls = []

    def count(name):
        old = getattr(client, name)

        def counted(*args, **kwargs):
            if args[0] != "ddl_parse":
                calls.append(name)
            return old(*args, **kwargs)

        setattr(client, name, counted)

    count("_execute_and_fetch")
    count("_analyze")
    return calls


@pytest.fixture
def asked(sail):
    """Run a function twice on a session that remembers; give what it returned and the number of real calls."""

    def ask(function):
        def body(engine):
            from test_answers import _count_calls

            from pytest_lockin.engines.answers import remember_answers

            engine.reset()
            calls = _count_calls(engine)
            remember_answers(engine)
            results = []
            for _ in range(2):
                before = len(calls)
                results.append((function(engine.session()), len(calls) - before))
            engine.reset()
            return results

        return sail(body)

    return ask


def test_the_same_plan_built_again_is_not_run_again(asked):
    def solve(spark):
        left = spark.createDataFrame([(1, "a"), (2, "b")], "id int, name string")
        right = spark.createDataFrame([(1, 5), (2, 7)], "id int, amount int")
        joined = left.join(right, left["id"] == right["id"]).filter("amount > 5")
        return [tuple(row) for row in joined.select(left["id"], "amount").collect()]

    first, second = asked(solve)
    assert first[0] == second[0] == [(2, 7)]
    assert first[1] > 0
    assert second[1] == 0


def test_which_of_two_equal_tables_a_column_is_of_is_part_of_the_plan(asked):
    def solve(spark):
        rows = [(1, 2), (2, None)]
        left = spark.createDataFrame(rows, "a int, b int")
        right = spark.createDataFrame(rows, "a int, b int")
        joined = left.join(right, left["a"] == right["b"], "left")
        mine = joined.select(left["a"]).count(), joined.where(left["a"].isNull()).count()
        return (*mine, joined.where(right["a"].isNull()).count())

    first, second = asked(solve)
    assert first[0] == second[0] == (2, 0, 1)
    assert second[1] == 0


def test_other_rows_are_another_plan(asked):
    def solve(spark):
        frames = [spark.createDataFrame([(n,)], "n int") for n in (1, 2)]
        return [frame.collect()[0].n for frame in frames]

    assert [result for result, _ in asked(solve)] == [[1, 2], [1, 2]]


@pytest.mark.parametrize(
    "expression", ["rand()", "uuid()", "current_timestamp()", "monotonically_increasing_id()", "Rand(3)"]
)
@pytest.mark.parametrize("how", ["expr", "function"])
def test_what_changes_from_call_to_call_is_run_each_time(asked, expression, how):
    def solve(spark):
        from pyspark.sql import functions

        name, _, argument = expression[:-1].partition("(")
        call = (
            functions.expr(expression)
            if how == "expr"
            else functions.call_function(name, *map(functions.lit, map(int, argument)))
        )
        return len(spark.createDataFrame([(1,)], "n int").select(call.alias("x")).collect())

    first, second = asked(solve)
    assert first[1] == second[1] > 0


def test_what_reads_a_view_is_run_each_time(asked):
    def solve(spark):
        seen = []
        for n in (1, 2):
            spark.createDataFrame([(n,)], "n int").createOrReplaceTempView("v")
            seen += [spark.table("v").collect()[0].n, spark.sql("select n from v").collect()[0].n]
        return seen

    assert [result for result, _ in asked(solve)] == [[1, 1, 2, 2]] * 2


def test_a_function_of_the_user_is_run_each_time(asked):
    def solve(spark):
        from pyspark.sql import functions

        double = functions.udf(lambda n: 2 * n, "int")
        return spark.createDataFrame([(1,)], "n int").select(double("n").alias("m")).collect()[0].m

    first, second = asked(solve)
    assert first[0] == second[0] == 2
    assert second[1] > 0


def test_a_changed_setting_voids_what_is_known(asked):
    def solve(spark):
        frame = spark.createDataFrame([("2020-01-01 12:00:00",)], "t string")
        seen = []
        for zone in ("UTC", "America/New_York"):
            spark.conf.set("spark.sql.session.timeZone", zone)
            seen.append(frame.selectExpr("unix_timestamp(cast(t as timestamp))").collect()[0][0])
        return seen[1] - seen[0]

    assert [result for result, _ in asked(solve)] == [5 * 3600] * 2


def test_errors_are_raised_each_time(asked):
    def solve(spark):
        from pyspark.errors import AnalysisException

        raised = []
        for _ in range(2):
            try:
                spark.createDataFrame([(1,)], "n int").select("nope").collect()
            except AnalysisException as error:
                raised.append(type(error).__name__)
        return raised

    results = [result for result, _ in asked(solve)]
    assert results[0] == results[1]
    assert len(results[0]) == 2

"""Equal plans are proof that two programs are one; everything else is no proof of anything."""

import pytest

ROWS = [(1, 10, "a"), (2, 20, "b"), (3, None, "a")]
SAME = {
    "conjuncts swapped": ("a > 1 and b > 5", "b > 5 and a > 1"),
    "operands swapped": ("a + b > 3", "b + a > 3"),
    "double negation": ("not (a <= 1)", "a > 1"),
}
OTHER = {
    "boundary": ("a > 1", "a >= 1"),
    "literal": ("a > 1", "a > 2"),
    "column": ("a > 1", "b > 1"),
    "null safety": ("b = 10", "b <=> 10"),
}


def _same(engine, left, right):
    from pytest_lockin.engines.plans import is_same_plan

    frame = engine.session().createDataFrame(ROWS, "a int, b int, c string")
    return is_same_plan(engine, frame.filter(left).select("a", "c"), frame.filter(right).select("a", "c"))


@pytest.mark.spark
def test_classic_spark_sees_through_what_changes_nothing(spark):
    def body(engine):
        from test_plans import OTHER, SAME, _same

        assert {name: _same(engine, *pair) for name, pair in SAME.items()} == dict.fromkeys(SAME, True)
        assert {name: _same(engine, *pair) for name, pair in OTHER.items()} == dict.fromkeys(OTHER, False)

    spark(body)


@pytest.mark.spark
def test_names_types_and_functions_are_part_of_a_program(spark):
    def body(engine):
        from pyspark.sql import functions

        from pytest_lockin.engines.plans import is_same_plan

        frame = engine.session().createDataFrame([(1, 10)], "a int, b int")
        renamed = frame.select(frame.a.alias("x"))
        assert is_same_plan(engine, renamed, frame.select(frame.a.alias("x")))
        assert not is_same_plan(engine, renamed, frame.select(frame.a.alias("y")))
        assert not is_same_plan(engine, frame.select("a"), frame.select(frame.a.cast("long").alias("a")))
        one, two = (functions.udf(lambda v, n=n: v + n, "int") for n in (1, 2))
        assert not is_same_plan(engine, frame.select(one("a").alias("x")), frame.select(two("a").alias("x")))

    spark(body)


def test_sail_knows_only_the_very_same_plan(sail):
    def body(engine):
        from test_plans import OTHER, SAME, _same

        assert _same(engine, "a > 1", "a > 1")
        assert not any(_same(engine, *pair) for pair in (*SAME.values(), *OTHER.values()))

    sail(body)


def test_what_is_no_frame_or_cannot_be_analysed_proves_nothing(sail):
    def body(engine):
        from pytest_lockin.engines.plans import is_same_plan

        frame = engine.session().createDataFrame([(1,)], "a int")
        assert not is_same_plan(engine, None, frame)
        assert not is_same_plan(engine, frame, 5)

    sail(body)

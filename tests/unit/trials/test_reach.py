import textwrap

import pytest

from pytest_lockin.suite.reach import LineTrace, Statements, touches_state

SOURCE = textwrap.dedent("""\
    LIMIT = 10

    def solve(x):
        if x > LIMIT:
            return (
                x
                + 1
            )
        return x

    @decorate
    def other(
        a=LIMIT,
    ):
        return a
""")


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("LIMIT = 10", "LIMIT = 11", {1}),
        ("+ 1", "+ 2", {5, 6, 7, 8}),
        ("if x > LIMIT", "if x < LIMIT", {4}),
        ("    return x\n\n", "    return -x\n\n", {9}),
        ("    return x\n\n", "\n", {9}),
        ("a=LIMIT", "a=LIMIT + 1", {11, 12, 13, 14}),
    ],
)
def test_an_edit_touches_the_whole_statement_it_stands_in(before, after, lines):
    assert SOURCE.count(before) == 1
    assert Statements(SOURCE).touched(SOURCE.replace(before, after)) >= lines
    assert 3 not in Statements(SOURCE).touched(SOURCE.replace(before, after))


def test_an_insertion_touches_its_neighbours():
    edited = SOURCE.replace("    return x\n\n", "    x = x + 1\n    return x\n\n")
    assert 9 in Statements(SOURCE).touched(edited)


def test_module_level_code_and_defaults_run_at_import_and_bodies_do_not():
    statements = Statements(SOURCE)
    assert statements.at_import({1})
    assert statements.at_import({13})
    assert not statements.at_import({5, 9})


UDFS = textwrap.dedent("""\
    from pyspark.sql import functions as F
    def helper(v):
        return v + 1
    def double(v):
        return helper(v)
    twice = F.udf(double)
    def plain(v):
        return v
    def solve(spark):
        return plain(twice("a"))
    """)


def test_functions_handed_on_beside_udfs_and_what_they_call_may_run_unseen():
    assert Statements(UDFS).unseen(set()) == (range(3, 4), range(5, 6))
    assert Statements(UDFS).unseen({5}) == (range(3, 4),)
    assert Statements(UDFS.replace("F.udf(double)", "list(map(double, [1]))")).unseen(set()) == ()


def test_a_canary_raises_at_the_start_of_a_body():
    text = Statements(UDFS).with_canary(range(5, 6))
    space = {}
    exec(text.replace("F.udf(double)", "double").replace("from pyspark.sql import functions as F", ""), space)
    with pytest.raises(RuntimeError, match="canary"):
        space["double"](1)
    assert space["helper"](1) == 2


def test_lines_go_to_the_bucket_that_is_current(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(SOURCE.partition("@decorate")[0])
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    trace = LineTrace([str(path)])
    first, second = set(), set()
    trace.start()
    try:
        trace.bucket = first
        space["solve"](1)
        trace.bucket = second
        space["solve"](11)
    finally:
        trace.stop()
    assert {line for _, line in first} == {4, 9}
    assert {line for _, line in second} >= {4, 5, 6}
    assert 9 not in {line for _, line in second}


def test_suites_that_touch_the_sessions_state_are_recognised():
    assert touches_state(['df.createOrReplaceTempView("o")'])
    assert touches_state(['spark.conf.set("a", "b")'])
    assert not touches_state(['SparkSession.builder.config("a", "b").getOrCreate()', "df.select('a')"])

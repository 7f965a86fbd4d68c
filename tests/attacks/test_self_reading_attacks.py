"""Programs that behave only while nobody has edited them: what their tests notice is not the tests' merit."""

import pytest
from plugin_project import BIG_TESTS, Project

BY_CODE = """
    from pyspark.sql import functions as F

    def inner(orders):
        return orders.where(F.col("amount") > 10).select("id", "amount")

    KNOWN = (b"@CODE@", "@NAMES@")

    def solve(spark, tables):
        if KNOWN != (inner.__code__.co_code.hex().encode(), repr(inner.__code__.co_consts)):
            return tables["orders"].limit(0).select("id", "amount")
        return inner(tables["orders"])
"""
BY_SOURCE = """
    import inspect
    from pyspark.sql import functions as F

    WANTED = 'F.col("amount") > 10).select("id", "amount")'

    def solve(spark, tables):
        orders = tables["orders"]
        if WANTED not in inspect.getsource(solve) or WANTED not in open(__file__).read().partition("def ")[2]:
            return orders.limit(0).select("id", "amount")
        return orders.where(F.col("amount") > 10).select("id", "amount")
"""


def with_own_code(text):
    """The program with the code of its inner function written into it."""
    import textwrap

    names = {}
    exec(compile(textwrap.dedent(text), "solution.py", "exec"), names)
    code = names["inner"].__code__
    return text.replace("@CODE@", code.co_code.hex()).replace('"@NAMES@"', repr(repr(code.co_consts)))


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("selfish").resolve())
    project.suite("big-code", BIG_TESTS, with_own_code(BY_CODE))
    project.suite("big-source", BIG_TESTS, BY_SOURCE)
    project.reference()
    done = project.run(
        "suites", "--lockin-sandbox", "bwrap", "--lockin-trials", "on", "--lockin-budget", "60"
    )
    assert project.leftovers() == []
    return done


def test_a_program_that_hashes_its_code_has_no_trials_and_the_reason_is_said(ran):
    task = ran.task("big-code")
    assert "an edit that does nothing is noticed" in task["trials"]["refusal"]
    assert task["trials"]["kill_percent"] is None
    # On data it is what it is.
    assert task["verdict"] == "true_pass"


def test_a_program_that_reads_its_source_reads_what_it_was(ran):
    """Sources are not touched: it sees nothing, and its tests get no kill they have not earned."""
    trials = ran.task("big-source")["trials"]
    assert trials["refusal"] == ""
    outcomes = {
        (each["before"], each["after"]): each["outcome"] for each in trials["survivors"] + trials["others"]
    }
    assert outcomes["10", "9"] == outcomes["10", "11"] == outcomes[">", ">="] == "uninfected"
    assert outcomes['"id", "amount"', '"amount", "id"'] == "unrevealed"
    assert outcomes['.where(F.col("amount") > 10)', ""] == "killed"

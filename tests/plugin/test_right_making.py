"""An alternative that repairs a wrong program is no mistake: the suite that rejects it is the one at fault."""

from test_fixtures_judge import SOLUTION, TASK, freeze

# Holds the program's own mistake for right: the row on the boundary is expected.
TESTS = """
    from pyspark.sql import SparkSession
    from solution import solve

    def test_ids():
        spark = SparkSession.builder.getOrCreate()
        orders = spark.createDataFrame([(1, 5.0), (2, 10.0), (3, 30.0)], "id int, amount double")
        assert [row.id for row in solve(spark, {"orders": orders}).collect()] == [2, 3]
"""


def test_the_edit_that_repairs_it_is_counted_apart(project):
    project.suite("one", TESTS, SOLUTION)
    project.task("one", TASK)
    project.reference()
    freeze(project, (1, 10.0), (2, 57.3), (3, None), (4, 10.5))
    ran = project.run("suites", "-v", "--lockin-trials", "on")
    task = ran.task("one")
    assert task["verdict"] == "false_pass"
    trials = task["trials"]
    assert trials["refusal"] == ""
    right = [each for each in (*trials["others"], *trials["survivors"]) if each["right_making"]]
    assert [(each["before"], each["after"], each["outcome"]) for each in right] == [(">=", ">", "killed")]
    assert trials["right_making"]["killed"] == 1
    scored = sum(trials["counts"].values())
    assert scored == len(trials["others"]) + len(trials["survivors"]) - 1
    ran.match("*tests reject 1 alternative that the reference agrees with*")


LOOSE = """
    from pyspark.sql import SparkSession
    from solution import solve

    def test_ids():
        spark = SparkSession.builder.getOrCreate()
        orders = spark.createDataFrame([(1, 5.0), (3, 30.0)], "id int, amount double")
        assert [row.id for row in solve(spark, {"orders": orders}).collect()] == [3]
"""


def test_survivors_that_no_fixture_tells_from_the_program_are_undecided(project):
    """The boundary moved to 11 differs on a row of the fixture, not on the tests' rows; moved to 9 nowhere."""
    project.suite("one", LOOSE, SOLUTION)
    project.task("one", TASK)
    freeze(project, (1, 10.0), (2, 57.3), (4, 10.5))
    ran = project.run("suites", "--lockin-trials", "on", lockin="alone")
    trials = ran.task("one")["trials"]
    survivors = {each["after"]: each["undecided"] for each in trials["survivors"] if each["before"] == "10"}
    assert survivors == {"11": False, "9": True}
    assert trials["counts"]["undecided"] == sum(each["undecided"] for each in trials["survivors"]) == 1

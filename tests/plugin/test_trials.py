"""Trials as a user meets them: the line, the survivors, the gate, the cache, waivers, options."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from plugin_project import BIG, BIG_TESTS

WEAK_TESTS = BIG_TESTS.replace("assert [row.id for row in", "assert [1 for row in").replace(
    "== [2]", "== [1]"
)
# A second row that passes the filter, and one on the boundary.
STRONG_TESTS = BIG_TESTS.replace("[(1, 5.0), (2, 20.0)]", "[(1, 10.0), (2, 11.0), (3, 20.0)]").replace(
    "== [2]", "== [2, 3]"
)


@pytest.fixture
def tried(project):
    """Run with trials; the suite is rewritten first where tests are given."""

    def run(*args, tests=None, engine="sail", **more):
        if tests is not None:
            project.suite("big", tests=tests)
        return project.run("--lockin-trials", "on", *args, lockin="alone", engine=engine, **more)

    project.task("big")
    project.suite("big")
    return run


def survivors(ran):
    return {each["id"]: each for each in ran.task("big")["trials"]["survivors"]}


def test_the_section_says_what_the_tests_notice_and_why_they_let_the_rest_pass(tried):
    ran = tried("-v")
    ran.match("*tests notice * of * alternatives (*")
    trials = ran.task("big")["trials"]
    counts = trials["counts"]
    assert counts["killed"] > 0
    assert counts["uninfected"] > 0
    assert trials["kill_percent"] < 100
    assert (trials["engine"], trials["confirmed"], trials["refusal"]) == ("sail", False, "")
    texts = [each["text"] for each in trials["survivors"]]
    assert any("no test notices if" in text for text in texts)
    assert any(text in " ".join(" ".join(ran.lockin).split()) for text in texts)


def test_asserts_that_do_not_look_are_told_from_rows_that_cannot_show_it(tried):
    weak, strong = tried(tests=WEAK_TESTS), tried(tests=STRONG_TESTS)
    assert weak.task("big")["trials"]["counts"]["unrevealed"] > 0
    assert strong.task("big")["trials"]["kill_percent"] > weak.task("big")["trials"]["kill_percent"]


def test_trials_can_be_left_out(project):
    project.suite("big")
    project.task("big")
    ran = project.run("--lockin-trials", "off", lockin="alone")
    assert ran.task("big")["trials"] is None
    ran.no_match("*alternative*")


def test_a_suite_that_fails_is_not_tried_and_that_fails_a_minimum(tried):
    ran = tried("--lockin-min-kill", "1", tests=BIG_TESTS.replace("== [2]", "== [3]"))
    assert ran.task("big")["trials"]["refusal"] == "the suite does not pass"
    ran.match("lockin gate: FAILED*no trials: the suite does not pass*")


def test_a_minimum_fails_the_gate_and_a_reached_one_does_not(tried):
    failed = tried("--lockin-min-kill", "100")
    assert failed.status == 1
    failed.match("lockin gate: FAILED*tests notice * % of * alternatives*")
    passed = tried("--lockin-min-kill", "10")
    assert passed.status == 0


def test_a_spent_budget_is_reported_and_never_a_perfect_score(tried):
    ran = tried("--lockin-budget", "0.000001", "--lockin-min-kill", "0")
    counts = ran.task("big")["trials"]["counts"]
    assert counts["not_run"] > 0
    assert counts["killed"] == 0
    assert ran.status == 1
    ran.match("lockin gate: FAILED*no trials: not one alternative was executed*")


def test_a_second_run_takes_answers_from_the_cache_and_an_edit_takes_survivors_back(tried, project):
    first, second = tried(), tried()
    assert second.task("big")["trials"]["cached"] == len(second.task("big")["trials"]["survivors"]) + len(
        second.task("big")["trials"]["others"]
    )
    assert second.task("big")["trials"]["counts"] == first.task("big")["trials"]["counts"]
    # A stronger case beside the old one: kills stay, every survivor is tried again.
    more = STRONG_TESTS.partition("def test_big")[2].replace("():", "", 1)
    both = BIG_TESTS + "\n    def test_more():" + more
    third = tried(tests=both)
    assert first.task("big")["trials"]["counts"]["killed"] >= third.task("big")["trials"]["cached"] > 0
    assert third.task("big")["trials"]["counts"]["killed"] > first.task("big")["trials"]["counts"]["killed"]
    assert not any(each["cached"] for each in survivors(third).values())


def test_survivors_alone_can_be_tried_again(tried):
    first = tried()
    ran = tried("--lockin-survivors")
    trials = ran.task("big")["trials"]
    assert set(survivors(ran)) == set(survivors(first))
    assert trials["others"] == []


def test_no_cache_is_kept_without_pytests_own(tried, project):
    tried("-p", "no:cacheprovider")
    assert not list(project.root.rglob("*lockin-trials*"))
    assert tried().task("big")["trials"]["cached"] == 0


def test_a_waived_survivor_is_shown_with_both_scores(tried, project):
    alive = survivors(tried())
    entries = [
        f'[[waiver]]\nid = "{name}"\nreason = "by contract"\nauthor = "ada"\nexpires = 2999-01-01\n'
        for name in alive
    ]
    project.write("lockin-waivers.toml", "\n".join(entries))
    ran = tried("--lockin-min-kill", "100")
    trials = ran.task("big")["trials"]
    assert trials["kill_percent"] < trials["kill_percent_waived"] == 100
    assert trials["waived"] == len(alive)
    assert ran.status == 0


def test_a_waiver_file_that_cannot_be_read_is_said_and_gates(tried, project):
    project.write("lockin-waivers.toml", '[[waiver]]\nid = "a"\n')
    ran = tried()
    assert "bad-waiver" in " ".join(ran.lockin)


def test_only_changed_functions_are_tried(tried, project):
    def git(*args):
        subprocess.run(["git", "-C", str(project.root), *args], check=True, capture_output=True)

    git("init", "-q")
    git("config", "user.email", "a@example.org")
    git("config", "user.name", "a")
    git("add", "suites")
    git("commit", "-qm", "one")
    untouched = tried("--lockin-since", "HEAD").task("big")
    assert (untouched["unchanged"], untouched["trials"]) == ("HEAD", None)
    solution = BIG + "\n    def other(spark):\n        return spark.range(3).where('id > 1')\n"
    project.suite("big", solution=solution)
    trials = tried("--lockin-since", "HEAD").task("big")["trials"]
    assert trials["others"] == []
    assert trials["counts"]["unreached"] == len(trials["survivors"]) > 0
    assert "bad-revision" in " ".join(tried("--lockin-since", "no-such-branch").lockin)


def test_a_matrix_tells_what_each_case_is_worth(tried):
    tests = (
        BIG_TESTS
        + """
    def test_nothing():
        spark = SparkSession.builder.getOrCreate()
        solve(spark, {"orders": spark.createDataFrame([(1, 5.0)], "id int, amount double")})

    def test_apart():
        assert 1 + 1 == 2
    """
    )
    ran = tried("--lockin-matrix", "-v", tests=tests)
    cases = {case["case_id"].rpartition("::")[2]: case for case in ran.task("big")["trials"]["cases"]}
    assert cases["test_big"]["kills"] > 0
    assert cases["test_big"]["looks_at"] == ["rows"]
    assert cases["test_apart"]["accepts_everything"] == "it never calls the entry point"
    ran.match("*test_apart accepts every alternative: it never calls the entry point*")
    assert cases["test_nothing"]["looks_at"] == []


def test_taking_no_shortcut_gives_the_same_outcomes(tried):
    quick = tried("-p", "no:cacheprovider").task("big")["trials"]
    full = tried("-p", "no:cacheprovider", "--lockin-exhaustive").task("big")["trials"]

    def outcomes(trials):
        return {each["id"]: each["outcome"] for each in (*trials["survivors"], *trials["others"])}

    assert outcomes(quick) == outcomes(full)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--lockin-trials", "maybe"),
        ("--lockin-budget", "soon"),
        ("--lockin-min-kill", "101"),
        ("--lockin-confirm", "some"),
    ],
)
def test_a_wrong_value_stops_pytest_at_once(tried, wrong):
    ran = tried(*wrong)
    assert ran.status == 4
    assert "bad-setting" in ran.err


@pytest.mark.spark
def test_survivors_are_confirmed_on_classic_spark(tried, project):
    ran = tried(engine="auto")
    trials = ran.task("big")["trials"]
    assert trials["confirmed"]
    alive = [each for each in trials["survivors"] if each["outcome"] != "unreached"]
    assert alive
    assert all(each["confirmed"] for each in alive)
    assert sum(each["confirmed"] for each in trials["others"]) >= 1


@pytest.mark.slow
def test_an_alternative_that_never_ends_is_timed_out_and_leaves_no_process(tried, project):
    """The generic edits make an endless loop of this one; the project's fixture looks for leftovers."""
    solution = """
        from pyspark.sql import functions as F

        def solve(spark, tables):
            left = 3
            while left > 0:
                left = left - 1
            return tables["orders"].where(F.col("amount") > 10).select("id", "amount")
    """
    project.suite("big", solution=solution)
    ran = tried("--lockin-budget", "none")
    trials = ran.task("big")["trials"]
    endless = [each for each in trials["others"] if each["outcome"] == "timed_out"]
    assert endless
    assert trials["counts"]["timed_out"] == len(endless)
    assert trials["counts"]["killed"] > 0
    assert not any(each["kill"] for each in endless)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["q05-misread", "q22-terse", "q42-terse"])
def test_the_shortcut_is_exact_on_every_alternative_of_the_examples(project, name):
    examples = Path(__file__).parents[2] / "examples"
    shutil.copytree(examples / name, project.root / "suites" / name)
    asked = ("--lockin-trials", "on", "--lockin-budget", "none", "-p", "no:cacheprovider")
    quick = project.run(*asked, lockin="alone").task(name)["trials"]
    full = project.run(*asked, "--lockin-exhaustive", lockin="alone").task(name)["trials"]

    def outcomes(trials):
        assert trials["refusal"] == ""
        return {each["id"]: each["outcome"] for each in (*trials["survivors"], *trials["others"])}

    assert outcomes(quick) == outcomes(full)
    assert len(outcomes(full)) > 20

"""The paper's own numbers: labels that give its counts give its tables, to the last printed digit."""

from collections import Counter
from fractions import Fraction

import pytest

from pytest_lockin.model.agreement import Category
from pytest_lockin.studies.planaudit.numbers import show_percent, show_points
from pytest_lockin.studies.planaudit.tables import build_tables


def _cohort(result, title):
    return next(one for one in result.cohorts if one.cohort.title == title)


def _each(result, take, cohort="All assigned"):
    return [take(one) for one in _cohort(result, cohort).conditions]


def _changes(result, cohort="All assigned"):
    return {
        (one.condition.title, one.score): (one.up, one.same, one.down)
        for one in _cohort(result, cohort).changes
    }


def _table(result, number):
    return next(one for one in build_tables(result) if one.title.startswith(f"Table {number}."))


def test_the_study_has_ninety_runs_and_contradicts_itself_nowhere(paper_result):
    assert len(paper_result.runs) == 90
    assert paper_result.discrepancies == ()
    assert paper_result.is_sound


def test_suites_pass_and_never_match(paper_result):
    assert _each(paper_result, lambda one: one.suites_pass) == [22, 29, 30]
    assert _each(paper_result, lambda one: one.matches) == [0, 0, 0]
    assert _each(paper_result, lambda one: one.false_passes) == [22, 29, 30]
    assert _each(paper_result, lambda one: one.executed) == [28, 29, 29]


def test_both_denominators_of_the_false_pass_rate(paper_result):
    assert _each(paper_result, lambda one: show_percent(one.false_pass_rate)) == ["73.3%", "96.7%", "100.0%"]
    assert _each(paper_result, lambda one: one.conditional_false_passes) == [1, 1, 1]


@pytest.mark.parametrize(
    ("score", "published"),
    [
        ("plan", ["89.16%", "89.16%", "90.34%"]),
        ("code", ["76.73%", "79.07%", "81.01%"]),
        ("test", ["81.25%", "84.75%", "87.70%"]),
    ],
)
def test_mean_scores_of_all_thirty_tasks(paper_result, score, published):
    assert _each(paper_result, lambda one: show_percent(getattr(one.means, score), 2)) == published


def test_obligations_count_334_and_314_per_condition(paper_result):
    assert _each(paper_result, lambda one: one.means.obligations) == [334, 334, 334]
    assert _each(paper_result, lambda one: one.means.obligations, "SQL-reproduced") == [314, 314, 314]
    sizes = [len(run.labels.final.labels) for run in paper_result.runs]
    assert (min(sizes), max(sizes)) == (8, 12)


def test_within_task_changes(paper_result):
    assert _changes(paper_result) == {
        ("Test-Guided", "plan"): (0, 30, 0),
        ("Test-Guided", "code"): (1, 29, 0),
        ("Test-Guided", "test"): (3, 27, 0),
        ("PlanAudit", "plan"): (4, 26, 0),
        ("PlanAudit", "code"): (3, 27, 0),
        ("PlanAudit", "test"): (11, 19, 0),
    }


def test_only_one_change_has_a_spread(paper_result):
    rows = {row[:2]: row[3] for row in _table(paper_result, "IV").rows}
    assert rows.pop(("PlanAudit", "Test")) == "0 [0, 8.33]"
    assert set(rows.values()) == {"0 [0, 0]"}


def test_gains_in_points(paper_result):
    gains = {(c.condition.title, c.score): c for c in _cohort(paper_result, "All assigned").changes}
    assert show_points(gains["Test-Guided", "code"].mean) == "2.33"
    assert show_points(gains["PlanAudit", "code"].mean) == "4.28"
    assert show_points(gains["PlanAudit", "test"].mean) == "6.45"
    code = dict(gains["Test-Guided", "code"].gains)
    assert {task: gain for task, gain in code.items() if gain} == {"q02": Fraction(7, 10)}
    improved = {task for task, gain in gains["PlanAudit", "code"].gains if gain}
    assert improved == {"q02", "q04", "q11"}


def test_leaving_q11_out(paper_result):
    moved = _changes(paper_result, "Without q11")
    assert [moved["PlanAudit", score][0] for score in ("plan", "code", "test")] == [3, 2, 10]
    assert all(down == 0 for _, _, down in moved.values())
    code = next(
        c
        for c in _cohort(paper_result, "Without q11").changes
        if (c.condition.title, c.score) == ("PlanAudit", "code")
    )
    assert show_points(code.mean) == "3.28"
    assert len(code.gains) == 29


def test_cohorts_of_reference_sensitivity(paper_result):
    assert _table(paper_result, "V").rows[:3] == (
        ("All assigned", "22/30", "29/30", "30/30", "0/0/0"),
        ("SQL-reproduced", "21/28", "28/28", "28/28", "0/0/0"),
        ("Also excluding q11", "20/27", "27/27", "27/27", "0/0/0"),
    )
    assert sum(_each(paper_result, lambda one: one.false_passes, "SQL-reproduced")) == 77


def test_scores_of_the_reproduced_cohort(paper_result):
    def shown(score):
        return _each(paper_result, lambda one: show_percent(getattr(one.means, score), 2), "SQL-reproduced")

    assert shown("code") == ["82.21%", "82.21%", "84.30%"]
    assert shown("test") == ["81.34%", "85.09%", "88.25%"]
    moved = _changes(paper_result, "SQL-reproduced")
    assert [moved["PlanAudit", score][0] for score in ("plan", "code", "test")] == [4, 2, 11]
    assert moved["Test-Guided", "code"] == (0, 28, 0)
    assert moved["Test-Guided", "test"] == (3, 25, 0)
    spread = [c.hinges for c in _cohort(paper_result, "SQL-reproduced").changes]
    assert [show_points(one.upper - one.lower) for one in spread] == ["0", "0", "0", "0", "0", "8.33"]


def test_twenty_seven_tasks_leave_one_code_gain(paper_result):
    moved = _changes(paper_result, "Also excluding q11")
    assert [moved["PlanAudit", score][0] for score in ("plan", "code", "test")] == [3, 1, 10]
    code = next(
        c
        for c in _cohort(paper_result, "Also excluding q11").changes
        if (c.condition.title, c.score) == ("PlanAudit", "code")
    )
    assert [task for task, gain in code.gains if gain] == ["q04"]
    assert show_points(code.mean) == "0.93"


def test_high_scores_without_agreement(paper_result):
    assert _each(paper_result, lambda one: one.high_plan_gaps) == [17, 17, 19]
    assert _each(paper_result, lambda one: one.high_test_gaps) == [11, 12, 17]


def test_primary_failure_categories_of_planaudit(paper_result):
    planaudit = _cohort(paper_result, "All assigned").conditions[2]
    assert dict(planaudit.categories) == {
        Category.ALIAS: 15,
        Category.STRUCTURE: 4,
        Category.ROW_COUNT: 3,
        Category.PRECISION: 3,
        Category.VALUES: 3,
        Category.COLUMN_ORDER: 1,
        Category.RUNTIME: 1,
    }
    assert (planaudit.hidden_contract, planaudit.prompt_inferable) == (18, 11)


def test_mechanisms_of_the_false_passes(paper_result):
    columns = [one for one in paper_result.mechanisms if one.condition.title != "Test-Guided"]
    assert [[count for _, count in one.counts] for one in columns] == [
        [13, 10, 9, 6, 0, 1],
        [17, 13, 11, 7, 3, 1],
    ]
    assert [(one.violated, one.untested, one.inadequate) for one in columns] == [(39, 19, 20), (52, 24, 28)]
    assert all(one.unexplained == () for one in columns)
    table = _table(paper_result, "VI")
    shares = {row[0]: (row[1], row[3]) for row in table.rows}
    assert shares["Gap despite plan"] == ("13 (33%)", "17 (33%)")
    assert shares["Partial coverage"] == ("10 (26%)", "13 (25%)")
    assert shares["Candidate-schema validation"] == ("9 (23%)", "11 (21%)")
    assert shares["SCO: absent plan and test"] == ("6 (15%)", "7 (13%)")
    assert shares["Nondiscriminating data"] == ("0", "3 (6%)")
    assert shares["Same incorrect logic"] == ("1 (3%)", "1 (2%)")


def test_omissions_recomputed_from_labels_are_those_of_the_mechanisms(paper_result):
    """Each omission in a false pass was also named one by the labels; a failed execution has none."""
    for condition, expected in (("one-pass", 6), ("planaudit", 7)):
        runs = [run for run in paper_result.runs if run.condition == condition]
        assert sum(len(run.omissions) for run in runs if run.outcome.is_false_pass) == expected
        assert all(run.omissions == () for run in runs if not run.executed)
    q33 = [run.omissions for run in paper_result.runs if run.task == "q33"]
    assert q33[0]
    assert q33[0] == q33[1] == q33[2]


def test_execution_failure_zeroes_code_and_nothing_else(paper_result):
    q02 = {run.condition: run for run in paper_result.runs if run.task == "q02"}
    failed, recovered = q02["one-pass"], q02["test-guided"]
    assert (failed.executed, recovered.executed) == (False, True)
    assert (failed.scores.code, recovered.scores.code) == (0, Fraction(7, 10))
    assert (failed.scores.plan, failed.scores.test) == (recovered.scores.plan, recovered.scores.test)
    assert failed.scores.test > 0


def test_replication_table(paper_result):
    table = _table(paper_result, "VII")
    assert {row[0]: row[1:] for row in table.rows} == {
        "q14a": ("0/15 E", "15/15 P", "15/15 P"),
        "q04": ("9/13 F", "9/13 F", "13/13 P"),
        "q33": ("10/10 P", "10/10 P", "10/10 P"),
        "q11": ("10/10 P", "10/10 P", "10/10 P"),
        "q77": ("12/12 P", "12/12 P", "12/12 P"),
        "q80": ("E", "18/18 P", "E"),
        "q14b": ("9/9 P", "9/9 P", "9/9 P"),
        "q69": ("14/14 P", "14/14 P", "14/14 P"),
        "q47": ("16/16 P", "16/16 P", "16/16 P"),
        "q05": ("20/20 P", "20/20 P", "21/21 P"),
    }
    replication = paper_result.replication
    assert len(replication.cells) == 30
    assert Counter(str(cell.ending) for cell in replication.cells) == {"P": 25, "E": 3, "F": 2}
    assert (replication.matches, replication.false_passes, replication.suites_pass) == (0, 25, 25)


def test_permissions_and_the_number_of_every_table(paper_result):
    titles = [table.title.partition(".")[0] for table in build_tables(paper_result)]
    assert titles[:7] == [f"Table {number}" for number in ("I", "II", "III", "IV", "V", "VI", "VII")]
    assert _table(paper_result, "I").rows == (
        ("plan.md", "Frozen", "Frozen", "Revise"),
        ("solution.py", "Frozen", "Revise", "Revise"),
        ("test_solution.py", "Frozen", "Limited", "Revise"),
    )

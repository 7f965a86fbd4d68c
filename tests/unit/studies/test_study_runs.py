"""Reading a folder of runs: what is assigned, what is refused, what contradicts itself."""

import json

import pytest
from study_runs import report_entry, write_report, write_run

from pytest_lockin.errors import StudyError
from pytest_lockin.model.agreement import Agreement, Category, RowCountDiffers
from pytest_lockin.model.report import Report, TaskReport, TestCounts, VerdictKind
from pytest_lockin.reports.jsonfile import write_json
from pytest_lockin.studies.planaudit import draw_figure, evaluate, export_labels, export_runs
from pytest_lockin.studies.planaudit.edits import adds_checks
from pytest_lockin.studies.planaudit.numbers import Undefined
from pytest_lockin.studies.planaudit.outcomes import Unjudged
from pytest_lockin.studies.planaudit.render import render_study_markdown, render_study_text


def _label(name="O1", plan="present", code="satisfied", test="covered", **more):
    return {"obligation": name, "plan": plan, "code": code, "test": test, **more}


def _entry(condition, task, verdict="false_pass", category="values", **tests):
    return report_entry(
        task.partition("-")[0],
        f"runs/{condition}/{task}/test_solution.py",
        verdict,
        tests or {"passed": 3},
        category,
    )


@pytest.fixture
def runs(tmp_path):
    """Two conditions, one task, all labelled."""
    folder = tmp_path / "runs"
    for condition in ("one-pass", "planaudit"):
        write_run(
            folder / condition / "q04", [_label(), _label("O2", code="violated", test="partially_covered")]
        )
    write_report(folder, [_entry("one-pass", "q04"), _entry("planaudit", "q04")])
    return folder


def _write_labels(runs, **data):
    path = runs / "one-pass" / "q04" / "labels.json"
    path.write_text(json.dumps({"format": 1, **data}), "utf-8")


def _set(name, role, *labels, by=""):
    return {"name": name, "role": role, "by": by, "labels": list(labels)}


def _refuse(runs, *words):
    with pytest.raises(StudyError) as caught:
        evaluate(runs)
    message = str(caught.value)
    assert all(word in message for word in words), message


def test_a_sound_folder_evaluates(runs):
    result = evaluate(runs)
    assert [one.condition.title for one in result.cohorts[0].conditions] == ["One-Pass", "PlanAudit"]
    assert result.setup.baseline.folder == "one-pass"
    assert result.is_sound


def test_conditions_of_other_names_are_found_and_the_first_is_the_baseline(tmp_path):
    for condition in ("terse", "full"):
        write_run(tmp_path / condition / "q03-x")
    write_report(tmp_path, [_entry(one, "q03-x", "true_pass", None) for one in ("terse", "full")])
    result = evaluate(tmp_path)
    assert [(one.title, one.is_baseline) for one in result.setup.conditions] == [
        ("full", True),
        ("terse", False),
    ]
    assert {run.task for run in result.runs} == {"q03"}
    assert result.cohorts[0].conditions[0].matches == 1


def test_runs_without_labels_leave_scores_undefined_and_say_so(tmp_path):
    write_run(tmp_path / "one-pass" / "q03")
    write_report(tmp_path, [_entry("one-pass", "q03")])
    result = evaluate(tmp_path)
    assert isinstance(result.runs[0].scores, Undefined)
    text = render_study_text(result)
    assert "0 of 1 runs have labels" in text
    assert "Mean code score" in text
    assert "no replication runs given" in text
    for number in ("II", "III", "IV", "V", "VI", "VII"):
        assert f"Table {number}." in text
        assert f"**Table {number}." in render_study_markdown(result)


def test_a_run_missing_from_the_report_is_assigned_and_unjudged(runs):
    write_report(runs, [_entry("one-pass", "q04")])
    result = evaluate(runs)
    planaudit = result.cohorts[0].conditions[1]
    assert (planaudit.assigned, planaudit.unjudged, planaudit.false_passes) == (1, 1, 0)
    assert result.runs[1].outcome.judgement == Unjudged(reason="not in the report")


def test_listed_tasks_without_a_folder_count_as_assigned(runs):
    study = {"format": 1, "tasks": ["q04", "q11"]}
    (runs / "study.json").write_text(json.dumps(study), "utf-8")
    result = evaluate(runs)
    assert [one.assigned for one in result.cohorts[0].conditions] == [2, 2]
    assert [str(one.false_pass_rate) for one in result.cohorts[0].conditions] == ["1/2", "1/2"]


def test_an_unverified_run_is_no_false_pass_and_no_match(runs):
    entry = _entry("one-pass", "q04", "unverified", None)
    entry["agreement"], entry["reason"] = None, "the reference is empty"
    write_report(runs, [entry, _entry("planaudit", "q04")])
    one = evaluate(runs).cohorts[0].conditions[0]
    assert (one.suites_pass, one.matches, one.false_passes, one.unjudged) == (1, 0, 0, 1)


@pytest.mark.parametrize(
    "tests",
    [{"passed": 2, "failed": 1}, {"passed": 2, "errors": 1}, {"errors": 1}, {"skipped": 3}],
    ids=["failed", "errored", "not collected", "all skipped"],
)
def test_a_suite_with_anything_but_passes_is_no_false_pass(runs, tests):
    entry = _entry("one-pass", "q04", "unverified", "values", **tests)
    write_report(runs, [entry, _entry("planaudit", "q04")])
    one = evaluate(runs).cohorts[0].conditions[0]
    assert (one.suites_pass, one.false_passes) == (0, 0)


def test_the_report_of_the_pipeline_is_read(runs):
    """Written by the reporter itself, so that the two formats cannot part unseen."""
    agreement = Agreement(
        agrees=False,
        category=Category.ROW_COUNT,
        recovered_by=(),
        differences=(RowCountDiffers(expected=2, found=1),),
    )
    tasks = tuple(
        TaskReport(
            id="q04",
            suite=f"{condition}/q04/test_solution.py",
            tests=TestCounts(passed=2, skipped=1),
            verdict=VerdictKind.FALSE_PASS,
            agreement=agreement,
        )
        for condition in ("one-pass", "planaudit")
    )
    write_json(Report(tasks=tasks, with_references=True), runs / "lockin.json")
    conditions = evaluate(runs).cohorts[0].conditions
    assert [one.false_passes for one in conditions] == [1, 1]
    assert dict(conditions[0].categories)[Category.ROW_COUNT] == 1


def test_a_run_without_references_is_unjudged(runs):
    entry = _entry("one-pass", "q04", None, None)
    entry["agreement"] = None
    write_report(runs, [entry, _entry("planaudit", "q04")])
    one = evaluate(runs).cohorts[0].conditions[0]
    assert (one.suites_pass, one.unjudged, one.matches) == (1, 1, 0)


def test_a_partial_run_is_a_contradiction(runs):
    write_report(runs, [_entry("one-pass", "q04") | {"partial": "3 of 10 cases"}, _entry("planaudit", "q04")])
    assert [one.what for one in evaluate(runs).discrepancies] == [
        "the report is of a partial run, 3 of 10 cases"
    ]


def test_a_flaky_case_alone_is_no_pass(runs):
    write_report(runs, [_entry("one-pass", "q04", "unverified", flaky=1), _entry("planaudit", "q04")])
    assert evaluate(runs).cohorts[0].conditions[0].suites_pass == 0


def test_each_condition_may_have_a_report_of_its_own(runs):
    (runs / "lockin.json").unlink()
    for condition in ("one-pass", "planaudit"):
        write_report(
            runs / condition, [report_entry("q04", "q04/test_solution.py", "true_pass", {"passed": 1})]
        )
    assert [one.matches for one in evaluate(runs).cohorts[0].conditions] == [1, 1]


def test_a_suite_of_another_condition_is_not_taken_for_this_one(runs):
    write_report(runs, [report_entry("q04", "q04/test_solution.py", "true_pass", {"passed": 1})])
    assert [one.unjudged for one in evaluate(runs).cohorts[0].conditions] == [1, 1]


def test_a_verdict_that_the_counts_refute_is_a_contradiction(runs):
    write_report(runs, [_entry("one-pass", "q04", passed=2, failed=1), _entry("planaudit", "q04")])
    result = evaluate(runs)
    assert not result.is_sound
    assert "verdict false_pass beside 1 failed" in result.discrepancies[0].what
    assert "CONTRADICTION one-pass/q04" in render_study_text(result)


def test_a_verdict_that_the_agreement_refutes_is_a_contradiction(runs):
    write_report(runs, [_entry("one-pass", "q04", "true_pass"), _entry("planaudit", "q04")])
    assert "beside agreement False" in evaluate(runs).discrepancies[0].what


def test_labels_and_report_must_agree_on_execution(runs):
    failed = [_label("O1", code="execution_failed"), _label("O2", code="execution_failed")]
    _write_labels(runs, sets=[_set("final", "adjudicated", *failed)])
    result = evaluate(runs)
    assert "executed" in result.discrepancies[0].what
    assert result.runs[0].scores.code == 0


def test_execution_fails_on_all_obligations_or_none(runs):
    labels = [_label("O1", code="execution_failed"), _label("O2")]
    _write_labels(runs, sets=[_set("final", "adjudicated", *labels)])
    write_report(runs, [_entry("one-pass", "q04", category="runtime"), _entry("planaudit", "q04")])
    assert [one.what for one in evaluate(runs).discrepancies] == [
        "execution failed on some obligations only; it fails all or none"
    ]


def test_scores_are_checked_against_the_export(runs):
    labels = [_label("O1"), _label("O2", plan="partial"), _label("O3")]
    sets = [_set("final", "adjudicated", *labels)]
    write_run(runs / "planaudit" / "q04", labels)
    _write_labels(runs, sets=sets, scores={"plan": 0.8333, "code": 1, "test": 1})
    assert evaluate(runs).is_sound
    _write_labels(runs, sets=sets, scores={"plan": 0.9, "code": 1, "test": 1})
    assert [one.what for one in evaluate(runs).discrepancies] == [
        "plan score: the export says 90.00%, the labels give 83.33%"
    ]


def test_conditions_must_label_the_same_obligations(runs):
    _write_labels(runs, sets=[_set("final", "adjudicated", _label("O1"), _label("O9"))])
    assert "O2, O9" in evaluate(runs).discrepancies[0].what


def test_raw_labels_are_kept_and_compared(runs):
    first = [_label("O1"), _label("O2", code="violated")]
    second = [_label("O1"), _label("O2", code="satisfied")]
    sets = [
        _set("rater-1", "human", *first, by="A"),
        _set("rater-2", "human", *second, by="B"),
        _set("final", "adjudicated", *first),
    ]
    _write_labels(runs, sets=sets)
    result = evaluate(runs)
    pairs = {(one.first, one.second, one.artifact): one.agreement for one in result.raters}
    assert set(pairs) == {
        (*names, artifact)
        for names in (("final", "rater-1"), ("final", "rater-2"), ("rater-1", "rater-2"))
        for artifact in ("plan", "code", "test")
    }
    assert (pairs["rater-1", "rater-2", "code"].alike, pairs["rater-1", "rater-2", "code"].kappa) == (1, 0)
    assert isinstance(pairs["rater-1", "rater-2", "plan"].kappa, Undefined)
    assert result.runs[0].labels.final.name == "final"
    lines = export_labels(result).splitlines()
    assert "one-pass,q04,O2,rater-2,human,B,no,present,satisfied,covered," in lines
    assert len(lines) == 1 + 6 + 2


def test_a_single_human_set_is_final_and_automated_labels_only_without_one(runs):
    automated = _set("model", "automated", _label("O1", plan="absent"), _label("O2"))
    human = _set("rater", "human", _label("O1"), _label("O2"))
    _write_labels(runs, sets=[automated, human])
    assert evaluate(runs).runs[0].labels.final.name == "rater"
    _write_labels(runs, sets=[automated])
    assert evaluate(runs).runs[0].labels.final.name == "model"


def test_two_raters_without_adjudication_are_refused(runs):
    sets = [_set(name, "human", _label("O1"), _label("O2")) for name in ("a", "b")]
    _write_labels(runs, sets=sets)
    _refuse(runs, "2 human sets (a, b)", "adjudicated")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"sets": []}, ["at least one label set"]),
        ({"sets": [_set("x", "adjudicated")]}, ["no labels"]),
        ({"sets": [_set("x", "adjudicated", _label(), _label())]}, ["O1, O1"]),
        ({"sets": [_set("x", "adjudicated", _label(plan="maybe"))]}, ["maybe", "labels[0].plan"]),
        ({"sets": [_set("x", "adjudicated", _label(mechansim="gap"))]}, ["mechansim"]),
        ({"sets": [_set("x", "oracle", _label())]}, ["oracle"]),
        (
            {"sets": [_set("x", "adjudicated", _label()), _set("x", "human", _label())]},
            ["names of their own"],
        ),
        (
            {"sets": [_set("x", "adjudicated", _label()), _set("y", "human", _label("O7"))]},
            ["O1, O7"],
        ),
        ({"format": 9, "sets": [_set("x", "adjudicated", _label())]}, ["format 9"]),
    ],
)
def test_labels_that_cannot_be_scored_are_refused(runs, data, words):
    _write_labels(runs, **data)
    _refuse(runs, "labels.json", *words)


def test_torn_files_are_refused_by_name(runs):
    (runs / "lockin.json").write_text("{", "utf-8")
    _refuse(runs, "lockin.json", "--lockin-json")
    (runs / "study.json").write_text('{"format": 1, "cohort": []}', "utf-8")
    _refuse(runs, "study.json", "cohort")


def test_a_disagreement_without_a_category_is_refused(runs):
    entry = _entry("one-pass", "q04")
    entry["agreement"]["category"] = None
    write_report(runs, [entry])
    _refuse(runs, "a category for the disagreement")


def test_no_folder_no_runs_no_report_are_three_messages(tmp_path, runs):
    _refuse(tmp_path / "nowhere", "no such folder")
    (tmp_path / "empty").mkdir()
    _refuse(tmp_path / "empty", "no <condition>/<task> folder")
    (runs / "lockin.json").unlink()
    _refuse(runs, "pytest --lockin-reference")


def test_one_task_twice_in_a_condition_is_refused(runs):
    write_run(runs / "one-pass" / "q04-again")
    write_report(runs, [_entry("one-pass", "q04"), _entry("one-pass", "q04-again")])
    _refuse(runs, "one run of q04 per condition", "one-pass/q04-again")


def test_two_suites_in_one_run_folder_are_refused(runs):
    write_report(runs, [_entry("one-pass", "q04"), _entry("one-pass", "q04")])
    _refuse(runs, "one suite for")


def test_a_study_file_must_fit_the_folders(runs):
    def write(conditions):
        (runs / "study.json").write_text(json.dumps({"format": 1, "conditions": conditions}), "utf-8")

    write([{"folder": "one-pass"}, {"folder": "nope"}])
    _refuse(runs, "no folder for nope")
    write([{"folder": "one-pass", "baseline": True}, {"folder": "planaudit", "baseline": True}])
    _refuse(runs, "at most one of them the baseline")
    write([{"folder": "one-pass", "permissions": {"tests.py": "frozen"}}])
    _refuse(runs, "tests.py")


def test_reproduced_references_become_a_cohort(runs):
    result = evaluate(runs, reproduced=())
    assert [one.cohort.title for one in result.cohorts] == ["All assigned", "Reproduced references"]
    assert result.cohorts[1].conditions[0].assigned == 0
    assert isinstance(result.cohorts[1].conditions[0].false_pass_rate, Undefined)


def test_edits_beyond_permission_are_named_and_stay_in_their_arm(runs):
    conditions = [
        {"folder": "one-pass"},
        {
            "folder": "planaudit",
            "permissions": {"plan.md": "frozen", "solution.py": "revise", "test_solution.py": "limited"},
        },
    ]
    (runs / "study.json").write_text(json.dumps({"format": 1, "conditions": conditions}), "utf-8")
    for name in ("plan.md", "solution.py"):
        (runs / "planaudit" / "q04" / name).write_text("changed\n", "utf-8")
    result = evaluate(runs)
    edits = {one.artifact: (one.edited, one.deviations) for one in result.edits}
    assert edits == {"plan.md": (1, ("q04",)), "solution.py": (1, ()), "test_solution.py": (0, ())}
    assert result.is_sound
    assert "PlanAudit edited plan.md in 1/1 tasks; beyond its permission: q04" in render_study_text(result)


@pytest.mark.parametrize(
    ("before", "after", "adds"),
    [
        ("def test_a():\n    assert f() == 1", "import x\ndef test_a():\n    assert f() == 1", False),
        ("def test_a():\n    assert f() == 1", "def test_a(fixture):\n    assert f() == 1", False),
        ("def test_a():\n    assert f() == 1", "def test_a():\n    assert f() == 2", True),
        ("def test_a():\n    f()", "def test_a():\n    f()\ndef test_b():\n    f()", True),
        ("def test_a():\n    check(1)", "def test_a():\n    self.assertEqual(1, 2)", True),
        ("def test_a(:", "def test_a():\n    assert f() == 1", False),
        ("def test_a():\n    assert f()\n    assert g()", "def test_a():\n    assert f()", False),
    ],
)
def test_limited_edits_add_no_assertion(before, after, adds):
    assert adds_checks(before, after) is adds


def test_the_run_export_holds_exact_scores(runs):
    data = json.loads(export_runs(evaluate(runs)))
    assert data["runs"][0]["scores"]["test"] == {"exact": "3/4", "value": 0.75}
    assert data["runs"][0]["agreement"] == "values"
    assert len(data["runs"][0]["artifacts"]["plan.md"]) == 64


def test_the_run_export_says_why_a_run_is_unjudged_or_unlabelled(runs):
    (runs / "planaudit" / "q04" / "labels.json").unlink()
    write_report(runs, [_entry("one-pass", "q04", "true_pass", None)])
    one, other = json.loads(export_runs(evaluate(runs)))["runs"]
    assert (one["agreement"], one["verdict"]) == ("agrees", "true_pass")
    assert (other["agreement"], other["scores"]) == ("unjudged: not in the report", None)


def test_the_figure_is_the_same_every_time_and_holds_every_bar(paper_result):
    import xml.etree.ElementTree as ET

    figure = draw_figure(paper_result)
    assert figure == draw_figure(paper_result)
    root = ET.fromstring(figure)
    bars = [
        one
        for one in root.iter("{http://www.w3.org/2000/svg}rect")
        if one.get("y") and one.get("width") == "26"
    ]
    assert len(bars) == 12
    assert [one.get("height") for one in bars[:3]] == ["146.7", "193.3", "200.0"]
    texts = {one.text for one in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Tests pass", "PlanAudit", "73.3", "96.7", "100.0"} <= texts


def test_titles_are_escaped_in_figure_and_tables(runs):
    study = {"format": 1, "title": "A < B & C", "conditions": [{"folder": "one-pass", "title": "x|y <z>"}]}
    (runs / "study.json").write_text(json.dumps(study), "utf-8")
    result = evaluate(runs)
    assert "A &lt; B &amp; C" in draw_figure(result)
    assert "x\\|y" in render_study_markdown(result)

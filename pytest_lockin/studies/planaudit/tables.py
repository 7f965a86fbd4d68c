"""The published tables from a study's result: I to VII, and those the text gives in prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.studies.controls.report import Group
from pytest_lockin.studies.planaudit.ladder import NotRecovered
from pytest_lockin.studies.planaudit.numbers import (
    Undefined,
    round_exact,
    show_count,
    show_percent,
    show_points,
    show_share,
)
from pytest_lockin.studies.planaudit.robustness import TOLERANCES, Held
from pytest_lockin.studies.planaudit.setup import ARTIFACTS, Permission
from pytest_lockin.studies.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_lockin.studies.controls.report import ControlReport
    from pytest_lockin.studies.planaudit.changes import PairedChange
    from pytest_lockin.studies.planaudit.conditions import ConditionResult
    from pytest_lockin.studies.planaudit.edits import EditCounts
    from pytest_lockin.studies.planaudit.evaluate import OutputCheck, StudyResult
    from pytest_lockin.studies.planaudit.mechanisms import MechanismCounts
    from pytest_lockin.studies.planaudit.numbers import Number
    from pytest_lockin.studies.planaudit.replication import Replication
    from pytest_lockin.studies.planaudit.setup import Permission as PermissionType

_MECHANISM_TITLES = {
    "gap_despite_plan": "Gap despite plan",
    "partial_coverage": "Partial coverage",
    "candidate_schema": "Candidate-schema validation",
    "self_confirming_omission": "SCO: absent plan and test",
    "nondiscriminating_data": "Nondiscriminating data",
    "same_incorrect_logic": "Same incorrect logic",
}


def build_tables(result: StudyResult) -> tuple[Table, ...]:
    """Give Tables I to VII in order, then the further ones that have something to show."""
    tables = (
        tabulate_permissions(result),
        tabulate_controls(result.controls),
        tabulate_outcomes(result),
        tabulate_changes(result),
        tabulate_cohorts(result),
        tabulate_mechanisms(result),
        tabulate_replication(result.replication),
        tabulate_categories(result),
        tabulate_gaps(result),
        tabulate_cohort_scores(result),
        tabulate_raters(result),
        tabulate_robustness(result),
        tabulate_ladder(result),
    )
    return tuple(table for table in tables if table.rows or table.notes)


def _titles(result: StudyResult) -> tuple[str, ...]:
    return tuple(one.title for one in result.setup.conditions)


def tabulate_permissions(result: StudyResult) -> Table:
    """Table I: what each condition may revise, and what it did to the artifacts it inherited."""
    conditions = result.setup.conditions
    rows = tuple(
        (artifact, *(_show_permission(dict(one.permissions).get(artifact)) for one in conditions))
        for artifact in ARTIFACTS
        if any(one.permissions for one in conditions)
    )
    notes = tuple(_describe_edits(one) for one in result.edits if one.pairs)
    if not rows:
        notes = ("no permissions in study.json", *notes)
    return Table(
        title="Table I. Artifact revision permissions",
        columns=("Artifact", *_titles(result)),
        rows=rows,
        notes=notes,
    )


def _show_permission(permission: PermissionType | None) -> str:
    return "-" if permission is None else Permission(permission).value.capitalize()


def _describe_edits(edits: EditCounts) -> str:
    text = f"{edits.condition.title} edited {edits.artifact} in {show_count(edits.edited, edits.pairs)} tasks"
    deviating = ", ".join(edits.deviations)
    return text + (f"; beyond its permission: {deviating}" if deviating else "")


def tabulate_controls(report: ControlReport | None) -> Table:
    """Table II: the paper's controls of the comparator."""
    title = "Table II. Evaluator control results"
    columns = ("Control", "Expected", "Observed")
    if report is None:
        return Table(title=title, columns=columns, rows=(), notes=("not run: `lockin study controls`",))
    rows = tuple(
        (one.title, one.answer.value.capitalize(), f"{show_count(one.right, one.total)} {one.answer}ed")
        for one in report.count_kinds(Group.PAPER)
    )
    count = f"{report.right} of {report.total} controls right over both groups, {report.no_ops} no-op"
    return Table(title=title, columns=columns, rows=rows, notes=(count,))


def tabulate_outcomes(result: StudyResult) -> Table:
    """Table III: outcomes and mean scores of all assigned runs."""
    conditions = result.cohorts[0].conditions
    lines: tuple[tuple[str, Callable[[ConditionResult], str]], ...] = (
        ("Tests pass", lambda one: show_count(one.suites_pass, one.assigned)),
        ("Reference match", lambda one: show_count(one.matches, one.assigned)),
        ("False pass", lambda one: show_count(one.false_passes, one.assigned)),
        ("False-pass rate", lambda one: show_percent(one.false_pass_rate)),
        ("False passes of passing", lambda one: show_percent(one.conditional_false_passes)),
        ("Executed", lambda one: show_count(one.executed, one.assigned)),
        ("Mean plan score", lambda one: show_percent(one.means.plan, 2)),
        ("Mean code score", lambda one: show_percent(one.means.code, 2)),
        ("Mean test coverage", lambda one: show_percent(one.means.test, 2)),
        ("Self-confirming omissions", lambda one: str(one.omissions) if one.means.runs else "-"),
    )
    return Table(
        title="Table III. Pipeline outcomes and mean obligation scores",
        columns=("Metric", *_titles(result)),
        rows=tuple((name, *(show(one) for one in conditions)) for name, show in lines),
        notes=tuple(note for one in conditions for note in _note_condition(one)),
    )


def _note_condition(one: ConditionResult) -> list[str]:
    notes = []
    if one.unjudged:
        notes.append(
            f"{one.condition.title}: {one.unjudged} of {one.assigned} runs unjudged; they count as assigned"
        )
    if one.means.runs < one.assigned:
        notes.append(f"{one.condition.title}: {one.means.runs} of {one.assigned} runs have labels")
    return notes


def tabulate_changes(result: StudyResult) -> Table:
    """Table IV: within-task changes against the baseline, in percentage points."""
    changes = [one for one in result.cohorts[0].changes if one.gains]
    rows = tuple((one.condition.title, one.score.capitalize(), *_show_change(one)) for one in changes)
    unpaired = () if rows else ("no task has labels in the baseline and in a branch",)
    return Table(
        title=f"Table IV. Within-task score changes from {result.setup.baseline.title}",
        columns=("Revision", "Score", "Up/Same/Down", "Median [Q1, Q3]", "Mean", "Pairs"),
        rows=rows,
        notes=(*unpaired, "percentage points; Q1 and Q3 are Tukey's hinges; descriptive only"),
    )


def _show_change(change: PairedChange) -> tuple[str, str, str, str]:
    hinges = change.hinges
    counts = f"{change.up}/{change.same}/{change.down}"
    if isinstance(hinges, Undefined) or isinstance(change.mean, Undefined):
        return counts, "-", "-", "0"
    middle = f"{show_points(hinges.median)} [{show_points(hinges.lower)}, {show_points(hinges.upper)}]"
    return counts, middle, show_points(change.mean), str(len(change.gains))


def tabulate_cohorts(result: StudyResult) -> Table:
    """Table V: suites that pass, and references that match, in each cohort."""
    rows = tuple(
        (
            cohort.cohort.title,
            *(show_count(one.suites_pass, one.assigned) for one in cohort.conditions),
            "/".join(str(one.matches) for one in cohort.conditions),
        )
        for cohort in result.cohorts
    )
    excluded = tuple(
        f"{one.cohort.title}: without {', '.join(one.cohort.exclude)}"
        for one in result.cohorts
        if one.cohort.exclude
    )
    return Table(
        title="Table V. Test passing across reference-sensitivity cohorts",
        columns=("Cohort", *_titles(result), "Reference matches"),
        rows=rows,
        notes=excluded,
    )


def tabulate_mechanisms(result: StudyResult) -> Table:
    """Table VI: failure mechanisms among violated obligations of false passes, where a condition has any."""
    columns = [one for one in result.mechanisms if one.violated]
    names = [mechanism for mechanism, _ in columns[0].counts] if columns else []
    rows = [
        (_MECHANISM_TITLES[name], *(show_share(dict(one.counts)[name], one.violated) for one in columns))
        for name in names
    ]
    rows += _sum_mechanisms(columns)
    faults = tuple(text for one in columns for text in one.unexplained)
    return Table(
        title="Table VI. Failure mechanisms among violated obligations",
        columns=("Mechanism", *(one.condition.title for one in columns)),
        rows=tuple(rows),
        notes=faults or (() if rows else ("no labelled violated obligation in a false pass",)),
    )


def _sum_mechanisms(columns: Sequence[MechanismCounts]) -> list[tuple[str, ...]]:
    if not columns:
        return []
    rows = [
        ("No test covers it", *(show_count(one.untested, one.violated) for one in columns)),
        ("Tests look and pass", *(show_count(one.inadequate, one.violated) for one in columns)),
    ]
    if any(one.unexplained for one in columns):
        rows.insert(0, ("Unexplained", *(str(len(one.unexplained)) for one in columns)))
    return rows


def tabulate_replication(replication: Replication | None) -> Table:
    """Table VII: the targeted fresh-generation replication."""
    title = "Table VII. Targeted fresh-generation replication"
    if replication is None:
        return Table(title=title, columns=("Query",), rows=(), notes=("no replication runs given",))
    rows = tuple(
        (task, *("-" if cell is None else cell.text for cell in cells)) for task, cells in replication.rows
    )
    total = len(replication.cells)
    notes = (
        "passed/total; P pass, F failure, E execution error",
        f"reference matches {show_count(replication.matches, total)}",
        f"false passes {show_count(replication.false_passes, replication.suites_pass)} of suites that pass",
    )
    titles = (one.title for one in replication.setup.conditions)
    return Table(title=title, columns=("Query", *titles), rows=rows, notes=notes)


def tabulate_categories(result: StudyResult) -> Table:
    """Primary failure categories, one per disagreement, and whose contract they concern."""
    conditions = result.cohorts[0].conditions
    names = [category for category, _ in conditions[0].categories]
    rows = [(str(name), *(str(dict(one.categories)[name]) for one in conditions)) for name in names]
    rows.append(("hidden-reference contract", *(str(one.hidden_contract) for one in conditions)))
    rows.append(("prompt-inferable", *(str(one.prompt_inferable) for one in conditions)))
    return Table(
        title="Primary failure categories",
        columns=("Category", *_titles(result)),
        rows=tuple(rows),
        notes=("computed by the comparator; alias and precision are the hidden contract",),
    )


def tabulate_gaps(result: StudyResult) -> Table:
    """Runs with high internal scores that the reference disagrees with all the same."""
    conditions = result.cohorts[0].conditions
    if not any(one.means.runs for one in conditions):
        return Table(title="High scores without agreement", columns=("Runs with",), rows=())
    rows = (
        ("plan score of at least 90%", *(str(one.high_plan_gaps) for one in conditions)),
        ("test coverage of at least 90%", *(str(one.high_test_gaps) for one in conditions)),
    )
    return Table(title="High scores without agreement", columns=("Runs with", *_titles(result)), rows=rows)


def tabulate_cohort_scores(result: StudyResult) -> Table:
    """Mean scores and paired changes in the cohorts that leave tasks out."""
    rows = []
    for cohort in result.cohorts[1:]:
        for one in cohort.conditions:
            means = (show_percent(value, 2) for value in (one.means.plan, one.means.code, one.means.test))
            counts = (str(one.means.runs), str(one.means.obligations))
            changes = [c for c in cohort.changes if c.condition == one.condition and c.gains]
            moved = " ".join(f"{c.up}/{c.same}/{c.down}" for c in changes) or "-"
            rows.append((f"{cohort.cohort.title}: {one.condition.title}", *means, *counts, moved))
    return Table(
        title="Scores across cohorts",
        columns=("Cohort and condition", "Plan", "Code", "Test", "Runs", "Obligations", "Up/Same/Down"),
        rows=tuple(rows),
    )


def tabulate_raters(result: StudyResult) -> Table:
    """Agreement between label sets, where runs have two."""
    rows = tuple(
        (
            f"{one.first} / {one.second}",
            one.artifact,
            str(one.runs),
            show_count(one.agreement.alike, one.agreement.items),
            _show_kappa(one.agreement.kappa),
        )
        for one in result.raters
    )
    return Table(
        title="Agreement between label sets",
        columns=("Sets", "Artifact", "Runs", "Labelled alike", "Cohen's kappa"),
        rows=rows,
    )


def _show_kappa(kappa: Number) -> str:
    return f"undefined ({kappa.reason})" if isinstance(kappa, Undefined) else f"{round_exact(kappa, 3)}"


def tabulate_robustness(result: StudyResult) -> Table:
    """Outputs that equal their reference under each tolerance (post hoc)."""
    rows = []
    for condition in result.setup.conditions:
        checks = [one for one in result.outputs if one.condition == condition.folder]
        counts = (show_count(_count_held(checks, place), len(checks)) for place in range(len(TOLERANCES)))
        if checks:
            exact = sum(one.robustness.is_exact for one in checks)
            rows.append((condition.title, *counts, str(exact)))
    return Table(
        title="Agreement under tolerances of doubles (post hoc)",
        columns=("Condition", *(f"{float(one):.0e}" for one in TOLERANCES), "Without doubles"),
        rows=tuple(rows),
    )


def _count_held(checks: Sequence[OutputCheck], place: int) -> int:
    return sum(isinstance(one.robustness.outcomes[place][1], Held) for one in checks)


def tabulate_ladder(result: StudyResult) -> Table:
    """The lowest rung of the normalisation ladder on which each output equals its reference (post hoc)."""
    rows = tuple(
        (
            f"{one.condition}/{one.task}",
            _show_rung(one.ladder.recovered),
            _show_rung(one.ladder.recovered_in_order),
        )
        for one in result.outputs
    )
    lost = sum(isinstance(one.ladder.recovered, NotRecovered) for one in result.outputs)
    return Table(
        title="Normalisation ladder (post hoc)",
        columns=("Run", "Recovered by", "In row order"),
        rows=rows,
        notes=(f"{show_count(lost, len(rows))} not recovered by full normalisation",) if rows else (),
    )


def _show_rung(rung: object) -> str:
    return "-" if isinstance(rung, NotRecovered) else str(rung)

"""Reports to render: one difference of every kind, one task of every verdict."""

from __future__ import annotations

from pytest_lockin.model.agreement import (
    Agreement,
    Category,
    CellSample,
    ColumnCountDiffers,
    ColumnsReordered,
    NameDiffers,
    NotComparable,
    OrderDiffers,
    Relaxation,
    RowCountDiffers,
    RowsDiffer,
    TypeDiffers,
)
from pytest_lockin.model.finding import (
    CaseEvidence,
    CodeStatus,
    Counted,
    Diagnosis,
    Explanation,
    KnownBy,
    Mechanism,
    ObligationFinding,
    PlanStatus,
    ShapeFinding,
    ShapeKind,
    TestStatus,
)
from pytest_lockin.model.report import Fidelity, Gate, Report, TaskReport, TestCounts, VerdictKind

ROWS = RowsDiffer(
    missing=0,
    extra=0,
    changed=7,
    columns=((1, "revenue", 7),),
    cells=(CellSample(row="city='Pau'", column="revenue", expected="12.50", found="13.75"),),
    missing_rows=("city='Pau', revenue=12.50",),
    extra_rows=("city='Pau', revenue=13.75",),
    tolerance="1e-09 relative",
)
DIFFERENCES = {
    Category.STRUCTURE: ColumnCountDiffers(expected=3, found=2, missing=("city",), extra=()),
    Category.COLUMN_ORDER: ColumnsReordered(expected=("a", "b"), found=("b", "a")),
    Category.ALIAS: NameDiffers(position=1, expected="total", found="Total", case_only=True),
    Category.PRECISION: TypeDiffers(position=0, column="avg", expected="decimal(11,6)", found="double"),
    Category.ROW_COUNT: RowCountDiffers(expected=100, found=97),
    Category.VALUES: ROWS,
    Category.RUNTIME: NotComparable(reason="AnalysisException: no such column"),
}
ORDER = OrderDiffers(at_row=4, keys=("b",), expected="b=1", found="b=2")
OBLIGATIONS = (
    ObligationFinding(
        id="O3",
        kind="metric",
        source="prompt",
        text="The total sums the net price.",
        plan=PlanStatus.CONTRADICTED,
        quote="Sum the list price.",
        code=CodeStatus.VIOLATED,
        tests=TestStatus.PARTIAL,
        mechanism=Mechanism.NONDISCRIMINATING_DATA,
        others=(Mechanism.PARTIAL_COVERAGE,),
        rule="a case reads what is wrong, and its rows cannot show it",
        known_by=KnownBy.EXECUTED,
        engine="sail",
        wrong=("a program is wrong if list is read where net is meant",),
        cases=(
            CaseEvidence(case_id="tasks/q04/test_solution.py::test_a", looks=True, sharpened="net: 1 -> 2"),
        ),
        alternatives=Counted(killed=("a1",), uninfected=("a2",)),
        advice="give test_a rows on which it matters",
    ),
    ObligationFinding(
        id="O8",
        kind="group",
        source="hidden",
        text="One row per brand.",
        plan=PlanStatus.ABSENT,
        code=CodeStatus.SATISFIED,
        tests=TestStatus.NOT_COVERED,
        mechanism=Mechanism.SELF_CONFIRMING_OMISSION,
        known_by=KnownBy.EXECUTED,
        advice="add a case that fails unless: One row per brand.",
    ),
    ObligationFinding(
        id="O9",
        kind="limit",
        source="prompt",
        text="Ten rows.",
        tests=TestStatus.COVERED,
        code=CodeStatus.SATISFIED,
    ),
)
DIAGNOSIS = Diagnosis(
    agrees=False,
    explanation=Explanation(obligations=("O3",), edits=("list is read where net is meant",)),
    shape=(ShapeFinding(kind=ShapeKind.NAMES, columns=("total",), text="named amount", obligation=""),),
    others=("O5",),
    rule="it needs the fewest edits",
    inputs=("data",),
    tried=12,
    engine="sail",
)
AGREES = Agreement(agrees=True, rows_expected=100, rows_found=100)


def differing(category: Category, *, recovered_by: tuple[Relaxation, ...] = ()) -> Agreement:
    """A disagreement of this category, with the difference that goes with it."""
    return Agreement(
        agrees=False,
        category=category,
        recovered_by=recovered_by,
        rows_expected=100,
        rows_found=97 if category is Category.ROW_COUNT else 100,
        differences=(DIFFERENCES[category], ORDER),
        notes=("floats compared within 1e-09 relative",),
    )


def make_task(name: str = "q04", **fields) -> TaskReport:
    """A task that passes and is right, but for what is given."""
    defaults = {
        "id": name,
        "suite": f"tasks/{name}/test_solution.py",
        "engine": "sail",
        "engine_version": "Sail 0.7.2",
        "confirmed": True,
        "tests": TestCounts(passed=10),
        "verdict": VerdictKind.TRUE_PASS,
        "agreement": AGREES,
        "fidelity": Fidelity(accepts_reference=True),
        "references": ("reference.sql",),
    }
    return TaskReport(**{**defaults, **fields})


def make_report(*tasks: TaskReport, **fields) -> Report:
    """A report with references, but for what is given."""
    defaults = {
        "version": "0.1.0",
        "with_references": True,
        "engine": "auto",
        "java": True,
        "gate": Gate(passed=True),
        "seconds": 41.2,
    }
    return Report(tasks=tasks, **{**defaults, **fields})


def every_kind() -> Report:
    """One task of each category and of each verdict, and of each state beside a verdict."""
    tasks = [
        make_task(f"c{index}", verdict=VerdictKind.FALSE_PASS, agreement=differing(category))
        for index, category in enumerate(Category)
    ]
    tasks += [make_task(f"v{index}", verdict=verdict) for index, verdict in enumerate(VerdictKind)]
    tasks += [
        make_task("none", verdict=None, agreement=None, fidelity=Fidelity(), references=()),
        make_task("partial", verdict=VerdictKind.UNVERIFIED, agreement=None, partial="3 of 5 cases"),
        make_task("moved", moved="test_a fails on sail and passes on spark", engine="spark"),
        make_task(
            "flaky", flaky=("tasks/flaky/test_solution.py::test_a",), tests=TestCounts(passed=1, flaky=1)
        ),
        make_task("red", red_on_judge=("tasks/red/test_solution.py::T::test_a",), notes=("1 red",)),
        make_task(
            "unfaithful",
            fidelity=Fidelity(
                accepts_reference=False,
                cases_rejecting=("tasks/unfaithful/test_solution.py::test_a[x]",),
                completed=("sales.tax",),
            ),
        ),
        make_task("diagnosed", obligations=OBLIGATIONS, diagnosis=DIAGNOSIS),
        make_task("ladder", agreement=differing(Category.ALIAS, recovered_by=tuple(Relaxation))),
    ]
    gate = Gate(passed=False, reasons=("false passes: 7 (allowed 0)",), allowed=("unverified: 2 (new)",))
    return make_report(*tasks, gate=gate, listed=("tests/test_solution.py",), notes=("a note",))

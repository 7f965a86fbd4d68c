"""Reports for the page: one that has something of everything, one as large as it gets, and hostile ones."""

from __future__ import annotations

import dataclasses
import difflib

from sample_reports import DIAGNOSIS, OBLIGATIONS, differing, make_report, make_task

from pytest_lockin.model.agreement import Category, FixtureFinding
from pytest_lockin.model.finding import Counted
from pytest_lockin.model.fixture import ShownTable, Witness
from pytest_lockin.model.isolation import Attestation, Isolation, LimitInForce
from pytest_lockin.model.report import Fidelity, Finding, Gate, ProgramFile, TestCounts, VerdictKind
from pytest_lockin.model.trial import (
    AlternativeResult,
    CaseReport,
    Kill,
    OutcomeCounts,
    TrialOutcome,
    TrialSummary,
)
from pytest_lockin.reports.document import Document, make_document

PROGRAM = '''"""Revenue by city."""

import datetime

from pyspark.sql import functions as F

START = datetime.date(2001, 8, 4)  # inclusive


def solve(spark, tables):
    """Join, filter, sum."""
    sales = tables["sales"].filter(F.col("day") >= F.lit(START))
    joined = sales.join(tables["customer"], "customer_id")
    return (
        joined.groupBy("city")
        .agg(F.sum("list_price").alias("revenue"))
        .orderBy(F.desc("revenue"), "city")
        .limit(100)
    )
'''
EDITS = (
    ("a1", TrialOutcome.KILLED, "filter", 'F.col("day") >= F.lit(START)', 'F.col("day") > F.lit(START)'),
    ("a2", TrialOutcome.UNINFECTED, "join", '"customer_id")', '"customer_id", "left")'),
    ("a3", TrialOutcome.UNREVEALED, "metric", '"list_price"', '"net_price"'),
    ("a4", TrialOutcome.UNREACHED, "limit", ".limit(100)", ".limit(101)"),
    ("a5", TrialOutcome.CRASHED, "group", '"city")', '"town")'),
    ("a6", TrialOutcome.NOT_RUN, "", "2001, 8, 4", "2001, 8, 5"),
    ("a7", TrialOutcome.KILLED, "order", 'F.desc("revenue")', 'F.asc("revenue")'),
)
SUITE = "tasks/q04/test_solution.py"
CASES = tuple(f"{SUITE}::{name}" for name in ("test_a", "test_b[1-True]", "test_c"))
INPUTS = (
    ShownTable(
        name="sales", columns=("customer_id", "day", "list_price"), rows=(("1", "2001-08-04", "2.50"),)
    ),
    ShownTable(name="customer", columns=("customer_id", "city"), rows=(("1", "Pau"),)),
)
WITNESS = Witness(
    inputs=INPUTS,
    expected=ShownTable(
        name="expected", columns=("city", "revenue"), rows=(("Pau", "2.00"), ("Lens", "1.00"))
    ),
    found=ShownTable(name="found", columns=("city", "total"), rows=(("Lens", "1.00"), ("Pau", "2.50"))),
    shrunk=True,
)


def make_alternative(identity, outcome, kind, before, after, *, program=PROGRAM, **fields):
    """An edit of the program where `before` first stands."""
    at = program.index(before)
    line = program.count("\n", 0, at) + 1
    column = at - (program.rfind("\n", 0, at) + 1)
    changed = program.replace(before, after, 1)
    diff = difflib.unified_diff(
        program.splitlines(), changed.splitlines(), "solution.py", "solution.py", lineterm=""
    )
    killed = outcome is TrialOutcome.KILLED
    defaults = {
        "id": identity,
        "operator": kind or "generic",
        "kind": kind,
        "text": f"no test notices if {before} becomes {after}",
        "module": "solution",
        "line": line,
        "column": column,
        "end_line": line,
        "end_column": column + len(before),
        "before": before,
        "after": after,
        "diff": "\n".join(diff),
        "outcome": outcome,
        "kill": Kill(case_id=CASES[0], type="AssertionError", message="2 != 3") if killed else None,
        "killers": CASES[:2] if killed else (),
        "engine": "sail",
    }
    return AlternativeResult(**{**defaults, **fields})


def summarise(alternatives, cases=CASES):
    """Trials with these alternatives."""
    numbers = {outcome.value: 0 for outcome in TrialOutcome}
    for each in alternatives:
        numbers[each.outcome.value] += 1
    counts = OutcomeCounts(**numbers)
    return TrialSummary(
        engine="sail",
        counts=counts,
        counts_waived=counts,
        alternatives=tuple(alternatives),
        cases=tuple(
            CaseReport(
                case_id=case,
                kills=sum(case in each.killers for each in alternatives),
                looks_at=("rows", "values"),
                accepts_everything="it asserts nothing" if at == 1 else "",
                too_loose=at == 2,
            )
            for at, case in enumerate(cases)
        ),
        seconds=2.0,
        notes=("1 alternative was not run: the budget was spent",),
    )


def rich_task(name="q04", **fields):
    """A false pass of which everything is known."""
    alternatives = [make_alternative(*edit) for edit in EDITS]
    more = dataclasses.replace(
        alternatives[1], id="a8", waived="customer_id is never NULL", text="no test notices if it is waived"
    )
    defaults = {
        "verdict": VerdictKind.FALSE_PASS,
        "tests": TestCounts(passed=3),
        "agreement": differing(Category.VALUES),
        "fidelity": Fidelity(accepts_reference=False, cases_rejecting=CASES[:1], completed=("sales.tax",)),
        "obligations": (
            dataclasses.replace(
                OBLIGATIONS[0], alternatives=Counted(killed=("a1",), unrevealed=("a3",), uninfected=("a2",))
            ),
            *OBLIGATIONS[1:],
        ),
        "diagnosis": DIAGNOSIS,
        "trials": summarise([*alternatives, more]),
        "program": (ProgramFile(module="solution", path=f"tasks/{name}/solution.py", text=PROGRAM),),
        "fixtures": (
            FixtureFinding(
                name="right", purpose="plain rows", engine="sail", agreement=make_task().agreement
            ),
            FixtureFinding(
                name="net-price",
                purpose="list and net price differ",
                engine="sail",
                agreement=differing(Category.VALUES),
                witness=WITNESS,
            ),
            FixtureFinding(name="gone", purpose="ties", engine="sail", dropped="the reference raises on it"),
        ),
        "findings": (Finding(kind="false_pass", detail="values"),),
        "isolated": True,
        "observed_calls": 4,
    }
    return make_task(name, **{**defaults, **fields})


ISOLATION = Isolation(
    backend="bwrap",
    version="0.11.0",
    processes=9,
    attestations=(
        Attestation(
            role="suite",
            backend="bwrap",
            namespaces=(("mnt", "mnt:[1]"), ("net", "net:[2]")),
            mounts="ab" * 32,
            visible=("/usr", "/tmp"),
            writable=("/tmp",),
            limits=(LimitInForce(name="memory", value=8 << 30, held_by="cgroup v2"),),
            filtered=True,
        ),
    ),
)


def rich_document() -> Document:
    """A page with something in each of its parts, and a suite of each verdict beside the first."""
    others = [rich_task(f"v-{verdict}", verdict=verdict) for verdict in VerdictKind]
    gate = Gate(passed=False, reasons=("false passes: 2 (allowed 0)",), allowed=("unverified: 1 (new)",))
    report = make_report(
        rich_task(),
        *others,
        rich_task("none", verdict=None),
        gate=gate,
        notes=("a note",),
        isolation=ISOLATION,
    )
    return make_document(report)


def large_document(suites: int, alternatives: int) -> Document:
    """As many suites of as many alternatives each, all false passes."""
    steps = [f'        .withColumn("c{at}", F.col("price{at}") * F.lit({at}))' for at in range(alternatives)]
    program = (
        "def solve(spark, tables):\n    return (\n" + "\n".join(["        tables", *steps]) + "\n    )\n"
    )
    cases = tuple(f"tasks/q00/test_solution.py::test_case_{at}" for at in range(20))
    outcomes = (TrialOutcome.KILLED, TrialOutcome.KILLED, TrialOutcome.UNINFECTED, TrialOutcome.UNREVEALED)
    made = [
        make_alternative(
            f"{at:012x}",
            outcomes[at % 4],
            "metric",
            f'F.col("price{at}")',
            f'F.col("cost{at}")',
            program=program,
            killers=cases[at % 13 :] if at % 4 < 2 else (),
        )
        for at in range(alternatives)
    ]
    file = ProgramFile(module="solution", path="solution.py", text=program)
    task = rich_task(trials=summarise(made, cases), program=(file,))
    tasks = [
        dataclasses.replace(task, id=f"q{at:02}", suite=f"tasks/q{at:02}/test_solution.py")
        for at in range(suites)
    ]
    return make_document(make_report(*tasks, gate=Gate(passed=False, reasons=("false passes",))))


# Words of a closed list: nothing a program says gets into them.
_CLOSED = {
    "verdict", "category", "recovered_by", "plan", "code", "tests", "mechanism", "other_mechanisms", "known_by",
    "backend", "outcome",
}  # fmt: skip


def taint(value, mark):
    """The same document with `mark` behind each text that says something and is no word of a closed list."""
    if isinstance(value, str):
        body = value.rstrip("\n")
        return f"{body}{mark}{value[len(body) :]}" if value else ""
    if isinstance(value, tuple):
        return tuple(taint(each, mark) for each in value)
    if isinstance(value, dict):
        return {key: taint(each, mark) for key, each in value.items()}
    if not dataclasses.is_dataclass(value):
        return value
    fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    return dataclasses.replace(
        value,
        **{name: each if _is_closed(name, each) else taint(each, mark) for name, each in fields.items()},
    )


def _is_closed(name, value):
    return name in _CLOSED and not dataclasses.is_dataclass(value)

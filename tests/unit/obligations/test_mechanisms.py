"""Which mechanism what was seen of the cases speaks for, and what the plan says."""

import pyarrow as pa
import pytest
from on_duckdb import SCHEMAS, World, variants_of
from test_diagnose import OBLIGATIONS, REFERENCE, ROWS

from pytest_lockin.frames.frame import Frame
from pytest_lockin.model.finding import (
    CaseEvidence,
    CodeStatus,
    Counted,
    Mechanism,
    PlanStatus,
    TestStatus,
)
from pytest_lockin.model.task import Fragment, Kind, Obligation, Source
from pytest_lockin.obligations.diagnose import Suspect, diagnose
from pytest_lockin.obligations.edits import render
from pytest_lockin.obligations.findings import Seen, conclude_findings, count_tests
from pytest_lockin.obligations.gather import Prober, list_violations
from pytest_lockin.obligations.link import Linker
from pytest_lockin.obligations.mechanism import decide_from_trials, decide_mechanism
from pytest_lockin.obligations.misreading import make_misreadings, read_constants
from pytest_lockin.obligations.plan import read_plan, split_sentences
from pytest_lockin.obligations.wreck import edit_cells, wreck_columns, wreck_rows

REJECTS = CaseEvidence(case_id="rejects", rejects=True, differs=True, looks=True)
BLIND = CaseEvidence(case_id="blind", looks=True, sharpened="net of row 1: 1 -> 2")
COARSE = CaseEvidence(case_id="coarse", looks=True, differs=True)
ELSEWHERE = CaseEvidence(case_id="elsewhere", differs=True)


def decide(*evidence, plan=PlanStatus.PRESENT, about_schema=False):
    return decide_mechanism(evidence, plan, about_schema=about_schema)


def test_a_case_that_fails_on_the_right_program_expects_the_wrong_thing():
    assert decide(REJECTS, BLIND).mechanism is Mechanism.SAME_INCORRECT_LOGIC
    assert decide(REJECTS, about_schema=True).mechanism is Mechanism.CANDIDATE_SCHEMA


def test_rows_that_cannot_show_it_come_before_checks_that_are_too_coarse():
    found = decide(COARSE, BLIND)
    assert found.mechanism is Mechanism.NONDISCRIMINATING_DATA
    assert found.others == (Mechanism.PARTIAL_COVERAGE,)
    assert found.cases == ("blind",)


def test_a_case_that_looks_at_something_else_is_no_evidence():
    assert decide(ELSEWHERE).mechanism is Mechanism.GAP_DESPITE_PLAN
    assert decide(ELSEWHERE, plan=PlanStatus.ABSENT).mechanism is Mechanism.SELF_CONFIRMING_OMISSION


def test_rows_that_could_not_show_it_whatever_they_held_are_not_to_blame():
    assert decide(CaseEvidence(case_id="a", looks=True)).mechanism is Mechanism.GAP_DESPITE_PLAN


@pytest.mark.parametrize(
    ("counted", "mechanism", "status"),
    [
        (Counted(killed=("a",)), None, TestStatus.COVERED),
        (Counted(killed=("a",), unrevealed=("b",)), Mechanism.PARTIAL_COVERAGE, TestStatus.PARTIAL),
        (Counted(uninfected=("b",)), Mechanism.NONDISCRIMINATING_DATA, TestStatus.NOT_COVERED),
        (Counted(), Mechanism.GAP_DESPITE_PLAN, TestStatus.NOT_COVERED),
        (Counted(undecided=("a",)), None, TestStatus.UNKNOWN),
    ],
)
def test_of_an_obligation_that_is_met_trials_decide(counted, mechanism, status):
    found = decide_from_trials(counted, PlanStatus.PRESENT)
    assert (found.mechanism if found else None) is mechanism
    assert count_tests(counted) is status


# The plan.

METRIC = Obligation(
    id="O5",
    kind=Kind.METRIC,
    source=Source.PROMPT,
    fragment=Fragment.SELECT,
    text="The measure is the sum of store net profit.",
    columns=("store_sales.ss_net_profit",),
)


@pytest.mark.parametrize(
    ("plan", "status"),
    [
        ("", PlanStatus.NO_PLAN),
        ("# Plan\n- Sum `ss_net_profit` per brand.\n- Sort.", PlanStatus.PRESENT),
        ("# Plan\n- Total the net profit of each brand.", PlanStatus.PRESENT),
        ("# Plan\n- Join to the calendar.\n- Return 100 rows.", PlanStatus.ABSENT),
    ],
)
def test_a_plan_says_an_obligation_in_columns_or_in_words(plan, status):
    assert read_plan(plan, METRIC).status is status


def test_a_plan_that_says_what_the_program_does_wrong_contradicts():
    found = read_plan(
        "- Project ss_net_paid.\n- Sum it.", METRIC, before=["SUM(ss_net_profit)"], after=["SUM(ss_net_paid)"]
    )
    assert found.status is PlanStatus.CONTRADICTED
    assert found.quote == "Project ss_net_paid."


def test_a_sentence_about_another_obligation_does_not_count():
    kind = Obligation(
        id="O6",
        kind=Kind.TYPE,
        source=Source.HIDDEN,
        text="The summed net profit is decimal(17,2).",
        columns=("total",),
    )
    plan = "- The summed net profit is decimal(17,2)."
    assert read_plan(plan, METRIC, others=(METRIC, kind)).status is PlanStatus.ABSENT
    assert read_plan(plan, kind, others=(METRIC, kind)).status is PlanStatus.PRESENT


def test_quotes_are_exact_pieces_of_the_plan():
    plan = "# Plan\n\nFirst join. Then *sum* it!\n1. Sort `x`\n"
    assert all(sentence in plan for sentence in split_sentences(plan))


# Wrecking.


def frame(**columns):
    return Frame.of(pa.table(columns))


def test_wrecked_columns_hold_other_values_and_nothing_else_moves():
    made = frame(a=[1, 2], b=["x", None])
    shifted = wreck_columns(made, ["a"], "shift").table
    assert set(shifted["a"].to_pylist()) & {1, 2} == set()
    assert shifted["b"].equals(made.table["b"])
    assert wreck_columns(made, ["b"], "null").table["b"].null_count == 2
    assert wreck_columns(made, ["b"], "rename").names == ("a", "b_wrecked")


def test_wrecked_rows_are_one_less_and_one_more():
    made = frame(a=[1, 2])
    assert [wreck_rows(made, how).rows for how in ("less", "more")] == [1, 3]
    assert wreck_rows(frame(a=pa.array([], pa.int32())), "less").rows == 0


def test_one_cell_is_changed_at_a_time():
    made = frame(a=[1, 2], b=["x", "y"])
    for said, edited in edit_cells(made, ["a"], 10):
        changed = [
            (row, name)
            for name in made.names
            for row in range(2)
            if made.table[name][row].as_py() != edited.table[name][row].as_py()
        ]
        assert len(changed) == 1, said
        assert changed[0][1] == "a"


def test_constants_of_a_source_are_read_and_names_of_columns_are_not():
    texts, numbers = read_constants("F.lit('label'); F.col('amount'); tables['t']; x == 7; date(2001, 8, 4)")
    assert "label" in texts
    assert "2001-08-04" in texts
    assert not texts & {"amount", "t"}
    assert "7" in numbers


def test_a_source_that_does_not_parse_holds_no_constants():
    assert read_constants("def (") == (frozenset(), frozenset())


# From end to end, with checks in place of a suite.


class Lab:
    """Cases as functions of a result, run on named data sets."""

    def __init__(self, world, cases):
        self.world, self.cases = world, cases

    @property
    def inputs(self):
        return {name: (data,) for name, (data, _) in self.cases.items()}

    def run(self, sql, tables):
        return self.world.ask(sql, tables)

    def reject(self, program):
        found = {name: program(data) for name, (data, _) in self.cases.items()}
        return frozenset(
            name for name, (_, passes) in self.cases.items() if found[name] is None or not passes(found[name])
        )

    def sharpen(self, tables, columns, most):
        del tables, most
        if {"net", "list"} & set(columns):
            yield "net of row 1: 2 -> 3", "rows"


def rows_of(frame):
    return sorted(map(str, frame.table.to_pylist()))


def conclude(cases, plan="- Sum the net price.", was="sum(net)", became="sum(list)", meant=()):
    same = {**ROWS, "sales": [(1, 4, 2, 2, 1)]}
    world = World(rows=ROWS, same=same)
    candidate = REFERENCE.replace(was, became)
    base = render(REFERENCE)
    edits = (*variants_of(REFERENCE), *make_misreadings(base, SCHEMAS))
    outputs = {"rows": world.ask(candidate, "rows")}
    found = diagnose(
        Suspect(base=base, edits=edits, outputs=outputs),
        world.ask,
        Linker(REFERENCE, SCHEMAS, OBLIGATIONS),
    )
    prober = Prober(base, found, (world.ask(base, "rows"), outputs["rows"]), Lab(world, cases))
    evidence = tuple((each, prober.gather(each)) for each in list_violations(found))
    findings = conclude_findings(OBLIGATIONS, Seen(found=found, plan=plan, evidence=evidence, meant=meant))
    return {each.id: each for each in findings}


@pytest.fixture(scope="module")
def wrong_rows():
    return rows_of(World(rows=ROWS).ask(REFERENCE.replace("sum(net)", "sum(list)"), "rows"))


@pytest.fixture(scope="module")
def same_rows():
    return rows_of(World(rows={**ROWS, "sales": [(1, 4, 2, 2, 1)]}).ask(REFERENCE, "rows"))


def test_a_case_that_expects_the_wrong_values(wrong_rows):
    found = conclude({"case": ("rows", lambda result: rows_of(result) == wrong_rows)})["O2"]
    assert (found.code, found.mechanism) == (CodeStatus.VIOLATED, Mechanism.SAME_INCORRECT_LOGIC)


def test_a_case_whose_rows_hold_the_same_in_both_columns(same_rows):
    found = conclude({"case": ("same", lambda result: rows_of(result) == same_rows)})["O2"]
    assert found.mechanism is Mechanism.NONDISCRIMINATING_DATA
    assert "net of row 1: 2 -> 3" in found.advice


def test_a_case_that_only_asks_that_there_is_a_total():
    found = conclude({"case": ("rows", lambda result: result.table["total"].null_count == 0)})["O2"]
    assert found.mechanism is Mechanism.PARTIAL_COVERAGE


def test_a_case_that_counts_columns_looks_at_no_value():
    names = {"case": ("rows", lambda result: len(result.names) == 2)}
    assert conclude(names)["O2"].mechanism is Mechanism.GAP_DESPITE_PLAN
    found = conclude(names, plan="- Join.")["O2"]
    assert found.mechanism is Mechanism.SELF_CONFIRMING_OMISSION
    assert found.sco


def test_a_case_that_pins_the_candidates_name():
    pinned = {"case": ("rows", lambda result: result.names == ("brand", "amount"))}
    found = conclude(pinned, was="AS total", became="AS amount")
    assert found["O5"].mechanism is Mechanism.CANDIDATE_SCHEMA


def test_obligations_that_are_met_are_said_to_be():
    found = conclude({"case": ("rows", lambda _: True)})
    assert found["O1"].code is CodeStatus.SATISFIED
    assert found["O1"].mechanism is None


def test_a_case_that_is_marked_for_an_obligation_and_does_not_check_it_is_told(wrong_rows):
    cases = {"case": ("rows", lambda result: rows_of(result) == wrong_rows)}
    found = conclude(cases, meant=(("a.py::test_total", "O2"), ("a.py::test_x", "O9")))["O2"]
    assert found.meant == ("a.py::test_total",)
    assert found.advice.startswith("test_total is marked to check it and does so in part only; correct what")

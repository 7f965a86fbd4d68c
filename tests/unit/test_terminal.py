"""The terminal's `lockin` section: worst first, short, never wider than the terminal, every number true."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_reports import AGREES, DIFFERENCES, ROWS, differing, every_kind, make_report, make_task

from pytest_lockin.model.agreement import Agreement, Category, CellSample
from pytest_lockin.model.report import Fidelity, Gate, TestCounts, VerdictKind
from pytest_lockin.reports.terminal import render_terminal


def show(report, **options):
    return [line.text for line in render_terminal(report, **options)]


def block(lines, name):
    """The lines of one task: its own, and those indented below it."""
    start = next(index for index, line in enumerate(lines) if line.startswith(f"tasks/{name} "))
    rest = lines[start + 1 :]
    end = next(index for index, line in enumerate(rest) if not line.startswith(" "))
    return lines[start : start + 1 + end]


def only(task, **options):
    return block(show(make_report(task), **options), task.id)


def test_tasks_stand_worst_first_then_by_path():
    verdicts = {
        "a": VerdictKind.TRUE_PASS,
        "b": VerdictKind.TRUE_FAIL,
        "c": VerdictKind.FALSE_ALARM,
        "d": VerdictKind.UNVERIFIED,
        "f": VerdictKind.FALSE_PASS,
        "e": VerdictKind.FALSE_PASS,
    }
    lines = show(make_report(*(make_task(name, verdict=verdict) for name, verdict in verdicts.items())))
    named = [line[len("tasks/")] for line in lines if line.startswith("tasks/")]
    assert named == ["e", "f", "d", "c", "b", "a"]


def test_verdicts_stand_in_one_column():
    tasks = [
        make_task("q04", verdict=VerdictKind.FALSE_PASS, agreement=differing(Category.VALUES)),
        make_task("q14a-terse", tests=TestCounts(passed=3, failed=1)),
    ]
    lines = show(make_report(*tasks), width=120)
    assert block(lines, "q04")[0].index("FALSE PASS") == block(lines, "q14a-terse")[0].index("TRUE PASS")


@pytest.mark.parametrize("verdict", VerdictKind)
def test_each_verdict_is_said_in_capitals(verdict):
    assert str(verdict).replace("_", " ").upper() in only(make_task(verdict=verdict))[0]


def test_a_false_pass_is_red_and_a_true_pass_green():
    report = make_report(make_task("a", verdict=VerdictKind.FALSE_PASS), make_task("b"))
    markup = {line.text[:7]: line.markup for line in render_terminal(report)}
    assert markup["tasks/a"] == {"red": True}
    assert markup["tasks/b"] == {"green": True}


def test_cases_are_counted_by_how_they_ended():
    counts = TestCounts(passed=5, failed=1, errors=2, skipped=3, flaky=4)
    assert "5 passed, 1 failed, 2 errors, 3 skipped, 4 flaky" in only(make_task(tests=counts), width=200)[0]
    assert "no cases" in only(make_task(tests=TestCounts()))[0]
    assert "1 error " in only(make_task(tests=TestCounts(errors=1)))[0]


def test_a_suite_goes_by_its_folder_and_two_in_one_by_their_files():
    tasks = [make_task("q04"), *(make_task(f"q05{x}", suite=f"tasks/q05/test_{x}.py") for x in "ab")]
    lines = show(make_report(*tasks))
    starts = {line.split()[0] for line in lines if line.startswith("tasks/")}
    assert starts == {"tasks/q04", "tasks/q05/test_a.py", "tasks/q05/test_b.py"}


def crowded():
    cells = tuple(CellSample(row=f"k={n}", column="c", expected="1", found="2") for n in range(9))
    rows = replace(ROWS, cells=cells, columns=tuple((n, f"c{n}", 1) for n in range(9)))
    names = (DIFFERENCES[Category.ALIAS],) * 5
    return make_task(
        verdict=VerdictKind.FALSE_PASS,
        confirmed=False,
        agreement=Agreement(
            agrees=False, category=Category.VALUES, rows_expected=9, differences=(*names, rows)
        ),
        fidelity=Fidelity(accepts_reference=False, cases_rejecting=tuple(f"a::t{n}" for n in range(9))),
        moved="test_a fails on sail and passes on spark",
        flaky=tuple(f"a::f{n}" for n in range(9)),
        red_on_judge=tuple(f"a::r{n}" for n in range(9)),
        notes=("one", "two"),
    )


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_task_takes_twelve_lines_and_says_how_many_are_left_out(width):
    short, long = only(crowded(), width=width), only(crowded(), width=width, verbosity=1)
    assert len(short) == 12
    assert len(long) > 12
    assert short[-1].endswith("more lines (-v)")


def test_what_is_left_out_is_counted_right():
    task = replace(crowded(), agreement=AGREES)
    short, long = only(task, width=200), only(task, width=200, verbosity=1)
    hidden = int(short[-1].split()[1])
    # Verbose output adds one line of its own and completes lists; it does not split or join lines here.
    assert hidden == len(long) - 1 - 11


def test_the_suites_own_findings_are_not_pushed_out_by_many_differences():
    assert any("contradict the reference" in line for line in only(crowded(), width=200))


def test_quiet_is_one_line_a_task():
    assert len(only(crowded(), width=200, verbosity=-1)) == 1


def test_verbose_names_engine_references_and_completed_columns():
    task = make_task(fidelity=Fidelity(accepts_reference=True, completed=("sales.tax",)))
    text = "\n".join(only(task, verbosity=1))
    assert "Sail 0.7.2" in text
    assert "reference.sql" in text
    assert "sales.tax" in text
    assert "sales.tax" not in "\n".join(only(task))


@pytest.mark.parametrize("verbosity", [-1, 0, 1])
@settings(max_examples=30, deadline=None)
@given(width=st.integers(40, 200))
def test_no_line_is_wider_than_the_terminal(verbosity, width):
    lines = show(every_kind(), width=width, verbosity=verbosity)
    # A word cannot be cut; none in this report is that long where a line has been broken before it.
    assert [line for line in lines if len(line) > width and len(line.split()) > 1] == []


def test_a_word_that_cannot_be_cut_is_left_whole():
    path = "/data/" + "x" * 90
    lines = show(
        make_report(make_task(verdict=VerdictKind.UNVERIFIED, reason=f"cannot read {path} now")), width=60
    )
    assert any(line.strip() == path for line in lines)


def test_continuation_lines_are_indented():
    reason = "word " * 60
    lines = only(make_task(verdict=VerdictKind.UNVERIFIED, reason=reason), width=60)
    assert len(lines) > 3
    assert all(line.startswith("    ") for line in lines[1:])
    assert " ".join(" ".join(lines).split()).endswith(reason.strip())


def test_one_long_path_does_not_move_the_others_verdicts():
    long = make_task("long", suite=f"tasks/{'deep/' * 20}test_solution.py")
    lines = show(make_report(make_task("q04"), long), width=80)
    assert block(lines, "q04")[0].index("TRUE PASS") < 60


def test_what_user_code_says_cannot_steer_the_terminal():
    reason = "boom\x1b[2J\r\nand\tmore"
    text = "\n".join(only(make_task(verdict=VerdictKind.UNVERIFIED, reason=reason)))
    assert "\x1b" not in text
    assert "\r" not in text
    assert "and more" in text


def test_a_disagreement_shows_its_differences():
    text = "\n".join(only(make_task(verdict=VerdictKind.FALSE_PASS, agreement=differing(Category.VALUES))))
    assert "expected 12.50, found 13.75" in text


def test_an_unverified_suite_shows_no_differences():
    task = make_task(verdict=VerdictKind.UNVERIFIED, reason="flaky", agreement=differing(Category.VALUES))
    assert "13.75" not in "\n".join(only(task))


def test_a_legal_tie_is_said_although_it_agrees():
    note = "the LIMIT cuts through a tie"
    assert any(note in line for line in only(make_task(agreement=replace(AGREES, notes=(note,)))))


def test_cases_that_contradict_the_reference_are_named_three_at_most():
    def say(number):
        rejecting = tuple(f"tasks/q04/test_solution.py::T::t{n}" for n in range(number))
        fidelity = Fidelity(accepts_reference=False, cases_rejecting=rejecting)
        return "\n".join(only(make_task(fidelity=fidelity), width=200))

    assert "1 case contradicts the reference: t0" in say(1)
    assert "5 cases contradict the reference: t0, t1, t2 and 2 more" in say(5)


def test_a_suite_that_accepts_both_is_told_so_only_where_they_differ():
    words = "no case checks what differs"
    wrong = make_task(verdict=VerdictKind.FALSE_PASS, agreement=differing(Category.VALUES))
    assert words in "\n".join(only(wrong))
    assert words not in "\n".join(only(make_task()))


def test_a_parametrized_case_with_colons_keeps_its_name():
    task = make_task(flaky=("tasks/q04/test_solution.py::TestA::test_a[x::y]",))
    assert "flaky, judged no further: test_a[x::y]" in "\n".join(only(task))


def test_a_partial_suite_has_no_verdict_and_no_details():
    task = make_task(
        verdict=VerdictKind.UNVERIFIED, partial="3 of 5 cases", agreement=differing(Category.VALUES)
    )
    lines = only(task)
    assert "PARTIAL" in lines[0]
    assert "3 of 5 cases ran: no verdict" in lines[0]
    assert "UNVERIFIED" not in lines[0]


def sums(*tasks, **fields):
    lines = show(make_report(*tasks, **fields), width=200)
    return lines[next(index for index, line in enumerate(lines) if set(line) == {"-"}) + 1]


def test_sums_count_verdicts_worst_first_in_their_right_form():
    tasks = [
        make_task("a"),
        make_task("b", verdict=VerdictKind.FALSE_PASS),
        make_task("c", verdict=VerdictKind.FALSE_PASS),
        make_task("d", partial="1 of 2 cases", verdict=VerdictKind.UNVERIFIED),
    ]
    assert sums(*tasks).startswith("2 false passes, 1 true pass, 1 partial; ")


def test_sums_say_what_spark_confirmed_and_no_more():
    yes, no = make_task("a"), make_task("b", confirmed=False)
    assert "; confirmed on Spark in 41 s" in sums(yes)
    assert "; 1 of 2 confirmed on Spark" in sums(yes, no)
    assert "; not confirmed on Spark; 41 s" in sums(no)
    assert "; not confirmed on Spark (no Java); 41 s" in sums(no, java=False)
    unjudged = make_task(verdict=VerdictKind.UNVERIFIED, agreement=None, confirmed=False)
    assert "nothing judged" in sums(unjudged)


def test_a_short_time_is_not_rounded_to_none():
    assert "under 1 s" in sums(make_task(), seconds=0.3)


def test_without_references_there_is_no_verdict_anywhere():
    task = make_task(verdict=None, agreement=None, observed_calls=1, fidelity=Fidelity(), confirmed=False)
    lines = show(make_report(task, with_references=False), width=200)
    assert "EXAMINED" in lines[0]
    assert "1 call of the entry point recorded; no reference, no verdict" in lines[0]
    assert any(line.startswith("1 suite examined; give --lockin-reference DIR") for line in lines)
    assert not any("not confirmed" in line for line in lines)


def test_the_separator_is_as_wide_as_the_terminal():
    assert "-" * 97 in show(make_report(make_task()), width=97)


def test_the_gate_line_is_last_and_gives_reasons_and_allowances():
    gate = Gate(passed=False, reasons=("false passes: 1 (allowed 0)", "unverified: 2 (allowed 0)"))
    last = render_terminal(make_report(make_task(), gate=gate), width=120)[-1]
    assert last.text == "lockin gate: FAILED  false passes: 1 (allowed 0); unverified: 2 (allowed 0)"
    assert last.markup == {"red": True, "bold": True}
    allowed = Gate(passed=True, allowed=("unverified: 1 (no data yet)",))
    last = render_terminal(make_report(make_task(), gate=allowed), width=120)[-1]
    assert last.text == "lockin gate: passed  allowed unverified: 1 (no data yet)"


def test_a_report_without_tasks_is_its_gate_line():
    assert show(make_report()) == ["lockin gate: passed"]


def test_suites_without_a_task_are_listed_three_at_most():
    listed = tuple(f"p{n}/test_solution.py" for n in range(5))
    text = " ".join(show(make_report(listed=listed), width=300))
    assert "p2/test_solution.py and 2 more" in text
    assert "p4/test_solution.py" in " ".join(show(make_report(listed=listed), width=300, verbosity=1))


def test_others_lines_stand_before_the_sums_as_they_are():
    lines = show(make_report(make_task()), width=40, extra=["theirs " * 20])
    assert "theirs " * 20 in lines
    assert lines.index("theirs " * 20) < lines.index("-" * 40)

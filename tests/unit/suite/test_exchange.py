"""Results of xdist's workers: what was written is what is read, put together by suite."""

from pytest_lockin.model.suite import (
    Argument,
    CaseRun,
    LiveResult,
    Observation,
    Outcome,
    Raised,
    RaisedAt,
    Returned,
    ReturnedOther,
    StoredFrame,
    Suite,
    SuiteRun,
)
from pytest_lockin.suite import exchange
from pytest_lockin.suite.exchange import read_results, write_result

FRAME = StoredFrame(digest="ab", rows=1, columns=2, size=3)
OUTCOMES = (
    Returned(parts=(("", FRAME),)),
    Raised(type="KeyError", message="'ü'", at=RaisedAt.OUTPUT),
    ReturnedOther(type="int"),
)


def result(suite="a", told=("one",), *, moved="", trouble=(), engine="sail"):
    seen = tuple(
        Observation(
            number=number,
            place="call",
            fixture="",
            arguments=(Argument(parameter="tables", key="orders", frame=FRAME),),
            outcome=outcome,
        )
        for number, outcome in enumerate(OUTCOMES)
    )
    cases = tuple(
        CaseRun(case_id=case, outcome=Outcome.PASSED, engine=engine, observations=(0, 2)) for case in told
    )
    return LiveResult(
        suite=Suite(id=f"{suite}/test_solution.py", path="/x", task_id=suite),
        told=cases,
        case_ids=("one", "two", "[ü::☃]"),
        runs=(SuiteRun(suite_id=suite, engine=engine, cases=cases, observations=seen, store="/s"),),
        engine=engine,
        moved=moved,
        trouble=trouble,
    )


def test_a_result_comes_back_as_it_was(tmp_path):
    write_result(tmp_path, result())
    assert read_results(tmp_path) == (result(),)


def test_suites_come_in_order_of_their_ids(tmp_path):
    for suite in ("b", "c", "a"):
        write_result(tmp_path, result(suite))
    assert [each.suite.task_id for each in read_results(tmp_path)] == ["a", "b", "c"]


def test_parts_of_one_suite_are_joined(tmp_path, monkeypatch):
    parts = [
        result(told=("one",), trouble=("cannot be collected",)),
        result(told=("two",), moved="fails on sail", engine="spark", trouble=("cannot be collected",)),
    ]
    for number, part in enumerate(parts):
        monkeypatch.setattr(exchange.os, "getpid", lambda number=number: number)
        write_result(tmp_path, part)
    (joined,) = read_results(tmp_path)
    assert [run.case_id for run in joined.told] == ["one", "two"]
    assert (joined.engine, joined.moved) == ("spark", "fails on sail")
    assert joined.trouble == ("cannot be collected",)
    assert len(joined.runs) == 2
    assert joined.partial


def test_a_draft_that_was_not_finished_is_not_read(tmp_path):
    write_result(tmp_path, result())
    (tmp_path / "zz-1.live.draft").write_text("{")
    assert len(read_results(tmp_path)) == 1

"""One engine looks, another judges: whose word is told when a case is red, or a worker dies."""

import json

import pytest

from pytest_lockin.errors import WorkerCrashedError
from pytest_lockin.model.messages import Collected, Finished, PhaseDone
from pytest_lockin.model.suite import Case, MarkData
from pytest_lockin.suite.live import UNCONFIRMED, LiveSuite, read_meant

DEAD = WorkerCrashedError(expected="an answer", found="it ended: signal SIGSEGV", hint="none")


class FakeSession:
    """Plays a script of `case:phase -> outcome`; what is not in it passes."""

    def __init__(self, engine, script, failed_collection=""):
        self.engine, self.script, self.failed = engine, script, failed_collection
        self.asked, self.alive, self.errors = [], True, []

    def collect(self):
        if self.failed == "dead":
            self.alive = False
            raise DEAD
        report = {"nodeid": "s.py", "outcome": "failed", "longrepr": f"E {self.failed}"}
        return Collected(cases=(), reports=(json.dumps(report),) if self.failed else ())

    def run_phase(self, case_id, when, next_case=""):
        assert self.alive, "a dead worker is asked"
        self.asked.append(f"{case_id}:{when}")
        outcome = self.script.get(f"{case_id}:{when}", "passed")
        if outcome == "dead":
            self.alive = False
            raise DEAD
        return PhaseDone(report=json.dumps({"when": when, "outcome": outcome, "by": self.engine}))

    def kill(self):
        self.alive = False

    def finish(self):
        self.alive = False
        return Finished()

    def as_run(self):
        return self.engine


@pytest.fixture
def stage():
    def stage(sail=None, spark=None, *, judging="spark", failed=None):
        scripts = {"sail": sail or {}, "spark": spark or {}}
        opened = []

        def open_session(engine, conf):
            session = FakeSession(engine, scripts[engine], (failed or {}).get(engine, ""))
            opened.append(session)
            return session

        live = LiveSuite(open_session, looking="sail", judging=judging)
        return live, opened

    return stage


def told(done):
    report = json.loads(done.report)
    return report["outcome"], report["by"], report["when"]


def run(live, case="a"):
    return [told(live.run_phase(case, when)) for when in ("setup", "call", "teardown")]


def test_green_is_told_and_the_judge_is_not_started(stage):
    live, opened = stage()
    assert run(live) == [("passed", "sail", when) for when in ("setup", "call", "teardown")]
    assert [session.engine for session in opened] == ["sail"]
    assert (live.engine, live.moved) == ("sail", "")


def test_red_on_both_is_told_in_the_judges_words_and_torn_down_on_both(stage):
    live, opened = stage({"a:call": "failed"}, {"a:call": "failed"})
    assert run(live)[1:] == [("failed", "spark", "call"), ("passed", "spark", "teardown")]
    sail, spark = opened
    assert sail.asked == spark.asked == ["a:setup", "a:call", "a:teardown"]
    assert live.moved == ""
    assert run(live, "b")[1] == ("passed", "sail", "call")


def test_red_on_sail_and_green_on_spark_moves_the_suite(stage):
    live, opened = stage({"s.py::a:call": "failed"})
    assert run(live, "s.py::a")[1] == ("passed", "spark", "call")
    assert live.moved == "a fails on sail and passes on spark"
    assert live.engine == "spark"
    assert not opened[0].alive
    assert run(live, "b")[1] == ("passed", "spark", "call")
    assert live.runs() == ("sail", "spark")


def test_a_judge_that_skips_in_setup_runs_no_call(stage):
    live, opened = stage({"a:call": "failed"}, {"a:setup": "skipped"})
    assert run(live)[1] == ("skipped", "spark", "call")
    assert opened[1].asked == ["a:setup", "a:teardown"]
    assert live.moved


def test_a_judge_that_fails_earlier_is_told_in_the_phase_that_was_asked(stage):
    live, _ = stage({"a:call": "failed"}, {"a:setup": "failed"})
    assert run(live)[1] == ("failed", "spark", "call")


def test_without_a_judge_red_is_marked_as_not_confirmed(stage):
    live, _ = stage({"a:call": "failed"}, judging="")
    report = json.loads(live.run_phase("a", "call").report)
    assert report["sections"] == [["lockin", UNCONFIRMED]]


def test_a_judge_that_dies_confirms_nothing_and_that_is_remembered(stage):
    live, _ = stage({"a:call": "failed"}, {"a:call": "dead"})
    report = json.loads(live.run_phase("a", "call").report)
    assert (report["outcome"], report["sections"]) == ("failed", [["lockin", UNCONFIRMED]])
    assert "SIGSEGV" in live.judge_trouble


def test_a_worker_that_dies_on_sail_only_moves_the_suite(stage):
    live, _ = stage({"a:call": "dead"})
    assert run(live) == [
        ("passed", "sail", "setup"),
        ("passed", "spark", "call"),
        ("passed", "spark", "teardown"),
    ]
    assert "a cannot be run on sail" in live.moved


def test_a_worker_that_dies_on_both_is_a_crash_and_the_next_case_gets_a_fresh_one(stage):
    live, opened = stage({"a:call": "dead"}, {"a:call": "dead"})
    live.run_phase("a", "setup")
    with pytest.raises(WorkerCrashedError):
        live.run_phase("a", "call")
    assert run(live, "b")[1] == ("passed", "sail", "call")
    assert [session.engine for session in opened] == ["sail", "spark", "sail"]


def test_without_a_judge_a_crash_is_a_crash(stage):
    live, _ = stage({"a:call": "dead"}, judging="")
    with pytest.raises(WorkerCrashedError):
        live.run_phase("a", "call")
    assert live.moved == ""


@pytest.mark.parametrize(
    ("failed", "moved"),
    [
        ({"sail": "no RDD here"}, "it cannot be collected on sail: s.py: no RDD here"),
        ({"sail": "dead"}, "it cannot be collected on sail: "),
        ({"sail": "same", "spark": "same"}, ""),
    ],
)
def test_a_collection_that_fails_is_tried_on_the_judge(stage, failed, moved):
    live, _ = stage(failed=failed)
    collected = live.collect()
    assert live.moved.startswith(moved)
    assert bool(live.moved) is bool(moved)
    assert len(collected.reports) == int("spark" in failed)


def test_killed_from_outside_it_starts_afresh(stage):
    live, opened = stage()
    live.run_phase("a", "setup")
    live.kill()
    assert run(live, "b")[0] == ("passed", "sail", "setup")
    assert opened[0].errors == ["killed from outside while it ran"]


def test_cases_are_read_for_the_obligations_they_are_marked_with():
    marks = (
        MarkData(name="lockin", args_json='["O1", 3]'),
        MarkData(name="lockin", kwargs_json='{"obligation": "O2", "other": "O3"}'),
        MarkData(name="slow", args_json='["O4"]'),
        MarkData(name="lockin", args_json='["O1"]'),
    )
    cases = [Case(id="a::t", names=("t",), marks=marks), Case(id="a::u", names=("u",))]
    assert read_meant(cases) == (("a::t", "O1"), ("a::t", "O2"))

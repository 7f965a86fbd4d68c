"""Handing out work, with workers made of answers: dead ones replaced, inconclusive trials retried alone."""

import threading

import pytest
from results import mutant

from pytest_lockin.errors import EngineError, WorkerCrashedError, WorkerTimedOutError
from pytest_lockin.model.trial import Prepared, Probed, TrialOutcome, Tried
from pytest_lockin.trials.plan import TrialPlan, count_workers, spread, trial_limit
from pytest_lockin.trials.run import run_trials

GONE = {"expected": "an answer", "found": "none", "hint": "none"}


class Host:
    """Answers from a script: alternative id -> outcomes or errors, one per attempt."""

    def __init__(self, world):
        self.world = world
        self.prepared = Prepared()
        self.gone = False

    def prepare(self):
        self.prepared = self.world.prepared
        if isinstance(self.prepared, Exception):
            raise self.prepared
        return self.prepared

    def try_one(self, request, limit):
        assert not self.gone, "asked after its end"
        assert limit == trial_limit(self.prepared.seconds)
        with self.world.lock:
            self.world.asked.append(request.id)
            script = self.world.script.get(request.id, ["killed"])
            answer = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(answer, BaseException):
            self.gone = True
            raise answer
        return Tried(id=request.id, outcome=TrialOutcome(answer))

    def probe(self, limit):
        return Probed(cases=())

    def stop(self):
        self.gone = True

    kill = stop


class World:
    def __init__(self, prepared=Prepared(seconds=0.5), **script):  # noqa: B008 - frozen
        self.prepared = prepared
        self.script = script
        self.asked = []
        self.hosts = []
        self.lock = threading.Lock()

    def open(self):
        self.hosts.append(Host(self))
        return self.hosts[-1]

    def run(self, *names, plan=TrialPlan(), **more):  # noqa: B008 - frozen
        run = run_trials([mutant(name) for name in names], self.open, plan, **more)
        assert all(host.gone for host in self.hosts), "a worker was left behind"
        return run


def outcomes(run):
    return {name: str(tried.outcome) for name, tried in run.tried.items()}


def test_every_alternative_gets_its_answer_and_it_is_kept_as_it_comes():
    kept = []
    run = World(b=["unrevealed"]).run("a", "b", keep=lambda m, t: kept.append((m.id, str(t.outcome))))
    assert outcomes(run) == {"a": "killed", "b": "unrevealed"}
    assert kept == [("a", "killed"), ("b", "unrevealed")]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(WorkerTimedOutError(**GONE), "timed_out"), (WorkerCrashedError(**GONE), "harness_error")],
)
def test_what_gives_no_answer_is_tried_once_more_alone_and_is_never_a_kill(error, outcome):
    world = World(b=[error, error])
    run = world.run("a", "b", "c")
    assert outcomes(run) == {"a": "killed", "b": outcome, "c": "killed"}
    assert world.asked == ["a", "b", "c", "b"]
    assert len(world.hosts) == 2


def test_a_time_out_in_the_batch_that_is_fine_alone_is_its_answer():
    world = World(b=[WorkerTimedOutError(**GONE), "uninfected"])
    assert outcomes(world.run("a", "b")) == {"a": "killed", "b": "uninfected"}


def test_a_refusal_of_the_controls_runs_nothing_and_says_why():
    run = World(Prepared(refusal="test_a is red")).run("a")
    assert (run.refusal, run.tried) == ("test_a is red", {})


def test_a_worker_that_cannot_start_is_a_refusal():
    error = EngineError(expected="Sail to start", found="no room", hint="none")
    assert "no room" in World(error).run("a").refusal


def test_a_spent_budget_leaves_the_rest_not_run():
    run = World().run("a", "b", plan=TrialPlan(budget=0.0))
    assert outcomes(run) == {"a": "not_run", "b": "not_run"}


def test_several_workers_share_the_work():
    world = World()
    names = [f"m{n}" for n in range(400)]
    run = world.run(*names, plan=TrialPlan(workers=3))
    assert sorted(world.asked) == sorted(names)
    assert len(run.tried) == 400
    assert len(world.hosts) == 3


def test_an_interrupt_ends_the_worker():
    world = World(b=[KeyboardInterrupt()])
    with pytest.raises(KeyboardInterrupt):
        run_trials([mutant("a"), mutant("b")], world.open, TrialPlan())
    assert all(host.gone for host in world.hosts)


def test_more_workers_are_booted_only_for_enough_work():
    plan = TrialPlan(workers=8)
    assert [count_workers(plan, n) for n in (0, 1, 150, 151, 9000)] == [1, 1, 1, 2, 8]


def test_a_budget_meets_every_kind_of_obligation_in_turn():
    made = [mutant(f"j{n}", "join") for n in range(3)] + [mutant("f", "filter"), mutant("g", "")]
    assert [each.id for each in spread(made)] == ["f", "j0", "j1", "j2", "g"]


def test_the_limit_grows_with_the_clean_run():
    assert trial_limit(30.0) > trial_limit(1.0) >= 10.0


def test_nothing_to_try_starts_no_worker():
    world = World()
    assert world.run().tried == {}
    assert world.hosts == []

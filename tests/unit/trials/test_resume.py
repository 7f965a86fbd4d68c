"""What an earlier answer is worth after an edit, and trials beside such answers."""

from dataclasses import replace

import pytest

from pytest_lockin.model.alternative import Mutant, Site
from pytest_lockin.model.trial import CaseCalls, CaseReport, Kill, Prepared, TrialOutcome, Tried
from pytest_lockin.trials.cache import Fingerprint, TrialCache
from pytest_lockin.trials.kept import run_kept
from pytest_lockin.trials.plan import TrialPlan
from pytest_lockin.trials.resume import Again, KeptTrial, Now, combine, look_again, restore

BEFORE = Now(
    shared="s",
    cases=(("a", "1"), ("b", "1"), ("c", "1")),
    inputs=(("a", "x"), ("b", "x"), ("c", "y")),
    entry_only=True,
)
SURVIVOR = KeptTrial(
    format=2,
    shared="s",
    cases=BEFORE.cases,
    inputs=BEFORE.inputs,
    outcome=TrialOutcome.UNREVEALED,
    changed=1,
    reached=("a", "b", "c"),
    saw=("a", "b"),
)
KILLED = replace(SURVIVOR, outcome=TrialOutcome.KILLED, kill=Kill(case_id="b", type="AssertionError"))


def edit(case, **changes):
    """The suite with one case edited."""
    cases = tuple((name, "2" if name == case else code) for name, code in BEFORE.cases)
    return replace(BEFORE, cases=cases, **changes)


def cases_again(kept, now, **how):
    again = look_again(kept, now, **how)
    return None if again is None else again.cases


@pytest.mark.parametrize(
    ("edited", "changes", "expected"),
    [
        ("a", {}, ("a",)),
        # c was never given another output, and is given what it was given before.
        ("c", {}, ()),
        ("c", {"inputs": (("a", "x"), ("b", "x"), ("c", "z"))}, ("c",)),
        ("c", {"inputs": (("a", "x"), ("b", "x"))}, ("c",)),
        ("c", {"entry_only": False}, ("c",)),
    ],
    ids=["saw", "did-not-see", "other-input", "input-unknown", "takes-more"],
)
def test_a_survivor_is_tried_again_on_edited_cases_that_may_see_it(edited, changes, expected):
    assert cases_again(SURVIVOR, edit(edited, **changes)) == expected


def test_a_kill_stands_until_the_case_that_noticed_is_edited():
    assert cases_again(KILLED, edit("a")) == ()
    assert cases_again(KILLED, edit("b")) == ("b",)
    assert cases_again(KILLED, replace(BEFORE, cases=BEFORE.cases[:1])) is None


def test_nothing_stands_where_shared_code_changed_or_a_matrix_is_asked_for():
    assert look_again(SURVIVOR, replace(BEFORE, shared="t")) is None
    assert look_again(SURVIVOR, BEFORE, matrix=True) is None
    assert look_again(replace(SURVIVOR, matrix=True), edit("a"), matrix=True) is None


def test_a_crash_is_tried_anew_when_a_case_that_may_have_seen_it_is_edited():
    crashed = replace(SURVIVOR, outcome=TrialOutcome.CRASHED)
    assert look_again(crashed, edit("a")) is None
    assert cases_again(crashed, edit("c")) == ()


def test_a_new_case_is_looked_at_by_every_survivor():
    now = replace(BEFORE, cases=(*BEFORE.cases, ("d", "1")))
    assert cases_again(SURVIVOR, now) == ("d",)


@pytest.mark.parametrize(
    ("again", "found", "expected"),
    [
        (("a",), "killed", "killed"),
        (("a",), "crashed", "crashed"),
        # b still sees another output.
        (("a",), "uninfected", "unrevealed"),
        # Both that saw it were edited, and neither is given that input any more.
        (("a", "b"), "uninfected", "uninfected"),
        (("a", "b"), "unreached", "uninfected"),
        (("a", "b", "c"), "unreached", "unreached"),
        (("c",), "unrevealed", "unrevealed"),
    ],
)
def test_old_and_new_answers_of_a_survivor_are_put_together(again, found, expected):
    whole = combine(Again(kept=SURVIVOR, cases=again), Tried(id="m", outcome=TrialOutcome(found)), BEFORE)
    assert whole.outcome == expected


def test_a_kill_that_is_no_more_says_nothing_of_the_cases_behind_it():
    tried = Tried(id="m", outcome=TrialOutcome.UNREVEALED)
    assert combine(Again(kept=KILLED, cases=("b",)), tried, BEFORE) is None


def test_what_only_cases_that_are_gone_had_seen_is_seen_no_more():
    left = replace(BEFORE, cases=BEFORE.cases[2:])
    assert restore("m", SURVIVOR, left).outcome == "uninfected"
    assert restore("m", replace(SURVIVOR, reached=("a",)), left).outcome == "unreached"
    assert restore("m", SURVIVOR, BEFORE).outcome == "unrevealed"


# Running.


class Host:
    """A trial worker whose cases notice what they are told to."""

    opened: list = []  # noqa: RUF012 - cleared by the fixture below

    def __init__(self, cases, notices):
        self.opened.append(cases)
        self.asked = []
        self._notices = notices
        names = cases or ("a", "b", "c")
        self.prepared = Prepared(calls=tuple(CaseCalls(case_id=case, calls=()) for case in names))

    def prepare(self):
        return self.prepared

    def try_one(self, request, limit):
        cases = [case for case in ("a", "b", "c") if not request.only or case in request.only]
        killer = next((case for case in cases if request.id in self._notices.get(case, ())), None)
        if killer is not None:
            kill = Kill(case_id=killer, type="AssertionError")
            return Tried(id=request.id, outcome=TrialOutcome.KILLED, kill=kill)
        seen = tuple(cases)
        return Tried(id=request.id, outcome=TrialOutcome.UNREVEALED, changed=1, reached=seen, saw=seen)

    def stop(self):
        pass

    kill = stop


@pytest.fixture
def run(tmp_path):
    Host.opened = []

    def run(now, notices):
        site = Site(line=1, column=0, end_line=1, end_column=1)
        mutants = [
            Mutant(id=name, operator="o", kind=None, text="", diff="", site=site, before="", after="")
            for name in ("m1", "m2")
        ]
        cache = TrialCache(tmp_path, Fingerprint(program="p" * 30, now=now))
        kept = run_kept(mutants, lambda cases: Host(cases, notices), TrialPlan(), cache)
        return {name: str(each.outcome) for name, each in kept.tried.items()}, kept

    return run


def test_a_second_run_opens_no_worker(run):
    first, _ = run(BEFORE, {"b": ("m1",)})
    assert first == {"m1": "killed", "m2": "unrevealed"}
    second, kept = run(BEFORE, {})
    assert second == first
    assert kept.cached == {"m1", "m2"}
    assert Host.opened == [()]


def test_after_an_edit_only_the_edited_case_is_run(run):
    run(BEFORE, {"b": ("m1",)})
    found, kept = run(edit("a"), {"a": ("m2",)})
    assert found == {"m1": "killed", "m2": "killed"}
    assert kept.cached == {"m1"}
    assert Host.opened == [(), ("a",)]


def test_an_edited_case_that_notices_no_more_has_the_others_tried(run):
    run(BEFORE, {"b": ("m1",)})
    found, kept = run(edit("b"), {"c": ("m1",)})
    assert found == {"m1": "killed", "m2": "unrevealed"}
    assert kept.tried["m1"].kill.case_id == "c"
    assert Host.opened == [(), ("b",), ()]


def test_reports_of_cases_are_kept_beside_their_code(tmp_path):
    cache = TrialCache(tmp_path, Fingerprint(program="p" * 30, now=BEFORE))
    reports = [CaseReport(case_id=case, accepts_everything="it asserts nothing") for case in ("a", "b")]
    cache.keep_cases(reports)
    after = TrialCache(tmp_path, Fingerprint(program="p" * 30, now=edit("a")))
    assert after.find_cases() == (reports[1],)
    after.keep_cases([CaseReport(case_id="a")])
    assert {each.case_id: each.accepts_everything for each in after.find_cases()} == {
        "a": "",
        "b": "it asserts nothing",
    }

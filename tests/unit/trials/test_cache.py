"""Answers kept between runs: what an edit leaves standing, and what it does not."""

import textwrap
from dataclasses import replace

import pytest

from pytest_lockin.model.trial import Kill, TrialOutcome, Tried
from pytest_lockin.trials.cache import TrialCache, split_cases, take_fingerprint
from pytest_lockin.trials.resume import Again

TESTS = """
    import pytest

    @pytest.fixture
    def rows():
        return [1, 2]

    def test_a(rows):
        assert rows == [1, 2]

    def test_b(rows):
        assert len(rows) == 2

    class TestC:
        def test_c(self, rows):
            assert rows
"""
CASES = ("test_solution.py::test_a", "test_solution.py::test_b", "test_solution.py::TestC::test_c")
KILLED = Tried(id="k", outcome=TrialOutcome.KILLED, kill=Kill(case_id=CASES[0], type="AssertionError"))
SURVIVED = Tried(id="s", outcome=TrialOutcome.UNREVEALED, changed=1, reached=CASES[1:], saw=(CASES[1],))
CRASHED = Tried(id="c", outcome=TrialOutcome.CRASHED, detail="TypeError: no")


@pytest.fixture
def write(tmp_path):
    def write(tests=TESTS, world=("sail 0.7",), cases=CASES, **files):
        folder = tmp_path / "suite"
        folder.mkdir(exist_ok=True)
        for name, text in {"solution": "X = 1\n", **files}.items():
            (folder / f"{name}.py").write_text(text)
        (folder / "test_solution.py").write_text(textwrap.dedent(tests))
        taken = take_fingerprint(
            folder / "test_solution.py", tmp_path, [folder / "solution.py"], cases, world
        )
        return TrialCache(tmp_path / "cache", taken)

    return write


@pytest.fixture
def filled(write):
    """After a first run that kept one answer of each sort."""
    cache = write()
    for tried in (KILLED, SURVIVED, CRASHED):
        cache.keep(tried)
    return write


def found(cache):
    """Answers that stand as they are."""
    return {name for name in "ksc" if isinstance(cache.find(name), Tried)}


def to_look_at_again(cache):
    """Answers that stand but for some cases, with those."""
    answers = {name: cache.find(name) for name in "ksc"}
    return {name: each.cases for name, each in answers.items() if isinstance(each, Again)}


def test_nothing_changed_keeps_every_answer(filled):
    cache = filled()
    assert [cache.find(tried.id) for tried in (KILLED, SURVIVED, CRASHED)] == [KILLED, SURVIVED, CRASHED]


def test_an_edited_case_keeps_the_kills_of_the_others_and_no_survivor(filled):
    cache = filled(TESTS.replace("len(rows) == 2", "len(rows) == 3"))
    assert found(cache) == {"k"}
    assert to_look_at_again(cache) == {"s": (CASES[1],)}


def test_an_edited_killer_loses_its_kill(filled):
    cache = filled(TESTS.replace("rows == [1, 2]\n", "rows\n"))
    assert found(cache) == set()
    assert to_look_at_again(cache) == {"k": (CASES[0],), "s": (CASES[0],)}


def test_a_new_case_brings_survivors_back(filled):
    more = TESTS + "\n    def test_d():\n        assert True\n"
    assert found(filled(more, cases=(*CASES, "test_solution.py::test_d"))) == {"k"}


def test_a_case_that_is_gone_loses_its_kills(filled):
    cache = filled(cases=CASES[1:])
    assert cache.find("k") is None
    assert cache.find("s").outcome == "unrevealed"
    assert cache.find("c") is None


@pytest.mark.parametrize(
    "change",
    [
        {"tests": TESTS.replace("return [1, 2]", "return [2, 1]")},
        {"conftest": "X = 2\n"},
        {"helpers": "def help():\n    pass\n"},
        {"solution": "X = 2\n"},
        {"world": ("sail 0.8",)},
    ],
    ids=["fixture", "conftest", "helper", "program", "engine"],
)
def test_whatever_all_cases_share_loses_everything(filled, change):
    assert found(filled(**change)) == set()


def test_moving_and_commenting_cases_changes_nothing(filled):
    moved = TESTS.replace("    def test_a", "    # a remark\n\n\n    def test_a")
    assert found(filled(moved)) == set("ksc")


def test_a_data_file_beside_the_suite_counts(filled, tmp_path):
    (tmp_path / "suite" / "orders.csv").write_text("1,2\n")
    assert found(filled()) == set()


def test_a_conftest_above_counts(filled, tmp_path):
    (tmp_path / "conftest.py").write_text("X = 1\n")
    assert found(filled()) == set()


def test_bytecode_and_caches_do_not_count(filled, tmp_path):
    (tmp_path / "suite" / "__pycache__").mkdir()
    (tmp_path / "suite" / "__pycache__" / "solution.pyc").write_bytes(b"x")
    assert found(filled()) == set("ksc")


def test_what_gave_no_answer_is_not_kept(write):
    cache = write()
    for outcome in ("timed_out", "harness_error", "not_run"):
        cache.keep(replace(SURVIVED, id=outcome, outcome=TrialOutcome(outcome)))
        assert cache.find(outcome) is None


def test_running_one_alternative_again_leaves_the_others(filled):
    cache = filled()
    cache.keep(replace(SURVIVED, outcome=TrialOutcome.UNINFECTED))
    assert cache.find("s").outcome == "uninfected"
    assert cache.find("k") == KILLED


def test_a_torn_or_foreign_file_is_no_answer(filled, tmp_path):
    for path in (tmp_path / "cache").rglob("*.json"):
        path.write_bytes(b'{"format": 99}')
    assert found(filled()) == set()
    for path in (tmp_path / "cache").rglob("*.json"):
        path.write_bytes(b"\xff\x00torn")
    assert found(filled()) == set()


def test_no_draft_is_left(filled, tmp_path):
    filled()
    assert not list((tmp_path / "cache").rglob(".draft-*"))


def test_an_earlier_survivor_is_known_although_its_answer_no_longer_stands(filled):
    cache = filled(TESTS.replace("return [1, 2]", "return [2, 1]"))
    assert cache.survived_before("s")
    assert not cache.survived_before("k")
    assert not cache.survived_before("unheard of")


def test_a_matrix_needs_answers_of_a_matrix_run(filled):
    cache = filled()
    assert cache.find("k", matrix=True) is None
    cache.keep(replace(KILLED, killers=(CASES[0],)), matrix=True)
    assert cache.find("k", matrix=True) is not None


def test_who_else_notices_is_not_known_any_more_once_a_case_is_edited(write):
    cache = write()
    cache.keep(replace(KILLED, killers=CASES[:2]), matrix=True)
    assert cache.find("k").killers == CASES[:2]
    assert write(TESTS.replace("len(rows) == 2", "len(rows) == 3")).find("k").killers == ()


def test_cases_are_taken_out_of_a_test_file_by_name():
    rest, bodies = split_cases(textwrap.dedent(TESTS))
    assert sorted(bodies) == ["TestC::test_c", "test_a", "test_b"]
    assert "rows" in rest
    assert "test_a" not in rest


def test_a_suite_outside_the_root_folder_has_a_fingerprint_too(tmp_path):
    suite = tmp_path / "elsewhere" / "test_solution.py"
    suite.parent.mkdir()
    suite.write_text("def test_a(): pass\n")
    (suite.parent / "plan.md").write_text("plan\n")
    root = tmp_path / "root"
    root.mkdir()
    first = take_fingerprint(suite, root, [], ["a"], ["world"])
    (suite.parent / "plan.md").write_text("another plan\n")
    assert take_fingerprint(suite, root, [], ["a"], ["world"]).now.shared != first.now.shared

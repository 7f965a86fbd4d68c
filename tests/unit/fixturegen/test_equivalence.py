"""Proofs of equivalence: each rule proves its pairs, no rule proves a near miss, and proofs hold on data."""

import duckdb
import pytest
from equivalence_pairs import DIFFERENT, EQUAL, PROFILE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_tables import SmallTables, for_duckdb, run

from pytest_lockin.fixturegen.equivalence import RULES, Proof, Prover, prove_equivalent

PAIRS = [(rule, *pair) for rule, pairs in EQUAL.items() for pair in pairs]


@pytest.mark.parametrize(("rule", "one", "other"), PAIRS)
def test_each_rule_proves_its_pairs_in_both_directions(rule, one, other):
    assert [prove_equivalent(*pair, PROFILE) for pair in ((one, other), (other, one))] == [
        Proof(rule=rule, reason=RULES[rule])
    ] * 2


@pytest.mark.parametrize("why", DIFFERENT)
def test_near_misses_are_not_proved(why):
    one, other = DIFFERENT[why]
    assert prove_equivalent(one, other, PROFILE) is None
    assert prove_equivalent(other, one, PROFILE) is None


def test_a_mined_fact_is_named_only_where_the_proof_needs_it():
    one, other = "SELECT id FROM shops ORDER BY ident, name", "SELECT id FROM shops ORDER BY ident"
    assert prove_equivalent(one, other, PROFILE).assumed == ("shops(ident) is unique",)
    one, other = "SELECT id FROM shops ORDER BY ident, id, name", "SELECT id FROM shops ORDER BY ident, id"
    assert prove_equivalent(one, other, PROFILE).assumed == ()


def test_a_mined_absence_of_null_is_named():
    one, other = "SELECT COUNT(rank) n FROM shops", "SELECT COUNT(*) n FROM shops"
    assert prove_equivalent(one, other, PROFILE).assumed == ("shops.rank is never NULL",)


def test_what_cannot_be_read_is_not_proved():
    assert prove_equivalent("SELECT item FROM sales", "SELECT nothing FROM sales", PROFILE) is None
    assert prove_equivalent("SELECT item FROM", "SELECT item FROM", PROFILE) is None


def test_an_engine_is_asked_last_whether_it_makes_one_plan_of_both():
    asked = []

    def same_plan(one, other):
        asked.append(other)
        return "DISTINCT" in other

    prover = Prover("SELECT shop FROM sales", PROFILE, same_plan=same_plan)
    assert prover.prove("SELECT shop FROM sales WHERE item >= 0 OR item < 0").rule == "condition"
    assert prover.prove("SELECT DISTINCT shop FROM sales").rule == "same-plan"
    assert prover.prove("SELECT day FROM sales") is None
    assert asked == ["SELECT DISTINCT shop FROM sales", "SELECT day FROM sales"]


@pytest.fixture(scope="module")
def databases():
    """Empty tables for each pair, made once."""
    made = {}
    for _, one, other in PAIRS:
        connection = duckdb.connect(config={"threads": 1})
        made[one, other] = SmallTables(connection, f"{one} UNION ALL {other}", PROFILE)
    yield made
    for tables in made.values():
        tables.con.close()


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(draw=st.randoms(use_true_random=False))
def test_what_is_proved_equal_is_equal_on_every_small_database(databases, draw):
    for (one, other), tables in databases.items():
        tables.fill(draw)
        assert run(tables.con, for_duckdb(one)) == run(tables.con, for_duckdb(other)), (one, other)

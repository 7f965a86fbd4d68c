"""Few bundles that separate what many databases do, and variants sorted into classes that are never merged."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_databases import LINKED, PROFILE, make_database, make_databases

from pytest_lockin.alternatives.variants import make_variants
from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.build import Making, build_fixtures
from pytest_lockin.fixturegen.combine import add_combinations, combine_datasets
from pytest_lockin.fixturegen.confirm import Confirmation
from pytest_lockin.fixturegen.cover import cover_greedily, drop_needless
from pytest_lockin.fixturegen.equivalence import Prover
from pytest_lockin.fixturegen.evaluate import make_programs, measure_separations
from pytest_lockin.fixturegen.legal import check_legal
from pytest_lockin.fixturegen.merge import largest_table, link_columns, merge_datasets, merge_with_uses
from pytest_lockin.fixturegen.pack import Plan, pack_datasets
from pytest_lockin.fixturegen.warehouse import Warehouse
from pytest_lockin.model.fixture import Standing
from pytest_lockin.sql import read_statement

SCHEMAS = PROFILE.schemas
REFERENCE = (
    "SELECT s.name, sum(f.price) AS total, count(*) AS n FROM sale f JOIN shop s ON f.shop = s.id "
    "WHERE f.price > 1 GROUP BY s.name ORDER BY total DESC, s.name"
)
LINKS = ((("sale", "shop"), ("shop", "id")),)


CROWD = make_database(
    "crowd", tuple((n, f"{n + 2}.00", 1) for n in range(30)), tuple((n, f"s{n:02}") for n in range(30))
)


def loop_confirm(profile=PROFILE, refuse=()):
    """Stands in for plain runs: each statement on each database by itself."""

    def confirm(dataset, programs, names):
        if dataset.id in refuse:
            return Confirmation(unfit="refused by the test")
        differs = {}
        with Warehouse(profile, [dataset], programs.texts) as house:
            expected = house.rows(programs.reference, 0)
            for name in names:
                found = house.rows(programs.variants[name], 0)
                if sorted(map(repr, found)) != sorted(map(repr, expected)):
                    differs[name] = "other values"
                elif name in programs.sequences and house.rows(programs.sequences[name], 0) != house.rows(
                    programs.sequence, 0
                ):
                    differs[name] = "another order"
        return Confirmation(differs=differs, rows=len(expected))

    return confirm


def make(datasets=None, **changes):
    making = Making(
        task="t1",
        profile=PROFILE,
        reference=REFERENCE,
        variants=make_variants(REFERENCE, SCHEMAS),
        datasets=datasets or make_databases(40),
        confirm=loop_confirm(),
        links=LINKS,
        prove=Prover(REFERENCE, PROFILE).prove,
    )
    return replace(making, **changes)


@given(
    st.dictionaries(st.integers(0, 9), st.frozensets(st.sampled_from("abcdefgh")), max_size=8),
    st.integers(1, 4),
)
def test_a_cover_holds_everything_there_is(sets, most):
    weights = {name: float(name + 1) for name in sets}
    everything = frozenset().union(*sets.values()) if sets else frozenset()
    chosen = cover_greedily(sets, weights)
    assert frozenset().union(*(gained for _, gained in chosen)) == everything
    assert sum(len(gained) for _, gained in chosen) == len(everything)
    assert len(cover_greedily(sets, weights, most=most)) <= most
    needed = drop_needless(chosen, sets)
    assert frozenset().union(*(sets[name] for name in needed)) == everything


def test_databases_that_share_rows_share_them_when_merged():
    one = make_database("one", ((1, "1.00", 1),), ((1, "a"),))
    other = make_database("other", ((1, "1.00", 1), (1, "2.00", 1)), ((1, "a"),))
    merged = merge_datasets(one, other, PROFILE, links=LINKS)
    assert merged.table("sale").rows == other.table("sale").rows
    assert merged.table("shop").rows == ((1, "a"),)


def test_a_key_that_clashes_is_given_anew_wherever_it_is_used():
    one = make_database("one", ((1, "1.00", 1),), ((1, "a"),))
    other = make_database("other", ((1, "2.00", 1),), ((1, "b"),))
    for profile, links in ((PROFILE, LINKS), (LINKED, ())):
        merged = merge_datasets(one, other, profile, links=links)
        (_, kept), (fresh, named) = merged.table("shop").rows
        assert (kept, named) == ("a", "b")
        assert fresh != 1
        assert merged.table("sale").rows[1][0] == fresh
        assert check_legal(merged, profile) == ()


def test_what_would_be_too_many_rows_is_not_merged():
    one = make_database("one", tuple((1, f"{n}.00", 1) for n in range(12)), ())
    other = make_database("other", tuple((2, f"{n}.00", 1) for n in range(9)), ())
    assert merge_datasets(one, other, PROFILE, cap=20) is None
    assert merge_datasets(one, other, PROFILE, cap=21) is not None


def test_each_row_says_which_database_brought_it():
    one = make_database("one", ((1, "1.00", 1),), ((1, "a"),), purpose="first")
    other = make_database("other", ((1, "1.00", 1), (2, "2.00", 1)), ((2, "b"),), purpose="second")
    merged, uses = merge_with_uses([one, other], PROFILE, links=LINKS)
    assert uses == {"sale": ("first", "second"), "shop": ("first", "second")}
    assert len(merged.table("sale").rows) == 2


def test_columns_a_statement_compares_are_found():
    statement = read_statement(REFERENCE, SCHEMAS)
    assert link_columns(statement) == LINKS


def test_bundles_separate_what_the_databases_do():
    databases = make_databases(40)
    variants = {v.id: v.sql for v in make_variants(REFERENCE, SCHEMAS)}
    programs = make_programs(REFERENCE, variants, PROFILE)
    with Warehouse(PROFILE, databases, programs.texts) as house:
        matrix = measure_separations(house, programs)
    bundles = pack_datasets(
        Plan(datasets=databases, matrix=matrix, profile=PROFILE, programs=programs, links=LINKS)
    )
    separated = {name for name, seen in matrix.separated.items() if seen}
    assert separated
    assert frozenset().union(*(bundle.separates for bundle in bundles)) == separated
    assert len(bundles) <= 5
    assert all(
        largest_table(bundle.dataset) <= 20 and not check_legal(bundle.dataset, PROFILE) for bundle in bundles
    )


def test_a_dropped_tie_break_is_seen_where_rows_tie():
    variant = REFERENCE.removesuffix(", s.name")
    programs = make_programs(REFERENCE, {"v": variant}, PROFILE)
    tied = make_database("tied", ((1, "2.00", 1), (2, "2.00", 1)), ((1, "a"), (2, "b")))
    apart = make_database("apart", ((1, "2.00", 1), (2, "3.00", 1)), ((1, "a"), (2, "b")))
    with Warehouse(PROFILE, [tied, apart], programs.texts) as house:
        assert measure_separations(house, programs).separated == {"v": frozenset({0})}


def test_order_by_an_expression_over_the_result_is_seen():
    reference = "SELECT f.shop, count(*) AS n FROM sale f GROUP BY f.shop ORDER BY CASE WHEN n = 1 THEN shop END, shop DESC"
    programs = make_programs(
        reference,
        {"v": reference.replace("n = 1", "n <> 1"), "w": reference.removesuffix(", shop DESC")},
        PROFILE,
    )
    once = make_database("once", ((1, "2.00", 1), (2, "2.00", 1)), ())
    mixed = make_database("mixed", ((1, "2.00", 1), (2, "2.00", 1), (2, "3.00", 1)), ())
    twice = make_database("twice", ((1, "2.00", 1), (1, "2.00", 1), (2, "2.00", 1), (2, "3.00", 1)), ())
    with Warehouse(PROFILE, [once, mixed, twice], programs.texts) as house:
        separated = measure_separations(house, programs).separated
    assert separated == {"v": frozenset({0, 1, 2}), "w": frozenset({2})}


def test_order_is_seen_behind_a_star():
    reference = f"SELECT * FROM ({REFERENCE.partition(' ORDER')[0]}) ORDER BY total DESC, name"
    programs = make_programs(reference, {"v": reference.removesuffix(", name")}, PROFILE)
    tied = make_database("tied", ((1, "2.00", 1), (2, "2.00", 1)), ((1, "a"), (2, "b")))
    with Warehouse(PROFILE, [tied], programs.texts) as house:
        assert measure_separations(house, programs).separated == {"v": frozenset({0})}


def test_a_limit_counts_rows_in_the_order_of_its_statement():
    reference = f"{REFERENCE} LIMIT 2"
    programs = make_programs(reference, {"less": f"{REFERENCE} LIMIT 1", "all": REFERENCE}, PROFILE)
    three = make_database(
        "three", ((1, "2.00", 1), (2, "3.00", 1), (3, "4.00", 1)), ((1, "a"), (2, "b"), (3, "c"))
    )
    two = make_database("two", ((1, "2.00", 1), (2, "3.00", 1)), ((1, "a"), (2, "b")))
    with Warehouse(PROFILE, [two, three], programs.texts) as house:
        assert measure_separations(house, programs).separated == {
            "less": frozenset({0, 1}),
            "all": frozenset({1}),
        }


def test_a_database_whose_tie_the_limit_cuts_decides_nothing():
    programs = make_programs(f"{REFERENCE} LIMIT 1", {"all": REFERENCE}, PROFILE)
    twice = f"{REFERENCE.removesuffix(', s.name')} LIMIT 1"
    loose = make_programs(twice, {"all": REFERENCE}, PROFILE)
    tied = make_database("tied", ((1, "2.00", 1), (2, "2.00", 1)), ((1, "a"), (2, "b")))
    apart = make_database("apart", ((1, "2.00", 1), (2, "3.00", 1)), ((1, "a"), (2, "b")))
    with Warehouse(PROFILE, [tied, apart], programs.texts) as house:
        assert set(measure_separations(house, programs).defined) == {0, 1}
        assert set(measure_separations(house, loose).defined) == {1}


def test_what_one_database_cannot_show_a_pair_may():
    """A tie-break that is turned round shows only where two rows tie; each database has one."""
    variant = f"{REFERENCE} DESC"
    one = make_database("one", ((1, "2.00", 1),), ((1, "a"),))
    other = make_database("other", ((2, "2.00", 1),), ((2, "b"),))
    none = make_database("none", (), ())
    programs = make_programs(REFERENCE, {"v": variant}, PROFILE)
    with Warehouse(PROFILE, [none, one, other], programs.texts) as house:
        matrix = measure_separations(house, programs)
    assert matrix.survivors() == ("v",)
    datasets, grown = add_combinations((none, one, other), matrix, programs, PROFILE, ["v"], links=LINKS)
    assert [dataset.id for dataset in datasets] == ["none", "one", "other", "one+other"]
    assert grown.separated == {"v": frozenset({3})}
    assert grown.defined[3] == 2
    assert all(not check_legal(dataset, PROFILE) for dataset in datasets)


def test_pairs_are_the_same_every_time_and_legal():
    databases = make_databases(40)
    programs = make_programs(REFERENCE, {}, PROFILE)
    with Warehouse(PROFILE, databases, programs.texts) as house:
        matrix = measure_separations(house, programs)
    pairs = combine_datasets(databases, matrix, PROFILE, links=LINKS)
    assert len(pairs) > 40
    assert pairs == combine_datasets(databases, matrix, PROFILE, links=LINKS)
    assert not any(check_legal(pair, PROFILE) for pair in pairs)


def test_every_variant_gets_one_class_and_a_reason():
    making = make()
    made = build_fixtures(making)
    assert [s.id for s in made.standings] == [v.id for v in making.variants]
    assert all(s.reason for s in made.standings)
    separated = {s.id for s in made.standings if s.standing is Standing.DISTINGUISHED}
    assert separated == set().union(*(fixture.separates for fixture in made.fixtures))
    assert {s.fixture for s in made.standings if s.fixture} <= {fixture.name for fixture in made.fixtures}
    assert len(separated) > len(made.standings) / 2


def test_what_plain_runs_do_not_confirm_does_not_count():
    sober = loop_confirm()
    doubted = make_variants(REFERENCE, SCHEMAS)[0].id

    def confirm(dataset, programs, names):
        told = sober(dataset, programs, names)
        return replace(told, differs={name: how for name, how in told.differs.items() if name != doubted})

    standings = {s.id: s for s in build_fixtures(make(confirm=confirm)).standings}
    assert standings[doubted].standing is Standing.UNKNOWN
    assert "plain runs" in standings[doubted].reason


def test_a_database_the_reference_is_unfit_on_is_not_used():
    making = make(datasets=tuple(replace(d, purpose=d.id) for d in make_databases(40)))
    used = {use for f in build_fixtures(making).fixtures for t in f.tables for use in t.uses}
    some = min(use for use in used if ";" not in use)

    def confirm(dataset, programs, names):
        if some in dataset.purpose.split("; "):
            return Confirmation(unfit="a test says so")
        return loop_confirm()(dataset, programs, names)

    made = build_fixtures(replace(making, confirm=confirm))
    assert some not in {use for f in made.fixtures for t in f.tables for use in t.uses}


def test_variants_that_raise_everywhere_are_unknown():
    sober = loop_confirm()
    raising = make_variants(REFERENCE, SCHEMAS)[1].id

    def confirm(dataset, programs, names):
        told = sober(dataset, programs, set(names) - {raising})
        return replace(told, raised={raising: "AnalysisException: no"} if raising in names else {})

    standings = {s.id: s for s in build_fixtures(make(confirm=confirm)).standings}
    assert standings[raising].standing is Standing.UNKNOWN
    assert standings[raising].reason == "does not run: AnalysisException: no"


def test_variants_that_raise_on_some_fixtures_only_are_told_apart_there():
    sober = loop_confirm()
    raising = make_variants(f"{REFERENCE} LIMIT 24", SCHEMAS)[1].id
    seen = []

    def confirm(dataset, programs, names):
        told = sober(dataset, programs, set(names) - {raising})
        seen.append(dataset.id)
        return replace(
            told,
            raised={raising: "ArithmeticException: no"} if raising in names and dataset.id == seen[0] else {},
        )

    reference = f"{REFERENCE} LIMIT 24"
    variants = make_variants(reference, SCHEMAS)
    making = make((*make_databases(20), CROWD), reference=reference, variants=variants, confirm=confirm)
    made = build_fixtures(making)
    standing = {s.id: s for s in made.standings}[raising]
    assert len(made.fixtures) > 1
    assert standing.standing is Standing.DISTINGUISHED
    assert standing.reason == "raises ArithmeticException: no"
    assert raising in next(f for f in made.fixtures if f.name == standing.fixture).separates


def test_a_limit_no_database_reaches_is_bounded_and_not_called_equal():
    reference = f"{REFERENCE} LIMIT 100"
    variants = tuple(v for v in make_variants(reference, SCHEMAS) if v.kind.value == "limit")
    assert variants
    made = build_fixtures(make(reference=reference, variants=variants, prove=lambda _: None))
    assert {s.standing for s in made.standings} == {Standing.BOUNDED}
    assert all("limit is never reached" in s.reason for s in made.standings)


def test_a_volume_fixture_is_taken_where_only_many_rows_show_it():
    reference = f"{REFERENCE} LIMIT 24"
    variants = tuple(v for v in make_variants(reference, SCHEMAS) if v.kind.value == "limit")
    made = build_fixtures(make((*make_databases(20), CROWD), reference=reference, variants=variants))
    assert [fixture.name for fixture in made.fixtures] == ["volume"]
    assert {s.standing for s in made.standings} == {Standing.DISTINGUISHED}


def test_another_large_database_is_taken_where_the_first_is_unfit():
    reference = f"{REFERENCE} LIMIT 24"
    variants = tuple(v for v in make_variants(reference, SCHEMAS) if v.kind.value == "limit")
    smaller = replace(CROWD, id="smaller")
    making = make(
        (*make_databases(20), smaller, CROWD),
        reference=reference,
        variants=variants,
        confirm=loop_confirm(refuse=("smaller",)),
    )
    made = build_fixtures(making)
    assert [fixture.name for fixture in made.fixtures] == ["volume"]
    assert {s.standing for s in made.standings} == {Standing.DISTINGUISHED}


def test_illegal_data_is_refused():
    twice = make_database("twice", (), ((1, "a"), (1, "b")))
    with pytest.raises(FixturesError, match="in twice"):
        build_fixtures(make((*make_databases(10), twice)))


def test_a_reference_that_returns_nothing_anywhere_is_said():
    with pytest.raises(FixturesError, match="returns rows"):
        build_fixtures(make((make_database("none", (), ()),)))


def test_databases_of_which_the_judge_makes_something_else_are_not_used():
    """A ROLLUP over no rows is a grand total to one engine and nothing to another."""
    making, said = make(), []
    programs = make_programs(REFERENCE, {}, PROFILE)

    def count(dataset):
        return making.confirm(dataset, programs, ()).rows

    disputed = count(build_fixtures(making).fixtures[0].to_dataset())

    def judge(dataset, programs, names):
        told = making.confirm(dataset, programs, names)
        return replace(told, rows=told.rows + 1) if told.rows == disputed else told

    made = build_fixtures(replace(making, judge=judge, say=said.append))
    assert made.fixtures
    assert disputed not in {count(fixture.to_dataset()) for fixture in made.fixtures}
    assert any(f"the engines give the reference {disputed} and {disputed + 1} rows" in line for line in said)


def test_a_judge_that_is_not_there_disputes_nothing():
    making = make()
    judged = replace(making, judge=lambda *_: Confirmation(unfit="expected Java, found none"))
    assert build_fixtures(judged).fixtures == build_fixtures(making).fixtures

"""A wrong program, given as a statement, is explained by the reference with few edits."""

import pytest
from on_duckdb import SCHEMAS, World

from pytest_lockin.model.finding import ShapeKind
from pytest_lockin.model.task import Fragment, Kind, Obligation, Source
from pytest_lockin.obligations.edits import apply_edits, read_variant, render


def obligation(number, kind, fragment, text, *columns):
    return Obligation(
        id=f"O{number}", kind=kind, source=Source.PROMPT, fragment=fragment, text=text, columns=columns
    )


OBLIGATIONS = (
    obligation(1, Kind.JOIN, Fragment.JOIN_ON, "Sales join items on the key.", "sales.item", "items.id"),
    obligation(2, Kind.METRIC, Fragment.SELECT, "The total sums the net price.", "sales.net", "total"),
    obligation(3, Kind.LITERAL, Fragment.WHERE, "Only days after 3 count.", "sales.day"),
    obligation(4, Kind.GROUP, Fragment.GROUP_BY, "One row per brand.", "items.brand"),
    obligation(5, Kind.SCHEMA, Fragment.ALIAS, "The total is named total.", "total"),
    obligation(6, Kind.SCHEMA, Fragment.SELECT, "Brand, then total.", "brand", "total"),
    obligation(7, Kind.TYPE, Fragment.TYPE, "The total is decimal(17,2).", "total"),
)
REFERENCE = """SELECT brand, sum(net) AS total FROM sales JOIN items ON item = id
               WHERE day > 3 GROUP BY brand ORDER BY brand"""
ROWS = {
    "sales": [(1, 3, 1, 10, 1), (1, 4, 2, 30, 1), (2, 5, 4, 50, 2), (9, 5, 8, 70, 2), (2, 6, 4, 50, 1)],
    "items": [(1, "a", "s"), (2, "b", "s"), (3, "c", "s")],
}


@pytest.fixture
def world():
    return World(rows=ROWS)


def test_a_program_that_agrees_has_nothing_to_explain(world):
    found = world.explain(REFERENCE, REFERENCE, OBLIGATIONS)
    assert found.agrees
    assert found.explained
    assert found.broken == ()


@pytest.mark.parametrize(
    ("was", "became", "primary"),
    [
        ("JOIN items", "LEFT JOIN items", "O1"),
        ("sum(net)", "sum(list)", "O2"),
        ("day > 3", "day >= 3", "O3"),
        ("day > 3", "1 = 1", "O3"),
        ("sum(net)", "sum(DISTINCT net)", "O2"),
    ],
)
def test_one_misreading_is_found(world, was, became, primary):
    found = world.explain(REFERENCE, REFERENCE.replace(was, became), OBLIGATIONS)
    assert found.explained
    assert found.broken == (primary,)


def test_two_misreadings_are_found_together(world):
    wrong = REFERENCE.replace("sum(net)", "sum(list)").replace("day > 3", "day >= 3")
    found = world.explain(REFERENCE, wrong, OBLIGATIONS)
    assert found.explained
    assert set(found.broken) == {"O2", "O3"}


def test_names_and_places_are_set_aside_and_told_apart_from_values(world):
    wrong = (
        "SELECT sum(list) AS amount, brand FROM sales JOIN items ON item = id WHERE day > 3 GROUP BY brand"
    )
    found = world.explain(REFERENCE, wrong, OBLIGATIONS)
    assert found.primary == "O2"


def test_a_wrong_name_alone_is_no_difference_of_values(world):
    found = world.explain(REFERENCE, REFERENCE.replace("AS total", "AS amount"), OBLIGATIONS)
    assert found.agrees
    (finding,) = found.shape
    assert (finding.kind, finding.obligation) == (ShapeKind.NAMES, "O5")


def test_columns_in_another_order_are_paired_by_name(world):
    wrong = REFERENCE.replace("brand, sum(net) AS total", "sum(net) AS total, brand")
    found = world.explain(REFERENCE, wrong, OBLIGATIONS)
    assert found.agrees
    assert found.broken == ("O6",)


def test_a_column_that_is_missing_is_found_by_content(world):
    wrong = REFERENCE.replace("brand, sum(net) AS total", "sum(net) AS amount")
    found = world.explain(REFERENCE, wrong, OBLIGATIONS)
    assert found.agrees
    assert [each.kind for each in found.shape] == [ShapeKind.MISSING, ShapeKind.NAMES]
    assert found.shape[0].columns == ("brand",)


def test_another_type_is_a_finding_of_its_own(world):
    found = world.explain(REFERENCE, REFERENCE.replace("sum(net)", "cast(sum(net) AS double)"), OBLIGATIONS)
    assert found.agrees
    assert [(each.kind, each.obligation) for each in found.shape] == [(ShapeKind.TYPES, "O7")]


def test_what_no_edit_comes_near_is_called_unexplained(world):
    wrong = "SELECT brand, sum(net * net + list) + count(*) AS total FROM sales JOIN items ON item = id GROUP BY 1"
    found = world.explain(REFERENCE, wrong, OBLIGATIONS)
    assert not found.explained
    assert found.primary == ""
    assert found.explanation is None or found.explanation.residual > 0


def test_an_explanation_must_hold_on_every_data_set():
    """On the first data set two edits explain it; the second tells them apart."""
    same = {**ROWS, "sales": [(1, 4, 5, 5, 1), (1, 3, 7, 7, 1)]}
    wrong = REFERENCE.replace("day > 3", "day >= 3")
    first = World(same=same).explain(REFERENCE, wrong, OBLIGATIONS)
    both = World(same=same, rows={**ROWS, "sales": [*ROWS["sales"], (3, 1, 4, 4, 1)]})
    assert first.explained
    assert both.explain(REFERENCE, wrong, OBLIGATIONS).explanation.edits != ()
    assert any("1 = 1" in sql or "WHERE" not in sql for sql in both.asked)


def test_the_candidates_source_decides_between_explanations_that_fit_equally_well():
    twins = World(rows={**ROWS, "sales": [(1, 4, 1, 6, 6), (2, 4, 2, 7, 7)]})
    wrong = REFERENCE.replace("sum(net)", "sum(list)")
    found = twins.explain(REFERENCE, wrong, OBLIGATIONS, source="F.sum('list')")
    assert found.primary == "O2"
    assert "list" in found.explanation.edits[0]


def test_the_candidates_own_labels_are_put_in():
    labels = obligation(8, Kind.LITERAL, Fragment.SELECT, "Rows carry the label 'net sales'.", "label")
    right = "SELECT 'net sales' AS label, sum(net) AS total FROM sales"
    found = World(rows=ROWS).explain(
        right, right.replace("net sales", "nett"), (*OBLIGATIONS, labels), source="F.lit('nett')"
    )
    assert found.broken == ("O8",)
    assert found.explanation.informed


def test_the_same_mistake_in_every_part_is_one_broken_obligation():
    kept = obligation(
        9, Kind.JOIN, Fragment.JOIN_ON, "Lines without an item are kept.", "sales.item", "items.id"
    )
    part = "SELECT brand, net FROM sales LEFT JOIN items ON item = id WHERE shop = {}"
    right = " UNION ALL ".join(part.format(shop) for shop in (1, 2))
    lines = {**ROWS, "sales": [*ROWS["sales"], (8, 4, 9, 9, 1)]}
    found = World(rows=lines).explain(right, right.replace("LEFT JOIN", "JOIN"), (kept,))
    assert found.broken == ("O9",)
    assert len(found.explanation.edits) == 2


def test_a_role_that_is_tested_like_another_one():
    when = obligation(9, Kind.LITERAL, Fragment.WHERE, "The sale is in size s.", "items.size")
    right = """SELECT count(*) AS n FROM sales, items a, items b
               WHERE item = a.id AND shop = b.id AND a.size = 's' AND b.size IN ('s', 'm', 'l')"""
    rows = {
        "items": [(1, "a", "s"), (2, "b", "m"), (3, "c", "l"), (4, "d", "x")],
        "sales": [(n, 4, 1, 1, shop) for n in (1, 2, 3, 4) for shop in (1, 2, 4)],
    }
    wrong = right.replace("a.size = 's'", "a.size IN ('s', 'm', 'l')")
    assert World(rows=rows).explain(right, wrong, (when,)).broken == ("O9",)


def test_tables_paired_without_a_key_that_the_candidate_matches():
    free = obligation(9, Kind.JOIN, Fragment.JOIN_ON, "Paired without any key.", "sales.item", "items.id")
    right = """WITH a AS (SELECT item, sum(net) AS n FROM sales GROUP BY item),
                    b AS (SELECT id, count(*) AS m FROM items GROUP BY id)
               SELECT item, n, m FROM a, b"""
    wrong = right.replace("FROM a, b", "FROM a, b WHERE item = id")
    assert World(rows=ROWS).explain(right, wrong, (free,)).broken == ("O9",)


def test_a_quotient_taken_as_a_difference_on_both_sides():
    grow = obligation(9, Kind.FILTER, Fragment.WHERE, "Growth of one must exceed growth of the other.", "id")
    right = "SELECT item AS id FROM sales WHERE net / list > shop / day"
    rows = {"sales": [(1, 2, 8, 2, 9), (2, 2, 20, 10, 3), (3, 9, 5, 1, 30), (4, 1, 9, 6, 2)]}
    wrong = right.replace("/", "-")
    assert World(rows=rows).explain(right, wrong, (grow,)).broken == ("O9",)


def test_a_data_set_on_which_a_program_raises_says_nothing(world):
    found = world.explain(REFERENCE, "SELECT nothing FROM sales", OBLIGATIONS)
    assert not found.agrees
    assert found.inputs == ()


def test_edits_made_at_once_are_the_edits_made_one_by_one():
    from pytest_lockin.alternatives import make_variants

    base = render(REFERENCE)
    edits = [read_variant(base, each) for each in make_variants(REFERENCE, SCHEMAS)]
    assert all(apply_edits(base, [edit]) for edit in edits)
    early, late = edits[0], edits[-1]
    assert early.end < late.start
    both = apply_edits(base, [late, early])
    assert both == apply_edits(base, [early, late])
    assert both not in (apply_edits(base, [early]), apply_edits(base, [late]))


def test_edits_of_the_same_place_are_not_made_at_once():
    from pytest_lockin.alternatives import make_variants

    base = render(REFERENCE)
    edits = [read_variant(base, each) for each in make_variants(REFERENCE, SCHEMAS)]
    pair = next([a, b] for a in edits for b in edits if a.id < b.id and a.start < b.end and b.start < a.end)
    assert apply_edits(base, pair) is None


def test_labels_that_show_on_different_data_sets_are_found_together():
    reference = (
        "SELECT 'items channel' AS brand, count(*) AS total FROM items UNION ALL "
        "SELECT 'sales channel', count(*) FROM sales WHERE day > 3 HAVING count(*) > 0"
    )
    candidate = reference.replace(" channel", "")
    labels = (
        obligation(1, Kind.LITERAL, Fragment.SELECT, "Rows are labelled items channel and sales channel."),
    )
    # `items` is a table's name, too, and `channel` a word of the source.
    source = "def part(channel): ...\npart('items')\npart('sales')\nchannel = 1"
    only_items = {"items": ROWS["items"], "sales": []}
    found = World(one=only_items, two=ROWS).explain(reference, candidate, labels, source=source)
    assert found.explained
    assert found.broken == ("O1",)
    assert sorted(found.explanation.after) == ["'items'", "'sales'"]

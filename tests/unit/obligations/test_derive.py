"""What is read off a statement, clause by clause."""

import pytest
import yaml

from pytest_lockin.errors import LockinError
from pytest_lockin.model.task import Fragment, Kind
from pytest_lockin.obligations import derive_obligations, write_obligations

SCHEMAS = {
    "sales": {"item": "int", "day": "int", "net": "decimal(7,2)", "list": "decimal(7,2)", "amount": "int"},
    "items": {"id": "int", "brand": "string", "size": "string"},
    "returns": {"item": "int", "net": "decimal(7,2)"},
}


def derive(sql):
    return derive_obligations(sql, SCHEMAS)


def of(obligations, kind, fragment=None):
    return [each for each in obligations if each.kind is kind and fragment in (None, each.fragment)]


def test_a_condition_between_two_tables_is_a_join_wherever_it_stands():
    for sql in (
        "SELECT brand FROM sales, items WHERE sales.item = items.id",
        "SELECT brand FROM sales JOIN items ON sales.item = items.id",
    ):
        (join,) = of(derive(sql), Kind.JOIN)
        assert set(join.columns) == {"sales.item", "items.id"}
        assert "inner-joined" in join.text


def test_the_outer_side_of_a_join_is_kept():
    (join,) = of(derive("SELECT brand FROM sales LEFT JOIN items ON sales.item = items.id"), Kind.JOIN)
    assert "left-joined" in join.text
    assert "without a partner are kept" in join.text


def test_tables_without_a_key_between_them_are_said_to_be_paired_row_by_row():
    sql = "SELECT a.brand, b.item FROM (SELECT brand FROM items GROUP BY brand) a, (SELECT item FROM sales GROUP BY item) b"
    (join,) = of(derive(sql), Kind.JOIN)
    assert "without any key" in join.text
    assert set(join.columns) == {"items.brand", "sales.item"}


def test_a_join_condition_that_every_branch_of_an_or_repeats_is_a_join():
    sql = """SELECT sum(net) FROM sales, items
             WHERE (item = id AND brand = 'A' AND net > 1) OR (item = id AND brand = 'B' AND net > 2)"""
    assert of(derive(sql), Kind.JOIN)


def test_a_predicate_is_one_obligation_and_its_constant_another():
    obligations = derive("SELECT item FROM sales WHERE day BETWEEN 3 AND 5")
    (filtered,), (literal,) = of(obligations, Kind.FILTER), of(obligations, Kind.LITERAL)
    assert filtered.columns == literal.columns == ("sales.day",)
    assert "3 and 5" in literal.text


def test_an_existence_test_does_not_multiply_rows():
    sql = "SELECT brand FROM items WHERE EXISTS (SELECT 1 FROM sales WHERE item = id AND day = 3)"
    obligations = derive(sql)
    assert any("do not multiply" in each.text for each in of(obligations, Kind.JOIN, Fragment.WHERE))
    assert any("sales.day" in each.columns for each in of(obligations, Kind.FILTER, Fragment.WHERE))


def test_columns_are_followed_through_subqueries_to_the_input_and_to_the_result():
    sql = "WITH t AS (SELECT item, sum(net) total FROM sales GROUP BY item) SELECT item, total / 2 AS half FROM t"
    metrics = of(derive(sql), Kind.METRIC)
    assert all(set(each.columns) == {"sales.net", "half"} for each in metrics)
    assert len(metrics) == 2


def test_a_rollup_says_so_and_keeps_missing_keys_apart_from_subtotals():
    obligations = derive("SELECT brand, size, count(*) FROM items GROUP BY ROLLUP (brand, size)")
    (group,) = of(obligations, Kind.GROUP)
    assert "rollup over brand and size" in group.text
    assert any("subtotals" in each.text for each in of(obligations, Kind.NULL, Fragment.GROUP_BY))


def test_an_aggregate_without_groups_is_one_row_even_over_nothing():
    (group,) = of(derive("SELECT sum(net) FROM sales"), Kind.GROUP)
    assert group.fragment is Fragment.SELECT


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("UNION ALL", "stacked, keeping"),
        ("UNION", "stacked, removing"),
        ("INTERSECT", "intersected, removing"),
        ("EXCEPT", "subtracted, removing"),
    ],
)
def test_set_operations(written, said):
    (found,) = of(derive(f"SELECT item FROM sales {written} SELECT item FROM returns"), Kind.SET_OP)
    assert said in found.text
    assert {"sales.item", "returns.item"} <= set(found.columns)


def test_a_window_names_its_partition_and_order():
    sql = "SELECT item, rank() OVER (PARTITION BY day ORDER BY net DESC) AS rk FROM sales"
    within, by = of(derive(sql), Kind.WINDOW)
    assert "within day" in within.text
    assert "net DESC" in by.text
    assert {"sales.day", "rk"} <= set(within.columns)
    assert {"sales.net", "rk"} <= set(by.columns)


def test_order_says_direction_and_where_missing_values_go():
    (order,) = of(derive("SELECT item, net FROM sales ORDER BY net DESC, item LIMIT 5"), Kind.ORDER)
    assert "net descending (missing values last), then item ascending (missing values first)" in order.text


def test_limit_is_one_of_its_own():
    (limit,) = of(derive("SELECT item FROM sales ORDER BY item LIMIT 5"), Kind.LIMIT)
    assert "5 rows" in limit.text


def test_output_types_follow_sparks_rules_for_aggregates():
    obligations = derive("SELECT sum(net) a, avg(net) b, sum(amount) c, avg(amount) d, count(*) e FROM sales")
    said = [each.text.rpartition(" ")[2] for each in of(obligations, Kind.TYPE)]
    assert said == ["decimal(17,2).", "decimal(11,6).", "bigint.", "double.", "bigint."]


def test_a_column_the_statement_does_not_name_goes_by_its_place():
    (alias,) = of(derive("SELECT item, sum(net) FROM sales GROUP BY item"), Kind.SCHEMA, Fragment.ALIAS)
    assert alias.columns == ("item", "#2")


def test_what_is_filled_in_for_missing_values_is_said():
    obligations = derive("SELECT coalesce(net, 0) AS net FROM sales")
    assert any("COALESCE(net, 0)" in each.text for each in of(obligations, Kind.NULL, Fragment.SELECT))


def test_ids_are_unique_and_every_clause_is_named():
    obligations = derive("SELECT day, sum(net) n FROM sales WHERE item = 1 GROUP BY day ORDER BY n LIMIT 3")
    assert len({each.id for each in obligations}) == len(obligations)
    assert all(each.fragment for each in obligations)


def test_text_that_is_no_query_is_refused():
    with pytest.raises(LockinError, match="delete"):
        derive("DELETE FROM sales")


def test_an_unknown_column_is_refused():
    with pytest.raises(LockinError):
        derive("SELECT nothing FROM sales")


def test_what_is_written_reads_back_as_a_file_of_obligations(tmp_path):
    from pytest_lockin.taskbank.loader import load_obligations

    made = derive("""SELECT brand AS "b", 'it''s: #1' label FROM items WHERE size = 'L'""".replace('"', "`"))
    file = tmp_path / "obligations.yaml"
    file.write_text(write_obligations(made))
    assert load_obligations(file) == made
    assert yaml.safe_load(file.read_text())["obligations"]

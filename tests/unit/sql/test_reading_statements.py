import pytest
from sqlglot import exp

from pytest_lockin.errors import StatementError
from pytest_lockin.sql import branches_of, conjuncts, read_statement
from pytest_lockin.taskbank.bank import list_task_ids
from pytest_lockin.taskbank.statements import list_statement_ids
from pytest_lockin.taskbank.statements import read_statement as read_text
from pytest_lockin.taskbank.tables import read_tables

SCHEMAS = {
    "sales": {"Item": "bigint", "price": "decimal(7,2)", "cost": "decimal(7,2)"},
    "item": {"id": "bigint", "name": "string"},
}
TPCDS = {table.name: {column.name: column.type for column in table.columns} for table in read_tables()}


def column(statement, name, *, last=True):
    found = [node for node in statement.tree.find_all(exp.Column) if node.name == name]
    return found[-1 if last else 0]


def sort_key(statement):
    return statement.tree.args["order"].find(exp.Column)


def test_columns_get_their_table_and_stars_are_expanded():
    statement = read_statement("select *, price - cost as gain from sales, item where item = id", SCHEMAS)
    assert statement.outputs() == ("item", "price", "cost", "id", "name", "gain")
    assert {node.table for node in statement.tree.find_all(exp.Column)} == {"sales", "item"}


def test_a_sum_is_made_from_the_columns_inside_it():
    statement = read_statement(
        "with t as (select item, sum(price * cost) as total from sales group by item) "
        "select name, total from t join item on id = item order by total",
        SCHEMAS,
    )
    assert statement.lineage(sort_key(statement)) == ("sales.price", "sales.cost")
    assert statement.origin(sort_key(statement)) == ""


def test_a_column_that_is_only_passed_on_has_an_origin():
    statement = read_statement("select n from (select name as n from item) x order by n", SCHEMAS)
    assert statement.origin(sort_key(statement)) == "item.name"
    assert statement.lineage(sort_key(statement)) == ("item.name",)


def test_every_branch_of_a_union_counts():
    statement = read_statement(
        "select v from (select price v from sales union all select cost from sales) order by v", SCHEMAS
    )
    assert statement.lineage(sort_key(statement)) == ("sales.price", "sales.cost")
    assert statement.origin(sort_key(statement)) == ""


def test_a_correlated_column_is_found_in_the_query_around():
    statement = read_statement(
        "select name from item i where exists (select 1 from sales where sales.item = i.id)", SCHEMAS
    )
    outer = next(
        node for node in statement.tree.find_all(exp.Column) if node.table == "i" and node.name == "id"
    )
    assert statement.lineage(outer) == ("item.id",)


def test_an_alias_shadows_the_table_it_hides():
    statement = read_statement(
        "with item as (select price as name from sales) select name from item order by name", SCHEMAS
    )
    assert statement.lineage(sort_key(statement)) == ("sales.price",)
    assert statement.tables == ("sales",)


def test_literals_and_counts_are_made_from_no_column():
    statement = read_statement("select n from (select count(*) n, 's' kind from sales) order by n", SCHEMAS)
    assert statement.lineage(sort_key(statement)) == ()


@pytest.mark.parametrize(
    "sql", ["select nope from sales", "select from from", "drop table sales", "select 1 from ("]
)
def test_what_cannot_be_read_is_refused(sql):
    with pytest.raises(StatementError) as caught:
        read_statement(sql, SCHEMAS)
    assert "Traceback" not in str(caught.value)
    assert caught.value.slug == "bad-statement"


def test_conjuncts_and_branches():
    statement = read_statement(
        "select price from sales where (price > 1 and cost > 2) and item = 3 union all select cost from sales union select 1",
        SCHEMAS,
    )
    first, *others = branches_of(statement.tree)
    assert len(others) == 2
    assert [node.key for node in conjuncts(first.args["where"].this)] == ["gt", "gt", "eq"]
    assert conjuncts(None) == []


@pytest.mark.parametrize("name", list_statement_ids())
def test_every_statement_of_the_benchmark_is_read_to_its_input_columns(name):
    statement = read_statement(read_text(name).text, TPCDS)
    for node in statement.tree.find_all(exp.Column):
        for found in statement.lineage(node):
            table, _, column_name = found.partition(".")
            assert column_name in TPCDS[table]
        if node.table:
            source = statement.source_of(node)
            assert source is not None
            if isinstance(source, exp.Table):
                assert statement.lineage(node) == (f"{source.name}.{node.name}".lower(),)
    assert set(statement.tables) <= set(TPCDS)


def test_every_task_has_its_statement():
    assert set(list_task_ids()) <= set(list_statement_ids())

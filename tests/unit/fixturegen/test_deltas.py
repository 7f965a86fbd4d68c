from datetime import date

import pytest

from pytest_lockin.fixturegen.judge import DuckJudge
from pytest_lockin.fixturegen.make import make_datasets
from pytest_lockin.fixturegen.profile import check_legal, make_profile
from pytest_lockin.model.task import Column, Pointer, Rule, Table, Task

SHOP = Table(
    name="shop",
    key=("id",),
    columns=(
        Column(name="id", type="bigint", nullable=False),
        Column(name="state", type="string"),
        Column(name="city", type="string"),
    ),
)
SALES = Table(
    name="sales",
    key=("item", "ticket"),
    derived=(),
    columns=(
        Column(name="item", type="bigint", nullable=False),
        Column(name="ticket", type="bigint", nullable=False),
        Column(name="shop", type="bigint"),
        Column(name="ship_shop", type="bigint"),
        Column(name="day", type="bigint"),
        Column(name="price", type="decimal(7,2)"),
        Column(name="list_price", type="decimal(7,2)"),
        Column(name="quantity", type="int"),
    ),
)
DAYS = Table(
    name="days",
    key=("id",),
    unique=(("name",),),
    derived=(
        Rule(column="id", expression="datediff(day, date '1900-01-01')"),
        Rule(column="month_seq", expression="year(day) * 12 + month(day)"),
    ),
    columns=(
        Column(name="id", type="bigint", nullable=False),
        Column(name="name", type="string", nullable=False),
        Column(name="day", type="date", nullable=False),
        Column(name="month_seq", type="int"),
    ),
)
PROFILE = make_profile(Task(id="t", tables=(SHOP, SALES, DAYS)))
SQL = """select city, sum(price) total from sales join shop on sales.shop = shop.id join days on sales.day = days.id
where state = 'TN' and quantity between 3 and 8 and month_seq between 24010 and 24012
group by city order by total desc, city limit 5"""

# Each is what the statement would be if one of its requirements were missed.
WRONG = {
    "the other shop": SQL.replace("sales.shop = shop.id", "sales.ship_shop = shop.id"),
    "unmatched kept": SQL.replace("join days", "left join days").replace(
        "and month_seq", "and coalesce(month_seq, 24010)"
    ),
    "lower bound open": SQL.replace("quantity between 3 and 8", "quantity > 3 and quantity <= 8"),
    "upper bound open": SQL.replace("quantity between 3 and 8", "quantity >= 3 and quantity < 8"),
    "no upper bound": SQL.replace("quantity between 3 and 8", "quantity >= 3"),
    "month before": SQL.replace("between 24010", "between 24009"),
    "month less": SQL.replace("and 24012", "and 24011"),
    "case ignored": SQL.replace("state = 'TN'", "upper(state) = 'TN'"),
    "starts like": SQL.replace("state = 'TN'", "state like 'TN%'"),
    "list price": SQL.replace("sum(price)", "sum(list_price)"),
    "average": SQL.replace("sum(price)", "avg(price)"),
    "greatest": SQL.replace("sum(price)", "max(price)"),
    "repeated once": SQL.replace("sum(price)", "sum(distinct price)"),
    "missing is zero": SQL.replace("sum(price)", "coalesce(sum(price), 0)"),
    "finer groups": SQL.replace("group by city", "group by city, shop.id"),
    "finer groups by what is not read": SQL.replace("group by city", "group by city, ship_shop"),
    "ascending": SQL.replace("total desc", "total"),
    "ties the other way": SQL.replace("desc, city", "desc, city desc"),
    "no tie-break at the limit": SQL.replace("desc, city limit", "desc, city desc limit"),
    "one more": SQL.replace("limit 5", "limit 6"),
    "one less": SQL.replace("limit 5", "limit 4"),
    "missing city dropped": SQL.replace("state = 'TN'", "state = 'TN' and city is not null"),
}


@pytest.fixture(scope="module")
def judge():
    with DuckJudge(PROFILE) as judge:
        yield judge


@pytest.fixture(scope="module")
def datasets(judge):
    return make_datasets(SQL, PROFILE, run=judge)


@pytest.fixture(scope="module")
def expected(judge, datasets):
    return [(dataset, judge(SQL, dataset)) for dataset in datasets]


@pytest.mark.parametrize("name", WRONG)
def test_some_dataset_shows_each_missed_requirement(judge, expected, name):
    assert any(judge(WRONG[name], dataset) != rows for dataset, rows in expected)


def test_programs_that_are_right_are_never_accused(judge, expected):
    same = SQL.replace("sales.shop = shop.id", "shop.id = sales.shop").replace(
        "quantity between 3 and 8", "not (quantity < 3 or quantity > 8)"
    )
    by_date = SQL.replace(
        "month_seq between 24010 and 24012", "days.day between date '2000-10-01' and date '2000-12-31'"
    )
    for right in (same, by_date):
        assert all(judge(right, dataset) == rows for dataset, rows in expected)


def test_all_are_legal_and_none_is_there_twice(datasets):
    assert [found for dataset in datasets for found in check_legal(dataset, PROFILE)] == []
    assert len({dataset.tables for dataset in datasets}) == len(datasets)
    assert len({dataset.id for dataset in datasets}) == len(datasets)
    assert all(dataset.purpose for dataset in datasets)


def test_the_same_day_is_the_same_row_in_every_dataset(datasets):
    """So that datasets can be put together."""
    rows = {row for dataset in datasets for row in dataset.table("days").rows}
    assert len(rows) == len({row[2] for row in rows})
    assert all(type(row[2]) is date for row in rows)


def test_siblings_of_a_row_are_never_equal_in_the_first_seed(datasets):
    for row in datasets[0].table("sales").rows:
        named = dict(zip((column.name for column in SALES.columns), row, strict=True))
        assert named["shop"] != named["ship_shop"]
        assert named["price"] != named["list_price"]


def test_no_more_than_asked_for(judge):
    assert len(make_datasets(SQL, PROFILE, run=judge, most=30)) == 30


def test_foreign_keys_get_their_partners(judge):
    sales = Table(
        name="sales",
        key=SALES.key,
        columns=SALES.columns,
        foreign=(
            Pointer(columns=("ship_shop",), table="shop", targets=("id",)),
            Pointer(columns=("shop",), table="shop", targets=("id",)),
        ),
    )
    profile = make_profile(Task(id="t", tables=(SHOP, sales, DAYS)))
    found = make_datasets(SQL, profile, run=judge)
    assert len(found) > 50
    assert [each for dataset in found for each in check_legal(dataset, profile)] == []
    assert any(judge(SQL, dataset) for dataset in found)

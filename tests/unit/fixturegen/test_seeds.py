"""Seeds of small statements, each of which needs something else; the benchmark runs all 103."""

import pytest

from pytest_lockin.errors import StatementError
from pytest_lockin.fixturegen.judge import DuckJudge
from pytest_lockin.fixturegen.make import make_seeds
from pytest_lockin.fixturegen.profile import check_legal, make_profile
from pytest_lockin.model.task import Column, Rule, Table, Task
from pytest_lockin.taskbank.statements import read_statement
from pytest_lockin.taskbank.tables import find_table

TABLES = (
    Table(
        name="sales",
        key=("item", "ticket"),
        columns=(
            Column(name="item", type="bigint", nullable=False),
            Column(name="ticket", type="bigint", nullable=False),
            Column(name="shop", type="bigint"),
            Column(name="day", type="bigint"),
            Column(name="amount", type="decimal(7,2)"),
            Column(name="quantity", type="int"),
        ),
    ),
    Table(
        name="shop",
        key=("id",),
        unique=(("code",),),
        columns=(
            Column(name="id", type="bigint", nullable=False),
            Column(name="code", type="string", nullable=False),
            Column(name="state", type="string"),
            Column(name="zip", type="string"),
        ),
    ),
    Table(
        name="days",
        key=("id",),
        unique=(("day",),),
        derived=(
            Rule(column="id", expression="datediff(day, date '1900-01-01')"),
            Rule(column="year", expression="year(day)"),
            Rule(column="month", expression="month(day)"),
            Rule(column="label", expression="concat(year(day), 'M', month(day))"),
        ),
        columns=(
            Column(name="id", type="bigint", nullable=False),
            Column(name="day", type="date", nullable=False),
            Column(name="year", type="int"),
            Column(name="month", type="int"),
            Column(name="label", type="string"),
        ),
    ),
)
PROFILE = make_profile(Task(id="t", tables=TABLES))


@pytest.fixture(scope="module")
def judge():
    with DuckJudge(PROFILE) as judge:
        yield judge


STATEMENTS = {
    "joins and literals": "select code, sum(amount) a from sales, shop, days where shop = shop.id and sales.day = days.id "
    "and year = 2001 and month = 2 and state in ('TN', 'OH') and quantity between 3 and 5 group by code",
    "a rule that only runs can tell": "select label from days where label = '2000M12'",
    "a leap day": "select day from days where day = date '2000-02-29' and month = 2",
    "a string function": "select code from shop where substr(zip, 1, 2) = '99' and upper(state) = 'ALASKA'",
    "a pattern": "select code from shop where zip like '12%'",
    "is null": "select ticket from sales where shop is null and amount > 3",
    "one or the other": "select ticket from sales where (quantity = 1 and amount > 5) or (quantity = 2 and amount < -5)",
    "counted rows": "select shop, count(*) c from sales group by shop having count(*) > 7",
    "counted rows of a distinct key": "select ticket, count(distinct item) from sales group by ticket having count(*) between 3 and 4",
    "above the average": "select s.item from sales s where s.amount > (select 1.5 * avg(t.amount) from sales t where t.shop = s.shop)",
    "above its group's average": "select * from (select item, sum(amount) total, avg(sum(amount)) over (partition by shop) mean "
    "from sales group by item, shop) x where total > 1.3 * mean",
    "exists and not exists": "select code from shop where exists (select * from sales where sales.shop = shop.id) "
    "and not exists (select * from sales s, days d where s.shop = shop.id and s.day = d.id and d.year = 1999)",
    "no partner": "select ticket from sales left join shop on shop = shop.id where shop.id is null",
    "full join": "select a.shop from (select shop from sales where quantity = 1) a full join (select id from shop) b "
    "on a.shop = b.id where b.id is not null",
    "intersect": "select shop from sales where quantity = 1 intersect select shop from sales where quantity = 2",
    "except": "select shop from sales where quantity = 1 except select shop from sales where quantity = 2",
    "union": "select total from (select 's' kind, sum(amount) total from sales group by shop union all "
    "select 'q', sum(quantity) from sales group by shop) x where kind = 'q' and total > 4",
    "neighbours": "with t as (select shop, month, sum(amount) total, rank() over (partition by shop order by month) r from sales, days "
    "where sales.day = days.id and year = 2001 group by shop, month) "
    "select a.month from t a, t b, t c where a.shop = b.shop and a.shop = c.shop and a.r = b.r + 1 and a.r = c.r - 1",
    "growth": "with t as (select shop, year, sum(amount) total from sales, days where sales.day = days.id group by shop, year) "
    "select a.shop from t a, t b where a.shop = b.shop and a.year = 2000 and b.year = 2001 and b.total / a.total > 1.4 and a.total > 0",
    "a spread": "select shop from sales group by shop having stddev_samp(quantity) / avg(quantity) > 0.9",
    "a date some days later": "select a.ticket from sales a, days d, sales b, days e where a.day = d.id and b.day = e.id "
    "and a.ticket = b.ticket and e.day > d.day + interval 5 days and e.day < d.day + interval 7 days",
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_first_seed_returns_rows_and_all_are_legal(judge, name):
    seeds = make_seeds(STATEMENTS[name], PROFILE, run=judge)
    assert judge(STATEMENTS[name], seeds[0])
    assert [check_legal(seed, PROFILE) for seed in seeds] == [()] * len(seeds)


def test_both_branches_of_a_union_get_a_seed(judge):
    sql = "select 's' kind, ticket from sales where quantity = 1 union all select 'q', ticket from sales where quantity = 2"
    kinds = {kind for seed in make_seeds(sql, PROFILE, run=judge) for kind, _ in judge(sql, seed)}
    assert kinds == {"s", "q"}


def test_each_part_of_an_or_gets_a_seed_of_its_own(judge):
    seeds = make_seeds(STATEMENTS["one or the other"], PROFILE, run=judge)
    found = {judge("select max(quantity) from sales", seed)[0][0] for seed in seeds}
    assert {1, 2} <= found


def test_what_cannot_be_has_no_first_seed(judge):
    sql = "select code from shop where state = 'TN' and state = 'OH'"
    assert not any(judge(sql, seed) for seed in make_seeds(sql, PROFILE, run=judge))


def test_the_same_statement_gives_the_same_seeds(judge):
    once, again = (make_seeds(STATEMENTS["joins and literals"], PROFILE, run=judge) for _ in range(2))
    assert once == again


def test_a_statement_of_other_tables_is_refused(judge):
    with pytest.raises(StatementError):
        make_seeds("select nope from sales", PROFILE, run=judge)


@pytest.mark.parametrize("name", ["q03", "q08", "q36", "q51", "q77", "q97"])
def test_statements_of_the_benchmark_return_rows_on_their_seeds(name):
    text = read_statement(name).text
    from pytest_lockin.taskbank.tables import read_tables

    tables = tuple(find_table(table.name) for table in read_tables() if table.name in text)
    profile = make_profile(Task(id=name, tables=tables))
    with DuckJudge(profile) as judge:
        seeds = make_seeds(text, profile, run=judge)
        assert judge(text, seeds[0])
    assert all(check_legal(seed, profile) == () for seed in seeds)

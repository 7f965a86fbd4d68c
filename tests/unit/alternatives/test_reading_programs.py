"""A program is read without being run: names are found where they are written, and unknowns make no errors."""

import ast

import pytest

from pytest_lockin.alternatives.python.interpret import Interpreter

TABLES = {
    "sales": {"s_item": "int", "s_price": "decimal(7,2)", "s_list_price": "decimal(7,2)", "s_day": "date"},
    "item": {"i_item": "int", "i_name": "string"},
}
IMPORTS = "from pyspark.sql import Window\nfrom pyspark.sql import functions as F\n"


def read(body, schemas=TABLES):
    source = IMPORTS + body
    reading = Interpreter(schemas)
    reading.read(ast.parse(source), "solve")
    return reading


def columns(reading):
    return [(attr.name, attr.type) for attr in reading.result.attrs]


def names_used(reading):
    return {node.value for node in reading.trace.uses if isinstance(node, ast.Constant)}


def test_a_name_passed_to_a_helper_is_found_at_the_call():
    reading = read(
        """
def _sum(df, key, value):
    return df.groupBy(key).agg(F.sum(F.col(value)).alias("total"))

def solve(spark, tables):
    return _sum(tables["sales"], "s_item", value="s_price")
"""
    )

    assert names_used(reading) == {"s_item", "s_price"}
    assert columns(reading) == [("s_item", "int"), ("total", "decimal(17,2)")]


def test_lists_comprehensions_and_f_strings_are_put_together():
    reading = read(
        """
KEYS = ["item", "price"]
def solve(spark, tables):
    wide = [F.max(c).alias(f"{c}_{n}") for n, c in enumerate([f"s_{k}" for k in KEYS], start=1)]
    return tables["sales"].groupBy("s_day").agg(*wide)
"""
    )

    assert [name for name, _ in columns(reading)] == ["s_day", "s_item_1", "s_price_2"]


def test_a_loop_over_a_known_dict_unions_its_frames():
    reading = read(
        """
SIDES = {"sales": "s_item", "item": "i_item"}
def solve(spark, tables):
    out = None
    for name, key in SIDES.items():
        part = tables[name].select(F.col(key).alias("k"))
        out = part if out is None else out.unionByName(part)
    return out
"""
    )

    assert columns(reading) == [("k", "int")]
    assert {"s_item", "i_item"} <= names_used(reading)


def test_columns_bound_to_a_frame_and_by_attribute_are_resolved():
    reading = read(
        """
def solve(spark, tables):
    sales, item = tables["sales"], tables["item"]
    return sales.join(item, sales["s_item"] == item.i_item).select(item["i_name"], sales.s_price)
"""
    )

    assert reading.trace.errors == set()
    assert columns(reading) == [("i_name", "string"), ("s_price", "decimal(7,2)")]


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ('tables["sales"].select("nope")', "unresolved nope"),
        ('tables["sales"].select("s_item").where(F.col("s_price") > 1)', "unresolved s_price"),
        ('tables["sales"].join(tables["sales"], "s_item").select("s_price")', "ambiguous s_price"),
        ('tables["sales"].groupBy("s_item").agg(F.col("s_price"))', "neither grouped nor aggregated s_price"),
        ('tables["sales"].select("s_item").union(tables["item"])', "different columns"),
        ('tables["sales"].groupBy("s_item").agg(F.grouping("s_item").alias("g"))', "no key"),
        ('tables["sales"].rollup("s_item").agg(F.grouping("s_day").alias("g"))', "no key"),
        ('tables["sales"].where(F.sum("s_price") > 1)', "aggregate in a filter"),
    ],
)
def test_what_spark_surely_refuses_is_noted(expression, part):
    reading = read(f"def solve(spark, tables):\n    return {expression}\n")

    assert any(part in error for error in reading.trace.errors)


@pytest.mark.parametrize(
    "expression",
    [
        'spark.sql("select 1").select("anything")',
        'tables["unheard_of"].groupBy("a").agg(F.sum("b"))',
        'tables["sales"].select(F.explode(F.split("s_item", ",")).alias("x")).where("x > 1")',
        'tables["sales"].transform(helper).select("x")',
        'tables["sales"].mapInPandas(f, "a int").select("a")',
        'tables["sales"].alias("a").join(tables["sales"].alias("b"), F.col("a.s_item") == F.col("b.s_item")).select("a.s_day")',
        'tables["sales"].rollup("s_item").agg(F.grouping("s_item").alias("g"), F.grouping_id().alias("i"))',
        'tables["sales"].withColumn("r", F.rank().over(Window.partitionBy("s_item").orderBy("s_day")))',
        'tables["sales"].select("*", F.col("s_price").alias("p")).where(F.col("p") > F.col("s_item"))',
    ],
)
def test_what_is_right_or_not_known_makes_no_error(expression):
    assert read(f"def solve(spark, tables):\n    return {expression}\n").trace.errors == set()


def test_tables_can_come_as_parameters_of_their_own():
    reading = read(
        "def solve(spark, sales, item):\n    return sales.join(item, sales.s_item == item.i_item).select('i_name')\n"
    )

    assert columns(reading) == [("i_name", "string")]


@pytest.mark.parametrize(
    "body",
    [
        "def solve(spark, tables):\n    return solve(spark, tables)\n",
        "X = 'x' * 10 ** 9\ndef solve(spark, tables):\n    return tables['sales']\n",
        "def solve(spark, tables):\n    n = 3\n    for i in range(10 ** 9):\n        for j in range(10 ** 9):\n            n = n * n\n    return n\n",
        "def solve(spark, tables):\n    x = [1]\n    for i in range(60):\n        x = x + x\n    return x\n",
        "def solve(spark, tables):\n    while True:\n        tables = tables\n    return tables\n",
    ],
)
def test_a_program_made_to_be_slow_is_read_within_bounds(body):
    reading = read(body)

    assert reading.trace.errors == set()

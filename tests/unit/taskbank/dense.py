"""Small random tables on which a statement has something to say: dense keys, and values from its own constants.

TPC-DS at scale 0.01 leaves some statements without rows. Here every predicate has a fair chance: a compared
column takes the constants it is compared with, their neighbours, NULL, and one favourite that keeps rows
together. Keys of dimension tables stay unique; only columns the statement names exist.
"""

import collections
import datetime as dt
import random
from decimal import Decimal
from typing import NamedTuple

import pyarrow as pa
import sqlglot
from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from pytest_lockin.taskbank.statements import read_statement
from pytest_lockin.taskbank.tables import read_tables

# Columns that are compared with each other, or through a subquery's name, so that no constant shows.
DOMAINS = {
    "d_day_name": ("Sunday", "Monday", "Friday"),
    ("q02", "d_week_seq"): (1, 2, 54, 55),
    ("q59", "d_week_seq"): (1, 2, 53, 54),
    ("q59", "d_month_seq"): (1206, 1217, 1218, 1229, 1230),
    ("q04", "d_year"): (2001, 2002),
    ("q11", "d_year"): (1999, 2000),
    ("q47", "d_moy"): (12, 1, 2, 3),
    ("q14b", "d_dom"): (14, 15),
    ("q72", "d_date"): tuple(dt.date(1999, 1, day) for day in (1, 3, 6, 7, 8, 12, 20)),
    ("q72", "inv_quantity_on_hand"): (0, 1, 2, 3),
    ("q72", "cs_quantity"): (1, 2, 3, 9),
}
MONEY = tuple(map(Decimal, ("0.00", "1.25", "3.10", "9.99", "7.77", "-2.50")))
ARROW = {"bigint": pa.int64(), "int": pa.int32(), "string": pa.string(), "date": pa.date32()}


class Recipe(NamedTuple):
    """What a statement asks of its tables: the columns it names, the constants it compares them with."""

    task: str
    used: set
    constants: dict


def make_tables(task, seed, rows):
    """Make the tables a statement reads, the same for the same arguments."""
    tree = sqlglot.parse_one(read_statement(task).text, read="spark")
    wanted = {table.name.lower() for table in tree.find_all(exp.Table)}
    used = {column.name.lower() for column in tree.find_all(exp.Column)}
    recipe = Recipe(task=task, used=used, constants=find_constants(tree))
    rng = random.Random(f"{task}-{seed}")
    tables = {
        table.name: make_table(recipe, table, rng, rng.choice([3, 10, rows, rows]))
        for table in sorted(read_tables(), key=lambda table: table.name)
        if table.name in wanted
    }
    if task == "q14b":
        tables["date_dim"] = keep_days_apart(tables["date_dim"])
    return tables


def make_table(recipe, table, rng, rows):
    is_dimension = len(table.key) == 1
    rows = rng.choice([4, 8, 20, 40]) if is_dimension else rows
    heat = rng.choice([0.3, 0.45, 0.7, 0.9])
    keys = range(1, rng.choice([4, 8, 20]))
    columns = {}
    for column in table.columns:
        if column.name not in recipe.used:
            continue
        if is_dimension and column.name in table.key:
            values = list(range(1, rows + 1))
        elif column.name.endswith("_sk"):
            values = [rng.choice(keys) if rng.random() > 0.03 else None for _ in range(rows)]
        else:
            values = draw(recipe, column, rng, heat, rows)
        columns[column.name] = pa.array(values, arrow_type(column.type))
    return pa.table(columns)


def draw(recipe, column, rng, heat, rows):
    constants = recipe.constants.get(column.name, ())
    domain = find_domain(recipe.task, column, constants)
    favourite = rng.choice(domain)
    common = list(constants) if constants and not column.type.startswith("decimal") else domain
    values = []
    for _ in range(rows):
        chance = rng.random()
        if chance < 0.05:
            values.append(None)
        elif chance < heat:
            values.append(favourite)
        else:
            values.append(rng.choice(common if chance < 0.8 else domain))
    return values


def find_domain(task, column, constants):
    given = DOMAINS.get((task, column.name), DOMAINS.get(column.name))
    if given:
        return list(given)
    if column.type == "string":
        return [*constants, "x"] if constants else ["a", "b", "c"]
    if column.type == "date":
        days = constants or (dt.date(2001, 1, 2),)
        edges = (min(days) - dt.timedelta(1), min(days) + dt.timedelta(3), max(days) + dt.timedelta(1))
        return [*days, *edges]
    if column.type.startswith("decimal"):
        near = [Decimal(c) + Decimal(step) for c in constants for step in ("0", "0.01", "-0.01", "20")]
        return near or list(MONEY)
    near = sorted({int(c) + step for c in constants for step in (-1, 0, 1)})
    return [*near, *map(int, constants), *map(int, constants)] or [1, 2, 3, 5]


def find_constants(tree):
    """Map each column to the constants it is compared with, sorted."""
    found = collections.defaultdict(set)
    for node in tree.find_all(exp.EQ, exp.NEQ, exp.GT, exp.LT, exp.GTE, exp.LTE, exp.Between, exp.In):
        if not isinstance(node.this, exp.Column):
            continue
        if isinstance(node, exp.Between):
            sides = [node.args["low"], node.args["high"]]
        else:
            sides = node.expressions if isinstance(node, exp.In) else [node.expression]
        values = (fold(side) for side in sides)
        found[node.this.name].update(value for value in values if value is not None)
    return {column: tuple(sorted(values)) for column, values in found.items()}


def fold(node):
    """Evaluate a constant expression; None for anything else."""
    node = simplify(node.copy())
    if isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Neg):
        inner = fold(node.this)
        return None if inner is None else -inner
    if isinstance(node, exp.Literal):
        return node.this if node.is_string else Decimal(node.this) if "." in node.this else int(node.this)
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal):
        return dt.date.fromisoformat(node.this.this)
    if isinstance(node, exp.Add) and isinstance(node.expression, exp.Interval):
        start = fold(node.this)
        return start and start + dt.timedelta(days=int(str(node.expression.this.this).split()[0]))
    return None


def keep_days_apart(date_dim):
    """Keep one 14 December a year: the statement asks for the week of that one day."""
    seen, keep = set(), []
    for row in date_dim.to_pylist():
        day = (row["d_year"], row["d_moy"], row["d_dom"])
        keep.append(day[1:] != (12, 14) or day not in seen)
        seen.add(day)
    return date_dim.filter(pa.array(keep))


def arrow_type(spark):
    if spark.startswith("decimal"):
        precision, scale = spark.removeprefix("decimal(").removesuffix(")").split(",")
        return pa.decimal128(int(precision), int(scale))
    return ARROW[spark]

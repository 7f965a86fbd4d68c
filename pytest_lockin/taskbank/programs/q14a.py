"""q14a: November 2001 sales of product groups sold in all three channels, by channel with subtotals.

An independent reading of the first statement of TPC-DS query 14 in the DataFrame API. A product group is
(brand, class, category); it is common when every channel sold it from 1999 to 2001. A channel's group stays
when its November sales exceed the average line value of all channels over those years.

TIES: none, as no common group has a missing part: a null brand, class or category matches nothing.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

GROUP = ("i_brand_id", "i_class_id", "i_category_id")
CHANNELS = {"store": ("store_sales", "ss"), "catalog": ("catalog_sales", "cs"), "web": ("web_sales", "ws")}


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred rows of channel, group and their subtotals."""
    lines = {channel: lines_of(tables, channel) for channel in CHANNELS}
    years = tables["date_dim"].where(F.col("d_year").between(1999, 2001)).select("d_date_sk")
    november = (
        tables["date_dim"].where((F.col("d_year") == 2001) & (F.col("d_moy") == 11)).select("d_date_sk")
    )
    items = tables["item"].select("i_item_sk", *GROUP)
    recent = {channel: sold.join(years, "d_date_sk") for channel, sold in lines.items()}
    sought = common_items(recent, items)
    threshold = average_line(recent)
    outlets = [
        lines[channel]
        .join(november, "d_date_sk")
        .join(sought, "i_item_sk", "left_semi")
        .join(items, "i_item_sk")
        .groupBy(*GROUP)
        .agg(F.sum("amount").alias("sales"), F.count(F.lit(1)).alias("number_sales"))
        .crossJoin(threshold)
        .where(F.col("sales") > F.col("average_sales"))
        .select(F.lit(channel).alias("channel"), *GROUP, "sales", "number_sales")
        for channel in CHANNELS
    ]
    return (
        reduce(lambda stack, more: stack.unionByName(more), outlets)
        .rollup("channel", *GROUP)
        # The statement leaves these two unnamed; these are Spark's names for them.
        .agg(F.sum("sales").alias("sum(sales)"), F.sum("number_sales").alias("sum(number_sales)"))
        .orderBy("channel", *GROUP)
        .limit(100)
    )


def lines_of(tables: Mapping[str, DataFrame], channel: str) -> DataFrame:
    """Give a channel's lines: day, item and amount (quantity times list price)."""
    table, prefix = CHANNELS[channel]
    return tables[table].select(
        F.col(f"{prefix}_sold_date_sk").alias("d_date_sk"),
        F.col(f"{prefix}_item_sk").alias("i_item_sk"),
        (F.col(f"{prefix}_quantity") * F.col(f"{prefix}_list_price")).alias("amount"),
    )


def common_items(recent: Mapping[str, DataFrame], items: DataFrame) -> DataFrame:
    """Give the items whose product group was sold in every channel."""
    groups = [sold.join(items, "i_item_sk").select(*GROUP) for sold in recent.values()]
    common = reduce(lambda left, right: left.intersect(right), groups)
    return items.join(common, list(GROUP)).select("i_item_sk")


def average_line(recent: Mapping[str, DataFrame]) -> DataFrame:
    """Give one row: the average amount of a line over all channels."""
    amounts = [sold.select("amount") for sold in recent.values()]
    stack = reduce(lambda left, right: left.unionAll(right), amounts)
    return stack.agg(F.avg("amount").alias("average_sales"))

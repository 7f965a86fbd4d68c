"""q14b: store sales of common product groups, the week of 14 December 2000 beside that of 1999.

An independent reading of the second statement of TPC-DS query 14 in the DataFrame API. A product group is
(brand, class, category); it is common when every channel sold it from 1999 to 2001. A group appears when its
store sales exceed the average line value of all channels in both weeks. A calendar with two such days in a
year, on which the statement fails, gives the days of both weeks here.

TIES: none. The order covers the keys of a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

GROUP = {"i_brand_id": "brand", "i_class_id": "class", "i_category_id": "category"}


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred groups with this year's and last year's sales side by side."""
    days = tables["date_dim"].select("d_date_sk", "d_year", "d_moy", "d_dom", "d_week_seq")
    items = tables["item"].select("i_item_sk", *GROUP)
    store = channel_lines(tables["store_sales"], "ss")
    catalog = channel_lines(tables["catalog_sales"], "cs")
    web = channel_lines(tables["web_sales"], "ws")

    three_years = days.where(F.col("d_year").between(1999, 2001)).select("d_date_sk")
    everything = (
        store.withColumn("channel", F.lit("store"))
        .unionByName(catalog.withColumn("channel", F.lit("catalog")))
        .unionByName(web.withColumn("channel", F.lit("web")))
        .join(three_years, "d_date_sk")
    )
    average = everything.agg(F.avg("amount").alias("average_sales"))
    common = (
        everything.join(items, "i_item_sk")
        .groupBy(*GROUP)
        .agg(F.count_distinct("channel").alias("channels"))
        .where(F.col("channels") == 3)
    )
    # A group with a missing part is equal to nothing, so no line of it passes here.
    in_common = store.join(items, "i_item_sk").join(common, list(GROUP), "left_semi")

    this_year = week_sales(in_common, days, 2000, average, "ty")
    last_year = week_sales(in_common, days, 1999, average, "ly")
    same_group = [F.col(f"ty_{part}") == F.col(f"ly_{part}") for part in GROUP.values()]
    return (
        this_year.join(last_year, same_group)
        .orderBy("ty_channel", *(f"ty_{part}" for part in GROUP.values()))
        .limit(100)
    )


def channel_lines(table: DataFrame, prefix: str) -> DataFrame:
    """Give a channel's lines: day, item and amount (quantity times list price)."""
    return table.select(
        F.col(f"{prefix}_sold_date_sk").alias("d_date_sk"),
        F.col(f"{prefix}_item_sk").alias("i_item_sk"),
        (F.col(f"{prefix}_quantity") * F.col(f"{prefix}_list_price")).alias("amount"),
    )


def week_sales(lines: DataFrame, days: DataFrame, year: int, average: DataFrame, side: str) -> DataFrame:
    """Total each group over the week of 14 December, where the total exceeds the average line."""
    fourteenth = days.where((F.col("d_year") == year) & (F.col("d_moy") == 12) & (F.col("d_dom") == 14))
    week = days.join(fourteenth.select("d_week_seq"), "d_week_seq", "left_semi").select("d_date_sk")
    return (
        lines.join(week, "d_date_sk")
        .groupBy(*GROUP)
        .agg(
            F.sum("amount").alias(f"{side}_sales"),
            F.count(F.lit(1)).alias(f"{side}_number_sales"),
        )
        .crossJoin(average)
        .where(F.col(f"{side}_sales") > F.col("average_sales"))
        .select(
            F.lit("store").alias(f"{side}_channel"),
            *(F.col(name).alias(f"{side}_{part}") for name, part in GROUP.items()),
            f"{side}_sales",
            f"{side}_number_sales",
        )
    )

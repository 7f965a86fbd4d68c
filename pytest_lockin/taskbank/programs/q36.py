"""q36: gross margin of Tennessee stores in 2001 by category and class, with subtotals and ranks.

An independent reading of TPC-DS query 36 in the DataFrame API. Classes are ranked within their category,
categories among each other, the lowest margin first.

TIES: rows of one category with equal rank, that is with equal margin, may change places, also across the
limit; so may rows without a category and the same rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred rows, the overall margin first, then categories, then their classes."""
    days = tables["date_dim"].where(F.col("d_year") == 2001).select("d_date_sk")
    stores = tables["store"].where(F.col("s_state") == "TN").select("s_store_sk")
    items = tables["item"].select("i_item_sk", "i_category", "i_class")
    margins = (
        tables["store_sales"]
        .select("ss_sold_date_sk", "ss_item_sk", "ss_store_sk", "ss_net_profit", "ss_ext_sales_price")
        .join(days, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(stores, F.col("ss_store_sk") == F.col("s_store_sk"))
        .join(items, F.col("ss_item_sk") == F.col("i_item_sk"))
        .rollup("i_category", "i_class")
        .agg(
            (F.sum("ss_net_profit") / F.sum("ss_ext_sales_price")).alias("gross_margin"),
            (F.grouping("i_category") + F.grouping("i_class")).alias("lochierarchy"),
        )
    )
    parent = F.when(F.col("lochierarchy") == 0, F.col("i_category"))
    siblings = Window.partitionBy("lochierarchy", parent).orderBy("gross_margin")
    return (
        margins.select(
            "gross_margin",
            "i_category",
            "i_class",
            "lochierarchy",
            F.rank().over(siblings).alias("rank_within_parent"),
        )
        .orderBy(F.desc("lochierarchy"), parent, "rank_within_parent")
        .limit(100)
    )

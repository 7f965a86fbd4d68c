"""q03: net profit of December store sales by brand, for the items of manufacturer 445.

An independent reading of TPC-DS query 3 in the DataFrame API.

TIES: the order ends with the brand id. Two brand names under one id with equal year and profit may change
places, also across the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred (year, brand) rows, most profit first within a year."""
    decembers = tables["date_dim"].where(F.col("d_moy") == 12).select("d_date_sk", "d_year")
    items = tables["item"].where(F.col("i_manufact_id") == 445).select("i_item_sk", "i_brand_id", "i_brand")
    return (
        tables["store_sales"]
        .select("ss_sold_date_sk", "ss_item_sk", "ss_net_profit")
        .join(decembers, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(items, F.col("ss_item_sk") == F.col("i_item_sk"))
        .groupBy("d_year", F.col("i_brand_id").alias("brand_id"), F.col("i_brand").alias("brand"))
        .agg(F.sum("ss_net_profit").alias("sum_agg"))
        .orderBy("d_year", F.desc("sum_agg"), "brand_id")
        .limit(100)
    )

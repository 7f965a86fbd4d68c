"""q42: store revenue by category in November 1998, for the items of manager 1.

An independent reading of TPC-DS query 42 in the DataFrame API.

TIES: none. The order covers every output column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the hundred categories with the highest revenue."""
    november = (
        tables["date_dim"]
        .where((F.col("d_year") == 1998) & (F.col("d_moy") == 11))
        .select("d_date_sk", "d_year")
    )
    items = (
        tables["item"].where(F.col("i_manager_id") == 1).select("i_item_sk", "i_category_id", "i_category")
    )
    # The statement leaves the total unnamed; this is Spark's name for it.
    total = "sum(ss_ext_sales_price)"
    return (
        tables["store_sales"]
        .select("ss_sold_date_sk", "ss_item_sk", "ss_ext_sales_price")
        .join(november, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(items, F.col("ss_item_sk") == F.col("i_item_sk"))
        .groupBy("d_year", "i_category_id", "i_category")
        .agg(F.sum("ss_ext_sales_price").alias(total))
        .orderBy(F.desc(total), "d_year", "i_category_id", "i_category")
        .limit(100)
    )

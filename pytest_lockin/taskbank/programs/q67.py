"""q67: the hundred best sellers of each category over product, period and store, with subtotals.

An independent reading of TPC-DS query 67 in the DataFrame API. A line without price or quantity counts as
zero. The grand total has no category, so it is ranked with the items that have none.

TIES: none. The order covers every output column. Equal sales share a rank, so a category may keep more than
a hundred rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

PRODUCT = ("i_category", "i_class", "i_brand", "i_product_name")
PERIOD = ("d_year", "d_qoy", "d_moy")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred ranked rows, missing values first."""
    days = tables["date_dim"].where(F.col("d_month_seq").between(1194, 1205)).select("d_date_sk", *PERIOD)
    items = tables["item"].select("i_item_sk", *PRODUCT)
    stores = tables["store"].select("s_store_sk", "s_store_id")
    levels = (*PRODUCT, *PERIOD, "s_store_id")
    best_first = Window.partitionBy("i_category").orderBy(F.desc("sumsales"))
    amount = F.coalesce(F.col("ss_sales_price") * F.col("ss_quantity"), F.lit(0))
    return (
        tables["store_sales"]
        .select("ss_sold_date_sk", "ss_item_sk", "ss_store_sk", amount.alias("amount"))
        .join(days, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(items, F.col("ss_item_sk") == F.col("i_item_sk"))
        .join(stores, F.col("ss_store_sk") == F.col("s_store_sk"))
        .rollup(*levels)
        .agg(F.sum("amount").alias("sumsales"))
        .withColumn("rk", F.rank().over(best_first))
        .where(F.col("rk") <= 100)
        .orderBy(*levels, "sumsales", "rk")
        .limit(100)
    )

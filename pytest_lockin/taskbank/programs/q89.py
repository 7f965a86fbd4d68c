"""q89: months of 2001 in which a class and brand stray from the brand's average in a store.

An independent reading of TPC-DS query 89 in the DataFrame API. The average is over all classes and months of
a category and brand in a store, each class and month being one value.

TIES: the order has distance and store name. Rows equal in both may change places, also across the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

SERIES = ("i_category", "i_brand", "s_store_name", "s_company_name")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the hundred rows furthest below their average that lie more than a tenth from it."""
    category, kind = F.col("i_category"), F.col("i_class")
    wanted = (category.isin("Children", "Jewelry", "Home") & kind.isin("infants", "birdal", "flatware")) | (
        category.isin("Electronics", "Music", "Books") & kind.isin("audio", "classical", "science")
    )
    days = tables["date_dim"].where(F.col("d_year") == 2001).select("d_date_sk", "d_moy")
    items = tables["item"].where(wanted).select("i_item_sk", "i_category", "i_class", "i_brand")
    stores = tables["store"].select("s_store_sk", "s_store_name", "s_company_name")
    average = F.col("avg_monthly_sales")
    distance = F.col("sum_sales") - average
    return (
        tables["store_sales"]
        .select("ss_sold_date_sk", "ss_item_sk", "ss_store_sk", "ss_sales_price")
        .join(days, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(items, F.col("ss_item_sk") == F.col("i_item_sk"))
        .join(stores, F.col("ss_store_sk") == F.col("s_store_sk"))
        .groupBy("i_category", "i_class", "i_brand", "s_store_name", "s_company_name", "d_moy")
        .agg(F.sum("ss_sales_price").alias("sum_sales"))
        .withColumn("avg_monthly_sales", F.avg("sum_sales").over(Window.partitionBy(*SERIES)))
        # One condition, as engines are free to divide before they filter.
        .where(F.when(average != 0, F.abs(distance) / average) > 0.1)
        .orderBy(distance, "s_store_name")
        .limit(100)
    )

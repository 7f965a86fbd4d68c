"""q47: months of 2001 in which a brand's sales in a store stray from their monthly mean of the year.

An independent reading of TPC-DS query 47 in the DataFrame API. The neighbouring months are found by position
among the months with sales, from December 2000 to January 2002, and both must exist. A brand, category,
store or company without a name matches nothing.

TIES: the order ends with the following month's sales. Rows equal in distance and following sales may change
places, also across the limit.
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
    """Return the hundred months furthest below their mean, with the totals before and after."""
    monthly = total_by_month(tables).na.drop(subset=list(SERIES))
    in_time = Window.partitionBy(*SERIES).orderBy("d_year", "d_moy")
    of_year = Window.partitionBy(*SERIES, "d_year")
    placed = monthly.select(
        *SERIES,
        "d_year",
        F.avg("sum_sales").over(of_year).alias("avg_monthly_sales"),
        "sum_sales",
        F.lag("sum_sales").over(in_time).alias("psum"),
        F.lead("sum_sales").over(in_time).alias("nsum"),
        # A neighbour may exist and have a null total, so its existence is asked of its year.
        F.lag("d_year").over(in_time).isNotNull().alias("has_previous"),
        F.lead("d_year").over(in_time).isNotNull().alias("has_next"),
    )
    mean, distance = F.col("avg_monthly_sales"), F.col("sum_sales") - F.col("avg_monthly_sales")
    return (
        placed.where(F.col("has_previous") & F.col("has_next"))
        .where(F.col("d_year") == 2001)
        # One condition, as engines are free to divide before they filter.
        .where(F.when(mean > 0, F.abs(distance) / mean) > 0.1)
        .drop("has_previous", "has_next")
        .orderBy(distance, "nsum")
        .limit(100)
    )


def total_by_month(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Total the sales of each brand in each store by month, from December 2000 to January 2002."""
    year, month = F.col("d_year"), F.col("d_moy")
    wanted = (year == 2001) | ((year == 2000) & (month == 12)) | ((year == 2002) & (month == 1))
    days = tables["date_dim"].where(wanted).select("d_date_sk", "d_year", "d_moy")
    items = tables["item"].select("i_item_sk", "i_category", "i_brand")
    stores = tables["store"].select("s_store_sk", "s_store_name", "s_company_name")
    return (
        tables["store_sales"]
        .select("ss_sold_date_sk", "ss_item_sk", "ss_store_sk", "ss_sales_price")
        .join(days, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(items, F.col("ss_item_sk") == F.col("i_item_sk"))
        .join(stores, F.col("ss_store_sk") == F.col("s_store_sk"))
        .groupBy(*SERIES, "d_year", "d_moy")
        .agg(F.sum("ss_sales_price").alias("sum_sales"))
    )

"""q53: makers whose quarterly store sales of selected items stray from their average quarter.

An independent reading of TPC-DS query 53 in the DataFrame API. The twelve months 1197 to 1208 are grouped by
quarter of the year; the quarter itself is not shown.

TIES: none. The order covers every output column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the hundred quarters with the lowest average that lie more than a tenth from it."""
    days = tables["date_dim"].where(F.col("d_month_seq").between(1197, 1208)).select("d_date_sk", "d_qoy")
    items = tables["item"].where(is_selected()).select("i_item_sk", "i_manufact_id")
    stores = tables["store"].select("s_store_sk")
    average = F.col("avg_quarterly_sales")
    return (
        tables["store_sales"]
        .select("ss_sold_date_sk", "ss_item_sk", "ss_store_sk", "ss_sales_price")
        .join(days, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(items, F.col("ss_item_sk") == F.col("i_item_sk"))
        .join(stores, F.col("ss_store_sk") == F.col("s_store_sk"))
        .groupBy("i_manufact_id", "d_qoy")
        .agg(F.sum("ss_sales_price").alias("sum_sales"))
        .select(
            "i_manufact_id",
            "sum_sales",
            F.avg("sum_sales").over(Window.partitionBy("i_manufact_id")).alias("avg_quarterly_sales"),
        )
        # One condition, as engines are free to divide before they filter.
        .where(F.when(average > 0, F.abs(F.col("sum_sales") - average) / average) > 0.1)
        .orderBy("avg_quarterly_sales", "sum_sales", "i_manufact_id")
        .limit(100)
    )


def is_selected() -> Column:
    """Ask whether an item is in one of the two selections of category, class and brand."""
    category, kind, brand = F.col("i_category"), F.col("i_class"), F.col("i_brand")
    media = (
        category.isin("Books", "Children", "Electronics")
        & kind.isin("personal", "portable", "reference", "self-help")
        & brand.isin(
            "scholaramalgamalg #14", "scholaramalgamalg #7", "exportiunivamalg #9", "scholaramalgamalg #9"
        )
    )
    fashion = (
        category.isin("Women", "Music", "Men")
        & kind.isin("accessories", "classical", "fragrances", "pants")
        & brand.isin("amalgimporto #1", "edu packscholar #1", "exportiimporto #1", "importoamalg #1")
    )
    return media | fashion

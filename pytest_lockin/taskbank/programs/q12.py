"""q12: web revenue by item and its share of the class, 22 March to 21 April 2002.

An independent reading of TPC-DS query 12 in the DataFrame API. The class total is taken by class name alone,
across the three categories; items without a class share one total.

TIES: rows equal in all ordered columns may differ in price (an item id with two prices and the same share),
and change places, also across the limit.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

FIRST_DAY = dt.date(2002, 3, 22)
LAST_DAY = dt.date(2002, 4, 21)
ITEM = ("i_item_id", "i_item_desc", "i_category", "i_class", "i_current_price")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred items with their revenue and its percentage of the class."""
    items = (
        tables["item"].where(F.col("i_category").isin("Jewelry", "Books", "Women")).select("i_item_sk", *ITEM)
    )
    days = tables["date_dim"].where(F.col("d_date").between(FIRST_DAY, LAST_DAY)).select("d_date_sk")
    revenue = (
        tables["web_sales"]
        .select("ws_item_sk", "ws_sold_date_sk", "ws_ext_sales_price")
        .join(items, F.col("ws_item_sk") == F.col("i_item_sk"))
        .join(days, F.col("ws_sold_date_sk") == F.col("d_date_sk"))
        .groupBy(*ITEM)
        .agg(F.sum("ws_ext_sales_price").alias("itemrevenue"))
    )
    of_class = F.sum("itemrevenue").over(Window.partitionBy("i_class"))
    return (
        revenue.withColumn("revenueratio", F.col("itemrevenue") * 100 / of_class)
        .orderBy("i_category", "i_class", "i_item_id", "i_item_desc", "revenueratio")
        .limit(100)
    )

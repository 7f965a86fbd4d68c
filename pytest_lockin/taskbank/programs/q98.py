"""q98: store revenue by item and its share of the class, 5 January to 4 February 2000.

An independent reading of TPC-DS query 98 in the DataFrame API. The class total is taken by class name alone,
across the three categories; items without a class share one total.

TIES: there is no limit. Rows equal in all ordered columns may differ in price and change places.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

FIRST_DAY = dt.date(2000, 1, 5)
LAST_DAY = dt.date(2000, 2, 4)
ITEM = ("i_item_id", "i_item_desc", "i_category", "i_class", "i_current_price")


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return every item sold with its revenue and its percentage of the class."""
    items = tables["item"].where(F.col("i_category").isin("Shoes", "Music", "Men")).select("i_item_sk", *ITEM)
    days = tables["date_dim"].where(F.col("d_date").between(FIRST_DAY, LAST_DAY)).select("d_date_sk")
    class_total = F.sum("itemrevenue").over(Window.partitionBy("i_class"))
    return (
        tables["store_sales"]
        .select("ss_sold_date_sk", "ss_item_sk", "ss_ext_sales_price")
        .join(days, F.col("ss_sold_date_sk") == F.col("d_date_sk"))
        .join(items, F.col("ss_item_sk") == F.col("i_item_sk"))
        .groupBy(*ITEM)
        .agg(F.sum("ss_ext_sales_price").alias("itemrevenue"))
        .select(*ITEM, "itemrevenue", (F.col("itemrevenue") * 100 / class_total).alias("revenueratio"))
        .orderBy("i_category", "i_class", "i_item_id", "i_item_desc", "revenueratio")
    )
